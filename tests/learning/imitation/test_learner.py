"""The imitation learner: it clones a bot, warms the critic, hands over to PPO, and resumes."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from pydantic import ValidationError

from fullpool.games.contract import GameSpec
from fullpool.games.testing import ToyGame
from fullpool.learning.imitation.learner import ImitationLearner
from fullpool.learning.imitation.losses import imitation_policy_loss
from fullpool.learning.imitation.settings import ImitationSettings
from fullpool.learning.matches import Bot, Match
from fullpool.learning.policy import weights_hash
from fullpool.learning.ppo.learner import PpoLearner
from fullpool.learning.ppo.losses import Sample
from fullpool.learning.rollout import RolloutWorker
from fullpool.learning.testing import make_network, make_ppo_settings, no_networks, self_play
from fullpool.networks.actor_critic import ActorCritic


def make_settings(**changes: object) -> ImitationSettings:
    values: dict[str, object] = {
        "bot_shares": {"perfect": 1.0},
        "agent_steps": 20_000,
        "learning_rate": 5e-3,
        "value_weight": 0.5,
        "num_epochs": 2,
        "minibatch_size": 256,
    }
    return ImitationSettings.model_validate(values | changes)


def bots_play(generator: np.random.Generator) -> Match:
    """The perfect bot on both sides."""
    lineup = generator.permutation(8)[:4].reshape(2, 2).astype(np.int16)
    seats = Bot("perfect", imitated=True), Bot("perfect", imitated=True)
    return Match(lineup, seats, int(generator.integers(2**60)))


def make_worker(network: ActorCritic, seed: int = 0) -> RolloutWorker:
    return RolloutWorker(
        ToyGame(16), bots_play, network, no_networks, window=8, seed=seed, precision="float32"
    )


def test_a_bot_is_cloned_and_plays_as_well_when_the_policy_plays(spec: GameSpec) -> None:
    network = make_network(spec)
    learner = PpoLearner(network, spec, make_ppo_settings(spec), seed=0)
    imitation = ImitationLearner(learner, spec, make_settings())
    worker = make_worker(network)
    metrics: dict[str, float] = {}
    first: dict[str, float] = {}
    while not imitation.finished:
        window = worker.collect()
        assert window is not None
        metrics = imitation.update([window])
        first = first or metrics
    assert first["agreement/what"] < 0.5
    assert metrics["agreement/what"] > 0.9
    assert metrics["agreement/who"] > 0.9
    assert "agreement/dir" in metrics
    assert metrics["imitation_loss"] < 0.5 * first["imitation_loss"]
    assert metrics["explained_variance/points"] > 0.3
    assert all(math.isfinite(value) for value in metrics.values())
    assert learner.schedule_start == learner.num_agent_steps >= 20_000
    playing = RolloutWorker(
        ToyGame(16), self_play(spec), network, no_networks, window=8, seed=1, precision="float32"
    )
    window = playing.collect()
    assert window is not None
    after = learner.update([window])
    assert after["reward/points"] > 0.75
    assert after["learning_rate"] == make_ppo_settings(spec).learning_rate
    assert "agreement/what" not in after


def test_the_policy_term_is_the_log_probability_of_the_used_heads(spec: GameSpec) -> None:
    network = make_network(spec)
    window = make_worker(network).collect()
    assert window is not None
    shape = window.actions.shape[:3]
    sample = Sample(window, torch.zeros(shape), torch.zeros(*shape, 2))
    term = imitation_policy_loss(network, sample)
    judged = network.evaluate(window.decided_inputs(), window.state, window.actions)
    torch.testing.assert_close(term.objective, judged.log_probs.sum(dim=-1))
    torch.testing.assert_close(term.entropies, judged.entropies)
    assert torch.equal(term.used, judged.used)
    agreed, chosen = term.figures.chunk(2, dim=-1)
    assert torch.equal(chosen.bool(), judged.used)  # in the toy game there always is a choice
    assert (agreed <= chosen).all()
    certain = judged.log_probs > math.log(0.5)
    assert agreed.bool()[certain & judged.used].all()


def test_a_resumed_run_ends_with_the_same_weights(spec: GameSpec) -> None:
    hashes = []
    for cut in (False, True):
        network = make_network(spec)
        learner = PpoLearner(network, spec, make_ppo_settings(spec), seed=0)
        worker = make_worker(network)
        for update in range(4):
            if cut and update == 2:
                saved, (arrays, plain) = learner.save(), worker.save()
                network = make_network(spec, seed=3)
                learner = PpoLearner(network, spec, make_ppo_settings(spec), seed=9)
                learner.load(saved)
                assert learner.schedule_start == learner.num_agent_steps > 0
                worker = make_worker(network, seed=8)
                worker.load(arrays, plain)
            window = worker.collect()
            assert window is not None
            ImitationLearner(learner, spec, make_settings()).update([window])
        hashes.append(weights_hash(network))
    assert hashes[0] == hashes[1]


def test_shares_must_sum_to_one() -> None:
    with pytest.raises(ValidationError, match=r"must sum to 1, got 0\.500"):
        make_settings(bot_shares={"perfect": 0.5})
