"""Training of the predictor and the value network as a stage: epochs in, generations out."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

from fullpool.curriculum.metrics import MetricsRow
from fullpool.datasets import Generation
from fullpool.drafting.files import load_folder, save_folder
from fullpool.drafting.fit import FitMetrics, FitState
from fullpool.pipelines.progress import note
from fullpool.pipelines.stages import Result

T = TypeVar("T")
SaveFn = Callable[[Path], None]
Finish = Callable[[T], tuple[SaveFn, dict[str, float]]]
"""Takes the trained network; gives what writes it with all that follows from it, and figures."""

KIND, FORMAT_VERSION, FOLDER = "fit_state", 1, "state"

SAVE_PERIOD_S = 5.0
"""Seconds of training between two saves; how often it is saved changes nothing in its result."""


def save_state(folder: Path, state: FitState) -> None:
    """Writes everything that the next epoch depends on into a generation's folder."""
    facts = {
        "kind": KIND,
        "format_version": FORMAT_VERSION,
        "metrics": state.metrics._asdict(),
        "bad_epochs": state.bad_epochs,
        "finished": state.finished,
    }
    save_folder(folder / FOLDER, state.arrays, facts)


def load_state(folder: Path) -> FitState:
    """Reads what `save_state` wrote.

    Raises:
        ValueError: if it is missing or damaged.
    """
    arrays, facts = load_folder(folder / FOLDER, KIND, FORMAT_VERSION)
    return FitState(FitMetrics(**facts["metrics"]), int(facts["bad_epochs"]), bool(facts["finished"]), arrays)


def generations(
    epochs: Iterator[tuple[FitMetrics, FitState, T | None]],
    part: str,
    finish: Finish[T],
    *,
    prefix: str = "",
    clock: Callable[[], float] = time.monotonic,
) -> Iterator[Generation]:
    """Turns epochs into generations: one now and then, and one for the end.

    Args:
        epochs: metrics and state of each; the last comes with the network.
        part: part of the stage.
        finish: what is made of the network.
        prefix: before the figures' names.
        clock: seconds.

    Yields:
        Generations, numbered by their last epoch.
    """
    rows: list[MetricsRow] = []
    saved_at = clock()
    for metrics, state, network in epochs:
        note(f"{part}: epoch {metrics.epoch}, validation loss {metrics.valid_loss:.4f}")
        losses = {
            "train_loss": metrics.train_loss,
            "valid_loss": metrics.valid_loss,
            "best_loss": metrics.best_loss,
        }
        values = {f"{prefix}{name}": loss for name, loss in losses.items()}
        if network is not None:
            save, figures = finish(network)
            if figures:
                # They have no curve: at step 0 MLflow draws bars that compare runs.
                rows.append(MetricsRow(0, figures))
            rows.append(MetricsRow(metrics.epoch, values))
            yield Result(save, tuple(rows), part, metrics.epoch)
            return
        rows.append(MetricsRow(metrics.epoch, values))
        if clock() - saved_at >= SAVE_PERIOD_S:
            yield _under_way(state, tuple(rows), part)
            rows, saved_at = [], clock()


def _under_way(state: FitState, rows: tuple[MetricsRow, ...], part: str) -> Generation:
    return Result(lambda folder: save_state(folder, state), rows, part, state.metrics.epoch)
