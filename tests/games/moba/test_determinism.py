from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from fullpool.games.contract import EXTERNAL
from fullpool.games.moba.game import MobaGame

Start = Callable[..., Any]
DECISIONS = 120


@pytest.mark.parametrize("preset", ["blitz", "mid3", "arena"])
def test_one_game_is_the_same_in_a_batch_of_any_size(table: Start, preset: str) -> None:
    playing = table(preset, 7, seed=11)
    recorded = []
    for _ in range(DECISIONS):
        recorded.append(playing.draw().copy())
        playing.game.step(recorded[-1])
        playing.decision += 1
    expected = [playing.game.state_hash(game) for game in range(7)]
    for games in ([3], [6, 2], [5, 0, 1]):
        small = MobaGame(preset, len(games))
        order = np.arange(len(games), dtype=np.int32)
        small.reset(
            order, playing.lineups[games], playing.seeds[games], np.full((len(games), 2), EXTERNAL, np.int8)
        )
        for actions in recorded:
            small.step(actions[games])
        assert [small.state_hash(game) for game in range(len(games))] == [expected[game] for game in games]


def test_other_seeds_lineups_or_actions_lead_elsewhere(table: Start) -> None:
    def last(change: str) -> str:
        playing = table("arena", 1, seed=4, bots=(1, 1))
        if change == "seed":
            playing.seeds[0] += 1
        if change == "lineup":
            playing.lineups[0] = playing.lineups[0, ::-1]
        playing.start()
        for _ in range(30):
            playing.game.step(playing.actions)
        return str(playing.game.state_hash(0))

    hashes = [last(change) for change in ("nothing", "nothing", "seed", "lineup")]
    assert hashes[0] == hashes[1]
    assert len(set(hashes)) == 3


def test_a_restarted_game_in_a_used_batch_is_the_same(table: Start) -> None:
    playing = table("blitz", 2, seed=9, bots=(2, 3))
    for _ in range(DECISIONS):
        playing.game.step(playing.actions)
    expected = playing.game.state_hash(1)
    for _ in range(17):
        playing.game.step(playing.actions)
    playing.game.reset(np.array([1], np.int32), playing.lineups[1:], playing.seeds[1:], playing.seats[1:])
    for _ in range(DECISIONS):
        playing.game.step(playing.actions)
    assert playing.game.state_hash(1) == expected
