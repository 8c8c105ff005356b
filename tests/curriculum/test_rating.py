"""Tests of fullpool.curriculum.rating."""

from __future__ import annotations

import json

import pytest

from fullpool.curriculum.rating import Arena, PhaseRating
from fullpool.curriculum.testing import SPEC, baseline_settings
from fullpool.curriculum.weights import make_network
from fullpool.games.testing import ToyGame
from fullpool.league.evaluation import reserved_lineups
from fullpool.league.game_log import ALL_LINEUPS
from fullpool.networks.actor_critic import ActorCritic

SETTINGS = baseline_settings()


def arena() -> Arena:
    return Arena(ToyGame, SPEC, ALL_LINEUPS, reserved_lineups(SPEC, 3, 1), 8, 1, 1)


def network(seed: int) -> ActorCritic:
    return make_network(SPEC, SETTINGS.network, seed)


def test_each_state_meets_anchors_and_its_own_past() -> None:
    rating = PhaseRating(arena(), SETTINGS.convergence)
    first, verdict = rating.rate("a@0", network(0))
    assert not verdict.converged
    assert {"elo", "elo_low", "elo_high", "win_rate_vs_random", "win_rate_vs_perfect", "eval_points"} <= set(
        first
    )
    assert first["win_rate_vs_perfect"] == 0.0
    assert "win_rate_vs_past" not in first
    second, _ = rating.rate("a@1", network(1))
    third, _ = rating.rate("a@2", network(2))
    assert 0 <= second["win_rate_vs_past"] <= 1
    assert third["elo_low"] <= third["elo"] <= third["elo_high"]
    met = {key[1:] for key in rating.log.counts}
    assert {("a@0", "a@1"), ("a@1", "a@2"), ("noop", "perfect"), ("perfect", "random")} <= met
    assert ("a@0", "a@2") not in met, "only the last `window` states are met again"
    assert list(rating.recent) == ["a@2"]
    assert rating.ratings("x").of("noop") == 0
    gain = rating.progress()
    assert gain["elo_phase_gain_low"] <= gain["elo_phase_gain"] <= gain["elo_phase_gain_high"]


def test_state_survives_json_and_goes_on_alike() -> None:
    rating = PhaseRating(arena(), SETTINGS.convergence)
    rating.rate("a@0", network(0))
    other = PhaseRating(arena(), SETTINGS.convergence)
    other.load_state(json.loads(json.dumps(rating.state())), {"a@0": network(0)})
    assert other.rate("a@1", network(1)) == rating.rate("a@1", network(1))


def test_unknown_anchors_are_refused() -> None:
    settings = SETTINGS.convergence.model_copy(update={"anchors": ("laner",)})
    with pytest.raises(ValueError, match="no bot 'laner' in this game"):
        PhaseRating(arena(), settings)
