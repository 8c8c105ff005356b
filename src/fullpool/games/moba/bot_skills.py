"""How scripted bots use skills: what a skill is good for, read from its primitives, and when to cast it.

A smart bot saves ultimates for two enemies or a weak one, heals whom it helps and shields who is being hit; a simple
bot casts whatever is ready at whatever is near.
"""

from __future__ import annotations

import numpy as np

from fullpool.games.moba import state as s
from fullpool.games.moba import tables as tb
from fullpool.games.moba.bot_common import (
    distance2,
    hp_share,
    is_allowed,
    known,
    nearest_direction,
    own_x,
    own_y,
    sees,
    set_action,
    slot_unit,
)
from fullpool.games.moba.columns import C_HP
from fullpool.games.moba.events import Number, Row, f32, i64
from fullpool.games.moba.tables import Tables
from fullpool.numerics.kernels import kernel

# What a skill is good for, as bits
HURTS, CONTROLS, HEALS, GUARDS, BUFFS, SIEGES, SUMMONS, LEAPS, HIDES = 1, 2, 4, 8, 16, 32, 64, 128, 256

HEAL_BELOW = f32(0.75)
ULTIMATE_HEAL_BELOW = f32(0.5)
WEAK_BELOW = f32(0.5)
RECENTLY = 15  # ticks: "being hit"
GROUP_RADIUS2 = f32(36.0)
GLOBAL_REACH = f32(25.0)


@kernel
def skill_uses(t: Tables, hero: int, skill: int) -> int:
    """Bits of what a skill is good for."""
    uses = 0
    for e in range(i64(t.skill[hero, skill, tb.SKILL_NUM_EFFECTS])):
        kind = i64(t.effect[hero, skill, e, tb.EFFECT_KIND])
        if kind == tb.KIND_DMG or kind == tb.KIND_DOT or kind == tb.KIND_ZONE:
            uses |= HURTS
        elif kind == tb.KIND_HEAL:
            uses |= HEALS
        elif (
            kind == tb.KIND_SHIELD
            or kind == tb.KIND_DMGRED
            or kind == tb.KIND_INVULN
            or kind == tb.KIND_REFLECT
            or kind == tb.KIND_CLEANSE
        ):
            uses |= GUARDS
        elif kind == tb.KIND_SUMMON:
            uses |= SUMMONS
        elif kind == tb.KIND_STRUCT:
            uses |= SIEGES
        elif kind == tb.KIND_GAPCLOSE:
            uses |= LEAPS
        elif kind == tb.KIND_STEALTH:
            uses |= HIDES
        elif (
            kind == tb.KIND_EMPOWER
            or kind == tb.KIND_ASPD
            or kind == tb.KIND_HASTE
            or kind == tb.KIND_LIFESTEAL
            or kind == tb.KIND_RANGEUP
            or kind == tb.KIND_ONHITPCT
        ):
            uses |= BUFFS
        elif kind == tb.KIND_STUN or kind == tb.KIND_ROOT or kind == tb.KIND_HOOK or kind == tb.KIND_TAUNT:
            uses |= CONTROLS
        elif kind == tb.KIND_KNOCK or kind == tb.KIND_SILENCE or kind == tb.KIND_DISARM:
            uses |= CONTROLS
    return uses


@kernel
def skill_reach(t: Tables, hero: int, skill: int) -> Number:
    """How far from the caster a skill touches enemies; the radius of a zone or circle for casts around itself."""
    reach = max(t.skill[hero, skill, tb.SKILL_RANGE], t.skill[hero, skill, tb.SKILL_RADIUS])
    cast = i64(t.skill[hero, skill, tb.SKILL_CAST])
    if cast == tb.CAST_GROUND:
        return t.skill[hero, skill, tb.SKILL_RANGE] + f32(0.5) * t.skill[hero, skill, tb.SKILL_RADIUS]
    if cast == tb.CAST_SKYLINE or cast == tb.CAST_GGROUND:
        return GLOBAL_REACH
    if cast == tb.CAST_BUFF:
        for e in range(i64(t.skill[hero, skill, tb.SKILL_NUM_EFFECTS])):
            if i64(t.effect[hero, skill, e, tb.EFFECT_KIND]) == tb.KIND_ZONE:
                reach = max(reach, t.effect[hero, skill, e, tb.EFFECT_P0])
    return reach


