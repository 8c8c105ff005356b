from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from fullpool.drafting.predictor import WinRatePredictor, load_predictor, save_predictor, train_predictor
from fullpool.drafting.records import MatchTable
from fullpool.drafting.settings import WinrateSettings
from fullpool.drafting.synthetic import MadeUpGame

Parts = tuple[np.ndarray, np.ndarray, np.ndarray]


def test_swapping_the_teams_turns_p_into_its_complement(
    predictor: WinRatePredictor, matches: MatchTable
) -> None:
    lineups = matches.lineups[:200]
    swapped = predictor.predict(lineups[:, ::-1])
    np.testing.assert_allclose(predictor.predict(lineups) + swapped, 1.0, atol=1e-6)
    shuffled = np.random.default_rng(0).permuted(lineups, axis=2)
    np.testing.assert_allclose(predictor.predict(shuffled), predictor.predict(lineups), atol=1e-5)


def test_owners_and_line_ups_are_rated_alike(predictor: WinRatePredictor, matches: MatchTable) -> None:
    lineups = matches.lineups[:50]
    owners = np.zeros((50, len(matches.heroes)), np.int8)
    np.put_along_axis(owners, lineups[:, 0].astype(np.int64), 1, 1)
    np.put_along_axis(owners, lineups[:, 1].astype(np.int64), 2, 1)
    np.testing.assert_allclose(predictor.predict_owners(owners), predictor.predict(lineups), atol=1e-5)


def test_it_learns_the_made_up_game(
    predictor: WinRatePredictor, matches: MatchTable, parts: Parts, game: MadeUpGame
) -> None:
    test = matches.lineups[parts[2]]
    truth, forecast = game.win_probability(test), predictor.predict(test)
    assert np.corrcoef(truth, forecast)[0, 1] > 0.7


def test_the_same_seed_gives_the_same_weights_and_a_resume_ends_with_them(
    matches: MatchTable, parts: Parts, winrate_settings: WinrateSettings
) -> None:
    fit = winrate_settings.fit.model_copy(update={"max_epochs": 4})
    settings = winrate_settings.model_copy(update={"fit": fit})
    # With fewer matches strengths alone are left, and their weights do not depend on the seed.
    rows = parts[0][:3000], parts[1]
    steps = list(train_predictor(matches, *rows, settings, seed=7))
    again = list(train_predictor(matches, *rows, settings, seed=7))[-1].predictor
    resumed = list(train_predictor(matches, *rows, settings, seed=7, resume=steps[1].state))[-1].predictor
    finished = list(train_predictor(matches, *rows, settings, seed=7, resume=steps[-1].state))[-1].predictor
    other = list(train_predictor(matches, *rows, settings, seed=8))[-1].predictor
    wanted = steps[-1].predictor
    assert wanted is not None
    for one in (again, resumed, finished):
        assert one is not None
        assert one.temperature == wanted.temperature
        for a, b in zip(one.arrays, wanted.arrays):
            np.testing.assert_array_equal(a, b)
    assert other is not None
    assert wanted.provenance["model"] == other.provenance["model"] == "perceptron"
    assert not np.array_equal(other.arrays.w1, wanted.arrays.w1)
    assert [step.metrics.epoch for step in steps] == [1, 2, 3, 4]


def test_a_side_offset_is_learnt_only_where_it_is_asked_for(
    matches: MatchTable, parts: Parts, winrate_settings: WinrateSettings, predictor: WinRatePredictor
) -> None:
    tilted = matches.team1_win | (np.random.default_rng(0).random(len(matches)) < 0.4)
    table = MatchTable(matches.heroes, matches.lineups, tilted, None, None, matches.rejects, 0)
    settings = winrate_settings.model_copy(update={"side_offset": True})
    learnt = list(train_predictor(table, parts[0], parts[1], settings, seed=0))[-1].predictor
    assert learnt is not None
    assert learnt.offset > 0.3
    assert predictor.offset == 0.0
    assert learnt.predict(table.lineups).mean() == pytest.approx(tilted.mean(), abs=0.05)


def test_a_saved_predictor_is_the_same_and_other_pools_are_refused(
    predictor: WinRatePredictor, matches: MatchTable, tmp_path: Path
) -> None:
    save_predictor(tmp_path / "p", predictor)
    loaded = load_predictor(tmp_path / "p", matches.heroes)
    np.testing.assert_array_equal(loaded.predict(matches.lineups), predictor.predict(matches.lineups))
    assert loaded.provenance["train_matches"] == 3900
    with pytest.raises(ValueError, match="does not know hero 'hero99'"):
        load_predictor(tmp_path / "p", ("hero99", *matches.heroes[1:]))
    with pytest.raises(ValueError, match="the order differs"):
        load_predictor(tmp_path / "p", matches.heroes[::-1])


def test_line_ups_that_do_not_fit_are_refused(predictor: WinRatePredictor) -> None:
    with pytest.raises(ValueError, match=r"shape \[n, 2, 3\], got \(1, 2, 5\)"):
        predictor.predict(np.zeros((1, 2, 5), np.int16))
    with pytest.raises(ValueError, match=r"must lie in \[0, 16\)"):
        predictor.predict(np.full((1, 2, 3), 16, np.int16))
