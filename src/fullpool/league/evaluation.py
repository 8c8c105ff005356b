"""Measures agents by games: pairings on a given set of line-ups, both sides of each, from seeds of their own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fullpool.games.contract import DRAW, TEAM_A_WON, TEAM_B_WON, GameSpec, Shorts
from fullpool.games.lineups import draw_lineup
from fullpool.league.game_log import ALL_LINEUPS, GameLog
from fullpool.league.play import GameFn, MatchList, MatchResults, play_matches
from fullpool.league.seeds import derive_seed
from fullpool.networks.actor_critic import ActorCritic
from fullpool.numerics.intervals import wilson_interval


@dataclass(frozen=True)
class EvaluationResult:
    """How one pairing went, from the first agent's side.

    Attributes:
        agent: name of the agent that is measured.
        opponent: name of the other.
        lineup_set: where they met.
        num_games: matches played.
        win_rate: share of the points, a draw as half.
        draws: share of matches that were drawn.
        interval: Wilson interval of `win_rate`.
        games_per_s: matches a second; of all pairings that were played together.
        mean_decisions: decisions a match.
        statistics: means of the game's own figures.
        by_hero: win rate and matches of each hero that the agent played.
        by_lineup: win rate and matches on each line-up, in the order of the set.
        counts: matches won, drawn and lost.
    """

    agent: str
    opponent: str
    lineup_set: str
    num_games: int
    win_rate: float
    draws: float
    interval: tuple[float, float]
    games_per_s: float
    mean_decisions: float
    statistics: dict[str, float]
    by_hero: dict[str, tuple[float, int]]
    by_lineup: tuple[tuple[float, int], ...]
    counts: tuple[int, int, int]

    def row(self) -> dict[str, Any]:
        """One flat row for tables."""
        names = ("agent", "opponent", "lineup_set", "num_games", "win_rate", "draws")
        row = {name: getattr(self, name) for name in names}
        row |= {"low": self.interval[0], "high": self.interval[1], "mean_decisions": self.mean_decisions}
        return row | {"games_per_s": self.games_per_s} | self.statistics

    def add_to(self, log: GameLog) -> None:
        """Counts the matches in a log."""
        for winner, count in zip((TEAM_A_WON, DRAW, TEAM_B_WON), self.counts, strict=True):
            if count:
                log.add(self.lineup_set, self.agent, self.opponent, winner, count)


def reserved_lineups(
    spec: GameSpec, num_lineups: int, seed: int, pool: Sequence[int] | None = None
) -> Shorts:
    """Draws line-ups that no training ever sees.

    Args:
        spec: the game.
        num_lineups: how many; small pools repeat some.
        seed: of the run.
        pool: hero ids to draw from; None: all.

    Returns:
        `[num_lineups, 2, P]` hero ids.
    """
    generator = np.random.default_rng(derive_seed(seed, "evaluation", "lineups"))
    drawn = [
        draw_lineup(generator, spec.heroes, spec.team_size, reserved=True, pool=pool)
        for _ in range(num_lineups)
    ]
    return np.stack(drawn)


def evaluate(
    game_fn: GameFn,
    spec: GameSpec,
    pairs: Sequence[tuple[str, str]],
    networks: Mapping[str, ActorCritic],
    lineups: Shorts,
    *,
    num_games: int | Sequence[int],
    batch_games: int,
    seed: int,
    confidence: float = 0.95,
    lineup_set: str = ALL_LINEUPS,
    num_threads: int = 1,
) -> list[EvaluationResult]:
    """Plays pairings of networks and bots, all together.

    Two matches in a row share a line-up and swap the agents' sides, so both play both teams of heroes.

    Args:
        game_fn: makes the games.
        spec: the game.
        pairs: agents by name: of networks or bots.
        networks: frozen networks by name.
        lineups: `[L, 2, P]` that the matches go through in turn; reserved ones, or a teacher's own.
        num_games: matches a pairing, one number for all or one for each.
        batch_games: matches under way at once, over all threads.
        seed: of the run; evaluation derives its own from it, apart from training's.
        confidence: of the intervals.
        lineup_set: name of the line-ups.
        num_threads: threads that share the matches.

    Returns:
        One result a pairing, in order.
    """
    numbers = [num_games] * len(pairs) if isinstance(num_games, int) else list(num_games)
    match_lists = [_schedule(pair, lineups, num, seed) for pair, num in zip(pairs, numbers, strict=True)]
    whole = MatchList(
        np.concatenate([matches.lineups for matches in match_lists]),
        [agents for matches in match_lists for agents in matches.agents],
        np.concatenate([matches.seeds for matches in match_lists]),
    )
    start = perf_counter()
    results = play_matches(
        game_fn,
        whole,
        networks,
        batch_games=batch_games,
        seed=derive_seed(seed, "evaluation", *[name for pair in pairs for name in pair]),
        num_threads=num_threads,
    )
    games_per_s = len(whole) / max(perf_counter() - start, 1e-9)
    summaries, start_row = [], 0
    for pair, matches in zip(pairs, match_lists, strict=True):
        part = _cut(results, slice(start_row, start_row + len(matches)))
        start_row += len(matches)
        counts = _Counts(pair, matches, part, len(lineups))
        summaries.append(counts.summary(spec, lineup_set, confidence, games_per_s))
    return summaries


def _schedule(pair: tuple[str, str], lineups: Shorts, num_games: int, seed: int) -> MatchList:
    index = np.arange(num_games)
    agents = [pair if number % 2 == 0 else (pair[1], pair[0]) for number in range(num_games)]
    generator = np.random.default_rng(derive_seed(seed, "evaluation", *pair))
    seeds = generator.integers(0, 2**63, num_games, dtype=np.uint64)
    return MatchList(lineups[(index // 2) % len(lineups)], agents, seeds)


def _cut(results: MatchResults, rows: slice) -> MatchResults:
    statistics = {name: values[rows] for name, values in results.statistics.items()}
    return MatchResults(results.winners[rows], results.decisions[rows], statistics)


class _Counts:
    """Points of the first agent of a pairing, by hero and by line-up."""

    def __init__(
        self, pair: tuple[str, str], matches: MatchList, results: MatchResults, num_lineups: int
    ) -> None:
        self.pair, self.results = pair, results
        self.side = np.arange(len(matches)) % 2
        self.points: NDArray[np.float64] = np.where(self.side == 0, results.scores, 1.0 - results.scores)
        self.heroes = matches.lineups[np.arange(len(matches)), self.side]
        self.lineup = (np.arange(len(matches)) // 2) % num_lineups
        self.num_lineups = num_lineups

    def summary(
        self, spec: GameSpec, lineup_set: str, confidence: float, games_per_s: float
    ) -> EvaluationResult:
        num, total = len(self.points), float(self.points.sum())
        drawn = int((self.results.winners == DRAW).sum())
        won = int((self.points == 1.0).sum())
        means = {name: float(np.mean(values)) for name, values in self.results.statistics.items()}
        return EvaluationResult(
            agent=self.pair[0],
            opponent=self.pair[1],
            lineup_set=lineup_set,
            num_games=num,
            win_rate=total / num,
            draws=drawn / num,
            interval=wilson_interval(total, num, confidence),
            games_per_s=games_per_s,
            mean_decisions=float(self.results.decisions.mean()),
            statistics=means,
            by_hero=self._by_hero(spec),
            by_lineup=self._by_lineup(),
            counts=(won, drawn, num - won - drawn),
        )

    def _by_hero(self, spec: GameSpec) -> dict[str, tuple[float, int]]:
        points = np.zeros(len(spec.heroes))
        np.add.at(points, self.heroes, self.points[:, None])
        games = np.bincount(self.heroes.reshape(-1), minlength=len(spec.heroes))
        return {
            name: (float(points[i] / games[i]), int(games[i]))
            for i, name in enumerate(spec.heroes)
            if games[i] > 0
        }

    def _by_lineup(self) -> tuple[tuple[float, int], ...]:
        points = np.bincount(self.lineup, self.points, self.num_lineups)
        games = np.bincount(self.lineup, minlength=self.num_lineups)
        return tuple((float(p / max(g, 1)), int(g)) for p, g in zip(points, games, strict=True))
