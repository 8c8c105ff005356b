"""How strong both sides are around a hero: heroes in sight, heroes remembered, and structures."""

from __future__ import annotations

import numpy as np

from fullpool.games.moba import state as s
from fullpool.games.moba.bot_common import distance2, sees
from fullpool.games.moba.bot_laner import minions_tank
from fullpool.games.moba.columns import PER_HP, PER_LEVEL, SEEN_HP_ABSOLUTE, SEEN_LEVEL, SEEN_X, SEEN_Y
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
def effective_hp(f: Row, k: Row, u: int) -> Number:
    """Hit points and shield of a hero, with the middle of its two resistances."""
    shield = f[s.SHIELD + u] if k[s.SHIELD_UNTIL + u] > k[s.TICK] else ZERO
    resist = f32(0.5) * (f[s.ARMOR + u] + f[s.MR + u])
    return max(f[s.HP + u] + shield, ZERO) * (ONE + resist * f32(0.01))


@kernel
def hero_power(f: Row, k: Row, t: Tables, u: int, own: bool) -> Number:
    """Strength of a hero in a fight: square root of effective hit points times damage, more with skills ready."""
    level = f32(k[s.LEVEL + u])
    attacks = f[s.AD + u] * (ONE + f[s.ASPD + u]) / max(f[s.INTERVAL + u], f32(0.1))
    damage = attacks + f32(10.0) + f32(6.0) * level + f32(0.3) * f[s.AP + u]
    ready = ENEMY_READY
    if own:
        ready = ONE
        for skill in range(s.NUM_SKILLS):
            if k[s.SKILL_READY + u * s.NUM_SKILLS + skill] <= k[s.TICK]:
                ready += f32(0.15)
    return np.sqrt(effective_hp(f, k, u)) * damage * ready


@kernel
def remembered_power(f: Row, k: Row, h: int, u: int) -> Number:
    """Strength of an enemy hero out of sight, as it was when last seen near, less the longer ago."""
    age = f32(k[s.TICK] - k[s.SEEN_TICK + u])
    if age >= MEMORY_TICKS:
        return ZERO
    seen = s.SEEN + u * s.SEEN_COLUMNS
    dx, dy = f[s.X + h] - f[seen + SEEN_X], f[s.Y + h] - f[seen + SEEN_Y]
    if dx * dx + dy * dy > FIGHT_RADIUS * FIGHT_RADIUS:
        return ZERO
    hit_points, level = f[seen + SEEN_HP_ABSOLUTE] / PER_HP, f[seen + SEEN_LEVEL] / PER_LEVEL
    damage = f32(70.0) + f32(10.0) * level
    return np.sqrt(max(hit_points, ZERO) * f32(1.4)) * damage * ENEMY_READY * (ONE - age / MEMORY_TICKS)


@kernel
def power_around(f: Row, k: Row, t: Tables, h: int, own: bool) -> Number:
    """Power of one side's heroes and structures around a hero."""
    team = h // s.TEAM_SIZE
    side = team if own else 1 - team
    total = ZERO
    for u in range(side * s.TEAM_SIZE, side * s.TEAM_SIZE + s.TEAM_SIZE):
        if f[s.HP + u] <= ZERO:
            continue
        if own or sees(k, team, u):
            if distance2(f, h, u) <= FIGHT_RADIUS * FIGHT_RADIUS:
                total += hero_power(f, k, t, u, own)
    first = s.STRUCTURE0 + side * s.STRUCTURES_PER_TEAM
    for u in range(first, first + s.STRUCTURES_PER_TEAM):
        if f[s.HP + u] > ZERO and distance2(f, h, u) <= STRUCTURE_RADIUS * STRUCTURE_RADIUS:
            if own or minions_tank(f, t, team, u) == 0:
                total += TURRET_POWER * np.sqrt(f[s.HP + u]) * f[s.POWER + u]
    return total


@kernel
def enemy_power(f: Row, k: Row, t: Tables, h: int) -> Number:
    """Power of the enemies around a hero, those in sight and those remembered."""
    team = h // s.TEAM_SIZE
    total = power_around(f, k, t, h, False)
    first = (1 - team) * s.TEAM_SIZE
    for u in range(first, first + s.TEAM_SIZE):
        if f[s.HP + u] > ZERO and not sees(k, team, u):
            total += remembered_power(f, k, h, u)
    return total
