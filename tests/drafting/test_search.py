from __future__ import annotations

import time

import numpy as np
import pytest

from fullpool.drafting.formats import load_format
from fullpool.drafting.minimax import minimax
from fullpool.drafting.search import EndFn, Search
from fullpool.drafting.settings import SearchSettings
from fullpool.drafting.state import DraftRules, initial_state, make_rules, replay, take


def _random_table(seed: int, num_heroes: int) -> EndFn:
    """A win rate for each finished draft, drawn anew a table, without any structure."""
    keys = np.random.default_rng(seed).integers(1, 2**62, (3, num_heroes))

    def rate(owners: np.ndarray) -> np.ndarray:
        first, second = (owners == 1) @ keys[0], (owners == 2) @ keys[1]
        mixed = (first * 0x9E3779B9 + second * 0x85EBCA6B) % 1_000_003
        return np.asarray(mixed / 1_000_003, np.float32)

    return rate


def _options(simulations: int, leaves: int = 1) -> SearchSettings:
    return SearchSettings(simulations=simulations, leaves=leaves, exploration=0.3, first_play=0.0)


def _pool(num_heroes: int, name: str = "snake2") -> DraftRules:
    return make_rules(load_format(name), [f"h{i}" for i in range(num_heroes)])


@pytest.mark.parametrize("seed", range(20))
def test_uct_finds_the_minimax_value_of_a_random_table(seed: int) -> None:
    rules, end_fn = _pool(10), _random_table(seed, 10)
    state = initial_state(rules)
    exact = minimax(rules, state, end_fn)
    search = Search(rules, _options(8000, leaves=4), end_fn, None, num_drafts=1, seed=seed)
    found = search.suggest([state])[0]
    assert found.values[0] == pytest.approx(exact.values[0], abs=1e-3)
    assert search.root_value(0) == pytest.approx(exact.values[0], abs=1e-3)
    assert found.heroes[0] in exact.heroes[np.isclose(exact.values, exact.values[0])]


def test_a_proven_root_stops_the_search() -> None:
    rules = _pool(4)
    search = Search(rules, _options(10_000), _random_table(0, 4), None, num_drafts=1, seed=0)
    search.suggest([initial_state(rules)])
    assert search.trees.solved[0, 0]
    assert search.num_simulations < 100


def test_the_last_pick_is_exact_for_either_team() -> None:
    for name, history in (("snake2", [0, 1, 2]), ("snake1", [0])):
        rules, end_fn = _pool(9, name), _random_table(1, 9)
        state = replay(rules, history)
        found = Search(rules, _options(20), end_fn, None, num_drafts=1, seed=0).suggest([state])[0]
        exact = minimax(rules, state, end_fn)
        np.testing.assert_allclose(found.values, exact.values, atol=1e-6)
        np.testing.assert_array_equal(found.heroes, exact.heroes)


def test_a_hand_set_position_both_teams_take_what_they_want() -> None:
    # Hero 3 decides the game for whoever holds it, hero 2 is the best of the rest.
    worth = np.array([0.0, 0.1, 0.5, 3.0])

    def end_fn(owners: np.ndarray) -> np.ndarray:
        logit = ((owners == 1) - 1.0 * (owners == 2)) @ worth
        return np.asarray(1 / (1 + np.exp(-logit)), np.float32)

    rules = _pool(4)
    found = Search(rules, _options(200), end_fn, None, num_drafts=1, seed=0).suggest(
        [initial_state(rules)], with_line=True
    )[0]
    assert found.heroes[0] == 3
    assert sorted(found.line) == [0, 1, 2, 3]
    assert set(found.line[1:3]) == {1, 2}
    assert found.values[0] == pytest.approx(1 / (1 + np.exp(-(3.0 - 0.6))), abs=1e-6)


def test_a_value_function_replaces_random_ends() -> None:
    rules, end_fn, calls = _pool(12, "snake3"), _random_table(0, 12), []

    def leaf_fn(owners: np.ndarray, steps: np.ndarray) -> np.ndarray:
        calls.append(len(owners))
        assert ((owners > 0).sum(1) == steps).all()
        assert (steps < rules.num_steps).all()
        return np.full(len(owners), 0.5, np.float32)

    search = Search(rules, _options(64, leaves=8), end_fn, leaf_fn, num_drafts=4, seed=0)
    search.suggest([initial_state(rules)] * 4)
    assert search.num_simulations == 256
    assert max(calls) == 32


