"""Tests of fullpool.league.game_log."""

from __future__ import annotations

import json

import numpy as np
import pytest

from fullpool.games.contract import DRAW, RUNNING, TEAM_A_WON, TEAM_B_WON
from fullpool.league.game_log import ALL_LINEUPS, GameLog, Ratings, rate


def ladder() -> GameLog:
    log = GameLog()
    log.add(ALL_LINEUPS, "random", "noop", TEAM_A_WON, 60)
    log.add(ALL_LINEUPS, "laner", "random", TEAM_A_WON, 55)
    log.add(ALL_LINEUPS, "random", "laner", TEAM_A_WON, 5)
    log.add(ALL_LINEUPS, "agent", "laner", TEAM_A_WON, 20)
    log.add(ALL_LINEUPS, "laner", "agent", TEAM_B_WON, 20)
    log.add(ALL_LINEUPS, "agent", "laner", DRAW, 4)
    log.add("g1", "agent", "noop", TEAM_A_WON, 9)
    return log


def rated(log: GameLog, lineup_set: str = ALL_LINEUPS) -> Ratings:
    return rate(
        log, lineup_set, anchors=["random", "laner"], generator=np.random.default_rng(0), num_resamples=200
    )


def test_counts_do_not_depend_on_who_played_which_side() -> None:
    log = ladder()
    assert log.counts[ALL_LINEUPS, "agent", "laner"] == [40, 4, 0]
    assert log.counts[ALL_LINEUPS, "laner", "random"] == [55, 0, 5]
    assert (log.num_games(), log.num_games("g1")) == (173, 9)
    assert log.lineup_sets == [ALL_LINEUPS, "g1"]


def test_mirror_games_are_dropped_and_running_games_refused() -> None:
    log = GameLog()
    log.add(ALL_LINEUPS, "agent", "agent", TEAM_A_WON)
    assert not log.counts
    with pytest.raises(ValueError, match="winner must be"):
        log.add(ALL_LINEUPS, "agent", "noop", RUNNING)


def test_rows_survive_json_and_merge_adds() -> None:
    log = ladder()
    back = GameLog.from_rows(json.loads(json.dumps(log.to_rows())))
    assert back == log
    back.merge(ladder())
    assert back.counts[ALL_LINEUPS, "agent", "laner"] == [80, 8, 0]


def test_ratings_rise_up_the_ladder_from_zero() -> None:
    ratings = rated(ladder())
    assert ratings.of("noop") == 0
    assert 0 < ratings.of("random") < ratings.of("laner") < ratings.of("agent")
    for name in ("random", "laner", "agent"):
        low, high = ratings.interval(name)
        assert low < ratings.of(name) < high
    difference, low, high = ratings.difference("agent", "random", 0.9)
    assert low < difference < high
    assert difference == pytest.approx(ratings.of("agent") - ratings.of("random"))
    assert [row["agent"] for row in ratings.rows()] == ["agent", "laner", "random", "noop"]
    assert [row["games"] for row in ratings.rows()] == [44, 104, 120, 60]


def test_sets_are_rated_apart_and_anchors_without_games_left_out() -> None:
    ratings = rated(ladder(), "g1")
    assert ratings.names == ("agent", "noop")
    assert ratings.of("agent") > 0
    with pytest.raises(ValueError, match="no games of 'laner'"):
        ratings.of("laner")


def test_an_empty_set_rates_only_the_zero_bot() -> None:
    ratings = rated(GameLog())
    assert ratings.names == ("noop",)
    assert ratings.of("noop") == 0
