"""A tracker that remembers what it was told, and signals that are not ignored."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from fullpool.pipelines import tracking

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class Recorder(tracking.NullTracker):
    """Keeps names of figures and artifacts."""

    def __init__(self) -> None:
        self.figures: list[str] = []
        self.artifacts: list[str] = []

    def figure(self, name: str, figure: Figure) -> None:
        figure.draw_without_rendering()
        self.figures.append(name)

    def artifact(self, path: Path, name: str = "") -> None:
        assert path.exists()
        self.artifacts.append(name or path.name)


@pytest.fixture
def recorder() -> Iterator[Recorder]:
    found = Recorder()
    tracking.put(found)
    yield found
    tracking.put(None)


@pytest.fixture(autouse=True)
def usual_signals() -> Iterator[None]:
    """Sets what signals usually do.

    Shells start background jobs with SIGINT ignored, nohup ignores SIGHUP, and Python leaves both so.
    """
    before = {
        signal.SIGINT: signal.signal(signal.SIGINT, signal.default_int_handler),
        signal.SIGHUP: signal.signal(signal.SIGHUP, signal.SIG_DFL),
    }
    yield
    for number, handler in before.items():
        signal.signal(number, handler)
