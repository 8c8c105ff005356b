"""Small networks, settings and matchmakers that learn the toy game within seconds, for tests of any room above."""

from __future__ import annotations

import numpy as np

from fullpool.games.contract import GameSpec
from fullpool.learning.distillation.settings import DistillationSettings
from fullpool.learning.matches import Learner, Match, MatchFn
from fullpool.learning.ppo.settings import PpoSettings, RewardHeadSettings
from fullpool.networks.actor_critic import ActorCritic
from fullpool.networks.settings import NetworkSettings


def make_network_settings(**changes: object) -> NetworkSettings:
    """Settings of a tiny network."""
    values: dict[str, object] = {
        "hero_embedding": 4,
        "row_units": (16,),
        "trunk_units": (32,),
        "lstm_units": 32,
        "use_lstm": True,
        "critic_row_units": (8,),
        "critic_units": (16,),
        "value_units": 16,
        "opponent_information": True,
        "value_heads": "per_reward",
        "image": False,
        "image_channels": (),
    }
    return NetworkSettings.model_validate({**values, **changes})


def make_ppo_settings(spec: GameSpec, **changes: object) -> PpoSettings:
    """Settings that learn the toy game in seconds."""
    values: dict[str, object] = {
        "reward_heads": {name: RewardHeadSettings(discount=0.5, weight=1.0) for name in spec.reward_heads},
        "trace_decay": 0.9,
        "clip_ratio": 0.2,
        "dual_clip": 3.0,
        "ratio": "per_head",
        "advantage": "weighted_sum",
        "scale_advantages": True,
        "statistics_memory": 1e5,
        "entropy_weight": 0.01,
        "value_weight": 0.5,
        "learning_rate": 3e-3,
        "final_learning_rate": 1e-3,
        "schedule_agent_steps": 100_000,
        "adam_epsilon": 1e-5,
        "gradient_norm": 0.5,
        "num_epochs": 2,
        "minibatch_size": 512,
        "precision": "float32",
    }
    return PpoSettings.model_validate({**values, **changes})


def make_network(spec: GameSpec, seed: int = 0, **changes: object) -> ActorCritic:
    """A tiny network with weights drawn from a seed."""
    return ActorCritic(spec, make_network_settings(**changes), seed=seed)


def no_networks(name: str) -> ActorCritic:
    """A lookup of frozen networks where there are none."""
    raise KeyError(name)


def self_play(spec: GameSpec, teacher: str | None = None) -> MatchFn:
    """A matchmaker that seats the learner on both sides of random line-ups."""

    def draw(generator: np.random.Generator) -> Match:
        heroes = generator.permutation(len(spec.heroes))[: 2 * spec.team_size]
        lineup = heroes.reshape(2, spec.team_size).astype(np.int16)
        return Match(lineup, (Learner(), Learner()), int(generator.integers(2**60)), teacher=teacher)

    return draw


def make_distillation_settings(**changes: object) -> DistillationSettings:
    """Settings that distil a toy teacher in seconds."""
    values: dict[str, object] = {
        "driver": "student-driven",
        "at": "exact",
        "value_weight": 0.5,
        "replay_agent_steps": 4_000,
        "warmup_agent_steps": 1_000,
        "replay_ratio": 4.0,
        "statistics_memory": 1e5,
        "learning_rate": 3e-3,
        "final_learning_rate": 1e-3,
        "schedule_agent_steps": 50_000,
        "adam_epsilon": 1e-5,
        "gradient_norm": 1.0,
        "minibatch_size": 512,
        "precision": "float32",
    }
    return DistillationSettings.model_validate({**values, **changes})
