"""Tests of fullpool.curriculum.lineup_search."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fullpool.curriculum.lineup_model import PairModel
from fullpool.curriculum.lineup_search import (
    SearchRules,
    doubled_roles,
    draw_partition,
    search_partition,
    splits,
)
from fullpool.games.lineups import is_reserved


def rules_of(num_heroes: int, num_roles: int, seed: int = 0) -> SearchRules:
    zeros = np.zeros((num_heroes, num_heroes))
    strength = np.random.default_rng(seed).normal(scale=0.5, size=num_heroes)
    heroes = tuple(f"hero{i}" for i in range(num_heroes))
    roles = tuple(f"role{i % num_roles}" for i in range(num_heroes))
    return SearchRules(heroes, roles, PairModel(strength, zeros, zeros), role_weight=0.1)


@given(pool=st.integers(4, 23), team=st.integers(1, 2), seed=st.integers(0, 99))
@settings(max_examples=40, deadline=None)
def test_dealt_groups_hold_every_hero_once_and_guests_only_in_the_last(
    pool: int, team: int, seed: int
) -> None:
    partition = draw_partition(np.random.default_rng(seed), range(pool), team)
    assert partition.groups.shape == (-(-pool // (2 * team)), 2, team)
    assert sorted(partition.groups[~partition.guests].tolist()) == list(range(pool))
    assert not partition.guests[:-1].any()
    for group in partition.groups:
        assert len(set(group.reshape(-1).tolist())) == 2 * team


@pytest.mark.parametrize("pool", [40, 33])
def test_search_finds_even_groups_with_all_roles_and_none_reserved(pool: int) -> None:
    rules = rules_of(pool, 6)
    partition = search_partition(
        rules, range(pool), 5, generator=np.random.default_rng(1), num_restarts=2, num_steps=300
    )
    assert sorted(partition.groups[~partition.guests].tolist()) == list(range(pool))
    assert not partition.guests[:-1].any()
    assert partition.guests.sum() == len(partition.groups) * 10 - pool
    for group in partition.groups:
        assert len(set(group.reshape(-1).tolist())) == 10
        assert not is_reserved(*[[rules.heroes[i] for i in team] for team in group])
    assert np.abs(rules.model(partition.groups) - 0.5).max() < 0.03
    assert doubled_roles(partition.groups, rules.roles).sum() == 0


def test_search_beats_a_random_deal_and_is_seeded() -> None:
    rules = rules_of(20, 5, seed=3)
    found = [
        search_partition(
            rules, range(20), 5, generator=np.random.default_rng(2), num_restarts=1, num_steps=200
        )
        for _ in range(2)
    ]
    np.testing.assert_array_equal(found[0].groups, found[1].groups)
    dealt = draw_partition(np.random.default_rng(2), range(20), 5)
    assert rules.costs(found[0].groups).sum() < rules.costs(dealt.groups).sum()


def test_doubled_roles_by_hand() -> None:
    roles = ("tank", "mage", "tank", "mage", "tank", "tank")
    groups = np.array([[[0, 1], [2, 3]], [[0, 2], [1, 3]], [[0, 1], [4, 5]]], np.int16)
    np.testing.assert_array_equal(doubled_roles(groups, roles), [0, 2, 1])


def test_splits_come_best_first_and_keep_roles() -> None:
    rules = rules_of(10, 5, seed=5)
    group = np.arange(10).reshape(2, 5).astype(np.int16)
    lineups, costs = splits(group, rules, 6)
    assert len(lineups) == 6
    assert np.all(np.diff(costs) >= 0)
    assert doubled_roles(lineups, rules.roles).sum() == 0
    for lineup in lineups:
        assert sorted(lineup.reshape(-1).tolist()) == list(range(10))
        assert not is_reserved(*[[rules.heroes[i] for i in team] for team in lineup])


def test_a_pool_that_cannot_be_split_is_refused() -> None:
    rules = rules_of(40, 2)
    generator = np.random.default_rng(0)
    with pytest.raises(ValueError, match="needs 10 heroes, the pool holds 9"):
        draw_partition(generator, range(9), 5)
    with pytest.raises(ValueError, match="holds a hero twice"):
        draw_partition(generator, [1, 1, 2, 3], 1)
    pair = next([i, j] for i in range(40) for j in range(i) if is_reserved([f"hero{i}"], [f"hero{j}"]))
    with pytest.raises(ValueError, match="reserved for evaluation"):
        search_partition(rules, pair, 1, generator=generator, num_restarts=2, num_steps=5)
