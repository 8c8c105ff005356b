from __future__ import annotations

import numpy as np
import pytest

from fullpool.games.moba import state as s
from fullpool.games.moba import tables as tb
from fullpool.games.moba.economy import (
    fountain_attacks,
    grant_xp,
    level_and_buy,
    refresh_stats,
    respawn_ticks,
    run_economy,
    start_recall,
)
from fullpool.games.moba.resolve import resolve
from fullpool.games.moba.scene import Scene


@pytest.fixture
def scene() -> Scene:
    scene = Scene(preset="blitz", level=1)
    for h in range(10):
        scene.put(h, 0.0, 0.0)
        scene.k[s.LEVEL + h] = 1
    return scene


def flow(scene: Scene, ticks: int) -> None:
    for _ in range(ticks):
        if (scene.k[s.TICK] + 1) % s.TICKS_PER_DECISION == 0:
            run_economy(scene.f, scene.k, scene.t)
        scene.k[s.TICK] += 1


def test_income_is_two_gold_a_second(scene: Scene) -> None:
    flow(scene, 100)
    assert scene.f[s.GOLD : s.GOLD + 10].tolist() == [20.0] * 10
    assert scene.f[s.EV_GOLD : s.EV_GOLD + 10].tolist() == [20.0] * 10


def test_levels_follow_experience_up_to_twelve(scene: Scene) -> None:
    grant_xp(scene.f, scene.t, 0, np.float32(149.0))
    level_and_buy(scene.f, scene.k, scene.t, 0)
    assert scene.k[s.LEVEL] == 2
    grant_xp(scene.f, scene.t, 0, np.float32(9999.0))
    level_and_buy(scene.f, scene.k, scene.t, 0)
    assert (scene.k[s.LEVEL], scene.f[s.XP], scene.f[s.EV_XP]) == (12, 2310.0, 2310.0)


def test_level_up_adds_what_the_maximum_grows_by(scene: Scene) -> None:
    scene.f[s.HP] -= 100.0
    hp, most = scene.f[s.HP], scene.f[s.MAX_HP]
    scene.f[s.XP] = 60.0
    level_and_buy(scene.f, scene.k, scene.t, 0)
    growth = scene.t.hero[scene.k[s.HERO_ID], tb.HERO_HP_PER_LEVEL]
    assert (scene.f[s.MAX_HP] - most, scene.f[s.HP] - hp) == (growth, growth)


def test_items_are_bought_in_order_as_soon_as_gold_allows(scene: Scene) -> None:
    scene.f[s.GOLD] = 349.0
    level_and_buy(scene.f, scene.k, scene.t, 0)
    assert scene.k[s.ITEM_STEP] == 0
    scene.f[s.GOLD] = 801.0
    level_and_buy(scene.f, scene.k, scene.t, 0)
    assert (scene.k[s.ITEM_STEP], scene.f[s.GOLD]) == (2, 1.0)


def test_statistics_are_base_growth_and_items(scene: Scene) -> None:
    for h in range(10):
        scene.k[s.LEVEL + h], scene.k[s.ITEM_STEP + h] = 12, 6
        refresh_stats(scene.f, scene.k, scene.t, h)
        hero = scene.pool.heroes[scene.k[s.HERO_ID + h]]
        build = scene.pool.builds[hero.build]
        stats = hero.stats
        assert scene.f[s.MAX_HP + h] == pytest.approx(
            stats.hp + 11 * stats.hp_level + sum(i.hp for i in build)
        )
        assert scene.f[s.AD + h] == pytest.approx(stats.ad + 11 * stats.ad_level + sum(i.ad for i in build))
        assert scene.f[s.AP + h] == pytest.approx(sum(i.ap for i in build))
        assert scene.f[s.ARMOR + h] == pytest.approx(
            stats.armor + 11 * stats.armor_level + sum(i.armor for i in build)
        )
        assert scene.f[s.MR + h] == pytest.approx(stats.mr + 11 * stats.mr_level + sum(i.mr for i in build))
        assert scene.f[s.ASPD + h] == pytest.approx(0.22 + sum(i.aspd for i in build))
        assert scene.f[s.CDR + h] == pytest.approx(min(sum(i.cdr for i in build), 0.4))


def test_regeneration_waits_for_the_end_of_combat(scene: Scene) -> None:
    scene.f[s.HP] = 100.0
    scene.f[s.MANA] = 0.0
    scene.k[s.LAST_COMBAT] = scene.k[s.TICK] - 20
    flow(scene, 30)
    assert scene.f[s.HP] == 100.0
    assert scene.f[s.MANA] == pytest.approx(0.03 * scene.f[s.MAX_MANA], rel=1e-4)
    flow(scene, 10)
    assert scene.f[s.HP] == pytest.approx(100.0 + 0.004 * scene.f[s.MAX_HP], rel=1e-4)


def test_fountain_heals_its_own_and_burns_enemies(scene: Scene) -> None:
    middle = scene.t.spawn[0, 2]
    for h in (0, 5):
        scene.put(h, *middle)
        scene.f[s.HP + h] = 300.0
        scene.k[s.LAST_COMBAT + h] = scene.k[s.TICK]
    fountain_attacks(scene.f, scene.t, scene.ev)
    resolve(scene.f, scene.k, scene.t, scene.ev)
    flow(scene, 5)
    assert scene.f[s.HP + 0] == pytest.approx(300.0 + 0.075 * scene.f[s.MAX_HP], rel=1e-4)
    assert scene.f[s.HP + 5] == pytest.approx(100.0)


def test_fountain_does_not_reach_the_far_side_of_its_crystal() -> None:
    tables, _, preset = tb.load_tables("blitz")
    middle, crystal = tables.spawn[0, 2], tables.structure[s.CRYSTAL, :2]
    assert np.hypot(*(crystal + 1.6 * np.sqrt(0.5) - middle)) > preset.fountain_radius


def test_recall_takes_three_seconds_and_is_broken_by_damage(scene: Scene) -> None:
    for h in (0, 1):
        start_recall(scene.k, scene.t, h)
    flow(scene, 15)
    scene.k[s.LAST_HURT + 1] = scene.k[s.TICK]
    flow(scene, 14)
    assert scene.f[s.X + 0] == 0.0
    flow(scene, 1)
    assert scene.f[s.X + 0] == scene.t.spawn[0, 0, 0]
    assert scene.f[s.X + 1] == 0.0


def test_respawn_time_grows_with_level_and_time(scene: Scene) -> None:
    scene.k[s.TICK] = 0
    times = []
    for level in (1, 12):
        scene.k[s.LEVEL] = level
        times.append(int(respawn_ticks(scene.k, scene.t, 0)))
    assert times == [53, 190]
    scene.k[s.TICK] = 600
    assert respawn_ticks(scene.k, scene.t, 0) == 200


def test_respawned_hero_is_whole_and_at_home(scene: Scene) -> None:
    scene.f[s.HP] = 0.0
    scene.k[s.RESPAWN_AT] = scene.k[s.TICK] + 3
    flow(scene, 4)
    assert scene.f[s.HP] == 0.0
    flow(scene, 1)
    assert scene.f[s.HP] == scene.f[s.MAX_HP]
    assert scene.f[s.X] == scene.t.spawn[0, 0, 0]
    assert scene.k[s.EV_RESPAWN] == 1
