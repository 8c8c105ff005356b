"""Rollout workers inside checkpoints: their arrays under numbered names, their JSON data as a list."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from numpy.typing import NDArray

from fullpool.curriculum.weights import Arrays, with_prefix, without_prefix
from fullpool.learning.rollout import RolloutWorker


def save_workers(workers: Sequence[RolloutWorker], kind: str) -> tuple[Arrays, list[dict[str, Any]]]:
    """Copies everything under way in some workers.

    Args:
        workers: the workers.
        kind: what they are called, such as `worker`; the arrays of worker `i` are named `{kind}{i}/...`.

    Returns:
        Arrays by name, and JSON data of each worker.
    """
    arrays: Arrays = {}
    plain = []
    for index, worker in enumerate(workers):
        own, data = worker.save()
        arrays |= with_prefix(own, f"{kind}{index}")
        plain.append(data)
    return arrays, plain


def load_workers(
    workers: Sequence[RolloutWorker],
    kind: str,
    arrays: Mapping[str, NDArray[Any]],
    plain: Sequence[dict[str, Any]],
) -> None:
    """Puts back what `save_workers` returned.

    Args:
        workers: as many as were saved.
        kind: as they were saved.
        arrays: of a checkpoint; those of others are left alone.
        plain: JSON data of each worker.

    Raises:
        ValueError: if the number of workers or of their games differs.
    """
    if len(plain) != len(workers):
        raise ValueError(
            f"the checkpoint holds {len(plain)} rollout workers ({kind}), this run has {len(workers)}: "
            "keep the number of threads"
        )
    for index, (worker, data) in enumerate(zip(workers, plain, strict=True)):
        worker.load(without_prefix(arrays, f"{kind}{index}"), data)
