"""Where things stand: lanes, structures, spawns, walls and brush of every preset.

Positions are relative to the map's centre. Side A's half is written down, side B's is its mirror image
(x, y) -> (-y, -x), negation being exact. Everything is float32. The source coordinates are those of the full map
with its origin in A's corner.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from fullpool.games.contract import Bytes, Floats
from fullpool.games.moba.presets import LANES, Preset
from fullpool.games.moba.state import CRYSTAL, NUM_LANES, STRUCTURES_PER_TEAM, TEAM_SIZE

TILES = 80
HALF_TILES = TILES // 2
WALL = 0x80
BRUSH_MASK = 0x1F
FULL_HALF = 40.0
BASE = (8.0, 8.0)
LANE_POINTS = (
    ((8.0, 8.0), (8.0, 64.0)),
    ((8.0, 8.0), (30.0, 30.0)),
    ((8.0, 8.0), (64.0, 8.0)),
)
TURRETS = (
    ((8.0, 50.0), (8.0, 34.0), (8.0, 20.0)),
    ((31.0, 31.0), (24.0, 24.0), (16.0, 16.0)),
    ((50.0, 8.0), (34.0, 8.0), (20.0, 8.0)),
)
WALL_BOXES = (  # side A's jungle: centre x, y, half width, half height
    (17.0, 44.0, 1.6, 4.5),
    (22.0, 37.0, 4.0, 1.5),
    (17.0, 28.0, 1.8, 3.0),
    (30.0, 46.0, 1.6, 2.4),
    (44.0, 17.0, 4.5, 1.6),
    (37.0, 22.0, 1.5, 4.0),
    (28.0, 17.0, 3.0, 1.8),
    (46.0, 30.0, 2.4, 1.6),
)
RIVER_BRUSH = ((20.0, 60.0), (33.0, 47.0), (47.0, 33.0), (60.0, 20.0))
SIDE_BRUSH = (  # two beside each side lane, one at each jungle entrance
    (11.5, 42.0),
    (11.5, 57.0),
    (42.0, 11.5),
    (57.0, 11.5),
    (26.0, 32.0),
    (32.0, 26.0),
)
BRUSH_RADIUS = 1.7
LANE_CLEARANCE = 2.6
STRUCTURE_CLEARANCE = 3.0
BASE_CLEARANCE = 6.5
FOUNTAIN = (3.0, 3.0)  # behind the crystal, so that attackers of the crystal need not stand in it
SPAWN_STEP = 1.0
ARENA_SPAWN = 13.0
ARENA_HALF_LENGTH, ARENA_HALF_WIDTH = 22.0, 13.0


def centred(point: tuple[float, float], scale: float) -> tuple[np.float32, np.float32]:
    """Turns full-map corner coordinates into a preset's centred ones."""
    return np.float32((point[0] - FULL_HALF) * scale), np.float32((point[1] - FULL_HALF) * scale)


def mirrored(x: np.float32, y: np.float32) -> tuple[np.float32, np.float32]:
    """Mirrors a point across the river."""
    return np.float32(-y), np.float32(-x)


def directions() -> Floats:
    """The 16 unit directions, made of one octant by reflection so that mirrors are exact; `[16, 2]`."""
    octant = np.array([1.0, np.cos(np.pi / 8), np.sqrt(0.5), np.sin(np.pi / 8), 0.0]).astype(np.float32)
    table = np.zeros((16, 2), np.float32)
    for index in range(16):
        quadrant, step = divmod(index, 4)
        x, y = octant[step], octant[4 - step]
        table[index] = ((x, y), (-y, x), (-x, -y), (y, -x))[quadrant]
    return table + np.float32(0.0)


def lanes(preset: Preset) -> Floats:
    """Way points of the lanes from A's base to B's, `[3, 4, 2]`."""
    table = np.zeros((NUM_LANES, 4, 2), np.float32)
    for lane, points in enumerate(LANE_POINTS):
        for index, point in enumerate(points):
            table[lane, index] = centred(point, preset.map_scale)
            table[lane, 3 - index] = mirrored(*table[lane, index])
    return table


def structures(preset: Preset) -> Floats:
    """Structures of both teams, `[20, 4]`: x, y, hp, damage; hp 0 where the preset has none."""
    table = np.zeros((2 * STRUCTURES_PER_TEAM, 4), np.float32)
    if not preset.has_structures:
        return table
    for lane, name in enumerate(LANES):
        if name not in preset.lanes:
            continue
        for tier in preset.turret_tiers:
            point = TURRETS[lane][1 if preset.single_tier else tier]
            x, y = centred(point, preset.map_scale)
            table[lane * 3 + tier] = x, y, preset.turret_hp[tier], preset.turret_damage[tier]
    x, y = centred(BASE, preset.map_scale)
    table[CRYSTAL] = x, y, preset.crystal_hp, preset.crystal_damage
    for index in range(STRUCTURES_PER_TEAM):
        table[STRUCTURES_PER_TEAM + index] = table[index]
        if table[index, 2] > 0:
            table[STRUCTURES_PER_TEAM + index, :2] = mirrored(table[index, 0], table[index, 1])
    return table


