"""Every strategy against every other, both sides, judged by the predictor and by games."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from fullpool.drafting.roles import Owners
from fullpool.drafting.search import EndFn
from fullpool.drafting.settings import TournamentSettings
from fullpool.drafting.state import DraftRules, initial_state, lineups, take
from fullpool.drafting.strategies import Strategy
from fullpool.games.contract import Floats, Shorts
from fullpool.numerics.intervals import wilson_interval

PlayFn = Callable[[Shorts], NDArray[Any]]
"""`[n, 2, P]` line-ups, first the team that acted first -> `[n]` its share of the points: 1 won, 0 lost, 0.5 drawn."""
ProgressFn = Callable[[int, int], None]
"""Drafts done and drafts in all."""


class DraftedPair(NamedTuple):
    """Finished drafts of one pair with one of them acting first.

    Attributes:
        first: name of the strategy that acted first.
        second: name of the other one.
        owners: `[n, H]` finished drafts.
        seconds: time that each strategy took over all its steps.
        steps: steps that each strategy took over all drafts.
    """

    first: str
    second: str
    owners: Owners
    seconds: tuple[float, float]
    steps: tuple[int, int]


@dataclass(frozen=True, eq=False)
class PairResult:
    """What one pair of strategies came to, from the first one's view.

    Attributes:
        strategy: the first one.
        opponent: the other one.
        num_drafts: drafts, half of them with either acting first.
        predicted: `[n]` predicted win probability of `strategy` in each draft.
        points: `[n]` its share of the points by games, or None if no games were played.
        lineups: `[n, 2, P]` line-ups, `strategy` first.
        seconds_per_step: of `strategy` and of `opponent`.
    """

    strategy: str
    opponent: str
    num_drafts: int
    predicted: Floats
    points: NDArray[np.float64] | None
    lineups: Shorts
    seconds_per_step: tuple[float, float]


def play_drafts(
    rules: DraftRules, pair: tuple[Strategy, Strategy], *, num_drafts: int, seed: int
) -> DraftedPair:
    """Plays drafts side by side.

    Args:
        rules: format and pool.
        pair: the strategy that acts first, and the other one.
        num_drafts: drafts.
        seed: of both strategies.

    Returns:
        The finished drafts.
    """
    seeds = np.random.SeedSequence(seed).generate_state(2)
    drafters = [strategy.start(num_drafts, int(s)) for strategy, s in zip(pair, seeds)]
    states = [initial_state(rules) for _ in range(num_drafts)]
    seconds, steps = [0.0, 0.0], [0, 0]
    for team in rules.team:
        started = time.perf_counter()
        suggestions = drafters[team].suggest(states)
        seconds[team] += time.perf_counter() - started
        steps[team] += num_drafts
        states = [take(rules, state, int(s.heroes[0])) for state, s in zip(states, suggestions)]
    owners = np.stack([state.owner for state in states])
    return DraftedPair(pair[0].name, pair[1].name, owners, (seconds[0], seconds[1]), (steps[0], steps[1]))


def run_tournament(
    rules: DraftRules,
    strategies: Sequence[Strategy],
    end_fn: EndFn,
    settings: TournamentSettings,
    *,
    seed: int,
    play_fn: PlayFn | None = None,
    progress_fn: ProgressFn | None = None,
    done: int = 0,
) -> Iterator[PairResult]:
    """Lets every pair of strategies draft against each other, both sides.

    Args:
        rules: format and pool.
        strategies: the strategies.
        end_fn: rates finished drafts: the predictor.
        settings: the tournament.
        seed: of everything.
        play_fn: plays line-ups; None: judged by the predictor alone.
        progress_fn: told after every batch.
        done: pairs whose results are already there; it goes on after them.

    Yields:
        The result of each pair that is not done yet.
    """
    pairs = list(combinations(strategies, 2))
    for number, (one, other) in list(enumerate(pairs))[done:]:
        drafted: list[DraftedPair] = []
        for side, sides in enumerate(((one, other), (other, one))):
            half = settings.num_drafts // 2
            for batch, start in enumerate(range(0, half, settings.batch_drafts)):
                count = min(settings.batch_drafts, half - start)
                own_seed = int(np.random.SeedSequence([seed, number, side, batch]).generate_state(1)[0])
                drafted.append(play_drafts(rules, sides, num_drafts=count, seed=own_seed))
                if progress_fn is not None:
                    played = number * settings.num_drafts + side * half + start + count
                    progress_fn(played, len(pairs) * settings.num_drafts)
        yield _pair_result(rules, one.name, other.name, drafted, end_fn, play_fn)


def _pair_result(
    rules: DraftRules,
    name: str,
    opponent: str,
    drafted: list[DraftedPair],
    end_fn: EndFn,
    play_fn: PlayFn | None,
) -> PairResult:
    owners = np.concatenate([d.owners for d in drafted])
    acted_first = np.concatenate([np.full(len(d.owners), d.first == name) for d in drafted])
    sides = lineups(owners, rules.team_size)
    predicted = end_fn(owners)
    own = np.where(acted_first[:, None, None], sides, sides[:, ::-1])
    points = None
    if play_fn is not None:
        points = np.asarray(play_fn(own), np.float64)
        if points.shape != (len(own),):
            raise ValueError(f"play must return one share a line-up, shape ({len(own)},), got {points.shape}")
    own_seconds = sum(d.seconds[0] if d.first == name else d.seconds[1] for d in drafted)
    own_steps = sum(d.steps[0] if d.first == name else d.steps[1] for d in drafted)
    other_seconds = sum(sum(d.seconds) for d in drafted) - own_seconds
    other_steps = sum(sum(d.steps) for d in drafted) - own_steps
    return PairResult(
        strategy=name,
        opponent=opponent,
        num_drafts=len(owners),
        predicted=np.where(acted_first, predicted, 1 - predicted),
        points=points,
        lineups=own,
        seconds_per_step=(own_seconds / own_steps, other_seconds / other_steps),
    )


def result_table(results: Sequence[PairResult], *, confidence: float) -> pd.DataFrame:
    """Tables a tournament, each pair from both views.

    Args:
        results: results of `run_tournament`.
        confidence: of the Wilson intervals.

    Returns:
        One row an ordered pair, each figure with its interval. `predicted` is the mean predicted win probability,
        its interval that of as many games with this share of points; `predicted_ahead` is the share of drafts that the
        predictor sees ahead; `played` is the share of points by games (NaN where none were played).
    """
    rows = []
    for result in results:
        names, seconds = (result.strategy, result.opponent), result.seconds_per_step
        rows.append(_row(names, result.predicted, result.points, seconds[0], confidence))
        mirrored = None if result.points is None else 1 - result.points
        rows.append(_row(names[::-1], 1 - result.predicted, mirrored, seconds[1], confidence))
    return pd.DataFrame(rows)


def _row(
    names: tuple[str, ...],
    predicted: Floats,
    points: NDArray[np.float64] | None,
    seconds_per_step: float,
    confidence: float,
) -> dict[str, Any]:
    count = len(predicted)
    row: dict[str, Any] = {"strategy": names[0], "opponent": names[1], "num_drafts": count}
    played = float("nan") if points is None else float(points.sum())
    ahead = float((predicted > 0.5).sum() + 0.5 * (predicted == 0.5).sum())
    for name, wins in (("predicted", float(predicted.sum())), ("predicted_ahead", ahead), ("played", played)):
        low, high = (wins, wins) if np.isnan(wins) else wilson_interval(wins, count, confidence)
        row |= {name: wins / count, f"{name}_low": low, f"{name}_high": high}
    return {**row, "seconds_per_step": seconds_per_step}
