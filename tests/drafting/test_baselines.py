from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from fullpool.drafting.baselines import (
    LOGISTIC,
    MAJORITY,
    MLP,
    explain_strengths,
    fit_baselines,
    hero_table,
    hero_win_rates,
    judge,
    reliability_table,
)
from fullpool.drafting.predictor import WinRatePredictor, train_predictor
from fullpool.drafting.records import MatchTable, RecordColumns, read_matches
from fullpool.drafting.settings import WinrateSettings
from fullpool.drafting.synthetic import make_up_game, make_up_matches

Parts = tuple[np.ndarray, np.ndarray, np.ndarray]
SHARED = Path(os.environ.get("FULLPOOL_SHARED_DATA", Path(__file__).parents[3] / "shared" / "data"))


def _rows(table: pd.DataFrame) -> dict[str, dict[str, Any]]:
    return {str(row["model"]): {str(k): v for k, v in row.items()} for row in table.to_dict("records")}


@pytest.fixture(scope="module")
def table(
    predictor: WinRatePredictor, matches: MatchTable, parts: Parts, winrate_settings: WinrateSettings
) -> pd.DataFrame:
    baselines = fit_baselines(matches, *parts, winrate_settings, seed=0)
    return judge(predictor, baselines, matches, parts[2], winrate_settings, seed=0)


def test_the_predictor_beats_the_tuned_logistic_regression_where_pairs_matter(table: pd.DataFrame) -> None:
    row = _rows(table)[MLP]
    assert row[f"vs_{LOGISTIC}_high"] < 0
    assert row[f"vs_{MAJORITY}_high"] < 0
    assert row["log_loss"] < 0.66
    assert "do not explain the games" in explain_strengths(table)


def test_differences_belong_to_the_log_losses(table: pd.DataFrame) -> None:
    rows = _rows(table)
    for row in rows.values():
        for other in (LOGISTIC, MAJORITY):
            assert row[f"vs_{other}"] == pytest.approx(row["log_loss"] - rows[other]["log_loss"], abs=1e-6)
            assert row[f"vs_{other}_low"] <= row[f"vs_{other}"] <= row[f"vs_{other}_high"]


def test_an_additive_game_is_recognised(winrate_settings: WinrateSettings) -> None:
    generator = np.random.default_rng(0)
    game = make_up_game(generator, num_heroes=16, team_size=3, strength=0.8, synergy=0.0, counter=0.0)
    matches = make_up_matches(game, generator, num_matches=3000, team_size=3)
    parts = np.split(generator.permutation(3000), [2000, 2400])
    last = list(train_predictor(matches, parts[0], parts[1], winrate_settings, seed=0))[-1]
    assert last.predictor is not None
    baselines = fit_baselines(matches, parts[0], parts[1], parts[2], winrate_settings, seed=0)
    judged = judge(last.predictor, baselines, matches, parts[2], winrate_settings, seed=0)
    assert "strengths alone explain the games" in explain_strengths(judged)


def test_reliability_covers_all_test_matches(
    predictor: WinRatePredictor, matches: MatchTable, parts: Parts, winrate_settings: WinrateSettings
) -> None:
    bins = reliability_table(predictor, {}, matches, parts[2], winrate_settings)
    assert bins["count"].sum() == len(parts[2])
    assert set(bins["model"]) == {MLP}


def test_hero_records_count_every_game_on_both_sides() -> None:
    lineups = np.array([[[0, 1], [2, 3]], [[2, 0], [1, 4]]], np.int16)
    table = MatchTable(tuple("abcdef"), lineups, np.array([True, False]), None, None, pd.DataFrame(), 0)
    np.testing.assert_allclose(hero_win_rates(table, prior_games=2.0), [0.5, 0.75, 0.25, 1 / 3, 2 / 3, 0.5])
    heroes = hero_table(table, confidence=0.95)
    assert heroes["games"].tolist() == [2, 2, 2, 1, 1, 0]
    assert heroes["win_rate"].tolist() == [0.5, 1.0, 0.0, 0.0, 1.0, 0.5]
    assert ((heroes["low"] <= heroes["win_rate"]) & (heroes["win_rate"] <= heroes["high"])).all()


@pytest.mark.slow
def test_real_matches_are_told_as_well_as_by_simple_models(winrate_settings: WinrateSettings) -> None:
    path = SHARED / "dota2_uci_2016.csv.gz"
    if not path.is_file():
        pytest.skip(f"no real matches at {path}; set FULLPOOL_SHARED_DATA to try on them")
    frame = pd.read_csv(path).iloc[-30_000:]
    players = [f"{side}{number}" for side in "ab" for number in range(1, 6)]
    columns = RecordColumns(
        team1_heroes=tuple(players[:5]), team2_heroes=tuple(players[5:]), team1_win="team1_win"
    )
    matches = read_matches(frame, columns, [str(number) for number in range(1, 114)], 5)
    assert len(matches) == 30_000
    settings = winrate_settings.model_copy(update={"side_offset": True})
    split = np.split(np.random.default_rng(0).permutation(30_000), [20_000, 24_000])
    last = list(train_predictor(matches, split[0], split[1], settings, seed=0))[-1]
    assert last.predictor is not None
    baselines = fit_baselines(matches, split[0], split[1], split[2], settings, seed=0)
    rows = _rows(judge(last.predictor, baselines, matches, split[2], settings, seed=0))
    assert rows[MLP][f"vs_{MAJORITY}_high"] < 0
    assert rows[MLP]["log_loss"] < rows[LOGISTIC]["log_loss"] + 0.003
    assert rows[MLP]["accuracy"] < 0.65
