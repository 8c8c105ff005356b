"""Displacement: knocks, pulls and hooks of enemies, dashes and blinks of heroes, queued for the next tick.

What is pushed at a unit within one tick adds up, so that opposite pushes cancel; a push beats the hero's own dash.
Movement then carries the unit `FORCE_X`, `FORCE_Y` a tick along walls until `FORCE_UNTIL`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fullpool.games.moba import events as e
from fullpool.games.moba import state as s
from fullpool.games.moba.events import ONE, ZERO, Events, Number, Row, f32, i64
from fullpool.games.moba.movement import is_wall
from fullpool.games.moba.status import team_of
from fullpool.games.moba.tables import Tables
from fullpool.numerics.kernels import kernel

DASH_STEP: Any = np.float32(1.6)  # map units a tick of dashes and gapclosers
CONTACT: Any = np.float32(1.0)  # a gapcloser stops this far from its target
DIAGONAL: Any = np.float32(0.70710678)
BLINK = -1
BLINK_TRIES = 20


@kernel
def home_direction(u: int) -> tuple[Number, Number]:
    """Unit vector towards the base of a unit's team; zero for monsters."""
    team = team_of(u)
    if team == s.NEUTRAL:
        return ZERO, ZERO
    return (-DIAGONAL, -DIAGONAL) if team == s.TEAM_A else (DIAGONAL, DIAGONAL)


@kernel
def knock_vector(f: Row, u: int, x: float, y: float, distance: float) -> tuple[Number, Number]:
    """Displacement of a unit away from a point, towards it for a negative distance, never past it.

    A unit that stands on the point is pushed towards its own base.
    """
    dx, dy = f[s.X + u] - x, f[s.Y + u] - y
    length = np.sqrt(dx * dx + dy * dy)
    if length <= ZERO:
        hx, hy = home_direction(u)
        push = max(distance, ZERO)
        return hx * push, hy * push
    step = max(distance, -length) / length
    return dx * step, dy * step


@kernel
def hook_vector(f: Row, u: int, x: float, y: float, rest: float) -> tuple[Number, Number]:
    """Displacement that brings a unit to `rest` of a point; zero if it is nearer."""
    dx, dy = f[s.X + u] - x, f[s.Y + u] - y
    length = np.sqrt(dx * dx + dy * dy)
    if length <= rest:
        return ZERO, ZERO
    step = (rest - length) / length
    return dx * step, dy * step


@kernel
def dash_ticks(dx: float, dy: float) -> Number:
    """Ticks that a dash takes."""
    length = np.sqrt(dx * dx + dy * dy)
    return max(i64(np.ceil(length / DASH_STEP - f32(1.0e-3))), 1)


@kernel
def add_push(ev: Events, u: int, dx: float, dy: float, ticks: int) -> None:
    """Adds a push on a unit; the longest of a tick's pushes sets how long it lasts."""
    list_forced(ev, u)
    ev.f[e.FORCE_X + u] += dx
    ev.f[e.FORCE_Y + u] += dy
    ev.k[e.FORCE_TICKS + u] = max(ev.k[e.FORCE_TICKS + u], ticks)


@kernel
def set_dash(ev: Events, h: int, dx: float, dy: float, ticks: int) -> None:
    """Queues a hero's own displacement; `ticks` may be `BLINK`."""
    list_forced(ev, h)
    ev.f[e.DASH_X + h] = dx
    ev.f[e.DASH_Y + h] = dy
    ev.k[e.DASH_TICKS + h] = ticks


@kernel
def list_forced(ev: Events, u: int) -> None:
    """Puts a unit on the list of displaced ones once."""
    if ev.k[e.FORCE_TICKS + u] != 0 or (u < s.NUM_HEROES and ev.k[e.DASH_TICKS + u] != 0):
        return
    ev.k[e.FORCED + ev.k[e.NUM_FORCED]] = u
    ev.k[e.NUM_FORCED] += 1


@kernel
def blink(f: Row, t: Tables, h: int, dx: float, dy: float) -> None:
    """Puts a hero at the end of a vector, over walls; back along it as far as needed to stand free."""
    for i in range(BLINK_TRIES):
        share = ONE - f32(i) / f32(BLINK_TRIES)
        x, y = f[s.X + h] + dx * share, f[s.Y + h] + dy * share
        if not is_wall(t, x, y):
            f[s.X + h], f[s.Y + h] = x, y
            return


@kernel
def apply_forces(f: Row, k: Row, t: Tables, ev: Events) -> None:
    """Turns a tick's queued displacements into forced movement of the next ticks."""
    for i in range(ev.k[e.NUM_FORCED]):
        u = ev.k[e.FORCED + i]
        ticks = ev.k[e.FORCE_TICKS + u]
        dx, dy = ev.f[e.FORCE_X + u], ev.f[e.FORCE_Y + u]
        if ticks == 0:
            ticks = ev.k[e.DASH_TICKS + u]
            dx, dy = ev.f[e.DASH_X + u], ev.f[e.DASH_Y + u]
        if f[s.HP + u] <= ZERO:
            continue
        if ticks < 0:
            blink(f, t, u, dx, dy)
            continue
        f[s.FORCE_X + u] = dx / f32(ticks)
        f[s.FORCE_Y + u] = dy / f32(ticks)
        k[s.FORCE_UNTIL + u] = k[s.TICK] + ticks + 1
