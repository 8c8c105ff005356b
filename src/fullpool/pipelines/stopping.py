"""Stopping in good order: a signal becomes an exception, and never in the middle of a write.

Kedro tells its hooks of an `Exception` only, so that Ctrl-C and SIGTERM would leave an MLflow run RUNNING for ever.
"""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

SAME_S = 1.0
"""Seconds within which several signals are one request: a closed terminal or a supervisor sends two at once."""


class StopRequested(Exception):
    """Work stops here and can go on later: a signal came, or a stage paused."""


class _State:
    depth = 0
    pending: signal.Signals | None = None
    guard: SignalGuard | None = None


_state = _State()


def is_stop(error: BaseException | None) -> bool:
    """Whether an error is a request to stop, or was caused by one: datasets and MLflow wrap what they meet."""
    while error is not None:
        if isinstance(error, StopRequested):
            return True
        error = error.__cause__ or error.__context__
    return False


@contextmanager
def shielded() -> Iterator[None]:
    """Holds a signal back until the block is done; for short writes. A second one takes its usual way at once."""
    _state.depth += 1
    try:
        yield
    finally:
        _state.depth -= 1
    if _state.depth == 0 and _state.pending is not None:
        number, _state.pending = _state.pending, None
        if _state.guard is not None:
            _state.guard.take(number)


class SignalGuard:
    """Turns SIGINT, SIGTERM and SIGHUP into `StopRequested` between `install` and `remove`."""

    def __init__(self) -> None:
        self._before: dict[signal.Signals, Any] = {}
        self._first_at: float | None = None
        self.stopped = False
        """Whether a signal has come since `install`."""

    def install(self) -> None:
        """Takes the signals over; does nothing outside the main thread, where Python allows no handlers."""
        if threading.current_thread() is not threading.main_thread() or self._before:
            return
        _state.depth, _state.pending, _state.guard = 0, None, self
        self.stopped, self._first_at = False, None
        for number in _SIGNALS:
            # Under nohup the end of the terminal is no reason to stop.
            if number is not signal.SIGHUP or signal.getsignal(number) is not signal.SIG_IGN:
                self._before[number] = signal.signal(number, self._handle)

    def remove(self) -> None:
        """Gives the signals back, and drops one that was held back: whoever removes is at the end anyway."""
        for number, handler in self._before.items():
            signal.signal(number, handler)
        self._before = {}
        if _state.guard is self:
            _state.pending = _state.guard = None

    def take(self, number: signal.Signals) -> None:
        """Acts on a signal.

        Raises:
            StopRequested: at the first one. A second one takes its usual way, should the first one's exception be
                swallowed or the end take too long.
        """
        if self.stopped:
            self.remove()
            signal.raise_signal(number)
        else:
            self.stopped = True
            raise StopRequested(f"stopped by {number.name}")

    def _handle(self, number: int, frame: FrameType | None) -> None:
        now, first = time.monotonic(), self._first_at
        if first is None:
            self._first_at = now
        elif now - first < SAME_S:
            return
        if _state.depth and _state.pending is None:
            _state.pending = signal.Signals(number)
        else:
            self.stopped = self.stopped or _state.pending is not None
            self.take(signal.Signals(number))
