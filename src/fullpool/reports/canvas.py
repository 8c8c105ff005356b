"""What all figures share: an Agg canvas without global state, and the check of a frame's columns."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure


def new_figure(width: float, height: float, rows: int = 1, columns: int = 1) -> tuple[Figure, list[Axes]]:
    """Makes a figure with a grid of axes, row by row.

    Args:
        width: inches.
        height: inches.
        rows: rows of axes.
        columns: columns of axes.

    Returns:
        The figure and its axes.
    """
    figure = Figure(figsize=(width, height), dpi=120, layout="constrained")
    FigureCanvasAgg(figure)
    grid = figure.subplots(rows, columns, squeeze=False)
    return figure, list(grid.reshape(-1))


def require(frame: pd.DataFrame, columns: tuple[str, ...], figure: str) -> None:
    """Refuses a frame that a figure cannot be drawn from.

    Raises:
        ValueError: naming the missing column, or if there are no rows.
    """
    missing = [name for name in columns if name not in frame.columns]
    if missing:
        raise ValueError(f"{figure} needs columns {list(columns)}; missing: {missing}")
    if len(frame) == 0:
        raise ValueError(f"{figure} needs at least one row, got an empty frame")


def heat_map(axes: Axes, values: Any, rows: list[str], columns: list[str], notes: Any | None = None) -> None:
    """Draws a matrix of win rates with its numbers: red loses, blue wins, missing ones stay empty.

    Args:
        axes: where to draw.
        values: `[rows, columns]` shares in [0, 1] or NaN.
        rows: labels.
        columns: labels.
        notes: `[rows, columns]` text under each number; None: none.
    """
    values = np.asarray(values, np.float64)
    axes.imshow(np.ma.masked_invalid(values), aspect="auto", vmin=0.0, vmax=1.0, cmap="RdBu")
    axes.set_xticks(range(len(columns)), columns, rotation=40, ha="right", fontsize=8)
    axes.set_yticks(range(len(rows)), rows, fontsize=8)
    for row, column in zip(*np.nonzero(np.isfinite(values))):
        share = values[row, column]
        text = f"{share:.2f}" if notes is None else f"{share:.2f}\n{notes[row, column]}"
        colour = "white" if abs(share - 0.5) > 0.3 else "black"
        axes.text(column, row, text, ha="center", va="center", fontsize=7, color=colour)