@kernel
def cast_at(
    f: Row, k: Row, t: Tables, h: int, legal: Row, skill: int, slot: int, away: bool, out: Row
) -> bool:
    """Casts at what a Who slot points to, filling all heads so that both ways of aiming are served.

    Args:
        f: floats of the match.
        k: integers of the match.
        t: tables of the game.
        h: seat of the caster.
        legal: its flat mask.
        skill: 0, 1 or 2.
        slot: Who slot of the target.
        away: turns the direction round, for a dash that flees.
        out: `[4]` action, written if legal.

    Returns:
        Whether the cast is legal.
    """
    u = slot_unit(k, h, slot)
    if u < 0:
        return False
    team = h // s.TEAM_SIZE
    dx, dy = own_x(f, u, team) - own_x(f, h, team), own_y(f, u, team) - own_y(f, h, team)
    if away:
        dx, dy = -dx, -dy
    direction = nearest_direction(t, dx, dy)
    quarter = max(t.skill[k[s.HERO_ID + h], skill, tb.SKILL_RANGE], f32(0.1)) / f32(s.NUM_DIST)
    dist = i64(np.sqrt(dx * dx + dy * dy) / quarter + f32(0.5)) - 1
    dist = min(max(dist, 0), s.NUM_DIST - 1)
    if not is_allowed(legal, s.SKILL1 + skill, slot, direction):
        return False
    set_action(out, s.SKILL1 + skill, slot, direction, dist)
    return True


@kernel
def weakest_ally(f: Row, k: Row, h: int, reach: Number) -> int:
    """Slot of self or the ally within reach with the smallest share of hit points; 0 is self."""
    best, best_share = s.SLOT_SELF, hp_share(f, h)
    for slot in range(s.SLOT_ALLY, s.SLOT_ALLY + s.TEAM_SIZE - 1):
        u = slot_unit(k, h, slot)
        if u < 0 or f[s.HP + u] <= f32(0.0) or distance2(f, h, u) > reach * reach:
            continue
        if hp_share(f, u) < best_share:
            best, best_share = slot, hp_share(f, u)
    return best


@kernel
def enemies_around(f: Row, k: Row, team: int, u: int, radius2: Number) -> int:
    """Number of visible living enemy heroes of `team` within a squared radius of a unit."""
    count = 0
    first = (1 - team) * s.TEAM_SIZE
    for v in range(first, first + s.TEAM_SIZE):
        if f[s.HP + v] > f32(0.0) and sees(k, team, v) and distance2(f, u, v) <= radius2:
            count += 1
    return count


@kernel
def _cast_for_allies(
    f: Row, k: Row, t: Tables, h: int, legal: Row, skill: int, uses: int, smart: bool, out: Row
) -> bool:
    """Heals and guards: to the weakest in reach who needs it, or around or everywhere."""
    hero = k[s.HERO_ID + h]
    cast = i64(t.skill[hero, skill, tb.SKILL_CAST])
    reach = f32(1.0e4) if cast == tb.CAST_GALLY else skill_reach(t, hero, skill)
    slot = s.SLOT_SELF if cast == tb.CAST_BUFF else weakest_ally(f, k, h, reach)
    u = slot_unit(k, h, slot)
    u = h if u < 0 else u
    below = ULTIMATE_HEAL_BELOW if skill == s.NUM_SKILLS - 1 else HEAL_BELOW
    hit = k[s.TICK] - k[s.LAST_HURT + u] <= RECENTLY
    wanted = hp_share(f, u) < below if uses & HEALS else hit
    if not smart and hit:
        wanted = True
    if skill == s.NUM_SKILLS - 1 and uses & HEALS == 0:
        wanted = wanted and hp_share(f, u) < HEAL_BELOW
    return wanted and cast_at(f, k, t, h, legal, skill, slot, False, out)


