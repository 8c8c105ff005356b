"""Primitives in skills that no hero of the pool has: blinks, and every kind with every receiver."""

from __future__ import annotations

from importlib import resources
from pathlib import Path
from typing import Any

import pytest
import yaml

from fullpool.games.moba import state as s
from fullpool.games.moba import tables as tb
from fullpool.games.moba.heroes import KINDS, RECEIVERS
from fullpool.games.moba.scene import Scene


def pool_with(tmp_path: Path, effects: list[dict[str, Any]], **skill: Any) -> Path:
    """A hero file whose first hero's first skill is made up."""
    text = resources.files("fullpool.games.moba").joinpath("heroes.yaml").read_text("utf-8")
    data = yaml.safe_load(text)
    plain = {
        "cast": "self",
        "cooldown": 5,
        "mana": 10,
        "range": 5,
        "width": 1,
        "radius": 3,
        "delay": 0,
        "pierce": True,
    }
    data["heroes"][0]["skills"][0] = {**plain, **skill, "effects": effects}
    path = tmp_path / "heroes.yaml"
    path.write_text(yaml.safe_dump(data), "utf-8")
    return path


def effect(kind: str, who: str, *p: float, **more: Any) -> dict[str, Any]:
    return {"kind": kind, "who": who, "p": [*p, *[0.0] * (6 - len(p))], **more}


def scene_with(tmp_path: Path, effects: list[dict[str, Any]], **skill: Any) -> Scene:
    scene = Scene(["Bulwarden"], heroes_file=pool_with(tmp_path, effects, **skill))
    scene.put(0, 0.0, 0.0)
    return scene


@pytest.mark.parametrize(
    ("cast", "target", "expected"),
    [("dash", -1, 5.0), ("ground", -1, 5.0), ("unit", 5, 2.5), ("ally", 1, 1.0)],
)
def test_a_blink_arrives_in_the_same_tick(tmp_path: Path, cast: str, target: int, expected: float) -> None:
    effects = [effect("blink", "self")]
    if cast == "dash":  # a blink along a line without the dash
        cast = "line"
    scene = scene_with(tmp_path, effects, cast=cast)
    scene.put(5, 3.5, 0.0)
    scene.put(1, 2.0, 0.0)
    scene.cast(0, 0, target, direction=0)
    assert scene.f[s.X] == pytest.approx(expected, abs=1e-5)
    scene.tick(3)
    assert scene.f[s.X] == pytest.approx(expected, abs=1e-5)


def test_rooted_heroes_cannot_blink_and_stunned_ones_do_not_arrive(tmp_path: Path) -> None:
    scene = scene_with(tmp_path, [effect("blink", "self")], cast="ground")
    scene.k[s.ROOT_UNTIL] = scene.k[s.TICK] + 1
    scene.cast(0, 0, direction=0)
    assert scene.f[s.X] == 0.0
    scene.k[s.HERO_ID + 5] = scene.pool.names.index("Cindervane")
    scene.put(5, 0.0, 2.0)
    scene.order(5, s.SKILL2, 0)
    scene.cast(0, 0, direction=0)
    assert scene.left(s.STUN_UNTIL, 0) == 9
    assert scene.f[s.X] == 0.0


UNTIL = {
    "stun": s.STUN_UNTIL, "root": s.ROOT_UNTIL, "slow": s.SLOW_UNTIL, "silence": s.SILENCE_UNTIL,
    "disarm": s.DISARM_UNTIL, "knock": s.AIR_UNTIL, "hook": s.AIR_UNTIL, "haste": s.HASTE_UNTIL,
    "aspd": s.ASPD_UNTIL, "stealth": s.STEALTH_UNTIL, "lifesteal": s.LIFESTEAL_UNTIL, "taunt": s.TAUNT_UNTIL,
    "shred": s.SHRED_UNTIL, "reflect": s.REFLECT_UNTIL, "unstop": s.UNSTOP_UNTIL, "invuln": s.INVULN_UNTIL,
    "griev": s.GRIEVOUS_UNTIL, "struct": s.SIEGE_UNTIL, "rangeup": s.RANGEUP_UNTIL, "onhitpct": s.ONHIT_UNTIL,
    "dmgred": s.DMGRED_UNTIL, "shield": s.SHIELD_UNTIL,
}  # fmt: skip
PLACED = {
    "zone": (s.ZONE_UNTIL, s.ZONES_PER_TEAM),
    "reveal": (s.REVEAL_UNTIL, s.REVEALS_PER_TEAM),
    "summon": (s.EXPIRES + s.SUMMON0, s.SUMMONS_PER_TEAM),
}
OWN_WAY = (
    "gapclose",
    "blink",
    "reset",
    "drain",
    "chain",
)  # of the caster or the skill, whoever receives them


def touched(scene: Scene, kind: str) -> set[int]:
    """Heroes on which a kind left its mark in the last tick."""
    k, f = scene.k, scene.f
    if kind in UNTIL:
        return {u for u in range(10) if k[UNTIL[kind] + u] > k[s.TICK]}
    if kind == "dmg":
        return {u for u in range(10) if scene.damage(u) > 0}
    if kind == "dot":
        return {int(k[s.DOT_TARGET + i]) for i in range(s.DOTS_PER_TEAM) if k[s.DOT_UNTIL + i] > 0} - {MINION}
    if kind == "heal":
        return {u for u in range(10) if f[s.HP + u] > 100.0}
    return {u for u in range(10) if k[s.EMPOWER_COUNT + u] > 0}


