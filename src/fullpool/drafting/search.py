"""Searches of many drafts in step: batched leaves, trees kept between picks, ranked picks out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fullpool.drafting.roles import Owners
from fullpool.drafting.settings import SearchSettings
from fullpool.drafting.state import DraftRules, DraftState, needs_matching
from fullpool.drafting.tree import Trees, allocate_trees, plant, reroot
from fullpool.drafting.uct import OVER, TO_EVALUATE, back_up, complete, select
from fullpool.games.contract import Floats

EndFn = Callable[[Owners], Floats]
"""`[B, H]` finished drafts -> `[B]` probability that the team that acted first wins."""
LeafFn = Callable[[Owners, NDArray[np.int16]], Floats]
"""`[B, H]` drafts under way and `[B]` steps taken -> the same."""


@dataclass(frozen=True, eq=False)
class Suggestion:
    """Ranked picks (or bans) for one state, best first.

    Attributes:
        heroes: `[n]` hero ids.
        values: `[n]` estimated probability that the *acting* team wins after each.
        visits: `[n]` evaluations behind each value; 0 where nothing was searched.
        line: heroes expected to be taken from here on, best first pick included; as far as the search looked.
    """

    heroes: NDArray[np.int16]
    values: Floats
    visits: NDArray[np.int32]
    line: tuple[int, ...] = ()


class Search:
    """Trees of a batch of drafts; shows how each state continues the one before and keeps what was searched."""

    def __init__(
        self,
        rules: DraftRules,
        settings: SearchSettings,
        end_fn: EndFn,
        leaf_fn: LeafFn | None,
        *,
        num_drafts: int,
        seed: int,
        order: NDArray[np.int16] | None = None,
    ) -> None:
        """Allocates the trees.

        Args:
            rules: format and pool.
            settings: the search.
            end_fn: rates finished drafts.
            leaf_fn: rates drafts under way; None: they are played to their end at random and then rated.
            num_drafts: drafts that are searched side by side.
            seed: of expansions and random ends.
            order: `[H]` heroes, the one that is tried first in every state first; None: at random.
        """
        self.rules, self.settings = rules, settings
        self._end_fn, self._leaf_fn = end_fn, leaf_fn
        self.kernel_rules = (rules.team, rules.is_pick, rules.masks, rules.team_size)
        # Room for what an earlier pick left over; a tree that still fills up evaluates its leaves again.
        self.trees = allocate_trees(num_drafts, 2 * settings.simulations + 1, rules.num_heroes)
        if order is not None:
            self.trees = self.trees._replace(order=np.ascontiguousarray(order, np.int16))
        self.trees.random[:] = np.random.SeedSequence(seed).generate_state(num_drafts, np.uint64)
        self.num_simulations = 0
        """Leaves evaluated so far."""
        self._histories: list[tuple[int, ...] | None] = [None] * num_drafts

    def suggest(self, states: Sequence[DraftState], *, with_line: bool = False) -> list[Suggestion]:
        """Searches each draft's next step.

        Args:
            states: one a draft, always in the same order; none of them over.
            with_line: also report the expected line.

        Returns:
            One suggestion a draft.
        """
        for draft, state in enumerate(states):
            self._go_to(draft, state)
        self._run()
        return [self._rank(draft, with_line) for draft in range(len(states))]

    def root_value(self, draft: int) -> float:
        """Probability that the first team wins from a draft's root; exact once the root is proven."""
        t = self.trees
        if t.solved[draft, 0]:
            return float(t.best[draft, 0])
        return float(t.total[draft, 0] / max(t.visits[draft, 0], 1))

    def _go_to(self, draft: int, state: DraftState) -> None:
        """Moves a tree's root to a state, along the tree if the state continues the last one."""
        last, t = self._histories[draft], self.trees
        kept = last is not None and state.history[: len(last)] == last
        kept = kept and bool(np.array_equal(t.locked[draft], state.locked))
        if last is not None and kept:
            for hero in state.history[len(last) :]:
                kept = kept and reroot(t, draft, hero, self.rules.is_pick, self.rules.team)
        if not kept:
            t.owner[draft], t.locked[draft] = state.owner, state.locked
            t.matched[draft] = needs_matching(self.rules, state.locked)
            plant(t, draft, state.step, self.kernel_rules)
        self._histories[draft] = state.history

    def _run(self) -> None:
        t, settings = self.trees, self.settings
        num_drafts, num_heroes = t.owner.shape
        leaves = min(settings.leaves, settings.simulations)
        leaf = np.zeros((num_drafts, leaves), np.int32)
        owners = np.zeros((num_drafts, leaves, num_heroes), np.int8)
        status = np.zeros((num_drafts, leaves), np.int8)
        drafts = np.repeat(np.arange(num_drafts), leaves)
        for _ in range(-(-settings.simulations // leaves)):
            select(t, self.kernel_rules, settings.exploration, settings.first_play, leaf, owners, status)
            if not status.any():
                break
            self.num_simulations += int(np.count_nonzero(status))
            values = self._evaluate(leaf, owners, status, drafts)
            back_up(t, self.rules.team, leaf, values, status)

    def _evaluate(self, leaf: Any, owners: Any, status: Any, drafts: Any) -> Floats:
        """Rates all leaves of a batch: finished drafts by `end_fn`, the others by `leaf_fn` or random ends."""
        values = np.zeros(status.size, np.float32)
        flat, flat_status = owners.reshape(status.size, -1), status.reshape(-1)
        steps = self.trees.step[drafts, leaf.reshape(-1)]
        over, open_ = np.flatnonzero(flat_status == OVER), np.flatnonzero(flat_status == TO_EVALUATE)
        if len(open_) and self._leaf_fn is not None:
            values[open_] = self._leaf_fn(flat[open_], steps[open_])
        elif len(open_):
            ends = flat[open_]
            complete(self.trees, ends, steps[open_], drafts[open_], self.kernel_rules)
            values[open_] = self._end_fn(ends)
        if len(over):
            values[over] = self._end_fn(flat[over])
        return values.reshape(status.shape)

    def _rank(self, draft: int, with_line: bool) -> Suggestion:
        children, values, visits = rank_children(self.trees, self.rules, draft, 0)
        line = self._line(draft) if with_line else ()
        heroes = self.trees.hero[draft, children]
        return Suggestion(heroes.copy(), values.astype(np.float32), visits.astype(np.int32), line)

    def _line(self, draft: int) -> tuple[int, ...]:
        line, node = [], 0
        while self.trees.step[draft, node] < self.rules.num_steps:
            children, _, _ = rank_children(self.trees, self.rules, draft, node)
            if len(children) == 0:
                break
            node = int(children[0])
            line.append(int(self.trees.hero[draft, node]))
        return tuple(line)


def rank_children(
    t: Trees, rules: DraftRules, draft: int, node: int
) -> tuple[NDArray[Any], Floats, NDArray[Any]]:
    """Orders the children of a node by visits; a proven child that is better than the most visited one goes first.

    Args:
        t: the trees.
        rules: format and pool.
        draft: which tree.
        node: which node.

    Returns:
        Children that were evaluated, their values for the acting team, their visits; best first.
    """
    children = t.children[draft, node]
    children = children[children >= 0]
    children = children[t.visits[draft, children] > 0]
    visits = t.visits[draft, children]
    solved = t.solved[draft, children]
    values = np.where(solved, t.best[draft, children], t.total[draft, children] / np.maximum(visits, 1))
    if rules.team[t.step[draft, node]] == 1:
        values = 1.0 - values
    if len(children) == 0:
        return children, values, visits
    if t.solved[draft, node]:
        order = np.lexsort((-visits, -values))
    else:
        ahead = solved & (values > values[np.argmax(visits)])
        order = np.lexsort((-values, np.where(ahead, 0, -visits), ~ahead))
    return children[order], values[order], visits[order]
