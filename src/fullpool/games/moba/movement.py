"""Phase 2 of a tick: displacements, then walking; walls stop both, walking slides along them.

Every step is worked out from the positions before anybody walks, then all are made: no order of units shows.
"""

from __future__ import annotations

import numpy as np

from fullpool.games.moba import state as s
from fullpool.games.moba import tables as tb
from fullpool.games.moba.columns import Scalar
from fullpool.games.moba.events import Row
from fullpool.games.moba.status import attack_range, can_move, is_seen_by, is_taunted, move_speed, team_of
from fullpool.games.moba.summons import summon_step
from fullpool.games.moba.tables import Tables
from fullpool.numerics.kernels import kernel

ZERO: Scalar = np.float32(0.0)
ONE: Scalar = np.float32(1.0)
LONGEST_STEP = np.float32(0.9)  # no step jumps over a tile
REACHED = np.float32(0.01)
ACT = 2  # ticks from one double step of a minion to the next, see `minions`
CHASE_MARGIN = np.float32(0.05)  # a chaser stops a little inside its reach


@kernel
def look_up(tile: Row, x: Scalar, y: Scalar) -> Scalar:
    """Tile of a point; outside of the grid: a wall.

    A column is [x, x + 1), a row (y, y + 1]: borders belong to mirrored tiles on mirrored sides. Hot kernels take
    `Tables.tile` alone: handing over all tables costs a hundred words a call.
    """
    column = np.int64(np.floor(x)) + tb.HALF_TILES
    row = np.int64(np.ceil(y)) + tb.HALF_TILES - 1
    if column < 0 or column >= tb.TILES or row < 0 or row >= tb.TILES:
        return tb.WALL
    return np.int64(tile[row, column])


@kernel
def tile_at(t: Tables, x: Scalar, y: Scalar) -> Scalar:
    """Tile of a point; outside of the grid: a wall."""
    return look_up(t.tile, x, y)


@kernel
def is_wall(t: Tables, x: Scalar, y: Scalar) -> Scalar:
    """Whether a point lies in a wall."""
    return tile_at(t, x, y) & tb.WALL != 0


@kernel
def brush_at(t: Tables, x: Scalar, y: Scalar) -> Scalar:
    """Brush patch of a point, 0: none."""
    return tile_at(t, x, y) & tb.BRUSH_MASK


@kernel
def _blocks(tile: Row, x: Scalar, y: Scalar) -> Scalar:
    return look_up(tile, x, y) & tb.WALL != 0


@kernel
def _step(f: Row, tile: Row, u: int, dx: Scalar, dy: Scalar, slide: Scalar) -> Scalar:
    x, y = f[s.X + u], f[s.Y + u]
    if not _blocks(tile, x + dx, y + dy):
        f[s.X + u] = x + dx
        f[s.Y + u] = y + dy
        return True
    if not slide:
        return False
    across, along = abs(dx), abs(dy)
    # At a corner both axes may be free: the longer one wins; mirroring swaps the axes and the teams.
    x_first = across > along or (across == along and team_of(u) == s.TEAM_A)
    free_x = dx != ZERO and not _blocks(tile, x + dx, y)
    free_y = dy != ZERO and not _blocks(tile, x, y + dy)
    if free_x and (x_first or not free_y):
        f[s.X + u] = x + dx
        return True
    if free_y:
        f[s.Y + u] = y + dy
        return True
    return False


@kernel
def move_by(f: Row, tile: Row, u: int, dx: Scalar, dy: Scalar, slide: Scalar) -> Scalar:
    """Moves a unit as far as walls allow.

    Args:
        f: floats of the match.
        tile: `Tables.tile`.
        u: the unit.
        dx: way along x, map units.
        dy: way along y.
        slide: whether a wall turns the step along it instead of ending it.

    Returns:
        Whether the whole way was made, sliding included.
    """
    longest = max(abs(dx), abs(dy))
    if longest <= LONGEST_STEP:
        return _step(f, tile, u, dx, dy, slide)
    steps = np.int64(np.ceil(longest / LONGEST_STEP))
    part_x, part_y = dx / np.float32(steps), dy / np.float32(steps)
    for _ in range(steps):
        if not _step(f, tile, u, part_x, part_y, slide):
            return False
    return True


