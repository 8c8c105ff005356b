"""Small networks, settings and matchmakers for tests of learning on the toy game."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from fullpool.games.contract import GameSpec
from fullpool.games.testing import ToyGame, toy_spec
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
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        return ActorCritic(spec, make_network_settings(**changes))


def self_play(spec: GameSpec, teacher: str | None = None) -> MatchFn:
    """A matchmaker that seats the learner on both sides of random line-ups."""

    def draw(generator: np.random.Generator) -> Match:
        heroes = generator.permutation(len(spec.heroes))[: 2 * spec.team_size]
        lineup = heroes.reshape(2, spec.team_size).astype(np.int16)
        return Match(lineup, (Learner(), Learner()), int(generator.integers(2**60)), teacher=teacher)

    return draw


@pytest.fixture()
def spec() -> GameSpec:
    return toy_spec()


@pytest.fixture(autouse=True)
def one_thread() -> None:
    torch.set_num_threads(1)


def toy_game(num_games: int, **changes: int) -> ToyGame:
    """A batch of the small toy game."""
    return ToyGame(num_games, **changes)
