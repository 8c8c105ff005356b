"""Made-up matches, a predictor trained on them, and small settings, shared by the drafting tests."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from fullpool.drafting.formats import load_format
from fullpool.drafting.predictor import WinRatePredictor, train_predictor
from fullpool.drafting.records import MatchTable, split_matches
from fullpool.drafting.settings import MatchSplit, WinrateSettings
from fullpool.drafting.state import DraftRules, make_rules
from fullpool.drafting.synthetic import MadeUpGame, make_up_game, make_up_matches

torch.set_num_threads(1)


@pytest.fixture(scope="session")
def winrate_settings() -> WinrateSettings:
    fit: dict[str, Any] = {
        "hidden": (16, 8), "members": 4, "learning_rate": 1e-3, "weight_decay": 0.3, "dropout": 0.1,
        "batch_size": 256, "max_epochs": 40, "patience": 8,
    }  # fmt: skip
    return WinrateSettings.model_validate(
        {
            "split": MatchSplit(order="random", validation=0.15, test=0.2),
            "head_start": {"steps": 100, "batch_size": 256, "learning_rate": 3e-3},
            "fit": fit,
            "side_offset": False,
            "baseline_c": (0.003, 0.03, 0.3),
            "baseline_folds": 3,
            "boosting_iterations": 30,
            "calibration_bins": 10,
            "num_resamples": 500,
            "confidence": 0.95,
        }
    )


@pytest.fixture(scope="session")
def game() -> MadeUpGame:
    generator = np.random.default_rng(3)
    return make_up_game(generator, num_heroes=16, team_size=3, strength=0.4, synergy=0.8, counter=0.8)


@pytest.fixture(scope="session")
def matches(game: MadeUpGame) -> MatchTable:
    return make_up_matches(game, np.random.default_rng(4), num_matches=6000, team_size=3)


@pytest.fixture(scope="session")
def parts(
    matches: MatchTable, winrate_settings: WinrateSettings
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return split_matches(matches, winrate_settings.split, np.random.default_rng(5))


@pytest.fixture(scope="session")
def predictor(
    matches: MatchTable, parts: tuple[np.ndarray, np.ndarray, np.ndarray], winrate_settings: WinrateSettings
) -> WinRatePredictor:
    last = list(train_predictor(matches, parts[0], parts[1], winrate_settings, seed=0))[-1]
    assert last.predictor is not None
    return last.predictor


@pytest.fixture(scope="session")
def rules(game: MadeUpGame) -> DraftRules:
    return make_rules(load_format("snake3"), game.heroes)
