"""The payoff matrix: who beats whom, beside ratings that can hide a circle."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fullpool.league.game_log import GameLog
from fullpool.numerics.intervals import Doubles, wilson_interval
from fullpool.numerics.ratings import score_matrix


@dataclass(frozen=True, eq=False)
class Payoff:
    """Win rates of agents against one another.

    Attributes:
        names: agents.
        win_rates: `[M, M]` share of the points that the row took from the column; NaN where they never met.
        games: `[M, M]` games of each pair.
    """

    names: tuple[str, ...]
    win_rates: Doubles
    games: NDArray[np.int64]

    def rows(self, confidence: float = 0.95) -> list[dict[str, Any]]:
        """One flat row an ordered pair that met, with its Wilson interval, for tables."""
        rows = []
        for i, j in np.argwhere(self.games > 0):
            rate, games = float(self.win_rates[i, j]), int(self.games[i, j])
            low, high = wilson_interval(min(rate * games, games), games, confidence)
            row = {
                "agent": self.names[i],
                "opponent": self.names[j],
                "win_rate": rate,
                "low": low,
                "high": high,
            }
            rows.append(row | {"games": games})
        return rows

    def minimum(self, name: str) -> tuple[float, str | None]:
        """Lowest win rate of an agent and the opponent it has it against; (NaN, None) if it met nobody.

        Raises:
            ValueError: if the agent is unknown.
        """
        if name not in self.names:
            raise ValueError(f"{name!r} is not in the payoff matrix; there are {list(self.names)}")
        row = self.win_rates[self.names.index(name)]
        if np.isnan(row).all():
            return float("nan"), None
        worst = int(np.nanargmin(row))
        return float(row[worst]), self.names[worst]


def payoff_matrix(log: GameLog, lineup_set: str, names: Sequence[str] | None = None) -> Payoff:
    """Builds the payoff matrix of one line-up set.

    Args:
        log: the games.
        lineup_set: name of the set.
        names: agents and their order; None: all that met, in alphabetical order.

    Returns:
        The matrix.
    """
    keys = [key for key in log.counts if key[0] == lineup_set]
    if names is None:
        names = sorted({name for key in keys for name in key[1:]})
    number = {name: index for index, name in enumerate(names)}
    kept = [key for key in keys if key[1] in number and key[2] in number]
    pairs = np.array([[number[key[1]], number[key[2]]] for key in kept], np.int64).reshape(-1, 2)
    counts = np.array([log.counts[key] for key in kept], np.int64).reshape(-1, 3)
    points = score_matrix(len(names), pairs, counts)
    games = points + points.T
    win_rates = np.divide(points, games, out=np.full_like(points, np.nan), where=games > 0)
    return Payoff(tuple(names), win_rates, np.rint(games).astype(np.int64))
