"""The 5v5 MOBA: forty heroes, three lanes, fog, and bots, simulated in batches."""

from __future__ import annotations

from collections.abc import Callable


def compile_all(progress: Callable[[str], None]) -> None:
    """Compiles every kernel; see `compile.compile_all`. Imported late: importing the package loads no kernel."""
    from fullpool.games.moba.compile import compile_all as compile_kernels

    compile_kernels(progress)
