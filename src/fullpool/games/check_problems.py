"""Collects what checks of a game find: one line for each kind of problem, its first example, and how often it came."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TypeVar

from fullpool.games.raised import raised_line

T = TypeVar("T")

_NUMBER = re.compile(r"[-+]?\b\d+(\.\d+)?(e[-+]?\d+)?\b|\b(nan|inf)\b")


@dataclass(frozen=True)
class CheckReport:
    """What a check found.

    Attributes:
        problems: the first example of each kind, one line each; empty when the game keeps the contract.
        counts: how often each kind was found.
        checks: names of the checks that ran.
        agent_steps_per_s: agents' decisions a second with observations, in this process; 0 if a check raised.
    """

    problems: tuple[str, ...]
    counts: tuple[int, ...]
    checks: tuple[str, ...]
    agent_steps_per_s: float

    @property
    def passed(self) -> bool:
        """Whether nothing was found."""
        return not self.problems

    @property
    def lines(self) -> tuple[str, ...]:
        """The problems with their counts, as they are printed."""
        return tuple(
            line + (f" (and {count - 1:,} more like it)" if count > 1 else "")
            for line, count in zip(self.problems, self.counts, strict=True)
        )


class Broken(Exception):
    """A game breaks the form of a call, so that a check cannot go on; the text is the problem."""


class Problems:
    """Problems by kind: two lines are of one kind if they differ in numbers and agents' names only."""

    def __init__(self, agents: Iterable[str] = ()) -> None:
        """Starts without problems.

        Args:
            agents: names of agents, as they stand in quotes in the lines.
        """
        quoted = "|".join(re.escape(repr(agent)) for agent in agents)
        self._agents = re.compile(f"(?:{quoted})(?:, (?:{quoted}))*") if quoted else None
        self._found: dict[str, tuple[str, int]] = {}
        self._raised: dict[str, list[str]] = {}

    @property
    def raised(self) -> bool:
        """Whether a check could not be played to its end."""
        return bool(self._raised)

    def add(self, line: str) -> None:
        """Takes in a problem."""
        kind = _NUMBER.sub("#", self._agents.sub("#", line) if self._agents else line)
        first, count = self._found.get(kind, (line, 0))
        self._found[kind] = first, count + 1

    def run(self, name: str, check: Callable[[], Iterator[str]]) -> None:
        """Runs a check and takes in what it finds.

        Args:
            name: of the check.
            check: yields problems.
        """

        def take() -> None:
            for line in check():
                self.add(line)

        self.attempt(name, take)

    def attempt(self, name: str, work: Callable[[], T]) -> T | None:
        """Does a part of a check; what the game raises is a problem.

        Args:
            name: of the check.
            work: may raise.

        Returns:
            What the work returned; None if it raised.
        """
        try:
            return work()
        except Broken as error:
            self._raised.setdefault(str(error), []).append(name)
        except (Exception, SystemExit) as error:
            self._raised.setdefault(raised_line(error), []).append(name)
        return None

    def report(self, checks: Iterable[str], speed: float) -> CheckReport:
        """Puts everything together; an exception that stopped several checks is one line that names them.

        Args:
            checks: names of all checks that ran.
            speed: agents' decisions a second.
        """
        found = [*self._found.values()]
        found += [(f"{', '.join(names)}: {text}", 1) for text, names in self._raised.items()]
        problems, counts = zip(*found, strict=True) if found else ((), ())
        return CheckReport(tuple(problems), tuple(counts), tuple(checks), 0.0 if self.raised else speed)