def test_the_same_seed_gives_the_same_suggestions_and_drafts_do_not_mix() -> None:
    rules, end_fn = _pool(12, "snake3"), _random_table(0, 12)
    state = initial_state(rules)
    runs = [
        Search(rules, _options(100), end_fn, None, num_drafts=2, seed=5).suggest([state] * 2)
        for _ in range(2)
    ]
    other = Search(rules, _options(100), end_fn, None, num_drafts=2, seed=6).suggest([state] * 2)
    np.testing.assert_array_equal(runs[0][1].visits, runs[1][1].visits)
    np.testing.assert_array_equal(runs[0][1].heroes, runs[1][1].heroes)
    assert not np.array_equal(runs[0][0].values, runs[0][1].values)
    assert not np.array_equal(runs[0][0].values, other[0].values)


def test_trees_are_kept_between_picks_and_replanted_for_another_draft() -> None:
    rules, end_fn = _pool(12, "snake3"), _random_table(0, 12)
    search = Search(rules, _options(200), end_fn, None, num_drafts=1, seed=0)
    state = initial_state(rules)
    best = int(search.suggest([state])[0].heroes[0])
    kept = int(search.trees.visits[0, search.trees.children[0, 0, best]])
    search.suggest([take(rules, state, best)])
    assert search.trees.visits[0, 0] == kept + 200
    search.suggest([replay(rules, [11])])
    assert search.trees.visits[0, 0] <= 200 + 200
    assert search.trees.owner[0].nonzero()[0].tolist() == [11]
    locked = np.zeros((2, 12), bool)
    locked[:, :2] = True
    found = search.suggest([replay(rules, [11], locked)])[0]
    assert not set(found.heroes.tolist()) & {0, 1, 11}


def test_minimax_line_ends_in_its_value_and_big_pools_are_refused() -> None:
    rules, end_fn = _pool(8), _random_table(3, 8)
    found = minimax(rules, initial_state(rules), end_fn, with_line=True)
    assert len(found.line) == 4
    end = replay(rules, found.line)
    assert end_fn(end.owner[None])[0] == pytest.approx(found.values[0])
    big = _pool(40, "juewu")
    with pytest.raises(ValueError, match="use a UCT strategy"):
        minimax(big, initial_state(big), end_fn)


def test_minimax_agrees_with_plain_recursion_with_bans() -> None:
    rules = make_rules(load_format("hok_ranked", bans=1).model_copy(update={}), [f"h{i}" for i in range(13)])
    end_fn = _random_table(4, 13)
    state = replay(rules, list(range(9)))

    def plain(history: list[int]) -> float:
        now = replay(rules, history)
        if now.step == rules.num_steps:
            return float(end_fn(now.owner[None])[0])
        values = [plain([*history, hero]) for hero in range(13) if now.owner[hero] == 0]
        return max(values) if rules.team[now.step] == 0 else min(values)

    first = rules.team[9] == 0
    value = float(minimax(rules, state, end_fn).values[0])
    assert (value if first else 1 - value) == pytest.approx(plain(list(range(9))), abs=1e-6)


def test_heroes_are_tried_in_the_order_that_is_given() -> None:
    rules, order = _pool(12, "snake3"), np.array([7, 3, *(h for h in range(12) if h not in (3, 7))], np.int16)

    def leaf_fn(owners: np.ndarray, steps: np.ndarray) -> np.ndarray:
        return np.full(len(owners), 0.5, np.float32)

    options = SearchSettings(simulations=3, leaves=1, exploration=1.0, first_play=-1.0)
    search = Search(rules, options, _random_table(0, 12), leaf_fn, num_drafts=1, seed=0, order=order)
    found = search.suggest([initial_state(rules)])[0]
    assert sorted(found.heroes.tolist()) == [0, 3, 7]
    search = Search(rules, options, _random_table(0, 12), leaf_fn, num_drafts=1, seed=0, order=order)
    assert sorted(search.suggest([replay(rules, [7, 0])])[0].heroes.tolist()) == [1, 2, 3]


@pytest.mark.parametrize("seed", range(5))
def test_an_order_changes_nothing_in_what_is_proven(seed: int) -> None:
    rules, end_fn = _pool(8), _random_table(seed, 8)
    exact = minimax(rules, initial_state(rules), end_fn)
    order = np.arange(8, dtype=np.int16)[::-1]
    search = Search(rules, _options(6000, leaves=4), end_fn, None, num_drafts=1, seed=seed, order=order)
    search.suggest([initial_state(rules)])
    assert search.root_value(0) == pytest.approx(exact.values[0], abs=1e-3)


def test_a_pick_takes_well_under_a_second() -> None:
    rules, end_fn = _pool(40, "juewu"), _random_table(0, 40)
    search = Search(rules, _options(400, leaves=8), end_fn, None, num_drafts=1, seed=0)
    search.suggest([initial_state(rules)])
    started = time.perf_counter()
    search.suggest([replay(rules, [0, 1])])
    assert time.perf_counter() - started < 1.0
