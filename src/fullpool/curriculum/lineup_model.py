"""How likely one team is to beat another, judged by the heroes alone, fitted on match records.

A line-up is two teams of hero ids; its score is 1 where the first team won, 0.5 for a draw, 0 where it lost.
A line-up model is any callable from line-ups to the first team's probability of winning.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fullpool.games.contract import Shorts
from fullpool.numerics.intervals import Doubles

LineupModel = Callable[[Shorts], Doubles]
"""Maps `[n, 2, P]` line-ups to `[n]` probabilities that the first team wins."""


@dataclass(frozen=True, eq=False)
class PairModel:
    """Log-odds of the first team as a sum over heroes and pairs of heroes.

    Attributes:
        strength: `[heroes]` log-odds that a hero brings to its team.
        synergy: `[heroes, heroes]` symmetric; log-odds of two heroes in one team, on top of their strengths.
        counter: `[heroes, heroes]` antisymmetric; log-odds of the row's hero facing the column's.
    """

    strength: Doubles
    synergy: Doubles
    counter: Doubles

    def __call__(self, lineups: Shorts) -> Doubles:
        """Predicts the first team's probability of winning, `[n]`; swapping the teams gives one minus it."""
        first, second = lineups[:, 0], lineups[:, 1]
        odds = self._team(first) - self._team(second)
        odds = odds + self.counter[first[:, :, None], second[:, None, :]].sum(axis=(1, 2))
        return np.asarray(1.0 / (1.0 + np.exp(-odds)))

    def _team(self, heroes: Shorts) -> Doubles:
        pairs = self.synergy[heroes[:, :, None], heroes[:, None, :]].sum(axis=(1, 2)) / 2
        return np.asarray(self.strength[heroes].sum(axis=1) + pairs)


def check_matches(lineups: Shorts, scores: NDArray[Any], num_heroes: int) -> None:
    """Refuses match records that cannot be: unknown or repeated heroes, scores that are none.

    Args:
        lineups: `[n, 2, P]` hero ids.
        scores: `[n]` 1, 0.5 or 0.
        num_heroes: heroes of the game.

    Raises:
        ValueError: naming the first bad row.
    """
    if lineups.ndim != 3 or lineups.shape[1] != 2 or len(lineups) != len(scores):
        raise ValueError(
            f"match records need [n, 2, team] line-ups and [n] scores, got {lineups.shape} and {scores.shape}"
        )
    flat = lineups.reshape(len(lineups), -1)
    unknown = np.flatnonzero(((flat < 0) | (flat >= num_heroes)).any(axis=1))
    if len(unknown):
        row = int(unknown[0])
        last = num_heroes - 1
        raise ValueError(f"match row {row} names hero ids {flat[row].tolist()}; ids run from 0 to {last}")
    ordered = np.sort(flat, axis=1)
    repeated = np.flatnonzero((ordered[:, 1:] == ordered[:, :-1]).any(axis=1))
    if len(repeated):
        row = int(repeated[0])
        raise ValueError(
            f"match row {row} holds a hero twice: {flat[row].tolist()}; a line-up has each hero once"
        )
    wrong = np.flatnonzero(~np.isin(scores, (0.0, 0.5, 1.0)))
    if len(wrong):
        row = int(wrong[0])
        raise ValueError(f"match row {row} has score {scores[row]}; a score is 1 (first team won), 0.5 or 0")


def fit_pair_model(
    lineups: Shorts, scores: NDArray[Any], num_heroes: int, *, regularization: float
) -> PairModel:
    """Fits strengths, synergies and counters by logistic regression on signed one-hot terms.

    There is no intercept: the model has no opinion of sides. A draw enters as half a win and half a loss.

    Args:
        lineups: `[n, 2, P]` hero ids.
        scores: `[n]` of the first team.
        num_heroes: heroes of the game.
        regularization: scikit-learn's C of the L2 penalty; smaller pulls all terms harder to zero.

    Returns:
        The fitted model.

    Raises:
        ValueError: if the records are empty or wrong.
    """
    from scipy.sparse import vstack
    from sklearn.linear_model import LogisticRegression

    if len(lineups) == 0:
        raise ValueError("the line-up model needs match records, got none; let bots play some")
    check_matches(lineups, scores, num_heroes)
    features = _features(lineups, num_heroes)

    # Each record from both sides: keeps both classes present and the fit exactly antisymmetric.
    stacked = vstack([features, -features], format="csr")
    labels = np.concatenate([np.ones(len(scores)), np.zeros(len(scores))])
    rows = vstack([stacked, stacked], format="csr")
    targets = np.concatenate([labels, 1 - labels])
    weights = np.concatenate([np.tile(scores, 2), np.tile(1 - scores, 2)]) / 2
    kept = weights > 0
    model = LogisticRegression(C=regularization, fit_intercept=False, max_iter=1000, tol=1e-6)
    model.fit(rows[kept], targets[kept], sample_weight=weights[kept])
    return _unpack(np.asarray(model.coef_[0], np.float64), num_heroes)


def _features(lineups: Shorts, num_heroes: int) -> Any:
    from scipy.sparse import csr_matrix

    num, team = len(lineups), lineups.shape[2]
    first, second = lineups[:, 0].astype(np.int64), lineups[:, 1].astype(np.int64)
    columns, values = [first, second], [np.ones_like(first), -np.ones_like(second)]
    ones = np.ones(num, np.int64)
    for i in range(team):
        for j in range(i):
            for side, sign in ((first, 1), (second, -1)):
                low, high = np.minimum(side[:, i], side[:, j]), np.maximum(side[:, i], side[:, j])
                columns.append((num_heroes + low * num_heroes + high)[:, None])
                values.append((sign * ones)[:, None])
        for j in range(team):
            low, high = np.minimum(first[:, i], second[:, j]), np.maximum(first[:, i], second[:, j])
            columns.append((num_heroes + num_heroes**2 + low * num_heroes + high)[:, None])
            values.append(np.where(first[:, i] == low, 1, -1)[:, None])
    column, value = np.concatenate(columns, axis=1), np.concatenate(values, axis=1)
    row = np.repeat(np.arange(num), column.shape[1])
    size = num_heroes + 2 * num_heroes**2
    return csr_matrix((value.ravel().astype(np.float64), (row, column.ravel())), shape=(num, size))


def _unpack(coefficients: Doubles, num_heroes: int) -> PairModel:
    square = (num_heroes, num_heroes)
    synergy = coefficients[num_heroes : num_heroes + num_heroes**2].reshape(square)
    counter = coefficients[num_heroes + num_heroes**2 :].reshape(square)
    return PairModel(coefficients[:num_heroes], synergy + synergy.T, counter - counter.T)
