"""Tests of fullpool.numerics.intervals."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest, norm

from fullpool.numerics.intervals import (
    bootstrap_interval,
    mean_interval,
    percentile_interval,
    wilson_interval,
)


@given(games=st.integers(1, 2000), share=st.floats(0, 1), confidence=st.floats(0.5, 0.999))
def test_wilson_agrees_with_scipy(games: int, share: float, confidence: float) -> None:
    wins = round(share * games)
    ours = wilson_interval(wins, games, confidence)
    theirs = binomtest(wins, games).proportion_ci(confidence_level=confidence, method="wilson")
    assert ours == pytest.approx((theirs.low, theirs.high), abs=1e-9)
    assert ours[0] <= wins / games <= ours[1]


def test_wilson_of_490_in_500_by_hand() -> None:
    low, high = wilson_interval(490, 500)
    assert (round(low, 4), round(high, 4)) == (0.9636, 0.9891)


def test_wilson_takes_half_wins_and_no_games() -> None:
    assert wilson_interval(0, 0) == (0.0, 1.0)
    low, high = wilson_interval(2.5, 5)
    assert low == pytest.approx(1 - high)


@pytest.mark.parametrize(("wins", "games"), [(3, 2), (-1, 2), (1, -1)])
def test_wilson_refuses_contradictions(wins: float, games: int) -> None:
    with pytest.raises(ValueError, match="wins must lie in"):
        wilson_interval(wins, games)


@pytest.mark.parametrize("confidence", [0.0, 1.0, 95.0])
def test_confidence_is_a_share(confidence: float) -> None:
    with pytest.raises(ValueError, match="confidence must lie in"):
        wilson_interval(1, 2, confidence)


def test_bootstrap_of_a_mean_is_near_the_normal_interval_and_seeded() -> None:
    values = np.random.default_rng(1).normal(3.0, 2.0, 400)
    first = bootstrap_interval(
        values, lambda v: float(v.mean()), generator=np.random.default_rng(2), num_resamples=2000
    )
    second = bootstrap_interval(
        values, lambda v: float(v.mean()), generator=np.random.default_rng(2), num_resamples=2000
    )
    half = 1.96 * values.std() / np.sqrt(len(values))
    assert first == second
    assert first == pytest.approx((values.mean() - half, values.mean() + half), abs=0.03)


def test_percentiles_cut_both_tails() -> None:
    low, high = percentile_interval(np.stack([np.arange(101.0), -np.arange(101.0)], axis=1), 0.9)
    assert low.tolist() == pytest.approx([5.0, -95.0])
    assert high.tolist() == pytest.approx([95.0, -5.0])


def test_bootstrap_needs_values_and_resamples() -> None:
    with pytest.raises(ValueError, match="at least one value"):
        bootstrap_interval(np.zeros(0), np.mean, generator=np.random.default_rng(0), num_resamples=3)
    with pytest.raises(ValueError, match="at least one resample"):
        bootstrap_interval(np.ones(3), np.mean, generator=np.random.default_rng(0), num_resamples=0)


def test_the_interval_of_a_mean_agrees_with_scipy_and_stays_in_its_bounds() -> None:
    values = np.random.default_rng(0).normal(0.4, 0.2, 50)
    theirs = norm.interval(0.9, values.mean(), values.std(ddof=1) / np.sqrt(50))
    assert mean_interval(values, 0.9) == pytest.approx(theirs)
    assert mean_interval(values, 0.9, bounds=(0.39, 0.41)) == pytest.approx((0.39, 0.41))
    assert mean_interval(np.array([0.3]), bounds=(0.0, 1.0)) == (0.0, 1.0)
    assert mean_interval(np.array([0.3, 0.3])) == pytest.approx((0.3, 0.3))
    with pytest.raises(ValueError, match="at least one value"):
        mean_interval(np.array([]))
