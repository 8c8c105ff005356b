"""Summons: called, following, fighting, vanishing."""

from __future__ import annotations

import math

import numpy as np
import pytest

from fullpool.games.moba import state as s
from fullpool.games.moba.events import f32
from fullpool.games.moba.scene import Scene
from fullpool.games.moba.summons import find_summon_target, spawn_summons, summon_range

FIRST = s.SUMMON0


def called(name: str = "Ironquill", skill: int = 2) -> Scene:
    scene = Scene([name])
    scene.put(0, 0.0, 0.0)
    scene.cast(0, skill)
    return scene


def test_summons_strike_once_a_second_within_their_reach() -> None:
    scene = called()
    scene.put(5, 1.9, 0.0)
    scene.f[s.MAX_HP + 5] = scene.f[s.HP + 5] = 90_000.0
    hits = []
    for _ in range(25):
        scene.tick()
        hits.append(scene.damage(5))
    strikes = [i for i, hit in enumerate(hits) if hit > 0]
    assert np.diff(strikes).tolist() == [10, 10]
    power = 33 + 6 * 7
    assert hits[strikes[0]] == pytest.approx(2 * power * 100 / (100 + float(scene.f[s.ARMOR + 5])), rel=1e-4)
    assert summon_range(scene.k, scene.t, FIRST) == pytest.approx(2.0)


def test_their_damage_counts_for_their_owner() -> None:
    scene = called()
    scene.put(5, 1.9, 0.0)
    scene.tick()
    assert scene.ev.credit[5, 0] == pytest.approx(scene.damage(5))
    assert scene.k[s.DAMAGED_AT + 5 * s.TEAM_SIZE] == scene.k[s.TICK] - 1
    assert scene.f[s.EV_HURT] > 0


def test_they_walk_to_enemies_in_sight_and_else_follow_their_owner() -> None:
    scene = called()
    scene.put(5, 5.0, 0.0)
    scene.f[s.SPEED + 5] = 0.0
    scene.tick(12)
    assert scene.f[s.X + FIRST] > 2.5
    scene.put(5, 20.0, 0.0)
    scene.put(0, -4.0, 0.0)
    scene.tick(40)
    assert math.hypot(scene.f[s.X + FIRST] + 4.0, scene.f[s.Y + FIRST]) <= 2.05


@pytest.mark.parametrize(
    ("field", "moves"), [(s.STUN_UNTIL, False), (s.ROOT_UNTIL, False), (s.SILENCE_UNTIL, True)]
)
def test_controls_hold_them(field: int, moves: bool) -> None:
    scene = called()
    scene.put(5, 5.0, 0.0)
    scene.tick()
    x = float(scene.f[s.X + FIRST])
    if field in (s.STUN_UNTIL, s.ROOT_UNTIL):
        scene.k[field + FIRST] = scene.k[s.TICK] + 5
    scene.tick(4)
    assert (scene.f[s.X + FIRST] > x) == moves


def test_they_prefer_their_owners_target() -> None:
    scene = called()
    scene.put(5, 3.0, 0.0)
    scene.put(6, 0.0, 5.0)
    assert find_summon_target(scene.f, scene.k, FIRST, 0) == 5
    scene.order(0, s.ATTACK, target=6)
    assert find_summon_target(scene.f, scene.k, FIRST, 0) == 6
    scene.k[s.VISIBLE + 6] = 2
    assert find_summon_target(scene.f, scene.k, FIRST, 0) == 5
    scene.k[s.VISIBLE + 5] = 2
    assert find_summon_target(scene.f, scene.k, FIRST, 0) == -1
    turret = scene.add_structure(1, 2, 4.0, 0.0)
    assert find_summon_target(scene.f, scene.k, FIRST, 0) == turret


def test_they_vanish_when_their_time_is_over() -> None:
    scene = called("Solbrand", 0)
    scene.tick(80)
    assert scene.f[s.HP + FIRST] > 0
    scene.tick()
    assert scene.f[s.HP + FIRST] == 0


def test_a_full_table_gives_up_those_that_end_first() -> None:
    scene = Scene(["Ironquill"])
    for ticks in (30, 20, 40):
        spawn_summons(scene.f, scene.k, 0, 0, 2, f32(100.0), f32(5.0), ticks)
    spawn_summons(scene.f, scene.k, 0, 0, 2, f32(77.0), f32(5.0), 50)
    assert scene.f[s.HP + FIRST : s.HP + FIRST + 6].tolist() == [100, 100, 77, 77, 100, 100]


def test_no_skill_of_the_same_tick_meets_them() -> None:
    scene = Scene(["Ironquill"], ["Bulwarden"])
    scene.put(0, 0.0, 0.0)
    scene.put(5, 1.0, 0.0)
    scene.order(5, s.SKILL1)
    scene.cast(0, 2)
    assert scene.damage(0) > 0
    assert scene.f[s.HP + FIRST] == scene.f[s.MAX_HP + FIRST] > 0
