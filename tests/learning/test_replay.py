"""The replay of sequences."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from fullpool.games.contract import GameSpec
from fullpool.games.testing import ToyGame
from fullpool.learning.replay import SequenceReplay
from fullpool.learning.rollout import RolloutWorker
from fullpool.learning.testing import make_network, self_play
from fullpool.learning.trajectories import Trajectory

STEPS_A_SEQUENCE = 8 * 2


def make_worker(spec: GameSpec, teacher: str | None = "t") -> RolloutWorker:
    network = make_network(spec)
    return RolloutWorker(
        ToyGame(4),
        self_play(spec, teacher=teacher),
        network,
        {"t": make_network(spec, 3)}.__getitem__,
        window=8,
        seed=0,
        precision="float32",
    )


def collect(worker: RolloutWorker) -> Trajectory:
    window = worker.collect()
    assert window is not None
    return window


def test_what_goes_in_comes_out_in_half_precision(spec: GameSpec) -> None:
    window = collect(make_worker(spec))
    replay = SequenceReplay(8 * STEPS_A_SEQUENCE)
    replay.add(window)
    assert replay.size == 8
    assert replay.num_agent_steps == 8 * STEPS_A_SEQUENCE
    batch = replay.sample(8, np.random.default_rng(0))
    assert window.guidance is not None
    assert batch.guidance is not None
    for index in range(8):
        values = batch.guidance.values[:, index]
        (source,) = (g for g in range(8) if torch.equal(window.guidance.values[:, g], values))
        torch.testing.assert_close(
            batch.inputs.observation[:, index], window.inputs.observation[:-1, source], atol=1e-3, rtol=1e-3
        )
        assert torch.equal(batch.inputs.masks[:, index], window.inputs.masks[:-1, source])
        assert torch.equal(batch.actions[:, index], window.actions[:, source])
        torch.testing.assert_close(
            batch.guidance.logits[:, index], window.guidance.logits[:, source], atol=1e-2, rtol=1e-2
        )


def test_the_oldest_sequences_make_room(spec: GameSpec) -> None:
    worker = make_worker(spec)
    replay = SequenceReplay(12 * STEPS_A_SEQUENCE + 3)
    values = []
    for _ in range(3):
        window = collect(worker)
        assert window.guidance is not None
        values += [float(x) for x in window.guidance.values.sum(dim=(0, 2, 3))]
        replay.add(window)
    assert replay.size == replay.capacity == 12
    kept = replay.sample(12, np.random.default_rng(0))
    assert kept.guidance is not None
    found = sorted(float(x) for x in kept.guidance.values.sum(dim=(0, 2, 3)))
    np.testing.assert_allclose(found, sorted(values[-12:]), rtol=1e-4)


def test_it_survives_a_save(spec: GameSpec) -> None:
    worker = make_worker(spec)
    replay = SequenceReplay(12 * STEPS_A_SEQUENCE)
    for _ in range(2):
        replay.add(collect(worker))
    other = SequenceReplay(12 * STEPS_A_SEQUENCE)
    other.load(*replay.save())
    window = collect(worker)
    for ring in (replay, other):
        ring.add(window)
    one, two = (ring.sample(6, np.random.default_rng(1)) for ring in (replay, other))
    assert torch.equal(one.inputs.observation, two.inputs.observation)
    assert torch.equal(one.state.hidden, two.state.hidden)
    with pytest.raises(ValueError, match="keep replay_agent_steps"):
        SequenceReplay(4 * STEPS_A_SEQUENCE).load(*replay.save())


def test_what_it_cannot_hold_is_refused(spec: GameSpec) -> None:
    with pytest.raises(ValueError, match="give every match of the learner a teacher"):
        SequenceReplay(1000).add(collect(make_worker(spec, teacher=None)))
    with pytest.raises(ValueError, match="make it at least 16"):
        SequenceReplay(15).add(collect(make_worker(spec)))
