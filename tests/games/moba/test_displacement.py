"""Knocks, pulls, hooks, dashes and blinks."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from fullpool.games.moba import displacement as d
from fullpool.games.moba import events as e
from fullpool.games.moba import state as s
from fullpool.games.moba import tables as tb
from fullpool.games.moba.events import f32
from fullpool.games.moba.movement import move_units
from fullpool.games.moba.resolve import resolve
from fullpool.games.moba.scene import Scene


def floats(*values: float) -> tuple[Any, ...]:
    return tuple(f32(value) for value in values)


@pytest.mark.parametrize(
    ("x", "y", "distance", "expected"),
    [
        (2.0, 0.0, 3.0, (3.0, 0.0)),
        (0.0, -2.0, 1.0, (0.0, -1.0)),
        (3.0, 4.0, -2.0, (-1.2, -1.6)),
        (1.0, 0.0, -2.0, (-1.0, 0.0)),  # never past the middle
        (0.0, 0.0, 2.0, (math.sqrt(2), math.sqrt(2))),  # towards the own base
        (0.0, 0.0, -2.0, (0.0, 0.0)),
    ],
)
def test_knocks_push_away_and_pull_no_further_than_the_middle(
    x: float, y: float, distance: float, expected: tuple[float, float]
) -> None:
    scene = Scene()
    scene.put(5, x, y)
    assert d.knock_vector(scene.f, 5, *floats(0, 0, distance)) == pytest.approx(expected, abs=1e-6)


def test_a_hook_brings_to_its_rest_and_leaves_alone_who_is_nearer() -> None:
    scene = Scene()
    scene.put(5, 0.0, 6.0)
    assert d.hook_vector(scene.f, 5, *floats(0, 0, 1.5)) == pytest.approx((0.0, -4.5))
    scene.put(5, 0.0, 1.2)
    assert d.hook_vector(scene.f, 5, *floats(0, 0, 1.5)) == (0.0, 0.0)


def test_home_lies_towards_the_own_base() -> None:
    assert d.home_direction(0) == pytest.approx((-math.sqrt(0.5),) * 2)
    assert d.home_direction(5) == pytest.approx((math.sqrt(0.5),) * 2)
    assert d.home_direction(s.MONSTER0) == (0.0, 0.0)


def test_opposite_pushes_cancel_and_like_ones_add() -> None:
    scene = Scene()
    scene.put(5, 0.0, 0.0)
    scene.put(6, 0.0, 5.0)
    for u, dx in ((5, 2.0), (5, -2.0), (6, 2.0), (6, 1.0)):
        e.push_status(scene.ev, tb.KIND_KNOCK, 0, u, 4, dx, 0.0)
    resolve_only(scene)
    scene.tick(4)
    assert (scene.f[s.X + 5], scene.f[s.X + 6]) == pytest.approx((0.0, 3.0), abs=1e-5)
    assert scene.left(s.AIR_UNTIL, 5) == 0


def resolve_only(scene: Scene) -> None:
    """Plays a tick whose events the test pushed itself."""
    move_units(scene.f, scene.k, scene.t)
    resolve(scene.f, scene.k, scene.t, scene.ev)
    scene.k[s.TICK] += 1


def test_a_push_beats_the_dash_of_the_same_tick() -> None:
    scene = Scene(["Silkedge"], ["Powderjack"])
    scene.put(0, 0.0, 0.0)
    scene.put(5, 3.0, 0.0)
    scene.order(0, s.SKILL1, direction=4)
    scene.order(5, s.SKILL2, target=0)
    scene.tick()
    assert scene.left(s.AIR_UNTIL, 0) == 4
    scene.tick(5)
    assert (scene.f[s.X], scene.f[s.Y]) == pytest.approx((-2.5, 0.0), abs=1e-5)


def test_a_dash_takes_its_ticks_and_ends() -> None:
    scene = Scene(["Ramhorn"])
    scene.put(0, -6.0, -6.0)
    scene.cast(0, 2, direction=2)
    path = []
    for _ in range(7):
        scene.tick()
        path.append(math.hypot(scene.f[s.X] + 6.0, scene.f[s.Y] + 6.0))
    assert path == pytest.approx([1.6, 3.2, 4.8, 6.4, 8.0, 8.0, 8.0], abs=1e-4)


@pytest.mark.parametrize(
    ("kind", "stops"), [(tb.KIND_STUN, True), (tb.KIND_ROOT, True), (tb.KIND_SILENCE, False)]
)
def test_stun_and_root_stop_a_dash_under_way(kind: int, stops: bool) -> None:
    scene = Scene(["Ramhorn"])
    scene.put(0, 0.0, 0.0)
    scene.cast(0, 2, direction=0)
    scene.tick()
    e.clear_events(scene.ev)
    e.push_status(scene.ev, kind, 5, 0, 3, 0.0, 0.0)
    resolve_only(scene)
    scene.tick(5)
    assert scene.f[s.X] == pytest.approx(3.2 if stops else 8.0, abs=1e-4)


def test_stun_does_not_stop_a_flight() -> None:
    scene = Scene()
    scene.put(5, 0.0, 0.0)
    e.push_status(scene.ev, tb.KIND_KNOCK, 0, 5, 4, 4.0, 0.0)
    resolve_only(scene)
    e.clear_events(scene.ev)
    e.push_status(scene.ev, tb.KIND_STUN, 0, 5, 4, 0.0, 0.0)
    resolve_only(scene)
    scene.tick(3)
    assert scene.f[s.X + 5] == pytest.approx(4.0, abs=1e-5)


def test_walls_end_pushes() -> None:
    scene = Scene()
    edge = 13.0 * math.sqrt(0.5)
    scene.put(5, -edge + 1.2, edge - 1.2)
    e.push_status(scene.ev, tb.KIND_KNOCK, 0, 5, 5, -10.0, 10.0)
    resolve_only(scene)
    scene.tick(6)
    assert scene.f[s.Y + 5] < edge + 1.5


def test_blinks_jump_over_walls_but_not_into_them() -> None:
    scene = Scene(preset="blitz")
    rows, columns = np.nonzero(scene.t.tile & tb.WALL == 0)
    inside = (np.abs(rows - 39.5) < 20) & (np.abs(columns - 39.5) < 20)
    walls = np.argwhere(scene.t.tile[20:60, 20:60] & tb.WALL) + 20
    row, column = walls[0]
    assert inside.any()
    scene.put(0, column - 40 + 0.5 - 4.0, row - 40 + 0.5)
    d.blink(scene.f, scene.t, 0, f32(4.0), f32(0.0))
    x, y = float(scene.f[s.X]), float(scene.f[s.Y])
    assert x < column - 40 + 0.5
    assert not scene.t.tile[math.ceil(y) + 39, math.floor(x) + 40] & tb.WALL
    scene.put(0, column - 40 + 0.5 - 8.0, row - 40 + 0.5)
    free = next(step for step in range(9, 20) if not scene.t.tile[row, column + step - 8] & tb.WALL)
    d.blink(scene.f, scene.t, 0, f32(free), f32(0.0))
    assert scene.f[s.X] == pytest.approx(column - 40 + 0.5 - 8.0 + free)


def test_the_dead_are_not_displaced() -> None:
    scene = Scene()
    scene.put(5, 0.0, 0.0)
    scene.f[s.HP + 5] = 1.0
    e.push_status(scene.ev, tb.KIND_KNOCK, 0, 5, 4, 4.0, 0.0)
    e.push_damage(scene.ev, 0, 5, 100.0, s.TRUE, e.FLAG_SKILL, 0.0, 0.0)
    resolve_only(scene)
    assert scene.f[s.HP + 5] == 0.0
    assert scene.k[s.FORCE_UNTIL + 5] == 0
