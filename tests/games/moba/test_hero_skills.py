"""Every skill of every hero, cast in a set scene: mana, cooldown and the effect of each of its primitives."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from fullpool.games.moba import state as s
from fullpool.games.moba.casts import on_kill
from fullpool.games.moba.heroes import EffectData, HeroPool, SkillData, load_heroes
from fullpool.games.moba.scene import Scene

POOL: HeroPool = load_heroes()
CASTER, ALLY, ENEMY, SECOND = 0, 1, 5, 6
LEVEL, ITEMS = 8, 3
SKILLS = [(hero.name, index) for hero in POOL.heroes for index in range(3)]


class Played:
    """A skill that was cast and has landed."""

    def __init__(self, name: str, index: int) -> None:
        self.skill: SkillData = POOL.heroes[POOL.names.index(name)].skills[index]
        self.index = index
        others = [
            other
            for other in ("Bulwarden", "Sawbriar", "Quickthorn", "Ironquill", "Dawnbell")
            if other != name
        ]
        self.scene = scene = Scene([name, *others[:1]], others[1:], level=LEVEL, items=ITEMS)
        scene.put(CASTER, 0.0, 0.0)
        scene.put(ALLY, 0.0, 1.0)
        scene.put(ENEMY, self.distance(), 0.0)
        scene.put(SECOND, self.distance(), -1.0)
        for u in (CASTER, ALLY, ENEMY):
            scene.f[s.HP + u] = 0.4 * scene.f[s.MAX_HP + u]
        self.before_f, self.before_k = scene.f.copy(), scene.k.copy()
        target = ALLY if self.skill.cast == "ally" else ENEMY
        scene.cast(CASTER, index, target)
        for _ in range(math.ceil(self.skill.delay * 10 - 1e-6)):
            assert self.scene.damage(ENEMY) == 0.0
            self.cast_f, self.cast_k = scene.f.copy(), scene.k.copy()
            scene.tick()

    def distance(self) -> float:
        """Where the enemy stands, along direction 0."""
        skill = self.skill
        if skill.cast == "ground":
            return skill.range
        if skill.cast == "self":
            return 0.7 * skill.radius
        return min(0.7 * skill.range, 6.0) if skill.range else 2.0

    def stat(self, field: int, u: int = CASTER) -> float:
        """A number of a unit before the cast."""
        return float(self.before_f[field + u])

    def has(self, kind: str) -> EffectData | None:
        """The skill's first effect of a kind."""
        return next((effect for effect in self.skill.effects if effect.kind == kind), None)

    def receivers(self, effect: EffectData) -> list[int]:
        """Seats that an effect must reach, of those that the tests look at."""
        if effect.who == "enemies":
            return [ENEMY]
        if effect.who == "self":
            return [CASTER]
        return [ALLY] if self.skill.cast == "ally" else [CASTER, ALLY]

    def raw(self, base: float, level: float, ad: float = 0.0, ap: float = 0.0, hp: float = 0.0) -> float:
        """The sum that the hero file describes."""
        own = self.stat(s.AD) * ad + self.stat(s.AP) * ap + self.stat(s.MAX_HP) * hp
        return base + level * (LEVEL - 1) + own

    def expected_damage(self, amount: float, kind: str, u: int = ENEMY) -> float:
        """Slow oracle of the damage formula."""
        if kind == "pure":
            return amount
        resist = self.stat(s.ARMOR if kind == "physical" else s.MR, u)
        shred = self.has("shred")
        if shred:
            resist *= 1.0 - shred.p[0 if kind == "physical" else 1]
        return amount * 100.0 / (100.0 + max(resist - self.stat(s.PEN), 0.0))

    def hit_damage(self, u: int = ENEMY) -> float:
        """What the skill's instant damage must come to on an enemy."""
        total = 0.0
        for effect in self.skill.effects:
            if effect.kind == "dmg":
                p = effect.p
                amount = self.raw(*p[:5]) * (1.0 + p[5] * (1.0 - self.stat(s.HP, u) / self.stat(s.MAX_HP, u)))
                total += self.expected_damage(amount, effect.type, u)
        return total


def ticks(seconds: float) -> int:
    return math.ceil(seconds * 10 - 1e-6)


def check_dmg(played: Played, effect: EffectData) -> None:
    assert played.scene.damage(ENEMY) == pytest.approx(played.hit_damage(), rel=1e-5)
    assert played.scene.f[s.HP + ENEMY] < played.stat(s.HP, ENEMY)


