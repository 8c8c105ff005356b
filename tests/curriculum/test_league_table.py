"""Tests of fullpool.curriculum.league_table."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from fullpool.curriculum import testing
from fullpool.curriculum.league_table import Contestants, LeagueTable, evaluate_run, load_table
from fullpool.curriculum.weights import make_network
from fullpool.games.contract import TEAM_A_WON
from fullpool.games.testing import ToyGame, toy_spec
from fullpool.league.game_log import ALL_LINEUPS, GameLog
from fullpool.league.settings import EvaluationSettings
from fullpool.networks.settings import NetworkSettings

SPEC = toy_spec()
NETWORK = NetworkSettings.model_validate(testing.NETWORK)
SETTINGS = EvaluationSettings(
    num_games=20,
    side_games=8,
    num_lineups=4,
    batch_games=16,
    anchors=("random", "perfect"),
    num_resamples=50,
    confidence=0.95,
)


def contestants() -> Contestants:
    names = ("merged", "student", "teacher_g1", "teacher_g2")
    return Contestants(
        final="merged",
        networks={name: make_network(SPEC, NETWORK, index) for index, name in enumerate(names)},
        student="student",
        teachers={"g1": "teacher_g1", "g2": "teacher_g2"},
        lineups={"g1": np.array([[0, 1], [2, 3]]), "g2": np.array([[4, 5], [6, 7]])},
    )


def run() -> LeagueTable:
    log = GameLog()
    log.add(ALL_LINEUPS, "merged@1", "noop", TEAM_A_WON, 9)
    return evaluate_run(ToyGame, SPEC, contestants(), SETTINGS, seed=4, logs=[log])


def test_tables_cover_all_agents_bots_and_sets() -> None:
    table = run()
    met = {(row.agent, row.opponent, row.lineup_set) for row in table.pairings.itertuples()}
    for opponent in ("noop", "random", "perfect", "student", "teacher_g1", "teacher_g2"):
        assert ("merged", opponent, ALL_LINEUPS) in met
    assert {("student", "teacher_g1", "g1"), ("student", "teacher_g2", "g2")} <= met
    assert ("random", "perfect", ALL_LINEUPS) in met
    games = table.pairings.set_index(["agent", "opponent", "lineup_set"])["num_games"]
    assert games["merged", "perfect", ALL_LINEUPS] == 20
    assert games["student", "perfect", ALL_LINEUPS] == 8
    assert set(table.ratings["lineup_set"]) == {ALL_LINEUPS, "g1", "g2"}
    assert "merged@1" in set(table.ratings["agent"])
    assert "merged@1" not in set(table.payoff["agent"])
    worst = table.minimum.set_index("agent")
    assert worst.loc["merged", "opponent"] == "perfect"
    assert worst.loc["merged", "minimum_win_rate"] == 0
    assert set(table.heroes["hero"]) <= set(SPEC.heroes)
    assert table.heroes["games"].sum() == 6 * 20 * SPEC.team_size
    assert len(table.lineups[table.lineups["lineup_set"] == "g1"]) == 3
    assert table.win_rate("merged", "perfect") == 0
    with pytest.raises(ValueError, match="did not meet"):
        table.win_rate("teacher_g1", "teacher_g2")


def test_same_seed_same_tables_and_they_survive_the_disk(tmp_path: Path) -> None:
    first, second = run(), run()
    first.save(tmp_path)
    back = load_table(tmp_path)
    assert back.log == first.log
    assert back.win_rate("merged", "perfect") == first.win_rate("merged", "perfect")
    assert list(back.heroes["hero"]) == list(first.heroes["hero"])
    columns = ["agent", "opponent", "win_rate", "points"]
    assert first.pairings[columns].equals(second.pairings[columns])
    assert first.ratings.equals(second.ratings)


def test_names_without_network_or_lineup_are_refused() -> None:
    whole = contestants()
    with pytest.raises(ValueError, match="no network for agent 'nobody'"):
        Contestants("nobody", whole.networks, None, {}, {})
    with pytest.raises(ValueError, match="no line-up for group 'g1'"):
        Contestants("merged", whole.networks, None, {"g1": "student"}, {})


def test_a_missing_table_is_named(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"cannot be read as an evaluation .*pairings\.csv"):
        load_table(tmp_path)
