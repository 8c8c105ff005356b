"""What statuses allow, and the numbers that they change."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fullpool.games.moba import state as s
from fullpool.games.moba import status
from fullpool.games.moba.events import f32
from fullpool.games.moba.scene import Scene


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [
        (0.0, 0),
        (0.05, 1),
        (0.1, 1),
        (0.3, 3),
        (0.7, 7),
        (1.2, 12),
        (1.21, 13),
        (2.5, 25),
        (0.95, 10),
        (12.0, 120),
    ],
)
def test_times_are_rounded_up_to_ticks(seconds: float, expected: int) -> None:
    assert status.ticks_of(f32(seconds)) == expected


def test_teams_and_places_of_mirror_images_agree() -> None:
    tables = (
        (s.HERO0, s.TEAM_SIZE),
        (s.STRUCTURE0, s.STRUCTURES_PER_TEAM),
        (s.SUMMON0, s.SUMMONS_PER_TEAM),
        (s.MINION0, s.MINIONS_PER_TEAM),
    )
    places = []
    for first, size in tables:
        for i in range(size):
            assert status.team_of(first + i) == s.TEAM_A
            assert status.team_of(first + size + i) == s.TEAM_B
            assert status.place_in_team(first + i) == status.place_in_team(first + size + i)
            places.append(status.place_in_team(first + i))
    assert status.team_of(s.MONSTER0) == s.NEUTRAL
    places += [status.place_in_team(s.MONSTER0 + i) for i in range(s.NUM_MONSTERS)]
    assert len(set(places)) == len(places)


@pytest.mark.parametrize(
    ("field", "act", "move", "attack", "cast", "heal"),
    [
        (s.STUN_UNTIL, False, False, False, False, False),
        (s.AIR_UNTIL, False, False, False, False, False),
        (s.ROOT_UNTIL, True, False, True, True, True),
        (s.FORCE_UNTIL, True, False, True, True, True),
        (s.SILENCE_UNTIL, True, True, True, False, True),
        (s.DISARM_UNTIL, True, True, False, True, True),
        (s.TAUNT_UNTIL, True, True, True, False, False),
        (s.SLOW_UNTIL, True, True, True, True, True),
    ],
)
def test_controls_take_what_they_say_and_no_more(
    field: int, act: bool, move: bool, attack: bool, cast: bool, heal: bool
) -> None:
    k = np.zeros(s.K_SIZE, np.int32)
    k[s.TICK] = 50
    for left, free in ((1, False), (0, True)):
        k[field + 3] = 50 + left
        assert status.can_act(k, 3) == (free or act)
        assert status.can_move(k, 3) == (free or move)
        assert status.can_attack(k, 3) == (free or attack)
        assert status.can_cast(k, 3) == (free or cast)
        assert status.heal_is_ready(k, 3) == (free or heal)


def test_the_summoner_heal_waits_for_its_cooldown() -> None:
    k = np.zeros(s.K_SIZE, np.int32)
    k[s.TICK], k[s.HEAL_READY + 2] = 50, 51
    assert not status.heal_is_ready(k, 2)
    k[s.TICK] = 51
    assert status.heal_is_ready(k, 2)


def test_root_holds_back_dashes_and_gapclosers_only() -> None:
    scene = Scene(["Silkedge", "Mirelynx"])
    scene.k[s.ROOT_UNTIL : s.ROOT_UNTIL + 2] = scene.k[s.TICK] + 1
    ready = [[status.skill_is_ready(scene.f, scene.k, scene.t, h, i) for i in range(3)] for h in range(2)]
    assert ready == [[False, True, True], [False, True, False]]


def test_speed_grows_by_haste_and_shrinks_by_slow() -> None:
    scene = Scene(["Silkedge"])
    speed = float(scene.f[s.SPEED])
    assert status.move_speed(scene.f, scene.k, scene.t, 0) == pytest.approx(speed / 10)
    scene.f[s.HASTE], scene.k[s.HASTE_UNTIL] = 0.3, scene.k[s.TICK] + 1
    scene.f[s.SLOW], scene.k[s.SLOW_UNTIL] = 0.5, scene.k[s.TICK] + 1
    assert status.move_speed(scene.f, scene.k, scene.t, 0) == pytest.approx(speed / 10 * 1.3 * 0.5)
    scene.tick()
    assert status.move_speed(scene.f, scene.k, scene.t, 0) == pytest.approx(speed / 10)
    u = scene.add_minion(0, 0, 0.0, 0.0)
    assert status.move_speed(scene.f, scene.k, scene.t, u) == pytest.approx(0.36)
    assert status.move_speed(scene.f, scene.k, scene.t, s.SUMMON0) == pytest.approx(0.42)


@settings(max_examples=60, deadline=None)
@given(st.floats(0.5, 2.0), st.floats(0.0, 1.0), st.floats(0.0, 1.0))
def test_attack_interval_is_divided_by_attack_speed(interval: float, speed: float, buff: float) -> None:
    scene = Scene()
    scene.f[s.INTERVAL], scene.f[s.ASPD], scene.f[s.ASPD_BUFF] = interval, speed, buff
    for until, total in ((0, 1.0 + speed), (1, 1.0 + speed + buff)):
        scene.k[s.ASPD_UNTIL] = scene.k[s.TICK] + until
        exact = 10.0 * interval / total
        got = status.attack_ticks(scene.f, scene.k, scene.t, 0)
        assert exact - 2e-3 <= got < exact + 1.0


def test_range_lifesteal_and_healing_follow_their_statuses() -> None:
    scene = Scene(["Longbarrow"])
    reach = float(scene.f[s.RANGE])
    scene.f[s.RANGEUP], scene.f[s.LIFESTEAL_BUFF], scene.f[s.GRIEVOUS], scene.f[s.LIFESTEAL] = (
        1.5,
        0.2,
        0.4,
        0.05,
    )
    assert status.attack_range(scene.f, scene.k, 0) == pytest.approx(reach)
    assert status.lifesteal(scene.f, scene.k, 0) == pytest.approx(0.05)
    assert status.healing_factor(scene.f, scene.k, 0) == 1.0
    for field in (s.RANGEUP_UNTIL, s.LIFESTEAL_UNTIL, s.GRIEVOUS_UNTIL):
        scene.k[field] = scene.k[s.TICK] + 1
    assert status.attack_range(scene.f, scene.k, 0) == pytest.approx(reach + 1.5)
    assert status.lifesteal(scene.f, scene.k, 0) == pytest.approx(0.25)
    assert status.healing_factor(scene.f, scene.k, 0) == pytest.approx(0.6)


@pytest.mark.parametrize(("cut", "counted"), [(0.0, 0.0), (0.25, 0.25), (0.4, 0.4), (0.9, 0.4)])
def test_cooldown_reduction_is_capped(cut: float, counted: float) -> None:
    scene = Scene()
    scene.f[s.CDR] = cut
    assert status.cooldown_ticks(scene.f, scene.t, 0, 70.0) == math.ceil(70 * (1 - counted) - 1e-3)
