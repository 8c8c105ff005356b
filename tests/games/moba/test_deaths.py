from __future__ import annotations

import numpy as np
import pytest

from fullpool.games.contract import DRAW
from fullpool.games.moba import events as e
from fullpool.games.moba import state as s
from fullpool.games.moba.deaths import bounty, settle_deaths
from fullpool.games.moba.scene import Scene

CRYSTAL_A = s.STRUCTURE0 + s.CRYSTAL
CRYSTAL_B = CRYSTAL_A + s.STRUCTURES_PER_TEAM


@pytest.fixture
def scene() -> Scene:
    scene = Scene(preset="blitz", level=3)
    for h in range(10):
        scene.put(h, float(h), 0.0)
    return scene


def kill(scene: Scene, u: int, **damage: float) -> None:
    """Marks a unit as killed in this tick by heroes `h0`, `h1`, ..."""
    scene.f[s.HP + u] = 0.0
    scene.ev.k[e.HURT + scene.ev.k[e.NUM_HURT]] = u
    scene.ev.k[e.NUM_HURT] += 1
    for name, amount in damage.items():
        scene.ev.credit[u, int(name[1:])] = amount
        scene.ev.k[e.CREDITED + u] |= 1 << int(name[1:])


def settle(scene: Scene) -> None:
    settle_deaths(scene.f, scene.k, scene.t, scene.ev)


def test_the_larger_damage_of_the_tick_gets_the_kill(scene: Scene) -> None:
    kill(scene, 5, h0=30.0, h1=40.0)
    settle(scene)
    assert scene.k[s.KILLS : s.KILLS + 3].tolist() == [0, 1, 0]
    assert (scene.k[s.DEATHS + 5], scene.k[s.KILLER + 5]) == (1, 1)
    assert scene.f[s.GOLD + 1] == 120.0


def test_without_a_hero_in_the_tick_the_last_one_to_hurt_gets_it(scene: Scene) -> None:
    scene.k[s.DAMAGED_AT + 5 * 5 + 2] = scene.k[s.TICK] - 10
    scene.k[s.DAMAGED_AT + 5 * 5 + 3] = scene.k[s.TICK] - 5
    scene.k[s.DAMAGED_AT + 6 * 5 + 3] = scene.k[s.TICK] - 81
    kill(scene, 5)
    kill(scene, 6)
    settle(scene)
    assert scene.k[s.KILLER + 5] == 3
    assert scene.k[s.KILLER + 6] == -1


def test_equal_damage_goes_to_the_nearer_hero(scene: Scene) -> None:
    kill(scene, 5, h0=30.0, h3=30.0)
    settle(scene)
    assert scene.k[s.KILLER + 5] == 3


@pytest.mark.parametrize(
    ("streak", "deaths", "gold"), [(0, 0, 120.0), (3, 0, 180.0), (0, 1, 96.0), (0, 2, 72.0), (0, 4, 60.0)]
)
def test_bounty(scene: Scene, streak: int, deaths: int, gold: float) -> None:
    scene.k[s.KILL_STREAK + 5], scene.k[s.DEATH_STREAK + 5] = streak, deaths
    assert bounty(scene.k, scene.t, 5) == pytest.approx(gold)


def test_assistants_share_the_pool_and_those_near_get_experience(scene: Scene) -> None:
    scene.k[s.DAMAGED_AT + 5 * 5 + 2] = scene.k[s.TICK] - 80
    scene.k[s.HELPED_AT + 0 * 5 + 3] = scene.k[s.TICK] - 1
    scene.k[s.DAMAGED_AT + 5 * 5 + 4] = scene.k[s.TICK] - 81
    scene.put(1, 20.0, 20.0)
    kill(scene, 5, h0=10.0)
    settle(scene)
    assert scene.k[s.ASSISTS : s.ASSISTS + 5].tolist() == [0, 0, 1, 1, 0]
    assert scene.f[s.GOLD : s.GOLD + 5].tolist() == [120.0, 0.0, 40.0, 40.0, 0.0]
    xp = 60.0 + 15.0 * 3
    assert scene.f[s.XP : s.XP + 5].tolist() == pytest.approx([xp, 0.0, 0.4 * xp, 0.4 * xp, 0.4 * xp])


def test_two_that_kill_each_other_are_both_paid_and_both_dead(scene: Scene) -> None:
    scene.k[s.KILL_STREAK + 0] = 2
    kill(scene, 0, h5=10.0)
    kill(scene, 5, h0=10.0)
    settle(scene)
    assert (scene.f[s.GOLD + 0], scene.f[s.GOLD + 5]) == (120.0, 160.0)
    assert scene.k[[s.KILL_STREAK + 0, s.KILL_STREAK + 5]].tolist() == [0, 0]
    assert scene.k[[s.DEATH_STREAK + 0, s.DEATH_STREAK + 5]].tolist() == [1, 1]
    assert scene.k[s.RESPAWN_AT + 0] > scene.k[s.TICK]


