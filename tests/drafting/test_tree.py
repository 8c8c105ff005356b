from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from fullpool.drafting.formats import load_format
from fullpool.drafting.search import EndFn, Search
from fullpool.drafting.settings import SearchSettings
from fullpool.drafting.state import DraftRules, initial_state, legal_heroes, make_rules, take
from fullpool.drafting.tree import ILLEGAL, Trees, next_random, reroot


def _end_fn(seed: int, heroes: int) -> EndFn:
    weights = np.random.default_rng(seed).normal(size=(heroes, heroes))

    def rate(owners: np.ndarray) -> np.ndarray:
        first, second = (owners == 1).astype(float), (owners == 2).astype(float)
        logit = np.einsum("bi,ij,bj->b", first, weights, second)
        return np.asarray(1 / (1 + np.exp(-logit)), np.float32)

    return rate


def _searched(rules: DraftRules, seed: int, simulations: int, leaves: int) -> Search:
    options = SearchSettings(simulations=simulations, leaves=leaves, exploration=0.3, first_play=0.0)
    return Search(rules, options, _end_fn(seed, rules.num_heroes), None, num_drafts=3, seed=seed)


def _check(t: Trees, rules: DraftRules, draft: int) -> None:
    size = int(t.size[draft])
    for node in range(size):
        children = t.children[draft, node]
        below = children[children >= 0]
        assert (below > node).all()
        assert (t.parent[draft, below] == node).all()
        assert (t.step[draft, below] == t.step[draft, node] + 1).all()
        assert t.pending[draft, node] == 0
        # Everything but a node's own evaluations went through its children.
        assert t.visits[draft, node] >= t.visits[draft, below].sum()
        if t.visits[draft, node]:
            assert 0 <= t.total[draft, node] <= t.visits[draft, node] + 1e-9
        if t.step[draft, node] < rules.num_steps:
            assert t.open[draft, node] == (children != ILLEGAL).sum() - t.solved[draft, below].sum()
            assert t.solved[draft, node] == (t.open[draft, node] == 0)


@settings(deadline=None, max_examples=15)
@given(st.sampled_from(["snake2", "snake3", "hok_ranked"]), st.integers(1, 8), st.integers(0, 1000))
def test_trees_stay_sound_through_search_and_moves(name: str, leaves: int, seed: int) -> None:
    draft_format = load_format(name, bans=1 if name == "hok_ranked" else None)
    rules = make_rules(draft_format, [f"h{i}" for i in range(13)])
    search = _searched(rules, seed, 60, leaves)
    states = [initial_state(rules)] * 3
    generator = np.random.default_rng(seed)
    for _ in range(rules.num_steps):
        suggestions = search.suggest(states)
        for draft, (state, suggestion) in enumerate(zip(states, suggestions)):
            _check(search.trees, rules, draft)
            legal = legal_heroes(rules, state)
            assert legal[suggestion.heroes].all()
            assert ((suggestion.values >= 0) & (suggestion.values <= 1)).all()
        states = [
            take(rules, s, int(generator.choice(np.flatnonzero(legal_heroes(rules, s))))) for s in states
        ]


def test_a_move_keeps_the_searched_subtree() -> None:
    rules = make_rules(load_format("snake3"), [f"h{i}" for i in range(9)])
    search = _searched(rules, 0, 200, 1)
    suggestion = search.suggest([initial_state(rules)] * 3)[0]
    t, hero = search.trees, int(suggestion.heroes[0])
    top = t.children[0, 0, hero]
    visits, total = int(t.visits[0, top]), float(t.total[0, top])
    assert reroot(t, 0, hero, rules.is_pick, rules.team)
    assert (int(t.visits[0, 0]), float(t.total[0, 0])) == (visits, total)
    assert t.owner[0, hero] == 1
    assert t.parent[0, 0] == -1
    _check(t, rules, 0)
    assert not reroot(t, 0, hero, rules.is_pick, rules.team)


def test_random_numbers_are_those_of_splitmix64() -> None:
    states = np.array([1234567], np.uint64)
    # First outputs of the published reference implementation for this seed.
    assert [int(next_random(states, 0)) for _ in range(3)] == [
        6457827717110365317, 3203168211198807973, 9817491932198370423,
    ]  # fmt: skip
