"""What every bench states besides its figures: versions, processor, memory."""

from __future__ import annotations

import os
import platform
import resource
import sys
from collections.abc import Callable
from importlib import metadata
from typing import Any

Notify = Callable[[float], None]
"""Takes how much of a bench is done, 0 to 1."""

PACKAGES = ("fullpool", "numpy", "numba", "torch")


def unheard(done: float) -> None:
    """Tells nobody how much is done."""


def part_of(notify: Notify, number: int, total: int) -> Notify:
    """Turns how much of one of several equal parts is done into how much of all."""
    return lambda done: notify((number + done) / total)


def versions() -> dict[str, str]:
    """Versions of Python and of the packages that decide the speed."""
    found = {"python": platform.python_version()}
    for name in PACKAGES:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found


def peak_memory_mib() -> float:
    """Largest resident memory of this process so far, MiB."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (2**20 if sys.platform == "darwin" else 2**10)


def machine() -> dict[str, Any]:
    """Processor and cores that this process may use."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return {"processor": platform.processor() or platform.machine(), "usable_cores": cores}
