"""Tests of fullpool.curriculum.metrics."""

from __future__ import annotations

import numpy as np
import pytest

from fullpool.curriculum.metrics import Meter, match_metrics
from fullpool.games.contract import DRAW, TEAM_A_WON, TEAM_B_WON
from fullpool.learning.matches import Bot, Learner, MatchRecord, Seat, Snapshot


def record(first: Seat, second: Seat, winner: int, decisions: int = 10, crystal: float = 1.0) -> MatchRecord:
    returns = np.zeros((2, 1, 1), np.float32)
    stats = {"crystal": crystal, "attacks": [0.2, 0.4]}
    return MatchRecord(np.array([[0], [1]], np.int16), (first, second), winner, decisions, stats, "", returns)


def test_matches_are_counted_by_opponent_and_side() -> None:
    matches = [
        record(Learner(), Bot("laner"), TEAM_A_WON),
        record(Bot("laner"), Learner(), TEAM_A_WON, crystal=0.0),
        record(Bot("laner"), Learner(), DRAW),
        record(Snapshot("u1"), Learner(), TEAM_B_WON, decisions=30),
        record(Learner(), Learner(), TEAM_B_WON),
    ]
    metrics = match_metrics(matches)
    assert metrics["train_win_rate_vs_laner"] == pytest.approx(0.5)
    assert metrics["train_win_rate_vs_snapshots"] == 1.0
    assert metrics["train_decisions"] == 14.0
    assert metrics["train_draws"] == pytest.approx(0.2)
    assert metrics["train_crystal"] == pytest.approx(0.8)
    assert metrics["train_attacks"] == pytest.approx(0.3)
    assert match_metrics([]) == {}


def test_a_row_averages_what_is_there_and_empties_the_meter() -> None:
    meter = Meter("_g1")
    meter.start(100)
    meter.add({"value_loss": 1.0, "agent_steps": 200.0}, [])
    meter.add({"value_loss": 3.0, "entropy/what": 0.5, "agent_steps": 300.0}, [])
    row = meter.row(300)
    assert row.step == 300
    assert row.values["value_loss_g1"] == 2.0
    assert row.values["entropy_what_g1"] == 0.5
    assert row.values["agent_steps_g1"] == 300.0
    assert row.values["steps_per_s_g1"] > 0
    assert meter.num_updates == 0
