"""The 24 slots of the Who head: which unit each one means for each hero, fixed at the end of every decision.

Slots: 0 self, 1-4 allies, 5-9 enemy heroes in draft order, 10-15 the nearest visible enemy minions, 16 the nearest
enemy turret, 17 the enemy crystal, 18-21 neutral monsters (none in the presets there are), 22-23 the nearest visible
enemy summons.
"""

from __future__ import annotations

import numpy as np

from fullpool.games.moba import state as s
from fullpool.games.moba.columns import Scalar
from fullpool.games.moba.events import Row
from fullpool.games.moba.tables import Tables
from fullpool.games.moba.vision import know_heroes, see_others
from fullpool.numerics.kernels import kernel

ZERO = np.float32(0.0)
FAR = np.float32(1.0e9)
KEY_STEP = np.float32(1024.0)
NO_ONE = -1
NO_KEY, PLACE_BITS = np.int32(2**31 - 1), np.int32(63)
KEYS = s.MINIONS_PER_TEAM


@kernel
def _take_nearest(key: Row, size: int, first: int, places: int, out: Row, at: int) -> None:
    """Writes the units of the smallest keys in order, `NO_ONE` where there are fewer.

    Each pass takes the least key above the one before: no branch depends on the data and nothing is stored in between,
    which beats sorting for the few that are wanted.
    """
    last = np.int32(-1)
    for i in range(places):
        best = NO_KEY
        for j in range(size):
            best = min(best, key[j] if key[j] > last else NO_KEY)
        out[at + i] = first + (best & PLACE_BITS) if best != NO_KEY else NO_ONE
        last = best


@kernel
def nearest_minions(
    f: Row, k: Row, owner: int, viewer: int, x: Scalar, y: Scalar, places: int, key: Row, out: Row, at: int
) -> None:
    """Finds the living minions of a team that are nearest to a point, of those that a team sees.

    Squared distances within 1/1024 of each other count as equal and go by the place in the team, which is the same in
    a mirrored match.

    Args:
        f: `[F_SIZE]` floats of the match.
        k: `[K_SIZE]` integers of the match.
        owner: whose minions.
        viewer: who must see them; a team sees all of its own.
        x: the point, in the absolute frame.
        y: its second coordinate.
        places: how many are wanted.
        key: `[KEYS]` int32 scratch.
        out: their units are written to, nearest first, -1 where there are fewer.
        at: first index written.
    """
    first, bit, size = s.MINION0 + owner * s.MINIONS_PER_TEAM, np.int32(1 << viewer), KEYS
    # Slices, since numba would ask of every index into the whole row whether it is negative.
    xs, ys = f[s.X + first : s.X + first + size], f[s.Y + first : s.Y + first + size]
    hp, visible = f[s.HP + first : s.HP + first + size], k[s.VISIBLE + first : s.VISIBLE + first + size]
    for i in range(KEYS):
        dx, dy = xs[i] - x, ys[i] - y
        near = np.int32(np.int32((dx * dx + dy * dy) * KEY_STEP) << 6) | np.int32(i)
        listed = (hp[i] > ZERO) & (visible[i] & bit != 0)
        key[i] = near if listed else NO_KEY
    _take_nearest(key, KEYS, first, places, out, at)


@kernel
def nearest_summons(
    f: Row, k: Row, owner: int, viewer: int, x: Scalar, y: Scalar, places: int, key: Row, out: Row, at: int
) -> None:
    """Finds the nearest living summons of a team that a team sees; see `nearest_minions`."""
    first, bit, count = s.SUMMON0 + owner * s.SUMMONS_PER_TEAM, np.int32(1 << viewer), 0
    for i in range(s.SUMMONS_PER_TEAM):
        dx, dy = f[s.X + first + i] - x, f[s.Y + first + i] - y
        near = np.int32((dx * dx + dy * dy) * KEY_STEP) * np.int32(64) + np.int32(i)
        listed = (f[s.HP + first + i] > ZERO) & (k[s.VISIBLE + first + i] & bit != 0)
        key[i] = near if listed else NO_KEY
        count += 1 if listed else 0
    if count > 0:
        _take_nearest(key, s.SUMMONS_PER_TEAM, first, places, out, at)
        return
    for i in range(places):
        out[at + i] = NO_ONE


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
def refresh_slots(f: Row, k: Row, t: Tables) -> None:
    """Ends a decision: looks for minions and summons, remembers the heroes in sight, and writes all heroes' slots.

    Call it after the last tick of a decision and after a reset.

    Args:
        f: `[F_SIZE]` floats of the match.
        k: `[K_SIZE]` integers of the match.
        t: tables of the game.
    """
    key = np.empty(KEYS, np.int32)
    see_others(f, k, t, key)
    know_heroes(f, k, t)
    for h in range(s.NUM_HEROES):
        _fill_slots(f, k, h, key)


@kernel
def _fill_slots(f: Row, k: Row, h: int, key: Row) -> None:
    """Writes the slots of one hero."""
    team, x, y, at = h // s.TEAM_SIZE, f[s.X + h], f[s.Y + h], s.SLOTS + h * s.NUM_WHO
    _fill_heroes(k, h)
    nearest_minions(f, k, 1 - team, team, x, y, s.SLOT_TURRET - s.SLOT_MINION, key, k, at + s.SLOT_MINION)
    k[at + s.SLOT_TURRET] = _nearest_turret(f, h)
    crystal = s.STRUCTURE0 + (1 - team) * s.STRUCTURES_PER_TEAM + s.CRYSTAL
    k[at + s.SLOT_CRYSTAL] = crystal if f[s.HP + crystal] > ZERO else NO_ONE
    for i in range(s.SLOT_MONSTER, s.SLOT_SUMMON):
        k[at + i] = NO_ONE
    nearest_summons(f, k, 1 - team, team, x, y, s.NUM_WHO - s.SLOT_SUMMON, key, k, at + s.SLOT_SUMMON)
