"""A bounded set of past snapshots that a learner can meet again."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Generic, TypeVar

PolicyT = TypeVar("PolicyT")


class Population(Generic[PolicyT]):
    """Past snapshots by name, with how they fare against the learner.

    When full, the snapshot whose neighbours in age lie closest together leaves, so that the ages stay spread
    out from the first to the latest. A snapshot that left stays loaded while a match against it is under way.
    """

    def __init__(self, capacity: int, payoff_memory: int) -> None:
        """Starts empty.

        Args:
            capacity: snapshots that can be drawn at most.
            payoff_memory: games after which older results fade.
        """
        if capacity < 1:
            raise ValueError(f"a population needs room for at least one snapshot, got capacity {capacity}")
        self._capacity = capacity
        self._memory = float(payoff_memory)
        self._ages: dict[str, int] = {}
        self._results: dict[str, list[float]] = {}
        self._policies: dict[str, PolicyT] = {}

    @property
    def names(self) -> tuple[str, ...]:
        """Snapshots that can be drawn, oldest first."""
        return tuple(self._ages)

    @property
    def policies(self) -> dict[str, PolicyT]:
        """All loaded snapshots, those included that left but may still be playing."""
        return self._policies

    def add(self, name: str, policy: PolicyT, age: int) -> None:
        """Takes in a snapshot and lets one go if there are too many.

        Args:
            name: unique name.
            policy: its frozen policy.
            age: updates that it was trained for; grows from one snapshot to the next.

        Raises:
            ValueError: if the name is taken or the age does not grow.
        """
        if name in self._policies:
            raise ValueError(f"the population already holds a snapshot {name!r}")
        if self._ages and age <= next(reversed(self._ages.values())):
            raise ValueError(f"snapshot {name!r} must be younger than {self.names[-1]!r}, got age {age}")
        self._ages[name], self._results[name], self._policies[name] = age, [0.0, 0.0], policy
        if len(self._ages) > self._capacity:
            leaving = self._crowded()
            del self._ages[leaving], self._results[leaving]

    def record(self, name: str, points: float) -> None:
        """Notes the points (1, 0.5, 0) that a snapshot took from the learner; those that left are ignored."""
        if name not in self._results:
            return
        result = self._results[name]
        if result[1] >= self._memory:
            fade = (self._memory - 1) / result[1]
            result[0], result[1] = result[0] * fade, result[1] * fade
        result[0] += points
        result[1] += 1.0

    def win_rate(self, name: str) -> float:
        """How often a snapshot beats the learner, with one imagined draw so that it is never unknown."""
        points, games = self._results[name]
        return (points + 0.5) / (games + 1.0)

    def release(self, playing: Iterable[str]) -> None:
        """Unloads snapshots that left and play no more.

        Args:
            playing: names of snapshots in matches under way.
        """
        kept = set(playing) | set(self._ages)
        self._policies = {name: policy for name, policy in self._policies.items() if name in kept}

    def state(self) -> dict[str, list[float]]:
        """Plain numbers for a checkpoint: age (-1 for one that left), points and games of each snapshot."""
        gone = [0.0, 0.0]
        return {
            name: [float(self._ages.get(name, -1)), *self._results.get(name, gone)] for name in self._policies
        }

    def load_state(self, state: dict[str, list[float]], policies: dict[str, PolicyT]) -> None:
        """Puts a saved state back.

        Args:
            state: what `state` returned.
            policies: the policy of every name in it.

        Raises:
            ValueError: if a policy is missing.
        """
        missing = sorted(set(state) - set(policies))
        if missing:
            raise ValueError(
                f"the checkpoint lacks the weights of snapshots {missing}; take an older checkpoint"
            )
        current = {name: row for name, row in state.items() if row[0] >= 0}
        self._policies = {name: policies[name] for name in state}
        self._ages = {name: int(current[name][0]) for name in sorted(current, key=lambda n: current[n][0])}
        self._results = {name: [float(current[name][1]), float(current[name][2])] for name in self._ages}

    def _crowded(self) -> str:
        names, ages = list(self._ages), list(self._ages.values())
        if len(names) < 3:
            return names[0]
        gaps = {names[i]: ages[i + 1] - ages[i - 1] for i in range(1, len(names) - 1)}
        return min(gaps, key=lambda name: (gaps[name], self._ages[name]))
