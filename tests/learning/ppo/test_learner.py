"""The PPO learner: it learns, it is reproducible, it resumes, it refuses what does not fit."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from fullpool.games.contract import GameSpec
from fullpool.games.testing import ToyGame
from fullpool.learning.checkpoint import load_checkpoint, save_checkpoint
from fullpool.learning.optimiser import linear_rate
from fullpool.learning.policy import weights_hash
from fullpool.learning.ppo.learner import PpoLearner
from fullpool.learning.rollout import RolloutWorker
from fullpool.learning.runs import load_run, save_run
from fullpool.learning.testing import make_network, make_ppo_settings, no_networks, self_play
from fullpool.runtime.shards import ThreadShards, collect_windows


class Run:
    """A learner with its workers."""

    def __init__(
        self, spec: GameSpec, *, seed: int = 0, workers: int = 1, delay: int = 0, **changes: object
    ) -> None:
        network_changes = {
            k: v for k, v in changes.items() if k in ("use_lstm", "opponent_information", "value_heads")
        }
        settings = {k: v for k, v in changes.items() if k not in network_changes}
        self.network = make_network(spec, seed, **network_changes)
        self.workers = [
            RolloutWorker(
                ToyGame(16, delay=delay),
                self_play(spec),
                self.network,
                no_networks,
                window=8,
                seed=10 * seed + index,
                precision="float32",
            )
            for index in range(workers)
        ]
        self.learner = PpoLearner(self.network, spec, make_ppo_settings(spec, **settings), seed=seed)

    def update(self, number: int) -> dict[str, float]:
        metrics: dict[str, float] = {}
        for _ in range(number):
            windows = collect_windows(self.workers, self.learner._map_fn)
            metrics = self.learner.update(windows)
            for worker in self.workers:
                worker.version = self.learner.num_updates
        return metrics


def test_it_learns_buttons_and_targets(spec: GameSpec) -> None:
    run = Run(spec, workers=2)
    first = run.update(1)
    last = run.update(59)
    assert first["reward/points"] < 0.35
    assert last["reward/points"] > 0.8
    assert last["entropy/who"] < first["entropy/who"]
    assert all(math.isfinite(value) for value in last.values())
    assert last["staleness"] == 0.0


@pytest.mark.parametrize(
    "changes",
    [
        {"ratio": "joint"},
        {"dual_clip": None},
        {"advantage": "mean", "scale_advantages": False},
        {"value_heads": "single"},
        {"opponent_information": False},
    ],
    ids=lambda changes: ",".join(changes),
)
def test_every_variant_improves(spec: GameSpec, changes: dict[str, object]) -> None:
    run = Run(spec, **changes)  # type: ignore[arg-type]
    first = run.update(1)["reward/points"]
    assert max(run.update(1)["reward/points"] for _ in range(45)) > first + 0.15


def test_the_lstm_remembers_what_was_shown_a_decision_ago(spec: GameSpec) -> None:
    shares = {}
    for use_lstm in (True, False):
        run = Run(spec, workers=2, delay=1, use_lstm=use_lstm)
        run.update(60)
        shares[use_lstm] = run.update(1)["reward/points"]
    assert shares[True] > shares[False] + 0.08


def test_same_seed_same_weights_another_seed_others(spec: GameSpec) -> None:
    hashes = []
    for seed in (0, 0, 1):
        run = Run(spec, seed=seed, workers=2)
        run.update(3)
        hashes.append(weights_hash(run.network))
    assert hashes[0] == hashes[1] != hashes[2]


def test_threads_and_a_plain_loop_end_with_the_same_weights(spec: GameSpec) -> None:
    plain = Run(spec, workers=2)
    plain.update(4)
    with ThreadShards(2) as shards:
        threaded = Run(spec, workers=2)
        threaded.learner._map_fn = shards
        threaded.update(4)
    assert weights_hash(plain.network) == weights_hash(threaded.network)


def test_a_resumed_run_ends_with_the_same_weights(spec: GameSpec, tmp_path: Path) -> None:
    whole = Run(spec, workers=2)
    whole.update(6)
    first = Run(spec, workers=2)
    first.update(3)
    save_checkpoint(tmp_path / "run", save_run(first.learner, first.workers, {"note": 1}), spec)
    second = Run(spec, seed=5, workers=2)
    extra = load_run(load_checkpoint(tmp_path / "run", spec), second.learner, second.workers)
    assert extra == {"note": 1}
    second.update(3)
    assert weights_hash(second.network) == weights_hash(whole.network)
    assert second.learner.num_agent_steps == whole.learner.num_agent_steps
    with pytest.raises(ValueError, match="2 rollout workers, this run has 1"):
        load_run(load_checkpoint(tmp_path / "run", spec), second.learner, second.workers[:1])


def test_agent_steps_are_running_decisions_of_the_learner(spec: GameSpec) -> None:
    run = Run(spec)
    window = run.workers[0].collect()
    assert window is not None
    window.valid[5:, :3] = False
    run.learner.update([window])
    assert run.learner.num_agent_steps == (8 * 32 - 3 * 3) * 2
    window.valid[...] = False
    with pytest.raises(ValueError, match="at least one window"):
        run.learner.update([window])


def test_idle_decisions_change_nothing(spec: GameSpec) -> None:
    hashes = []
    for noise in (0.0, 50.0):
        run = Run(spec, workers=1)
        window = run.workers[0].collect()
        assert window is not None
        window.valid[4:, :5] = False
        window.terminated[3, :5] = True
        window.rewards[4:, :5] += noise
        window.critic.observation[4:, :5] += noise
        run.learner.update([window])
        hashes.append(weights_hash(run.network))
    assert hashes[0] == hashes[1]


def test_the_value_loss_is_the_sum_over_its_heads(spec: GameSpec) -> None:
    metrics = Run(spec).update(2)
    heads = [metrics[f"value_loss/{name}"] for name in spec.reward_heads]
    assert min(heads) > 0
    assert heads[0] != pytest.approx(heads[1])
    assert metrics["value_loss"] == pytest.approx(sum(heads))
    single = Run(spec, value_heads="single").update(1)
    assert single["value_loss/sum"] == pytest.approx(single["value_loss"])


def test_reward_heads_must_be_the_games(spec: GameSpec) -> None:
    settings = make_ppo_settings(spec)
    misspelt = {"point": settings.reward_heads["points"], "win": settings.reward_heads["win"]}
    with pytest.raises(ValueError, match="did you mean 'points'"):
        PpoLearner(make_network(spec), spec, settings.model_copy(update={"reward_heads": misspelt}), seed=0)
    missing = {"win": settings.reward_heads["win"]}
    with pytest.raises(ValueError, match=r"'points' .* is missing"):
        PpoLearner(make_network(spec), spec, settings.model_copy(update={"reward_heads": missing}), seed=0)
    with pytest.raises(ValueError, match="clip_ratio"):
        make_ppo_settings(spec, clip_ratio=1.5)


def test_the_rate_falls_linearly_and_stays() -> None:
    assert [linear_rate(1.0, 0.0, p) for p in (0.0, 0.25, 1.0, 3.0)] == [1.0, 0.75, 0.0, 0.0]
