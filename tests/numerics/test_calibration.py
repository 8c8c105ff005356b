from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fullpool.numerics.calibration import (
    expected_calibration_error,
    fit_temperature,
    log_losses,
    paired_bootstrap,
    reliability,
)


def test_reliability_by_hand() -> None:
    bins = reliability(np.array([0.1, 0.3, 0.9, 1.0]), np.array([0, 1, 1, 1]), num_bins=2)
    assert bins.counts.tolist() == [2, 2]
    np.testing.assert_allclose(bins.forecast, [0.2, 0.95])
    np.testing.assert_allclose(bins.observed, [0.5, 1.0])
    error = expected_calibration_error(np.array([0.1, 0.3, 0.9, 1.0]), np.array([0, 1, 1, 1]), num_bins=2)
    assert error == pytest.approx(0.5 * 0.3 + 0.5 * 0.05)


@given(st.integers(1, 30), st.integers(0, 2**32 - 1))
def test_calibration_error_equals_the_printed_sum(num_bins: int, seed: int) -> None:
    generator = np.random.default_rng(seed)
    p, y = generator.random(50), generator.integers(0, 2, 50)
    total = 0.0
    for number in range(num_bins):
        inside = [i for i in range(50) if min(int(p[i] * num_bins), num_bins - 1) == number]
        if inside:
            total += len(inside) / 50 * abs(p[inside].mean() - y[inside].mean())
    assert expected_calibration_error(p, y, num_bins=num_bins) == pytest.approx(total)


def test_temperature_finds_the_scale_that_made_the_outcomes() -> None:
    generator = np.random.default_rng(0)
    logits = generator.normal(size=40_000)
    outcomes = generator.random(40_000) < 1 / (1 + np.exp(-logits))
    assert fit_temperature(2.5 * logits, outcomes) == pytest.approx(2.5, rel=0.05)
    assert fit_temperature(0.4 * logits, outcomes) == pytest.approx(0.4, rel=0.05)


def test_log_losses_are_finite_at_the_edges() -> None:
    np.testing.assert_allclose(
        log_losses(np.array([0.0, 800.0, -800.0]), np.array([1, 1, 1])), [np.log(2), 0, 800]
    )


def test_paired_bootstrap_sees_what_unpaired_noise_would_hide() -> None:
    generator = np.random.default_rng(0)
    noise = generator.normal(size=2000)
    better = noise - 0.05 + 0.1 * generator.normal(size=2000)
    mean, low, high = paired_bootstrap(better, noise, generator=generator, num_resamples=500)
    assert low < mean < high < 0
    same = paired_bootstrap(noise, noise, generator=generator, num_resamples=100)
    assert same == (0.0, 0.0, 0.0)


def test_bad_forecasts_are_refused() -> None:
    with pytest.raises(ValueError, match=r"must lie in \[0, 1\]"):
        reliability(np.array([1.2]), np.array([1]), num_bins=5)
    with pytest.raises(ValueError, match="one shape"):
        reliability(np.array([0.2]), np.array([1, 0]), num_bins=5)
    with pytest.raises(ValueError, match="num_bins must be at least 1"):
        reliability(np.array([0.2]), np.array([1]), num_bins=0)
    with pytest.raises(ValueError, match="one shape"):
        fit_temperature(np.zeros(2), np.zeros(3))
    with pytest.raises(ValueError, match="one shape"):
        paired_bootstrap(np.zeros(2), np.zeros(3), generator=np.random.default_rng(0), num_resamples=10)
