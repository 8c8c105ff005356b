"""Signals as exceptions."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator

import pytest

from fullpool.pipelines import stopping
from fullpool.pipelines.stopping import SignalGuard, StopRequested, is_stop, shielded


@pytest.fixture
def guard() -> Iterator[SignalGuard]:
    guard = SignalGuard()
    guard.install()
    yield guard
    guard.remove()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
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


@pytest.mark.usefixtures("at_once")
def test_a_second_signal_in_a_shielded_block_takes_its_usual_way_at_once(guard: SignalGuard) -> None:
    def write() -> None:
        with shielded():
            os.kill(os.getpid(), signal.SIGINT)
            os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        write()
    assert guard.stopped


def test_a_signal_that_was_held_back_is_dropped_with_the_guard(guard: SignalGuard) -> None:
    with shielded():
        os.kill(os.getpid(), signal.SIGTERM)
        guard.remove()
    assert not guard.stopped


def test_under_nohup_the_end_of_the_terminal_is_no_reason_to_stop() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    guard = SignalGuard()
    try:
        guard.install()
        os.kill(os.getpid(), signal.SIGHUP)
        assert not guard.stopped
    finally:
        guard.remove()
        signal.signal(signal.SIGHUP, before)


def test_handlers_are_given_back() -> None:
    before = signal.getsignal(signal.SIGINT)
    guard = SignalGuard()
    guard.install()
    assert signal.getsignal(signal.SIGINT) is not before
    guard.remove()
    assert signal.getsignal(signal.SIGINT) is before


def test_signals_that_come_together_are_one_request(guard: SignalGuard) -> None:
    with pytest.raises(StopRequested, match="SIGINT"):
        os.kill(os.getpid(), signal.SIGINT)
    os.kill(os.getpid(), signal.SIGINT)
    os.kill(os.getpid(), signal.SIGHUP)
    os.kill(os.getpid(), signal.SIGTERM)
    assert guard.stopped


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each signal is a request of its own."""
    monkeypatch.setattr(stopping, "SAME_S", 0.0)


@pytest.mark.usefixtures("at_once")
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
