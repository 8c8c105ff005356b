"""How far forecast shares can be trusted: reliability, expected calibration error, temperature, paired comparison."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fullpool.numerics.intervals import percentile_interval

Doubles = NDArray[np.float64]
MAX_LOG_TEMPERATURE = 4.0


class Reliability(NamedTuple):
    """Forecasts in bins of equal width.

    Attributes:
        counts: `[bins]` forecasts in each bin.
        forecast: `[bins]` their mean; 0 where the bin is empty.
        observed: `[bins]` share that came true; 0 where the bin is empty.
    """

    counts: NDArray[np.int64]
    forecast: Doubles
    observed: Doubles


def _check(probabilities: NDArray[Any], outcomes: NDArray[Any]) -> tuple[Doubles, Doubles]:
    p, y = np.asarray(probabilities, np.float64), np.asarray(outcomes, np.float64)
    if p.shape != y.shape or p.ndim != 1 or len(p) == 0:
        raise ValueError(
            f"forecasts and outcomes must share one shape [n], n > 0; got {p.shape} and {y.shape}"
        )
    if not ((p >= 0) & (p <= 1)).all() or not ((y >= 0) & (y <= 1)).all():
        raise ValueError("forecasts and outcomes must lie in [0, 1]")
    return p, y


def reliability(probabilities: NDArray[Any], outcomes: NDArray[Any], *, num_bins: int) -> Reliability:
    """Sorts forecasts into bins of equal width and compares each bin's mean with what came true.

    Args:
        probabilities: `[n]` forecasts in [0, 1].
        outcomes: `[n]` 0 or 1; a draw may be 0.5.
        num_bins: bins over [0, 1], at least 1.

    Returns:
        The bins.

    Raises:
        ValueError: if shapes or ranges are wrong.
    """
    p, y = _check(probabilities, outcomes)
    if num_bins < 1:
        raise ValueError(f"num_bins must be at least 1, got {num_bins}")
    bins = np.minimum((p * num_bins).astype(np.int64), num_bins - 1)
    counts = np.bincount(bins, minlength=num_bins)
    filled = np.maximum(counts, 1)
    forecast = np.bincount(bins, p, num_bins) / filled
    observed = np.bincount(bins, y, num_bins) / filled
    return Reliability(counts, forecast, observed)


def expected_calibration_error(
    probabilities: NDArray[Any], outcomes: NDArray[Any], *, num_bins: int
) -> float:
    """Averages the gap between forecast and observed share over the bins, weighted by their forecasts.

    Naeini, Cooper, Hauskrecht 2015, "Obtaining well calibrated probabilities using Bayesian binning" (AAAI), ECE.

    Args:
        probabilities: `[n]` forecasts in [0, 1].
        outcomes: `[n]` 0 or 1.
        num_bins: bins over [0, 1].

    Returns:
        The error in [0, 1].
    """
    bins = reliability(probabilities, outcomes, num_bins=num_bins)
    return float((bins.counts * np.abs(bins.forecast - bins.observed)).sum() / bins.counts.sum())


def log_losses(logits: NDArray[Any], outcomes: NDArray[Any]) -> Doubles:
    """Computes the log-loss of each forecast from its logit, without overflow.

    Args:
        logits: `[n]` log-odds.
        outcomes: `[n]` in [0, 1].

    Returns:
        `[n]` losses in nats.
    """
    z = np.asarray(logits, np.float64)
    return np.asarray(np.logaddexp(0.0, z) - np.asarray(outcomes, np.float64) * z)


def fit_temperature(logits: NDArray[Any], outcomes: NDArray[Any]) -> float:
    """Finds the temperature that minimises the log-loss of `sigmoid(logits / temperature)`.

    Guo, Pleiss, Sun, Weinberger 2017, "On calibration of modern neural networks" (ICML), section 4.2. The loss is
    convex in 1 / temperature, so the bounded search finds the minimum.

    Args:
        logits: `[n]` log-odds on matches that did not train the model.
        outcomes: `[n]` in [0, 1].

    Returns:
        The temperature, within exp(-4) to exp(4).
    """
    from scipy.optimize import minimize_scalar

    z = np.asarray(logits, np.float64)
    y = np.asarray(outcomes, np.float64)
    if z.shape != y.shape or len(z) == 0:
        raise ValueError(f"logits and outcomes must share one shape [n], n > 0; got {z.shape} and {y.shape}")

    def loss(log_temperature: float) -> float:
        return float(log_losses(z * np.exp(-log_temperature), y).mean())

    found = minimize_scalar(loss, bounds=(-MAX_LOG_TEMPERATURE, MAX_LOG_TEMPERATURE), method="bounded")
    return float(np.exp(found.x))


def paired_bootstrap(
    losses: NDArray[Any],
    others: NDArray[Any],
    *,
    generator: np.random.Generator,
    num_resamples: int,
    confidence: float = 0.95,
) -> tuple[float, float, float]:
    """Compares two models on the same matches by resampling the matches.

    Args:
        losses: `[n]` loss of the model a match.
        others: `[n]` loss of the other model on the same matches.
        generator: source of randomness.
        num_resamples: resamples drawn.
        confidence: share in (0, 1).

    Returns:
        Mean of `losses - others` (below zero: the model is better) and the ends of its interval.

    Raises:
        ValueError: if the two do not cover the same matches.
    """
    if losses.shape != others.shape or losses.ndim != 1 or len(losses) == 0:
        raise ValueError(
            f"paired losses must share one shape [n], n > 0; got {losses.shape} and {others.shape}"
        )
    differences = np.asarray(losses, np.float64) - np.asarray(others, np.float64)
    # One resample at a time keeps memory flat for large test sets.
    means = [
        differences[generator.integers(0, len(differences), len(differences))].mean()
        for _ in range(num_resamples)
    ]
    low, high = percentile_interval(np.asarray(means), confidence)
    return float(differences.mean()), float(low), float(high)
