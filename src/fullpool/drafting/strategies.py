"""Ways to draft behind one call: states in, ranked picks with values and visits out.

A strategy is a factory: `start` gives a drafter for a number of drafts that are played side by side; the drafter is
asked before each step of its team and may keep what it searched.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from fullpool.drafting.minimax import minimax
from fullpool.drafting.search import EndFn, LeafFn, Search, Suggestion
from fullpool.drafting.settings import (
    HIGHEST,
    MINIMAX,
    RANDOM,
    UCT_ROLLOUT,
    UCT_VALUE,
    SearchSettings,
    check_strategy,
)
from fullpool.drafting.state import DraftRules, DraftState, legal_heroes
from fullpool.drafting.value import ValueNetwork

T = TypeVar("T")


class Drafter(Protocol):
    """Drafts a fixed number of drafts side by side."""

    def suggest(self, states: Sequence[DraftState], *, with_line: bool = False) -> list[Suggestion]:
        """Ranks the next step of each draft; the drafts come in the same order every time."""


@dataclass(frozen=True, eq=False)
class Strategy:
    """A named way to draft.

    Attributes:
        name: name in the registry.
        start: number of drafts and seed -> a drafter for them.
    """

    name: str
    start: Callable[[int, int], Drafter]


@dataclass(frozen=True, eq=False)
class DraftKit:
    """What strategies are made from; a strategy whose part is None cannot be made.

    Attributes:
        rules: format and pool.
        end_fn: rates finished drafts: `WinRatePredictor.predict_owners`.
        win_rates: `[H]` win rate of each hero in the records.
        leaf_fn: rates drafts under way: a `ValueNetwork`.
        rollout_search: search of `uct_rollout`.
        value_search: search of `uct_value`.
    """

    rules: DraftRules
    end_fn: EndFn | None = None
    win_rates: NDArray[np.float64] | None = None
    leaf_fn: LeafFn | None = None
    rollout_search: SearchSettings | None = None
    value_search: SearchSettings | None = None


class _RandomDrafter:
    """Ranks the legal heroes at random."""

    def __init__(self, rules: DraftRules, seed: int) -> None:
        self._rules, self._generator = rules, np.random.default_rng(seed)

    def suggest(self, states: Sequence[DraftState], *, with_line: bool = False) -> list[Suggestion]:
        ranked = []
        for state in states:
            heroes = self._generator.permutation(np.flatnonzero(legal_heroes(self._rules, state)))
            ranked.append(_unsearched(heroes, np.full(len(heroes), 0.5), with_line))
        return ranked


class _HighestDrafter:
    """Ranks the legal heroes by their win rate; a ban takes the best one away."""

    def __init__(self, rules: DraftRules, win_rates: NDArray[np.float64]) -> None:
        self._rules, self._win_rates = rules, win_rates

    def suggest(self, states: Sequence[DraftState], *, with_line: bool = False) -> list[Suggestion]:
        ranked = []
        for state in states:
            heroes = np.flatnonzero(legal_heroes(self._rules, state))
            heroes = heroes[np.argsort(-self._win_rates[heroes], kind="stable")]
            ranked.append(_unsearched(heroes, self._win_rates[heroes], with_line))
        return ranked


class _MinimaxDrafter:
    """Solves each state exactly."""

    def __init__(self, rules: DraftRules, end_fn: EndFn) -> None:
        self._rules, self._end_fn = rules, end_fn

    def suggest(self, states: Sequence[DraftState], *, with_line: bool = False) -> list[Suggestion]:
        return [minimax(self._rules, state, self._end_fn, with_line=with_line) for state in states]


def _unsearched(heroes: NDArray[np.int64], values: NDArray[np.float64], with_line: bool) -> Suggestion:
    line = (int(heroes[0]),) if with_line else ()
    return Suggestion(
        heroes.astype(np.int16), values.astype(np.float32), np.zeros(len(heroes), np.int32), line
    )


def _random(kit: DraftKit) -> Callable[[int, int], Drafter]:
    return lambda num_drafts, seed: _RandomDrafter(kit.rules, seed)


def _highest(kit: DraftKit) -> Callable[[int, int], Drafter]:
    rates = _need(kit.win_rates, HIGHEST, "win_rates")
    return lambda num_drafts, seed: _HighestDrafter(kit.rules, rates)


def _minimax(kit: DraftKit) -> Callable[[int, int], Drafter]:
    end_fn = _need(kit.end_fn, MINIMAX, "end_fn (a predictor)")
    return lambda num_drafts, seed: _MinimaxDrafter(kit.rules, end_fn)


def _uct_rollout(kit: DraftKit) -> Callable[[int, int], Drafter]:
    end_fn = _need(kit.end_fn, UCT_ROLLOUT, "end_fn (a predictor)")
    settings = _need(kit.rollout_search, UCT_ROLLOUT, "rollout_search")
    return lambda num_drafts, seed: Search(
        kit.rules, settings, end_fn, None, num_drafts=num_drafts, seed=seed
    )


def _uct_value(kit: DraftKit) -> Callable[[int, int], Drafter]:
    end_fn = _need(kit.end_fn, UCT_VALUE, "end_fn (a predictor)")
    leaf_fn = _need(kit.leaf_fn, UCT_VALUE, "leaf_fn (a value network)")
    settings = _need(kit.value_search, UCT_VALUE, "value_search")
    # Few of all heroes are ever tried deep in the tree; a value network knows which ones are worth it.
    order = leaf_fn.order if isinstance(leaf_fn, ValueNetwork) else None
    return lambda num_drafts, seed: Search(
        kit.rules, settings, end_fn, leaf_fn, num_drafts=num_drafts, seed=seed, order=order
    )


_REGISTRY: dict[str, Callable[[DraftKit], Callable[[int, int], Drafter]]] = {
    RANDOM: _random,
    HIGHEST: _highest,
    MINIMAX: _minimax,
    UCT_ROLLOUT: _uct_rollout,
    UCT_VALUE: _uct_value,
}


def _need(part: T | None, strategy: str, name: str) -> T:
    if part is None:
        raise ValueError(f"strategy {strategy!r} needs {name}, none was given")
    return part


def make_strategy(name: str, kit: DraftKit) -> Strategy:
    """Makes a strategy.

    Args:
        name: one of `STRATEGIES`.
        kit: what it is made from.

    Returns:
        The strategy.

    Raises:
        ValueError: if the name is unknown or a part that it needs is missing.
    """
    check_strategy(name)
    return Strategy(name, _REGISTRY[name](kit))


def suggest(strategy: Strategy, state: DraftState, *, seed: int, with_line: bool = False) -> Suggestion:
    """Ranks the next step of a single draft.

    Args:
        strategy: how to draft.
        state: a state that is not over.
        seed: of its randomness.
        with_line: also report the expected line.

    Returns:
        Ranked heroes, best first.
    """
    return strategy.start(1, seed).suggest([state], with_line=with_line)[0]
