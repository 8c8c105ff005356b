"""All games of a run, counted by line-up set and pair, and the ratings that follow from them.

A rating is one of (agent, line-up set): the set `all` holds line-ups of the whole pool, and each teacher
group's fixed line-up is a set of its own. Counts are enough for the ratings and their bootstrap, so a log
stays small however many games it holds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fullpool.games.contract import DRAW, TEAM_A_WON, TEAM_B_WON
from fullpool.league.seeds import derive_seed
from fullpool.numerics.intervals import Doubles, percentile_interval
from fullpool.numerics.ratings import bootstrap_elo, fit_elo

ALL_LINEUPS = "all"
"""Name of the line-up set of the whole pool."""

ZERO_BOT = "noop"
"""The bot whose rating is zero (Ye et al. 2020, section 4.1: the no-op bot)."""


@dataclass
class GameLog:
    """Counts of games won, drawn and lost.

    Attributes:
        counts: by `(line-up set, agent, other agent)` with the agents in alphabetical order.
    """

    counts: dict[tuple[str, str, str], list[int]] = field(default_factory=dict)

    def add(self, lineup_set: str, agent_a: str, agent_b: str, winner: int, num: int = 1) -> None:
        """Counts games of one pair; games of an agent against itself say nothing and are dropped.

        Args:
            lineup_set: where they were played.
            agent_a: name of the agent that played team A.
            agent_b: name of the agent that played team B.
            winner: TEAM_A_WON, TEAM_B_WON or DRAW.
            num: games.

        Raises:
            ValueError: if the winner is none of the three.
        """
        column = {TEAM_A_WON: 0, DRAW: 1, TEAM_B_WON: 2}.get(winner)
        if column is None:
            raise ValueError(f"winner must be {TEAM_A_WON}, {TEAM_B_WON} or {DRAW} (draw), got {winner}")
        if agent_a == agent_b:
            return
        if agent_a > agent_b:
            agent_a, agent_b, column = agent_b, agent_a, 2 - column
        self.counts.setdefault((lineup_set, agent_a, agent_b), [0, 0, 0])[column] += num

    def merge(self, other: GameLog) -> None:
        """Adds all games of another log."""
        for key, counts in other.counts.items():
            mine = self.counts.setdefault(key, [0, 0, 0])
            for column, count in enumerate(counts):
                mine[column] += count

    def copy(self) -> GameLog:
        """A log of its own with the same games."""
        return GameLog({key: list(counts) for key, counts in self.counts.items()})

    @property
    def lineup_sets(self) -> list[str]:
        """Names of the line-up sets with games, in alphabetical order."""
        return sorted({key[0] for key in self.counts})

    def num_games(self, lineup_set: str | None = None) -> int:
        """Games counted, in one set or in all."""
        return sum(sum(c) for key, c in self.counts.items() if lineup_set in (None, key[0]))

    def to_rows(self) -> list[list[Any]]:
        """Plain rows `[set, agent, other, won, drawn, lost]` for JSON, in a fixed order."""
        return [[*key, *self.counts[key]] for key in sorted(self.counts)]

    @classmethod
    def from_rows(cls, rows: Sequence[Sequence[Any]]) -> GameLog:
        """Reads what `to_rows` wrote."""
        return cls({(str(r[0]), str(r[1]), str(r[2])): [int(c) for c in r[3:]] for r in rows})

    def tables(self, lineup_set: str, zero: str) -> tuple[list[str], NDArray[Any], NDArray[Any]]:
        """Gathers the games of one set for rating.

        Args:
            lineup_set: name of the set.
            zero: agent that is listed in any case.

        Returns:
            Agent names, pairs `[Q, 2]`, counts `[Q, 3]`.
        """
        keys = sorted(key for key in self.counts if key[0] == lineup_set)
        names = sorted({zero} | {name for key in keys for name in key[1:]})
        number = {name: index for index, name in enumerate(names)}
        pairs = np.array([[number[key[1]], number[key[2]]] for key in keys], np.int64).reshape(-1, 2)
        return names, pairs, np.array([self.counts[key] for key in keys], np.int64).reshape(-1, 3)


@dataclass(frozen=True, eq=False)
class Ratings:
    """Elo ratings of the agents that met on one line-up set.

    Attributes:
        lineup_set: name of the set.
        names: agents.
        elo: `[M]` ratings, 0 at the zero bot.
        samples: `[R, M]` ratings of bootstrap resamples.
        games: `[M]` games that each agent played.
    """

    lineup_set: str
    names: tuple[str, ...]
    elo: Doubles
    samples: Doubles
    games: NDArray[np.int64]

    def of(self, name: str) -> float:
        """Rating of one agent."""
        return float(self.elo[self._index(name)])

    def interval(self, name: str, confidence: float = 0.95) -> tuple[float, float]:
        """Bootstrap interval of one agent's rating."""
        low, high = percentile_interval(self.samples[:, self._index(name)], confidence)
        return float(low), float(high)

    def difference(self, later: str, earlier: str, confidence: float) -> tuple[float, float, float]:
        """Difference of two agents' ratings with its bootstrap interval: (difference, low, high)."""
        first, second = self._index(later), self._index(earlier)
        low, high = percentile_interval(self.samples[:, first] - self.samples[:, second], confidence)
        return float(self.elo[first] - self.elo[second]), float(low), float(high)

    def rows(self, confidence: float = 0.95) -> list[dict[str, Any]]:
        """One flat row an agent, best first, for tables."""
        rows = []
        for index in np.argsort(-self.elo, kind="stable"):
            low, high = self.interval(self.names[index], confidence)
            row = {"lineup_set": self.lineup_set, "agent": self.names[index], "elo": float(self.elo[index])}
            rows.append(row | {"low": low, "high": high, "games": int(self.games[index])})
        return rows

    def _index(self, name: str) -> int:
        if name not in self.names:
            raise ValueError(
                f"no games of {name!r} on line-up set {self.lineup_set!r}; there are {list(self.names)}"
            )
        return self.names.index(name)


