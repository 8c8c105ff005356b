"""Signals as exceptions."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator

import pytest

from fullpool.pipelines.stopping import SignalGuard, StopRequested, is_stop, shielded


@pytest.fixture
def guard() -> Iterator[SignalGuard]:
    # A shell starts background jobs with SIGINT ignored, and Python leaves it so: the usual way is set here.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    guard = SignalGuard()
    guard.install()
    yield guard
    guard.remove()
    signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_raises(guard: SignalGuard, number: signal.Signals) -> None:
    with pytest.raises(StopRequested, match=f"stopped by {number.name}"):
        os.kill(os.getpid(), number)


def test_a_shielded_block_is_finished_first(guard: SignalGuard) -> None:
    done = []

    def write() -> None:
        with shielded():
            with shielded():
                os.kill(os.getpid(), signal.SIGTERM)
                done.append("inner")
            done.append("outer")
        done.append("never")

    with pytest.raises(StopRequested):
        write()
    assert done == ["inner", "outer"]


def test_handlers_are_given_back() -> None:
    before = signal.getsignal(signal.SIGINT)
    guard = SignalGuard()
    guard.install()
    assert signal.getsignal(signal.SIGINT) is not before
    guard.remove()
    assert signal.getsignal(signal.SIGINT) is before


def test_a_second_signal_takes_its_usual_way(guard: SignalGuard) -> None:
    with pytest.raises(StopRequested):
        os.kill(os.getpid(), signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        os.kill(os.getpid(), signal.SIGINT)


def test_a_stop_is_found_behind_the_errors_that_wrap_it() -> None:
    wrapping = RuntimeError("wrapped")
    wrapping.__cause__ = ValueError("in between")
    wrapping.__cause__.__cause__ = StopRequested("x")
    assert is_stop(wrapping)
    assert not is_stop(ValueError("x"))
    assert not is_stop(None)
