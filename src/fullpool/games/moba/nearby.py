"""The minions that are nearest to a point: listed once a team and decision, searched once an agent.

A listing packs the minions that count into the front of a row. Searches run over the whole row without a branch that
depends on the data, and read its length from the array: where the compiler knows it, it unrolls the loop instead of
using vector registers. Squared distances within 1/1024 of each other count as equal and go by the place in the
team, which is the same in a mirrored match.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fullpool.games.contract import Floats, Ints
from fullpool.games.moba import state as s
from fullpool.games.moba.columns import Scalar
from fullpool.games.moba.events import Row
from fullpool.numerics.kernels import inlined

ZERO = np.float32(0.0)
KEY_STEP = np.float32(1024.0)
NO_ONE = -1
NO_KEY, PLACE_BITS = np.int32(2**31 - 1), np.int32(63)
LISTED = 64
"""Length of a listing's rows: loops over them have no remainder, whatever the width of the machine's registers."""
KEYS = 2
"""Row of `Nearby.number` after those of the two teams' units."""


class Nearby(NamedTuple):
    """Scratch of searches.

    Attributes:
        place: `[4, LISTED]` float32: x and y of team A's listed minions, then of team B's, in the absolute frame.
        number: `[3, LISTED]` int32: places in the team of A's and of B's listed minions, keys of a search.
    """

    place: Floats
    number: Ints


def new_nearby() -> Nearby:
    """Allocates the scratch of one thread."""
    return Nearby(np.zeros((4, LISTED), np.float32), np.zeros((3, LISTED), np.int32))


@inlined
def list_minions(f: Row, k: Row, owner: int, viewer: int, near: Nearby) -> int:
    """Lists the living minions of a team that a team sees; a team sees all of its own.

    Args:
        f: `[F_SIZE]` floats of the match.
        k: `[K_SIZE]` integers of the match.
        owner: whose minions.
        viewer: who must see them.
        near: scratch; the owner's rows are written.

    Returns:
        How many there are.
    """
    first, bit, size, count = (
        s.MINION0 + owner * s.MINIONS_PER_TEAM,
        np.int32(1 << viewer),
        s.MINIONS_PER_TEAM,
        0,
    )
    # Slices, since numba would ask of every index into the whole row whether it is negative.
    xs, ys = f[s.X + first : s.X + first + size], f[s.Y + first : s.Y + first + size]
    hp, visible = f[s.HP + first : s.HP + first + size], k[s.VISIBLE + first : s.VISIBLE + first + size]
    x, y, unit = near.place[2 * owner], near.place[2 * owner + 1], near.number[owner]
    for i in range(s.MINIONS_PER_TEAM):
        x[count], y[count], unit[count] = xs[i], ys[i], i
        count += 1 if (hp[i] > ZERO) & (visible[i] & bit != 0) else 0
    return count


@inlined
def _write_keys(near: Nearby, owner: int, count: int, x: Scalar, y: Scalar) -> None:
    """Writes the keys of a team's listed minions, squared distance then place in the team; behind them no key."""
    xs, ys, unit, key = (
        near.place[2 * owner],
        near.place[2 * owner + 1],
        near.number[owner],
        near.number[KEYS],
    )
    for i in range(key.shape[0]):
        dx, dy = xs[i] - x, ys[i] - y
        value = np.int32(np.int32((dx * dx + dy * dy) * KEY_STEP) << 6) | unit[i]
        key[i] = value if i < count else NO_KEY


@inlined
def _next_key(key: Row, last: Scalar) -> Scalar:
    """The least key above the one before: those up to it wrap around and become the greatest."""
    best, base = np.uint32(NO_KEY), np.int32(last + 1)
    for j in range(key.shape[0]):
        best = min(best, np.uint32(key[j] - base))
    return np.int64(best) + base


@inlined
def take_nearest(
    near: Nearby, owner: int, count: int, x: Scalar, y: Scalar, places: int, out: Row, at: int
) -> None:
    """Finds the listed minions of a team that are nearest to a point.

    Args:
        near: scratch; `list_minions` was called for the owner.
        owner: whose minions.
        count: how many are listed.
        x: the point, in the absolute frame.
        y: its second coordinate.
        places: how many are wanted.
        out: their units are written to, nearest first, -1 where there are fewer.
        at: first index written.
    """
    key, first, last = near.number[KEYS], s.MINION0 + owner * s.MINIONS_PER_TEAM, np.int64(-1)
    _write_keys(near, owner, count, x, y)
    for i in range(places):
        if i < count:
            last = _next_key(key, last)
            out[at + i] = first + (last & PLACE_BITS)
        else:
            out[at + i] = NO_ONE


@inlined
def nearest_summons(
    f: Row, k: Row, owner: int, viewer: int, x: Scalar, y: Scalar, places: int, key: Row, out: Row, at: int
) -> None:
    """Finds the living summons of a team that are nearest to a point, of those that a team sees.

    Args:
        f: `[F_SIZE]` floats of the match.
        k: `[K_SIZE]` integers of the match.
        owner: whose summons.
        viewer: who must see them; a team sees all of its own.
        x: the point, in the absolute frame.
        y: its second coordinate.
        places: how many are wanted.
        key: `[>= 6]` int32 scratch.
        out: their units are written to, nearest first, -1 where there are fewer.
        at: first index written.
    """
    for i in range(places):
        out[at + i] = NO_ONE
    first, bit, alive = s.SUMMON0 + owner * s.SUMMONS_PER_TEAM, np.int32(1 << viewer), 0
    hp = f[s.HP + first : s.HP + first + s.SUMMONS_PER_TEAM]
    for i in range(s.SUMMONS_PER_TEAM):
        alive += 1 if hp[i] > ZERO else 0
    if alive == 0:
        return
    for i in range(s.SUMMONS_PER_TEAM):
        dx, dy = f[s.X + first + i] - x, f[s.Y + first + i] - y
        squared = np.int32((dx * dx + dy * dy) * KEY_STEP) * np.int32(64) + np.int32(i)
        listed = (hp[i] > ZERO) & (k[s.VISIBLE + first + i] & bit != 0)
        key[i] = squared if listed else NO_KEY
    last = np.int32(-1)
    for i in range(places):
        best = NO_KEY
        for j in range(s.SUMMONS_PER_TEAM):
            best = min(best, key[j] if key[j] > last else NO_KEY)
        if best == NO_KEY:
            return
        out[at + i] = first + (best & PLACE_BITS)
        last = best
