"""Metrics on the way to a generation: means over updates, figures of the training matches, speed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from time import perf_counter

import numpy as np

from fullpool.games.contract import DRAW, TEAM_A_WON
from fullpool.learning.matches import Bot, Learner, MatchRecord, Snapshot


@dataclass(frozen=True)
class MetricsRow:
    """Metrics of one moment.

    Attributes:
        step: agent-steps that the agent had learnt from.
        values: by name, with a teacher's group behind it: `elo_g1`.
    """

    step: int
    values: dict[str, float]


@dataclass
class Meter:
    """Averages the metrics of updates and of the matches that ended in them.

    Attributes:
        suffix: behind the metrics' names, such as `_g1`.
    """

    suffix: str
    _updates: list[Mapping[str, float]] = field(default_factory=list)
    _matches: list[MatchRecord] = field(default_factory=list)
    _since: float = field(default_factory=perf_counter)
    _steps: int = 0

    def start(self, num_agent_steps: int) -> None:
        """Sets the clock; called when updates go on after something else, such as a rating."""
        self._since, self._steps = perf_counter(), num_agent_steps

    def add(self, metrics: Mapping[str, float], matches: Sequence[MatchRecord]) -> None:
        """Takes in one update and the matches that ended in it."""
        self._updates.append(metrics)
        self._matches.extend(matches)

    @property
    def num_updates(self) -> int:
        """Updates since the last row."""
        return len(self._updates)

    def row(self, num_agent_steps: int) -> MetricsRow:
        """Closes a row: means over the updates, figures of the matches, speed."""
        names = sorted({name for metrics in self._updates for name in metrics})
        values = {
            name: float(np.mean([metrics[name] for metrics in self._updates if name in metrics]))
            for name in names
        }
        # A counter's mean over the interval would lag behind the step that the row stands at.
        values["agent_steps"] = float(num_agent_steps)
        seconds = max(perf_counter() - self._since, 1e-9)
        values["steps_per_s"] = (num_agent_steps - self._steps) / seconds
        values |= match_metrics(self._matches)
        self._updates, self._matches = [], []
        self.start(num_agent_steps)
        return MetricsRow(num_agent_steps, self.named(values))

    def named(self, values: Mapping[str, float]) -> dict[str, float]:
        """Puts the suffix behind plain names; slashes, folders to a tracker, become underscores."""
        return {f"{name.replace('/', '_')}{self.suffix}": value for name, value in values.items()}


def match_metrics(matches: Sequence[MatchRecord]) -> dict[str, float]:
    """Figures of training matches: length, the game's own figures, win rates by kind of opponent.

    Args:
        matches: finished ones.

    Returns:
        Metrics by plain name; empty without matches.
    """
    if not matches:
        return {}
    metrics = {"train_games": float(len(matches))}
    metrics["train_decisions"] = float(np.mean([match.decisions for match in matches]))
    metrics["train_draws"] = float(np.mean([match.winner == DRAW for match in matches]))
    for name in sorted(matches[0].stats):
        metrics[f"train_{name}"] = float(np.mean([np.mean(match.stats[name]) for match in matches]))
    points: dict[str, list[float]] = {}
    for match in matches:
        for side in (0, 1):
            own, other = match.seats[side], match.seats[1 - side]
            if isinstance(own, Learner) and not isinstance(other, Learner):
                won = 0.5 if match.winner == DRAW else float((match.winner == TEAM_A_WON) == (side == 0))
                points.setdefault(_opponent(other), []).append(won)
    return metrics | {
        f"train_win_rate_vs_{name}": float(np.mean(won)) for name, won in sorted(points.items())
    }


def _opponent(seat: Snapshot | Bot) -> str:
    return seat.name if isinstance(seat, Bot) else "snapshots"
