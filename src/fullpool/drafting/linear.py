"""Logistic regressions on signed one-hots of line-ups, with or without pairs: baselines and teacher."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray


def signed_one_hot(lineups: NDArray[Any], num_heroes: int, *, pairs: bool) -> Any:
    """Builds the rows of a logistic regression.

    Args:
        lineups: `[n, 2, P]` hero ids.
        num_heroes: heroes in the pool, H.
        pairs: add a column for each pair on one team (+1 team 1, -1 team 2) and each pair across the teams
            (+1 if team 1 has the lower id, -1 if the higher).

    Returns:
        `[n, H]` sparse rows (+1 team 1, -1 team 2); with pairs `[n, H + H (H - 1)]`.
    """
    from scipy.sparse import csr_matrix

    count, _, size = lineups.shape
    teams = lineups.astype(np.int64)
    columns, values = [teams.reshape(count, -1)], [np.repeat([1.0, -1.0], size)]
    if pairs:
        one, other = np.triu_indices(size, 1)
        for team, sign in ((0, 1.0), (1, -1.0)):
            columns.append(num_heroes + _pair_index(teams[:, team, one], teams[:, team, other], num_heroes))
            values.append(np.full(len(one), sign))
        across = (teams[:, 0].repeat(size, 1), np.tile(teams[:, 1], (1, size)))
        columns.append(
            num_heroes + num_heroes * (num_heroes - 1) // 2 + _pair_index(across[0], across[1], num_heroes)
        )
    column = np.concatenate(columns, axis=1)
    value = np.broadcast_to(
        np.concatenate([*values, np.ones(column.shape[1] - sum(map(len, values)))]), column.shape
    )
    if pairs:
        value = value.copy()
        value[:, -size * size :] = np.where(across[0] < across[1], 1.0, -1.0)
    width = num_heroes + (num_heroes * (num_heroes - 1) if pairs else 0)
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


def tuned_by_holdout(
    features: Any,
    wins: NDArray[np.bool_],
    num_train: int,
    *,
    strengths: Sequence[float],
    side_offset: bool,
) -> tuple[Any, float]:
    """Does the same for many columns: C is chosen on the last rows, which saves the folds.

    Args:
        features: `[n, F]` rows, the training rows first.
        wins: `[n]` whether team 1 won.
        num_train: rows to train on; the rest choose C.
        strengths: values of C to choose from.
        side_offset: fit an intercept.

    Returns:
        The scikit-learn model with the best C, fitted on the training rows only, and that C.
    """
    from sklearn.metrics import log_loss

    train, held = slice(0, num_train), slice(num_train, None)
    models = [_logistic(c, side_offset).fit(features[train], wins[train]) for c in strengths]
    forecasts = [model.predict_proba(features[held])[:, 1] for model in models]
    best = int(np.argmin([log_loss(wins[held], p, labels=[False, True]) for p in forecasts]))
    return models[best], strengths[best]
