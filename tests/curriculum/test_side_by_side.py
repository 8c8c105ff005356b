"""Tests of fullpool.curriculum.side_by_side, with made-up trainings."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator

import pytest
import torch

from fullpool.curriculum.generation import Generation
from fullpool.curriculum.loop import Halted
from fullpool.curriculum.metrics import MetricsRow
from fullpool.curriculum.side_by_side import StartFn, train_side_by_side
from fullpool.curriculum.testing import SPEC, teacher_settings
from fullpool.curriculum.weights import make_network
from fullpool.league.game_log import GameLog
from fullpool.learning.checkpoint import Checkpoint
from fullpool.learning.policy import freeze_policy

POLICY = freeze_policy(make_network(SPEC, teacher_settings().network, 0), SPEC)


def state(name: str, number: int, done: bool) -> Generation:
    rows = (MetricsRow(number, {"loss": 1.0}),)
    checkpoint = Checkpoint({}, {}, {}, {"number": number})
    return Generation(
        name, number, f"{name}@{number}", number, POLICY, rows, checkpoint, GameLog(), "", done, SPEC
    )


def training(name: str, length: int, work: Callable[[], object] = lambda: None) -> StartFn:
    def start(resume: Checkpoint | None, halt: threading.Event) -> Iterator[Generation]:
        for number in range(1, length + 1):
            work()
            if halt.is_set():
                raise Halted(name)
            yield state(name, number, number == length)

    return start


def tape(generations: list[Generation]) -> list[tuple[str, int, bool]]:
    return [(generation.part, generation.number, generation.done) for generation in generations]


def test_agents_take_turns_and_make_room_in_order() -> None:
    starts = {"a": training("a", 1), "b": training("b", 3), "c": training("c", 1)}
    generations = list(train_side_by_side(starts, SPEC, num_threads=2))
    assert tape(generations) == [
        ("a", 1, True),
        ("b", 1, False),
        ("b", 2, False),
        ("c", 1, True),
        ("b", 3, True),
    ]


def test_a_slow_thread_does_not_change_the_order() -> None:
    starts = {"a": training("a", 2, lambda: time.sleep(0.02)), "b": training("b", 2)}
    generations = list(train_side_by_side(starts, SPEC, num_threads=2))
    assert [name for name, _, _ in tape(generations)] == ["a", "b", "a", "b"]


def test_two_agents_train_in_two_threads_and_one_in_the_callers() -> None:
    meeting = threading.Barrier(2, timeout=10)
    both = {name: training(name, 1, meeting.wait) for name in ("a", "b")}
    assert list(train_side_by_side(both, SPEC, num_threads=2))[-1].done
    seen: list[threading.Thread] = []
    alone = {"a": training("a", 1, lambda: seen.append(threading.current_thread()))}
    list(train_side_by_side(alone, SPEC))
    assert seen == [threading.current_thread()]


def test_an_error_in_one_agent_halts_the_other_and_comes_out() -> None:
    def fail() -> None:
        raise ValueError("no such hero")

    slow = training("b", 1000, lambda: time.sleep(0.01))
    starts = {"a": training("a", 1, fail), "b": slow}
    begun = time.monotonic()
    with pytest.raises(ValueError, match="no such hero"):
        list(train_side_by_side(starts, SPEC, num_threads=2))
    assert time.monotonic() - begun < 5


def test_stop_is_asked_after_each_generation() -> None:
    starts = {"a": training("a", 5)}
    answers = iter([False, True])
    generations = list(train_side_by_side(starts, SPEC, stop=lambda: next(answers)))
    assert len(generations) == 2
    assert not generations[-1].done


def test_threads_compute_with_one_torch_thread() -> None:
    counts: list[int] = []
    starts = {name: training(name, 1, lambda: counts.append(torch.get_num_threads())) for name in ("a", "b")}
    list(train_side_by_side(starts, SPEC, num_threads=2))
    assert counts == [1, 1]
