"""Strengths alone as a predictor, and whether the perceptron is clearly better than they are.

Where every line-up is worth the sum of its heroes, the pairs that a perceptron sees are noise: they cost log-loss, and
a search for the best line-up finds just the pairs that are most overrated. So the perceptron is kept only if
the validation matches speak for it; otherwise its linear path alone is, fitted as a logistic regression.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fullpool.drafting.linear import signed_one_hot, tuned_by_folds
from fullpool.drafting.network import MlpArrays
from fullpool.drafting.records import MatchTable
from fullpool.games.contract import Floats
from fullpool.numerics.calibration import fit_temperature, log_losses

STANDARD_ERRORS = 2.0
"""How many standard errors of its mean a gain in validation loss must be above zero: epochs were chosen by it too."""


class Weights(NamedTuple):
    """What a predictor consists of: perceptron, side offset, temperature."""

    arrays: MlpArrays
    offset: float
    temperature: float


@dataclass(frozen=True, eq=False)
class AdditiveModel:
    """A logistic regression on strengths.

    Attributes:
        strengths: `[H]` log-odds that each hero adds.
        offset: log-odds of the advantage of team 1; 0 where the sides are equal.
        held_out: `[validation]` log-odds of the same regression fitted on the training matches only.
    """

    strengths: Floats
    offset: float
    held_out: NDArray[np.float64]


def fit_additive(
    matches: MatchTable, train: NDArray[np.int64], validation: NDArray[np.int64], **knobs: Any
) -> AdditiveModel:
    """Fits the regression on training and validation matches together, and on the training matches for comparison.

    Args:
        matches: checked match records.
        train: rows to train on.
        validation: rows that the comparison is made on.
        **knobs: of `linear.tuned_by_folds`: how the strength of the regularisation is chosen.

    Returns:
        The regression.
    """
    from sklearn.base import clone
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

    features, wins = signed_one_hot(matches.lineups, len(matches.heroes), pair_scale=None), matches.team1_win
    known = np.concatenate([train, validation])
    with threadpool_limits(1):
        model = tuned_by_folds(features[known], wins[known], **knobs)
        compared = clone(model).fit(features[train], wins[train])
    offset = float(model.intercept_[0]) if knobs["side_offset"] else 0.0
    held_out = np.asarray(compared.decision_function(features[validation]), np.float64)
    return AdditiveModel(np.asarray(model.coef_[0], np.float32), offset, held_out)


def gain_of(logits: NDArray[Any], other: NDArray[Any], wins: NDArray[np.bool_]) -> tuple[float, float]:
    """Compares two forecasts of the same matches.

    Args:
        logits: `[n]` log-odds.
        other: `[n]` log-odds of what they are compared with.
        wins: `[n]` outcomes.

    Returns:
        By how many nats a match `logits` are better, and the standard error of that.
    """
    gains = log_losses(other, wins) - log_losses(logits, wins)
    return float(gains.mean()), float(gains.std() / np.sqrt(len(gains)))


def additive_arrays(strengths: Floats) -> MlpArrays:
    """Writes strengths as the linear path of a perceptron without effect: `f(A, B) - f(B, A)` are their sums."""
    half = strengths / np.float32(2)
    num_inputs = 2 * len(strengths)

    def zeros(*shape: int) -> Floats:
        return np.zeros(shape, np.float32)

    return MlpArrays(
        w1=zeros(num_inputs, 1),
        b1=zeros(1),
        w2=zeros(1, 1, 1),
        b2=zeros(1, 1),
        w3=zeros(1, 1),
        linear=np.concatenate([half, -half]),
    )


def choose(
    matches: MatchTable,
    train: NDArray[np.int64],
    validation: NDArray[np.int64],
    trained: Weights,
    logits: NDArray[Any],
    **knobs: Any,
) -> tuple[Weights, dict[str, Any]]:
    """Keeps a trained perceptron if it is clearly better than strengths alone.

    The additive model has seen the validation matches too in the end, and its regularisation was chosen by matches
    that were held out: it needs no temperature.

    Args:
        matches: checked match records.
        train: rows that the perceptron was trained on.
        validation: rows to compare on and to fit the temperature on.
        trained: the perceptron, its temperature not fitted yet.
        logits: `[validation]` its log-odds.
        **knobs: of `linear.tuned_by_folds`.

    Returns:
        The weights to use; which model they are, the gain of the perceptron in nats a match, and its standard error.
    """
    wins = matches.team1_win[validation]
    additive = fit_additive(matches, train, validation, **knobs)
    gain, error = gain_of(logits, additive.held_out, wins)
    kept = gain > STANDARD_ERRORS * error
    facts = {
        "model": "perceptron" if kept else "additive",
        "gain_over_additive": gain,
        "gain_error": error,
    }
    if kept:
        return trained._replace(temperature=fit_temperature(logits, wins)), facts
    return Weights(additive_arrays(additive.strengths), additive.offset, 1.0), facts
