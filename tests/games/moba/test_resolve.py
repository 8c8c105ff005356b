"""Resolution of a tick: the damage formula, its counters, the phases, and the mirror."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from fullpool.games.moba import events as e
from fullpool.games.moba import state as s
from fullpool.games.moba import tables as tb
from fullpool.games.moba.resolve import resolve
from fullpool.games.moba.scene import Scene

Damage = tuple[int, int, float, int, int, float, float]


def hit(source: int, target: int, amount: float, kind: int = s.TRUE, flags: int = e.FLAG_SKILL) -> Damage:
    return source, target, amount, kind, flags, 0.0, 0.0


def play(
    scene: Scene,
    damage: list[Damage] | None = None,
    helps: list[tuple[int, int, int, float, int]] | None = None,
    statuses: list[tuple[int, int, int, int, float, float]] | None = None,
) -> None:
    """Resolves a tick that consists of the given events alone."""
    e.clear_events(scene.ev)
    for row in damage or []:
        e.push_damage(scene.ev, *row)
    for help_row in helps or []:
        e.push_help(scene.ev, *help_row)
    for status in statuses or []:
        e.push_status(scene.ev, *status)
    resolve(scene.f, scene.k, scene.t, scene.ev)
    scene.k[s.TICK] += 1


def hold(scene: Scene, until: int, u: int, magnitude: int | None = None, value: float = 0.0) -> None:
    """Puts a status on a hero for a while."""
    scene.k[until + u] = scene.k[s.TICK] + 50
    if magnitude is not None:
        scene.f[magnitude + u] = value


SHARE = st.floats(0.0, 0.9)


@settings(max_examples=150, deadline=None)
@given(
    st.floats(1.0, 500.0), st.sampled_from([s.PHYSICAL, s.MAGIC, s.TRUE]), st.floats(0.0, 200.0), SHARE,
    st.floats(0.0, 60.0), SHARE, st.floats(0.0, 1.0), st.floats(0.05, 1.0),
)  # fmt: skip
def test_damage_follows_the_printed_formula(
    raw: float, kind: int, resist: float, shred: float, pen: float, less: float, missing: float, share: float
) -> None:
    scene = Scene()
    scene.f[s.ARMOR + 5] = scene.f[s.MR + 5] = resist
    scene.f[s.PEN] = pen
    scene.f[s.MAX_HP + 5], scene.f[s.HP + 5] = 10_000.0, 10_000.0 * share
    hold(scene, s.SHRED_UNTIL, 5, s.SHRED_ARMOR, shred)
    scene.f[s.SHRED_MR + 5] = shred
    hold(scene, s.DMGRED_UNTIL, 5, s.DMGRED, less)
    play(scene, [(0, 5, raw, kind, e.FLAG_SKILL, missing, 0.0)])
    against = 0.0 if kind == s.TRUE else max(resist * (1.0 - shred) - pen, 0.0)
    expected = raw * (1.0 + missing * (1.0 - share)) * 100.0 / (100.0 + against) * (1.0 - less)
    assert scene.damage(5) == pytest.approx(expected, rel=1e-4)
    lost = 10_000.0 * share - float(scene.f[s.HP + 5])
    assert lost == pytest.approx(min(expected, 10_000.0 * share), rel=1e-2, abs=2e-2)


def test_invulnerable_heroes_take_nothing_but_are_controlled() -> None:
    scene = Scene()
    play(
        scene,
        [hit(0, 5, 300.0)],
        statuses=[(tb.KIND_INVULN, 5, 5, 9, 0.0, 0.0), (tb.KIND_STUN, 0, 5, 9, 0.0, 0.0)],
    )
    assert scene.f[s.HP + 5] == scene.f[s.MAX_HP + 5]
    assert scene.ev.k[e.NUM_HURT] == 0
    assert scene.left(s.STUN_UNTIL, 5) == 9
    assert scene.k[s.LAST_HURT + 5] == s.NEVER


def test_a_shield_of_the_same_tick_takes_the_burst_and_only_the_rest_goes_through() -> None:
    scene = Scene()
    full = float(scene.f[s.HP + 5])
    play(scene, [hit(0, 5, 100.0)], [(e.HELP_SHIELD, 6, 5, 250.0, 20)])
    assert (scene.f[s.HP + 5], scene.f[s.SHIELD + 5]) == (full, 150.0)
    play(scene, [hit(0, 5, 200.0)])
    assert (scene.f[s.HP + 5], scene.f[s.SHIELD + 5]) == (full - 50.0, 0.0)
    assert scene.f[s.EV_HURT] == pytest.approx(50.0 / full)
    play(scene, helps=[(e.HELP_SHIELD, 6, 5, 250.0, 3)])
    scene.k[s.TICK] += 3
    play(scene, [hit(0, 5, 50.0)])
    assert scene.f[s.HP + 5] == full - 100.0, "a shield whose time is over does not help"


def test_the_largest_shield_wins() -> None:
    scene = Scene()
    play(scene, helps=[(e.HELP_SHIELD, 6, 5, 100.0, 20), (e.HELP_SHIELD, 7, 5, 80.0, 50)])
    assert (scene.f[s.SHIELD + 5], scene.left(s.SHIELD_UNTIL, 5)) == (100.0, 20)
    play(scene, [hit(0, 5, 60.0)])
    play(scene, helps=[(e.HELP_SHIELD, 7, 5, 80.0, 50)])
    assert (scene.f[s.SHIELD + 5], scene.left(s.SHIELD_UNTIL, 5)) == (80.0, 50)


def test_grievous_wounds_of_the_same_tick_cut_every_heal() -> None:
    scene = Scene()
    scene.f[s.HP + 5] = 100.0
    play(scene, helps=[(e.HELP_HEAL, 6, 5, 100.0, 0)], statuses=[(tb.KIND_GRIEV, 0, 5, 30, 0.4, 0.0)])
    assert scene.f[s.HP + 5] == pytest.approx(160.0)
    play(scene, helps=[(e.HELP_OVER_TIME, 6, 5, 10.0, 5)])
    scene.tick(6)
    assert scene.f[s.HP + 5] == pytest.approx(160.0 + 5 * 6.0)
    assert scene.f[s.EV_HEALED + 6] == pytest.approx(90.0)
    assert scene.k[s.HELPED_AT + 5 * 5 + 1] == scene.k[s.TICK] - 2


def test_heals_stop_at_the_maximum_and_do_not_wake_the_dead() -> None:
    scene = Scene()
    scene.f[s.HP + 5] -= 30.0
    scene.f[s.HP + 6] = 0.0
    play(scene, helps=[(e.HELP_HEAL, 7, 5, 100.0, 0), (e.HELP_HEAL, 7, 6, 100.0, 0)])
    assert scene.f[s.HP + 5] == scene.f[s.MAX_HP + 5]
    assert scene.f[s.HP + 6] == 0.0
    assert scene.f[s.EV_HEALED + 7] == pytest.approx(30.0)


def test_heals_come_before_damage_and_life_steal_after_it() -> None:
    scene = Scene()
    scene.f[s.HP + 5] = 100.0
    play(scene, [hit(0, 5, 150.0)], [(e.HELP_HEAL, 6, 5, 60.0, 0)])
    assert scene.f[s.HP + 5] == pytest.approx(10.0)
    scene.f[s.LIFESTEAL + 5] = 1.0
    play(scene, [hit(0, 5, 20.0), hit(5, 0, 500.0, flags=e.FLAG_ATTACK)])
    assert scene.f[s.HP + 5] == 0.0, "life steal does not save who died in the same tick"


def test_skill_life_steal_is_a_share_of_that_of_attacks() -> None:
    for flags, share in ((e.FLAG_ATTACK, 1.0), (e.FLAG_SKILL, 0.6)):
        scene = Scene()
        scene.f[s.LIFESTEAL], scene.f[s.HP] = 0.2, 100.0
        play(scene, [hit(0, 5, 200.0, flags=flags)])
        assert scene.f[s.HP] == pytest.approx(100.0 + 200.0 * 0.2 * share)


def test_drain_heals_by_the_damage_of_its_skill() -> None:
    scene = Scene()
    scene.f[s.HP] = 100.0
    play(scene, [(0, 5, 200.0, s.TRUE, e.FLAG_SKILL, 0.0, 0.45), hit(0, 5, 100.0)])
    assert scene.f[s.HP] == pytest.approx(190.0)


def test_reflection_throws_back_basic_attacks_only_and_counts_for_the_reflecting_hero() -> None:
    scene = Scene()
    hold(scene, s.REFLECT_UNTIL, 5, s.REFLECT, 0.25)
    full = float(scene.f[s.HP])
    play(scene, [hit(0, 5, 200.0, flags=e.FLAG_ATTACK), hit(0, 5, 400.0)])
    assert full - scene.f[s.HP] == pytest.approx(50.0)
    assert scene.ev.credit[0, 5] == pytest.approx(50.0)
    hold(scene, s.REFLECT_UNTIL, 0, s.REFLECT, 0.5)
    hold(scene, s.INVULN_UNTIL, 1)
    play(scene, [hit(0, 5, 200.0, flags=e.FLAG_ATTACK), hit(1, 5, 200.0, flags=e.FLAG_ATTACK)])
    assert full - scene.f[s.HP] == pytest.approx(100.0), "reflected damage is not reflected again"
    assert scene.f[s.HP + 1] == scene.f[s.MAX_HP + 1]


def test_both_of_two_heroes_may_die_in_one_tick() -> None:
    scene = Scene()
    scene.f[s.HP], scene.f[s.HP + 5] = 50.0, 50.0
    play(scene, [hit(0, 5, 80.0), hit(5, 0, 80.0)])
    assert scene.f[s.HP] == scene.f[s.HP + 5] == 0.0


def test_missing_hit_points_are_those_before_the_tick() -> None:
    for order in (1, -1):
        scene = Scene()
        scene.f[s.MAX_HP + 5] = scene.f[s.HP + 5] = 1000.0
        rows = [hit(0, 5, 600.0), (1, 5, 100.0, s.TRUE, e.FLAG_SKILL, 0.6, 0.0)]
        play(scene, rows[::order])
        assert scene.f[s.HP + 5] == pytest.approx(300.0)


def test_damage_is_booked_on_who_dealt_it() -> None:
    scene = Scene()
    tick = scene.k[s.TICK]
    scene.k[s.RECALL_DONE + 5] = 999
    scene.f[s.HP + 5], scene.f[s.MAX_HP + 5] = 100.0, 1000.0
    play(scene, [hit(0, 5, 150.0), hit(3, 5, 50.0), hit(-1, 5, 1.0)])
    assert scene.f[s.EV_TAKEN + 5] == pytest.approx(0.1)
    assert scene.f[s.EV_HURT] == pytest.approx(0.1 * 150 / 201)
    assert scene.f[s.EV_HURT + 3] == pytest.approx(0.1 * 50 / 201)
    assert scene.k[s.DAMAGED_AT + 5 * 5 : s.DAMAGED_AT + 5 * 5 + 5].tolist() == [
        tick,
        s.NEVER,
        s.NEVER,
        tick,
        s.NEVER,
    ]
    assert scene.k[s.LAST_HURT + 5] == scene.k[s.LAST_COMBAT + 5] == scene.k[s.LAST_HERO_HIT + 3] == tick
    assert scene.k[s.RECALL_DONE + 5] == 0
    minion = scene.add_minion(1, 0, 0.0, 0.0)
    play(scene, [hit(4, minion, 50.0)])
    assert scene.k[s.LAST_COMBAT + 4] == tick + 1
    assert scene.k[s.LAST_HERO_HIT + 4] == s.NEVER
    assert scene.f[s.EV_HURT + 4] == 0.0


def test_structures_lose_by_their_factor_and_armour_and_nobody_steals_life_from_them() -> None:
    scene = Scene(preset="blitz", overrides={"grace_s": 0})
    turret = scene.add_structure(1, 2, 0.0, 0.0)
    scene.f[s.LIFESTEAL], scene.f[s.HP] = 0.5, 100.0
    play(scene, [hit(0, turret, 150.0, s.PHYSICAL, e.FLAG_ATTACK)])
    assert scene.damage(turret) == pytest.approx(60.0), "no minion near: x 0.6, armour 50"
    assert scene.f[s.EV_TURRET + turret] == pytest.approx(0.06)
    assert scene.f[s.EV_STRUCTURE_DAMAGE] == pytest.approx(0.06)
    assert scene.f[s.HP] == 100.0
    crystal = scene.add_structure(1, s.CRYSTAL, 5.0, 0.0)
    play(scene, [hit(0, crystal, 150.0, s.PHYSICAL, e.FLAG_ATTACK)])
    assert scene.f[s.HP + crystal] == scene.f[s.MAX_HP + crystal]


def test_the_second_summoner_heal_in_ten_seconds_is_halved() -> None:
    scene = Scene()
    for u, x in ((0, 0.0), (1, 3.0), (2, 5.9), (3, 6.1)):
        scene.put(u, x, 0.0)
        scene.f[s.HP + u] = 100.0
    scene.order(0, s.HEAL)
    scene.tick()
    share = 0.15 * scene.f[s.MAX_HP : s.MAX_HP + 3]
    np.testing.assert_allclose(scene.f[s.HP : s.HP + 3], 100.0 + share, rtol=1e-5)
    assert scene.f[s.HP + 3] == 100.0
    assert [scene.left(s.HASTE_UNTIL, u) for u in range(4)] == [20, 20, 20, 0]
    assert scene.k[s.HEAL_READY] - (scene.k[s.TICK] - 1) == 600
    scene.tick(98)
    scene.order(1, s.HEAL)
    scene.tick()
    np.testing.assert_allclose(scene.f[s.HP : s.HP + 3], 100.0 + 1.5 * share, rtol=1e-5)
    scene.tick(99)
    scene.order(2, s.HEAL)
    scene.tick()
    np.testing.assert_allclose(scene.f[s.HP : s.HP + 3], 100.0 + 2.5 * share, rtol=1e-5)


# --- the mirror ------------------------------------------------------------------------------------------------------

UNIT_FLOATS = (s.HP, s.MAX_HP, s.SLOW)
UNIT_INTS = (s.STUN_UNTIL, s.AIR_UNTIL, s.FORCE_UNTIL, s.ROOT_UNTIL, s.SLOW_UNTIL, s.ATTACK_AT, s.EXPIRES)
HERO_FLOATS = (
    s.MANA, s.SHIELD, s.HOT, s.HASTE, s.REFLECT, s.GRIEVOUS, s.EV_HURT, s.EV_HEALED, s.EV_TAKEN, s.EMPOWER_DAMAGE
)  # fmt: skip
HERO_INTS = (
    s.SILENCE_UNTIL, s.DISARM_UNTIL, s.TAUNT_UNTIL, s.STEALTH_UNTIL, s.SHIELD_UNTIL, s.INVULN_UNTIL, s.EMPOWER_COUNT,
    s.LAST_COMBAT, s.LAST_HERO_HIT, s.REVEALED_UNTIL, s.HEAL_READY,
)  # fmt: skip


def mirrored_unit(u: int) -> int:
    """The mirror image of a unit."""
    for first, size in (
        (s.HERO0, s.TEAM_SIZE),
        (s.STRUCTURE0, s.STRUCTURES_PER_TEAM),
        (s.SUMMON0, s.SUMMONS_PER_TEAM),
        (s.MINION0, s.MINIONS_PER_TEAM),
    ):
        if first <= u < first + 2 * size:
            return first + (u - first + size) % (2 * size)
    return u


UNITS = np.array([mirrored_unit(u) for u in range(s.MONSTER0)])


def same(a: NDArray[np.float32] | NDArray[np.int32], b: NDArray[np.float32] | NDArray[np.int32]) -> None:
    np.testing.assert_array_equal(a, b)


def assert_mirrored(one: Scene, two: Scene) -> None:
    """Bit for bit."""
    units = np.arange(s.MONSTER0)
    same(one.f[s.X + units], -two.f[s.Y + UNITS])
    same(one.f[s.Y + units], -two.f[s.X + UNITS])
    heroes = np.arange(s.NUM_HEROES)
    for field in UNIT_FLOATS:
        same(one.f[field + units], two.f[field + UNITS])
    for field in HERO_FLOATS:
        same(one.f[field + heroes], two.f[field + UNITS[:10]])
    for field in UNIT_INTS:
        same(one.k[field + units], two.k[field + UNITS])
    for field in HERO_INTS:
        same(one.k[field + heroes], two.k[field + UNITS[:10]])


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_a_mirrored_fight_goes_mirrored_to_the_bit(seed: int) -> None:
    rng = np.random.default_rng(seed)
    names = Scene().pool.names
    teams = [list(rng.choice(names, 5, replace=False)) for _ in range(2)]
    one, two = Scene(*teams, level=10, items=4), Scene(*teams[::-1], level=10, items=4)
    two.k[s.SEED : s.SEED + 4] = one.k[s.SEED : s.SEED + 4][[2, 3, 0, 1]]
    for h in range(10):
        x, y = rng.integers(-16, 17, 2) / 4.0  # on a grid, so that equal distances occur
        one.put(h, x, y)
        two.put(int(UNITS[h]), -y, -x)
        for scene, u in ((one, h), (two, int(UNITS[h]))):
            scene.f[s.HP + u] *= 5.0
            scene.f[s.MAX_HP + u] *= 5.0
    for team in range(2):
        for index in range(8):
            x, y = rng.integers(-16, 17, 2) / 4.0
            one.add_minion(team, index, x, y)
            two.add_minion(1 - team, index, -y, -x)
    for _ in range(16):
        for h in range(10):
            what, target = int(rng.integers(1, 7)), int(rng.integers(0, 10))
            if target // 5 == h // 5 and rng.random() < 0.7:
                target = (target + 5) % 10
            way, far = int(rng.integers(0, 16)), int(rng.integers(0, 4))
            one.order(h, what, target, way, far)
            two.order(int(UNITS[h]), what, int(UNITS[target]), (12 - way) % 16, far)
        one.tick(5)
        two.tick(5)
        assert_mirrored(one, two)
    assert one.k[s.SUM_ATTACKS : s.SUM_ATTACKS + 10].any()
    assert one.dropped() == 0
