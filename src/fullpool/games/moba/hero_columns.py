"""The columns of a hero's row that do not depend on who looks: what is seen of it, and what only its team knows."""

from __future__ import annotations

import numpy as np

from fullpool.games.moba import columns as c
from fullpool.games.moba import state as s
from fullpool.games.moba import tables as tb
from fullpool.games.moba.columns import ONE, ZERO, Scalar
from fullpool.games.moba.events import Row
from fullpool.games.moba.status import attack_range
from fullpool.games.moba.tables import Tables
from fullpool.numerics.kernels import inlined, kernel


@kernel
def share_left(until: int, tick: int, scale: float) -> Scalar:
    """Share of a span that is left until a tick, cut to [0, 1]; `scale` is one over the span in ticks."""
    return min(max(np.float32(until - tick) * scale, ZERO), ONE)


@kernel
def burning_until(k: Row, h: int) -> Scalar:
    """Tick at which the last damage over time that runs on a hero ends; 0: none."""
    enemy, last = 1 - h // s.TEAM_SIZE, np.int32(0)
    if k[s.DOTS_END + enemy] <= k[s.TICK]:
        return last
    first = enemy * s.DOTS_PER_TEAM
    until = k[s.DOT_UNTIL + first : s.DOT_UNTIL + first + s.DOTS_PER_TEAM]
    target = k[s.DOT_TARGET + first : s.DOT_TARGET + first + s.DOTS_PER_TEAM]
    for i in range(s.DOTS_PER_TEAM):
        last = max(last, until[i] if target[i] == h else np.int32(0))
    return last


