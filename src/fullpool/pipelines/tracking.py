"""What a node tells the tracker: metrics, figures, artifacts and tags, without knowing what a tracker is.

A hook puts a stage's tracker in place before each node; without one, everything is dropped. Metrics of a
generation are logged by that hook when the generation is on disk, from its rows; nodes log figures and artifacts.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from fullpool.pipelines.stopping import shielded

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from mlflow import MlflowClient

PERIOD_S = 2.0
"""Seconds between two writes of buffered metrics."""

MAX_BATCH = 1_000
"""Metrics that MLflow takes in one call."""

_METRIC = re.compile(r"[A-Za-z0-9_.\- ]+")


class Tracker(Protocol):
    """Where a stage's figures go."""

    def metrics(self, values: Mapping[str, float], step: int) -> None:
        """Logs figures by name at a step; they appear as `stage/name`."""

    def figure(self, name: str, figure: Figure) -> None:
        """Keeps a matplotlib figure as `stage/name.png`."""

    def artifact(self, path: Path, name: str = "") -> None:
        """Keeps a file below `stage/`, a folder as `stage/name`; empty: its own name."""

    def tags(self, values: Mapping[str, str]) -> None:
        """Sets tags of the whole run."""

    def catch_up(self, rows: Iterable[Mapping[str, Any]]) -> int:
        """Logs those figures of a stage's committed rows that the run does not have; says how many."""

    def flush(self) -> None:
        """Writes what is still buffered."""


class NullTracker:
    """Drops everything."""

    def metrics(self, values: Mapping[str, float], step: int) -> None:
        """Drops figures."""

    def figure(self, name: str, figure: Figure) -> None:
        """Drops a figure."""

    def artifact(self, path: Path, name: str = "") -> None:
        """Drops an artifact."""

    def tags(self, values: Mapping[str, str]) -> None:
        """Drops tags."""

    def catch_up(self, rows: Iterable[Mapping[str, Any]]) -> int:
        """Drops rows."""
        return 0

    def flush(self) -> None:
        """Has nothing to write."""


class MlflowTracker:
    """Writes a stage's figures to one MLflow run, metrics in batches."""

    def __init__(
        self, client: MlflowClient, run_id: str, stage: str, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._client, self._run_id, self._stage, self._clock = client, run_id, stage, clock
        self._buffer: list[Any] = []
        self._written_at = clock()

    def metrics(self, values: Mapping[str, float], step: int) -> None:
        """Buffers figures; writes them once `PERIOD_S` has passed since the last write."""
        self._add(values, step, time.time())
        if self._clock() - self._written_at >= PERIOD_S:
            self.flush()

    def figure(self, name: str, figure: Figure) -> None:
        """Logs a figure as a picture."""
        self._client.log_figure(self._run_id, figure, f"{self._stage}/{name}.png")

    def artifact(self, path: Path, name: str = "") -> None:
        """Logs a file, or a folder under its name or the one given."""
        if path.is_dir():
            self._client.log_artifacts(self._run_id, str(path), f"{self._stage}/{name or path.name}")
        else:
            self._client.log_artifact(self._run_id, str(path), self._stage)

    def tags(self, values: Mapping[str, str]) -> None:
        """Sets tags of the run."""
        for name, value in values.items():
            self._client.set_tag(self._run_id, name, value)

    def flush(self) -> None:
        """Writes the buffer; a signal waits until it is written, lest a step be written twice."""
        with shielded():
            while self._buffer:
                self._client.log_batch(self._run_id, metrics=self._buffer[:MAX_BATCH])
                del self._buffer[:MAX_BATCH]
            self._written_at = self._clock()

    def catch_up(self, rows: Iterable[Mapping[str, Any]]) -> int:
        """Logs the rows of a stage that the run does not have, after a crash or in a new run.

        Args:
            rows: a stage's committed rows, each with `step`, `time` and `values`.

        Returns:
            Number of figures that were missing.
        """
        rows = list(rows)
        names = {name for row in rows for name in row["values"]}
        logged = {name: self._logged_steps(name) for name in names}
        missing = 0
        for row in rows:
            values = {n: v for n, v in row["values"].items() if row["step"] not in logged[n]}
            self._add(values, row["step"], row["time"])
            missing += len(values)
        self.flush()
        return missing

    def _logged_steps(self, name: str) -> set[int]:
        return {
            metric.step for metric in self._client.get_metric_history(self._run_id, f"{self._stage}/{name}")
        }

    def _add(self, values: Mapping[str, float], step: int, at: float) -> None:
        from mlflow.entities import Metric

        for name, value in values.items():
            if not _METRIC.fullmatch(name):
                raise ValueError(
                    f"a metric's name has letters, digits, '_', '-', '.' and spaces, got {name!r} "
                    f"(stage {self._stage}); groups and heroes go behind it, as in elo_g1"
                )
            self._buffer.append(Metric(f"{self._stage}/{name}", float(value), int(at * 1000), int(step)))


class _Place:
    tracker: Tracker = NullTracker()


_place = _Place()


def current() -> Tracker:
    """The tracker of the stage that runs now."""
    return _place.tracker


def put(tracker: Tracker | None) -> None:
    """Puts a tracker in place, after the last one has written its rest; None puts the one that drops everything."""
    previous, _place.tracker = _place.tracker, tracker or NullTracker()
    previous.flush()