def rate(
    log: GameLog,
    lineup_set: str,
    *,
    anchors: Sequence[str],
    generator: np.random.Generator,
    num_resamples: int,
    zero: str = ZERO_BOT,
) -> Ratings:
    """Rates all agents that met on one line-up set.

    Args:
        log: the games.
        lineup_set: name of the set.
        anchors: names of fixed reference agents; those without games on this set are left out.
        generator: source of randomness of the bootstrap.
        num_resamples: R.
        zero: agent whose rating is 0.

    Returns:
        Ratings with their bootstrap samples.
    """
    names, pairs, counts = log.tables(lineup_set, zero)
    known = [names.index(name) for name in anchors if name in names]
    fit = fit_elo(len(names), pairs, counts, zero=names.index(zero), anchors=known)
    samples = bootstrap_elo(
        fit, pairs, counts, zero=names.index(zero), generator=generator, num_resamples=num_resamples
    )
    games = np.zeros(len(names), np.int64)
    np.add.at(games, pairs.reshape(-1), np.repeat(counts.sum(axis=1), 2))
    return Ratings(lineup_set, tuple(names), fit.ratings, samples, games)


def rating_rows(
    log: GameLog,
    *,
    anchors: Sequence[str],
    seed: int,
    num_resamples: int,
    confidence: float,
    lineup_sets: Sequence[str] = (),
) -> list[dict[str, Any]]:
    """Rates all agents of a run; the same games, seed and number of resamples give the same intervals.

    Args:
        log: the games.
        anchors: names of fixed reference agents.
        seed: of the run.
        num_resamples: bootstrap resamples.
        confidence: of the intervals.
        lineup_sets: which sets; empty: all.

    Returns:
        One row an agent and line-up set, the best of a set first.
    """
    rows = []
    for lineup_set in lineup_sets or log.lineup_sets:
        generator = np.random.default_rng(derive_seed(seed, "evaluation", "bootstrap", lineup_set))
        rated = rate(log, lineup_set, anchors=anchors, generator=generator, num_resamples=num_resamples)
        rows += rated.rows(confidence)
    return rows
