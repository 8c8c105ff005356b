"""Figures that an evaluation hands to the tracker."""

from __future__ import annotations

import pandas as pd

from fullpool.curriculum.league_table import LeagueTable
from fullpool.league.game_log import GameLog
from fullpool.pipelines.evaluation.tables import figures


def test_win_rates_are_the_final_agents_and_the_students_on_each_teachers_line_up() -> None:
    pairings = pd.DataFrame(
        [
            ("merged@9", "laner", "all", 0.6),
            ("merged@9", "student@4", "all", 0.7),
            ("student@4", "laner", "all", 0.2),
            ("student@4", "teacher_g1@5", "g1", 0.4),
            ("student@4", "noop", "g1", 0.9),
        ],
        columns=["agent", "opponent", "lineup_set", "win_rate"],
    )
    ratings = pd.DataFrame(
        [
            ("all", "merged@9", 90.0),
            ("all", "merged@3", 50.0),
            ("all", "laner", 60.0),
            ("g1", "teacher_g1@5", 40.0),
        ],
        columns=["lineup_set", "agent", "elo"],
    )
    empty = pd.DataFrame()
    table = LeagueTable(pairings, ratings, empty, empty, empty, empty, GameLog())
    labels = {"merged@9": "merged", "student@4": "student", "teacher_g1@5": "teacher_g1"}
    assert figures(table, labels) == {
        "win_rate_vs_laner": 0.6,
        "win_rate_vs_student": 0.7,
        "student_vs_teacher_g1": 0.4,
        "elo_merged": 90.0,
        "elo_laner": 60.0,
    }
