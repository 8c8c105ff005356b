"""The tracker: names, catching up, and whose figures are written when."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from fullpool.pipelines import tracking
from fullpool.pipelines.outbox import PERIOD_S, Outbox
from fullpool.pipelines.tracking import MlflowTracker, NullTracker


@dataclass
class Tape:
    """Records what a client is asked to do."""

    batches: list[list[Any]] = field(default_factory=list)
    calls: list[tuple[Any, ...]] = field(default_factory=list)

    def log_batch(self, run_id: str, metrics: list[Any]) -> None:
        self.batches.append(list(metrics))

    def get_metric_history(self, run_id: str, key: str) -> list[Any]:
        return [metric for batch in self.batches for metric in batch if metric.key == key]

    def __getattr__(self, name: str) -> Any:
        return lambda *arguments: self.calls.append((name, *arguments))


class TapedRun:
    """A run that was found, but not opened."""

    def __init__(self, tape: Tape) -> None:
        self.client, self.run_id, self.times_opened = tape, "run", 0

    def open(self) -> str:
        self.times_opened += 1
        return self.run_id


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def tape() -> Tape:
    return Tape()


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def taped_run(tape: Tape) -> TapedRun:
    return TapedRun(tape)


@pytest.fixture
def tracker(taped_run: TapedRun, clock: Clock) -> MlflowTracker:
    run: Any = taped_run
    return MlflowTracker(Outbox(run, "sqlite:///mlflow.db", clock=clock), "teachers")


def test_metrics_wait_for_the_period_and_carry_the_stage(
    tracker: MlflowTracker, tape: Tape, clock: Clock
) -> None:
    tracker.metrics({"elo": 1.0}, 10)
    clock.now = PERIOD_S / 2
    tracker.metrics({"elo_g1": 2.0}, 20)
    assert tape.batches == []
    clock.now = PERIOD_S
    tracker.metrics({"elo": 3.0}, 30)
    assert [(m.key, m.value, m.step) for m in tape.batches[0]] == [
        ("teachers/elo", 1.0, 10),
        ("teachers/elo_g1", 2.0, 20),
        ("teachers/elo", 3.0, 30),
    ]
    tracker.flush()
    assert len(tape.batches) == 1


@pytest.mark.parametrize("name", ["a/b", "", "über", "a\nb"])
def test_a_metric_has_exactly_one_slash(tracker: MlflowTracker, name: str) -> None:
    with pytest.raises(ValueError, match="metric's name"):
        tracker.metrics({name: 1.0}, 1)


def test_catching_up_logs_each_step_once(tracker: MlflowTracker, tape: Tape) -> None:
    rows: list[dict[str, Any]] = [
        {"step": s, "time": 100.0 + s, "values": {"elo": s, "loss": -s}} for s in range(4)
    ]
    tracker.metrics(rows[0]["values"], 0)
    tracker.metrics({"elo": 1}, 1)
    tracker.flush()
    assert tracker.catch_up(rows) == 5
    assert tracker.catch_up(rows) == 0
    logged = [(m.key, m.step) for batch in tape.batches for m in batch]
    assert len(logged) == len(set(logged)) == 8
    assert tape.batches[-1][-1].timestamp == 103_000


def test_artifacts_lie_below_the_stage(tracker: MlflowTracker, tape: Tape, tmp_path: Path) -> None:
    (tmp_path / "table.json").touch()
    figure: Any = object()
    tracker.figure("payoff", figure)
    tracker.artifact(tmp_path / "table.json")
    tracker.artifact(tmp_path)
    tracker.tags({"preset": "blitz"})
    assert tape.calls == [
        ("log_figure", "run", figure, "teachers/payoff.png"),
        ("log_artifact", "run", str(tmp_path / "table.json"), "teachers"),
        ("log_artifacts", "run", str(tmp_path), f"teachers/{tmp_path.name}"),
        ("set_tag", "run", "preset", "blitz"),
    ]


def test_a_run_is_opened_by_work_and_not_by_a_look(
    tracker: MlflowTracker, taped_run: TapedRun, tape: Tape
) -> None:
    rows: list[dict[str, Any]] = [{"step": 1, "time": 100.0, "values": {"elo": 1.0}}]
    assert tracker.catch_up([]) == 0
    tracker.flush()
    assert taped_run.times_opened == 0
    assert tracker.catch_up(rows) == 1
    assert taped_run.times_opened == 1
    assert tracker.catch_up(rows) == 0
    assert taped_run.times_opened == 1
    tracker.start()
    assert taped_run.times_opened == 2


@pytest.fixture
def no_tracker() -> Iterator[None]:
    yield
    tracking.put(None)


@pytest.mark.usefixtures("no_tracker")
def test_the_next_tracker_makes_the_last_one_write(tracker: MlflowTracker, tape: Tape) -> None:
    assert isinstance(tracking.current(), NullTracker)
    tracking.put(tracker)
    tracking.current().metrics({"elo": 1.0}, 1)
    assert tape.batches == []
    tracking.put(None)
    assert len(tape.batches) == 1
    tracking.current().metrics({"elo": 2.0}, 2)
    assert len(tape.batches) == 1
