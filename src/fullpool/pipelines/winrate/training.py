"""The win-rate stage: the agent's matches in, predictor, comparison and calibration out.

<folder>/predictor/         the predictor
<folder>/*.csv              comparison, reliability, heroes, rejects
<folder>/verdict.txt        whether heroes' strengths alone explain the games
<folder>/state/             instead of these while the training is under way
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import ceil
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from fullpool.datasets import Generation
from fullpool.drafting.baselines import (
    MLP,
    explain_strengths,
    fit_baselines,
    hero_table,
    judge,
    reliability_table,
)
from fullpool.drafting.predictor import WinRatePredictor, load_predictor, save_predictor, train_predictor
from fullpool.drafting.records import AGENT_COLUMNS, MatchTable, read_matches, split_matches, split_sizes
from fullpool.drafting.settings import WinrateSettings
from fullpool.games.contract import GameSpec
from fullpool.league.seeds import derive_seed
from fullpool.pipelines import fitting
from fullpool.pipelines.matches.self_play import read_chunks
from fullpool.pipelines.progress import note
from fullpool.pipelines.stages import read_table
from fullpool.pipelines.tracking import current

PART, PREDICTOR = "winrate", "predictor"
TABLES = ("comparison", "reliability", "heroes", "rejects")


@dataclass(frozen=True, eq=False)
class Findings:
    """What the stage found out.

    Attributes:
        predictor: the trained predictor.
        comparison: one row a model, on the test matches.
        reliability: bins of the calibration figure.
        heroes: each hero's record.
        rejects: matches that could not be used, with reasons.
        verdict: whether heroes' strengths alone explain the games.
    """

    predictor: WinRatePredictor
    comparison: pd.DataFrame
    reliability: pd.DataFrame
    heroes: pd.DataFrame
    rejects: pd.DataFrame
    verdict: str

    def save(self, folder: Path) -> None:
        """Writes everything into an existing folder."""
        save_predictor(folder / PREDICTOR, self.predictor)
        for name in TABLES:
            getattr(self, name).to_csv(folder / f"{name}.csv", index=False)
        (folder / "verdict.txt").write_text(self.verdict + "\n", encoding="utf-8")


def load_matches(folders: Sequence[Path], spec: GameSpec) -> MatchTable:
    """Reads and checks the matches of the stage before.

    Args:
        folders: of its chunks.
        spec: the game.

    Returns:
        Decided matches as arrays; draws are counted and left out.
    """
    return read_matches(read_chunks(folders), AGENT_COLUMNS, spec.heroes, spec.team_size)


def predictor_of(folder: Path, spec: GameSpec) -> WinRatePredictor:
    """Reads the predictor from the finished stage's folder."""
    return load_predictor(folder / PREDICTOR, spec.heroes)


def learn_winrate(
    matches: MatchTable, settings: WinrateSettings, *, seed: int, resume: Path | None
) -> Iterator[Generation]:
    """Trains the predictor, then compares it with the baselines.

    Args:
        matches: checked match records.
        settings: of the stage.
        seed: of the run.
        resume: folder of the last generation.

    Yields:
        Generations; the last holds predictor and tables. Nothing if that one is there.
    """
    if resume is not None and (resume / PREDICTOR).is_dir():
        return
    # scikit-learn takes 32 bits.
    own = derive_seed(seed, "winrate") % 2**31
    train, validation, test = split_matches(matches, settings.split, np.random.default_rng(own))
    check_outcomes(matches, np.concatenate([train, validation]), settings)
    note("imitating the regression on pairs")
    state = None if resume is None else fitting.load_state(resume)
    epochs = train_predictor(matches, train, validation, settings, seed=own, resume=state)

    def finish(predictor: WinRatePredictor) -> tuple[fitting.SaveFn, dict[str, float]]:
        note("comparing with the baselines")
        baselines = fit_baselines(matches, train, validation, test, settings, seed=own)
        comparison = judge(predictor, baselines, matches, test, settings, seed=own)
        findings = Findings(
            predictor,
            comparison,
            reliability_table(predictor, baselines, matches, test, settings),
            hero_table(matches, confidence=settings.confidence),
            matches.rejects,
            explain_strengths(comparison),
        )
        counts = {"matches": len(matches), "draws": matches.num_draws, "rejects": len(matches.rejects)}
        return findings.save, figures(comparison) | {name: float(n) for name, n in counts.items()}

    yield from fitting.generations(epochs, PART, finish)


def check_outcomes(matches: MatchTable, rows: NDArray[np.int64], settings: WinrateSettings) -> None:
    """Refuses matches of which too few were won by either team to fit anything.

    Raises:
        ValueError: naming the numbers and what to do.
    """
    won = int(matches.team1_win[rows].sum())
    needed = least_outcomes(settings)
    if min(won, len(rows) - won) < needed:
        raise ValueError(
            f"winrate needs at least {needed} matches won by either team to learn from, got {won} won by team 1 and "
            f"{len(rows) - won} by team 2 ({matches.num_draws} draws left out); play more matches "
            "(matches.num_matches), or train an agent that decides them"
        )


def least_outcomes(settings: WinrateSettings) -> int:
    """Matches won by either team that the folds of the cross-validation need."""
    return 2 * settings.baseline_folds


def check_count(num_matches: int, settings: WinrateSettings) -> None:
    """Refuses a number of matches that is too small even if all are decided and the teams are equal.

    Twice what is needed is asked for: equal teams, too, seldom win half each.

    Raises:
        ValueError: saying how many are needed.
    """
    train, validation, _ = split_sizes(num_matches, settings.split)
    needed = least_outcomes(settings)
    if train + validation < 4 * needed:
        share = (train + validation) / num_matches
        raise ValueError(
            f"winrate needs at least {needed} matches won by either team to learn from, but {num_matches} leave "
            f"{train + validation} beside the test; give at least {ceil(4 * needed / share)}, more if some are drawn"
        )


def figures(comparison: pd.DataFrame) -> dict[str, float]:
    """Picks what runs are compared by.

    Args:
        comparison: result of `baselines.judge`.

    Returns:
        All figures of the predictor by their names, and of the others with the model's name behind.
    """
    chosen: dict[str, float] = {}
    for model, values in comparison.set_index("model").to_dict("index").items():
        suffix = "" if model == MLP else f"_{model}"
        kept = [name for name in values if not suffix or name in ("log_loss", "accuracy", "auc")]
        chosen |= {f"{name}{suffix}": float(values[name]) for name in kept}
    return chosen


def report(folder: Path) -> None:
    """Logs figures, tables and the predictor of the finished stage."""
    from fullpool.reports.drafting import calibration_figure, hero_figure

    tracker = current()
    tracker.figure("calibration", calibration_figure(read_table(folder / "reliability.csv")))
    tracker.figure("win_rate_by_hero", hero_figure(read_table(folder / "heroes.csv")))
    for name in (*(f"{table}.csv" for table in TABLES), "verdict.txt", PREDICTOR):
        tracker.artifact(folder / name)
