from __future__ import annotations

import numpy as np
import pytest

from fullpool.drafting.synthetic import make_up_game, make_up_matches


def test_parts_have_the_strength_that_was_asked_for_and_pairs_say_nothing_about_heroes() -> None:
    generator = np.random.default_rng(0)
    game = make_up_game(generator, num_heroes=40, team_size=5, strength=0.3, synergy=0.5, counter=0.7)
    np.testing.assert_allclose(game.synergy, game.synergy.T, atol=1e-9)
    np.testing.assert_allclose(game.counter, -game.counter.T, atol=1e-9)
    np.testing.assert_allclose(game.synergy.sum(1), 0, atol=1e-2)
    np.testing.assert_allclose(game.counter.sum(1), 0, atol=1e-2)
    matches = make_up_matches(game, generator, num_matches=20_000, team_size=5)
    p = game.win_probability(matches.lineups)
    logits = np.log(p / (1 - p))
    assert logits.std() == pytest.approx(np.sqrt(0.3**2 + 0.5**2 + 0.7**2), rel=0.15)
    np.testing.assert_allclose(game.win_probability(matches.lineups[:, ::-1]), 1 - p, atol=1e-9)
    assert matches.team1_win.mean() == pytest.approx(p.mean(), abs=0.01)