@kernel
def _approach(f: Row, u: int, x: Scalar, y: Scalar, reach: Scalar, speed: Scalar) -> None:
    dx, dy = x - f[s.X + u], y - f[s.Y + u]
    d2 = dx * dx + dy * dy
    if d2 <= reach * reach:
        return
    distance = np.sqrt(d2)
    share = min(speed, distance - reach + CHASE_MARGIN) / distance
    f[s.WALK_X + u] = dx * share
    f[s.WALK_Y + u] = dy * share


@kernel
def _cast_reach(k: Row, t: Tables, h: int) -> Scalar:
    """Range from which the ordered skill can be cast on its target; 0: the hero need not walk for it."""
    skill = t.skill[k[s.HERO_ID + h], k[s.ORDER + h] - s.SKILL1]
    cast = np.int64(skill[tb.SKILL_CAST])
    if cast == tb.CAST_UNIT or cast == tb.CAST_ALLY:
        return skill[tb.SKILL_RANGE]
    return ZERO


@kernel
def _hero_step(f: Row, k: Row, t: Tables, h: int) -> None:
    speed = move_speed(f, k, t, h)
    order, target = k[s.ORDER + h], k[s.ORDER_TARGET + h]
    if is_taunted(k, h) and f[s.HP + k[s.TAUNT_BY + h]] > ZERO:
        order, target = s.ATTACK, k[s.TAUNT_BY + h]
    if order == s.MOVE:
        f[s.WALK_X + h] = f[s.ORDER_X + h] * speed
        f[s.WALK_Y + h] = f[s.ORDER_Y + h] * speed
    elif target >= 0 and target != h and f[s.HP + target] > ZERO:
        if not is_seen_by(k, target, team_of(h)):
            return
        if order == s.ATTACK:
            _approach(f, h, f[s.X + target], f[s.Y + target], attack_range(f, k, h), speed)
        elif order >= s.SKILL1 and order <= s.SKILL3:
            reach = _cast_reach(k, t, h)
            if reach > ZERO:
                _approach(f, h, f[s.X + target], f[s.Y + target], reach, speed)


@kernel
def _summon_walk(f: Row, k: Row, t: Tables, u: int) -> None:
    f[s.WALK_X + u] = ZERO
    f[s.WALK_Y + u] = ZERO
    if k[s.TYPE + u] == s.TYPE_SUMMON and can_move(k, u):
        x, y, reach = summon_step(f, k, t, u)
        _approach(f, u, x, y, reach, move_speed(f, k, t, u))


@kernel
def _force(f: Row, k: Row, t: Tables, u: int) -> None:
    if k[s.FORCE_UNTIL + u] > k[s.TICK] and f[s.HP + u] > ZERO:
        move_by(f, t.tile, u, f[s.FORCE_X + u], f[s.FORCE_Y + u], False)


@kernel
def _walk(f: Row, tile: Row, u: int) -> None:
    if f[s.HP + u] <= ZERO:
        return
    dx, dy = f[s.WALK_X + u], f[s.WALK_Y + u]
    if dx != ZERO or dy != ZERO:
        move_by(f, tile, u, dx, dy, True)


@kernel
def move_units(f: Row, k: Row, t: Tables) -> None:
    """Makes the displacements and steps of one tick.

    Minions walk the steps that they thought of (`minions.minion_turns`).
    """
    for h in range(s.NUM_HEROES):
        f[s.LAST_X + h] = f[s.X + h]
        f[s.LAST_Y + h] = f[s.Y + h]
        _force(f, k, t, h)
    tick = k[s.TICK]
    forced, until = np.int32(0), k[s.FORCE_UNTIL + s.SUMMON0 : s.FORCE_UNTIL + s.MONSTER0]
    for i in range(s.MONSTER0 - s.SUMMON0):
        forced = np.int32(forced + (1 if until[i] > tick else 0))
    if forced > 0:
        for u in range(s.SUMMON0, s.MONSTER0):
            _force(f, k, t, u)
    for u in range(s.SUMMON0, s.MINION0):
        if f[s.HP + u] > ZERO:
            _summon_walk(f, k, t, u)
    for h in range(s.NUM_HEROES):
        f[s.WALK_X + h] = ZERO
        f[s.WALK_Y + h] = ZERO
        if f[s.HP + h] > ZERO and can_move(k, h):
            _hero_step(f, k, t, h)
    for h in range(s.NUM_HEROES):
        _walk(f, t.tile, h)
    for u in range(s.SUMMON0, s.MINION0):
        _walk(f, t.tile, u)
    for u in range(s.MINION0 + tick % ACT, s.MONSTER0, ACT):
        if f[s.HP + u] > ZERO and can_move(k, u):
            _walk(f, t.tile, u)
