from __future__ import annotations

import io

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from fullpool.reports.drafting import calibration_figure, hero_figure, tournament_figure
from fullpool.reports.league import elo_figure, learning_figure, payoff_figure


def _size(figure: Figure) -> int:
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png")
    return len(buffer.getvalue())


def test_calibration_draws_a_line_a_model_and_skips_empty_bins() -> None:
    frame = pd.DataFrame(
        {
            "model": ["a", "a", "b"],
            "forecast": [0.2, 0.8, 0.5],
            "observed": [0.3, 0.7, 0.0],
            "count": [10, 20, 0],
        }
    )
    figure = calibration_figure(frame)
    labels = [text.get_text() for text in figure.axes[0].get_legend().get_texts()]  # type: ignore[union-attr]
    assert labels == ["perfect", "a"]
    assert _size(figure) > 1000


def test_tournament_shows_both_judges_only_when_games_were_played() -> None:
    rows = [("x", "y", 0.7, 0.6, 0.8, 0.6, 0.5, 0.7), ("y", "x", 0.3, 0.2, 0.4, 0.4, 0.3, 0.5)]
    names = [
        "strategy",
        "opponent",
        "predicted",
        "predicted_low",
        "predicted_high",
        "played",
        "played_low",
        "played_high",
    ]
    frame = pd.DataFrame(rows, columns=names)
    figure = tournament_figure(frame)
    assert len(figure.axes) == 2
    assert "0.70\n0.60 to 0.80" in [text.get_text() for text in figure.axes[0].texts]
    without = frame.assign(played=np.nan)
    assert len(tournament_figure(without).axes) == 1
    assert _size(figure) > 1000


def test_heroes_are_ordered_by_win_rate() -> None:
    frame = pd.DataFrame({"hero": ["a", "b"], "win_rate": [0.6, 0.4], "low": [0.5, 0.3], "high": [0.7, 0.5]})
    figure = hero_figure(frame)
    assert [label.get_text() for label in figure.axes[0].get_yticklabels()] == ["b", "a"]
    assert _size(figure) > 1000


def test_payoff_leaves_pairs_that_never_met_empty() -> None:
    frame = pd.DataFrame([[np.nan, 0.9], [0.1, np.nan]], index=["a", "b"], columns=["a", "b"])
    figure = payoff_figure(frame)
    assert sorted(text.get_text() for text in figure.axes[0].texts) == ["0.10", "0.90"]
    assert _size(figure) > 1000
    with pytest.raises(ValueError, match="same agents"):
        payoff_figure(frame.iloc[:1])


def test_elo_draws_a_curve_a_phase_and_the_anchors() -> None:
    frame = pd.DataFrame(
        {"phase": ["1", "1", "3"], "agent_steps": [0, 10, 20], "rating": [0, 50, 90], "low": [-5, 40, 80],
         "high": [5, 60, 99]}
    )  # fmt: skip
    figure = elo_figure(frame, pd.DataFrame({"name": ["laner"], "rating": [70.0]}))
    assert [text.get_text() for text in figure.axes[0].texts] == ["laner"]
    assert len(figure.axes[0].collections) == 2
    assert _size(figure) > 1000


def test_learning_curves_have_a_panel_a_metric_and_a_line_a_run() -> None:
    frame = pd.DataFrame(
        {"metric": ["loss"] * 4 + ["entropy"], "agent_steps": [0, 1, 0, 1, 0], "value": [1.0, 0.5, 2.0, 1.0, 3.0],
         "run": ["a", "a", "b", "b", "a"]}
    )  # fmt: skip
    figure = learning_figure(frame, columns=3)
    assert [axes.get_title() for axes in figure.axes] == ["loss", "entropy"]
    assert [len(axes.lines) for axes in figure.axes] == [2, 1]
    assert _size(figure) > 1000
    assert len(learning_figure(frame.drop(columns="run"), columns=1).axes[0].lines) == 1


def test_frames_without_their_columns_or_rows_are_refused() -> None:
    with pytest.raises(ValueError, match=r"missing: \['low'\]"):
        hero_figure(pd.DataFrame({"hero": ["a"], "win_rate": [0.5], "high": [0.6]}))
    with pytest.raises(ValueError, match="at least one row"):
        learning_figure(pd.DataFrame({"metric": [], "agent_steps": [], "value": []}))
