"""Tests of fullpool.curriculum.lineups."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from fullpool.curriculum.lineup_model import PairModel
from fullpool.curriculum.lineups import bot_play, load_plan, plan_lineups
from fullpool.curriculum.settings import LineupSettings
from fullpool.games.contract import ActionHead, ActionSpec, GameSpec, ObservationSpec, UnitBlock
from fullpool.games.lineups import is_reserved
from fullpool.games.testing import ToyGame

NUM_HEROES, TEAM = 14, 3
HIDDEN = PairModel(
    np.random.default_rng(7).normal(scale=0.5, size=NUM_HEROES),
    np.zeros((NUM_HEROES, NUM_HEROES)),
    np.zeros((NUM_HEROES, NUM_HEROES)),
)


def small_spec() -> GameSpec:
    block = UnitBlock("heroes", 1, 1)
    return GameSpec(
        name="fake",
        version="1",
        preset="one",
        team_size=TEAM,
        heroes=tuple(f"hero{i}" for i in range(NUM_HEROES)),
        roles=tuple(["tank", "mage", "support"][i % 3] for i in range(NUM_HEROES)),
        observation=ObservationSpec((block,), "heroes"),
        critic=None,
        action=ActionSpec(
            (ActionHead("what", 2),), np.ones((NUM_HEROES, 2, 1), bool), np.zeros((1, 2), np.int32)
        ),
        reward_heads=("win",),
        zero_sum=True,
        max_decisions=10,
        decisions_per_second=2.0,
        bots=("laner",),
    )


class HiddenStrengths:
    """Plays by hidden strengths, with an edge for the first side that a fair confirmation must cancel."""

    def __init__(self) -> None:
        self.lineups: list[np.ndarray] = []

    def __call__(self, lineups: np.ndarray, seed: int) -> np.ndarray:
        self.lineups.append(lineups)
        chance = np.clip(HIDDEN(lineups) + 0.1, 0, 1)
        return (np.random.default_rng(seed).random(len(lineups)) < chance).astype(np.float64)


def settings_with(**changes: float | str) -> LineupSettings:
    values: dict[str, float | str] = {
        "bot": "laner",
        "batch_games": 8,
        "num_threads": 1,
        "num_matches": 6000,
        "regularization": 0.02,
        "role_weight": 0.1,
        "search_restarts": 2,
        "search_steps": 100,
        "candidates": 8,
        "halving_games": 100,
        "confirm_games": 2000,
        "confidence": 0.95,
    }
    return LineupSettings.model_validate(values | changes)


def test_generated_records_lead_to_even_confirmed_groups() -> None:
    spec, play = small_spec(), HiddenStrengths()
    plan = plan_lineups(spec, settings_with(), play, seed=3)
    assert (plan.num_records, plan.generated, len(plan.groups)) == (6000, True, 3)
    for group in plan.groups:
        assert group.games == 2000
        assert abs(group.win_rate - 0.5) < 0.08
        assert abs(group.win_rate - float(HIDDEN(group.array[None])[0])) < 0.05
        assert group.interval[0] < group.win_rate < group.interval[1]
        assert not is_reserved(*group.heroes)
    owned = [
        hero for group in plan.groups for team in group.heroes for hero in team if hero not in group.guests
    ]
    assert set(owned) == set(spec.heroes)
    assert len(plan.groups[-1].guests) == 4
    assert all(not group.guests for group in plan.groups[:-1])
    assert plan.num_games == sum(len(lineups) for lineups in play.lineups[1:])
    for lineup in {tuple(map(tuple, row.tolist())) for row in np.concatenate(play.lineups)}:
        assert not is_reserved(*[[spec.heroes[i] for i in team] for team in lineup])


def test_plan_is_seeded_and_uses_given_records() -> None:
    spec = small_spec()
    generator = np.random.default_rng(0)
    lineups = np.stack([generator.permutation(NUM_HEROES)[:6].reshape(2, 3) for _ in range(400)]).astype(
        np.int16
    )
    records = (lineups, (generator.random(400) < HIDDEN(lineups)).astype(np.float64))
    plans = [
        plan_lineups(spec, settings_with(confirm_games=50), HiddenStrengths(), seed=1, records=records)
        for _ in range(2)
    ]
    assert plans[0] == plans[1]
    assert (plans[0].num_records, plans[0].generated) == (400, False)
    assert plans[0].rows()[0]["group"] == "g1"


def test_a_given_model_needs_no_records() -> None:
    plan = plan_lineups(
        small_spec(), settings_with(confirm_games=50), HiddenStrengths(), seed=1, model=HIDDEN, pool=range(12)
    )
    assert (plan.num_records, len(plan.groups)) == (0, 2)
    assert abs(plan.groups[0].predicted - 0.5) < 0.1


def test_no_records_and_no_matches_is_refused() -> None:
    with pytest.raises(ValueError, match="num_matches is 0"):
        plan_lineups(small_spec(), settings_with(num_matches=0), HiddenStrengths(), seed=1)


def test_plan_survives_the_disk_and_refuses_another_pool(tmp_path: Path) -> None:
    spec = small_spec()
    plan = plan_lineups(spec, settings_with(confirm_games=50), HiddenStrengths(), seed=1, model=HIDDEN)
    plan.save(tmp_path)
    assert load_plan(tmp_path, spec) == plan
    with pytest.raises(ValueError, match="numbers differently"):
        load_plan(tmp_path, replace(spec, heroes=spec.heroes[::-1]))
    (tmp_path / "lineups.json").write_text("{}")
    with pytest.raises(ValueError, match="cannot be read as line-ups"):
        load_plan(tmp_path, spec)


def test_bots_play_both_seats_of_the_toy_game() -> None:
    lineups = np.array([[[0, 1], [2, 3]]] * 40, np.int16)
    play = bot_play(ToyGame, "random", batch_games=8, num_threads=2)
    scores = play(lineups, 3)
    assert set(scores.tolist()) <= {0.0, 0.5, 1.0}
    assert 0.2 < scores.mean() < 0.8
    np.testing.assert_array_equal(scores, play(lineups, 3))
    assert not np.array_equal(scores, play(lineups, 4))
