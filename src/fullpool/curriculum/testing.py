"""Tiny settings of every phase on the toy game, for tests: the whole curriculum in seconds."""

from __future__ import annotations

from typing import Any

import numpy as np

from fullpool.curriculum.lineups import GroupLineup
from fullpool.curriculum.phases import Setting
from fullpool.curriculum.settings import BaselineSettings, MergedSettings, StudentSettings, TeacherSettings
from fullpool.games.lineups import is_reserved
from fullpool.games.testing import ToyGame, toy_spec

SPEC = toy_spec()

NETWORK: dict[str, Any] = {
    "hero_embedding": 4,
    "row_units": [16],
    "trunk_units": [16],
    "lstm_units": 16,
    "use_lstm": True,
    "critic_row_units": [8],
    "critic_units": [16],
    "value_units": 8,
    "opponent_information": True,
    "value_heads": "per_reward",
    "image": False,
    "image_channels": [],
}
OPTIMISER: dict[str, Any] = {
    "statistics_memory": 1e5,
    "learning_rate": 3e-3,
    "final_learning_rate": 1e-3,
    "schedule_agent_steps": 50_000,
    "adam_epsilon": 1e-5,
    "gradient_norm": 0.5,
    "minibatch_size": 256,
    "precision": "float32",
}
PPO: dict[str, Any] = OPTIMISER | {
    "reward_heads": {name: {"discount": 0.5, "weight": 1.0} for name in SPEC.reward_heads},
    "trace_decay": 0.9,
    "clip_ratio": 0.2,
    "dual_clip": 3.0,
    "ratio": "per_head",
    "advantage": "weighted_sum",
    "scale_advantages": True,
    "entropy_weight": 0.01,
    "value_weight": 0.5,
    "num_epochs": 1,
}
LEAGUE: dict[str, Any] = {
    "latest_share": 0.5,
    "bot_shares": {"random": 0.2},
    "capacity": 2,
    "snapshot_updates": 2,
    "priority_power": 1.0,
    "priority_floor": 0.05,
    "payoff_memory": 20,
}
PHASE: dict[str, Any] = {
    "budget_agent_steps": 4000,
    "generation_updates": 3,
    "log_updates": 2,
    "rollout": {"num_games": 8, "window": 8, "num_threads": 1},
    "convergence": {
        "every_generations": 2,
        "window": 1,
        "delta": -1e9,
        "patience": 2,
        "confidence": 0.9,
        "num_resamples": 20,
        "anchors": ["random", "perfect"],
        "bot_games": 8,
        "anchor_games": 8,
        "past_games": 8,
        "num_lineups": 4,
        "batch_games": 8,
    },
}
IMITATION: dict[str, Any] = {
    "bot_shares": {"perfect": 0.8, "random": 0.2},
    "agent_steps": 700,
    "learning_rate": 3e-3,
    "value_weight": 0.5,
    "num_epochs": 1,
    "minibatch_size": 256,
}
DISTILLATION: dict[str, Any] = OPTIMISER | {
    "driver": "student-driven",
    "at": "exact",
    "value_weight": 0.5,
    "replay_agent_steps": 2000,
    "warmup_agent_steps": 256,
    "replay_ratio": 1.0,
}


def updated(values: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    """Values with nested changes by dotted name."""
    copied = {key: updated(value, {}) if isinstance(value, dict) else value for key, value in values.items()}
    for path, value in changes.items():
        first, _, rest = path.partition(".")
        copied[first] = updated(copied[first], {rest: value}) if rest else value
    return copied


def teacher_settings(**changes: Any) -> TeacherSettings:
    """Settings of phase 1 with changes by dotted name."""
    values = PHASE | {"network": NETWORK, "ppo": PPO, "league": LEAGUE, "imitation": None}
    values |= {"parallel_teachers": 2}
    return TeacherSettings.model_validate(updated(values, changes))


def student_settings(**changes: Any) -> StudentSettings:
    """Settings of phase 2 with changes by dotted name."""
    values = PHASE | {"network": NETWORK | {"lstm_units": 24}, "distillation": DISTILLATION}
    return StudentSettings.model_validate(updated(values, changes))


def merged_settings(**changes: Any) -> MergedSettings:
    """Settings of phase 3 with changes by dotted name."""
    values = updated(PHASE, {"rollout.num_threads": 2}) | {"ppo": PPO, "league": LEAGUE}
    return MergedSettings.model_validate(updated(values, changes))


def baseline_settings(**changes: Any) -> BaselineSettings:
    """Settings of the baseline with changes by dotted name."""
    values = merged_settings().plain() | {"network": NETWORK, "imitation": None}
    return BaselineSettings.model_validate(updated(values, changes))


def make_groups() -> list[GroupLineup]:
    """Two training line-ups that hold every hero once."""
    generator = np.random.default_rng(0)
    while True:
        halves = generator.permutation(8).reshape(2, 2, 2)
        names = [[[SPEC.heroes[i] for i in team] for team in half] for half in halves]
        if not any(is_reserved(*teams) for teams in names):
            break
    return [
        GroupLineup(
            name=f"g{index + 1}",
            lineup=(tuple(half[0].tolist()), tuple(half[1].tolist())),
            heroes=(tuple(teams[0]), tuple(teams[1])),
            guests=(),
            predicted=0.5,
            win_rate=0.5,
            interval=(0.4, 0.6),
            games=10,
            doubled_roles=0,
        )
        for index, (half, teams) in enumerate(zip(halves, names, strict=True))
    ]


def make_setting(seed: int = 1) -> Setting:
    """The toy game and a seed."""
    return Setting(ToyGame, SPEC, seed)
