from __future__ import annotations

import numpy as np
import pytest

from fullpool.drafting.additive import Weights, additive_arrays, choose, gain_of
from fullpool.drafting.baselines import LOGISTIC, fit_baselines
from fullpool.drafting.network import mlp_outputs, pair_indices
from fullpool.drafting.predictor import WinRatePredictor, train_predictor
from fullpool.drafting.records import MatchTable
from fullpool.drafting.settings import WinrateSettings
from fullpool.drafting.synthetic import make_up_game, make_up_matches


def test_additive_weights_give_the_difference_of_the_teams_strengths() -> None:
    strengths = np.random.default_rng(0).normal(size=10).astype(np.float32)
    lineups = np.array([[[0, 3, 4], [1, 2, 9]], [[7, 8, 6], [5, 0, 1]]], np.int16)
    outputs = mlp_outputs(pair_indices(lineups, 10), *additive_arrays(strengths))
    expected = strengths[lineups[:, 0]].sum(1) - strengths[lineups[:, 1]].sum(1)
    np.testing.assert_allclose(outputs[:2] - outputs[2:], expected, atol=1e-6)


def test_the_gain_is_the_mean_difference_in_log_loss() -> None:
    wins = np.array([True, False, True, True])
    gain, error = gain_of(np.array([1.0, -1.0, 2.0, 0.0]), np.zeros(4), wins)
    gains = np.log(2) - np.log1p(np.exp([-1.0, -1.0, -2.0, 0.0]))
    assert gain == pytest.approx(gains.mean())
    assert error == pytest.approx(gains.std() / 2)


def test_strengths_alone_are_left_where_they_explain_the_matches(winrate_settings: WinrateSettings) -> None:
    generator = np.random.default_rng(0)
    game = make_up_game(generator, num_heroes=16, team_size=3, strength=1.5, synergy=0.0, counter=0.0)
    matches = make_up_matches(game, generator, num_matches=3000, team_size=3)
    train, validation, test = np.split(generator.permutation(3000), [2000, 2400])
    predictor = list(train_predictor(matches, train, validation, winrate_settings, seed=0))[-1].predictor
    assert predictor is not None
    assert predictor.provenance["model"] == "additive"
    assert predictor.temperature == 1.0
    told = fit_baselines(matches, train, validation, test, winrate_settings, seed=0)[LOGISTIC]
    np.testing.assert_allclose(predictor.predict(matches.lineups[test]), told, atol=1e-5)


def test_the_perceptron_is_kept_where_pairs_matter(predictor: WinRatePredictor) -> None:
    facts = predictor.provenance
    assert facts["model"] == "perceptron"
    assert facts["gain_over_additive"] > 2 * facts["gain_error"] > 0
    assert predictor.arrays.w3.any()


def test_an_advantage_of_team_1_is_kept_by_strengths_alone(matches: MatchTable) -> None:
    tilted = matches.team1_win | (np.random.default_rng(0).random(len(matches)) < 0.4)
    table = MatchTable(matches.heroes, matches.lineups, tilted, None, None, matches.rejects, 0)
    train, validation = np.arange(4000), np.arange(4000, 6000)
    worse = Weights(additive_arrays(np.zeros(16, np.float32)), 0.0, 1.0)
    knobs = {"strengths": (0.03,), "num_folds": 3, "seed": 0}
    weights, facts = choose(table, train, validation, worse, np.zeros(2000), side_offset=True, **knobs)
    assert facts["gain_over_additive"] < 0
    assert weights.offset > 0.3
    assert (
        choose(table, train, validation, worse, np.zeros(2000), side_offset=False, **knobs)[0].offset == 0.0
    )
