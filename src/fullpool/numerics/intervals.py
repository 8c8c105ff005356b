"""Intervals for shares and for anything that can be resampled.

Shares of games carry a Wilson interval, means a normal one, ratings a percentile bootstrap; all take the confidence
as a share, not per cent.
"""

from __future__ import annotations

from collections.abc import Callable
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

Doubles = NDArray[np.float64]


def _check_confidence(confidence: float) -> None:
    if not 0.0 < confidence < 1.0:
        raise ValueError(f"confidence must lie in (0, 1), got {confidence}; 0.95 stands for 95 %")


def wilson_interval(wins: float, games: int, confidence: float = 0.95) -> tuple[float, float]:
    """Estimates the interval of a share of won games.

    Wilson 1927, "Probable inference, the law of succession, and statistical inference" (JASA 22:209), without
    continuity correction. Draws may be counted as half a win, which makes the interval slightly too wide.

    Args:
        wins: points won, in [0, games]; 0.5 for a draw.
        games: games played; 0 gives (0, 1), since nothing is known.
        confidence: share in (0, 1).

    Returns:
        Lower and upper end, both in [0, 1].

    Raises:
        ValueError: if the numbers contradict each other.
    """
    _check_confidence(confidence)
    if games < 0 or not 0 <= wins <= games:
        raise ValueError(f"wins must lie in [0, games], got {wins} of {games}")
    if games == 0:
        return 0.0, 1.0
    z = NormalDist().inv_cdf(0.5 + confidence / 2)
    share = wins / games
    scale = 1.0 + z * z / games
    centre = (share + z * z / (2 * games)) / scale
    half = z / scale * float(np.sqrt(share * (1 - share) / games + z * z / (4 * games * games)))
    # At a share of 0 or 1 the end is exact on paper; rounding must not move it past the share itself.
    low = 0.0 if wins == 0 else max(0.0, centre - half)
    high = 1.0 if wins == games else min(1.0, centre + half)
    return low, high


def mean_interval(
    values: NDArray[Any], confidence: float = 0.95, *, bounds: tuple[float, float] = (-np.inf, np.inf)
) -> tuple[float, float]:
    """Estimates the interval of a mean by the normal approximation, mean ± z s / sqrt(n).

    Args:
        values: `[n]` independent observations.
        confidence: share in (0, 1).
        bounds: least and greatest value that the mean can have.

    Returns:
        Lower and upper end within `bounds`; the bounds themselves if there is one observation only.

    Raises:
        ValueError: if there is no observation.
    """
    _check_confidence(confidence)
    values = np.asarray(values, np.float64)
    if len(values) == 0:
        raise ValueError("a mean needs at least one value, got none")
    if len(values) == 1:
        return bounds
    half = (
        NormalDist().inv_cdf(0.5 + confidence / 2) * float(values.std(ddof=1)) / float(np.sqrt(len(values)))
    )
    mean = float(values.mean())
    return max(bounds[0], mean - half), min(bounds[1], mean + half)


def percentile_interval(samples: NDArray[Any], confidence: float = 0.95) -> tuple[Doubles, Doubles]:
    """Cuts the same share off both ends of resampled values.

    Args:
        samples: `[R, ...]` one value a resample.
        confidence: share in (0, 1).

    Returns:
        Lower and upper ends, each of shape `[...]`.

    Raises:
        ValueError: if there are no samples.
    """
    _check_confidence(confidence)
    if len(samples) == 0:
        raise ValueError("an interval needs at least one resample, got none; raise num_resamples")
    tail = (1.0 - confidence) / 2
    low, high = np.quantile(np.asarray(samples, np.float64), (tail, 1.0 - tail), axis=0)
    return np.asarray(low), np.asarray(high)


def bootstrap_interval(
    values: NDArray[Any],
    statistic: Callable[[NDArray[Any]], float],
    *,
    generator: np.random.Generator,
    num_resamples: int,
    confidence: float = 0.95,
) -> tuple[float, float]:
    """Estimates the interval of a statistic by resampling rows with replacement.

    Efron 1979, "Bootstrap methods" (Annals of Statistics 7:1), percentile form.

    Args:
        values: `[n, ...]` observations, one a row.
        statistic: maps resampled rows to one number.
        generator: source of randomness.
        num_resamples: resamples drawn, at least 1.
        confidence: share in (0, 1).

    Returns:
        Lower and upper end.

    Raises:
        ValueError: if there are no values or no resamples.
    """
    if len(values) == 0:
        raise ValueError("a bootstrap needs at least one value, got none")
    drawn = [statistic(values[generator.integers(0, len(values), len(values))]) for _ in range(num_resamples)]
    low, high = percentile_interval(np.asarray(drawn), confidence)
    return float(low), float(high)
