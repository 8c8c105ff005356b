"""The local image of an agent: 6 channels of 17 x 17 cells of one map unit around it, in its team's own frame.

Channels: wall, brush, ally density, enemy density, and two that stay zero until the full game: enemy threat and area
effects under way. The hero stands in the middle cell; a row is one step along y, a column one along x.
"""

from __future__ import annotations

import numpy as np

from fullpool.games.moba import state as s
from fullpool.games.moba import tables as tb
from fullpool.games.moba.columns import ONE, ZERO
from fullpool.games.moba.events import Row
from fullpool.games.moba.movement import tile_at
from fullpool.games.moba.status import team_of
from fullpool.games.moba.tables import Tables
from fullpool.games.moba.work import frame_x, frame_y
from fullpool.numerics.kernels import kernel

IMAGE_CHANNELS = ("wall", "brush", "ally_density", "enemy_density", "enemy_threat", "incoming_effects")
CHANNELS, EDGE = len(IMAGE_CHANNELS), 17
CELLS = EDGE * EDGE
IMAGE_SIZE = CHANNELS * CELLS
CHANNEL_WALL, CHANNEL_BRUSH, CHANNEL_ALLY, CHANNEL_ENEMY = range(4)
HALF_EDGE = EDGE // 2
PER_UNIT = np.float32(0.25)  # four units in a cell fill it


@kernel
def _paint_ground(f: Row, t: Tables, h: int, out: Row) -> None:
    """Writes walls and brush."""
    team = h // s.TEAM_SIZE
    for row in range(EDGE):
        for column in range(EDGE):
            dx, dy = np.float32(column - HALF_EDGE), np.float32(row - HALF_EDGE)
            if team == s.TEAM_B:
                dx, dy = -dy, -dx
            tile = tile_at(t, f[s.X + h] + dx, f[s.Y + h] + dy)
            cell = row * EDGE + column
            out[CHANNEL_WALL * CELLS + cell] = ONE if tile & tb.WALL != 0 else ZERO
            out[CHANNEL_BRUSH * CELLS + cell] = ONE if tile & tb.BRUSH_MASK != 0 else ZERO


@kernel
def write_image(f: Row, k: Row, t: Tables, h: int, out: Row) -> None:
    """Writes one agent's image; units out of the team's sight are not in it.

    Args:
        f: `[F_SIZE]` floats of the match.
        k: `[K_SIZE]` integers of the match, after `refresh_slots`.
        t: tables of the game.
        h: seat.
        out: `[IMAGE_SIZE]` float32, written, channel by channel and row by row.
    """
    team = h // s.TEAM_SIZE
    for i in range(IMAGE_SIZE):
        out[i] = ZERO
    _paint_ground(f, t, h, out)
    x, y = frame_x(f, h, team), frame_y(f, h, team)
    for u in range(s.MONSTER0):
        if u == h or f[s.HP + u] <= ZERO or (k[s.VISIBLE + u] >> team) & 1 == 0:
            continue
        column = np.int64(np.rint(frame_x(f, u, team) - x)) + HALF_EDGE
        row = np.int64(np.rint(frame_y(f, u, team) - y)) + HALF_EDGE
        if 0 <= column < EDGE and 0 <= row < EDGE:
            channel = CHANNEL_ALLY if team_of(u) == team else CHANNEL_ENEMY
            cell = channel * CELLS + row * EDGE + column
            out[cell] = min(out[cell] + PER_UNIT, ONE)
