from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from fullpool.games.moba import state as s
from fullpool.games.moba.game import MobaGame
from fullpool.games.moba.mirror import F_FIELDS, K_FIELDS, UNIT_IMAGE, mirror_match

Start = Callable[..., Any]


def differing(first: tuple[Any, Any], second: tuple[Any, Any]) -> list[tuple[str, list[int]]]:
    """Names and places of the fields in which two matches differ; 0.0 equals -0.0."""
    found = []
    for fields, a, b in zip((F_FIELDS, K_FIELDS), first, second, strict=True):
        for name, (at, size) in fields.items():
            places = np.flatnonzero(a[at : at + size] != b[at : at + size])
            if len(places):
                found.append((name, places.tolist()))
    return found


def test_fields_cover_the_whole_state_once() -> None:
    assert sum(size for _, size in F_FIELDS.values()) == s.F_SIZE
    assert sum(size for _, size in K_FIELDS.values()) == s.K_SIZE
    assert np.array_equal(UNIT_IMAGE[UNIT_IMAGE], np.arange(s.NUM_UNITS))


CASES = [("blitz", "manual"), ("blitz", "assist"), ("mid3", "manual"), ("arena", "manual")]


@pytest.mark.parametrize(("preset", "aim"), CASES)
def test_swapped_sides_play_the_mirror_image_to_the_bit(table: Start, preset: str, aim: str) -> None:
    playing = table(preset, 6, seed=5, aim=aim)
    game: MobaGame = playing.game
    other = MobaGame(preset, 6, aim=aim)  # type: ignore[arg-type]
    streams = np.random.default_rng(1).integers(0, 2**62, (6, 2))
    games = np.arange(6, dtype=np.int32)
    game.reset_streams(games, playing.lineups, streams, playing.seats)
    other.reset_streams(games, playing.lineups[:, ::-1], streams[:, ::-1], playing.seats)
    brush = game.tables.brush_mirror
    for decision in range(250):
        actions = playing.draw()
        rewards = game.step(actions).rewards
        swapped = other.step(np.ascontiguousarray(actions[:, ::-1])).rewards
        playing.decision += 1
        assert np.array_equal(rewards, swapped[:, ::-1]), decision
        if decision % 10 == 0 or decision > 240:
            for n in range(6):
                image = mirror_match(game.f[n], game.k[n], brush)
                assert differing(image, (other.f[n], other.k[n])) == [], (decision, n)


@pytest.mark.parametrize("bot", [1, 2, 3])
def test_bots_play_the_mirror_image_too(table: Start, bot: int) -> None:
    playing = table("blitz", 4, seed=7, bots=(bot, bot))
    game: MobaGame = playing.game
    other = MobaGame("blitz", 4)
    streams = np.random.default_rng(2).integers(0, 2**62, (4, 2))
    games = np.arange(4, dtype=np.int32)
    game.reset_streams(games, playing.lineups, streams, playing.seats)
    other.reset_streams(games, playing.lineups[:, ::-1], streams[:, ::-1], playing.seats)
    for decision in range(250):
        game.step(playing.actions)
        other.step(playing.actions)
        if decision % 25 == 24:
            for n in range(4):
                image = mirror_match(game.f[n], game.k[n], game.tables.brush_mirror)
                assert differing(image, (other.f[n], other.k[n])) == [], (decision, n)


def test_mirroring_a_match_under_way_twice_changes_nothing(table: Start) -> None:
    playing = table("blitz", 3, seed=2)
    playing.play(80)
    before = [(playing.game.f[n].copy(), playing.game.k[n].copy()) for n in range(3)]
    playing.game.mirror()
    assert differing(before[0], (playing.game.f[0], playing.game.k[0]))
    playing.game.mirror()
    for n in range(3):
        assert differing(before[n], (playing.game.f[n], playing.game.k[n])) == []
