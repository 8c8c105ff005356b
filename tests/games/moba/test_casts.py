"""Aiming, ranges, targets, and what casting does to the caster."""

from __future__ import annotations

import math

import pytest

from fullpool.games.moba import state as s
from fullpool.games.moba.casts import aim, on_kill, predicted
from fullpool.games.moba.events import f32
from fullpool.games.moba.scene import Scene


def scene_of(name: str, aim_mode: str = "manual") -> Scene:
    scene = Scene([name], aim=aim_mode)  # type: ignore[arg-type]
    scene.put(0, 0.0, 0.0)
    return scene


def test_ground_skills_land_along_the_direction_at_a_share_of_their_range() -> None:
    scene = scene_of("Cindervane")
    for direction in range(16):
        for dist in range(4):
            scene.order(0, s.SKILL1, direction=direction, dist=dist)
            possible, target, x, y, _, _ = aim(scene.f, scene.k, scene.t, 0, 0)
            angle, reach = direction * math.pi / 8, 7.0 * (dist + 1) / 4
            assert (possible, target) == (True, -1)
            assert (x, y) == pytest.approx((reach * math.cos(angle), reach * math.sin(angle)), abs=1e-5)


@pytest.mark.parametrize(("name", "skill", "reach"), [("Ashflicker", 0, 5.0), ("Longbarrow", 2, 12.0)])
def test_unit_skills_need_a_seen_living_enemy_in_range(name: str, skill: int, reach: float) -> None:
    scene = scene_of(name)
    scene.k[s.ROOT_UNTIL] = 10_000
    turret = scene.add_structure(1, 0, 1.0, 0.0)
    scene.put(1, 1.0, 0.0)
    scene.put(5, reach, 0.0)
    scene.put(6, reach + 0.01, 0.0)
    scene.put(7, 1.0, 0.0)
    scene.put(8, 1.0, 0.0)
    scene.k[s.VISIBLE + 7], scene.f[s.HP + 8] = 2, 0.0
    mana = scene.f[s.MANA]
    for target in (-1, 1, 6, 7, 8, turret):
        scene.cast(0, skill, target)
        assert scene.f[s.MANA] == mana
        assert scene.k[s.ORDER] == s.SKILL1 + skill, "the order stands until it can be carried out"
    scene.cast(0, skill, 5)
    assert scene.f[s.MANA] < mana
    assert scene.k[s.ORDER] == s.NONE


def test_a_hero_walks_up_to_the_target_of_its_skill() -> None:
    scene = scene_of("Ashflicker")
    scene.put(5, 5.9, 0.0)
    scene.order(0, s.SKILL1, 5)
    waited = 0
    while scene.damage(5) == 0 and waited < 9:
        scene.tick()
        waited += 1
    assert waited == 3
    assert scene.f[s.X] == pytest.approx(0.95, abs=0.01)


def test_ally_skills_reach_allies_and_self_alone() -> None:
    for target, works in ((0, True), (1, True), (2, False), (5, False)):
        scene = scene_of("Dawnbell")
        scene.k[s.ROOT_UNTIL] = 10_000
        scene.put(1, 6.0, 0.0)
        scene.put(2, 6.1, 0.0)
        scene.put(5, 1.0, 0.0)
        scene.f[s.HP : s.HP + 10] = 100.0
        scene.cast(0, 0, target)
        assert (scene.f[s.HP + target] > 100.0) == works
        assert (scene.f[s.HP : s.HP + 10] > 100.0).sum() == works


def test_a_line_that_does_not_pierce_stops_at_the_first_and_others_go_through() -> None:
    for name, skill, hits in (("Runeglass", 0, 1), ("Cindervane", 2, 3)):
        scene = scene_of(name)
        scene.put(5, 4.0, 0.3)
        scene.put(6, 6.0, 0.0)
        minion = scene.add_minion(1, 0, 2.0, 0.1)
        scene.cast(0, skill, direction=0)
        assert sum(scene.damage(u) > 0 for u in (5, 6, minion)) == hits
        assert scene.damage(minion) > 0


def test_cones_lines_and_the_line_without_end_follow_their_direction() -> None:
    for name, skill, reach in (("Voltwrit", 1, 4.9), ("Cindervane", 2, 8.9), ("Hollowdart", 2, 15.0)):
        for direction in (0, 4, 8, 12):
            scene = scene_of(name)
            angle = direction * math.pi / 8
            scene.put(5, reach * math.cos(angle), reach * math.sin(angle))
            scene.put(6, -2.0 * math.cos(angle), -2.0 * math.sin(angle))
            scene.cast(0, skill, direction=direction)
            assert scene.damage(5) > 0
            assert scene.damage(6) == 0


def test_a_dash_moves_and_hits_along_its_way() -> None:
    scene = scene_of("Silkedge")
    scene.put(5, 4.4, 0.6)
    scene.put(6, 4.6, 0.0)
    scene.put(7, 2.0, 0.7)
    scene.cast(0, 0, direction=0)
    assert [scene.damage(u) > 0 for u in (5, 6, 7)] == [True, False, False]
    scene.tick(3)
    assert scene.f[s.X] == pytest.approx(4.5, abs=1e-5)


