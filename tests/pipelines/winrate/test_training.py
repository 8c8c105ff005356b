"""The win-rate stage on made-up matches: cut short and whole lead to the same predictor."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from fullpool.datasets import Generation
from fullpool.drafting.predictor import load_predictor
from fullpool.drafting.records import MatchTable
from fullpool.drafting.settings import WinrateSettings
from fullpool.drafting.synthetic import make_up_game, make_up_matches
from fullpool.pipelines import fitting
from fullpool.pipelines.winrate import training

SETTINGS = WinrateSettings.model_validate(
    {
        "split": {"order": "random", "validation": 0.2, "test": 0.2},
        "head_start": {"steps": 5, "batch_size": 64, "learning_rate": 0.003},
        "fit": {
            "hidden": (8, 4), "members": 2, "learning_rate": 0.001, "weight_decay": 0.1, "dropout": 0.1,
            "batch_size": 64, "max_epochs": 4, "patience": 4,
        },
        "side_offset": False,
        "baseline_c": (0.1,),
        "baseline_folds": 2,
        "boosting_iterations": 5,
        "calibration_bins": 5,
        "num_resamples": 100,
        "confidence": 0.9,
    }
)  # fmt: skip


@pytest.fixture(scope="module")
def matches() -> MatchTable:
    generator = np.random.default_rng(2)
    game = make_up_game(generator, num_heroes=10, team_size=2, strength=0.5, synergy=0.0, counter=0.0)
    return make_up_matches(game, generator, num_matches=500, team_size=2)


def learn(matches: MatchTable, folder: Path, resume: Path | None) -> list[Path]:
    """Runs the stage from `resume`; returns the folders of its generations."""
    found: list[Path] = []
    generation: Generation
    for generation in training.learn_winrate(matches, SETTINGS, seed=7, resume=resume):
        found.append(folder / f"{generation.part}@{generation.number}")
        found[-1].mkdir(parents=True)
        generation.save(found[-1])
    return found


def test_a_cut_training_ends_with_the_same_predictor(
    matches: MatchTable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fitting, "SAVE_PERIOD_S", 0.0)
    whole = learn(matches, tmp_path / "whole", None)
    assert [folder.name for folder in whole] == [f"winrate@{number}" for number in (1, 2, 3, 4)]
    rest = learn(matches, tmp_path / "rest", whole[1])
    assert [folder.name for folder in rest] == ["winrate@3", "winrate@4"]
    own, expected = (load_predictor(folder[-1] / "predictor").arrays for folder in (rest, whole))
    assert all(np.array_equal(a, b) for a, b in zip(own, expected))
    assert learn(matches, tmp_path / "again", rest[-1]) == []


def test_the_end_holds_tables_figures_and_the_predictor(
    matches: MatchTable, tmp_path: Path, recorder: Any
) -> None:
    (*_, last) = training.learn_winrate(matches, SETTINGS, seed=7, resume=None)
    last.save(tmp_path)
    (values,) = [row.values for row in last.rows if row.step == 0]
    assert values["matches"] == 500
    assert 0 < values["log_loss"] < 1
    assert {"auc", "vs_majority_low", "log_loss_logistic_regression", "accuracy_majority"} <= values.keys()
    comparison = pd.read_csv(tmp_path / "comparison.csv").set_index("model")
    assert comparison.loc["mlp", "log_loss"] == pytest.approx(values["log_loss"])
    assert len(pd.read_csv(tmp_path / "heroes.csv")) == 10
    training.report(tmp_path)
    assert recorder.figures == ["calibration", "win_rate_by_hero"]
    assert {"comparison.csv", "rejects.csv", "verdict.txt", "predictor"} <= set(recorder.artifacts)


def test_matches_that_hardly_anyone_won_are_refused(matches: MatchTable, tmp_path: Path) -> None:
    few = replace(matches, team1_win=np.arange(len(matches)) < 3, num_draws=7)
    with pytest.raises(ValueError, match=r"at least 4 matches won by either team .*\(7 draws left out\)"):
        learn(few, tmp_path, None)
