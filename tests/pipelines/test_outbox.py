"""What waits to be written: batches, and a database that fails for a while."""

from __future__ import annotations

import logging
import os
import signal
from typing import Any

import pytest
from mlflow.entities import Metric
from mlflow.exceptions import MlflowException

from fullpool.pipelines.database import TrackingError
from fullpool.pipelines.outbox import MAX_BATCH, PERIOD_S, RETRY_S, Outbox
from fullpool.pipelines.stopping import SignalGuard, StopRequested


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


class FlakyRun:
    """A run, its client, and a database that can be taken away."""

    run_id = "run"

    def __init__(self) -> None:
        self.client = self
        self.is_away = False
        self.tries = 0
        self.batches: list[list[Any]] = []
        self.files: list[str] = []

    def open(self) -> str:
        self._touch()
        return self.run_id

    def log_batch(self, run_id: str, metrics: list[Any]) -> None:
        self._touch()
        self.batches.append(list(metrics))

    def get_metric_history(self, run_id: str, name: str) -> list[Any]:
        self._touch()
        return [metric for batch in self.batches for metric in batch if metric.key == name]

    def log_artifact(self, run_id: str, path: str) -> None:
        self._touch()
        self.files.append(path)

    def _touch(self) -> None:
        self.tries += 1
        if self.is_away:
            raise MlflowException("(sqlite3.OperationalError) database is locked")


@pytest.fixture
def run() -> FlakyRun:
    return FlakyRun()


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def outbox(run: FlakyRun, clock: Clock) -> Outbox:
    flaky: Any = run
    return Outbox(flaky, "sqlite:////somewhere/mlflow.db", clock=clock)


def metrics(*steps: int) -> list[Metric]:
    return [Metric("walk/position", float(step), 0, step) for step in steps]


def warnings(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING]


def test_a_flush_keeps_to_the_size_of_a_batch(outbox: Outbox, run: FlakyRun) -> None:
    outbox.metrics(metrics(*range(MAX_BATCH + 5)))
    outbox.flush()
    assert [len(batch) for batch in run.batches] == [MAX_BATCH, 5]


def test_what_cannot_be_written_waits_and_is_told_once(
    outbox: Outbox, run: FlakyRun, clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    run.is_away = True
    for step in range(5):
        clock.now += PERIOD_S
        outbox.metrics(metrics(step))
        outbox.call(lambda client, run_id, step=step: client.log_artifact(run_id, f"{step}.png"))  # type: ignore[misc]
    assert run.tries == 1
    assert len(warnings(caplog)) == 1
    assert warnings(caplog)[0].endswith(
        "/somewhere/mlflow.db cannot be used ((sqlite3.OperationalError) database is locked); the work goes on, "
        "and figures wait to be written"
    )

    run.is_away = False
    clock.now += RETRY_S
    outbox.metrics(metrics(5))
    assert [metric.step for batch in run.batches for metric in batch] == list(range(6))
    assert run.files == [f"{step}.png" for step in range(5)]
    outbox.close()
    assert len(warnings(caplog)) == 1


def test_what_is_left_at_the_end_is_counted(
    outbox: Outbox, run: FlakyRun, caplog: pytest.LogCaptureFixture
) -> None:
    run.is_away = True
    outbox.metrics(metrics(0, 1, 2))
    outbox.close()
    assert warnings(caplog)[1:] == ["MLflow lacks 3 figures; the next start of the campaign writes them"]


def test_what_cannot_be_read_is_not_taken_for_absent(
    outbox: Outbox, run: FlakyRun, caplog: pytest.LogCaptureFixture
) -> None:
    outbox.metrics(metrics(3))
    outbox.flush()
    assert outbox.logged_steps(["walk/position"]) == {"walk/position": {3}}
    run.is_away = True
    assert outbox.logged_steps(["walk/position"]) is None
    assert len(warnings(caplog)) == 1


def test_a_run_that_cannot_be_opened_before_any_work_is_one_line(outbox: Outbox, run: FlakyRun) -> None:
    run.is_away = True
    with pytest.raises(TrackingError, match="what was trained is not touched"):
        outbox.open()


def test_a_stop_that_mlflow_wrapped_is_no_trouble_of_the_database(outbox: Outbox) -> None:
    def stopped(client: object, run_id: str) -> None:
        raise MlflowException("stopped") from StopRequested("stopped by SIGTERM")

    with pytest.raises(MlflowException, match="stopped"):
        outbox.call(stopped)


def test_a_signal_during_a_batch_waits_for_it(
    outbox: Outbox, run: FlakyRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    def log_batch(run_id: str, metrics: list[Any]) -> None:
        os.kill(os.getpid(), signal.SIGTERM)
        run.batches.append(metrics)

    monkeypatch.setattr(run, "log_batch", log_batch)
    guard = SignalGuard()
    guard.install()
    try:
        outbox.metrics(metrics(0))
        with pytest.raises(StopRequested):
            outbox.flush()
    finally:
        guard.remove()
    outbox.flush()
    assert [len(batch) for batch in run.batches] == [1]
