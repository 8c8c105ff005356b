"""Stopping in good order: a signal becomes an exception, and never in the middle of a write.

Kedro tells its hooks of an `Exception` only, so that Ctrl-C and SIGTERM would leave an MLflow run RUNNING for ever.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class StopRequested(Exception):
    """Work stops here and can go on later: a signal came, or a stage paused."""


class _State:
    depth = 0
    pending: str | None = None


_state = _State()


def is_stop(error: BaseException | None) -> bool:
    """Whether an error is a request to stop, or was caused by one: datasets wrap what they meet."""
    while error is not None:
        if isinstance(error, StopRequested):
            return True
        error = error.__cause__ or error.__context__
    return False


@contextmanager
def shielded() -> Iterator[None]:
    """Holds a signal back until the block is done; for short writes."""
    _state.depth += 1
    try:
        yield
    finally:
        _state.depth -= 1
    if _state.depth == 0 and _state.pending is not None:
        name, _state.pending = _state.pending, None
        raise StopRequested(f"stopped by {name}")


class SignalGuard:
    """Turns SIGINT and SIGTERM into `StopRequested` between `install` and `remove`."""

    def __init__(self) -> None:
        self._before: dict[signal.Signals, Any] = {}

    def install(self) -> None:
        """Takes the signals over; does nothing outside the main thread, where Python allows no handlers."""
        _state.depth, _state.pending = 0, None
        if threading.current_thread() is threading.main_thread() and not self._before:
            self._before = {number: signal.signal(number, self._handle) for number in _SIGNALS}

    def remove(self) -> None:
        """Gives the signals back."""
        for number, handler in self._before.items():
            signal.signal(number, handler)
        self._before = {}

    def _handle(self, number: int, frame: FrameType | None) -> None:
        # A second signal takes its usual way, should the first one's exception be swallowed.
        self.remove()
        name = signal.Signals(number).name
        if _state.depth:
            _state.pending = name
        else:
            raise StopRequested(f"stopped by {name}")
