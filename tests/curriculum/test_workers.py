"""Tests of fullpool.curriculum.workers: several workers in one checkpoint."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from fullpool.curriculum.testing import SPEC
from fullpool.curriculum.workers import load_workers, save_workers
from fullpool.games.testing import ToyGame
from fullpool.learning.rollout import RolloutWorker
from fullpool.learning.testing import make_network, no_networks, self_play


def make_workers(seed: int, number: int = 2) -> list[RolloutWorker]:
    network, match_fn = make_network(SPEC), self_play(SPEC)
    return [
        RolloutWorker(
            ToyGame(2), match_fn, network, no_networks, window=4, seed=seed + i, precision="float32"
        )
        for i in range(number)
    ]


def test_each_worker_gets_its_own_state_back() -> None:
    workers, others = make_workers(0), make_workers(10)
    for worker in workers:
        worker.collect()
    arrays, plain = save_workers(workers, "worker")
    bystander = {
        "worker/running": np.zeros(9),
        "bot_worker0/running": np.ones(9),
        "worker10/running": np.ones(9),
    }
    assert {name.partition("/")[0] for name in arrays} == {"worker0", "worker1"}
    assert "worker0/running" in arrays
    assert len(plain) == 2
    load_workers(others, "worker", arrays | bystander, plain)
    for worker, other in zip(workers, others, strict=True):
        one, two = worker.collect(), other.collect()
        assert one is not None
        assert two is not None
        assert torch.equal(one.actions, two.actions)
        assert torch.equal(one.inputs.observation, two.inputs.observation)


def test_another_number_of_workers_is_refused() -> None:
    arrays, plain = save_workers(make_workers(0), "worker")
    with pytest.raises(ValueError, match="holds 2 rollout workers"):
        load_workers(make_workers(0, 3), "worker", arrays, plain)


def test_no_workers_leave_nothing() -> None:
    assert save_workers([], "bot_worker") == ({}, [])
    load_workers([], "bot_worker", {}, [])
