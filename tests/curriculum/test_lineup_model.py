"""Tests of fullpool.curriculum.lineup_model."""

from __future__ import annotations

import numpy as np
import pytest

from fullpool.curriculum.lineup_model import PairModel, check_matches, fit_pair_model


def random_lineups(generator: np.random.Generator, num: int, heroes: int, team: int) -> np.ndarray:
    drawn = [generator.permutation(heroes)[: 2 * team].reshape(2, team) for _ in range(num)]
    return np.asarray(drawn, np.int16)


def slow_log_odds(model: PairModel, lineup: np.ndarray) -> float:
    total = 0.0
    for sign, team in ((1, lineup[0]), (-1, lineup[1])):
        for i, hero in enumerate(team):
            total += sign * model.strength[hero]
            for mate in team[:i]:
                total += sign * model.synergy[hero, mate]
    for hero in lineup[0]:
        for enemy in lineup[1]:
            total += model.counter[hero, enemy]
    return total


def test_prediction_is_the_printed_sum_and_antisymmetric() -> None:
    generator = np.random.default_rng(0)
    square = generator.normal(size=(2, 9, 9)) * (1 - np.eye(9))
    model = PairModel(generator.normal(size=9), square[0] + square[0].T, square[1] - square[1].T)
    lineups = random_lineups(generator, 20, 9, 3)
    expected = [1 / (1 + np.exp(-slow_log_odds(model, lineup))) for lineup in lineups]
    np.testing.assert_allclose(model(lineups), expected, atol=1e-12)
    np.testing.assert_allclose(model(lineups) + model(lineups[:, ::-1]), 1.0, atol=1e-12)


def test_fit_finds_strength_synergy_and_counter() -> None:
    generator = np.random.default_rng(1)
    strength = generator.normal(scale=0.6, size=8)
    synergy, counter = np.zeros((8, 8)), np.zeros((8, 8))
    synergy[0, 1] = synergy[1, 0] = 2.0
    counter[2, 3], counter[3, 2] = 2.0, -2.0
    truth = PairModel(strength, synergy, counter)
    lineups = random_lineups(generator, 6000, 8, 2)
    scores = (generator.random(6000) < truth(lineups)).astype(np.float64)
    model = fit_pair_model(lineups, scores, 8, regularization=1.0)
    fresh = random_lineups(generator, 500, 8, 2)
    assert np.abs(model(fresh) - truth(fresh)).mean() < 0.04
    np.testing.assert_allclose(model(fresh) + model(fresh[:, ::-1]), 1.0, atol=1e-9)


def test_draws_and_one_sided_records_fit() -> None:
    lineups = np.array([[[0], [1]]] * 4, np.int16)
    model = fit_pair_model(lineups, np.array([1.0, 1.0, 1.0, 0.5]), 2, regularization=100.0)
    assert 0.8 < float(model(lineups[:1])[0]) < 0.9
    even = fit_pair_model(lineups, np.full(4, 0.5), 2, regularization=100.0)
    assert float(even(lineups[:1])[0]) == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("lineups", "scores", "message"),
    [
        ([[[0], [1]], [[2], [9]]], [1.0, 0.0], r"row 1 names hero ids \[2, 9\]"),
        ([[[0], [0]]], [1.0], "row 0 holds a hero twice"),
        ([[[0], [1]]], [0.7], "row 0 has score 0.7"),
        ([[[0], [1]]], [1.0, 1.0], "match records need"),
        (np.zeros((0, 2, 1)), [], "got none"),
    ],
)
def test_bad_records_name_their_row(lineups: list[object], scores: list[float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        fit_pair_model(np.asarray(lineups, np.int16), np.asarray(scores), 5, regularization=1.0)


def test_good_records_pass() -> None:
    check_matches(np.array([[[0, 1], [2, 3]]], np.int16), np.array([0.5]), 4)
