"""Zones, damage over time, reveals and delayed casts."""

from __future__ import annotations

import numpy as np
import pytest

from fullpool.games.moba import state as s
from fullpool.games.moba import zones
from fullpool.games.moba.events import f32
from fullpool.games.moba.scene import Scene


def test_a_full_table_gives_up_what_ends_first() -> None:
    k = np.zeros(s.K_SIZE, np.int32)
    k[s.TICK] = 10
    first = s.ZONES_PER_TEAM
    assert zones.free_slot(k, s.ZONE_UNTIL, 1, s.ZONES_PER_TEAM) == first
    k[s.ZONE_UNTIL + first : s.ZONE_UNTIL + 2 * first] = 50
    k[s.ZONE_UNTIL + first + 4] = 40
    assert zones.free_slot(k, s.ZONE_UNTIL, 1, s.ZONES_PER_TEAM) == first + 4
    k[s.ZONE_UNTIL + first + 7] = 10
    assert zones.free_slot(k, s.ZONE_UNTIL, 1, s.ZONES_PER_TEAM) == first + 7


def test_damage_over_time_of_several_skills_runs_side_by_side_and_ends_with_its_target() -> None:
    scene = Scene(["Vantfang"])
    scene.put(0, 0.0, 0.0)
    scene.put(5, 1.0, 0.0)
    scene.f[s.MAX_HP + 5] = scene.f[s.HP + 5] = 50_000.0
    scene.cast(0, 0, 5)
    scene.tick()
    one = scene.damage(5)
    scene.cast(0, 2, 5)
    scene.tick()
    both = scene.damage(5)
    scene.tick(30)
    assert scene.damage(5) == 0.0
    level, ad = 7, float(scene.f[s.AD])
    assert one == pytest.approx(0.1 * (25 + 6 * level + 0.24 * ad), rel=1e-4)
    assert both == pytest.approx(one + 0.1 * (69 + 16 * level + 0.44 * ad), rel=1e-4)
    scene.k[s.SKILL_READY] = 0
    scene.cast(0, 0, 5)
    scene.f[s.HP + 5] = 0.0
    zones.forget_unit(scene.k, 5)
    scene.f[s.HP + 5] = 100.0
    scene.tick()
    assert scene.damage(5) == 0.0


def test_zones_hurt_and_slow_who_stands_inside_and_leave_the_others() -> None:
    scene = Scene(["Powderjack"])
    scene.put(0, 0.0, 0.0)
    scene.put(5, 7.5, 3.5)
    scene.put(6, 7.5, 3.7)
    scene.put(1, 7.5, 0.0)
    minion = scene.add_minion(1, 0, 7.5, 1.0)
    scene.cast(0, 2, direction=0)
    scene.tick(5)
    for u, inside in ((5, True), (6, False), (1, False), (minion, True)):
        assert (scene.damage(u) > 0) == inside
        assert (scene.left(s.SLOW_UNTIL, u) > 0) == inside
    scene.put(5, 0.0, -8.0)
    scene.tick(2)
    assert scene.left(s.SLOW_UNTIL, 5) == 0
    scene.f[s.HP] = 0.0
    scene.tick()
    assert scene.damage(minion) > 0, "a zone that lies somewhere outlives its hero"


def test_a_zone_that_follows_ends_with_its_hero() -> None:
    scene = Scene(["Voltwrit"])
    scene.put(0, 0.0, 0.0)
    scene.put(5, 3.0, 0.0)
    scene.cast(0, 2)
    scene.tick()
    assert scene.damage(5) > 0
    scene.put(0, -8.0, -8.0)
    scene.tick()
    assert scene.damage(5) == 0
    scene.put(0, 0.0, 0.0)
    scene.f[s.HP] = 0.0
    scene.tick()
    scene.f[s.HP] = 100.0
    scene.tick()
    assert scene.damage(5) == 0


def test_reveals_mark_enemies_inside_while_they_last() -> None:
    scene = Scene()
    scene.put(5, 3.0, 0.0)
    scene.put(6, 3.3, 0.0)
    zones.add_reveal(scene.f, scene.k, 0, f32(1.0), f32(0.0), f32(2.0), 3)
    assert scene.left(s.REVEALED_UNTIL, 5) == 2
    assert scene.left(s.REVEALED_UNTIL, 6) == 0
    assert scene.left(s.REVEALED_UNTIL, 1) == 0
    scene.tick(2)
    scene.put(6, 2.9, 0.0)
    scene.put(5, 3.3, 0.0)
    scene.tick(2)
    assert scene.left(s.REVEALED_UNTIL, 6) == 1
    assert scene.left(s.REVEALED_UNTIL, 5) == 0
    scene.tick(2)
    assert scene.left(s.REVEALED_UNTIL, 6) == 0


def delayed() -> Scene:
    scene = Scene(["Ashflicker", "Longbarrow"])
    scene.put(0, 0.0, 0.0)
    scene.put(1, 0.0, 1.0)
    scene.put(5, 5.0, 0.0)
    return scene


def test_a_delayed_skill_hits_who_is_there_when_it_lands() -> None:
    scene = delayed()
    scene.put(6, 9.0, 0.0)
    scene.cast(0, 2, direction=0)
    scene.put(5, 9.0, 1.0)
    scene.put(6, 5.0, 2.0)
    scene.tick(2)
    assert not scene.ev.damage.any()
    scene.tick()
    assert scene.damage(6) > 0
    assert scene.damage(5) == 0


def test_a_delayed_skill_on_a_unit_follows_it() -> None:
    scene = delayed()
    scene.cast(1, 2, 5)
    scene.put(5, -9.0, 9.0)
    scene.tick(7)
    assert scene.damage(5) == 0
    scene.tick()
    assert scene.damage(5) > 0
    scene.k[s.SKILL_READY + 5] = 0
    scene.put(5, 5.0, 0.0)
    scene.cast(1, 2, 5)
    scene.f[s.HP + 5] = 0.0
    zones.forget_unit(scene.k, 5)
    scene.f[s.HP + 5] = 500.0
    scene.tick(9)
    assert scene.f[s.HP + 5] == 500.0, "the target died and came back: another life"


@pytest.mark.parametrize("end", ["stun", "air", "death", "silence"])
def test_stun_air_and_death_break_off_a_delayed_skill(end: str) -> None:
    scene = delayed()
    scene.cast(0, 2, direction=0)
    if end == "death":
        scene.f[s.HP] = 0.0
    else:
        scene.put(6, 0.5, 0.0)
        hero = {"stun": ("Cindervane", 1), "air": ("Powderjack", 1), "silence": ("Lanternmoth", 1)}[end]
        scene.k[s.HERO_ID + 6] = scene.pool.names.index(hero[0])
        scene.cast(6, hero[1], 0)
    scene.tick(4)
    assert (scene.f[s.HP + 5] < scene.f[s.MAX_HP + 5]) == (end == "silence")


def test_nothing_is_searched_before_something_is_made() -> None:
    scene = Scene()
    scene.tick()
    ends = (s.ZONES_END, s.CASTS_END, s.DOTS_END, s.REVEALS_END)
    assert not any(scene.k[end : end + 2].any() for end in ends)
    zones.add_dot(scene.f, scene.k, 6, 0, f32(10.0), s.TRUE, 5)
    assert list(scene.k[s.DOTS_END : s.DOTS_END + 2]) == [0, scene.k[s.TICK] + 6]
