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

from fullpool.drafting.roles import Bools, Owners
from fullpool.drafting.search import EndFn
from fullpool.drafting.settings import TournamentSettings
from fullpool.drafting.state import DraftRules, initial_state, lineups, take
from fullpool.drafting.strategies import Strategy
from fullpool.games.contract import Floats, Shorts
from fullpool.numerics.intervals import mean_interval, wilson_interval

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
        num_drafts: drafts; the first half with `strategy` acting first, the second half in the same order without.
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


def draw_closed(rules: DraftRules, *, num_drafts: int, num_closed: int, seed: int) -> Bools:
    """Draws the heroes that are closed in each draft: neither team may take them.

    Strategies that draw no lots would repeat one and the same draft; what is closed makes every draft another one.

    Args:
        rules: format and pool.
        num_drafts: drafts.
        num_closed: heroes that are closed in each.
        seed: of the draw.

    Returns:
        `[num_drafts, 2, H]` bool, the same heroes for both teams.
    """
    order = np.random.default_rng(seed).random((num_drafts, rules.num_heroes)).argsort(1)
    return np.repeat((order < num_closed)[:, None, :], 2, axis=1)


def play_drafts(
    rules: DraftRules, pair: tuple[Strategy, Strategy], locked: Bools, *, seed: int
) -> DraftedPair:
    """Plays drafts side by side.

    Args:
        rules: format and pool.
        pair: the strategy that acts first, and the other one.
        locked: `[n, 2, H]` bool; heroes that each team may not pick, for each draft.
        seed: of both strategies.

    Returns:
        The finished drafts.
    """
    seeds = np.random.SeedSequence(seed).generate_state(2)
    num_drafts = len(locked)
    drafters = [strategy.start(num_drafts, int(s)) for strategy, s in zip(pair, seeds)]
    states = [initial_state(rules, locks) for locks in locked]
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
                # All pairs meet the same closed heroes, and from both sides.
                shared = int(np.random.SeedSequence([seed, batch]).generate_state(1)[0])
                locked = draw_closed(rules, num_drafts=count, num_closed=settings.closed_heroes, seed=shared)
                drafted.append(play_drafts(rules, sides, locked, seed=own_seed))
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
        confidence: of the intervals.

    Returns:
        One row an ordered pair, each figure with its interval. `predicted` is the mean predicted win probability, its
        interval that of a mean over situations, each drafted from both sides; it does not hold what the predictor
        itself may be wrong by. `predicted_ahead` is the share of drafts that the predictor sees ahead, `played` the
        share of points by games (NaN where none were played), both with a Wilson interval. `num_distinct` counts
        different pairs of line-ups.
    """
    rows = []
    for result in results:
        names, seconds = (result.strategy, result.opponent), result.seconds_per_step
        rows.append(_row(names, result, result.predicted, result.points, seconds[0], confidence))
        mirrored = None if result.points is None else 1 - result.points
        rows.append(_row(names[::-1], result, 1 - result.predicted, mirrored, seconds[1], confidence))
    return pd.DataFrame(rows)


def _row(
    names: tuple[str, ...],
    result: PairResult,
    predicted: Floats,
    points: NDArray[np.float64] | None,
    seconds_per_step: float,
    confidence: float,
) -> dict[str, Any]:
    count = result.num_drafts
    distinct = len(np.unique(result.lineups.reshape(count, -1), axis=0))
    row: dict[str, Any] = {"strategy": names[0], "opponent": names[1], "num_drafts": count}
    # The two drafts of a situation depend on each other: their mean is one observation.
    situations = predicted.astype(np.float64).reshape(2, -1).mean(0)
    low, high = mean_interval(situations, confidence, bounds=(0.0, 1.0))
    row |= {"num_distinct": distinct, "predicted": float(situations.mean())}
    row |= {"predicted_low": low, "predicted_high": high}
    played = float("nan") if points is None else float(points.sum())
    ahead = float((predicted > 0.5).sum() + 0.5 * (predicted == 0.5).sum())
    for name, wins in (("predicted_ahead", ahead), ("played", played)):
        low, high = (wins, wins) if np.isnan(wins) else wilson_interval(wins, count, confidence)
        row |= {name: wins / count, f"{name}_low": low, f"{name}_high": high}
    return {**row, "seconds_per_step": seconds_per_step}