@kernel
def _worth_ultimate(f: Row, k: Row, h: int, target: int) -> bool:
    """Whether an ultimate finds two enemies or a weak one, or the caster is in need."""
    team = h // s.TEAM_SIZE
    return (
        known(f, target, C_HP) < WEAK_BELOW
        or hp_share(f, h) < WEAK_BELOW
        or enemies_around(f, k, team, target, GROUP_RADIUS2) >= 2
    )


@kernel
def _use_skill(
    f: Row,
    k: Row,
    t: Tables,
    h: int,
    legal: Row,
    skill: int,
    target_slot: int,
    smart: bool,
    may_leap: bool,
    out: Row,
) -> bool:
    """Casts one skill if it makes sense now; arguments as `use_skills`."""
    hero = k[s.HERO_ID + h]
    cast = i64(t.skill[hero, skill, tb.SKILL_CAST])
    uses = skill_uses(t, hero, skill)
    for_allies = uses & (HEALS | GUARDS) != 0 and uses & (HURTS | CONTROLS) == 0
    if cast == tb.CAST_ALLY or cast == tb.CAST_GALLY or (for_allies and uses & BUFFS == 0):
        return _cast_for_allies(f, k, t, h, legal, skill, uses, smart, out)
    if target_slot < 0:
        return False
    u = slot_unit(k, h, target_slot)
    d2 = distance2(f, h, u)
    is_hero, is_structure = u < s.NUM_HEROES, s.STRUCTURE0 <= u < s.SUMMON0
    if smart and skill == s.NUM_SKILLS - 1 and not (is_hero and _worth_ultimate(f, k, h, u)):
        if uses & (SIEGES | SUMMONS) == 0 or not (is_hero or is_structure):
            return False
    if is_structure and uses & (BUFFS | SIEGES | SUMMONS) == 0:
        return False
    if cast == tb.CAST_DASH or uses & LEAPS:
        if not may_leap:
            return False
    reach = skill_reach(t, hero, skill)
    if uses & (HURTS | CONTROLS) == 0 or cast == tb.CAST_BUFF:
        reach = max(reach, f[s.RANGE + h] + f32(1.5))
    if cast == tb.CAST_GGROUND or cast == tb.CAST_SKYLINE:
        if not is_hero or (smart and known(f, u, C_HP) > WEAK_BELOW and d2 > f32(81.0)):
            return False
    if d2 > reach * reach:
        return False
    if cast == tb.CAST_SELF or cast == tb.CAST_BUFF:
        return cast_at(f, k, t, h, legal, skill, s.SLOT_SELF, False, out)
    flees = cast == tb.CAST_DASH and uses & HURTS == 0 and d2 < f32(9.0)
    return cast_at(f, k, t, h, legal, skill, target_slot, flees, out)


@kernel
def use_skills(
    f: Row,
    k: Row,
    t: Tables,
    h: int,
    legal: Row,
    target_slot: int,
    smart: bool,
    may_leap: bool,
    last: int,
    out: Row,
) -> bool:
    """Casts the first skill that makes sense now, the ultimate before the others.

    Args:
        f: floats of the match.
        k: integers of the match.
        t: tables of the game.
        h: seat of the caster.
        legal: its flat mask.
        target_slot: Who slot of the enemy that the caster fights or farms, -1: nobody.
        smart: applies the fighter's conditions; otherwise casts as soon as something is in reach.
        may_leap: whether skills that carry the caster to the enemy are allowed.
        last: the greatest skill to consider, 2 for all.
        out: `[4]` action, written if a cast is chosen.

    Returns:
        Whether a cast was chosen.
    """
    for step in range(last + 1):
        skill = last - step
        if legal[s.SKILL1 + skill] != 0 and _use_skill(
            f, k, t, h, legal, skill, target_slot, smart, may_leap, out
        ):
            return True
    return False
