"""The distillation learner: the student takes after its teachers, reproducibly and resumably."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from fullpool.games.contract import GameSpec
from fullpool.games.testing import ToyGame
from fullpool.learning.checkpoint import load_checkpoint, save_checkpoint
from fullpool.learning.distillation.learner import DistillationLearner
from fullpool.learning.policy import weights_hash
from fullpool.learning.ppo.learner import PpoLearner
from fullpool.learning.rollout import RolloutWorker
from fullpool.learning.runs import load_run, save_run
from fullpool.learning.testing import (
    make_distillation_settings,
    make_network,
    make_ppo_settings,
    no_networks,
    self_play,
)
from fullpool.networks.actor_critic import ActorCritic
from fullpool.runtime.shards import ThreadShards


@pytest.fixture(scope="module")
def teacher() -> ActorCritic:
    """A teacher that PPO trained on the toy game."""
    from fullpool.games.testing import toy_spec

    spec = toy_spec()
    network = make_network(spec)
    worker = RolloutWorker(
        ToyGame(32), self_play(spec), network, no_networks, window=8, seed=0, precision="float32"
    )
    learner = PpoLearner(network, spec, make_ppo_settings(spec), seed=0)
    for _ in range(60):
        window = worker.collect()
        assert window is not None
        learner.update([window])
    return network.requires_grad_(False)


class Run:
    """A smaller student and its worker."""

    def __init__(
        self, spec: GameSpec, teacher: ActorCritic, *, driver: str = "student", **changes: object
    ) -> None:
        self.network = make_network(spec, 5, lstm_units=24)
        self.worker = RolloutWorker(
            ToyGame(16),
            self_play(spec, teacher="t"),
            self.network,
            {"t": teacher}.__getitem__,
            window=8,
            seed=1,
            precision="float32",
            driver=driver,  # type: ignore[arg-type]
        )
        settings = make_distillation_settings(**changes)
        self.learner = DistillationLearner(self.network, spec, settings, seed=0, num_shards=2)

    def update(self, number: int) -> dict[str, float]:
        metrics: dict[str, float] = {}
        for _ in range(number):
            window = self.worker.collect()
            assert window is not None
            metrics = self.learner.update([window])
            metrics["points"] = float(window.rewards[..., 0].sum()) / window.num_agent_steps
            self.worker.version = self.learner.num_updates
        return metrics


@pytest.mark.parametrize(
    ("at", "driver"), [("exact", "student"), ("sampled", "student"), ("exact", "teacher")]
)
def test_the_student_takes_after_its_teacher(
    spec: GameSpec, teacher: ActorCritic, at: str, driver: str
) -> None:
    run = Run(spec, teacher, driver=driver, at=at, replay_ratio=8.0)
    first, last = run.update(4), run.update(60)
    assert first["divergence"] > 0.8
    assert last["divergence"] < 0.25
    assert last["value_distance"] < 0.5 * first["value_distance"]
    assert last["agreement"] > 0.95
    assert last["points"] > 0.7
    assert all(math.isfinite(value) for value in last.values())


def test_gradient_steps_follow_the_ratio(spec: GameSpec, teacher: ActorCritic) -> None:
    run = Run(spec, teacher, warmup_agent_steps=1500, replay_ratio=0.5, minibatch_size=400)
    counts = []
    step = run.learner._adam.step
    run.learner._adam.step = lambda *args, **kwargs: counts.append(1) or step(*args, **kwargs)  # type: ignore[method-assign, func-returns-value]
    assert "cross_entropy" not in run.update(2)
    collected = run.learner.num_agent_steps
    run.update(10)
    wanted = (run.learner.num_agent_steps - collected) * 0.5 / 400
    assert abs(len(counts) - wanted) <= 1


def test_a_resumed_run_and_a_threaded_run_end_with_the_same_weights(
    spec: GameSpec, teacher: ActorCritic, tmp_path: Path
) -> None:
    whole = Run(spec, teacher)
    whole.update(8)
    first = Run(spec, teacher)
    first.update(4)
    save_checkpoint(tmp_path / "run", save_run(first.learner, [first.worker], {}), spec)
    second = Run(spec, teacher)
    second.update(1)
    load_run(load_checkpoint(tmp_path / "run", spec), second.learner, [second.worker])
    with ThreadShards(2) as shards:
        second.learner._map_fn = shards
        second.update(4)
    assert weights_hash(second.network) == weights_hash(whole.network)


def test_teachers_with_other_value_heads_are_refused(spec: GameSpec, teacher: ActorCritic) -> None:
    run = Run(spec, teacher)
    window = run.worker.collect()
    assert window is not None
    assert window.guidance is not None
    single = window._replace(guidance=window.guidance._replace(values=window.guidance.values[..., :1]))
    with pytest.raises(ValueError, match="give both the same value_heads"):
        run.learner.update([single])
    with pytest.raises(ValueError, match="warmup_agent_steps"):
        make_distillation_settings(warmup_agent_steps=90_000)
