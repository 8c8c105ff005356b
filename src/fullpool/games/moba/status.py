"""What a unit can do now, by its statuses, and the numbers that its statuses change.

A status holds while its `UNTIL` lies after the current tick. One that is applied in tick T with n ticks gets
`UNTIL = T + n + 1`: it shapes the rest of T and the n ticks after it. Of two statuses of a kind the stronger wins,
of two equally strong ones the longer: nothing depends on the order of events.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fullpool.games.moba import state as s
from fullpool.games.moba import tables as tb
from fullpool.games.moba.events import ONE, ZERO, Number, Row, f32, i64
from fullpool.games.moba.tables import Tables
from fullpool.numerics.kernels import kernel

SUMMON_SPEED: Any = np.float32(4.2)  # map units a second
TENTH: Any = np.float32(0.1)
ROUNDING: Any = np.float32(1.0e-3)  # a time this little above whole ticks is whole ticks


@kernel
def ticks_of(seconds: float) -> Number:
    """Rounds seconds up to ticks."""
    return i64(np.ceil(f32(seconds) * f32(s.TICKS_PER_SECOND) - ROUNDING))


@kernel
def team_of(u: int) -> Number:
    """Team of a unit by its place in the tables; `NEUTRAL` for monsters."""
    if u < s.STRUCTURE0:
        return u // s.TEAM_SIZE
    if u < s.SUMMON0:
        return (u - s.STRUCTURE0) // s.STRUCTURES_PER_TEAM
    if u < s.MINION0:
        return (u - s.SUMMON0) // s.SUMMONS_PER_TEAM
    if u < s.MONSTER0:
        return (u - s.MINION0) // s.MINIONS_PER_TEAM
    return s.NEUTRAL


@kernel
def place_in_team(u: int) -> Number:
    """Place of a unit among all units of its team: equal for a unit and its mirror image."""
    if u < s.STRUCTURE0:
        return u % s.TEAM_SIZE
    if u < s.SUMMON0:
        return s.TEAM_SIZE + (u - s.STRUCTURE0) % s.STRUCTURES_PER_TEAM
    if u < s.MINION0:
        return s.TEAM_SIZE + s.STRUCTURES_PER_TEAM + (u - s.SUMMON0) % s.SUMMONS_PER_TEAM
    if u < s.MONSTER0:
        return 32 + (u - s.MINION0) % s.MINIONS_PER_TEAM
    return 96 + u - s.MONSTER0


@kernel
def is_alive(f: Row, u: int) -> bool:
    """Whether a slot holds a living unit."""
    return bool(f[s.HP + u] > ZERO)


@kernel
def is_seen_by(k: Row, u: int, team: int) -> bool:
    """Whether a team sees a unit."""
    return bool((k[s.VISIBLE + u] >> team) & 1 == 1)


@kernel
def can_act(k: Row, u: int) -> bool:
    """Neither stunned nor in the air."""
    return bool(k[s.STUN_UNTIL + u] <= k[s.TICK] and k[s.AIR_UNTIL + u] <= k[s.TICK])


@kernel
def can_move(k: Row, u: int) -> bool:
    """Free to walk by its own will: acts, is not rooted and is not being displaced."""
    tick = k[s.TICK]
    return can_act(k, u) and k[s.ROOT_UNTIL + u] <= tick and k[s.FORCE_UNTIL + u] <= tick


@kernel
def is_taunted(k: Row, h: int) -> bool:
    """Whether a hero must attack the one that taunted it."""
    return bool(k[s.TAUNT_UNTIL + h] > k[s.TICK])


@kernel
def can_attack(k: Row, h: int) -> bool:
    """Whether a hero may strike (not whether it is in reach or ready)."""
    return can_act(k, h) and k[s.DISARM_UNTIL + h] <= k[s.TICK]


@kernel
def can_cast(k: Row, h: int) -> bool:
    """Whether a hero may use skills at all (see `skill_is_ready` for one of them)."""
    return can_act(k, h) and k[s.SILENCE_UNTIL + h] <= k[s.TICK] and not is_taunted(k, h)


@kernel
def skill_is_ready(f: Row, k: Row, t: Tables, h: int, skill: int) -> bool:
    """Whether a skill is learnt, cooled down, affordable and not held back by a root."""
    row = t.skill[k[s.HERO_ID + h], skill]
    if k[s.LEVEL + h] < t.preset[tb.P_SKILL_LEVEL1 + skill] or f[s.MANA + h] < row[tb.SKILL_MANA]:
        return False
    if k[s.SKILL_READY + h * s.NUM_SKILLS + skill] > k[s.TICK]:
        return False
    return bool(row[tb.SKILL_BLOCKED_BY_ROOT] == ZERO or k[s.ROOT_UNTIL + h] <= k[s.TICK])


@kernel
def heal_is_ready(k: Row, h: int) -> bool:
    """Whether the summoner heal may be used: silence does not stop it, stun, air and taunt do."""
    return can_act(k, h) and not is_taunted(k, h) and k[s.HEAL_READY + h] <= k[s.TICK]


@kernel
def is_invulnerable(k: Row, h: int) -> bool:
    """Whether a hero takes no damage; it can still be targeted and controlled."""
    return bool(k[s.INVULN_UNTIL + h] > k[s.TICK])


@kernel
def move_speed(f: Row, k: Row, t: Tables, u: int) -> Number:
    """How far a unit walks in one tick; heroes, summons and minions."""
    tick = k[s.TICK]
    speed = t.preset[tb.P_MINION_SPEED]
    if u < s.NUM_HEROES:
        speed = f[s.SPEED + u]
        if k[s.HASTE_UNTIL + u] > tick:
            speed = speed * (ONE + f[s.HASTE + u])
    elif u < s.MINION0:
        speed = SUMMON_SPEED
    if k[s.SLOW_UNTIL + u] > tick:
        speed = speed * (ONE - f[s.SLOW + u])
    return speed * TENTH


@kernel
def attack_ticks(f: Row, k: Row, t: Tables, h: int) -> Number:
    """Ticks between two basic attacks: interval / (1 + attack speed), rounded up."""
    speed = ONE + f[s.ASPD + h]
    if k[s.ASPD_UNTIL + h] > k[s.TICK]:
        speed = speed + f[s.ASPD_BUFF + h]
    return ticks_of(f[s.INTERVAL + h] / speed)


@kernel
def attack_range(f: Row, k: Row, h: int) -> Number:
    """Reach of basic attacks."""
    reach = f[s.RANGE + h]
    if k[s.RANGEUP_UNTIL + h] > k[s.TICK]:
        reach = reach + f[s.RANGEUP + h]
    return reach


@kernel
def lifesteal(f: Row, k: Row, h: int) -> Number:
    """Share of a basic attack's damage that heals its hero."""
    if k[s.LIFESTEAL_UNTIL + h] > k[s.TICK]:
        return f[s.LIFESTEAL + h] + f[s.LIFESTEAL_BUFF + h]
    return f[s.LIFESTEAL + h]


@kernel
def healing_factor(f: Row, k: Row, h: int) -> Number:
    """What is left of a heal under grievous wounds."""
    if k[s.GRIEVOUS_UNTIL + h] > k[s.TICK]:
        return ONE - f[s.GRIEVOUS + h]
    return ONE


@kernel
def cooldown_ticks(f: Row, t: Tables, h: int, ticks: float) -> Number:
    """A cooldown with the hero's reduction, capped, rounded up."""
    cut = min(f[s.CDR + h], t.preset[tb.P_CDR_CAP])
    return i64(np.ceil(f32(ticks) * (ONE - cut) - ROUNDING))
