from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from fullpool.drafting.formats import load_format
from fullpool.drafting.network import Mlp
from fullpool.drafting.predictor import WinRatePredictor
from fullpool.drafting.selfdraft import draft_chunks, join_chunks
from fullpool.drafting.settings import FitSettings, SearchSettings, SelfDraftSettings
from fullpool.drafting.state import DraftRules, make_rules, replay
from fullpool.drafting.strategies import DraftKit, make_strategy
from fullpool.drafting.tournament import play_drafts
from fullpool.drafting.value import (
    DraftSamples,
    ValueNetwork,
    load_value,
    num_value_inputs,
    save_value,
    train_value,
    value_indices,
)

SEARCH = SearchSettings(simulations=40, leaves=2, exploration=0.1, first_play=0.0)
FIT = FitSettings(
    hidden=(16, 8),
    members=2,
    learning_rate=3e-3,
    weight_decay=0.1,
    dropout=0.1,
    batch_size=128,
    max_epochs=30,
    patience=10,
)


def _settings(**changes: object) -> SelfDraftSettings:
    values = {"search": SEARCH, "num_drafts": 50, "chunk_drafts": 20, "random_share": 0.2, "temperature": 0.5}
    return SelfDraftSettings.model_validate({**values, **changes})


@pytest.fixture(scope="module")
def samples(rules: DraftRules, predictor: WinRatePredictor) -> DraftSamples:
    settings = _settings(num_drafts=600, chunk_drafts=200)
    return join_chunks([c.samples for c in draft_chunks(rules, predictor.predict_owners, settings, seed=0)])


@pytest.fixture(scope="module")
def network(samples: DraftSamples, rules: DraftRules) -> ValueNetwork:
    last = list(train_value(samples, rules, FIT, validation=0.2, seed=0))[-1]
    assert last.network is not None
    return last.network


def test_inputs_are_picks_default_indices_the_acting_team_and_bans() -> None:
    rules = make_rules(load_format("hok_ranked", bans=1), [f"h{i}" for i in range(12)])
    state = replay(rules, [3, 7, 0, 5, 6])
    rows = value_indices(state.owner[None], np.array([5], np.int16), rules.team, 5)
    found = sorted(rows[rows >= 0].tolist())
    own, other = [0] + [12] * 4, [13 + 5, 13 + 6] + [25] * 3
    assert found == sorted([*own, *other, 26 + int(rules.team[5]), 28 + 3, 28 + 7])


def test_chunks_depend_on_the_seed_and_their_number_only(
    rules: DraftRules, predictor: WinRatePredictor
) -> None:
    whole = list(draft_chunks(rules, predictor.predict_owners, _settings(), seed=3))
    assert [len(c.samples) for c in whole] == [20, 20, 10]
    rest = list(draft_chunks(rules, predictor.predict_owners, _settings(), seed=3, done=1))
    for one, other in zip(whole[1:], rest):
        assert one.number == other.number
        np.testing.assert_array_equal(one.samples.histories, other.samples.histories)
    other_seed = next(draft_chunks(rules, predictor.predict_owners, _settings(), seed=4))
    assert not np.array_equal(whole[0].samples.histories, other_seed.samples.histories)


def test_samples_are_legal_drafts_labelled_by_their_end(
    samples: DraftSamples, rules: DraftRules, predictor: WinRatePredictor
) -> None:
    for history, value in zip(samples.histories[:30], samples.values[:30]):
        state = replay(rules, history.tolist())
        assert predictor.predict_owners(state.owner[None])[0] == pytest.approx(value, abs=1e-6)


def test_drafts_without_randomness_follow_the_search(rules: DraftRules, predictor: WinRatePredictor) -> None:
    settings = _settings(random_share=0.0, temperature=0.0, num_drafts=40, chunk_drafts=40)
    searched = next(draft_chunks(rules, predictor.predict_owners, settings, seed=0)).samples
    blind = _settings(random_share=1.0, num_drafts=40, chunk_drafts=40)
    drawn = next(draft_chunks(rules, predictor.predict_owners, blind, seed=0)).samples
    picks = [len(np.unique(s.histories)) for s in (searched, drawn)]
    assert picks[1] == rules.num_heroes
    assert np.bincount(searched.histories.reshape(-1)).max() > np.bincount(drawn.histories.reshape(-1)).max()


