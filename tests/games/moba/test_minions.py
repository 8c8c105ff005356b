from __future__ import annotations

import numpy as np
import pytest

from fullpool.games.moba import state as s
from fullpool.games.moba.events import clear_events
from fullpool.games.moba.minions import minion_turns, spawn_waves
from fullpool.games.moba.movement import move_units
from fullpool.games.moba.resolve import resolve
from fullpool.games.moba.scene import Scene
from fullpool.games.moba.tables import load_tables

NUM_MINIONS = 2 * s.MINIONS_PER_TEAM


@pytest.fixture
def scene() -> Scene:
    """An empty blitz map: heroes wait in the corners that no lane passes."""
    scene = Scene(preset="blitz")
    scene.k[s.TICK] = 50
    scene.k[s.NEXT_WAVE] = 50
    for h in range(10):
        corner = -23.0 if h < 5 else 23.0
        scene.put(h, corner, -corner)
    return scene


def march(scene: Scene, ticks: int) -> None:
    for _ in range(ticks):
        clear_events(scene.ev)
        move_units(scene.f, scene.k, scene.t)
        minion_turns(scene.f, scene.k, scene.t, scene.ev)
        resolve(scene.f, scene.k, scene.t, scene.ev)
        scene.k[s.TICK] += 1


def kinds(scene: Scene) -> list[int]:
    types = scene.k[s.TYPE + s.MINION0 : s.TYPE + s.MONSTER0]
    return [int((types == kind).sum()) for kind in range(s.TYPE_MELEE, s.TYPE_VANGUARD)]


def test_waves_come_on_time_with_siege_every_third(scene: Scene) -> None:
    sent = []
    for _ in range(3):
        scene.f[s.HP + s.MINION0 : s.HP + s.MONSTER0] = 0.0
        scene.k[s.TYPE + s.MINION0 : s.TYPE + s.MONSTER0] = 0
        spawn_waves(scene.f, scene.k, scene.t)
        sent.append(kinds(scene))
        assert scene.k[s.NEXT_WAVE] == scene.k[s.TICK] + 150
        scene.k[s.TICK] += 150
    assert sent == [[18, 12, 0, 0], [18, 12, 0, 0], [18, 12, 6, 0]]


def test_supers_come_where_a_base_turret_fell_and_everywhere_in_sudden_death(scene: Scene) -> None:
    turret = scene.add_structure(1, 5, 10.0, 10.0)
    scene.f[s.HP + turret] = 0.0
    spawn_waves(scene.f, scene.k, scene.t)
    middle = s.TYPE + s.MINION0 + s.MINIONS_PER_LANE
    assert kinds(scene)[3] == 3
    assert (scene.k[middle : middle + 12] == s.TYPE_SUPER).sum() == 3
    scene.f[s.HP + s.MINION0 : s.HP + s.MONSTER0] = 0.0
    scene.k[s.TYPE + s.MINION0 : s.TYPE + s.MONSTER0] = 0
    scene.k[s.TICK] = scene.k[s.NEXT_WAVE] = 1000
    spawn_waves(scene.f, scene.k, scene.t)
    assert kinds(scene)[3] == 18


def test_hit_points_grow_by_the_minute(scene: Scene) -> None:
    scene.k[s.TICK] = scene.k[s.NEXT_WAVE] = 600
    spawn_waves(scene.f, scene.k, scene.t)
    melee = scene.k[s.TYPE : s.TYPE + s.NUM_UNITS] == s.TYPE_MELEE
    preset = load_tables("blitz")[2]
    expected = preset.minion_hp[0] + preset.minion_hp_minute[0]
    assert np.allclose(scene.f[s.MAX_HP : s.MAX_HP + s.NUM_UNITS][melee], expected)


def test_a_full_lane_takes_no_more(scene: Scene) -> None:
    for _ in range(4):
        scene.k[s.NEXT_WAVE] = scene.k[s.TICK]
        spawn_waves(scene.f, scene.k, scene.t)
    assert (scene.f[s.HP + s.MINION0 : s.HP + s.MONSTER0] > 0).all()


def test_waves_march_along_their_lanes_at_their_speed_and_meet(scene: Scene) -> None:
    spawn_waves(scene.f, scene.k, scene.t)
    alone = s.MINION0 + np.arange(s.MINIONS_PER_TEAM)
    scene.f[s.HP + s.MINION0 + s.MINIONS_PER_TEAM : s.HP + s.MONSTER0] = 0.0
    middle = s.MINION0 + s.MINIONS_PER_LANE
    begin = scene.f[[s.X + middle, s.Y + middle]].copy()
    march(scene, 40)
    way = np.hypot(*(scene.f[[s.X + middle, s.Y + middle]] - begin))
    assert 4 * 3.6 - 2.0 < way <= 4 * 3.6 + 0.01
    march(scene, 300)
    living = scene.f[s.HP + alone] > 0
    assert living.sum() == 15
    assert np.allclose(scene.f[s.X + alone][living], 19.2, atol=1.5)


def test_two_equal_waves_fight_evenly(scene: Scene) -> None:
    spawn_waves(scene.f, scene.k, scene.t)
    march(scene, 260)
    hp = np.maximum(scene.f[s.HP + s.MINION0 : s.HP + s.MONSTER0], 0.0).reshape(2, -1)
    assert np.array_equal(hp[0], hp[1])
    assert 0 < hp[0].sum() < 15 * 260


def test_minion_defends_an_ally_against_the_hero_that_hits_it(scene: Scene) -> None:
    scene.put(0, 0.0, 0.0)
    scene.put(5, 2.0, 0.0)
    minion = scene.add_minion(1, 12, 3.0, 0.0)
    other = scene.add_minion(0, 12, 4.0, 0.0)
    scene.f[s.POWER + minion] = 11.0
    scene.k[s.TARGET + minion] = -1
    march(scene, 8)
    assert scene.k[s.TARGET + minion] == other
    scene.k[s.LAST_HERO_HIT + 0] = scene.k[s.TICK]
    march(scene, 6)
    assert scene.k[s.TARGET + minion] == 0
    scene.k[s.LAST_HERO_HIT + 0] = s.NEVER
    march(scene, 30)
    assert scene.k[s.TARGET + minion] == other
