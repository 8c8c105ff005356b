"""Says at a stage's start what it will do, every few seconds how far it is, and at its end how long it took."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType, TracebackType
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

    def text(self, done: float) -> str:
        """Says what is to be done.

        Args:
            done: what an earlier start has done of it; matches are counted from this one.
        """
        before = f", {done:,.0f} of them done before" if done else ""
        if self.unit == "matches":
            return f"{self.amount:,.0f} matches{before}"
        return f"at most {self.amount:,.0f} agent-steps, fewer if it converges{before}"


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
        self._title = _place.title(stage)
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

    def opening(self, task: str = "") -> str:
        """Says what the stage will do.

        Args:
            task: what it is; empty: its goal says enough.
        """
        amount = "" if self._goal is None else self._goal.text(self._first)
        return f"{self._title}: " + ", ".join(part for part in (task, amount, self._share()) if part)

    def closing(self) -> str:
        """Says that the stage is at its end, and how long it took in this process."""
        return f"{self._title}: done in {duration(self._clock() - self._started)}"

    def line(self) -> str:
        """Says how far the stage has come."""
        parts = [self._amount(), self._note]
        parts += [f"Elo{group.replace('_', ' ')} {elo:.0f}" for group, elo in self._elo.items()]
        matches = self._counter.ended - self._first_matches
        if matches and not (self._goal and self._goal.unit == "matches"):
            parts.append(f"{matches:,} matches")
        parts.append(self._share())
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
        return f"{text}, {rate:,.0f}/s, about {duration((amount - done) / rate)} left"

    def _share(self) -> str:
        """How far the training of the whole run is; phases that converged early count as a whole."""
        budgets = _place.budgets
        if len(budgets) < 2 or self._stage not in budgets:
            return ""
        names = list(budgets)
        before = sum(budgets[name] for name in names[: names.index(self._stage)])
        done = before + min(self._done(), budgets[self._stage])
        return f"{done / sum(budgets.values()):.0%} of the run's training done"

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
    stages: tuple[str, ...] = ()
    budgets: Mapping[str, float] = MappingProxyType({})

    def title(self, stage: str) -> str:
        """Name of the stage, with its place among those of the run."""
        if len(self.stages) < 2 or stage not in self.stages:
            return stage
        return f"stage {self.stages.index(stage) + 1} of {len(self.stages)}, {stage}"


_place = _Place()


def plan(stages: Sequence[str], budgets: Mapping[str, float] = _place.budgets) -> None:
    """Takes what will run, to say how far the run is.

    Args:
        stages: in their order; none: it is not known.
        budgets: agent-steps of those that train.
    """
    _place.stages = tuple(dict.fromkeys(stages))
    _place.budgets = {stage: budgets[stage] for stage in _place.stages if stage in budgets}


def title(stage: str) -> str:
    """Name of a stage, with its place among those of the run."""
    return _place.title(stage)


def note(text: str) -> None:
    """Tells the running stage's reporter what is done just now; without one it is dropped."""
    if _place.reporter is not None:
        _place.reporter.note(text)


def duration(seconds: float) -> str:
    """Says a time as people do."""
    seconds = max(seconds, 0.0)
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
