from __future__ import annotations

import numpy as np
import pytest

from fullpool.drafting.formats import load_format
from fullpool.drafting.minimax import minimax
from fullpool.drafting.outlook import fit_strengths, outlook_logits, strongest_first
from fullpool.drafting.state import DraftRules, initial_state, legal_heroes, make_rules, replay, take
from fullpool.drafting.value import value_indices


def _logit(p: float) -> float:
    return float(np.log(p / (1 - p)))


def _outlook(rules: DraftRules, owners: np.ndarray, steps: int, strengths: np.ndarray) -> float:
    taken, order = np.array([steps], np.int16), strongest_first(strengths)
    return float(outlook_logits(owners[None], taken, rules.team, rules.is_pick, strengths, order)[0])


@pytest.mark.parametrize("seed", range(5))
def test_in_an_additive_game_the_outlook_is_the_minimax_value(seed: int) -> None:
    generator = np.random.default_rng(seed)
    rules = make_rules(load_format("snake2"), [f"h{i}" for i in range(9)])
    strengths = generator.normal(size=9).astype(np.float32)

    def end_fn(owners: np.ndarray) -> np.ndarray:
        logits = ((owners == 1) * 1.0 - (owners == 2)) @ strengths
        return np.asarray(1 / (1 + np.exp(-logits)), np.float32)

    state = initial_state(rules)
    while state.step < rules.num_steps:
        value = float(minimax(rules, state, end_fn).values[0])
        value = 1 - value if rules.team[state.step] == 1 else value
        assert _outlook(rules, state.owner, state.step, strengths) == pytest.approx(_logit(value), abs=1e-4)
        state = take(rules, state, int(generator.choice(np.flatnonzero(legal_heroes(rules, state)))))
    end = _logit(float(end_fn(state.owner[None])[0]))
    assert _outlook(rules, state.owner, state.step, strengths) == pytest.approx(end, abs=1e-4)


def test_a_ban_takes_the_strongest_hero_away_and_banned_heroes_count_for_nobody() -> None:
    rules = make_rules(load_format("hok_ranked", bans=1), [f"h{i}" for i in range(13)])
    strengths = np.arange(13, dtype=np.float32)
    state = replay(rules, [0])
    assert not rules.is_pick[:2].any()
    left = list(range(12, 0, -1))
    expected = 0.0
    for team, picks in zip(rules.team[1:], rules.is_pick[1:]):
        hero = left.pop(0)
        expected += (1 - 2 * int(team)) * hero * bool(picks)
    assert _outlook(rules, state.owner, 1, strengths) == pytest.approx(expected)


def test_nobody_is_expected_to_take_a_closed_hero() -> None:
    rules = make_rules(load_format("snake1"), [f"h{i}" for i in range(4)])
    strengths = np.arange(4, dtype=np.float32)
    state = initial_state(rules, np.array([[False, False, False, True]] * 2))
    # The strongest that is left, 2, goes to the first team, the next one, 1, to the other.
    assert _outlook(rules, state.owner, 0, strengths) == pytest.approx(2 - 1)
    open_to_all = value_indices(initial_state(rules).owner[None], np.zeros(1, np.int16), rules.team, 1)
    closed = value_indices(state.owner[None], np.zeros(1, np.int16), rules.team, 1)
    np.testing.assert_array_equal(closed, open_to_all)


def test_strengths_are_found_again_up_to_their_mean() -> None:
    generator = np.random.default_rng(0)
    truth = generator.normal(size=12)
    owners = np.zeros((300, 12), np.int8)
    drawn = np.argsort(generator.random((300, 12)), axis=1)
    np.put_along_axis(owners, drawn[:, :3], 1, 1)
    np.put_along_axis(owners, drawn[:, 3:6], 2, 1)
    logits = ((owners == 1) * 1.0 - (owners == 2)) @ truth
    found = fit_strengths(owners, (1 / (1 + np.exp(-logits))).astype(np.float32))
    np.testing.assert_allclose(found, truth - truth.mean(), atol=2e-3)
    assert strongest_first(found).tolist() == np.argsort(-truth).tolist()


def test_heroes_that_were_never_picked_have_strength_zero() -> None:
    owners = np.array([[1, 2, 0, 3], [2, 1, 3, 0]], np.int8)
    found = fit_strengths(owners, np.array([1.0, 0.0], np.float32))
    assert found[0] == pytest.approx(-found[1])
    assert found[0] > 1
    np.testing.assert_array_equal(found[2:], 0)
