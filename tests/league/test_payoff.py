"""Tests of fullpool.league.payoff."""

from __future__ import annotations

import numpy as np
import pytest

from fullpool.games.contract import DRAW, TEAM_A_WON
from fullpool.league.game_log import ALL_LINEUPS, GameLog
from fullpool.league.payoff import payoff_matrix


def circle() -> GameLog:
    log = GameLog()
    for winner, loser, wins in [("rock", "scissors", 8), ("scissors", "paper", 9), ("paper", "rock", 7)]:
        log.add(ALL_LINEUPS, winner, loser, TEAM_A_WON, wins)
        log.add(ALL_LINEUPS, loser, winner, TEAM_A_WON, 10 - wins - 1)
        log.add(ALL_LINEUPS, winner, loser, DRAW, 1)
    return log


def test_matrix_shows_a_circle_and_its_minimum() -> None:
    payoff = payoff_matrix(circle(), ALL_LINEUPS, ["rock", "paper", "scissors"])
    expected = [[np.nan, 0.25, 0.85], [0.75, np.nan, 0.05], [0.15, 0.95, np.nan]]
    np.testing.assert_allclose(payoff.win_rates, expected)
    assert payoff.minimum("rock") == (0.25, "paper")
    assert payoff.games.sum() == 60
    row = next(r for r in payoff.rows() if r["agent"] == "rock" and r["opponent"] == "scissors")
    assert row["low"] < row["win_rate"] < row["high"]


def test_unknown_and_lonely_agents() -> None:
    payoff = payoff_matrix(circle(), "g1", ["rock"])
    assert payoff.minimum("rock")[1] is None
    with pytest.raises(ValueError, match="'lizard' is not in the payoff matrix"):
        payoff.minimum("lizard")
    assert payoff_matrix(circle(), ALL_LINEUPS).names == ("paper", "rock", "scissors")
