"""Search trees as arrays, one of each draft of a batch, and the kernels that plant, grow and re-root them.

Values are always the probability that team 0, the first to act, wins; the team that acts in a node wants it high or
low, so a team that acts twice in a row needs no sign. Nodes whose value is proven are marked as solved.
`drafting.uct` searches them.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fullpool.drafting.roles import Bools, Masks, Owners
from fullpool.drafting.state import fill_legal
from fullpool.games.contract import Seeds
from fullpool.numerics.kernels import kernel

UNEXPANDED, ILLEGAL = -1, -2
KernelRules = tuple[Owners, Bools, Masks, int]
"""Acting team and kind of each step, slot masks, team size."""


class Trees(NamedTuple):
    """Search trees of `D` drafts with room for `M` nodes each; node 0 is the root, parents precede their children.

    Attributes:
        size: `[D]` nodes in use.
        parent: `[D, M]` parent of each node; -1 for the root.
        hero: `[D, M]` hero whose taking led to the node.
        step: `[D, M]` steps taken in the node's state.
        visits: `[D, M]` evaluations backed up through the node.
        pending: `[D, M]` evaluations under way below the node.
        total: `[D, M]` sum of the values backed up.
        best: `[D, M]` best proven value among the children for the acting team; the value itself once solved.
        solved: `[D, M]` whether the value is proven.
        open: `[D, M]` legal children that are not solved.
        children: `[D, M, H]` child of each hero, UNEXPANDED or ILLEGAL.
        owner: `[D, H]` owner of each hero at the root.
        locked: `[D, 2, H]` locks of each draft.
        matched: `[D]` whether legality needs a matching (`state.needs_matching`).
        order: `[H]` heroes in the order in which new children are tried; `[0]`: at random.
        random: `[D]` state of each draft's random numbers.
    """

    size: NDArray[np.int32]
    parent: NDArray[np.int32]
    hero: NDArray[np.int16]
    step: NDArray[np.int16]
    visits: NDArray[np.int32]
    pending: NDArray[np.int32]
    total: NDArray[np.float64]
    best: NDArray[np.float64]
    solved: NDArray[np.bool_]
    open: NDArray[np.int16]
    children: NDArray[np.int32]
    owner: NDArray[np.int8]
    locked: NDArray[np.bool_]
    matched: NDArray[np.bool_]
    order: NDArray[np.int16]
    random: NDArray[np.uint64]


def allocate_trees(num_drafts: int, num_nodes: int, num_heroes: int) -> Trees:
    """Allocates empty trees."""
    shape = (num_drafts, num_nodes)
    kinds: dict[str, Any] = {
        "parent": np.int32, "hero": np.int16, "step": np.int16, "visits": np.int32, "pending": np.int32,
        "total": np.float64, "best": np.float64, "solved": np.bool_, "open": np.int16,
    }  # fmt: skip
    return Trees(
        size=np.zeros(num_drafts, np.int32),
        children=np.empty((*shape, num_heroes), np.int32),
        owner=np.zeros((num_drafts, num_heroes), np.int8),
        locked=np.zeros((num_drafts, 2, num_heroes), bool),
        matched=np.zeros(num_drafts, bool),
        order=np.zeros(0, np.int16),
        random=np.zeros(num_drafts, np.uint64),
        **{name: np.zeros(shape, kind) for name, kind in kinds.items()},
    )


@kernel
def next_random(states: Seeds, draft: int) -> np.uint64:
    """Draws 64 random bits of a draft (splitmix64, Steele, Lea, Flood 2014)."""
    states[draft] += np.uint64(0x9E3779B97F4A7C15)
    bits = states[draft]
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.uint64(bits ^ (bits >> np.uint64(31)))


@kernel
def add_node(t: Trees, d: int, parent: int, hero: int, step: int, owner: Owners, rules: KernelRules) -> int:
    """Appends a node for a state and lists its legal heroes.

    Args:
        t: the trees.
        d: which tree; it must have room.
        parent: the node above, -1 for a root.
        hero: whose taking led here, -1 for a root.
        step: steps taken in the state.
        owner: `[H]` the state.
        rules: team and kind of each step, slot masks, team size.

    Returns:
        Its index.
    """
    team_of, is_pick, masks, team_size = rules
    node = int(t.size[d])
    t.size[d] += 1
    t.parent[d, node], t.hero[d, node], t.step[d, node] = parent, hero, step
    t.visits[d, node], t.pending[d, node], t.total[d, node] = 0, 0, 0.0
    t.solved[d, node], t.open[d, node] = False, 0
    t.children[d, node] = ILLEGAL
    if step < len(team_of):
        legal = np.zeros(len(owner), np.bool_)
        t.open[d, node] = fill_legal(
            owner, step, t.locked[d], team_of, is_pick, masks, team_size, t.matched[d], legal
        )
        t.best[d, node] = -1.0 if team_of[step] == 0 else 2.0
        for h in range(len(owner)):
            if legal[h]:
                t.children[d, node, h] = UNEXPANDED
    return node


@kernel
def plant(t: Trees, d: int, step: int, rules: KernelRules) -> None:
    """Starts tree `d` anew from its root state in `t.owner` after `step` steps."""
    t.size[d] = 0
    add_node(t, d, -1, -1, step, t.owner[d], rules)


@kernel
def reroot(t: Trees, d: int, hero: int, is_pick: Bools, team_of: Owners) -> bool:
    """Makes the child that `hero` leads to the root of tree `d` and keeps what lies below; false if there is none.

    Parents precede children, so one pass in ascending order marks the subtree, and moving nodes down in the same
    order never overwrites one that is still needed.
    """
    top = t.children[d, 0, hero]
    if top < 0:
        return False
    step = t.step[d, 0]
    t.owner[d, hero] = team_of[step] + 1 if is_pick[step] else 3
    moved = np.full(t.size[d], -1, np.int32)
    moved[top] = 0
    count = 1
    for node in range(top + 1, t.size[d]):
        if moved[t.parent[d, node]] >= 0:
            moved[node] = count
            count += 1
    for node in range(top, t.size[d]):
        new = moved[node]
        if new < 0:
            continue
        t.parent[d, new] = moved[t.parent[d, node]] if node != top else -1
        t.hero[d, new], t.step[d, new] = t.hero[d, node], t.step[d, node]
        t.visits[d, new], t.pending[d, new] = t.visits[d, node], t.pending[d, node]
        t.total[d, new], t.best[d, new] = t.total[d, node], t.best[d, node]
        t.solved[d, new], t.open[d, new] = t.solved[d, node], t.open[d, node]
        for h in range(t.children.shape[2]):
            child = t.children[d, node, h]
            t.children[d, new, h] = moved[child] if child >= 0 else child
    t.size[d] = count
    return True
