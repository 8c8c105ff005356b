"""Single statuses and what counters them."""

from __future__ import annotations

import pytest

from fullpool.games.moba import events as e
from fullpool.games.moba import state as s
from fullpool.games.moba import tables as tb
from fullpool.games.moba.controls import is_control
from fullpool.games.moba.resolve import resolve
from fullpool.games.moba.scene import Scene

TIMED = [
    (tb.KIND_STUN, s.STUN_UNTIL),
    (tb.KIND_ROOT, s.ROOT_UNTIL),
    (tb.KIND_SILENCE, s.SILENCE_UNTIL),
    (tb.KIND_DISARM, s.DISARM_UNTIL),
    (tb.KIND_TAUNT, s.TAUNT_UNTIL),
    (tb.KIND_KNOCK, s.AIR_UNTIL),
    (tb.KIND_SLOW, s.SLOW_UNTIL),
]
MAGNITUDES = [
    (tb.KIND_SLOW, s.SLOW, s.SLOW_UNTIL),
    (tb.KIND_HASTE, s.HASTE, s.HASTE_UNTIL),
    (tb.KIND_ASPD, s.ASPD_BUFF, s.ASPD_UNTIL),
    (tb.KIND_LIFESTEAL, s.LIFESTEAL_BUFF, s.LIFESTEAL_UNTIL),
    (tb.KIND_REFLECT, s.REFLECT, s.REFLECT_UNTIL),
    (tb.KIND_GRIEV, s.GRIEVOUS, s.GRIEVOUS_UNTIL),
    (tb.KIND_STRUCT, s.SIEGE, s.SIEGE_UNTIL),
    (tb.KIND_RANGEUP, s.RANGEUP, s.RANGEUP_UNTIL),
    (tb.KIND_ONHITPCT, s.ONHIT, s.ONHIT_UNTIL),
    (tb.KIND_DMGRED, s.DMGRED, s.DMGRED_UNTIL),
]


def play(scene: Scene, *statuses: tuple[int, int, int, int, float, float]) -> None:
    """Plays a tick in which nothing happens but these statuses: kind, source, target, ticks, a, b."""
    e.clear_events(scene.ev)
    for kind, source, target, ticks, a, b in statuses:
        e.push_status(scene.ev, kind, source, target, ticks, a, b)
    resolve(scene.f, scene.k, scene.t, scene.ev)
    scene.k[s.TICK] += 1


@pytest.mark.parametrize(("kind", "until"), TIMED)
def test_a_control_holds_its_ticks_and_the_longer_wins(kind: int, until: int) -> None:
    scene = Scene()
    play(scene, (kind, 0, 5, 8, 0.3, 0.0), (kind, 0, 5, 5, 0.3, 0.0))
    assert scene.left(until, 5) == 8
    play(scene, (kind, 0, 5, 3, 0.3, 0.0))
    assert scene.left(until, 5) == 7
    play(scene, (kind, 0, 5, 9, 0.3, 0.0))
    assert scene.left(until, 5) == 9


@pytest.mark.parametrize(("kind", "until"), TIMED)
def test_unstoppable_heroes_ignore_controls_of_the_same_tick_too(kind: int, until: int) -> None:
    scene = Scene()
    play(scene, (kind, 0, 5, 8, 0.3, 0.0), (tb.KIND_UNSTOP, 5, 5, 20, 0.0, 0.0))
    play(scene, (kind, 0, 5, 8, 0.3, 0.0))
    assert scene.left(until, 5) == 0
    assert scene.k[s.FORCE_UNTIL + 5] == 0
    scene.k[s.UNSTOP_UNTIL + 5] = 0
    play(scene, (kind, 0, 5, 8, 0.3, 0.0))
    assert scene.left(until, 5) == 8


@pytest.mark.parametrize(("kind", "until"), [row for row in TIMED if row[0] != tb.KIND_KNOCK])
def test_cleansing_frees_from_earlier_controls_but_not_from_those_of_its_tick(kind: int, until: int) -> None:
    scene = Scene()
    play(scene, (kind, 0, 5, 20, 0.3, 0.0))
    play(scene, (tb.KIND_CLEANSE, 5, 5, 0, 0.0, 0.0))
    assert scene.left(until, 5) == 0
    play(scene, (kind, 0, 5, 6, 0.3, 0.0), (tb.KIND_CLEANSE, 5, 5, 0, 0.0, 0.0))
    assert scene.left(until, 5) == 6