def test_death_ends_statuses_and_orders(scene: Scene) -> None:
    scene.k[s.HASTE_UNTIL + 5] = scene.k[s.STUN_UNTIL + 5] = scene.k[s.TAUNT_UNTIL + 5] = 10_000
    scene.k[s.RECALL_DONE + 5] = 10_000
    scene.order(5, s.ATTACK, target=0)
    kill(scene, 5, h0=1.0)
    settle(scene)
    fields = (s.HASTE_UNTIL, s.STUN_UNTIL, s.TAUNT_UNTIL, s.RECALL_DONE, s.ORDER)
    assert [int(scene.k[field + 5]) for field in fields] == [0, 0, 0, 0, s.NONE]
    assert scene.k[s.ORDER_TARGET + 5] == -1


def test_last_hit_is_paid_to_the_hitter_and_in_part_to_those_near(scene: Scene) -> None:
    u = scene.add_minion(1, 0, 0.0, 0.0)
    scene.put(2, 11.0, 0.0)
    scene.put(3, 13.0, 0.0)
    scene.put(4, 13.0, 0.0)
    kill(scene, u, h0=5.0)
    settle(scene)
    assert scene.f[s.GOLD : s.GOLD + 5].tolist() == pytest.approx([20.0, 8.0, 0.0, 0.0, 0.0])
    assert scene.f[s.XP : s.XP + 5].tolist() == pytest.approx([25 / 3] * 3 + [0.0] * 2, rel=1e-5)
    assert scene.k[s.LAST_HITS : s.LAST_HITS + 2].tolist() == [1, 0]
    assert scene.f[s.MAX_HP + u] == 0.0


def test_two_last_hits_in_one_tick_share(scene: Scene) -> None:
    u = scene.add_minion(1, 0, 0.0, 0.0)
    kill(scene, u, h0=5.0, h1=90.0)
    settle(scene)
    assert scene.f[s.GOLD : s.GOLD + 3].tolist() == pytest.approx([10.0, 10.0, 8.0])
    assert scene.k[s.LAST_HITS : s.LAST_HITS + 2].tolist() == [1, 1]


def test_a_minion_that_no_hero_hit_still_pays_those_near(scene: Scene) -> None:
    u = scene.add_minion(1, 0, 0.0, 0.0)
    scene.put(0, 0.0, 1.0)
    for h in range(1, 5):
        scene.put(h, 20.0, 20.0)
    kill(scene, u)
    settle(scene)
    assert scene.f[s.GOLD : s.GOLD + 2].tolist() == pytest.approx([8.0, 0.0])
    assert scene.f[s.XP : s.XP + 2].tolist() == pytest.approx([20.0, 0.0])


def test_first_turret_pays_its_team_once(scene: Scene) -> None:
    first, second = scene.add_structure(1, 2, 0.0, 5.0), scene.add_structure(0, 2, 0.0, -5.0)
    scene.add_structure(0, s.CRYSTAL, -20.0, -20.0)
    scene.add_structure(1, s.CRYSTAL, 20.0, 20.0)
    kill(scene, first, h0=1.0)
    settle(scene)
    assert scene.f[s.GOLD : s.GOLD + 10].tolist() == [80.0] * 5 + [0.0] * 5
    kill(scene, second, h5=1.0)
    settle(scene)
    assert scene.f[s.GOLD : s.GOLD + 10].tolist() == [80.0] * 5 + [0.0] * 5


@pytest.mark.parametrize(
    ("fallen", "winner"), [([CRYSTAL_B], s.TEAM_A), ([CRYSTAL_A], s.TEAM_B), ([CRYSTAL_A, CRYSTAL_B], DRAW)]
)
def test_a_fallen_crystal_ends_the_match(scene: Scene, fallen: list[int], winner: int) -> None:
    scene.add_structure(0, s.CRYSTAL, -20.0, -20.0)
    scene.add_structure(1, s.CRYSTAL, 20.0, 20.0)
    for u in fallen:
        kill(scene, u)
    settle(scene)
    assert (scene.k[s.OVER], scene.k[s.ENDED_BY_CRYSTAL], scene.k[s.WINNER]) == (1, 1, winner)


def test_an_arena_ends_with_the_last_of_a_team() -> None:
    scene = Scene(preset="arena")
    for h in range(4):
        kill(scene, h, h5=1.0)
        settle(scene)
    assert scene.k[s.OVER] == 0
    kill(scene, 4, h5=1.0)
    settle(scene)
    assert (scene.k[s.OVER], scene.k[s.WINNER]) == (1, s.TEAM_B)
    assert np.all(scene.k[s.RESPAWN_AT : s.RESPAWN_AT + 5] > 10**8)
