"""Who a skill hits: circles, lines and cones over the enemies of a team, and chains from one enemy to the next.

Distances run from centre to centre. Skills hit heroes, summons, minions and monsters; structures never. A tie in
distance is broken by a hash of the unit's place in its team, never by its index.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fullpool.games.moba import events as e
from fullpool.games.moba import state as s
from fullpool.games.moba.events import ZERO, Events, Number, Row, f32, i64
from fullpool.games.moba.status import place_in_team
from fullpool.numerics.hashing import hash_u32
from fullpool.numerics.kernels import kernel

SHAPE_CIRCLE, SHAPE_LINE, SHAPE_CONE = 0, 1, 2
PURPOSE_TIE = 201  # of random numbers
FAR: Any = np.float32(1.0e9)


@kernel
def first_of(group: int, team: int) -> Number:
    """First unit of a group of the enemies of a team: 0 heroes, 1 summons, 2 minions, 3 monsters."""
    enemy = 1 - team
    if group == 0:
        return enemy * s.TEAM_SIZE
    if group == 1:
        return s.SUMMON0 + enemy * s.SUMMONS_PER_TEAM
    if group == 2:
        return s.MINION0 + enemy * s.MINIONS_PER_TEAM
    return s.MONSTER0


@kernel
def size_of(group: int) -> Number:
    """Number of slots of a group of `first_of`."""
    if group == 0:
        return s.TEAM_SIZE
    if group == 1:
        return s.SUMMONS_PER_TEAM
    return s.MINIONS_PER_TEAM if group == 2 else s.NUM_MONSTERS


@kernel
def tie(k: Row, team: int, u: int) -> Number:
    """A number that orders equally near units, from the stream of the searching team."""
    return i64(hash_u32(k[s.SEED + 2 * team], place_in_team(u), k[s.TICK], PURPOSE_TIE))


@kernel
def is_inside(
    shape: int, dx: float, dy: float, ux: float, uy: float, length: float, width: float, cos_half: float
) -> bool:
    """Whether a point lies in a shape.

    Args:
        shape: `SHAPE_`.
        dx: the point relative to the shape's origin.
        dy: the same.
        ux: unit direction of a line or cone.
        uy: the same.
        length: length of a line or cone, radius of a circle.
        width: full width of a line.
        cos_half: cosine of half of a cone's angle.
    """
    if shape == SHAPE_CIRCLE:
        return dx * dx + dy * dy <= length * length
    along = dx * ux + dy * uy
    if shape == SHAPE_LINE:
        across = dx * uy - dy * ux
        return bool(ZERO <= along <= length and abs(across) <= width * f32(0.5))
    d2 = dx * dx + dy * dy
    return d2 <= length * length and along >= cos_half * np.sqrt(d2)


@kernel
def find_hits(
    f: Row,
    k: Row,
    team: int,
    shape: int,
    x: float,
    y: float,
    ux: float,
    uy: float,
    length: float,
    width: float,
    cos_half: float,
    only_first: bool,
    ev: Events,
) -> Number:
    """Lists the enemies of `team` inside a shape in `ev.k[HITS]`.

    `only_first` keeps the one nearest to (x, y), as a skill that does not pierce does. Returns the number found.
    """
    n, best_d2 = 0, FAR
    for group in range(4):
        first = first_of(group, team)
        for u in range(first, first + size_of(group)):
            if f[s.HP + u] <= ZERO:
                continue
            dx, dy = f[s.X + u] - x, f[s.Y + u] - y
            if not is_inside(shape, dx, dy, ux, uy, length, width, cos_half):
                continue
            if not only_first:
                ev.k[e.HITS + n] = u
                n += 1
                continue
            d2 = dx * dx + dy * dy
            if n == 0 or d2 < best_d2 or (d2 == best_d2 and tie(k, team, u) < tie(k, team, ev.k[e.HITS])):
                ev.k[e.HITS], best_d2, n = u, d2, 1
    ev.k[e.NUM_HITS] = n
    return n


@kernel
def extend_chain(f: Row, k: Row, team: int, jumps: int, hop: float, ev: Events) -> Number:
    """Adds up to `jumps` more enemies to the hits, each the nearest within `hop` of the one before.

    Returns:
        The number of hits.
    """
    n = ev.k[e.NUM_HITS]
    for _ in range(jumps):
        if n == 0 or n >= e.MAX_HITS:
            break
        last = ev.k[e.HITS + n - 1]
        best, best_d2 = -1, hop * hop
        for group in range(4):
            first = first_of(group, team)
            for u in range(first, first + size_of(group)):
                if f[s.HP + u] <= ZERO or is_listed(ev, n, u):
                    continue
                dx, dy = f[s.X + u] - f[s.X + last], f[s.Y + u] - f[s.Y + last]
                d2 = dx * dx + dy * dy
                if d2 < best_d2 or (d2 == best_d2 and (best < 0 or tie(k, team, u) < tie(k, team, best))):
                    best, best_d2 = u, d2
        if best < 0:
            break
        ev.k[e.HITS + n] = best
        n += 1
    ev.k[e.NUM_HITS] = n
    return n


@kernel
def is_listed(ev: Events, n: int, u: int) -> bool:
    """Whether a unit is among the first `n` hits."""
    for i in range(n):
        if ev.k[e.HITS + i] == u:
            return True
    return False
