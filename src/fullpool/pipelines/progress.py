"""Says every few seconds how far the running stage has come; long work is never silent."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Literal, Self

from fullpool.datasets import MetricsRow
from fullpool.pipelines.counted import MatchCounter, ended_matches

logger = logging.getLogger(__name__)

PERIOD_S = 10.0
"""Seconds between two lines."""

STEPS = "agent_steps"
"""Beginning of the figure that counts agent-steps; a teacher's group stands behind it."""


@dataclass(frozen=True)
class Goal:
    """What a stage's work amounts to.

    Attributes:
        amount: in all; of matches, those that are still to be played.
        unit: what is counted.
    """

    amount: float
    unit: Literal["agent-steps", "matches"]


class Reporter:
    """Logs a line of progress every period from a thread of its own, between `with` and its end."""

    def __init__(
        self,
        stage: str,
        goal: Goal | None,
        rows: Iterable[Mapping[str, Any]] = (),
        *,
        counter: MatchCounter = ended_matches,
        clock: Callable[[], float] = time.monotonic,
        period_s: float = PERIOD_S,
    ) -> None:
        """Prepares the line.

        Args:
            stage: name of the stage.
            goal: what its work amounts to; None: unknown.
            rows: metrics rows so far, each with `values`.
            counter: counts matches.
            clock: seconds.
            period_s: seconds between two lines.
        """
        self._stage, self._goal, self._counter = stage, goal, counter
        self._clock, self._period_s = clock, period_s
        self._steps: dict[str, float] = {}
        self._elo: dict[str, float] = {}
        for row in rows:
            self._read(row["values"])
        self._note = ""
        self._started, self._first_matches = clock(), counter.ended
        self._first = self._done()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="progress", daemon=True)

    def take(self, rows: Iterable[MetricsRow]) -> None:
        """Takes in a generation's rows."""
        for row in rows:
            self._read(row.values)

    def note(self, text: str) -> None:
        """Sets what is done just now."""
        self._note = text

    def line(self) -> str:
        """Says how far the stage has come."""
        parts = [self._amount(), self._note]
        parts += [f"Elo{group.replace('_', ' ')} {elo:.0f}" for group, elo in self._elo.items()]
        matches = self._counter.ended - self._first_matches
        if matches and not (self._goal and self._goal.unit == "matches"):
            parts.append(f"{matches:,} matches")
        return f"{self._stage}: " + ", ".join(part for part in parts if part)

    def _amount(self) -> str:
        seconds = max(self._clock() - self._started, 1e-9)
        if self._goal is None:
            return f"{seconds:.0f} s"
        done, amount = self._done(), self._goal.amount
        text = f"{done:,.0f} of {amount:,.0f} {self._goal.unit} ({min(done / max(amount, 1), 1):.0%})"
        rate = (done - self._first) / seconds
        if rate <= 0:
            return f"{text}, {seconds:.0f} s"
        return f"{text}, {rate:,.0f}/s, about {_duration((amount - done) / rate)} left"

    def _done(self) -> float:
        if self._goal is not None and self._goal.unit == "matches":
            return float(self._counter.ended - self._first_matches)
        return sum(self._steps.values())

    def _read(self, values: Mapping[str, float]) -> None:
        for name in values:
            if name.startswith(STEPS):
                self._steps[name.removeprefix(STEPS)] = values[name]
        for group in self._steps:
            if f"elo{group}" in values:
                self._elo[group] = values[f"elo{group}"]

    def _run(self) -> None:
        while not self._stop.wait(self._period_s):
            logger.info("%s", self.line())

    def __enter__(self) -> Self:
        _place.reporter = self
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        _place.reporter = None
        self._stop.set()
        self._thread.join()


class _Place:
    reporter: Reporter | None = None


_place = _Place()


def note(text: str) -> None:
    """Tells the running stage's reporter what is done just now; without one it is dropped."""
    if _place.reporter is not None:
        _place.reporter.note(text)


def _duration(seconds: float) -> str:
    seconds = max(seconds, 0.0)
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
