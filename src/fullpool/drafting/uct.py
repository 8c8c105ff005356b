"""UCT on the trees of a batch of drafts: walks down to new leaves, values backed up, random ends of drafts.

What the values mean, and which nodes are solved, is said in `drafting.tree`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fullpool.drafting.roles import Owners
from fullpool.drafting.state import fill_legal
from fullpool.drafting.tree import UNEXPANDED, KernelRules, Trees, add_node, next_random
from fullpool.games.contract import Floats, Ints, Shorts
from fullpool.numerics.kernels import kernel

NOTHING, TO_EVALUATE, OVER = 0, 1, 2
"""What `select` found for a leaf: no leaf, a draft under way, a finished draft."""


@kernel
def _choose_child(t: Trees, d: int, node: int, acting: int, exploration: float, first_play: float) -> int:
    """Picks the unsolved child with the highest upper confidence bound; -1: expand a new one."""
    seen = max(t.visits[d, node] + t.pending[d, node], 1)
    scale = exploration * np.sqrt(np.log(seen))
    own = t.total[d, node] / max(t.visits[d, node], 1) if t.visits[d, node] > 0 else 0.5
    if acting == 1:
        own = 1.0 - own
    # A child never tried counts as tried once with its parent's value, less `first_play`.
    best_child, best_score = -1, -1e9
    for h in range(t.children.shape[2]):
        child = t.children[d, node, h]
        if child < 0 or t.solved[d, child]:
            continue
        visits = t.visits[d, child]
        value = own
        if visits > 0:
            value = t.total[d, child] / visits
            if acting == 1:
                value = 1.0 - value
        score = value + scale / np.sqrt(visits + t.pending[d, child])
        if score > best_score:
            best_child, best_score = child, score
    if own - first_play + scale > best_score:
        return -1
    return best_child


@kernel
def _next_unexpanded(t: Trees, d: int, node: int) -> int:
    """A legal hero of the node without a child: the next in order, or any with equal chance; -1 if there is none."""
    for h in t.order:
        if t.children[d, node, h] == UNEXPANDED:
            return int(h)
    count = 0
    for h in range(t.children.shape[2]):
        count += t.children[d, node, h] == UNEXPANDED
    if count == 0:
        return -1
    wanted = np.int64(next_random(t.random, d) % np.uint64(count))
    for h in range(t.children.shape[2]):
        if t.children[d, node, h] == UNEXPANDED:
            if wanted == 0:
                return h
            wanted -= 1
    return -1


@kernel
def select(
    t: Trees,
    rules: KernelRules,
    exploration: float,
    first_play: float,
    leaf: Ints,
    owners: Owners,
    status: Owners,
) -> None:
    """Walks every tree down to its next leaves; a leaf is a new node wherever there is room for one.

    UCT (Kocsis and Szepesvari 2006, UCB1 of section 2.2) on values in [0, 1]. Leaves of one batch are kept apart by
    counting evaluations under way in the visits of the bound, not in the mean (Liu et al. 2020, WU-UCT).

    Args:
        t: the trees.
        rules: team and kind of each step, slot masks, team size.
        exploration: factor of the confidence bound.
        first_play: below its parent's value, how much a child that was never tried is worth; very negative: every
            child is tried once before any is tried twice.
        leaf: `[D, L]` leaves, written.
        owners: `[D, L, H]` their states, written.
        status: `[D, L]` NOTHING, TO_EVALUATE or OVER, written.
    """
    team_of, is_pick = rules[0], rules[1]
    num_drafts, num_leaves = leaf.shape
    for d in range(num_drafts):
        for i in range(num_leaves):
            status[d, i] = NOTHING
            if t.solved[d, 0] or t.size[d] == 0:
                continue
            owner = owners[d, i]
            for h in range(len(owner)):
                owner[h] = t.owner[d, h]
            node = 0
            while True:
                step = t.step[d, node]
                if step == len(team_of):
                    break
                child = _choose_child(t, d, node, team_of[step], exploration, first_play)
                hero = _next_unexpanded(t, d, node) if child < 0 else t.hero[d, child]
                if hero < 0:
                    # Everything is expanded: the bound must decide, whatever an untried child would be worth.
                    child = _choose_child(t, d, node, team_of[step], exploration, 1e9)
                    if child < 0:
                        break
                    hero = t.hero[d, child]
                if child < 0 and t.size[d] == t.parent.shape[1]:
                    break
                owner[hero] = team_of[step] + 1 if is_pick[step] else 3
                if child < 0:
                    child = add_node(t, d, node, hero, step + 1, owner, rules)
                    t.children[d, node, hero] = child
                    node = child
                    break
                node = child
            leaf[d, i] = node
            status[d, i] = OVER if t.step[d, node] == len(team_of) else TO_EVALUATE
            while node >= 0:
                t.pending[d, node] += 1
                node = t.parent[d, node]


@kernel
def back_up(t: Trees, team_of: Owners, leaf: Ints, values: Floats, status: Owners) -> None:
    """Adds the leaves' values to all nodes above them and marks what is proven.

    A finished draft proves its node; a node is proven when all its children are (Winands, Bjornsson, Saito 2008,
    MCTS-Solver, on real values). A value that passes a node with a better proven child is replaced by that child's:
    the acting team would take it.

    Args:
        t: the trees.
        team_of: `[S]` acting team of each step.
        leaf: `[D, L]` leaves.
        values: `[D, L]` probability that team 0 wins.
        status: `[D, L]` as `select` wrote it.
    """
    for d in range(leaf.shape[0]):
        for i in range(leaf.shape[1]):
            if status[d, i] == NOTHING:
                continue
            node, value = leaf[d, i], np.float64(values[d, i])
            proven = status[d, i] == OVER and not t.solved[d, node]
            if proven:
                t.solved[d, node], t.best[d, node] = True, value
            child = -1
            while node >= 0:
                if child >= 0:
                    high = team_of[t.step[d, node]] == 0
                    if proven:
                        below = t.best[d, child]
                        t.best[d, node] = max(t.best[d, node], below) if high else min(t.best[d, node], below)
                        t.open[d, node] -= 1
                        proven = t.open[d, node] == 0
                        if proven:
                            t.solved[d, node] = True
                    if t.solved[d, node]:
                        value = t.best[d, node]
                    else:
                        value = max(value, t.best[d, node]) if high else min(value, t.best[d, node])
                t.visits[d, node] += 1
                t.pending[d, node] -= 1
                t.total[d, node] += value
                child, node = node, t.parent[d, node]


@kernel
def complete(t: Trees, owners: Owners, steps: Shorts, drafts: NDArray[np.int64], rules: KernelRules) -> None:
    """Plays drafts to their end with random legal heroes, in place.

    Args:
        t: the trees, whose locks and random numbers are used.
        owners: `[B, H]` states, changed.
        steps: `[B]` steps taken in each.
        drafts: `[B]` which draft each state belongs to.
        rules: as in `select`.
    """
    team_of, is_pick, masks, team_size = rules
    num_heroes = owners.shape[1]
    legal = np.zeros(num_heroes, np.bool_)
    free = np.empty(num_heroes, np.int64)
    for row in range(len(owners)):
        d, owner, count = drafts[row], owners[row], 0
        for h in range(num_heroes):
            if owner[h] == 0:
                free[count] = h
                count += 1
        for step in range(steps[row], len(team_of)):
            if t.matched[d]:
                fill_legal(owner, step, t.locked[d], team_of, is_pick, masks, team_size, True, legal)
            team, picks = team_of[step], is_pick[step]
            while True:
                # Draws until the hero is legal: most are, and each legal one has the same chance.
                place = np.int64(next_random(t.random, d) % np.uint64(count))
                hero = free[place]
                if t.matched[d]:
                    if legal[hero]:
                        break
                elif not t.locked[d, team, hero] or (not picks and not t.locked[d, 1 - team, hero]):
                    break
            owner[hero] = team + 1 if picks else 3
            count -= 1
            free[place] = free[count]
