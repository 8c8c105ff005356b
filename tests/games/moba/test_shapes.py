"""Circles, lines, cones, the first in line, chains."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fullpool.games.moba import events as e
from fullpool.games.moba import shapes
from fullpool.games.moba import state as s
from fullpool.games.moba.events import f32
from fullpool.games.moba.scene import Scene

COORDINATE = st.floats(-12.0, 12.0, width=32)


@settings(max_examples=200, deadline=None)
@given(COORDINATE, COORDINATE, st.floats(0.0, 2 * math.pi), st.floats(0.5, 10.0), st.floats(0.5, 3.0))
def test_shapes_match_geometry(x: float, y: float, angle: float, length: float, width: float) -> None:
    ux, uy, half = math.cos(angle), math.sin(angle), math.radians(35.0)
    distance = math.hypot(x, y)
    turn = abs((math.atan2(y, x) - angle + math.pi) % (2 * math.pi) - math.pi)
    along, across = distance * math.cos(turn), distance * abs(math.sin(turn))
    borders = (
        (shapes.SHAPE_CIRCLE, distance <= length, abs(distance - length)),
        (
            shapes.SHAPE_LINE,
            0 <= along <= length and across <= width / 2,
            min(abs(along), abs(along - length), abs(across - width / 2)),
        ),
        (
            shapes.SHAPE_CONE,
            distance <= length and turn <= half,
            min(abs(distance - length), abs(turn - half) * distance),
        ),
    )
    for shape, expected, margin in borders:
        arguments = (x, y, ux, uy, length, width, math.cos(half))
        got = shapes.is_inside(shape, *[f32(value) for value in arguments])
        assert got == expected or margin < 1e-4


def find(scene: Scene, team: int = 0, only_first: bool = False, length: float = 6.0) -> list[int]:
    one, zero = f32(1.0), f32(0.0)
    direction = one if team == 0 else -one
    n = shapes.find_hits(
        scene.f, scene.k, team, shapes.SHAPE_LINE, zero, zero, direction, zero, f32(length), one, zero,
        only_first, scene.ev,
    )  # fmt: skip
    assert n == scene.ev.k[e.NUM_HITS]
    return [int(u) for u in scene.ev.k[e.HITS : e.HITS + n]]


def lined_up() -> Scene:
    """Enemies of team A at 2 (minion), 3 (hero), 4 (summon) and 5 (monster), an ally and a turret between."""
    scene = Scene()
    scene.add_minion(1, 3, 2.0, 0.0)
    scene.put(6, 3.0, 0.4)
    scene.put(1, 1.0, 0.0)
    scene.add_structure(1, 0, 1.5, 0.0)
    for u, x in ((s.SUMMON0 + s.SUMMONS_PER_TEAM, 4.0), (s.MONSTER0, 5.0)):
        scene.f[s.HP + u], scene.f[s.MAX_HP + u] = 100.0, 100.0
        scene.put(u, x, 0.0)
    return scene


def test_lines_hit_every_kind_of_enemy_but_structures_allies_and_the_dead() -> None:
    scene = lined_up()
    minion, summon = s.MINION0 + s.MINIONS_PER_TEAM + 3, s.SUMMON0 + s.SUMMONS_PER_TEAM
    assert set(find(scene)) == {minion, 6, summon, s.MONSTER0}
    assert set(find(scene, length=3.5)) == {minion, 6}
    assert find(scene, only_first=True) == [minion]
    scene.f[s.HP + minion] = 0.0
    assert find(scene, only_first=True) == [6]


def test_a_tie_for_the_first_is_drawn_by_the_stream_not_by_the_index() -> None:
    scene = Scene()
    scene.put(5, 3.0, 0.25)
    scene.put(9, 3.0, -0.25)
    chosen = []
    for tick in range(200):
        scene.k[s.TICK] = tick
        chosen += find(scene, only_first=True)
    assert 70 <= chosen.count(5) <= 130
    assert set(chosen) == {5, 9}


def test_chains_go_to_the_nearest_new_enemy_within_a_hop() -> None:
    scene = Scene()
    for u, x in ((5, 1.0), (6, 3.0), (7, 6.0), (8, 9.6)):
        scene.put(u, x, 0.0)
    minion = scene.add_minion(1, 0, 1.0, 1.0)
    for jumps, expected in ((0, [5]), (1, [5, minion]), (2, [5, minion, 6]), (5, [5, minion, 6, 7])):
        scene.ev.k[e.HITS], scene.ev.k[e.NUM_HITS] = 5, 1
        n = shapes.extend_chain(scene.f, scene.k, 0, jumps, f32(3.5), scene.ev)
        assert list(scene.ev.k[e.HITS : e.HITS + n]) == expected
    scene.ev.k[e.NUM_HITS] = 0
    assert shapes.extend_chain(scene.f, scene.k, 0, 3, f32(3.5), scene.ev) == 0


@pytest.mark.parametrize("team", [0, 1])
def test_groups_cover_all_enemies_of_a_team_once(team: int) -> None:
    units = [
        u
        for group in range(4)
        for u in range(shapes.first_of(group, team), shapes.first_of(group, team) + shapes.size_of(group))
    ]
    assert len(units) == len(set(units)) == 5 + s.SUMMONS_PER_TEAM + s.MINIONS_PER_TEAM + s.NUM_MONSTERS
    assert not set(range(s.STRUCTURE0, s.SUMMON0)) & set(units)
