"""Speed of the draft search: simulations a second and seconds a pick, with networks of the real size."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import torch

from fullpool.bench.facts import Notify, machine, part_of, peak_memory_mib, unheard, versions
from fullpool.drafting.formats import load_format
from fullpool.drafting.network import Mlp
from fullpool.drafting.predictor import WinRatePredictor
from fullpool.drafting.search import LeafFn, Search
from fullpool.drafting.settings import SearchSettings
from fullpool.drafting.state import DraftRules, DraftState, initial_state, make_rules, take
from fullpool.drafting.value import ValueNetwork, num_value_inputs


def bench_draft(
    *,
    draft_format: str = "juewu",
    num_heroes: int = 40,
    num_drafts: int = 32,
    simulations: int = 400,
    predictor_hidden: tuple[int, int] = (32, 16),
    predictor_members: int = 8,
    value_hidden: tuple[int, int] = (128, 64),
    seed: int = 0,
    notify: Notify = unheard,
) -> dict[str, Any]:
    """Drafts whole drafts by both searches; the networks have random weights, which cost as much as trained ones.

    Args:
        draft_format: name of the format.
        num_heroes: heroes in the pool.
        num_drafts: drafts searched side by side in the batched figure.
        simulations: leaves a pick.
        predictor_hidden: hidden units of the predictor.
        predictor_members: perceptrons that it averages.
        value_hidden: hidden units of the value network.
        seed: of weights and searches.
        notify: told how much is done.

    Returns:
        `simulations_per_s` (value network, batched), `seconds_per_pick` (one draft alone), the same for rollouts,
        `peak_memory_mib`, `versions`, `machine`, and what was asked for.
    """
    heroes = tuple(f"hero{index}" for index in range(num_heroes))
    rules = make_rules(load_format(draft_format), heroes)
    generator = torch.Generator().manual_seed(seed)
    members = Mlp(2 * num_heroes, predictor_hidden, predictor_members, generator)
    predictor = WinRatePredictor(heroes, rules.team_size, members.arrays(), 0.0, 1.0)
    network = ValueNetwork(rules, Mlp(num_value_inputs(num_heroes), value_hidden, 1, generator).arrays())
    figures: dict[str, Any] = {"draft_format": draft_format, "heroes": num_heroes, "simulations": simulations}
    kinds: tuple[tuple[str, LeafFn | None], ...] = (("", network), ("rollout_", None))
    for number, (prefix, leaf_fn) in enumerate(kinds):
        # A first draft compiles or loads the kernels.
        _time_drafts(rules, predictor, leaf_fn, num_drafts=1, simulations=8, leaves=1, seed=seed)
        sizes: dict[str, Any] = {"simulations": simulations, "seed": seed}
        one_s, _ = _time_drafts(rules, predictor, leaf_fn, num_drafts=1, leaves=8, **sizes)
        many_s, num_simulations = _time_drafts(
            rules,
            predictor,
            leaf_fn,
            num_drafts=num_drafts,
            leaves=2,
            notify=part_of(notify, number, len(kinds)),
            **sizes,
        )
        figures[f"{prefix}simulations_per_s"] = round(num_simulations / many_s)
        figures[f"{prefix}seconds_per_pick"] = one_s / rules.num_steps
        figures[f"{prefix}seconds_per_pick_batched"] = many_s / (rules.num_steps * num_drafts)
    return figures | {"peak_memory_mib": peak_memory_mib(), "versions": versions(), "machine": machine()}


def _time_drafts(
    rules: DraftRules,
    predictor: WinRatePredictor,
    leaf_fn: LeafFn | None,
    *,
    num_drafts: int,
    simulations: int,
    leaves: int,
    seed: int,
    notify: Notify = unheard,
) -> tuple[float, int]:
    """Seconds and simulations of the searches of whole drafts; every step is a random one of the three best."""
    settings = SearchSettings(simulations=simulations, leaves=leaves, exploration=0.1, first_play=0.0)
    search = Search(rules, settings, predictor.predict_owners, leaf_fn, num_drafts=num_drafts, seed=seed)
    generator = np.random.default_rng(seed)
    states: list[DraftState] = [initial_state(rules)] * num_drafts
    seconds = 0.0
    for step in range(rules.num_steps):
        notify(step / rules.num_steps)
        started = time.perf_counter()
        suggestions = search.suggest(states)
        seconds += time.perf_counter() - started
        heroes = [int(generator.choice(s.heroes[:3])) for s in suggestions]
        states = [take(rules, state, hero) for state, hero in zip(states, heroes)]
    return seconds, search.num_simulations
