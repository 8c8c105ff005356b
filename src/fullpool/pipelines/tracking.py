"""What a node tells the tracker: metrics, figures, artifacts and tags, without knowing what a tracker is.

A hook puts a stage's tracker in place before each node; without one, everything is dropped. Metrics of a
generation are logged by that hook when the generation is on disk, from its rows; nodes log figures and artifacts.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from mlflow import MlflowClient
    from mlflow.entities import Metric

    from fullpool.pipelines.outbox import Outbox

_METRIC = re.compile(r"[A-Za-z0-9_.\- ]+")


class Tracker(Protocol):
    """Where a stage's figures go."""

    def start(self) -> None:
        """Says that the stage has work to do; what is only looked at leaves no trace."""

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

    def start(self) -> None:
        """Has nothing to open."""

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
    """Writes a stage's figures to a campaign's MLflow run."""

    def __init__(self, outbox: Outbox, stage: str) -> None:
        self._outbox, self._stage = outbox, stage

    def start(self) -> None:
        """Opens the run."""
        self._outbox.open()

    def metrics(self, values: Mapping[str, float], step: int) -> None:
        """Hands figures to the outbox."""
        self._outbox.metrics(self._made(values, step, time.time()))

    def figure(self, name: str, figure: Figure) -> None:
        """Logs a figure as a picture."""
        place = f"{self._stage}/{name}.png"
        self._outbox.call(lambda client, run_id: client.log_figure(run_id, figure, place))

    def artifact(self, path: Path, name: str = "") -> None:
        """Logs a file, or a folder under its name or the one given."""

        def log(client: MlflowClient, run_id: str) -> None:
            if path.is_dir():
                client.log_artifacts(run_id, str(path), f"{self._stage}/{name or path.name}")
            else:
                client.log_artifact(run_id, str(path), self._stage)

        self._outbox.call(log)

    def tags(self, values: Mapping[str, str]) -> None:
        """Sets tags of the run."""
        for name, value in values.items():
            self._outbox.call(partial(_set_tag, name=name, value=value))

    def flush(self) -> None:
        """Writes what waits."""
        self._outbox.flush()

    def catch_up(self, rows: Iterable[Mapping[str, Any]]) -> int:
        """Logs the rows of a stage that the run does not have, after a crash or in a new run.

        Args:
            rows: a stage's committed rows, each with `step`, `time` and `values`.

        Returns:
            Number of figures that were missing; 0 if MLflow cannot say.
        """
        rows = list(rows)
        names = {name for row in rows for name in row["values"]}
        logged = self._outbox.logged_steps(f"{self._stage}/{name}" for name in names)
        if logged is None:
            return 0
        missing: list[Any] = []
        for row in rows:
            there = {n for n in row["values"] if row["step"] in logged[f"{self._stage}/{n}"]}
            values = {n: v for n, v in row["values"].items() if n not in there}
            missing += self._made(values, row["step"], row["time"])
        self._outbox.metrics(missing)
        self.flush()
        return len(missing)

    def _made(self, values: Mapping[str, float], step: int, at: float) -> list[Metric]:
        from mlflow.entities import Metric

        for name in values:
            if not _METRIC.fullmatch(name):
                raise ValueError(
                    f"a metric's name has letters, digits, '_', '-', '.' and spaces, got {name!r} "
                    f"(stage {self._stage}); groups and heroes go behind it, as in elo_g1"
                )
        return [
            Metric(f"{self._stage}/{name}", float(value), int(at * 1000), int(step))
            for name, value in values.items()
        ]


def _set_tag(client: MlflowClient, run_id: str, *, name: str, value: str) -> None:
    client.set_tag(run_id, name, value)


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
