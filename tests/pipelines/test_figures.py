"""Frames of the run's figures, from metrics rows and from an evaluation's tables."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from fullpool.curriculum.league_table import LeagueTable
from fullpool.league.game_log import GameLog
from fullpool.pipelines import figures

TEACHERS: list[dict[str, Any]] = [
    {"step": 0, "values": {"elo_g1": 5.0, "elo_low_g1": 0.0, "elo_high_g1": 9.0}},
    {
        "step": 10,
        "values": {"agent_steps_g1": 10.0, "entropy_what_g1": 0.5, "policy_loss_g1": 0.1, "staleness_g1": 1.0}
        | {"elo_g1": 6.0, "elo_low_g1": 1.0, "elo_high_g1": 10.0},
    },
    {"step": 12, "values": {"agent_steps_g2": 12.0, "entropy_what_g2": 0.6}},
]
MERGED: list[dict[str, Any]] = [
    {
        "step": 20,
        "values": {"agent_steps": 20.0, "entropy_what": 0.4, "elo": 7.0, "elo_low": 2.0, "elo_high": 11.0},
    }
]


@pytest.fixture
def table() -> LeagueTable:
    names = ("merged@3", "laner", "noop")
    ratings = pd.DataFrame(
        [("all", name, elo) for name, elo in zip(names, (90.0, 100.0, 0.0))] + [("g1", "laner", 50.0)],
        columns=["lineup_set", "agent", "elo"],
    )
    met = [
        ("merged@3", "laner", 0.4),
        ("laner", "merged@3", 0.6),
        ("merged@3", "noop", 0.9),
        ("noop", "merged@3", 0.1),
    ]
    payoff = pd.DataFrame(met, columns=["agent", "opponent", "win_rate"])
    heroes = pd.DataFrame({"hero": ["a", "b"], "win_rate": [0.5, 0.0], "games": [10, 4]})
    other = pd.DataFrame({"x": [1]})
    log = GameLog()
    log.add("all", "merged@3", "laner", 0)
    return LeagueTable(other, ratings, payoff, other, heroes, other, log)


def test_ratings_of_all_phases_stand_in_one_frame_with_their_ends() -> None:
    frame = figures.rating_frame({"teachers": TEACHERS, "merged": MERGED})
    assert frame.to_numpy().tolist() == [
        ["teachers g1", 0, 5.0, 0.0, 9.0],
        ["teachers g1", 10, 6.0, 1.0, 10.0],
        ["merged", 20, 7.0, 2.0, 11.0],
    ]


def test_learning_curves_lose_their_groups_names_and_keep_their_order() -> None:
    frame = figures.learning_frame("teachers", TEACHERS)
    assert frame.to_numpy().tolist() == [
        ["policy_loss", 10, 0.1, "teachers g1"],
        ["entropy_what", 10, 0.5, "teachers g1"],
        ["entropy_what", 12, 0.6, "teachers g2"],
    ]
    assert list(figures.learning_frame("merged", MERGED)["run"]) == ["merged"]
    assert len(figures.learning_frame("student", [])) == 0


def test_anchors_are_the_bots_on_all_line_ups(table: LeagueTable) -> None:
    assert figures.anchor_frame(table).to_numpy().tolist() == [["laner", 100.0], ["noop", 0.0]]


def test_the_payoff_is_a_square_with_gaps_the_strongest_first(table: LeagueTable) -> None:
    square = figures.payoff_frame(table)
    assert list(square.index) == list(square.columns) == ["laner", "merged@3", "noop"]
    assert square.loc["merged@3", "laner"] == 0.4
    assert square.isna().loc["laner", "noop"]


def test_everything_is_logged(table: LeagueTable, tmp_path: Path, recorder: Any) -> None:
    table.save(tmp_path)
    rows = {"teachers": TEACHERS, "student": [], "merged": MERGED}
    figures.log_evaluation(tmp_path, rows, confidence=0.9)
    assert recorder.figures == ["elo", "payoff", "win_rate_by_hero", "learning_teachers", "learning_merged"]
    assert "pairings.csv" in recorder.artifacts


def test_no_curve_is_measured_by_the_clock() -> None:
    slow, fast = (
        [{**row, "values": row["values"] | {"steps_per_s": speed}} for row in MERGED] for speed in (1.0, 9.0)
    )
    assert figures.learning_frame("merged", slow).equals(figures.learning_frame("merged", fast))
