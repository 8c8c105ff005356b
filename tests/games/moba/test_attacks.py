"""Basic attacks of heroes."""

from __future__ import annotations

import pytest

from fullpool.games.moba import state as s
from fullpool.games.moba.attacks import attack_target
from fullpool.games.moba.scene import Scene


def duel(*args: list[str], **kwargs: int) -> Scene:
    scene = Scene(*args, **kwargs)  # type: ignore[arg-type]
    scene.put(0, 0.0, 0.0)
    scene.put(5, 1.2, 0.0)
    return scene


def mitigated(scene: Scene, amount: float, u: int = 5, h: int = 0) -> float:
    return amount * 100.0 / (100.0 + max(float(scene.f[s.ARMOR + u] - scene.f[s.PEN + h]), 0.0))


def test_an_attack_deals_attack_damage_and_waits_its_interval() -> None:
    scene = duel(["Emberhald"], ["Bulwarden"])
    hits = []
    scene.order(0, s.ATTACK, target=5)
    for _ in range(30):
        scene.tick()
        hits.append(scene.damage(5))
    interval = next(i for i in range(1, 30) if hits[i] > 0)
    assert interval == 9  # 1 s / (1 + 0.02 * 7) = 8.8 ticks
    assert [i for i, hit in enumerate(hits) if hit > 0] == [0, 9, 18, 27]
    assert hits[0] == pytest.approx(mitigated(scene, float(scene.f[s.AD])), rel=1e-5)
    assert scene.k[s.SUM_ATTACKS] == scene.k[s.EV_ATTACKS] == 4
    assert scene.k[s.SUM_STRUCTURE_ATTACKS] == 0


@pytest.mark.parametrize("hinder", ["unseen", "far", "dead", "ally", "disarm", "stun", "not ordered"])
def test_what_forbids_an_attack(hinder: str) -> None:
    scene = duel(["Emberhald"])
    target = 5
    scene.k[s.ROOT_UNTIL] = scene.k[s.TICK] + 5
    if hinder == "unseen":
        scene.k[s.VISIBLE + 5] = 2
    elif hinder == "far":
        scene.put(5, float(scene.f[s.RANGE]) + 0.01, 0.0)
    elif hinder == "dead":
        scene.f[s.HP + 5] = 0.0
    elif hinder == "ally":
        target = 1
        scene.put(1, 0.5, 0.0)
    elif hinder != "not ordered":
        scene.k[(s.DISARM_UNTIL if hinder == "disarm" else s.STUN_UNTIL)] = scene.k[s.TICK] + 1
    scene.order(0, s.NONE if hinder == "not ordered" else s.ATTACK, target=target)
    scene.tick()
    assert scene.k[s.SUM_ATTACKS] == 0
    assert not scene.ev.damage.any()


def test_empowered_attacks_add_damage_and_stun_and_run_out() -> None:
    scene = duel(["Anvilhide"], ["Bulwarden"])
    scene.cast(0, 0)
    bonus = 30 + 10 * 7 + 0.4 * float(scene.f[s.AD])
    scene.order(0, s.ATTACK, target=5)
    scene.tick()
    assert scene.damage(5) == pytest.approx(mitigated(scene, float(scene.f[s.AD]) + bonus), rel=1e-5)
    assert scene.left(s.STUN_UNTIL, 5) == 6
    assert scene.k[s.EMPOWER_COUNT] == 0
    scene.tick(11)
    assert (
        scene.damage(5) == pytest.approx(mitigated(scene, float(scene.f[s.AD])), rel=1e-5)
        or scene.damage(5) == 0
    )


def test_on_hit_deals_a_share_of_maximum_hit_points_as_true_damage() -> None:
    scene = duel(["Rookshot"], ["Bulwarden"])
    scene.cast(0, 0)
    scene.order(0, s.ATTACK, target=5)
    scene.tick()
    expected = mitigated(scene, float(scene.f[s.AD])) + 0.025 * float(scene.f[s.MAX_HP + 5])
    assert scene.damage(5) == pytest.approx(expected, rel=1e-5)
    for _ in range(45):
        scene.tick()
    assert scene.left(s.ONHIT_UNTIL, 0) == 0