@pytest.mark.parametrize(("kind", "magnitude", "until"), MAGNITUDES)
def test_the_stronger_wins_then_the_longer_in_any_order(kind: int, magnitude: int, until: int) -> None:
    strong, weak, longer = (kind, 0, 5, 5, 0.5, 0.0), (kind, 1, 5, 30, 0.25, 0.0), (kind, 2, 5, 9, 0.5, 0.0)
    for order in ((strong, weak, longer), (longer, weak, strong), (weak, strong, longer)):
        scene = Scene()
        play(scene, *order)
        assert (scene.f[magnitude + 5], scene.left(until, 5)) == (0.5, 9)
    play(scene, weak)
    assert (scene.f[magnitude + 5], scene.left(until, 5)) == (0.5, 8)
    scene.k[s.TICK] += 8
    play(scene, weak)
    assert (scene.f[magnitude + 5], scene.left(until, 5)) == (0.25, 30)


def test_shred_compares_both_resistances() -> None:
    scene = Scene()
    play(scene, (tb.KIND_SHRED, 0, 5, 9, 0.25, 0.25), (tb.KIND_SHRED, 1, 5, 40, 0.0, 0.25))
    assert (scene.f[s.SHRED_ARMOR + 5], scene.f[s.SHRED_MR + 5], scene.left(s.SHRED_UNTIL, 5)) == (
        0.25,
        0.25,
        9,
    )
    play(scene, (tb.KIND_UNSTOP, 5, 5, 20, 0.0, 0.0), (tb.KIND_SHRED, 1, 5, 12, 0.5, 0.25))
    assert scene.left(s.SHRED_UNTIL, 5) == 12, "no control: unstoppable heroes suffer it"


def test_hard_controls_break_recalls() -> None:
    for kind, breaks in ((tb.KIND_STUN, 1), (tb.KIND_KNOCK, 1), (tb.KIND_TAUNT, 1), (tb.KIND_SLOW, 0)):
        scene = Scene()
        scene.k[s.RECALL_DONE + 5] = 500
        play(scene, (kind, 0, 5, 5, 0.3, 0.0))
        assert (scene.k[s.RECALL_DONE + 5] == 0) == (breaks == 1)


def test_of_two_taunts_the_longer_then_the_nearer_counts() -> None:
    near, far = (tb.KIND_TAUNT, 1, 5, 10, 0.0, 0.0), (tb.KIND_TAUNT, 0, 5, 10, 0.0, 0.0)
    for order in ((near, far), (far, near)):
        scene = Scene()
        for u, x in ((5, 0.0), (0, 4.0), (1, 2.0)):
            scene.put(u, x, 0.0)
        play(scene, *order)
        assert scene.k[s.TAUNT_BY + 5] == 1
        play(scene, (tb.KIND_TAUNT, 0, 5, 30, 0.0, 0.0))
        assert scene.k[s.TAUNT_BY + 5] == 0


def test_an_equal_taunt_is_drawn_by_the_stream() -> None:
    winners = set()
    for tick in range(20):
        picked = []
        for order in ((0, 1), (1, 0)):
            scene = Scene()
            scene.k[s.TICK] = tick
            for u, x in ((5, 0.0), (0, 2.0), (1, -2.0)):
                scene.put(u, x, 0.0)
            play(scene, *((tb.KIND_TAUNT, u, 5, 10, 0.0, 0.0) for u in order))
            picked.append(int(scene.k[s.TAUNT_BY + 5]))
        assert picked[0] == picked[1]
        winners.add(picked[0])
    assert winners == {0, 1}


def test_minions_feel_stun_root_slow_and_knock_and_structures_nothing() -> None:
    scene = Scene(preset="blitz")
    minion, turret = scene.add_minion(1, 0, 0.0, 0.0), scene.add_structure(1, 0, 5.0, 0.0)
    for u in (minion, turret):
        play(scene, *((kind, 0, u, 8, 0.3, 0.0) for kind in range(tb.NUM_KINDS) if is_control(kind)))
    for until in (s.STUN_UNTIL, s.ROOT_UNTIL, s.AIR_UNTIL, s.SLOW_UNTIL, s.FORCE_UNTIL):
        assert scene.k[until + minion] > scene.k[s.TICK]
        assert scene.k[until + turret] == 0
    hero = scene.k[s.SILENCE_UNTIL : s.TAUNT_UNTIL + s.NUM_HEROES]
    assert not hero.any()


def test_the_dead_catch_nothing() -> None:
    scene = Scene()
    scene.f[s.HP + 5] = 0.0
    play(scene, (tb.KIND_STUN, 0, 5, 8, 0.0, 0.0), (tb.KIND_HASTE, 5, 5, 8, 0.3, 0.0))
    assert scene.k[s.STUN_UNTIL + 5] == scene.k[s.HASTE_UNTIL + 5] == 0
