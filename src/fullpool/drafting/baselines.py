"""What simple models make of the same matches, and the table that the predictor is judged by."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from fullpool.drafting.linear import PairRegression, fit_pairs, signed_one_hot, tuned_by_folds
from fullpool.drafting.predictor import WinRatePredictor
from fullpool.drafting.records import MatchTable
from fullpool.drafting.settings import WinrateSettings
from fullpool.games.contract import Shorts
from fullpool.numerics.calibration import expected_calibration_error, paired_bootstrap, reliability
from fullpool.numerics.intervals import wilson_interval

Doubles = NDArray[np.float64]
Rows = NDArray[np.int64]
MAJORITY, LOGISTIC, PAIRS, BOOSTING, MLP = (
    "majority",
    "logistic_regression",
    "logistic_regression_pairs",
    "gradient_boosting",
    "mlp",
)


def fit_baselines(
    matches: MatchTable, train: Rows, validation: Rows, test: Rows, settings: WinrateSettings, *, seed: int
) -> dict[str, Doubles]:
    """Fits the baselines on training and validation rows together and predicts the test rows.

    Returns:
        By name: `[test]` probability that team 1 wins.
    """
    from sklearn.ensemble import HistGradientBoostingClassifier
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

    fitted = np.concatenate([train, validation])
    wins, num_heroes = matches.team1_win[fitted], len(matches.heroes)
    plain = signed_one_hot(matches.lineups, num_heroes, pair_scale=None)
    # Threads of these libraries spin: with a busy neighbour two are many times slower than one.
    with threadpool_limits(1):
        boosting = HistGradientBoostingClassifier(
            max_iter=settings.boosting_iterations, learning_rate=0.05, early_stopping=True, random_state=seed
        ).fit(plain[fitted].toarray(), wins)
        pairs = _pairwise(matches, train, validation, settings)
        models = {
            LOGISTIC: (_additive(plain[fitted], wins, settings, seed), plain[test]),
            PAIRS: (pairs.model, pairs.rows(matches.lineups[test])),
            BOOSTING: (boosting, plain[test].toarray()),
        }
        found = {name: model.predict_proba(rows)[:, 1] for name, (model, rows) in models.items()}
    return {MAJORITY: np.full(len(test), wins.mean()), **found}


def _additive(features: Any, wins: NDArray[np.bool_], settings: WinrateSettings, seed: int) -> Any:
    knobs: dict[str, Any] = {
        "strengths": settings.baseline_c,
        "num_folds": settings.baseline_folds,
        "seed": seed,
    }
    return tuned_by_folds(features, wins, side_offset=settings.side_offset, **knobs)


def _pairwise(
    matches: MatchTable, train: Rows, validation: Rows, settings: WinrateSettings
) -> PairRegression:
    """The validation rows choose, and are then trained on too, as the folds of the additive model are."""
    known = np.concatenate([train, validation])
    lineups, wins = matches.lineups[known], matches.team1_win[known]
    knobs: dict[str, Any] = {"strengths": settings.baseline_c, "side_offset": settings.side_offset}
    chosen = fit_pairs(lineups, wins, len(train), num_heroes=len(matches.heroes), **knobs)
    return chosen.refit(lineups, wins)


def judge(
    predictor: WinRatePredictor,
    baselines: dict[str, Doubles],
    matches: MatchTable,
    test: Rows,
    settings: WinrateSettings,
    *,
    seed: int,
) -> pd.DataFrame:
    """Compares the predictor and the baselines on the test rows.

    Returns:
        One row a model: accuracy, AUC, log-loss, Brier score, calibration error (all but the last computed by
        scikit-learn), and the difference in log-loss against the logistic regression and against the majority with
        the ends of a paired bootstrap interval (below zero: better).
    """
    from sklearn.metrics import accuracy_score, brier_score_loss, log_loss, roc_auc_score

    wins = matches.team1_win[test]
    forecasts = {**baselines, MLP: predictor.predict(matches.lineups[test]).astype(np.float64)}
    losses = {name: _row_losses(p, wins) for name, p in forecasts.items()}
    rows = []
    for name, p in forecasts.items():
        row: dict[str, Any] = {
            "model": name,
            "test_matches": len(test),
            "accuracy": accuracy_score(wins, p >= 0.5),
            "auc": roc_auc_score(wins, p) if 0 < wins.sum() < len(wins) else 0.5,
            "log_loss": log_loss(wins, p, labels=[False, True]),
            "brier": brier_score_loss(wins, p, pos_label=True),
            "calibration_error": expected_calibration_error(p, wins, num_bins=settings.calibration_bins),
        }
        for other in (LOGISTIC, MAJORITY):
            difference = paired_bootstrap(
                losses[name],
                losses[other],
                generator=np.random.default_rng(seed),
                num_resamples=settings.num_resamples,
                confidence=settings.confidence,
            )
            row |= dict(zip((f"vs_{other}", f"vs_{other}_low", f"vs_{other}_high"), difference))
        rows.append(row)
    return pd.DataFrame(rows)


def reliability_table(
    predictor: WinRatePredictor,
    baselines: dict[str, Doubles],
    matches: MatchTable,
    test: Rows,
    settings: WinrateSettings,
) -> pd.DataFrame:
    """Tables the bins behind the calibration figure.

    Returns:
        `model`, `forecast`, `observed`, `count`: one row a bin and model.
    """
    forecasts = {**baselines, MLP: predictor.predict(matches.lineups[test]).astype(np.float64)}
    frames = []
    for name, p in forecasts.items():
        bins = reliability(p, matches.team1_win[test], num_bins=settings.calibration_bins)
        columns = {"forecast": bins.forecast, "observed": bins.observed, "count": bins.counts}
        frames.append(pd.DataFrame({"model": name, **columns}))
    return pd.concat(frames, ignore_index=True)


def hero_table(matches: MatchTable, *, confidence: float) -> pd.DataFrame:
    """Tables each hero's record.

    Args:
        matches: checked match records.
        confidence: of the Wilson intervals.

    Returns:
        `hero`, `games`, `win_rate`, `low`, `high`; a hero without games has 0.5 and the interval (0, 1).
    """
    games, points = _records(matches.lineups, matches.team1_win, len(matches.heroes))
    rows = []
    for hero, count, wins in zip(matches.heroes, games.tolist(), points.tolist()):
        low, high = wilson_interval(wins, count, confidence)
        rows.append((hero, count, wins / count if count else 0.5, low, high))
    return pd.DataFrame(rows, columns=["hero", "games", "win_rate", "low", "high"])


def explain_strengths(table: pd.DataFrame) -> str:
    """Says in one line whether heroes' strengths alone explain the games.

    Args:
        table: result of `judge`.

    Returns:
        The verdict, by whether models of pairs beat the additive one outside their intervals.
    """
    by_name = table.set_index("model")
    above = {name: float(value) for name, value in by_name[f"vs_{LOGISTIC}_high"].items()}
    better = [name for name in (PAIRS, MLP) if above[name] < 0]
    additive = dict(by_name[f"vs_{MAJORITY}_high"])[LOGISTIC] < 0
    if better:
        return f"heroes' strengths alone do not explain the games: {' and '.join(better)} beat the additive model"
    if additive:
        return "heroes' strengths alone explain the games: no model of pairs beats the additive one"
    return "no model tells the games from a coin: neither strengths nor pairs beat the majority"


def hero_win_rates(matches: MatchTable, rows: Rows | None = None, *, prior_games: float) -> Doubles:
    """Estimates each hero's win rate over all line-ups it was part of.

    Args:
        matches: checked match records.
        rows: rows to use; None: all.
        prior_games: games at 0.5 added to each hero, so that a rare hero is not rated on a few games.

    Returns:
        `[H]` win rates.
    """
    lineups = matches.lineups if rows is None else matches.lineups[rows]
    wins = matches.team1_win if rows is None else matches.team1_win[rows]
    games, points = _records(lineups, wins, len(matches.heroes))
    return np.asarray((points + 0.5 * prior_games) / (games + prior_games))


def _records(lineups: Shorts, wins: NDArray[np.bool_], num_heroes: int) -> tuple[NDArray[np.int64], Doubles]:
    """Games and won games of each hero."""
    won = np.stack([wins, ~wins], axis=1)[:, :, None].repeat(lineups.shape[2], 2)
    games = np.bincount(lineups.reshape(-1), minlength=num_heroes).astype(np.int64)
    points = np.bincount(lineups.reshape(-1), won.reshape(-1), num_heroes).astype(np.float64)
    return games, points


def _row_losses(p: Doubles, wins: NDArray[np.bool_]) -> Doubles:
    return np.asarray(-np.log(np.clip(np.where(wins, p, 1 - p), 1e-12, 1.0)))
