from __future__ import annotations

import numpy as np
import pytest

from fullpool.games.moba import state as s
from fullpool.games.moba import tables as tb
from fullpool.games.moba.events import DAMAGE_F, clear_events
from fullpool.games.moba.scene import Scene
from fullpool.games.moba.structures import (
    is_vulnerable,
    structure_attacks,
    structure_factor,
    sudden_steps,
    weakness,
)

TURRET_B = s.STRUCTURE0 + s.STRUCTURES_PER_TEAM
CRYSTAL_B = TURRET_B + s.CRYSTAL


@pytest.fixture
def scene() -> Scene:
    """Hero 0 five units before the enemy's middle turrets (tiers 1 and 2) and crystal; everybody else far off."""
    scene = Scene(preset="mid3")
    scene.t.structure[:, 2] = 0.0
    scene.k[s.TICK] = 400
    for h in range(10):
        scene.put(h, -20.0 + h, -20.0)
    scene.put(0, 0.0, 0.0)
    scene.add_structure(1, 4, 5.0, 0.0)
    scene.add_structure(1, 5, 11.0, 0.0)
    scene.add_structure(1, s.CRYSTAL, 20.0, 0.0)
    for u in (TURRET_B + 4, TURRET_B + 5, CRYSTAL_B):
        scene.t.structure[u - s.STRUCTURE0, 3] = 100.0
    return scene


def shoot(scene: Scene) -> int:
    """Lets structures shoot once; returns the outer turret's target."""
    clear_events(scene.ev)
    for index in range(20):
        scene.k[s.ATTACK_AT + s.STRUCTURE0 + index] = 0
    structure_attacks(scene.f, scene.k, scene.t, scene.ev)
    return int(scene.k[s.TARGET + TURRET_B + 4])


def power(scene: Scene) -> float:
    return float(scene.ev.f[DAMAGE_F])


def test_order_outer_turret_then_base_turret_then_crystal(scene: Scene) -> None:
    outer, base = TURRET_B + 4, TURRET_B + 5
    seen = []
    for fallen in (None, outer, base):
        if fallen is not None:
            scene.f[s.HP + fallen] = 0.0
        seen.append([bool(is_vulnerable(scene.f, scene.t, u)) for u in (outer, base, CRYSTAL_B)])
    assert seen == [[True, False, False], [True, True, False], [True, True, True]]
    assert structure_factor(scene.f, scene.k, scene.t, 0, CRYSTAL_B) > 0


def test_less_damage_without_minions_and_in_grace(scene: Scene) -> None:
    target = TURRET_B + 4
    preset = scene.preset
    far = structure_factor(scene.f, scene.k, scene.t, 0, target)
    scene.add_minion(0, 0, 4.0, 0.0)
    near = structure_factor(scene.f, scene.k, scene.t, 0, target)
    scene.k[s.TICK] = 10
    early = structure_factor(scene.f, scene.k, scene.t, 0, target)
    assert far == pytest.approx(preset.backdoor_factor)
    assert near == 1.0
    assert early == pytest.approx(preset.grace_factor)


def test_minions_hit_structures_harder(scene: Scene) -> None:
    melee, siege = scene.add_minion(0, 0, 4.0, 0.0), scene.add_minion(0, 1, 4.0, 0.0)
    scene.k[s.TYPE + siege] = s.TYPE_SIEGE
    factors = [structure_factor(scene.f, scene.k, scene.t, u, TURRET_B + 4) for u in (melee, siege)]
    assert factors == [scene.preset.minion_structure, 2 * scene.preset.minion_structure]


def test_turret_prefers_siege_then_melee_then_ranged_then_heroes(scene: Scene) -> None:
    assert shoot(scene) == 0
    ranged, melee, siege = (scene.add_minion(0, place, place - 10.0, 0.0) for place in range(12, 15))
    scene.k[s.TYPE + ranged], scene.k[s.TYPE + siege] = s.TYPE_RANGED, s.TYPE_SIEGE
    for expected in (siege, melee, ranged, 0):
        assert shoot(scene) == expected
        scene.f[s.HP + expected] = 0.0


def test_turret_turns_on_a_hero_that_hurts_an_ally_and_stays_on_it(scene: Scene) -> None:
    minion = scene.add_minion(0, 12, 3.0, 0.0)
    assert shoot(scene) == minion
    scene.put(5, 3.0, 1.0)
    scene.k[s.LAST_HERO_HIT + 0] = scene.k[s.TICK]
    scene.k[s.DAMAGED_AT + 5 * s.TEAM_SIZE + 0] = scene.k[s.TICK]
    assert shoot(scene) == 0
    scene.k[s.TICK] += 100
    assert shoot(scene) == 0
    scene.put(0, -9.0, 0.0)
    assert shoot(scene) == minion


def test_hits_on_the_same_hero_grow_to_double(scene: Scene) -> None:
    powers = []
    for _ in range(6):
        shoot(scene)
        powers.append(power(scene))
    base = 100.0 + scene.preset.turret_damage_minute * 400 / 600
    assert np.allclose(np.array(powers) / base, [1.0, 1.25, 1.5, 1.75, 2.0, 2.0], rtol=1e-5)


def test_unseen_hero_is_not_shot(scene: Scene) -> None:
    scene.k[s.VISIBLE + 0] = 1
    assert shoot(scene) == -1


def test_structures_weaken_in_sudden_death() -> None:
    scene = Scene(preset="blitz")
    steps, factors = [], []
    for tick in (900, 938, 987, 988, 1250, 9000):
        scene.k[s.TICK] = tick
        steps.append(int(sudden_steps(scene.k, scene.t)))
        factors.append(float(weakness(scene.k, scene.t)))
    assert steps[:5] == [0, 1, 1, 2, 7]
    drop = scene.preset.sudden_drop
    assert factors == pytest.approx([1 / max(1 - drop * step, 0.1) for step in steps])
    assert factors[0] == 1.0
    assert scene.t.preset[tb.P_SUDDEN_FROM] == 938


def test_all_damage_to_structures_grows_in_sudden_death(scene: Scene) -> None:
    minion = scene.add_minion(0, 0, 4.0, 0.0)
    before = [structure_factor(scene.f, scene.k, scene.t, source, TURRET_B + 4) for source in (0, minion)]
    scene.k[s.TICK] = 1190
    factor = weakness(scene.k, scene.t)
    after = [structure_factor(scene.f, scene.k, scene.t, source, TURRET_B + 4) for source in (0, minion)]
    assert factor > 1.5
    assert after == pytest.approx([value * factor for value in before])
