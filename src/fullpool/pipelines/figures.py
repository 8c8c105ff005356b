"""Figures of a whole run: Elo of all phases with the anchors, learning curves, payoff, heroes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from fullpool.curriculum.league_table import TABLES, LeagueTable, load_table
from fullpool.league.game_log import ALL_LINEUPS
from fullpool.numerics.intervals import wilson_interval
from fullpool.pipelines.progress import STEPS
from fullpool.pipelines.tracking import current
from fullpool.reports.drafting import hero_figure
from fullpool.reports.league import elo_figure, learning_figure, payoff_figure

Rows = Sequence[Mapping[str, Any]]
"""Metrics rows of a stage, each with `step` and `values`."""

CURVES = (
    "policy_loss", "imitation_loss", "cross_entropy", "divergence", "agreement", "value_loss", "value_distance",
    "entropy", "advantage_std", "explained_variance", "train_win_rate", "train_decisions",
    "train_draws", "train_ended_by_crystal", "train_structure_attack_share",
)  # fmt: skip
"""Beginnings of the names of the figures that learning curves are drawn of.

None is measured by the clock: a run that was cut short and gone on with draws the same pictures.
"""

LOW = "elo_low"


def rating_frame(stages: Mapping[str, Rows]) -> pd.DataFrame:
    """Gathers the ratings of all phases.

    Args:
        stages: metrics rows by stage.

    Returns:
        `phase`, `agent_steps`, `rating`, `low`, `high`; a teacher is a phase of its own.
    """
    found = []
    for stage, rows in stages.items():
        for row in rows:
            values = row["values"]
            for group in (name.removeprefix(LOW) for name in values if name.startswith(LOW)):
                ends = [values[f"{name}{group}"] for name in ("elo", LOW, "elo_high")]
                found.append((_label(stage, group), row["step"], *ends))
    return pd.DataFrame(found, columns=["phase", "agent_steps", "rating", "low", "high"])


def learning_frame(stage: str, rows: Rows) -> pd.DataFrame:
    """Gathers the learning curves of a stage.

    Args:
        stage: its name.
        rows: its metrics rows.

    Returns:
        `metric`, `agent_steps`, `value`, `run`, in the order of `CURVES`; a teacher is a run of its own.
    """
    points = [
        (name, row["step"], value, _label(stage, group))
        for row in rows
        for group, name, value in _named(row["values"])
    ]
    frame = pd.DataFrame(points, columns=["metric", "agent_steps", "value", "run"])
    order = [next(i for i, start in enumerate(CURVES) if name.startswith(start)) for name in frame["metric"]]
    return frame.assign(order=order).sort_values(["order", "metric"], kind="stable").drop(columns="order")


def _named(values: Mapping[str, float]) -> Iterator[tuple[str, str, float]]:
    """Splits the names of a row of learning into figure and group, and picks those that are drawn."""
    groups = [name.removeprefix(STEPS) for name in values if name.startswith(STEPS)]
    for name, value in values.items():
        for group in groups:
            if name.endswith(group) and name.startswith(CURVES):
                yield group, name.removesuffix(group), value


def _label(stage: str, group: str) -> str:
    return f"{stage} {group[1:]}" if group else stage


def anchor_frame(table: LeagueTable) -> pd.DataFrame:
    """Takes the scripted bots' ratings on all line-ups: `name`, `rating`."""
    rated = table.ratings[table.ratings["lineup_set"] == ALL_LINEUPS]
    bots = rated[~rated["agent"].str.contains("@")]
    return bots.rename(columns={"agent": "name", "elo": "rating"})[["name", "rating"]]


def payoff_frame(table: LeagueTable) -> pd.DataFrame:
    """Makes a square of the payoff table, the strongest first."""
    rated = table.ratings[table.ratings["lineup_set"] == ALL_LINEUPS].sort_values("elo", ascending=False)
    square = table.payoff.pivot_table(index="agent", columns="opponent", values="win_rate", dropna=False)
    met = set(table.payoff["agent"])
    names = [name for name in rated["agent"] if name in met]
    return square.reindex(index=names, columns=names)


def hero_frame(table: LeagueTable, confidence: float) -> pd.DataFrame:
    """Adds Wilson intervals to the final agent's win rates by hero."""
    heroes = table.heroes
    ends = [
        wilson_interval(rate * games, games, confidence)
        for rate, games in zip(heroes["win_rate"], heroes["games"], strict=True)
    ]
    return heroes.assign(low=[low for low, _ in ends], high=[high for _, high in ends])


def log_evaluation(folder: Path, stages: Mapping[str, Rows], *, confidence: float) -> None:
    """Logs the figures and tables of a finished evaluation.

    Args:
        folder: of the evaluation.
        stages: metrics rows of the phases by stage.
        confidence: of the intervals.
    """
    tracker, table = current(), load_table(folder)
    ratings = rating_frame(stages)
    if len(ratings):
        tracker.figure("elo", elo_figure(ratings, anchor_frame(table)))
    tracker.figure("payoff", payoff_figure(payoff_frame(table)))
    tracker.figure("win_rate_by_hero", hero_figure(hero_frame(table, confidence)))
    for stage, rows in stages.items():
        curves = learning_frame(stage, rows)
        if len(curves):
            tracker.figure(f"learning_{stage}", learning_figure(curves))
    for name in TABLES:
        tracker.artifact(folder / f"{name}.csv")
