"""Exact drafts of small pools by alpha-beta: the oracle that searches are tested against."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fullpool.drafting.roles import Owners
from fullpool.drafting.search import EndFn, Suggestion
from fullpool.drafting.state import BANNED, DraftRules, DraftState, legal_heroes

MAX_LINES = 3_000_000
EXACT, AT_LEAST, AT_MOST = 0, 1, 2


def count_lines(rules: DraftRules, state: DraftState) -> int:
    """Upper bound of the ways in which a draft can go on."""
    free = int((state.owner == 0).sum())
    return int(np.prod([float(free - taken) for taken in range(rules.num_steps - state.step)]))


def minimax(rules: DraftRules, state: DraftState, end_fn: EndFn, *, with_line: bool = False) -> Suggestion:
    """Rates every legal next step exactly.

    Knuth and Moore 1975, "An analysis of alpha-beta pruning" (Artificial Intelligence 6), with a table of states that
    different orders of picks lead to.

    Args:
        rules: format and pool.
        state: a state that is not over.
        end_fn: rates finished drafts.
        with_line: also report the line of best play.

    Returns:
        All legal heroes with exact values for the acting team; visits are the number of lines below each.

    Raises:
        ValueError: if the draft has too many lines left.
    """
    lines = count_lines(rules, state)
    if lines > MAX_LINES:
        raise ValueError(
            f"minimax would have to look at up to {lines:.2g} lines, at most {MAX_LINES:.2g}; use a UCT strategy"
        )
    team = int(rules.team[state.step])
    solve = _solver(rules, end_fn, state)
    heroes = np.flatnonzero(legal_heroes(rules, state)).tolist()
    values = np.array(
        [solve(_after(rules, state.owner, state.step, hero), state.step + 1, 0.0, 1.0) for hero in heroes]
    )
    own = values if team == 0 else 1.0 - values
    order = np.argsort(-own, kind="stable")
    line = _line(rules, state, end_fn, int(heroes[order[0]])) if with_line else ()
    below = lines // max(int((state.owner == 0).sum()), 1)
    return Suggestion(
        np.array(heroes, np.int16)[order],
        own[order].astype(np.float32),
        np.full(len(heroes), below, np.int32),
        line,
    )


def _after(rules: DraftRules, owner: Owners, step: int, hero: int) -> Owners:
    after = owner.copy()
    after[hero] = rules.team[step] + 1 if rules.is_pick[step] else BANNED
    return after


def _solver(
    rules: DraftRules, end_fn: EndFn, root: DraftState
) -> Callable[[Owners, int, float, float], float]:
    """Builds the recursion; values are those of team 0."""
    table: dict[bytes, tuple[int, float]] = {}

    def legal(owner: Owners, step: int) -> NDArray[Any]:
        # Only the number of steps of a history counts here.
        return np.flatnonzero(legal_heroes(rules, DraftState((0,) * step, owner, root.locked)))

    def last_step(owner: Owners, step: int) -> float:
        heroes = legal(owner, step)
        ends = np.repeat(owner[None], len(heroes), 0)
        ends[np.arange(len(heroes)), heroes] = rules.team[step] + 1 if rules.is_pick[step] else BANNED
        rated = end_fn(ends)
        return float(rated.max() if rules.team[step] == 0 else rated.min())

    def solve(owner: Owners, step: int, alpha: float, beta: float) -> float:
        if step == rules.num_steps:
            return float(end_fn(owner[None])[0])
        if step == rules.num_steps - 1:
            return last_step(owner, step)
        key = owner.tobytes()
        known = table.get(key)
        if known is not None:
            kind, value = known
            if kind == EXACT or (kind == AT_LEAST and value >= beta) or (kind == AT_MOST and value <= alpha):
                return value
        low, high = alpha, beta
        first = rules.team[step] == 0
        value = -1.0 if first else 2.0
        for hero in legal(owner, step):
            below = solve(_after(rules, owner, step, hero), step + 1, low, high)
            value = max(value, below) if first else min(value, below)
            low, high = (max(low, value), high) if first else (low, min(high, value))
            if low >= high:
                break
        table[key] = (AT_LEAST if value >= beta else AT_MOST if value <= alpha else EXACT, value)
        return value

    return solve


def _line(rules: DraftRules, state: DraftState, end_fn: EndFn, hero: int) -> tuple[int, ...]:
    line = [hero]
    now = DraftState((*state.history, hero), _after(rules, state.owner, state.step, hero), state.locked)
    if now.step < rules.num_steps:
        line.extend(minimax(rules, now, end_fn, with_line=True).line)
    return tuple(line)