def test_the_global_ground_skill_takes_a_seen_enemy_hero_wherever_it_is() -> None:
    scene = scene_of("Runeglass")
    scene.put(5, 14.0, 12.0)
    scene.add_minion(1, 0, 1.0, 0.0)
    mana = scene.f[s.MANA]
    scene.cast(0, 2, s.MINION0 + s.MINIONS_PER_TEAM)
    assert scene.f[s.MANA] == mana
    scene.cast(0, 2, 5)
    scene.tick(10)
    assert scene.damage(5) > 0


def test_all_allies_wherever_they_are() -> None:
    scene = scene_of("Lanternmoth")
    scene.f[s.HP : s.HP + 10] = 100.0
    scene.f[s.HP + 3] = 0.0
    scene.cast(0, 2)
    assert (scene.f[s.HP : s.HP + 10] > 100.0).tolist() == [True, True, True, False, True] + [False] * 5
    assert (scene.f[s.SHIELD : s.SHIELD + 10] > 0.0).tolist() == [True, True, True, False, True] + [False] * 5


def test_assisted_aim_leads_a_walking_target() -> None:
    scene = scene_of("Tidehulk", "assist")
    scene.put(5, 4.0, 0.0)
    scene.order(5, s.MOVE, direction=4)
    scene.tick()
    scene.cast(0, 1, 5)
    step = float(scene.f[s.SPEED + 5]) / 10
    assert scene.f[s.CAST_Y] == pytest.approx(8 * step, rel=1e-3), "six ticks ahead of the second step"
    scene.tick(6)
    assert scene.damage(5) > 0


def test_assisted_aim_keeps_to_the_range_and_aims_lines_cones_and_dashes_at_the_unit() -> None:
    scene = scene_of("Cindervane", "assist")
    scene.put(5, 0.0, 9.0)
    scene.order(0, s.SKILL1, 5)
    assert aim(scene.f, scene.k, scene.t, 0, 0)[2:4] == pytest.approx((0.0, 7.0))
    scene.cast(0, 2, 5)
    assert scene.damage(5) > 0
    scene = scene_of("Silkedge", "assist")
    scene.put(5, 3.0, 3.1)
    scene.cast(0, 0, 5)
    assert scene.damage(5) > 0
    scene = scene_of("Swiftfletch", "assist")
    scene.put(1, -3.0, 0.0)
    scene.cast(0, 1, 1)
    scene.tick(3)
    assert scene.f[s.X] == pytest.approx(-3.5, abs=1e-5)


def test_leaps_and_minions_are_not_led() -> None:
    scene = scene_of("Tidehulk", "assist")
    scene.put(5, 1.0, 1.0)
    scene.f[s.LAST_X + 5] = 3.0
    assert predicted(scene.f, 5, f32(6.0)) == (1.0, 1.0)
    scene.f[s.LAST_X + 5] = 0.75
    assert predicted(scene.f, 5, f32(6.0)) == (2.5, 1.0)
    minion = scene.add_minion(1, 0, 2.0, 3.0)
    assert predicted(scene.f, minion, f32(6.0)) == (2.0, 3.0)


def test_casting_ends_stealth_and_recall_and_shows_the_hero() -> None:
    scene = scene_of("Cindervane")
    for what in (s.SKILL1, s.HEAL):
        scene.k[s.STEALTH_UNTIL] = scene.k[s.RECALL_DONE] = 10_000
        scene.order(0, what)
        scene.tick()
        assert scene.k[s.STEALTH_UNTIL] == scene.k[s.RECALL_DONE] == 0
        assert scene.left(s.EXPOSED_UNTIL, 0) == 10


def test_silence_stops_skills_but_not_the_summoner_heal_and_taunt_stops_both() -> None:
    for field, what, works in (
        (s.SILENCE_UNTIL, s.SKILL1, False),
        (s.SILENCE_UNTIL, s.HEAL, True),
        (s.TAUNT_UNTIL, s.SKILL1, False),
        (s.TAUNT_UNTIL, s.HEAL, False),
    ):
        scene = scene_of("Cindervane")
        scene.k[field], scene.k[s.TAUNT_BY] = scene.k[s.TICK] + 1, 5
        scene.order(0, what)
        scene.tick()
        assert (scene.k[s.ORDER] == s.NONE) == works


def test_a_kill_gives_cooldown_back_only_in_the_tick_of_the_hit() -> None:
    scene = scene_of("Silkedge")
    scene.cast(0, 0, direction=0)
    before = int(scene.k[s.SKILL_READY])
    on_kill(scene.f, scene.k, scene.t, 0)
    assert scene.k[s.SKILL_READY] == before
    on_kill(scene.f, scene.k, scene.t, 1)
    assert scene.k[s.SKILL_READY + 3] == 0
