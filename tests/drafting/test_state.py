from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st

from fullpool.drafting.formats import load_format
from fullpool.drafting.roles import RoleRules, completable, slot_masks
from fullpool.drafting.state import (
    CLOSED,
    FREE,
    DraftRules,
    initial_state,
    legal_heroes,
    lineups,
    make_rules,
    replay,
    take,
)

ROLES = ("tank", "mage", "carry")


def _names(count: int) -> list[str]:
    return [f"hero{i}" for i in range(count)]


def _fieldable(team: list[int], masks: np.ndarray) -> bool:
    return any(
        all(masks[hero] >> slot & 1 for slot, hero in enumerate(order)) for order in permutations(team)
    )


@settings(deadline=None, max_examples=40)
@given(st.sampled_from(["juewu", "kpl", "dota2_cm_7.40", "snake2"]), st.integers(0, 2**32 - 1))
def test_random_drafts_take_every_hero_once_and_fill_both_teams(name: str, seed: int) -> None:
    rules = make_rules(load_format(name), _names(30))
    generator = np.random.default_rng(seed)
    state = initial_state(rules)
    while state.step < rules.num_steps:
        legal = legal_heroes(rules, state)
        assert not legal[list(state.history)].any()
        assert legal.sum() == 30 - state.step
        state = take(rules, state, int(generator.choice(np.flatnonzero(legal))))
    assert len(set(state.history)) == rules.num_steps
    assert lineups(state.owner[None], rules.team_size).shape == (1, 2, rules.team_size)
    assert not legal_heroes(rules, state).any()
    np.testing.assert_array_equal(replay(rules, state.history).owner, state.owner)


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 2**32 - 1))
def test_drafts_under_role_rules_and_locks_never_reach_a_dead_end(seed: int) -> None:
    generator = np.random.default_rng(seed)
    heroes = _names(15)
    roles = {name: list(generator.choice(ROLES, generator.integers(1, 3), replace=False)) for name in heroes}
    slots = (("tank",), ("mage",), ("carry",), ("any",))
    try:
        rules = make_rules(load_format("snake4"), heroes, role_rules=RoleRules(slots=slots), roles=roles)
        state = initial_state(rules, generator.random((2, 15)) < 0.2)
    except ValueError:
        reject()
    while state.step < rules.num_steps:
        legal = np.flatnonzero(legal_heroes(rules, state))
        assert len(legal) > 0
        state = take(rules, state, int(generator.choice(legal)))
    for team, picks in enumerate(lineups(state.owner[None], 4)[0].tolist()):
        assert _fieldable(picks, rules.masks)
        assert not state.locked[team, picks].any()


@settings(deadline=None, max_examples=100)
@given(st.integers(0, 2**32 - 1))
def test_completable_agrees_with_trying_everything(seed: int) -> None:
    generator = np.random.default_rng(seed)
    count = 6
    owner = generator.choice([0, 0, 0, 1, 2, 3], count).astype(np.int8)
    owner[np.flatnonzero(owner == 1)[2:]] = 0
    owner[np.flatnonzero(owner == 2)[2:]] = 0
    locked = generator.random((2, count)) < 0.3
    masks = generator.integers(0, 4, count).astype(np.int32)

    def possible() -> bool:
        for chosen in permutations(range(count), 4):
            teams = (list(chosen[:2]), list(chosen[2:]))
            if all(_covers(team, picks) for team, picks in enumerate(teams)):
                return True
        return False

    def _covers(team: int, picks: list[int]) -> bool:
        mine = set(np.flatnonzero(owner == team + 1).tolist())
        usable = all(h in mine or (owner[h] == 0 and not locked[team, h]) for h in picks)
        return usable and mine <= set(picks) and all(masks[h] >> slot & 1 for slot, h in enumerate(picks))

    assert completable(owner, locked, masks, 2) == possible()


