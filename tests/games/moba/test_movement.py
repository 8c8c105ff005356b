from __future__ import annotations

import numpy as np
import pytest

from fullpool.games.moba import state as s
from fullpool.games.moba.movement import move_by, tile_at
from fullpool.games.moba.scene import Scene
from fullpool.games.moba.tables import TILES, WALL


@pytest.fixture
def scene() -> Scene:
    scene = Scene(preset="blitz")
    scene.t = scene.t._replace(tile=np.zeros((TILES, TILES), np.uint8))
    return scene


def place(scene: Scene, u: int) -> tuple[float, float]:
    return float(scene.f[s.X + u]), float(scene.f[s.Y + u])


def test_tiles_of_mirrored_points_are_mirrored(scene: Scene) -> None:
    scene.t.tile[:] = np.random.default_rng(0).integers(0, 32, scene.t.tile.shape)
    turned = scene.t._replace(tile=np.ascontiguousarray(scene.t.tile[::-1, ::-1].T))
    points = np.random.default_rng(1).uniform(-30, 30, (300, 2)).astype(np.float32)
    points[::3] = np.round(points[::3])
    for x, y in points:
        assert tile_at(scene.t, x, y) == tile_at(turned, -y, -x)
    assert tile_at(scene.t, np.float32(40.5), np.float32(0.0)) == WALL


def test_hero_walks_its_speed(scene: Scene) -> None:
    scene.put(0, 0.0, 0.0)
    scene.order(0, s.MOVE, direction=0)
    scene.tick(10)
    assert place(scene, 0) == pytest.approx((float(scene.f[s.SPEED]), 0.0), rel=1e-5)


@pytest.mark.parametrize(("direction", "expected"), [(0, (0.0, 0.0)), (2, (0.0, 1.0)), (14, (0.0, -1.0))])
def test_walls_stop_straight_steps_and_turn_slanting_ones(
    scene: Scene, direction: int, expected: tuple[float, float]
) -> None:
    scene.t.tile[:, 41:] = WALL  # everything from x = 1 on
    scene.put(0, 0.95, 0.0)
    scene.order(0, s.MOVE, direction=direction)
    scene.tick(5)
    x, y = place(scene, 0)
    assert x == pytest.approx(0.95)
    assert np.sign(round(y, 4)) == expected[1]


def test_slides_along_a_corner_the_same_on_both_sides(scene: Scene) -> None:
    scene.t.tile[41, 41] = WALL
    scene.put(0, 0.9, 1.0 - 0.02)
    scene.put(5, -0.98, -0.9)
    step = np.float32(0.2)
    move_by(scene.f, scene.t.tile, 0, step, step, True)
    scene.t.tile[41, 41], scene.t.tile[38, 38] = 0, WALL
    move_by(scene.f, scene.t.tile, 5, -step, -step, True)
    x, y = place(scene, 0)
    assert place(scene, 5) == (-y, -x)


def test_long_steps_do_not_jump_over_walls(scene: Scene) -> None:
    scene.t.tile[:, 42] = WALL
    scene.put(0, 0.5, 0.5)
    assert not move_by(scene.f, scene.t.tile, 0, np.float32(4.0), np.float32(0.0), False)
    assert place(scene, 0)[0] < 2.0


def test_chaser_stops_in_reach_of_where_its_target_was(scene: Scene) -> None:
    scene.put(0, 0.0, 0.0)
    scene.put(5, 4.0, 0.0)
    scene.order(0, s.ATTACK, target=5)
    scene.tick(20)
    reach = float(scene.f[s.RANGE])
    assert reach - 0.1 < 4.0 - place(scene, 0)[0] <= reach


def test_two_chasers_meet_in_the_middle(scene: Scene) -> None:
    hero = scene.pool.names.index("Bulwarden")
    scene.k[s.HERO_ID + 5] = hero
    for h, x in ((0, -3.0), (5, 3.0)):
        scene.f[s.SPEED + h], scene.f[s.RANGE + h] = 4.0, 1.6
        scene.put(h, x, 0.0)
        scene.order(h, s.ATTACK, target=5 - h)
    scene.tick(4)
    assert place(scene, 0)[0] == -place(scene, 5)[0]


def test_rooted_hero_stays_and_unseen_target_is_not_chased(scene: Scene) -> None:
    scene.put(0, 0.0, 0.0)
    scene.put(5, 4.0, 0.0)
    scene.order(0, s.ATTACK, target=5)
    scene.k[s.VISIBLE + 5] = 2
    scene.tick(3)
    assert place(scene, 0) == (0.0, 0.0)
    scene.k[s.VISIBLE + 5] = 3
    scene.k[s.ROOT_UNTIL] = scene.k[s.TICK] + 100
    scene.tick(3)
    assert place(scene, 0) == (0.0, 0.0)
