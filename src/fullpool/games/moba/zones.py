"""What stays on the map for a while: zones, damage over time, heals over time, reveals, casts with a delay.

Each team has its own slots, filled in the order of its own events, so that a mirrored match fills them alike. A full
table gives up the entry that would end first. `*_END` says from which tick a team has none, so that nothing is
searched while there is nothing.
"""

from __future__ import annotations

import numpy as np

from fullpool.games.moba import events as e
from fullpool.games.moba import state as s
from fullpool.games.moba import tables as tb
from fullpool.games.moba.events import (
    ONE,
    ZERO,
    Events,
    Number,
    Row,
    i64,
    push_damage,
    push_help,
    push_landing,
    push_status,
)
from fullpool.games.moba.shapes import SHAPE_CIRCLE, find_hits
from fullpool.games.moba.status import TENTH
from fullpool.games.moba.tables import Tables
from fullpool.numerics.kernels import kernel


@kernel
def free_slot(k: Row, until: int, team: int, size: int) -> Number:
    """First slot of a team whose time is over, or the one that ends first."""
    best = team * size
    for i in range(team * size, team * size + size):
        if k[until + i] <= k[s.TICK]:
            return i
        if k[until + i] < k[until + best]:
            best = i
    return best


@kernel
def extend(k: Row, end: int, team: int, until: int) -> None:
    """Moves the tick from which a team has none of a kind."""
    k[end + team] = max(k[end + team], until)


@kernel
def add_dot(f: Row, k: Row, h: int, u: int, dps: float, damage_type: int, ticks: int) -> None:
    """Starts damage over time of a hero on a unit; several run side by side."""
    team = h // s.TEAM_SIZE
    i = free_slot(k, s.DOT_UNTIL, team, s.DOTS_PER_TEAM)
    until = k[s.TICK] + ticks + 1
    f[s.DOT_DPS + i] = dps
    k[s.DOT_UNTIL + i], k[s.DOT_TARGET + i] = until, u
    k[s.DOT_SOURCE + i], k[s.DOT_TYPE + i] = h, damage_type
    extend(k, s.DOTS_END, team, until)


@kernel
def add_zone(
    f: Row,
    k: Row,
    h: int,
    x: float,
    y: float,
    radius: float,
    ticks: int,
    dps: float,
    slow: float,
    effect: Row,
) -> None:
    """Lays a zone of a hero; `effect` is the row of the effect table with type, follow and drain."""
    team = h // s.TEAM_SIZE
    i = free_slot(k, s.ZONE_UNTIL, team, s.ZONES_PER_TEAM)
    until = k[s.TICK] + ticks + 1
    f[s.ZONE_X + i], f[s.ZONE_Y + i] = x, y
    f[s.ZONE_RADIUS + i], f[s.ZONE_DPS + i] = radius, dps
    f[s.ZONE_SLOW + i], f[s.ZONE_DRAIN + i] = slow, effect[tb.EFFECT_ZHEAL]
    k[s.ZONE_UNTIL + i], k[s.ZONE_OWNER + i] = until, h
    k[s.ZONE_TYPE + i], k[s.ZONE_FOLLOW + i] = i64(effect[tb.EFFECT_TYPE]), i64(effect[tb.EFFECT_FOLLOW])
    extend(k, s.ZONES_END, team, until)


@kernel
def add_reveal(f: Row, k: Row, team: int, x: float, y: float, radius: float, ticks: int) -> None:
    """Reveals a circle to a team."""
    i = free_slot(k, s.REVEAL_UNTIL, team, s.REVEALS_PER_TEAM)
    until = k[s.TICK] + ticks + 1
    f[s.REVEAL_X + i], f[s.REVEAL_Y + i], f[s.REVEAL_RADIUS + i] = x, y, radius
    k[s.REVEAL_UNTIL + i] = until
    extend(k, s.REVEALS_END, team, until)
    mark_revealed(f, k, team, i)


@kernel
def mark_revealed(f: Row, k: Row, team: int, i: int) -> None:
    """Marks the enemy heroes inside a revealed circle for this tick and the next."""
    radius = f[s.REVEAL_RADIUS + i]
    enemy = (1 - team) * s.TEAM_SIZE
    for u in range(enemy, enemy + s.TEAM_SIZE):
        dx, dy = f[s.X + u] - f[s.REVEAL_X + i], f[s.Y + u] - f[s.REVEAL_Y + i]
        if dx * dx + dy * dy <= radius * radius:
            k[s.REVEALED_UNTIL + u] = max(k[s.REVEALED_UNTIL + u], k[s.TICK] + 2)


@kernel
def add_cast(f: Row, k: Row, h: int, skill: int, target: int, x: float, y: float, ticks: int) -> None:
    """Queues a skill that lands after a delay, on a point or (target >= 0) on a unit wherever it then is."""
    team = h // s.TEAM_SIZE
    i = free_slot(k, s.CAST_AT, team, s.CASTS_PER_TEAM)
    at = k[s.TICK] + ticks
    f[s.CAST_X + i], f[s.CAST_Y + i] = x, y
    k[s.CAST_AT + i], k[s.CAST_OWNER + i] = at, h
    k[s.CAST_SKILL + i], k[s.CAST_TARGET + i] = skill, target
    extend(k, s.CASTS_END, team, at + 1)


