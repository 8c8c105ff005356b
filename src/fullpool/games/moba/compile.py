"""Compiles every kernel that Python calls, so that later commands start warm."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from fullpool.games.contract import EXTERNAL, allocate_views


def compile_all(progress: Callable[[str], None]) -> None:
    """Compiles all entry points of the MOBA by playing one decision of one match.

    Presets and aims share their compiled code. The cache on disk makes a second call quick.

    Args:
        progress: called with the name of each entry point once it is compiled.
    """
    from fullpool.games.moba.game import MobaGame

    game = MobaGame("blitz", 1)
    lineup = np.arange(10, dtype=np.int16).reshape(1, 2, 5)
    game.reset(np.zeros(1, np.int32), lineup, np.ones(1, np.uint64), np.full((1, 2), EXTERNAL, np.int8))
    progress("reset")
    game.step(np.zeros((1, 2, 5, 4), np.int32))
    progress("step")
    game.observe(allocate_views(game.spec, 1))
    progress("observe")