def test_range_grows_with_its_buff() -> None:
    scene = duel(["Pikewright"], ["Bulwarden"])
    scene.put(5, 3.6, 0.0)
    scene.k[s.ROOT_UNTIL] = scene.k[s.TICK] + 100
    scene.order(0, s.ATTACK, target=5)
    scene.tick()
    assert scene.damage(5) == 0.0
    scene.cast(0, 1)
    scene.order(0, s.ATTACK, target=5)
    scene.tick()
    assert scene.damage(5) > 0.0


def test_siege_strengthens_attacks_on_structures_alone_and_on_hit_does_not_touch_them() -> None:
    scene = Scene(["Ironquill"], preset="blitz")
    scene.put(0, 0.0, 0.0)
    turret = scene.add_structure(1, 3, 1.0, 0.0)
    scene.add_minion(0, 0, 2.0, 0.0)
    scene.k[s.TICK] = 400
    scene.k[s.ONHIT_UNTIL], scene.f[s.ONHIT] = 2000, 0.5
    scene.order(0, s.ATTACK, target=turret)
    scene.tick()
    plain = scene.damage(turret)
    assert plain == pytest.approx(float(scene.f[s.AD]) * 100 / 150, rel=1e-5)
    assert scene.k[s.SUM_STRUCTURE_ATTACKS] == 1
    scene.k[s.SIEGE_UNTIL], scene.f[s.SIEGE], scene.k[s.ATTACK_AT] = 2000, 0.5, 0
    scene.tick()
    assert scene.damage(turret) == pytest.approx(1.5 * plain, rel=1e-5)
    scene.put(5, 0.5, 0.0)
    scene.order(0, s.ATTACK, target=5)
    scene.k[s.ATTACK_AT], scene.k[s.ONHIT_UNTIL] = 0, 0
    scene.tick()
    assert scene.damage(5) == pytest.approx(mitigated(scene, float(scene.f[s.AD])), rel=1e-5)


def test_attacking_ends_stealth_and_recall_and_shows_the_hero() -> None:
    scene = duel(["Gloamstep"])
    scene.cast(0, 0)
    assert scene.left(s.STEALTH_UNTIL, 0) == 25
    scene.k[s.RECALL_DONE] = scene.k[s.TICK] + 10
    scene.order(0, s.ATTACK, target=5)
    scene.tick()
    assert scene.left(s.STEALTH_UNTIL, 0) == 0
    assert scene.k[s.RECALL_DONE] == 0
    assert scene.left(s.EXPOSED_UNTIL, 0) == 10


def test_a_taunted_hero_attacks_its_taunter_whatever_it_was_ordered() -> None:
    scene = duel(["Bulwarden"], ["Emberhald"])
    scene.put(1, 1.0, 0.0)
    scene.cast(0, 2)
    for what, target in ((s.ATTACK, 1), (s.MOVE, -1), (s.SKILL1, -1)):
        scene.order(5, what, target=target)
        assert attack_target(scene.f, scene.k, 5) == 0
    scene.tick()
    assert scene.damage(0) > 0
    assert scene.damage(1) == 0
    mana = float(scene.f[s.MANA + 5])
    scene.tick()
    assert scene.f[s.MANA + 5] == mana, "no skills under taunt"
    scene.f[s.HP] = 0.0
    assert attack_target(scene.f, scene.k, 5) == -1


def test_life_steal_heals_by_the_damage_dealt() -> None:
    scene = duel(["Sawbriar"], ["Bulwarden"])
    scene.cast(0, 1)
    hp = scene.f[s.HP] = 100.0
    scene.order(0, s.ATTACK, target=5)
    scene.tick()
    assert scene.f[s.HP] - hp == pytest.approx(0.25 * scene.damage(5), rel=1e-4)
    scene.k[s.GRIEVOUS_UNTIL], scene.f[s.GRIEVOUS] = scene.k[s.TICK] + 50, 0.4
    scene.k[s.ATTACK_AT] = 0
    hp = scene.f[s.HP] = 100.0
    scene.tick()
    assert scene.f[s.HP] - hp == pytest.approx(0.25 * 0.6 * scene.damage(5), rel=1e-4)
