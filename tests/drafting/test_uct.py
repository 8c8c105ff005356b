"""The kernels of the search by themselves, on trees small enough to count."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest

from fullpool.drafting.formats import load_format
from fullpool.drafting.state import DraftRules, make_rules, replay
from fullpool.drafting.tree import KernelRules, Trees, allocate_trees, plant
from fullpool.drafting.uct import NOTHING, OVER, TO_EVALUATE, back_up, complete, select

HEROES = 6


class Found(NamedTuple):
    """What one call of `select` wrote."""

    leaf: Any
    owners: Any
    status: Any


@pytest.fixture
def small() -> DraftRules:
    """Two picks a team."""
    return make_rules(load_format("snake2"), [f"h{i}" for i in range(HEROES)])


def planted(rules: DraftRules, history: list[int]) -> tuple[Trees, KernelRules]:
    """A tree whose root is the state after some picks."""
    t = allocate_trees(1, 200, HEROES)
    t.random[:] = 7
    t.owner[0] = replay(rules, history).owner
    kernel_rules = (rules.team, rules.is_pick, rules.masks, rules.team_size)
    plant(t, 0, len(history), kernel_rules)
    return t, kernel_rules


def walk(t: Trees, rules: KernelRules, leaves: int) -> Found:
    """Walks down with every child tried once before any is tried twice."""
    found = Found(
        np.zeros((1, leaves), np.int32),
        np.zeros((1, leaves, HEROES), np.int8),
        np.zeros((1, leaves), np.int8),
    )
    select(t, rules, 0.3, -9.0, *found)
    return found


def test_leaves_of_one_batch_lie_apart_and_their_values_reach_the_root(small: DraftRules) -> None:
    t, rules = planted(small, [])
    found = walk(t, rules, HEROES)
    assert (found.status == TO_EVALUATE).all()
    assert sorted(found.leaf[0]) == list(range(1, HEROES + 1))
    np.testing.assert_array_equal(np.sort(found.owners[0].argmax(axis=1)), np.arange(HEROES))
    assert t.pending[0, : HEROES + 1].tolist() == [HEROES] + [1] * HEROES
    values = np.linspace(0.1, 0.6, HEROES, dtype=np.float32).reshape(1, -1)
    back_up(t, small.team, found.leaf, values, found.status)
    assert not t.pending.any()
    assert t.visits[0, 0] == HEROES
    np.testing.assert_allclose(t.total[0, 0], values.sum(), rtol=1e-6)
    np.testing.assert_allclose(t.total[0, found.leaf[0]], values[0], rtol=1e-6)


@pytest.mark.parametrize("history", [[0, 1, 2], [0]])
def test_a_root_is_proven_by_its_ends(small: DraftRules, history: list[int]) -> None:
    t, rules = planted(small, history)
    worth = np.random.default_rng(0).random((HEROES, HEROES))

    def value(owner: np.ndarray) -> float:
        """Depends on who has which heroes."""
        return float(worth[owner == 1].sum() / 24 - worth[:, owner == 2].sum() / 24 + 0.5)

    def best(taken: list[int]) -> float:
        """Minimax by itself."""
        if len(taken) == small.num_steps:
            return value(replay(small, taken).owner)
        below = [best([*taken, hero]) for hero in range(HEROES) if hero not in taken]
        return max(below) if small.team[len(taken)] == 0 else min(below)

    for _ in range(400):
        found = walk(t, rules, 2)
        values = np.array([[value(owner) for owner in found.owners[0]]], np.float32)
        back_up(t, small.team, found.leaf, values, found.status)
        if t.solved[0, 0]:
            break
    assert t.solved[0, 0]
    np.testing.assert_allclose(t.best[0, 0], best(history), rtol=1e-6)
    assert (walk(t, rules, 2).status == NOTHING).all()


def test_a_finished_draft_is_its_own_leaf(small: DraftRules) -> None:
    t, rules = planted(small, [0, 1, 2, 3])
    found = walk(t, rules, 1)
    assert found.status.tolist() == [[OVER]]
    back_up(t, small.team, found.leaf, np.array([[0.25]], np.float32), found.status)
    assert t.solved[0, 0]
    assert t.best[0, 0] == 0.25


def test_random_ends_are_legal_and_reach_every_hero(small: DraftRules) -> None:
    t, rules = planted(small, [])
    t.locked[0, 1, 5] = True
    owners = np.repeat(replay(small, [3]).owner[None], 300, axis=0)
    complete(t, owners, np.ones(300, np.int16), np.zeros(300, np.int64), rules)
    assert ((owners == 1).sum(axis=1) == 2).all()
    assert ((owners == 2).sum(axis=1) == 2).all()
    assert (owners[:, 3] == 1).all()
    assert not (owners[:, 5] == 2).any()
    assert (owners[:, [0, 1, 2, 4]] == 1).any(axis=0).all()
    assert (owners[:, [0, 1, 2, 4]] == 2).any(axis=0).all()
