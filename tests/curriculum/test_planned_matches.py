"""What is announced before a stage is what it plays."""

from __future__ import annotations

import numpy as np

from fullpool.curriculum import league_table, lineups, testing
from fullpool.curriculum.league_table import Contestants, evaluate_run
from fullpool.curriculum.settings import LineupSettings
from fullpool.games.contract import Shorts
from fullpool.games.testing import ToyGame
from fullpool.league.settings import EvaluationSettings
from fullpool.networks.actor_critic import ActorCritic
from fullpool.networks.settings import NetworkSettings


def test_an_evaluation_plays_what_it_announced() -> None:
    network = ActorCritic(testing.SPEC, NetworkSettings.model_validate(testing.NETWORK), seed=0)
    network.requires_grad_(False)
    names = ("merged@1", "student@1", "teacher_g1@1", "teacher_g2@1")
    contestants = Contestants(
        final="merged@1",
        networks=dict.fromkeys(names, network),
        student="student@1",
        teachers={"g1": "teacher_g1@1", "g2": "teacher_g2@1"},
        lineups={group.name: group.array for group in testing.make_groups()},
    )
    settings = EvaluationSettings(
        num_games=6,
        side_games=2,
        num_lineups=2,
        batch_games=16,
        anchors=("random", "perfect"),
        num_resamples=2,
        confidence=0.9,
    )
    table = evaluate_run(ToyGame, testing.SPEC, contestants, settings, seed=1)
    assert table.pairings["num_games"].sum() == league_table.planned_matches(3, 2, settings)


def test_the_line_up_stage_plays_at_most_what_it_announced() -> None:
    settings = LineupSettings(
        bot="random",
        batch_games=8,
        num_threads=1,
        num_matches=50,
        regularization=1.0,
        role_weight=0.0,
        search_restarts=1,
        search_steps=1,
        candidates=3,
        halving_games=4,
        confirm_games=10,
        confidence=0.9,
    )
    played = 0

    def play(given: Shorts, seed: int) -> np.ndarray:
        nonlocal played
        played += len(given)
        return np.random.default_rng(seed).integers(0, 2, len(given)).astype(float)

    lineups.plan_lineups(testing.SPEC, settings, play, seed=2)
    assert (
        played == lineups.planned_matches(testing.SPEC, settings, generated=True) == 50 + 2 * (12 + 16 + 10)
    )
