"""The mirror image of a match: sides swapped, the map turned over at the river, random streams swapped.

A mirrored match with swapped actions plays on as the mirror image of the original, to the bit: tests and `check_game`
rely on it. Fields are found in `state.py` by their names in order of definition, so that a new one is covered.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fullpool.games.contract import Bytes, Floats, Ints
from fullpool.games.moba import state as s
from fullpool.games.moba.columns import SEEN_X, SEEN_Y
from fullpool.games.moba.tables import LANE_LENGTH

MARKS = {"F_EVENTS", "F_EVENTS_END", "K_EVENTS", "K_EVENTS_END", "F_SIZE", "K_SIZE"}
SCALARS = {"TICK", "DECISION", "OVER", "WINNER", "ENDED_BY_CRYSTAL", "FIRST_TURRET", "NEXT_WAVE", "WAVE"}
REFERENCES = (
    "TARGET OWNER TAUNT_BY HOT_BY KILLER ORDER_TARGET SLOTS ZONE_OWNER CAST_OWNER CAST_TARGET DOT_TARGET DOT_SOURCE"
).split()
"""Fields that hold units or seats (a seat is its hero's unit), -1: none."""
Indices = NDArray[np.int64]


def fields(first: str, end: str) -> dict[str, tuple[int, int]]:
    """Offset and size of every field of `state.py` from `first` to the one before `end`, by name."""
    names = list(vars(s))
    inner = names[names.index(first) : names.index(end)]
    offsets = [(name, getattr(s, name)) for name in inner if name.isupper() and name not in MARKS]
    stops = [offset for _, offset in offsets[1:]] + [getattr(s, end)]
    return {name: (offset, stop - offset) for (name, offset), stop in zip(offsets, stops, strict=True)}


F_FIELDS = fields("X", "F_SIZE")
K_FIELDS = fields("TICK", "K_SIZE")


def _unit_image() -> Indices:
    image = np.arange(s.NUM_UNITS)
    blocks = (
        (s.HERO0, s.TEAM_SIZE),
        (s.STRUCTURE0, s.STRUCTURES_PER_TEAM),
        (s.SUMMON0, s.SUMMONS_PER_TEAM),
        (s.MINION0, s.MINIONS_PER_TEAM),
    )
    for first, size in blocks:
        image[first : first + size], image[first + size : first + 2 * size] = (
            image[first + size : first + 2 * size].copy(),
            image[first : first + size].copy(),
        )
    return image


UNIT_IMAGE = _unit_image()
"""Unit that each unit is in the mirrored match."""


def _source(name: str, size: int) -> Indices:
    if name in SCALARS:
        return np.arange(size)
    if size == s.NUM_UNITS:
        return UNIT_IMAGE
    return np.roll(np.arange(size), size // 2)


def _map_references(values: Ints) -> Ints:
    return np.where(values >= 0, UNIT_IMAGE[np.maximum(values, 0)], values).astype(np.int32)


def mirror_match(f: Floats, k: Ints, brush_mirror: Bytes) -> tuple[Floats, Ints]:
    """Mirrors one match.

    Args:
        f: `[F_SIZE]` floats of the match.
        k: `[K_SIZE]` integers of the match.
        brush_mirror: `Tables.brush_mirror`.

    Returns:
        The mirrored match, in new arrays.
    """
    floats = {name: f[at : at + size][_source(name, size)] for name, (at, size) in F_FIELDS.items()}
    for name in [name for name in floats if name == "X" or name.endswith("_X")]:
        other = name[:-1] + "Y"
        # Adding zero turns the -0.0 of a negation into the 0.0 of a field never written.
        floats[name], floats[other] = -floats[other] + np.float32(0), -floats[name] + np.float32(0)
    seen = floats["SEEN"].reshape(s.NUM_HEROES, s.SEEN_COLUMNS).copy()
    seen[:, SEEN_X], seen[:, SEEN_Y] = -seen[:, SEEN_Y].copy(), -seen[:, SEEN_X].copy()
    floats["SEEN"] = seen.reshape(-1)

    ints = {name: k[at : at + size][_source(name, size)] for name, (at, size) in K_FIELDS.items()}
    for name in REFERENCES:
        ints[name] = _map_references(ints[name])
    visible = ints["VISIBLE"]
    ints["VISIBLE"] = ((visible & 1) << 1) | (visible >> 1)
    ints["ORDER_DIR"] = (12 - ints["ORDER_DIR"]) % s.NUM_DIR
    ints["BRUSH"] = brush_mirror[ints["BRUSH"]].astype(np.int32)
    if k[s.WINNER] in (s.TEAM_A, s.TEAM_B):
        ints["WINNER"] = 1 - ints["WINNER"]
    step = ints["STEP"].copy()
    walking = k[s.TYPE : s.TYPE + s.NUM_UNITS][UNIT_IMAGE][s.MINION0 : s.MONSTER0] != s.TYPE_NONE
    lane = step[s.MINION0 : s.MONSTER0]
    step[s.MINION0 : s.MONSTER0] = np.where(walking, LANE_LENGTH - 1 - lane, lane)
    ints["STEP"] = step
    image_f, image_k = np.concatenate(list(floats.values())), np.concatenate(list(ints.values()))
    return image_f.astype(np.float32), image_k.astype(np.int32)
