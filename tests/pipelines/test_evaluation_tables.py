"""Figures that an evaluation hands to the tracker."""

from __future__ import annotations

import pandas as pd

from fullpool.curriculum.league_table import LeagueTable
from fullpool.league.game_log import GameLog
from fullpool.pipelines.evaluation.tables import figures


def test_win_rates_are_the_final_agents_and_the_students_on_each_teachers_line_up() -> None:
    pairings = pd.DataFrame(
        [
            ("merged@9", "laner", "all", 0.6, 0.5, 0.7, 500),
            ("merged@9", "student@4", "all", 0.7, 0.6, 0.8, 500),
            ("student@4", "laner", "all", 0.2, 0.1, 0.3, 100),
            ("student@4", "teacher_g1@5", "g1", 0.4, 0.3, 0.5, 500),
            ("student@4", "noop", "g1", 0.9, 0.8, 1.0, 100),
        ],
        columns=["agent", "opponent", "lineup_set", "win_rate", "low", "high", "num_games"],
    )
    ratings = pd.DataFrame(
        [
            ("all", "merged@9", 90.0, 80.0, 95.0),
            ("all", "merged@3", 50.0, 40.0, 60.0),
            ("all", "laner", 60.0, 55.0, 66.0),
            ("g1", "teacher_g1@5", 40.0, 30.0, 50.0),
        ],
        columns=["lineup_set", "agent", "elo", "low", "high"],
    )
    empty = pd.DataFrame()
    table = LeagueTable(pairings, ratings, empty, empty, empty, empty, GameLog())
    labels = {"merged@9": "merged", "student@4": "student", "teacher_g1@5": "teacher_g1"}
    found = figures(table, labels)
    assert {name: value for name, value in found.items() if not name.endswith(("_low", "_high"))} == {
        "win_rate_vs_laner": 0.6,
        "win_rate_vs_student": 0.7,
        "student_vs_teacher_g1": 0.4,
        "elo_merged": 90.0,
        "elo_laner": 60.0,
        "num_games": 500.0,
    }
    for name, ends in {
        "win_rate_vs_student": (0.6, 0.8),
        "student_vs_teacher_g1": (0.3, 0.5),
        "elo_merged": (80.0, 95.0),
    }.items():
        assert (found[f"{name}_low"], found[f"{name}_high"]) == ends
