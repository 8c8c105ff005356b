"""Checkpoints of a whole run: a learner and the rollout workers that feed it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from fullpool.learning.checkpoint import Checkpoint
from fullpool.learning.rollout import RolloutWorker
from fullpool.learning.trajectories import Trajectory
from fullpool.networks.actor_critic import ActorCritic


class LearnerLike(Protocol):
    """What every learner has in common."""

    network: ActorCritic
    num_agent_steps: int
    num_updates: int

    def update(self, trajectories: Sequence[Trajectory]) -> dict[str, float]:
        """Learns from windows and returns metrics."""

    def save(self) -> Checkpoint:
        """Copies the learner's state."""

    def load(self, checkpoint: Checkpoint) -> None:
        """Puts a saved state back."""


def save_run(learner: LearnerLike, workers: Sequence[RolloutWorker], extra: dict[str, Any]) -> Checkpoint:
    """Copies a run between two updates.

    Args:
        learner: the learner.
        workers: its rollout workers.
        extra: JSON data of the caller: settings, matchmaker, counters.

    Returns:
        A checkpoint from which `load_run` goes on with the same weights as an uninterrupted run.
    """
    own = learner.save()
    arrays = {f"learner.{name}": value for name, value in own.arrays.items()}
    plain = []
    for index, worker in enumerate(workers):
        saved, data = worker.save()
        arrays |= {f"worker{index}.{name}": value for name, value in saved.items()}
        plain.append(data)
    meta = {"learner": own.meta, "workers": plain, "extra": extra}
    return Checkpoint(own.weights, own.optimizer, arrays, meta)


def load_run(
    checkpoint: Checkpoint, learner: LearnerLike, workers: Sequence[RolloutWorker]
) -> dict[str, Any]:
    """Puts a run back.

    Args:
        checkpoint: what `save_run` returned.
        learner: a learner of the same settings.
        workers: as many workers as were saved.

    Returns:
        The caller's own data.

    Raises:
        ValueError: if the number of workers differs.
    """
    saved = checkpoint.meta["workers"]
    if len(saved) != len(workers):
        raise ValueError(f"the checkpoint holds {len(saved)} rollout workers, this run has {len(workers)}")

    def under(prefix: str) -> dict[str, Any]:
        return {
            name.removeprefix(prefix): v for name, v in checkpoint.arrays.items() if name.startswith(prefix)
        }

    learner.load(
        Checkpoint(checkpoint.weights, checkpoint.optimizer, under("learner."), checkpoint.meta["learner"])
    )
    for index, worker in enumerate(workers):
        worker.load(under(f"worker{index}."), saved[index])
    extra: dict[str, Any] = checkpoint.meta["extra"]
    return extra
