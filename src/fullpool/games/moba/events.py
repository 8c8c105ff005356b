"""Scratch of one tick: what was collected (damage, help, statuses, landings) and what its resolution touched.

Not part of a match's state: one `Events` serves any number of matches, one a thread, cleared at the start of every
tick. Two flat rows with constant offsets, like the state, keep kernels cheap to call; `damage` and `credit` are what
the rules of death read.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fullpool.games.moba.state import NUM_HEROES, NUM_UNITS
from fullpool.numerics.kernels import inlined, kernel

Row = NDArray[Any]
"""A float32 or int32 row."""
Number = Any
"""A scalar inside a kernel: float32 or int64."""
i64: Any = np.int64
f32: Any = np.float32
ZERO: Any = np.float32(0.0)
ONE: Any = np.float32(1.0)

# Flags of damage
FLAG_ATTACK, FLAG_SKILL, FLAG_TURRET, FLAG_SUMMON, FLAG_MINION = 1, 2, 4, 8, 16

MAX_DAMAGE, MAX_HELP, MAX_STATUS, MAX_LANDINGS, MAX_HITS = 1024, 256, 512, 32, 80

# Kinds of help
HELP_HEAL, HELP_SHIELD, HELP_OVER_TIME, HELP_SUMMONER = 0, 1, 2, 3

# --- integers: counters, lists, then the queues -----------------------------------------------------------------------
NUM_DAMAGE, NUM_HELP, NUM_STATUS, NUM_LANDINGS, NUM_HITS, NUM_HURT, NUM_FORCED, NUM_DROPPED = range(8)
HURT = 8  # units that lost or would have lost hit points, in the order of their first damage
CREDITED = HURT + NUM_UNITS  # bit of every hero in the unit's `credit` row
HITS = CREDITED + NUM_UNITS  # enemies inside the shape that was searched last
FORCED = HITS + MAX_HITS  # units with a displacement
FORCE_TICKS = FORCED + NUM_UNITS
DASH_TICKS = FORCE_TICKS + NUM_UNITS  # a hero's own displacement; 0: none, -1: blink
DAMAGE_K = DASH_TICKS + NUM_HEROES  # source, target, type, flags
HELP_K = DAMAGE_K + 4 * MAX_DAMAGE  # kind, source, target, ticks
STATUS_K = HELP_K + 4 * MAX_HELP  # kind, source, target, ticks
LANDING_K = STATUS_K + 4 * MAX_STATUS  # hero, skill, target
EVENTS_K = LANDING_K + 3 * MAX_LANDINGS

# --- floats ----------------------------------------------------------------------------------------------------------
LEECH = 0  # hit points that life steal and drain give each hero
FORCE_X = LEECH + NUM_HEROES
FORCE_Y = FORCE_X + NUM_UNITS
DASH_X = FORCE_Y + NUM_UNITS
DASH_Y = DASH_X + NUM_HEROES
DAMAGE_F = DASH_Y + NUM_HEROES  # amount, factor of missing hp, drain
HELP_F = DAMAGE_F + 3 * MAX_DAMAGE  # amount
STATUS_F = HELP_F + MAX_HELP  # two parameters
LANDING_F = STATUS_F + 2 * MAX_STATUS  # x, y, direction x, direction y
EVENTS_F = LANDING_F + 4 * MAX_LANDINGS


class Events(NamedTuple):
    """The scratch of one thread.

    Attributes:
        k: `[EVENTS_K]` int32, see the offsets of this module.
        f: `[EVENTS_F]` float32.
        damage: `[NUM_UNITS]` damage that each unit took in this tick after all reductions, before shields.
        credit: `[NUM_UNITS, NUM_HEROES]` of it by hero, with that of their summons.
    """

    k: Row
    f: Row
    damage: Row
    credit: Row


def new_events() -> Events:
    """Allocates an empty scratch."""
    return Events(
        np.zeros(EVENTS_K, np.int32),
        np.zeros(EVENTS_F, np.float32),
        np.zeros(NUM_UNITS, np.float32),
        np.zeros((NUM_UNITS, NUM_HEROES), np.float32),
    )


@inlined
def clear_events(ev: Events) -> None:
    """Empties the scratch; touches only what the tick before touched. Call at the start of every tick."""
    for i in range(ev.k[NUM_HURT]):
        u = ev.k[HURT + i]
        ev.damage[u] = ZERO
        if ev.k[CREDITED + u] != 0:
            ev.k[CREDITED + u] = 0
            for h in range(NUM_HEROES):
                ev.credit[u, h] = ZERO
    for i in range(ev.k[NUM_FORCED]):
        u = ev.k[FORCED + i]
        ev.k[FORCE_TICKS + u] = 0
        ev.f[FORCE_X + u] = ZERO
        ev.f[FORCE_Y + u] = ZERO
        if u < NUM_HEROES:
            ev.k[DASH_TICKS + u] = 0
    for i in range(NUM_DROPPED):
        ev.k[i] = 0


@kernel
def push_damage(
    ev: Events,
    source: int,
    target: int,
    amount: float,
    damage_type: int,
    flags: int,
    missing: float,
    drain: float,
) -> None:
    """Queues damage.

    Args:
        ev: the scratch.
        source: unit that deals it, -1: nobody (the fountain).
        target: unit that takes it.
        amount: before resistance and reductions.
        damage_type: `PHYSICAL`, `MAGIC` or `TRUE`.
        flags: sum of `FLAG_`: attack, skill, turret, summon, minion.
        missing: the amount grows by this times the target's missing share of hit points.
        drain: share of the damage dealt that heals the source.
    """
    n = ev.k[NUM_DAMAGE]
    if n >= MAX_DAMAGE:
        ev.k[NUM_DROPPED] += 1
        return
    i, j = DAMAGE_K + 4 * n, DAMAGE_F + 3 * n
    ev.k[i], ev.k[i + 1], ev.k[i + 2], ev.k[i + 3] = source, target, damage_type, flags
    ev.f[j], ev.f[j + 1], ev.f[j + 2] = amount, missing, drain
    ev.k[NUM_DAMAGE] = n + 1


@kernel
def push_help(ev: Events, kind: int, source: int, target: int, amount: float, ticks: int) -> None:
    """Queues a heal or shield for a hero; `ticks` is how long a shield holds or a heal over time runs."""
    n = ev.k[NUM_HELP]
    if n >= MAX_HELP:
        ev.k[NUM_DROPPED] += 1
        return
    i = HELP_K + 4 * n
    ev.k[i], ev.k[i + 1], ev.k[i + 2], ev.k[i + 3] = kind, source, target, ticks
    ev.f[HELP_F + n] = amount
    ev.k[NUM_HELP] = n + 1


@kernel
def push_status(ev: Events, kind: int, source: int, target: int, ticks: int, a: float, b: float) -> None:
    """Queues a status or displacement; `kind` is a `KIND_` of the hero file.

    `a` and `b` are the magnitude (shred: armour and magic resistance; empower: damage and stun seconds) or, for
    knock, gapclose and blink, the whole displacement. For a summon the target is skill * MAX_EFFECTS + effect,
    the parameters are hit points and damage.
    """
    n = ev.k[NUM_STATUS]
    if n >= MAX_STATUS:
        ev.k[NUM_DROPPED] += 1
        return
    i, j = STATUS_K + 4 * n, STATUS_F + 2 * n
    ev.k[i], ev.k[i + 1], ev.k[i + 2], ev.k[i + 3] = kind, source, target, ticks
    ev.f[j], ev.f[j + 1] = a, b
    ev.k[NUM_STATUS] = n + 1


@kernel
def push_landing(
    ev: Events, h: int, skill: int, target: int, x: float, y: float, ux: float, uy: float
) -> None:
    """Queues a skill that takes effect in this tick: aimed at a unit, a point or along a direction."""
    n = ev.k[NUM_LANDINGS]
    if n >= MAX_LANDINGS:
        ev.k[NUM_DROPPED] += 1
        return
    i, j = LANDING_K + 3 * n, LANDING_F + 4 * n
    ev.k[i], ev.k[i + 1], ev.k[i + 2] = h, skill, target
    ev.f[j], ev.f[j + 1], ev.f[j + 2], ev.f[j + 3] = x, y, ux, uy
    ev.k[NUM_LANDINGS] = n + 1


@kernel
def touch_damage(ev: Events, u: int, amount: float, hero: int) -> None:
    """Adds resolved damage to a unit's sum, and to the credit of a hero unless that is -1."""
    if ev.damage[u] == ZERO:
        ev.k[HURT + ev.k[NUM_HURT]] = u
        ev.k[NUM_HURT] += 1
    ev.damage[u] += amount
    if hero >= 0:
        ev.credit[u, hero] += amount
        ev.k[CREDITED + u] |= 1 << hero
