"""The 24 slots of the Who head: which unit each one means for each hero, fixed at the end of every decision.

Slots: 0 self, 1-4 allies, 5-9 enemy heroes in draft order, 10-15 the nearest visible enemy minions, 16 the nearest
enemy turret, 17 the enemy crystal, 18-21 neutral monsters (none in the presets there are), 22-23 the nearest visible
enemy summons.
"""

from __future__ import annotations

import numpy as np

from fullpool.games.moba import state as s
from fullpool.games.moba.events import Row
from fullpool.games.moba.tables import Tables
from fullpool.games.moba.vision import remember, see_others
from fullpool.numerics.kernels import kernel

ZERO = np.float32(0.0)
FAR = np.float32(1.0e9)
KEY_STEP = np.float32(1024.0)
NO_ONE = -1


@kernel
def order_by_distance(
    xs: Row, ys: Row, count: int, x: float, y: float, key: Row, rank: Row, order: Row
) -> None:
    """Sorts points by their distance from one.

    Every point's rank is counted against all others: no branch depends on the data, and for some twenty points that is
    several times faster than insertion. Squared distances within 1/1024 of each other stand in the order given, which
    is the order of places inside one team and so the same in a mirrored match.

    Args:
        xs: `[n]` first coordinates.
        ys: `[n]` second coordinates.
        count: how many of them count, at most 64.
        x: first coordinate of the point.
        y: its second coordinate.
        key: `[n]` int32 scratch.
        rank: `[n]` int32 scratch.
        order: `[n]` int32, written: indices, nearest first.
    """
    for i in range(count):
        dx, dy = xs[i] - x, ys[i] - y
        key[i] = (np.int32((dx * dx + dy * dy) * KEY_STEP) << 6) | np.int32(i)
        rank[i] = 0
    for i in range(count):
        mine = key[i]
        for j in range(count):
            rank[j] += np.int32(1) if mine < key[j] else np.int32(0)
    for i in range(count):
        order[rank[i]] = i


@kernel
def list_units(f: Row, k: Row, first: int, last: int, viewer: int, units: Row, xs: Row, ys: Row) -> int:
    """Lists the living units of a range that a team sees, in the order of their places.

    Args:
        f: `[F_SIZE]` floats of the match.
        k: `[K_SIZE]` integers of the match.
        first: first unit.
        last: last unit + 1.
        viewer: team that looks.
        units: int32, written: the units.
        xs: float32, written: their first coordinates, absolute.
        ys: float32, written: their second coordinates, absolute.

    Returns:
        How many there are.
    """
    count, bit = 0, np.int32(1) << viewer
    for u in range(first, last):
        if (f[s.HP + u] > ZERO) & (k[s.VISIBLE + u] & bit != 0):
            units[count], xs[count], ys[count] = u, f[s.X + u], f[s.Y + u]
            count += 1
    return count


@kernel
def _nearest_turret(f: Row, h: int) -> int:
    """The nearest standing enemy turret, `NO_ONE` if there is none."""
    first = s.STRUCTURE0 + (1 - h // s.TEAM_SIZE) * s.STRUCTURES_PER_TEAM
    best, best_d2 = NO_ONE, FAR
    for u in range(first, first + s.CRYSTAL):
        dx, dy = f[s.X + u] - f[s.X + h], f[s.Y + u] - f[s.Y + h]
        d2 = dx * dx + dy * dy
        if f[s.HP + u] > ZERO and d2 < best_d2:
            best, best_d2 = u, d2
    return best


@kernel
def _fill_heroes(k: Row, h: int) -> None:
    """Writes the slots of heroes: they never change during a match."""
    at = s.SLOTS + h * s.NUM_WHO
    own = h // s.TEAM_SIZE * s.TEAM_SIZE
    enemy = s.TEAM_SIZE - own
    k[at] = h
    for i in range(s.TEAM_SIZE - 1):
        ally = own + i if own + i < h else own + i + 1
        k[at + s.SLOT_ALLY + i] = ally if k[s.HERO_ID + ally] >= 0 else NO_ONE
    for i in range(s.TEAM_SIZE):
        k[at + s.SLOT_ENEMY + i] = enemy + i if k[s.HERO_ID + enemy + i] >= 0 else NO_ONE


@kernel
def _fill_nearest(f: Row, k: Row, h: int, slot: int, places: int, count: int, ints: Row, floats: Row) -> None:
    """Writes the nearest of the listed units into a run of slots, `NO_ONE` where there are fewer."""
    units, key, rank, order = ints[0], ints[1], ints[2], ints[3]
    order_by_distance(floats[0], floats[1], count, f[s.X + h], f[s.Y + h], key, rank, order)
    at = s.SLOTS + h * s.NUM_WHO + slot
    for i in range(places):
        k[at + i] = units[order[i]] if i < count else NO_ONE


@kernel
def refresh_slots(f: Row, k: Row, t: Tables) -> None:
    """Ends a decision: looks for minions and summons, remembers the heroes in sight, and writes all heroes' slots.

    Call it after the last tick of a decision and after a reset.

    Args:
        f: `[F_SIZE]` floats of the match.
        k: `[K_SIZE]` integers of the match.
        t: tables of the game.
    """
    see_others(f, k, t)
    ints = np.empty((4, s.MINIONS_PER_TEAM), np.int32)
    floats = np.empty((2, s.MINIONS_PER_TEAM), np.float32)
    for h in range(s.NUM_HEROES):
        if k[s.VISIBLE + h] == 3:
            remember(f, k, t, h)
        _fill_heroes(k, h)
        at = s.SLOTS + h * s.NUM_WHO
        k[at + s.SLOT_TURRET] = _nearest_turret(f, h)
        crystal = s.STRUCTURE0 + (1 - h // s.TEAM_SIZE) * s.STRUCTURES_PER_TEAM + s.CRYSTAL
        k[at + s.SLOT_CRYSTAL] = crystal if f[s.HP + crystal] > ZERO else NO_ONE
        for i in range(s.SLOT_MONSTER, s.SLOT_SUMMON):
            k[at + i] = NO_ONE
    for team in range(2):
        enemy = 1 - team
        heroes = range(team * s.TEAM_SIZE, (team + 1) * s.TEAM_SIZE)
        first = s.MINION0 + enemy * s.MINIONS_PER_TEAM
        count = list_units(f, k, first, first + s.MINIONS_PER_TEAM, team, ints[0], floats[0], floats[1])
        for h in heroes:
            _fill_nearest(f, k, h, s.SLOT_MINION, s.SLOT_TURRET - s.SLOT_MINION, count, ints, floats)
        first = s.SUMMON0 + enemy * s.SUMMONS_PER_TEAM
        count = list_units(f, k, first, first + s.SUMMONS_PER_TEAM, team, ints[0], floats[0], floats[1])
        for h in heroes:
            _fill_nearest(f, k, h, s.SLOT_SUMMON, s.NUM_WHO - s.SLOT_SUMMON, count, ints, floats)
