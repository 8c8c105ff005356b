"""Compiles every kernel of this room once, so that the first pick need not wait."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import torch

from fullpool.drafting.formats import load_format
from fullpool.drafting.network import Mlp
from fullpool.drafting.predictor import WinRatePredictor
from fullpool.drafting.search import LeafFn, Search
from fullpool.drafting.settings import SearchSettings
from fullpool.drafting.state import initial_state, make_rules, take
from fullpool.drafting.value import ValueNetwork, num_value_inputs


def compile_all(note: Callable[[str], None] | None = None) -> None:
    """Drafts two heroes a team with tiny networks, which calls every kernel; kept on disk afterwards.

    Args:
        note: told after each of the two searches; None: nobody is.
    """
    heroes = tuple(f"hero{index}" for index in range(6))
    rules = make_rules(load_format("snake2"), heroes)
    generator = torch.Generator().manual_seed(0)
    predictor = WinRatePredictor(heroes, 2, Mlp(12, (4, 4), 1, generator).arrays(), 0.0, 1.0)
    predictor.predict(np.array([[[0, 1], [2, 3]]], np.int16))
    strengths = np.zeros(len(heroes), np.float32)
    weights = Mlp(num_value_inputs(6), (4, 4), 1, generator).arrays()
    network = ValueNetwork(rules, weights, strengths=strengths)
    settings = SearchSettings(simulations=16, leaves=2, exploration=0.1, first_play=0.0)
    kinds: tuple[tuple[str, LeafFn | None], ...] = (("uct_rollout", None), ("uct_value", network))
    for name, leaf_fn in kinds:
        search = Search(rules, settings, predictor.predict_owners, leaf_fn, num_drafts=1, seed=0)
        state = initial_state(rules)
        for _ in range(rules.num_steps):
            state = take(rules, state, int(search.suggest([state])[0].heroes[0]))
        if note is not None:
            note(f"drafting {name}")
