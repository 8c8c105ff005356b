"""Figures of training and league: payoff, Elo curves, learning curves."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from fullpool.reports.canvas import heat_map, new_figure, require


def payoff_figure(frame: pd.DataFrame) -> Figure:
    """Draws a payoff matrix.

    Args:
        frame: win rate of each row's agent against each column's; NaN where they never met.

    Returns:
        The figure.

    Raises:
        ValueError: if rows and columns are not the same agents.
    """
    names = [str(name) for name in frame.index]
    if names != [str(name) for name in frame.columns] or not names:
        raise ValueError("a payoff frame needs the same agents, at least one, as rows and as columns")
    side = 2.0 + 0.55 * len(names)
    figure, (axes,) = new_figure(side + 0.6, side)
    heat_map(axes, frame.to_numpy(np.float64), names, names)
    axes.set(title="Win rate of the row against the column")
    return figure


def elo_figure(frame: pd.DataFrame, anchors: pd.DataFrame | None = None) -> Figure:
    """Draws Elo over training, with intervals, and the anchors as level lines.

    Args:
        frame: `phase`, `agent_steps`, `rating`, `low`, `high`; one line a phase.
        anchors: `name`, `rating`; None: none.

    Returns:
        The figure.
    """
    require(frame, ("phase", "agent_steps", "rating", "low", "high"), "the Elo figure")
    figure, (axes,) = new_figure(8.0, 4.8)
    for phase, rows in frame.groupby("phase", sort=False):
        rows = rows.sort_values("agent_steps")
        (line,) = axes.plot(rows["agent_steps"], rows["rating"], marker="o", markersize=3, label=str(phase))
        axes.fill_between(rows["agent_steps"], rows["low"], rows["high"], alpha=0.2, color=line.get_color())
    if anchors is not None:
        require(anchors, ("name", "rating"), "the anchors of the Elo figure")
        for name, rating in zip(anchors["name"], anchors["rating"]):
            axes.axhline(rating, color="grey", linewidth=0.8, linestyle="--")
            axes.annotate(
                str(name),
                (1.0, rating),
                xycoords=("axes fraction", "data"),
                fontsize=7,
                ha="right",
                va="bottom",
            )
    axes.set(xlabel="agent-steps", ylabel="Elo (with interval)", title="Elo over training")
    axes.legend(fontsize=8)
    return figure


def learning_figure(frame: pd.DataFrame, *, columns: int = 3) -> Figure:
    """Draws learning curves, one panel a metric.

    Args:
        frame: `metric`, `agent_steps`, `value` and optionally `run`; one line a run.
        columns: panels in a row.

    Returns:
        The figure.
    """
    require(frame, ("metric", "agent_steps", "value"), "the figure of learning curves")
    metrics = list(dict.fromkeys(frame["metric"]))
    columns = min(columns, len(metrics))
    rows = -(-len(metrics) // columns)
    figure, panels = new_figure(4.0 * columns, 2.8 * rows, rows=rows, columns=columns)
    for axes, metric in zip(panels, metrics):
        part = frame[frame["metric"] == metric]
        groups = part.groupby("run", sort=False) if "run" in part.columns else [("", part)]
        for name, curve in groups:
            curve = curve.sort_values("agent_steps")
            axes.plot(curve["agent_steps"], curve["value"], label=str(name))
        axes.set_title(metric, fontsize=9)
        axes.set_xlabel("agent-steps", fontsize=8)
        if "run" in part.columns:
            axes.legend(fontsize=7)
    for axes in panels[len(metrics) :]:
        axes.set_visible(False)
    return figure