def spawns(preset: Preset) -> Floats:
    """Where heroes start and respawn, `[2, 5, 2]`: abreast, across the way to the enemy."""
    table = np.zeros((2, TEAM_SIZE, 2), np.float32)
    for place in range(TEAM_SIZE):
        aside = np.float32((place - 2) * SPAWN_STEP * np.sqrt(0.5))
        if preset.has_structures:
            x, y = centred(FOUNTAIN, preset.map_scale)
        else:
            x = y = np.float32(-ARENA_SPAWN * np.sqrt(0.5))
        table[0, place] = x + aside, y - aside
        table[1, place] = mirrored(table[0, place, 0], table[0, place, 1])
    return table


def _segment_distance(x: float, y: float, points: Floats) -> float:
    best = np.inf
    for (ax, ay), (bx, by) in pairwise(points):
        dx, dy = float(bx - ax), float(by - ay)
        share = np.clip(((x - ax) * dx + (y - ay) * dy) / max(dx * dx + dy * dy, 1e-9), 0.0, 1.0)
        best = min(best, float(np.hypot(x - ax - share * dx, y - ay - share * dy)))
    return best


def _blocked(preset: Preset, x: float, y: float, ways: Floats, builds: Floats) -> bool:
    scale = preset.map_scale
    for cx, cy, width, height in WALL_BOXES:
        px, py = (float(v) for v in centred((cx, cy), scale))
        if abs(x - px) <= width * scale and abs(y - py) <= height * scale:
            break
    else:
        return False
    if min(_segment_distance(x, y, ways[lane]) for lane in range(NUM_LANES)) < LANE_CLEARANCE:
        return False
    base = centred(BASE, scale)
    if np.hypot(x - base[0], y - base[1]) < BASE_CLEARANCE:
        return False
    near = [np.hypot(x - b[0], y - b[1]) < STRUCTURE_CLEARANCE for b in builds if b[2] > 0]
    return not any(near)


def _brush_patches(preset: Preset) -> list[tuple[float, float]]:
    patches = [centred(point, preset.map_scale) for point in RIVER_BRUSH]
    for point in SIDE_BRUSH:
        patch = centred(point, preset.map_scale)
        patches += [patch, mirrored(*patch)]
    return [(float(x), float(y)) for x, y in patches]


def tiles(preset: Preset) -> Bytes:
    """Tiles of one unit, `[80, 80]` by row (y) and column (x): bit 7 is a wall, the low bits a brush patch, 0: none.

    The tile of A's half is computed, that of B's half copied from its mirror tile.
    """
    table = np.zeros((TILES, TILES), np.uint8)
    ways, builds = lanes(preset), structures(preset)
    patches = _brush_patches(preset) if preset.has_structures else []
    for row in range(TILES):
        for column in range(TILES):
            x, y = column - HALF_TILES + 0.5, row - HALF_TILES + 0.5
            if max(abs(x), abs(y)) > preset.map_half:
                table[row, column] = WALL
            elif not preset.has_structures:
                outside = abs(x + y) > ARENA_HALF_LENGTH * np.sqrt(2) or abs(
                    x - y
                ) > ARENA_HALF_WIDTH * np.sqrt(2)
                table[row, column] = WALL if outside else 0
            elif x + y <= 0 and _blocked(preset, x, y, ways, builds):
                table[row, column] = WALL
                table[TILES - 1 - column, TILES - 1 - row] = WALL
    for number, (px, py) in enumerate(patches, start=1):
        for row in range(TILES):
            for column in range(TILES):
                x, y = column - HALF_TILES + 0.5, row - HALF_TILES + 0.5
                if np.hypot(x - px, y - py) <= BRUSH_RADIUS and not table[row, column]:
                    table[row, column] = number
    return table


def brush_mirror(table: Bytes) -> Bytes:
    """Patch that each patch mirrors to, `[32]`; patches on the river mirror to themselves."""
    mirror = np.arange(BRUSH_MASK + 1, dtype=np.uint8)
    for row, column in zip(*np.nonzero(table & BRUSH_MASK), strict=True):
        mirror[table[row, column] & BRUSH_MASK] = table[TILES - 1 - column, TILES - 1 - row] & BRUSH_MASK
    return mirror