def check_dot(played: Played, effect: EffectData) -> None:
    p, scene = effect.p, played.scene
    each = played.expected_damage(played.raw(p[0], p[1], p[2], p[3]) * 0.1, effect.type)
    dealt = []
    for _ in range(ticks(p[4]) + 2):
        scene.f[s.HP + ENEMY] = scene.f[s.MAX_HP + ENEMY]
        scene.tick()
        dealt.append(scene.damage(ENEMY))
    assert dealt == pytest.approx([each] * ticks(p[4]) + [0.0, 0.0], rel=1e-4)


def heal_of(played: Played, effect: EffectData) -> float:
    return played.raw(effect.p[0], effect.p[1], 0.0, effect.p[2], effect.p[3])


def check_heal(played: Played, effect: EffectData) -> None:
    scene, instant = played.scene, [e for e in played.skill.effects if e.kind == "heal" and e.p[4] == 0]
    for u in played.receivers(effect):
        if effect.p[4] > 0:
            start = float(scene.f[s.HP + u])
            assert scene.left(s.HOT_UNTIL, u) == ticks(effect.p[4])
            scene.tick(ticks(effect.p[4]) + 2)
            assert scene.f[s.HP + u] - start == pytest.approx(heal_of(played, effect), rel=1e-3)
            scene.tick(5)
            scene.f[s.HP + ALLY], scene.k[s.HOT_UNTIL + ALLY] = 0.4 * scene.f[s.MAX_HP + ALLY], 0
            return
        leech = (
            played.hit_damage() * 0.6 * played.stat(s.LIFESTEAL) if u == CASTER and played.has("dmg") else 0.0
        )
        total = sum(heal_of(played, e) for e in instant) + leech
        assert scene.f[s.HP + u] - played.stat(s.HP, u) == pytest.approx(total, rel=1e-3)


def check_shield(played: Played, effect: EffectData) -> None:
    for u in played.receivers(effect):
        assert played.scene.f[s.SHIELD + u] == pytest.approx(heal_of(played, effect), rel=1e-5)
        assert played.scene.left(s.SHIELD_UNTIL, u) == ticks(effect.p[4])


def check_knock(played: Played, effect: EffectData) -> None:
    scene, air = played.scene, ticks(effect.p[1])
    assert scene.left(s.AIR_UNTIL, ENEMY) == air
    at_middle = played.skill.cast == "ground"  # the enemy stands in the middle: it is pushed towards its base
    scene.tick(air)
    x, y = scene.f[s.X + ENEMY] - played.stat(s.X, ENEMY), scene.f[s.Y + ENEMY] - played.stat(s.Y, ENEMY)
    far = effect.p[0] if effect.p[0] >= 0 else -min(-effect.p[0], played.distance())
    way = (math.sqrt(0.5) * far, math.sqrt(0.5) * far) if at_middle else (far, 0.0)
    assert (x, y) == pytest.approx(way, abs=1e-4)


def check_hook(played: Played, effect: EffectData) -> None:
    assert played.scene.left(s.AIR_UNTIL, ENEMY) == 3
    played.scene.tick(3)
    assert played.scene.f[s.X + ENEMY] == pytest.approx(1.5, abs=1e-4)


def check_gapclose(played: Played, effect: EffectData) -> None:
    way = played.distance() - 1.0
    played.scene.tick(math.ceil(way / 1.6))
    assert played.scene.f[s.X + CASTER] == pytest.approx(way, abs=1e-4)


def check_shred(played: Played, effect: EffectData) -> None:
    scene = played.scene
    assert scene.f[s.SHRED_ARMOR + ENEMY] == pytest.approx(effect.p[0])
    assert scene.f[s.SHRED_MR + ENEMY] == pytest.approx(effect.p[1])
    assert scene.left(s.SHRED_UNTIL, ENEMY) == ticks(effect.p[2])


def check_taunt(played: Played, effect: EffectData) -> None:
    assert played.scene.k[s.TAUNT_BY + ENEMY] == CASTER
    assert played.scene.left(s.TAUNT_UNTIL, ENEMY) == ticks(effect.p[0])


def check_cleanse(played: Played, effect: EffectData) -> None:
    scene = Scene([POOL.names[int(played.scene.k[s.HERO_ID])]], level=LEVEL)
    scene.put(CASTER, 0.0, 0.0)
    scene.put(ALLY, 0.0, 1.0)
    for field in CLEANSED:
        scene.k[field + ALLY] = scene.k[s.TICK] + 20
    scene.cast(CASTER, played.index, ALLY)
    assert not any(scene.left(field, ALLY) for field in CLEANSED)


def check_empower(played: Played, effect: EffectData) -> None:
    scene, p = played.scene, effect.p
    assert scene.k[s.EMPOWER_COUNT] == p[0]
    assert scene.f[s.EMPOWER_DAMAGE] == pytest.approx(played.raw(p[1], p[2], p[3]), rel=1e-5)
    assert scene.f[s.EMPOWER_STUN] == pytest.approx(p[4])


