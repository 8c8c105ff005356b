"""Golden games: a change of these hashes is a change of the rules, and asks for a new `VERSION` in spec.py.

After such a change write `moba.json` anew: `python tests/golden/test_moba_golden.py`.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from fullpool.games.contract import RUNNING
from fullpool.games.moba.game import MobaGame

GOLDEN = Path(__file__).parent / "moba.json"
PRESETS = ("blitz", "mid3", "arena")


def play(preset: str) -> dict[str, object]:
    """Plays bots with fixed line-ups and seeds; every tenth decision of the four matches is hashed."""
    lineups = np.arange(40, dtype=np.int16).reshape(4, 2, 5)
    game = MobaGame(preset, 4)
    seats = np.array([[3, 2], [2, 3], [3, 3], [1, 2]], np.int8)
    game.reset(np.arange(4, dtype=np.int32), lineups, np.arange(4, dtype=np.uint64), seats)
    hashes = []
    for decision in range(game.preset.cap):
        result = game.step(np.zeros((4, 2, 5, 4), np.int32))
        if decision % 10 == 9:
            hashes.append("".join(game.state_hash(n)[:4] for n in range(4)))
        if (result.winner != RUNNING).all():
            break
    return {
        "winners": result.winner.tolist(),
        "decisions": game.statistics()["decisions"].tolist(),
        "hashes": hashes,
    }


@pytest.mark.parametrize("preset", PRESETS)
def test_golden_games(preset: str) -> None:
    assert play(preset) == json.loads(GOLDEN.read_text())[preset]


if __name__ == "__main__":
    GOLDEN.write_text(json.dumps({preset: play(preset) for preset in PRESETS}, indent=1) + "\n")
