"""Logistic regressions on signed one-hots of line-ups, with or without pairs: baselines and teacher."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

PAIR_SCALES = (0.1, 0.3, 1.0)
"""Values of pair columns that are tried: a small one shrinks pairs more than strengths, of which there are fewer."""


def signed_one_hot(lineups: NDArray[Any], num_heroes: int, *, pair_scale: float | None) -> Any:
    """Builds the rows of a logistic regression.

    Args:
        lineups: `[n, 2, P]` hero ids.
        num_heroes: heroes in the pool, H.
        pair_scale: add a column for each pair on one team (+scale team 1, -scale team 2) and each pair across the
            teams (+scale if team 1 has the lower id, -scale if the higher); None: strengths only.

    Returns:
        `[n, H]` sparse rows (+1 team 1, -1 team 2); with pairs `[n, H + H (H - 1)]`.
    """
    from scipy.sparse import csr_matrix

    count, _, size = lineups.shape
    teams = lineups.astype(np.int64)
    columns = [teams.reshape(count, -1)]
    values = [np.broadcast_to(np.repeat([1.0, -1.0], size), columns[0].shape)]
    if pair_scale is not None:
        one, other = np.triu_indices(size, 1)
        for team, sign in ((0, pair_scale), (1, -pair_scale)):
            columns.append(num_heroes + _pair_index(teams[:, team, one], teams[:, team, other], num_heroes))
            values.append(np.full(columns[-1].shape, sign))
        first, second = teams[:, 0].repeat(size, 1), np.tile(teams[:, 1], (1, size))
        start = num_heroes + num_heroes * (num_heroes - 1) // 2
        columns.append(start + _pair_index(first, second, num_heroes))
        values.append(np.where(first < second, pair_scale, -pair_scale))
    column, value = np.concatenate(columns, axis=1), np.concatenate(values, axis=1)
    width = num_heroes + (0 if pair_scale is None else num_heroes * (num_heroes - 1))
    starts = np.arange(count + 1) * column.shape[1]
    return csr_matrix((value.reshape(-1), column.reshape(-1), starts), shape=(count, width))


def _pair_index(a: NDArray[np.int64], b: NDArray[np.int64], num_heroes: int) -> NDArray[np.int64]:
    low, high = np.minimum(a, b), np.maximum(a, b)
    return np.asarray(low * (2 * num_heroes - low - 1) // 2 + high - low - 1)


def _logistic(c: float, side_offset: bool) -> Any:
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression(C=c, fit_intercept=side_offset, max_iter=1000)


def tuned_by_folds(
    features: Any,
    wins: NDArray[np.bool_],
    *,
    strengths: Sequence[float],
    num_folds: int,
    side_offset: bool,
    seed: int,
) -> Any:
    """Fits a logistic regression whose C has the best mean log-loss in cross-validation.

    Args:
        features: `[n, F]` rows.
        wins: `[n]` whether team 1 won.
        strengths: values of C (inverse regularisation) to choose from.
        num_folds: folds.
        side_offset: fit an intercept.
        seed: of the folds.

    Returns:
        The scikit-learn model, fitted on all rows.
    """
    from sklearn.model_selection import StratifiedKFold, cross_val_score

    folds = StratifiedKFold(num_folds, shuffle=True, random_state=seed)
    scores = [
        cross_val_score(_logistic(c, side_offset), features, wins, cv=folds, scoring="neg_log_loss").mean()
        for c in strengths
    ]
    return _logistic(strengths[int(np.argmax(scores))], side_offset).fit(features, wins)


@dataclass(frozen=True, eq=False)
class PairRegression:
    """A logistic regression on strengths and pairs.

    Attributes:
        model: the scikit-learn model.
        num_heroes: heroes in the pool, H.
        pair_scale: value of its pair columns.
    """

    model: Any
    num_heroes: int
    pair_scale: float

    def rows(self, lineups: NDArray[Any]) -> Any:
        """Builds its rows for `[n, 2, P]` line-ups."""
        return signed_one_hot(lineups, self.num_heroes, pair_scale=self.pair_scale)

    def log_odds(self, lineups: NDArray[Any]) -> NDArray[np.float64]:
        """Computes `[n]` log-odds of team 1 for `[n, 2, P]` line-ups."""
        return np.asarray(self.model.decision_function(self.rows(lineups)), np.float64)

    def refit(self, lineups: NDArray[Any], wins: NDArray[np.bool_]) -> PairRegression:
        """Fits the same regularisation to other matches."""
        from sklearn.base import clone

        return PairRegression(
            clone(self.model).fit(self.rows(lineups), wins), self.num_heroes, self.pair_scale
        )


def fit_pairs(
    lineups: NDArray[Any],
    wins: NDArray[np.bool_],
    num_train: int,
    *,
    num_heroes: int,
    strengths: Sequence[float],
    side_offset: bool,
) -> PairRegression:
    """Fits the regression whose C and pair scale have the best log-loss on the last matches, which saves the folds.

    Args:
        lineups: `[n, 2, P]` hero ids, the matches to train on first.
        wins: `[n]` whether team 1 won.
        num_train: matches to train on; the rest choose.
        num_heroes: heroes in the pool, H.
        strengths: values of C to choose from.
        side_offset: fit an intercept.

    Returns:
        The best regression, fitted on the training matches only.
    """
    from sklearn.metrics import log_loss

    train, held = slice(0, num_train), slice(num_train, None)
    best, best_loss = None, np.inf
    for scale in PAIR_SCALES:
        rows = signed_one_hot(lineups, num_heroes, pair_scale=scale)
        for c in strengths:
            model = _logistic(c, side_offset).fit(rows[train], wins[train])
            loss = log_loss(wins[held], model.predict_proba(rows[held])[:, 1], labels=[False, True])
            if loss < best_loss:
                best, best_loss = PairRegression(model, num_heroes, scale), loss
    if best is None:
        raise ValueError("no strength to choose from; give at least one value of C")
    return best