MINION = s.MINION0 + s.MINIONS_PER_TEAM


@pytest.mark.parametrize("who", ["enemies", "self", "allies"])
@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind not in OWN_WAY])
def test_every_kind_reaches_every_receiver_and_nobody_else(kind: str, who: str) -> None:
    scene = Scene(["Bulwarden"])
    scene.t = scene.t._replace(effect=scene.t.effect.copy(), skill=scene.t.skill.copy())
    scene.t.skill[0, 0, tb.SKILL_NUM_EFFECTS] = 1
    row = scene.t.effect[0, 0, 0]
    row[:] = 0.0
    row[tb.EFFECT_KIND], row[tb.EFFECT_WHO] = KINDS.index(kind), RECEIVERS.index(who)
    row[tb.EFFECT_P0 : tb.EFFECT_P0 + 6], row[tb.EFFECT_COUNT] = 1.0, 1.0
    if kind == "heal":
        row[tb.EFFECT_P4] = 0.0
    for u, x, y in (
        (0, 0.0, 0.0),
        (1, 2.9, 0.0),
        (2, 3.1, 0.0),
        (5, 0.0, 2.9),
        (6, 0.0, 3.1),
        (MINION, 0.0, -2.0),
    ):
        scene.put(u, x, y)
    scene.add_minion(1, 0, 0.0, -2.0)
    scene.f[s.HP : s.HP + 10] = 100.0
    held = (s.STUN_UNTIL, s.SILENCE_UNTIL, s.GRIEVOUS_UNTIL)
    if kind == "cleanse":
        for field in held:
            scene.k[field + 1 : field + 10] = scene.k[s.TICK] + 9
            scene.k[s.GRIEVOUS_UNTIL] = scene.k[s.TICK] + 9
    scene.cast(0, 0)
    expected = {"enemies": {5}, "self": {0}, "allies": {0, 1}}[who]
    if kind in PLACED:
        first, size = PLACED[kind]
        placed = sum(scene.k[first + i] > scene.k[s.TICK] for i in range(size))
        assert placed == len(expected) + (who == "enemies")  # once for the minion
    elif kind == "cleanse":
        freed = {u for u in range(10) if not any(scene.left(field, u) for field in held)}
        assert freed == expected
    else:
        assert touched(scene, kind) == expected


def test_a_chain_and_a_drain_reach_all_damage_of_their_skill(tmp_path: Path) -> None:
    effects = [
        effect("chain", "self", 2.0, 3.0),
        effect("drain", "self", 0.5),
        effect("dmg", "enemies", 100.0, type="pure"),
        effect("stun", "enemies", 0.5),
    ]
    scene = scene_with(tmp_path, effects, cast="unit")
    for u, x in ((5, 4.0), (6, 6.5), (7, 9.0), (8, 11.5)):
        scene.put(u, x, 0.0)
    scene.f[s.HP] = 100.0
    scene.cast(0, 0, 5)
    assert [scene.damage(u) for u in (5, 6, 7, 8)] == [100.0, 100.0, 100.0, 0.0]
    assert [scene.left(s.STUN_UNTIL, u) for u in (5, 6, 7, 8)] == [5, 5, 5, 0]
    assert scene.f[s.HP] == pytest.approx(250.0)


def test_a_delayed_line_goes_from_where_its_caster_then_is(tmp_path: Path) -> None:
    scene = scene_with(
        tmp_path, [effect("dmg", "enemies", 50.0, type="pure")], cast="line", delay=0.3, range=8
    )
    scene.put(5, 6.0, 0.0)
    scene.put(6, 4.0, 4.0)
    scene.cast(0, 0, direction=0)
    scene.put(0, 2.0, 6.0)
    scene.tick(3)
    assert (scene.damage(5), scene.damage(6)) == (0.0, 50.0)


def test_zones_and_summons_take_their_parameters_from_the_file(tmp_path: Path) -> None:
    effects = [
        effect("zone", "self", 2.0, 1.0, 30.0, 0.0, 0.0, 0.4, type="magic", follow=True, drain=0.5),
        effect("summon", "self", 50.0, 10.0, 7.0, 1.0, 3.0, 2.0, count=3, ap=0.5),
    ]
    scene = scene_with(tmp_path, effects, cast="buff")
    scene.f[s.AP] = 40.0
    scene.cast(0, 0)
    assert scene.f[s.ZONE_DPS] == pytest.approx(30.0)
    assert scene.f[s.ZONE_DRAIN] == 0.5
    assert (scene.k[s.ZONE_TYPE], scene.k[s.ZONE_FOLLOW]) == (s.MAGIC, 1)
    assert scene.f[s.HP + s.SUMMON0 : s.HP + s.SUMMON0 + 4].tolist() == [120.0, 120.0, 120.0, 0.0]
    assert scene.f[s.POWER + s.SUMMON0] == pytest.approx(7 + 7 + 20)
    assert scene.left(s.EXPIRES, s.SUMMON0) == 20