def check_zone(played: Played, effect: EffectData) -> None:
    p, scene = effect.p, played.scene
    amount = played.expected_damage(played.raw(p[2], p[3], 0.0, p[4]) * 0.1, effect.type)
    scene.put(ENEMY, played.stat(s.X, ENEMY), 0.0)
    scene.k[s.AIR_UNTIL + ENEMY] = scene.k[s.FORCE_UNTIL + ENEMY] = 0
    dealt = []
    for step in range(ticks(p[1]) + 1):
        hp = scene.f[s.HP + CASTER] = 0.2 * scene.f[s.MAX_HP + CASTER]
        scene.f[s.HP + ENEMY] = scene.f[s.MAX_HP + ENEMY]
        if effect.follow:
            scene.put(CASTER, 0.1 * step, 0.0)
            scene.put(ENEMY, 0.1 * step + played.distance(), 0.0)
        scene.tick()
        dealt.append(scene.damage(ENEMY))
        if step == 0:
            assert scene.left(s.SLOW_UNTIL, ENEMY) == (1 if p[5] else 0)
            assert scene.f[s.SLOW + ENEMY] == pytest.approx(p[5])
            leech = sum(float(scene.ev.damage[u]) for u in (ENEMY, SECOND)) * (
                effect.drain + 0.6 * leech_share(scene)
            )
            assert scene.f[s.HP + CASTER] - hp == pytest.approx(leech, rel=1e-3, abs=1e-3)
    assert dealt == pytest.approx([amount] * ticks(p[1]) + [0.0], rel=1e-3)


def leech_share(scene: Scene) -> float:
    buff = scene.f[s.LIFESTEAL_BUFF + CASTER] if scene.left(s.LIFESTEAL_UNTIL, CASTER) else 0.0
    return float(scene.f[s.LIFESTEAL + CASTER] + buff)


def check_summon(played: Played, effect: EffectData) -> None:
    scene, p = played.scene, effect.p
    units = [u for u in range(s.SUMMON0, s.SUMMON0 + s.SUMMONS_PER_TEAM) if scene.f[s.HP + u] > 0]
    assert len(units) == effect.count
    for u in units:
        assert scene.k[s.OWNER + u] == CASTER
        assert scene.f[s.MAX_HP + u] == pytest.approx(played.raw(p[0], p[1]))
        assert scene.f[s.POWER + u] == pytest.approx(played.raw(p[2], p[3], 0.0, effect.ap), rel=1e-5)
        assert scene.left(s.EXPIRES, u) == ticks(p[5])


def check_reset(played: Played, effect: EffectData) -> None:
    scene, ready = played.scene, s.SKILL_READY + played.index
    scene.k[s.TICK] -= 1  # deaths are settled within the tick
    left = int(scene.k[ready] - scene.k[s.TICK])
    on_kill(scene.f, scene.k, scene.t, CASTER)
    assert scene.k[ready] - scene.k[s.TICK] == math.ceil(left * (1.0 - effect.p[0]) - 1e-3)
    on_kill(scene.f, scene.k, scene.t, CASTER)
    assert scene.k[ready] - scene.k[s.TICK] == math.ceil(left * (1.0 - effect.p[0]) - 1e-3), "once a cast"


def check_drain(played: Played, effect: EffectData) -> None:
    dealt = sum(float(played.scene.ev.damage[u]) for u in (ENEMY, SECOND))
    share = effect.p[0] + 0.6 * played.stat(s.LIFESTEAL)
    assert played.scene.f[s.HP] - played.stat(s.HP) == pytest.approx(dealt * share, rel=1e-3)


def check_reveal(played: Played, effect: EffectData) -> None:
    scene = played.scene
    scene.tick(ticks(effect.p[1]) - 1)
    assert scene.left(s.REVEALED_UNTIL, ENEMY) >= 1
    scene.tick(3)
    assert scene.left(s.REVEALED_UNTIL, ENEMY) == 0


def check_chain(played: Played, effect: EffectData) -> None:
    """The chain goes on to the second enemy, one unit from the first, and not to those far off."""
    assert played.scene.damage(SECOND) == pytest.approx(played.hit_damage(SECOND), rel=1e-5)
    assert sum(played.scene.damage(u) > 0 for u in range(5, 10)) == 2


