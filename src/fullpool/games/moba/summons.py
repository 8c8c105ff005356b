"""Summons: how heroes call them, and how they follow, fight and vanish.

A summon stays near its owner, goes for the nearest enemy it may see and strikes once a second for its damage a
second; the owner's own target comes first while it is in sight of the summon. `STEP` holds which effect of which of
the owner's skills made it, where its reach is read.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fullpool.games.moba import events as e
from fullpool.games.moba import state as s
from fullpool.games.moba import tables as tb
from fullpool.games.moba.events import ZERO, Events, Number, Row, i64, push_damage
from fullpool.games.moba.shapes import first_of, size_of, tie
from fullpool.games.moba.status import can_act, is_seen_by
from fullpool.games.moba.tables import Tables
from fullpool.numerics.kernels import kernel

SIGHT: Any = np.float32(6.0)  # a summon looks for enemies this far
LEASH: Any = np.float32(10.0)  # it returns to its owner from farther away
FOLLOW: Any = np.float32(2.0)  # it stands this near to its owner
STRIKE_TICKS = 10
SEARCH_TICKS = 3


@kernel
def spawn_summons(
    f: Row, k: Row, h: int, mark: int, count: int, hp: float, damage: float, ticks: int
) -> None:
    """Puts summons at their owner's place; a full table gives up those that would end first.

    Args:
        f: the match.
        k: the match.
        h: the owner.
        mark: skill * MAX_EFFECTS + effect that makes them.
        count: how many.
        hp: of each.
        damage: of one strike.
        ticks: how long they last.
    """
    first = s.SUMMON0 + (h // s.TEAM_SIZE) * s.SUMMONS_PER_TEAM
    for _ in range(count):
        u = first
        for i in range(first, first + s.SUMMONS_PER_TEAM):
            if f[s.HP + i] <= ZERO:
                u = i
                break
            if k[s.EXPIRES + i] < k[s.EXPIRES + u]:
                u = i
        f[s.X + u], f[s.Y + u] = f[s.X + h], f[s.Y + h]
        f[s.HP + u], f[s.MAX_HP + u], f[s.POWER + u] = hp, hp, damage
        k[s.TYPE + u], k[s.OWNER + u], k[s.STEP + u] = s.TYPE_SUMMON, h, mark
        k[s.EXPIRES + u] = k[s.TICK] + ticks + 1
        k[s.ATTACK_AT + u], k[s.TARGET + u], k[s.TARGET_HITS + u] = 0, -1, 0
        k[s.STUN_UNTIL + u], k[s.AIR_UNTIL + u], k[s.FORCE_UNTIL + u] = 0, 0, 0
        k[s.ROOT_UNTIL + u], k[s.SLOW_UNTIL + u] = 0, 0


@kernel
def spawn_called(f: Row, k: Row, t: Tables, ev: Events) -> None:
    """Makes the summons that the tick's skills called: last of all, so that no skill of that tick meets them."""
    for n in range(ev.k[e.NUM_STATUS]):
        i, j = e.STATUS_K + 4 * n, e.STATUS_F + 2 * n
        if ev.k[i] != tb.KIND_SUMMON:
            continue
        h, mark, ticks = i64(ev.k[i + 1]), i64(ev.k[i + 2]), i64(ev.k[i + 3])
        effect = t.effect[k[s.HERO_ID + h], mark // s.MAX_EFFECTS, mark % s.MAX_EFFECTS]
        spawn_summons(f, k, h, mark, i64(effect[tb.EFFECT_COUNT]), ev.f[j], ev.f[j + 1], ticks)


@kernel
def summon_range(k: Row, t: Tables, u: int) -> Number:
    """Reach of a summon."""
    mark = k[s.STEP + u]
    hero = k[s.HERO_ID + k[s.OWNER + u]]
    return t.effect[hero, mark // s.MAX_EFFECTS, mark % s.MAX_EFFECTS, tb.EFFECT_P4]


@kernel
def may_strike(f: Row, k: Row, u: int, target: int, team: int) -> bool:
    """Whether a summon of a team may go for a unit: alive, seen and within its sight."""
    if target < 0 or f[s.HP + target] <= ZERO or not is_seen_by(k, target, team):
        return False
    dx, dy = f[s.X + target] - f[s.X + u], f[s.Y + target] - f[s.Y + u]
    return bool(dx * dx + dy * dy <= SIGHT * SIGHT)


@kernel
def find_summon_target(f: Row, k: Row, u: int, team: int) -> Number:
    """What a summon goes for: its owner's target if near, else the nearest seen enemy; -1: nothing."""
    owner = k[s.OWNER + u]
    wanted = i64(k[s.ORDER_TARGET + owner])
    if k[s.ORDER + owner] == s.ATTACK and may_strike(f, k, u, wanted, team):
        return wanted
    best, best_d2 = -1, SIGHT * SIGHT
    for group in range(4):  # the fourth are structures instead of monsters: nothing wakes a camp unasked
        first, size = first_of(group, team), size_of(group)
        if group == 3:
            first, size = s.STRUCTURE0 + (1 - team) * s.STRUCTURES_PER_TEAM, s.STRUCTURES_PER_TEAM
        for v in range(first, first + size):
            if f[s.HP + v] <= ZERO or not is_seen_by(k, v, team):
                continue
            dx, dy = f[s.X + v] - f[s.X + u], f[s.Y + v] - f[s.Y + u]
            d2 = dx * dx + dy * dy
            if d2 < best_d2 or (d2 == best_d2 and best >= 0 and tie(k, team, v) < tie(k, team, best)):
                best, best_d2 = v, d2
    return best


@kernel
def summon_step(f: Row, k: Row, t: Tables, u: int) -> tuple[Number, Number, Number]:
    """Where a summon wants to be.

    Returns:
        The point to walk to and how near to it is near enough.
    """
    owner, target = k[s.OWNER + u], k[s.TARGET + u]
    dx, dy = f[s.X + owner] - f[s.X + u], f[s.Y + owner] - f[s.Y + u]
    alive = f[s.HP + owner] > ZERO
    if target >= 0 and f[s.HP + target] > ZERO and (not alive or dx * dx + dy * dy <= LEASH * LEASH):
        return f[s.X + target], f[s.Y + target], summon_range(k, t, u)
    if alive:
        return f[s.X + owner], f[s.Y + owner], FOLLOW
    return f[s.X + u], f[s.Y + u], FOLLOW


@kernel
def tick_summons(f: Row, k: Row, t: Tables, ev: Events) -> None:
    """Ends summons whose time is over, renews their targets and collects their strikes."""
    tick = k[s.TICK]
    present = False
    for u in range(s.SUMMON0, s.MINION0):
        if f[s.HP + u] > ZERO and k[s.EXPIRES + u] <= tick:  # wards too
            f[s.HP + u] = ZERO
            k[s.TARGET + u] = -1
        present |= f[s.HP + u] > ZERO
    if not present:
        return
    for u in range(s.SUMMON0, s.MINION0):
        if f[s.HP + u] <= ZERO or k[s.TYPE + u] != s.TYPE_SUMMON:
            continue
        team = (u - s.SUMMON0) // s.SUMMONS_PER_TEAM
        target = i64(k[s.TARGET + u])
        if tick % SEARCH_TICKS == 0 or not may_strike(f, k, u, target, team):
            target = find_summon_target(f, k, u, team)
            k[s.TARGET + u] = target
        if target < 0 or k[s.ATTACK_AT + u] > tick or not can_act(k, u):
            continue
        reach = summon_range(k, t, u)
        dx, dy = f[s.X + target] - f[s.X + u], f[s.Y + target] - f[s.Y + u]
        if dx * dx + dy * dy <= reach * reach:
            k[s.ATTACK_AT + u] = tick + STRIKE_TICKS
            push_damage(ev, u, target, f[s.POWER + u], s.PHYSICAL, e.FLAG_SUMMON, ZERO, ZERO)