def test_the_network_knows_ends_it_has_not_seen(
    network: ValueNetwork, rules: DraftRules, predictor: WinRatePredictor
) -> None:
    fresh = _settings(num_drafts=200, chunk_drafts=200)
    unseen = next(draft_chunks(rules, predictor.predict_owners, fresh, seed=99)).samples
    owners = np.stack([replay(rules, h.tolist()).owner for h in unseen.histories])
    rated = network(owners, np.full(len(owners), rules.num_steps, np.int16))
    assert np.corrcoef(rated, unseen.values)[0, 1] > 0.6


def test_in_an_additive_game_the_outlook_is_left_as_it_is_and_the_search_takes_the_strongest() -> None:
    rules = make_rules(load_format("juewu"), [f"h{i}" for i in range(20)])
    worth = np.random.default_rng(0).permutation(20) / 10

    def end_fn(owners: np.ndarray) -> np.ndarray:
        logits = ((owners == 1) * 1.0 - (owners == 2)) @ worth
        return np.asarray(1 / (1 + np.exp(-logits)), np.float32)

    settings = _settings(num_drafts=200, chunk_drafts=200)
    drafts = next(draft_chunks(rules, end_fn, settings, seed=0)).samples
    network = list(train_value(drafts, rules, FIT, validation=0.2, seed=0))[-1].network
    assert network is not None
    assert network.strengths is not None
    np.testing.assert_allclose(network.strengths, worth - worth.mean(), atol=0.02)
    assert network.order is not None
    assert network.order.tolist() == np.argsort(-worth).tolist()
    kit = DraftKit(rules, end_fn, worth, network, value_search=SEARCH)
    pair = make_strategy("uct_value", kit), make_strategy("highest_win_rate", kit)
    for sides in (pair, pair[::-1]):
        # Taking the strongest hero left is the best that either side can do, so both get just that.
        owners = play_drafts(rules, sides, np.zeros((4, 2, 20), bool), seed=0).owners
        best = play_drafts(rules, (pair[1], pair[1]), np.zeros((1, 2, 20), bool), seed=0).owners
        np.testing.assert_allclose(end_fn(owners), end_fn(best)[0], atol=1e-6)


def test_a_network_without_strengths_gives_no_order(rules: DraftRules, tmp_path: Path) -> None:
    weights = Mlp(num_value_inputs(rules.num_heroes), (4, 3), 1, torch.Generator().manual_seed(0)).arrays()
    plain = ValueNetwork(rules, weights)
    save_value(tmp_path / "v", plain)
    loaded = load_value(tmp_path / "v", rules)
    assert loaded.strengths is None
    assert loaded.order is None
    owners, steps = np.zeros((1, rules.num_heroes), np.int8), np.zeros(1, np.int16)
    assert loaded(owners, steps) == plain(owners, steps)


def test_a_resumed_training_ends_with_the_same_network(samples: DraftSamples, rules: DraftRules) -> None:
    fit = FIT.model_copy(update={"max_epochs": 3})
    steps = list(train_value(samples, rules, fit, validation=0.2, seed=1))
    resumed = list(train_value(samples, rules, fit, validation=0.2, seed=1, resume=steps[0].state))
    assert steps[-1].network is not None
    assert resumed[-1].network is not None
    for one, other in zip(steps[-1].network.arrays, resumed[-1].network.arrays):
        np.testing.assert_array_equal(one, other)
    with pytest.raises(ValueError, match="leaves one side empty"):
        next(train_value(samples, rules, fit, validation=0.0001, seed=1))


def test_a_saved_network_is_the_same_and_other_formats_are_refused(
    network: ValueNetwork, rules: DraftRules, tmp_path: Path
) -> None:
    save_value(tmp_path / "v", network)
    loaded = load_value(tmp_path / "v", rules)
    owners, steps = np.zeros((1, rules.num_heroes), np.int8), np.zeros(1, np.int16)
    assert loaded(owners, steps) == network(owners, steps)
    assert loaded.strengths is not None
    assert network.strengths is not None
    np.testing.assert_array_equal(loaded.strengths, network.strengths)
    with pytest.raises(ValueError, match="trained for format 'snake3', not 'snake2'"):
        load_value(tmp_path / "v", make_rules(load_format("snake2"), rules.heroes))
    with pytest.raises(ValueError, match="trained on another pool"):
        load_value(tmp_path / "v", make_rules(load_format("snake3"), rules.heroes[::-1]))
