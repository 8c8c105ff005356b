"""Figures of the drafting stages: calibration, draft tournament, win rate by hero."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from fullpool.reports.canvas import heat_map, new_figure, require


def calibration_figure(frame: pd.DataFrame) -> Figure:
    """Draws observed against forecast win rate, one line a model.

    Args:
        frame: `model`, `forecast`, `observed`, `count`: bins of the forecasts; see `baselines.reliability_table`.

    Returns:
        The figure; below the lines, how many forecasts fall where.
    """
    require(frame, ("model", "forecast", "observed", "count"), "the calibration figure")
    figure, (upper, lower) = new_figure(5.5, 6.5, rows=2)
    upper.plot([0, 1], [0, 1], color="grey", linewidth=0.8, linestyle="--", label="perfect")
    for model, bins in frame[frame["count"] > 0].groupby("model", sort=False):
        share, count = bins["observed"], bins["count"]
        errors = np.sqrt(np.maximum(share * (1 - share), 1e-9) / count)
        upper.errorbar(
            bins["forecast"], share, yerr=errors, marker="o", markersize=3, capsize=2, label=str(model)
        )
        lower.plot(bins["forecast"], count, marker="o", markersize=3, label=str(model))
    upper.set(
        xlabel="forecast win rate", ylabel="observed win rate (± 1 standard error)", title="Calibration"
    )
    lower.set(xlabel="forecast win rate", ylabel="matches")
    upper.legend(fontsize=8)
    return figure


def tournament_figure(frame: pd.DataFrame) -> Figure:
    """Draws win rates of every draft strategy against every other, by the predictor and, if played, by games.

    Args:
        frame: `strategy`, `opponent`, `predicted`, `predicted_low`, `predicted_high` and the same of `played`;
            see `tournament.result_table`.

    Returns:
        The figure; rows win against columns.
    """
    require(frame, ("strategy", "opponent", "predicted", "played"), "the draft tournament figure")
    kinds = ["predicted"] + (["played"] if frame["played"].notna().any() else [])
    names = list(dict.fromkeys(frame["strategy"]))
    figure, panels = new_figure(1.2 + 4.6 * len(kinds), 4.2, columns=len(kinds))
    for axes, kind in zip(panels, kinds):
        values = np.full((len(names), len(names)), np.nan)
        notes = np.full(values.shape, "", dtype=object)
        for row in frame.to_dict("records"):
            place = names.index(row["strategy"]), names.index(row["opponent"])
            values[place] = row[kind]
            notes[place] = f"{row[f'{kind}_low']:.2f} to {row[f'{kind}_high']:.2f}"
        heat_map(axes, values, names, names, notes)
        axes.set(title=f"Win rate of the row, {kind}", xlabel="opponent")
    return figure


def hero_figure(frame: pd.DataFrame) -> Figure:
    """Draws win rates by hero with their intervals, best first.

    Args:
        frame: `hero`, `win_rate`, `low`, `high`.

    Returns:
        The figure.
    """
    require(frame, ("hero", "win_rate", "low", "high"), "the figure of heroes")
    ordered = frame.sort_values("win_rate")
    figure, (axes,) = new_figure(6.0, 1.2 + 0.19 * len(ordered))
    places = np.arange(len(ordered))
    errors = [ordered["win_rate"] - ordered["low"], ordered["high"] - ordered["win_rate"]]
    axes.errorbar(ordered["win_rate"], places, xerr=errors, fmt="o", markersize=3, capsize=2)
    axes.axvline(0.5, color="grey", linewidth=0.8, linestyle="--")
    axes.set_yticks(places, list(ordered["hero"]), fontsize=7)
    axes.set(xlabel="win rate", title="Win rate by hero", ylim=(-1, len(ordered)))
    return figure