@kernel
def interrupt_casts(k: Row, h: int) -> None:
    """Drops a hero's casts that have not landed."""
    team = h // s.TEAM_SIZE
    if k[s.CASTS_END + team] <= k[s.TICK]:
        return
    for i in range(team * s.CASTS_PER_TEAM, (team + 1) * s.CASTS_PER_TEAM):
        if k[s.CAST_AT + i] > k[s.TICK] and k[s.CAST_OWNER + i] == h:
            k[s.CAST_AT + i] = 0


@kernel
def forget_unit(k: Row, u: int) -> None:
    """Ends what is tied to a unit that died: damage over time on it, casts aimed at it. Call at its death."""
    for team in range(2):
        if k[s.DOTS_END + team] > k[s.TICK]:
            for i in range(team * s.DOTS_PER_TEAM, (team + 1) * s.DOTS_PER_TEAM):
                if k[s.DOT_TARGET + i] == u:
                    k[s.DOT_UNTIL + i] = 0
        if k[s.CASTS_END + team] > k[s.TICK]:
            for i in range(team * s.CASTS_PER_TEAM, (team + 1) * s.CASTS_PER_TEAM):
                if k[s.CAST_TARGET + i] == u:
                    k[s.CAST_AT + i] = 0
    if u < s.NUM_HEROES:
        interrupt_casts(k, u)


@kernel
def land_delayed(f: Row, k: Row, t: Tables, ev: Events) -> None:
    """Queues the landing of every delayed cast whose time has come and whose hero still lives."""
    for team in range(2):
        if k[s.CASTS_END + team] <= k[s.TICK]:
            continue
        for i in range(team * s.CASTS_PER_TEAM, (team + 1) * s.CASTS_PER_TEAM):
            if k[s.CAST_AT + i] != k[s.TICK]:
                continue
            h, target = i64(k[s.CAST_OWNER + i]), i64(k[s.CAST_TARGET + i])
            k[s.CAST_AT + i] = 0
            x, y = f[s.CAST_X + i], f[s.CAST_Y + i]
            if target >= 0:
                x, y = f[s.X + target], f[s.Y + target]
            dx, dy = x - f[s.X + h], y - f[s.Y + h]
            length = np.sqrt(dx * dx + dy * dy)
            if length > ZERO:
                dx, dy = dx / length, dy / length
            if f[s.HP + h] > ZERO and (target < 0 or f[s.HP + target] > ZERO):
                push_landing(ev, h, i64(k[s.CAST_SKILL + i]), target, x, y, dx, dy)


@kernel
def tick_zone(f: Row, k: Row, i: int, team: int, ev: Events) -> None:
    """Deals one tick of a zone's damage and slow."""
    h = i64(k[s.ZONE_OWNER + i])
    if k[s.ZONE_FOLLOW + i] != 0:
        if f[s.HP + h] <= ZERO:
            k[s.ZONE_UNTIL + i] = 0
            return
        f[s.ZONE_X + i], f[s.ZONE_Y + i] = f[s.X + h], f[s.Y + h]
    x, y, radius = f[s.ZONE_X + i], f[s.ZONE_Y + i], f[s.ZONE_RADIUS + i]
    n = find_hits(f, k, team, SHAPE_CIRCLE, x, y, ZERO, ZERO, radius, ZERO, ONE, False, ev)
    amount, damage_type = f[s.ZONE_DPS + i] * TENTH, i64(k[s.ZONE_TYPE + i])
    for j in range(n):
        u = i64(ev.k[e.HITS + j])
        push_damage(ev, h, u, amount, damage_type, e.FLAG_SKILL, ZERO, f[s.ZONE_DRAIN + i])
        if f[s.ZONE_SLOW + i] > ZERO:
            push_status(ev, tb.KIND_SLOW, h, u, 1, f[s.ZONE_SLOW + i], ZERO)


@kernel
def tick_dot(f: Row, k: Row, i: int, ev: Events) -> None:
    """Deals one tick of damage over time; ends it where the target is gone."""
    u = i64(k[s.DOT_TARGET + i])
    if f[s.HP + u] <= ZERO:
        k[s.DOT_UNTIL + i] = 0
        return
    h, damage_type = i64(k[s.DOT_SOURCE + i]), i64(k[s.DOT_TYPE + i])
    push_damage(ev, h, u, f[s.DOT_DPS + i] * TENTH, damage_type, e.FLAG_SKILL, ZERO, ZERO)


@kernel
def tick_zones_dots(f: Row, k: Row, t: Tables, ev: Events) -> None:
    """Collects one tick of everything that runs: zones, damage and heals over time, reveals."""
    tick = k[s.TICK]
    for team in range(2):
        if k[s.ZONES_END + team] > tick:
            for i in range(team * s.ZONES_PER_TEAM, (team + 1) * s.ZONES_PER_TEAM):
                if k[s.ZONE_UNTIL + i] > tick:
                    tick_zone(f, k, i, team, ev)
        if k[s.DOTS_END + team] > tick:
            for i in range(team * s.DOTS_PER_TEAM, (team + 1) * s.DOTS_PER_TEAM):
                if k[s.DOT_UNTIL + i] > tick:
                    tick_dot(f, k, i, ev)
        if k[s.REVEALS_END + team] > tick:
            for i in range(team * s.REVEALS_PER_TEAM, (team + 1) * s.REVEALS_PER_TEAM):
                if k[s.REVEAL_UNTIL + i] > tick:
                    mark_revealed(f, k, team, i)
    for h in range(s.NUM_HEROES):
        if k[s.HOT_UNTIL + h] > tick and f[s.HP + h] > ZERO:
            push_help(ev, e.HELP_HEAL, i64(k[s.HOT_BY + h]), h, f[s.HOT + h], 0)
