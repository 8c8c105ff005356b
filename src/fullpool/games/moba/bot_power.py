"""How strong both sides are around a hero: heroes in sight, heroes remembered, and structures."""

from __future__ import annotations

import numpy as np

from fullpool.games.moba import state as s
from fullpool.games.moba.bot_common import distance2, known, sees
from fullpool.games.moba.bot_laner import minions_tank
from fullpool.games.moba.columns import (
    C_AD,
    C_AP,
    C_ARMOR,
    C_ASPD,
    C_HP_ABSOLUTE,
    C_LEVEL,
    C_MR,
    C_SHIELD,
    C_X,
    C_Y,
    PER_AD,
    PER_AP,
    PER_ATTACKS,
    PER_HP,
    PER_LEVEL,
    PER_RESIST,
    PER_SHIELD,
)
from fullpool.games.moba.events import Number, Row, f32
from fullpool.games.moba.tables import Tables
from fullpool.numerics.kernels import kernel

FIGHT_RADIUS = f32(10.0)
MEMORY_TICKS = f32(50.0)  # after which a hero out of sight is forgotten
TURRET_POWER = f32(0.6)
ENEMY_READY = f32(1.3)  # enemies' cooldowns are not seen: as if two skills were ready
STRUCTURE_RADIUS = f32(9.0)
ZERO, ONE = f32(0.0), f32(1.0)


@kernel
def enemy_hp(f: Row, u: int) -> Number:
    """Hit points and shield of an enemy hero as known, with the middle of its two resistances."""
    hp = known(f, u, C_HP_ABSOLUTE) / PER_HP + known(f, u, C_SHIELD) / PER_SHIELD
    resist = f32(0.5) * (known(f, u, C_ARMOR) + known(f, u, C_MR)) / PER_RESIST
    return hp * (ONE + resist * f32(0.01))


@kernel
def _fighting_power(hp: Number, attacks: Number, ability: Number, level: Number, ready: Number) -> Number:
    """Square root of effective hit points times damage a second, more with skills ready."""
    damage = attacks + f32(10.0) + f32(6.0) * level + f32(0.3) * ability
    return np.sqrt(max(hp, ZERO)) * damage * ready


@kernel
def own_power(f: Row, k: Row, u: int) -> Number:
    """Strength in a fight of a hero of the own team."""
    shield = f[s.SHIELD + u] if k[s.SHIELD_UNTIL + u] > k[s.TICK] else ZERO
    resist = f32(0.5) * (f[s.ARMOR + u] + f[s.MR + u])
    hp = (f[s.HP + u] + shield) * (ONE + resist * f32(0.01))
    attacks = f[s.AD + u] * (ONE + f[s.ASPD + u]) / max(f[s.INTERVAL + u], f32(0.1))
    ready = ONE
    for skill in range(s.NUM_SKILLS):
        if k[s.SKILL_READY + u * s.NUM_SKILLS + skill] <= k[s.TICK]:
            ready += f32(0.15)
    return _fighting_power(hp, attacks, f[s.AP + u], f32(k[s.LEVEL + u]), ready)


@kernel
def enemy_hero_power(f: Row, k: Row, h: int, u: int) -> Number:
    """Strength of an enemy hero in a fight around a hero; one out of sight counts less the longer ago it was seen."""
    dx, dy = f[s.X + h] - known(f, u, C_X), f[s.Y + h] - known(f, u, C_Y)
    if dx * dx + dy * dy > FIGHT_RADIUS * FIGHT_RADIUS:
        return ZERO
    fresh = ONE
    if not sees(k, h // s.TEAM_SIZE, u):
        fresh = max(ONE - f32(k[s.TICK] - k[s.SEEN_TICK + u]) / MEMORY_TICKS, ZERO)
    attacks = known(f, u, C_AD) / PER_AD * known(f, u, C_ASPD) / PER_ATTACKS
    level = known(f, u, C_LEVEL) / PER_LEVEL
    return fresh * _fighting_power(enemy_hp(f, u), attacks, known(f, u, C_AP) / PER_AP, level, ENEMY_READY)


@kernel
def _structures_power(f: Row, t: Tables, h: int, side: int, own: bool) -> Number:
    """Power of a side's structures around a hero; an enemy one that fires at minions does not count."""
    total = ZERO
    first = s.STRUCTURE0 + side * s.STRUCTURES_PER_TEAM
    for u in range(first, first + s.STRUCTURES_PER_TEAM):
        if f[s.HP + u] > ZERO and distance2(f, h, u) <= STRUCTURE_RADIUS * STRUCTURE_RADIUS:
            if own or minions_tank(f, t, h // s.TEAM_SIZE, u) == 0:
                total += TURRET_POWER * np.sqrt(f[s.HP + u]) * f[s.POWER + u]
    return total


@kernel
def power_around(f: Row, k: Row, t: Tables, h: int, own: bool) -> Number:
    """Power of the own or the enemy's side around a hero: heroes and structures.

    Args:
        f: floats of the match.
        k: integers of the match.
        t: tables of the game.
        h: seat.
        own: whose side.

    Returns:
        The power; only its ratio to the other side's means anything.
    """
    team = h // s.TEAM_SIZE
    side = team if own else 1 - team
    total = _structures_power(f, t, h, side, own)
    for u in range(side * s.TEAM_SIZE, side * s.TEAM_SIZE + s.TEAM_SIZE):
        if f[s.HP + u] <= ZERO:
            continue
        if not own:
            total += enemy_hero_power(f, k, h, u)
        elif distance2(f, h, u) <= FIGHT_RADIUS * FIGHT_RADIUS:
            total += own_power(f, k, u)
    return total
