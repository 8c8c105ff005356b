"""Tests of fullpool.numerics.ratings."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import minimize

from fullpool.numerics.ratings import (
    ELO_PER_NAT,
    bootstrap_elo,
    bradley_terry,
    expected_score,
    fit_elo,
    score_matrix,
)


def slow_bradley_terry(points: NDArray[np.float64], zero: int) -> NDArray[np.float64]:
    """The printed likelihood, term by term, maximised by scipy."""
    num_agents = len(points)
    free = [agent for agent in range(num_agents) if agent != zero]

    def loss(values: NDArray[np.float64]) -> float:
        strengths = np.zeros(num_agents)
        strengths[free] = values
        total = 0.0
        for i in range(num_agents):
            for j in range(num_agents):
                total += points[i, j] * np.log1p(np.exp(strengths[j] - strengths[i]))
        return total

    found = minimize(loss, np.zeros(len(free)), method="BFGS", options={"gtol": 1e-7})
    strengths = np.zeros(num_agents)
    strengths[free] = found.x
    return np.asarray(strengths * 400.0 / np.log(10.0))


def test_bradley_terry_agrees_with_the_printed_likelihood() -> None:
    generator = np.random.default_rng(3)
    points = generator.integers(1, 30, (5, 5)).astype(np.float64)
    np.fill_diagonal(points, 0)
    np.testing.assert_allclose(bradley_terry(points, zero=2), slow_bradley_terry(points, 2), atol=0.02)


def test_bradley_terry_solves_batches_like_single_tables() -> None:
    generator = np.random.default_rng(4)
    points = generator.integers(1, 9, (3, 4, 4)).astype(np.float64)
    batch = bradley_terry(points, zero=0)
    for index in range(3):
        np.testing.assert_allclose(batch[index], bradley_terry(points[index], zero=0), atol=1e-6)


def test_two_agents_match_the_closed_form() -> None:
    points = np.array([[0.0, 1.0], [10.0, 0.0]])
    assert bradley_terry(points, zero=0)[1] == pytest.approx(400.0)
    assert expected_score(400.0) == pytest.approx(10 / 11)
    assert pytest.approx(400 / np.log(10)) == ELO_PER_NAT


def test_separable_games_stay_finite_and_ordered() -> None:
    pairs = np.array([[1, 0], [2, 1], [3, 2]])
    counts = np.array([[5000, 0, 0], [2000, 0, 0], [300, 0, 0]])
    fit = fit_elo(4, pairs, counts, zero=0, anchors=[0, 1])
    assert np.isfinite(fit.ratings).all()
    assert fit.ratings[0] == 0
    assert np.all(np.diff(fit.ratings) > 400)
    np.testing.assert_allclose(
        fit.ratings, slow_bradley_terry(score_matrix(4, pairs, counts) + fit.prior, 0), atol=2.0
    )


def test_prior_is_a_draw_between_met_pairs_and_to_the_nearest_anchor() -> None:
    pairs = np.array([[1, 0], [2, 1], [2, 0]])
    counts = np.array([[50, 0, 5], [20, 0, 20], [48, 0, 7]])
    fit = fit_elo(4, pairs, counts, zero=0, anchors=[1])
    expected = np.zeros((4, 4))
    for first, second in [(0, 1), (1, 2), (0, 2)]:
        expected[first, second] += 0.5
        expected[second, first] += 0.5
    for agent, anchor in [(1, 0), (2, 1), (3, 0)]:
        expected[agent, anchor] += 0.5
        expected[anchor, agent] += 0.5
    np.testing.assert_array_equal(fit.prior, expected)
    assert fit.ratings[3] == pytest.approx(0.0, abs=1e-6)


def test_known_strengths_are_recovered_within_their_bootstrap_interval() -> None:
    generator = np.random.default_rng(5)
    truth = np.array([0.0, 300.0, 700.0, 900.0])
    pairs = np.array([[i, j] for i in range(4) for j in range(i)])
    wins = generator.binomial(400, expected_score(truth[pairs[:, 0]] - truth[pairs[:, 1]]))
    counts = np.stack([wins, np.zeros_like(wins), 400 - wins], axis=1)
    fit = fit_elo(4, pairs, counts, zero=0, anchors=[0])
    samples = bootstrap_elo(fit, pairs, counts, zero=0, generator=generator, num_resamples=300)
    low, high = np.quantile(samples, [0.005, 0.995], axis=0)
    assert np.all(low <= truth)
    assert np.all(truth <= high)
    assert np.all(high[1:] - low[1:] < 200)


def test_bootstrap_is_seeded_and_keeps_the_schedule() -> None:
    pairs, counts = np.array([[0, 1], [1, 2]]), np.array([[3, 2, 5], [0, 0, 0]])
    fit = fit_elo(3, pairs, counts, zero=0, anchors=[])
    draws = [
        bootstrap_elo(fit, pairs, counts, zero=0, generator=np.random.default_rng(6), num_resamples=5)
        for _ in range(2)
    ]
    np.testing.assert_array_equal(draws[0], draws[1])
    np.testing.assert_allclose(draws[0][:, 2], 0.0, atol=1e-6)


def test_draws_are_half_a_win_for_both() -> None:
    drawn = score_matrix(2, np.array([[0, 1]]), np.array([[1, 2, 0]]))
    np.testing.assert_array_equal(drawn, [[0, 2], [1, 0]])


def test_contradictions_are_refused() -> None:
    with pytest.raises(ValueError, match="against itself"):
        score_matrix(2, np.array([[1, 1]]), np.array([[1, 0, 0]]))
    with pytest.raises(ValueError, match=r"agents must lie in \[0, 2\)"):
        score_matrix(2, np.array([[0, 2]]), np.array([[1, 0, 0]]))
    with pytest.raises(ValueError, match="no pair with points on both sides"):
        bradley_terry(np.array([[0.0, 0.0], [9.0, 0.0]]), zero=0)
    with pytest.raises(ValueError, match="anchors must lie in"):
        fit_elo(2, np.zeros((0, 2)), np.zeros((0, 3)), zero=0, anchors=[5])
    with pytest.raises(ValueError, match="must end in"):
        score_matrix(2, np.array([[0, 1]]), np.array([[1, 0]]))