def test_a_pick_that_would_leave_no_line_up_is_refused_by_name() -> None:
    heroes, roles = (
        ["oak", "elm", "fire", "ice"],
        {"oak": ["tank"], "elm": ["tank"], "fire": ["mage"], "ice": ["mage"]},
    )
    rule = RoleRules(slots=(("tank",), ("mage",)))
    rules = make_rules(load_format("snake2"), heroes, role_rules=rule, roles=roles)
    state = take(rules, take(rules, initial_state(rules), 0), 1)
    np.testing.assert_array_equal(legal_heroes(rules, state), [False, False, True, True])
    state = take(rules, initial_state(rules), 0)
    crowded = make_rules(
        load_format("snake2"), [*heroes, "ash"], role_rules=rule, roles={**roles, "ash": ["tank"]}
    )
    state = take(crowded, initial_state(crowded), 0)
    state = take(crowded, state, 1)
    with pytest.raises(ValueError, match="step 3: 'ash' would leave no line-up"):
        take(crowded, state, 4)


def test_illegal_steps_say_why() -> None:
    rules = make_rules(load_format("snake1"), _names(3))
    locked = np.zeros((2, 3), bool)
    locked[0, 2] = True
    state = initial_state(rules, locked)
    with pytest.raises(ValueError, match="step 1: 'hero2' is locked for this team"):
        take(rules, state, 2)
    state = take(rules, state, 0)
    with pytest.raises(ValueError, match="step 2: 'hero0' is already picked or banned"):
        take(rules, state, 0)
    with pytest.raises(ValueError, match=r"hero ids lie in \[0, 3\), got 3"):
        take(rules, state, 3)
    state = take(rules, state, 2)
    with pytest.raises(ValueError, match="the draft is over after 2 steps"):
        take(rules, state, 1)


def test_pools_and_rules_that_cannot_work_are_refused() -> None:
    with pytest.raises(ValueError, match="the pool holds 3"):
        make_rules(load_format("snake2"), _names(3))
    with pytest.raises(ValueError, match=r"names heroes twice: \['a'\]"):
        make_rules(load_format("snake1"), ["a", "a"])
    rule = RoleRules(slots=(("tank",),))
    with pytest.raises(ValueError, match="no draft of format 'snake1' can end"):
        make_rules(load_format("snake1"), ["a", "b"], role_rules=rule, roles={"a": ["tank"], "b": ["mage"]})
    with pytest.raises(ValueError, match=r"must have shape \(2, 2\)"):
        initial_state(make_rules(load_format("snake1"), ["a", "b"]), np.zeros((1, 2), bool))


def test_slot_masks_refuse_unknown_roles_with_close_matches() -> None:
    roles = {"a": ["tank"], "b": ["mage"]}
    with pytest.raises(ValueError, match=r"no hero has role 'tanc'.*did you mean 'tank'"):
        slot_masks(RoleRules(slots=(("tanc",),)), roles, ["a", "b"], 1)
    with pytest.raises(ValueError, match="2 slots, the format has 1"):
        slot_masks(RoleRules(slots=(("tank",), ("mage",))), roles, ["a", "b"], 1)
    with pytest.raises(ValueError, match=r"none for \['c'\]"):
        slot_masks(RoleRules(slots=(("tank",),)), roles, ["a", "c"], 1)


def test_hero_names_are_looked_up_with_close_matches() -> None:
    rules: DraftRules = make_rules(load_format("snake1"), ["Bulwarden", "Mossback"])
    assert rules.hero_id("Mossback") == 1
    with pytest.raises(ValueError, match="did you mean 'Mossback'"):
        rules.hero_id("Mosback")


def test_line_ups_of_an_unfinished_draft_are_refused() -> None:
    with pytest.raises(ValueError, match="at least one draft is not over"):
        lineups(np.array([[1, 2, 0, 0]], np.int8), 2)


def test_a_hero_that_is_locked_for_both_is_closed_and_one_locked_for_one_is_not() -> None:
    rules = make_rules(load_format("snake1"), ["a", "b", "c", "d"])
    locked = np.array([[True, True, False, False], [True, False, False, False]])
    state = initial_state(rules, locked)
    assert state.owner.tolist() == [CLOSED, FREE, FREE, FREE]
    assert np.flatnonzero(legal_heroes(rules, state)).tolist() == [2, 3]
    with pytest.raises(ValueError, match="'a' is locked for this team"):
        take(rules, state, 0)
