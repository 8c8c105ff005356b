"""Agents of a run, taken from their stages' folders, and the figures of their evaluation."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from pathlib import Path
from typing import Any

from fullpool.curriculum.generation import load_generation
from fullpool.curriculum.league_table import Contestants, LeagueTable, evaluate_run
from fullpool.curriculum.lineups import LineupPlan
from fullpool.curriculum.metrics import MetricsRow
from fullpool.curriculum.phases import Setting
from fullpool.league.game_log import ALL_LINEUPS
from fullpool.league.settings import EvaluationSettings
from fullpool.pipelines import stages

FINAL, STUDENT = "merged", "student"


def evaluate_stages(
    setting: Setting,
    plan: LineupPlan,
    folders: Mapping[str, Mapping[str, Path]],
    settings: EvaluationSettings,
    *,
    num_threads: int,
) -> stages.Result:
    """Evaluates the agents that lie in the stages' folders.

    Args:
        setting: game and seed.
        plan: the teachers' line-ups.
        folders: last generation of each agent, by stage and agent.
        settings: of the evaluation.
        num_threads: threads that play.

    Returns:
        The tables as a stage's result.
    """
    agents = {
        stage: [load_generation(folder, setting.spec) for folder in parts.values()]
        for stage, parts in folders.items()
    }
    taking_part = [agent for group in agents.values() for agent in group]
    named = {agent.part: agent.state_name for agent in taking_part}
    contestants = Contestants(
        final=named[FINAL],
        networks={agent.state_name: agent.policy.network for agent in taking_part},
        student=named[STUDENT],
        teachers={agent.part: agent.state_name for agent in agents["teachers"]},
        lineups={group.name: group.array for group in plan.groups},
    )
    table = evaluate_run(
        setting.game_fn,
        setting.spec,
        contestants,
        settings,
        seed=setting.seed,
        logs=[agent.games for agent in taking_part],
        num_threads=num_threads,
    )
    labels = {
        state: f"teacher_{name}" if name in contestants.teachers else name for name, state in named.items()
    }
    return stages.Result(table.save, rows=(MetricsRow(0, figures(table, labels)),))


def figures(table: LeagueTable, labels: Mapping[str, str]) -> dict[str, float]:
    """Picks what runs are compared by: the final agent's win rates, the student's on teachers' line-ups, Elo.

    Args:
        table: the evaluation.
        labels: names of the agents, without the number of their state, by the names in the table.

    Returns:
        Figures by name, the ends of their intervals with `_low` and `_high` behind it, and `num_games`: matches
        behind each win rate.
    """
    pairings = table.pairings.to_dict("records")
    final = next(state for state, label in labels.items() if label == FINAL)
    student = next((state for state, label in labels.items() if label == STUDENT), None)
    won = {
        f"win_rate_vs_{labels.get(row['opponent'], row['opponent'])}": row
        for row in pairings
        if row["agent"] == final and row["lineup_set"] == ALL_LINEUPS
    }
    for state, label in labels.items():
        met = (student, state, label.removeprefix("teacher_"))
        won |= {
            f"student_vs_{label}": row
            for row in pairings
            if (row["agent"], row["opponent"], row["lineup_set"]) == met
        }
    rated = {
        f"elo_{labels.get(row['agent'], row['agent'])}": row
        for row in table.ratings.to_dict("records")
        # Earlier states of an agent are rated too; a run is compared by the last ones.
        if row["lineup_set"] == ALL_LINEUPS and (row["agent"] in labels or "@" not in row["agent"])
    }
    chosen = _with_ends(won, "win_rate") | _with_ends(rated, "elo")
    return chosen | {"num_games": float(min(row["num_games"] for row in won.values()))}


def _with_ends(rows: Mapping[str, Mapping[Hashable, Any]], column: str) -> dict[str, float]:
    columns = {"": column, "_low": "low", "_high": "high"}
    return {
        f"{name}{end}": float(row[source]) for name, row in rows.items() for end, source in columns.items()
    }