CLEANSED = (
    s.STUN_UNTIL,
    s.ROOT_UNTIL,
    s.SLOW_UNTIL,
    s.SILENCE_UNTIL,
    s.DISARM_UNTIL,
    s.TAUNT_UNTIL,
    s.GRIEVOUS_UNTIL,
    s.SHRED_UNTIL,
)
TIMED = {
    "stun": s.STUN_UNTIL,
    "root": s.ROOT_UNTIL,
    "silence": s.SILENCE_UNTIL,
    "disarm": s.DISARM_UNTIL,
    "stealth": s.STEALTH_UNTIL,
    "unstop": s.UNSTOP_UNTIL,
    "invuln": s.INVULN_UNTIL,
}
MAGNITUDES = {
    "slow": (s.SLOW, s.SLOW_UNTIL),
    "haste": (s.HASTE, s.HASTE_UNTIL),
    "aspd": (s.ASPD_BUFF, s.ASPD_UNTIL),
    "lifesteal": (s.LIFESTEAL_BUFF, s.LIFESTEAL_UNTIL),
    "reflect": (s.REFLECT, s.REFLECT_UNTIL),
    "griev": (s.GRIEVOUS, s.GRIEVOUS_UNTIL),
    "struct": (s.SIEGE, s.SIEGE_UNTIL),
    "rangeup": (s.RANGEUP, s.RANGEUP_UNTIL),
    "onhitpct": (s.ONHIT, s.ONHIT_UNTIL),
    "dmgred": (s.DMGRED, s.DMGRED_UNTIL),
}
CHECKS: dict[str, Callable[[Played, EffectData], None]] = {
    name.removeprefix("check_"): value for name, value in dict(globals()).items() if name.startswith("check_")
}


def check(played: Played, effect: EffectData) -> None:
    if effect.kind in CHECKS:
        CHECKS[effect.kind](played, effect)
        return
    for u in played.receivers(effect):
        if effect.kind in TIMED:
            assert played.scene.left(TIMED[effect.kind], u) == ticks(effect.p[0])
        else:
            magnitude, until = MAGNITUDES[effect.kind]
            assert played.scene.f[magnitude + u] == pytest.approx(effect.p[0])
            assert played.scene.left(until, u) == ticks(effect.p[1])


@pytest.mark.parametrize(("name", "index"), SKILLS)
def test_skill_costs_mana_and_cooldown_and_does_what_it_says(name: str, index: int) -> None:
    for number, effect in enumerate(POOL.heroes[POOL.names.index(name)].skills[index].effects):
        played = Played(name, index)
        scene, skill = played.scene, played.skill
        if number == 0:
            assert scene.f[s.MANA + CASTER] == pytest.approx(played.stat(s.MANA) - skill.mana)
            wait = math.ceil(ticks(skill.cooldown) * (1.0 - played.stat(s.CDR)) - 1e-3)
            assert scene.k[s.SKILL_READY + index] == played.before_k[s.TICK] + wait
            assert scene.dropped() == 0
        check(played, effect)


@pytest.mark.parametrize(("name", "index"), SKILLS)
def test_skill_waits_for_mana_cooldown_and_level(name: str, index: int) -> None:
    scene = Scene([name], level=12)
    scene.put(CASTER, 0.0, 0.0)
    scene.put(ALLY, 0.5, 0.0)
    scene.put(ENEMY, 1.0, 0.0)
    skill = POOL.heroes[POOL.names.index(name)].skills[index]
    target = ALLY if skill.cast == "ally" else ENEMY
    mana, ready = scene.f[s.MANA], s.SKILL_READY + index
    for hinder in ("mana", "cooldown", "level", "silence", "stun", "air"):
        scene.f[s.MANA] = skill.mana - 0.5 if hinder == "mana" else mana
        scene.k[ready] = scene.k[s.TICK] + 1 if hinder == "cooldown" else 0
        scene.k[s.LEVEL] = (0, 1, 3)[index] if hinder == "level" else 12
        for field, name_of in ((s.SILENCE_UNTIL, "silence"), (s.STUN_UNTIL, "stun"), (s.AIR_UNTIL, "air")):
            scene.k[field] = scene.k[s.TICK] + 1 if hinder == name_of else 0
        before = np.float32(scene.f[s.MANA])
        scene.cast(CASTER, index, target)
        assert scene.f[s.MANA] == before, hinder
    scene.k[s.AIR_UNTIL] = 0
    scene.cast(CASTER, index, target)
    assert scene.f[s.MANA] == mana - np.float32(skill.mana)


def test_the_pool_uses_every_primitive_but_blink() -> None:
    used = {effect.kind for hero in POOL.heroes for skill in hero.skills for effect in skill.effects}
    assert set(POOL.kinds) - used == {"blink"}
    assert used == set(CHECKS) | set(TIMED) | set(MAGNITUDES)