@kernel
def is_turret_target(f: Row, k: Row, h: int) -> bool:
    """Whether a standing enemy structure shoots at a hero."""
    first, count = s.STRUCTURE0 + (1 - h // s.TEAM_SIZE) * s.STRUCTURES_PER_TEAM, 0
    target = k[s.TARGET + first : s.TARGET + first + s.STRUCTURES_PER_TEAM]
    hp = f[s.HP + first : s.HP + first + s.STRUCTURES_PER_TEAM]
    for i in range(s.STRUCTURES_PER_TEAM):
        count += 1 if (target[i] == h) & (hp[i] > ZERO) else 0
    return count > 0


@inlined
def write_known(f: Row, k: Row, t: Tables, h: int, out: Row, at: int) -> None:
    """Writes what everybody who sees a hero knows of it, but for its position: columns `hp` to `experience`.

    Args:
        f: `[F_SIZE]` floats of the match.
        k: `[K_SIZE]` integers of the match.
        t: tables of the game.
        h: seat.
        out: row written to.
        at: where column `hp` lies in it.
    """
    tick = k[s.TICK]
    to = at - c.C_HP
    hp = f[s.HP + h]
    out[to + c.C_HP] = min(hp / max(f[s.MAX_HP + h], ONE), ONE)
    out[to + c.C_HP_ABSOLUTE] = min(hp * c.PER_HP, ONE)
    out[to + c.C_SHIELD] = min(f[s.SHIELD + h] * c.PER_SHIELD, ONE) if k[s.SHIELD_UNTIL + h] > tick else ZERO
    out[to + c.C_LEVEL] = np.float32(k[s.LEVEL + h]) * c.PER_LEVEL
    out[to + c.C_AD] = min(f[s.AD + h] * c.PER_AD, ONE)
    out[to + c.C_AP] = min(f[s.AP + h] * c.PER_AP, ONE)
    out[to + c.C_ARMOR] = min(f[s.ARMOR + h] * c.PER_RESIST, ONE)
    out[to + c.C_MR] = min(f[s.MR + h] * c.PER_RESIST, ONE)
    attacks = ONE + f[s.ASPD + h] + (f[s.ASPD_BUFF + h] if k[s.ASPD_UNTIL + h] > tick else ZERO)
    out[to + c.C_ASPD] = min(attacks / max(f[s.INTERVAL + h], np.float32(0.1)) * c.PER_ATTACKS, ONE)
    out[to + c.C_RANGE] = min(attack_range(f, k, h) * c.PER_RANGE, ONE)
    speed = f[s.SPEED + h] * (ONE + f[s.HASTE + h] if k[s.HASTE_UNTIL + h] > tick else ONE)
    speed = speed * (ONE - f[s.SLOW + h] if k[s.SLOW_UNTIL + h] > tick else ONE)
    out[to + c.C_SPEED] = min(max(speed * c.PER_SPEED, ZERO), ONE)
    out[to + c.C_STUN] = share_left(max(k[s.STUN_UNTIL + h], k[s.AIR_UNTIL + h]), tick, c.PER_STATUS)
    out[to + c.C_ROOT] = share_left(k[s.ROOT_UNTIL + h], tick, c.PER_STATUS)
    out[to + c.C_SILENCE] = share_left(k[s.SILENCE_UNTIL + h], tick, c.PER_STATUS)
    out[to + c.C_DISARM] = share_left(k[s.DISARM_UNTIL + h], tick, c.PER_STATUS)
    out[to + c.C_SLOW] = share_left(k[s.SLOW_UNTIL + h], tick, c.PER_STATUS)
    out[to + c.C_HASTE] = share_left(k[s.HASTE_UNTIL + h], tick, c.PER_STATUS)
    out[to + c.C_STEALTH] = share_left(k[s.STEALTH_UNTIL + h], tick, c.PER_STATUS)
    out[to + c.C_TAUNT] = share_left(k[s.TAUNT_UNTIL + h], tick, c.PER_STATUS)
    out[to + c.C_DOT] = share_left(burning_until(k, h), tick, c.PER_STATUS)
    out[to + c.C_REFLECT] = share_left(k[s.REFLECT_UNTIL + h], tick, c.PER_STATUS)
    out[to + c.C_INVULN] = share_left(k[s.INVULN_UNTIL + h], tick, c.PER_STATUS)
    out[to + c.C_SHRED] = share_left(k[s.SHRED_UNTIL + h], tick, c.PER_STATUS)
    out[to + c.C_IN_BRUSH] = ONE if k[s.BRUSH + h] > 0 else ZERO
    out[to + c.C_TURRET_TARGET] = ONE if is_turret_target(f, k, h) else ZERO
    out[to + c.C_RECALL] = share_left(k[s.RECALL_DONE + h], tick, ONE / t.preset[tb.P_RECALL_TICKS])
    out[to + c.C_XP] = level_progress(f, k, t, h)


@kernel
def level_progress(f: Row, k: Row, t: Tables, h: int) -> Scalar:
    """Share of the way from a hero's level to the next; 1 at the last level."""
    level = k[s.LEVEL + h]
    if level >= t.level_xp.shape[0] or level < 1:
        return ONE
    reached, needed = t.level_xp[level - 1], t.level_xp[level]
    return min(max((f[s.XP + h] - reached) / max(needed - reached, ONE), ZERO), ONE)


@inlined
def write_private(f: Row, k: Row, t: Tables, h: int, out: Row) -> None:
    """Writes what only a hero's own team knows of it: columns `mana` to `heal_cooldown` of the row `out`."""
    tick = k[s.TICK]
    out[c.C_MANA] = min(f[s.MANA + h] / max(f[s.MAX_MANA + h], ONE), ONE)
    out[c.C_GOLD] = min(f[s.GOLD + h] * c.PER_GOLD, ONE)
    hero = k[s.HERO_ID + h]
    for skill in range(s.NUM_SKILLS):
        left = share_left(k[s.SKILL_READY + h * s.NUM_SKILLS + skill], tick, c.PER_COOLDOWN)
        learnt = np.float32(k[s.LEVEL + h]) >= t.preset[tb.P_SKILL_LEVEL1 + skill]
        usable = (left == ZERO) & learnt & (f[s.MANA + h] >= t.skill[hero, skill, tb.SKILL_MANA])
        out[c.C_READY + skill] = ONE if usable else ZERO
        out[c.C_COOLDOWN + skill] = left
    out[c.C_HEAL_COOLDOWN] = share_left(k[s.HEAL_READY + h], tick, c.PER_HEAL)


@inlined
def write_respawn(f: Row, k: Row, h: int, out: Row) -> None:
    """Writes the share of 20 s until a dead hero lives again; 0 for a living one."""
    dead = f[s.HP + h] <= ZERO
    out[c.C_RESPAWN] = share_left(k[s.RESPAWN_AT + h], k[s.TICK], c.PER_RESPAWN) if dead else ZERO
