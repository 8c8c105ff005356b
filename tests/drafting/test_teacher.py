from __future__ import annotations

import numpy as np
import torch

from fullpool.drafting.linear import fit_pairs
from fullpool.drafting.network import Mlp, mlp_outputs, pair_indices
from fullpool.drafting.records import MatchTable
from fullpool.drafting.settings import HeadStartSettings
from fullpool.drafting.teacher import imitate_pairs


def test_the_network_takes_over_what_the_regression_on_pairs_says(matches: MatchTable) -> None:
    train, validation, fresh = np.arange(3000), np.arange(3000, 4000), matches.lineups[4000:]
    net = Mlp(32, (32, 16), 2, torch.Generator().manual_seed(0))
    settings = HeadStartSettings(steps=400, batch_size=256, learning_rate=5e-3)
    offset = imitate_pairs(
        net, matches, train, validation, settings, strengths=(0.03,), side_offset=False, seed=0
    )
    assert offset == 0.0
    known = matches.lineups[:4000], matches.team1_win[:4000]
    teacher = fit_pairs(*known, 3000, num_heroes=16, strengths=(0.03,), side_offset=False)
    told = teacher.log_odds(fresh)
    outputs = mlp_outputs(pair_indices(fresh, 16), *net.arrays())
    learnt = outputs[: len(fresh)] - outputs[len(fresh) :]
    assert 1 - ((learnt - told) ** 2).mean() / told.var() > 0.95


def test_an_advantage_of_team_1_is_handed_over_apart(matches: MatchTable) -> None:
    tilted = matches.team1_win | (np.random.default_rng(0).random(len(matches)) < 0.4)
    table = MatchTable(matches.heroes, matches.lineups, tilted, None, None, matches.rejects, 0)
    net = Mlp(32, (8, 4), 1, torch.Generator().manual_seed(0))
    settings = HeadStartSettings(steps=5, batch_size=64, learning_rate=1e-3)
    rows = np.arange(3000), np.arange(3000, 4000)
    assert imitate_pairs(net, table, *rows, settings, strengths=(0.03,), side_offset=True, seed=0) > 0.3
