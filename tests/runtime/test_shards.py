"""Threads as shards: results in order, errors come through, no tracker is imported."""

from __future__ import annotations

import subprocess
import sys
import threading
import time

import pytest
import torch

from fullpool.runtime.shards import ThreadShards


@pytest.mark.parametrize("num_threads", [1, 2])
def test_results_come_in_the_order_of_the_items(num_threads: int) -> None:
    def late_first(item: int) -> int:
        time.sleep(0.02 * (3 - item))
        return item * item

    with ThreadShards(num_threads) as shards:
        assert shards(late_first, range(3)) == [0, 1, 4]


def test_two_threads_run_side_by_side_with_one_torch_thread_each() -> None:
    barrier = threading.Barrier(2, timeout=10)

    def meet(item: int) -> int:
        barrier.wait()
        return torch.get_num_threads()

    with ThreadShards(2) as shards:
        assert shards(meet, range(2)) == [1, 1]


def test_an_error_in_a_shard_reaches_the_caller() -> None:
    def fail(item: int) -> int:
        raise ArithmeticError(f"shard {item}")

    with ThreadShards(2) as shards, pytest.raises(ArithmeticError, match="shard 0"):
        shards(fail, range(2))
    with pytest.raises(ValueError, match="num_threads must be at least 1"):
        ThreadShards(0)


def test_an_actor_imports_no_tracker() -> None:
    code = "import sys, fullpool.runtime.shards; print([m for m in sys.modules if m in ('kedro', 'mlflow', 'sklearn')])"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"
