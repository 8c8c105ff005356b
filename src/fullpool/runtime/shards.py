"""Shards of a batch as threads of one process.

torch and the games' kernels release the interpreter's lock, so two threads use two cores. Each thread computes with
one torch thread: two-thread products collapse when a neighbour process takes a core. Results come back in the order
of the shards, so that sums over them are the same as in a plain loop.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from types import TracebackType
from typing import TypeVar

import torch

from fullpool.learning.optimiser import MapFn, serial_map
from fullpool.learning.rollout import RolloutWorker
from fullpool.learning.trajectories import Trajectory

Item = TypeVar("Item")
Result = TypeVar("Result")


class ThreadShards:
    """A `map_fn` over a fixed number of threads; one thread is the plain loop. Use it as a context manager."""

    def __init__(self, num_threads: int) -> None:
        """Starts the threads.

        Args:
            num_threads: at least 1.

        Raises:
            ValueError: if there is no thread.
        """
        if num_threads < 1:
            raise ValueError(f"num_threads must be at least 1, got {num_threads}")
        torch.set_num_threads(1)
        self._pool: ThreadPoolExecutor | None = None
        if num_threads > 1:
            self._pool = ThreadPoolExecutor(
                num_threads, thread_name_prefix="shard", initializer=torch.set_num_threads, initargs=(1,)
            )

    def __call__(self, function: Callable[[Item], Result], items: Iterable[Item], /) -> list[Result]:
        """Applies a function to every item, side by side; results in the order of the items."""
        if self._pool is None:
            return serial_map(function, items)
        return list(self._pool.map(function, items))

    def close(self) -> None:
        """Ends the threads."""
        if self._pool is not None:
            self._pool.shutdown()

    def __enter__(self) -> ThreadShards:
        """Returns itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Ends the threads."""
        self.close()


def collect_windows(workers: Sequence[RolloutWorker], map_fn: MapFn) -> list[Trajectory]:
    """Collects one window of every worker.

    Matches are started one worker after another, since workers share a matchmaker; then all play side by side.

    Args:
        workers: the shards.
        map_fn: where they run.

    Returns:
        Windows in the order of the workers, without those in which the learner did not play.
    """
    for worker in workers:
        worker.prepare()
    windows = map_fn(RolloutWorker.collect, workers)
    return [window for window in windows if window is not None]
