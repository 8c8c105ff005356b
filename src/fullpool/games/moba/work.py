"""Scratch of the observation kernels: one a thread, allocated once, meaningless between matches."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fullpool.games.contract import Floats, Ints
from fullpool.games.moba import columns as c
from fullpool.games.moba import state as s
from fullpool.games.moba.columns import Scalar
from fullpool.games.moba.events import Row
from fullpool.games.moba.nearby import Nearby, new_nearby
from fullpool.numerics.kernels import inlined

OWN, ENEMY = 0, 1
"""Sides as one team sees them."""
PLACE_X, PLACE_Y, PLACE_REL_X, PLACE_REL_Y, PLACE_DISTANCE = range(5)
PLACE_STRUCTURE = s.NUM_HEROES
"""Column of the first structure row in `Work.place`, after the hero rows."""
NUM_PLACES = PLACE_STRUCTURE + c.STRUCTURE_ROWS


class Work(NamedTuple):
    """What is computed once a match or team and used for several agents.

    Attributes:
        hero: `[10, CRITIC_HERO_COLUMNS]` by seat: every column that depends on no frame and no agent, without fog.
        row: `[10, HERO_COLUMNS]` hero rows as a team sees them, its own five first.
        place: `[5, NUM_PLACES]` positions of hero and structure rows in the team's frame, then relative to one agent.
        structure: `[8, STRUCTURE_COLUMNS]` as a team sees them, its own four first.
        structure_unit: `[8]` unit of each row, -1: absent or fallen.
        minion: `[72, MINION_COLUMNS]` by place of the unit: what depends on no team and no agent.
        summary: `[CRITIC_GLOBAL_COLUMNS]` the global row.
        distance2: `[24]` of the Who slots.
        near: scratch of searches: all living minions of both teams once the match is prepared.
        alive: `[2]` how many of them each team has.
        chosen: `[14]` units of one agent's minion and summon rows, -1: none.
    """

    hero: Floats
    row: Floats
    place: Floats
    structure: Floats
    structure_unit: Ints
    minion: Floats
    summary: Floats
    distance2: Floats
    near: Nearby
    alive: Ints
    chosen: Ints


def new_work() -> Work:
    """Allocates the scratch of one thread."""
    return Work(
        hero=np.zeros((s.NUM_HEROES, c.CRITIC_HERO_COLUMNS), np.float32),
        row=np.zeros((s.NUM_HEROES, c.HERO_COLUMNS), np.float32),
        place=np.zeros((5, NUM_PLACES), np.float32),
        structure=np.zeros((c.STRUCTURE_ROWS, c.STRUCTURE_COLUMNS), np.float32),
        structure_unit=np.full(c.STRUCTURE_ROWS, -1, np.int32),
        minion=np.zeros((2 * s.MINIONS_PER_TEAM, c.MINION_COLUMNS), np.float32),
        summary=np.zeros(c.CRITIC_GLOBAL_COLUMNS, np.float32),
        distance2=np.zeros(s.NUM_WHO, np.float32),
        near=new_nearby(),
        alive=np.zeros(2, np.int32),
        chosen=np.full(c.MINION_ROWS + c.SUMMON_ROWS, -1, np.int32),
    )


@inlined
def frame_x(f: Row, u: int, team: int) -> Scalar:
    """First coordinate of a unit in a team's own frame; adding zero makes a zero positive on both sides."""
    return (f[s.X + u] if team == s.TEAM_A else -f[s.Y + u]) + c.ZERO


@inlined
def frame_y(f: Row, u: int, team: int) -> Scalar:
    """Second coordinate of a unit in a team's own frame."""
    return (f[s.Y + u] if team == s.TEAM_A else -f[s.X + u]) + c.ZERO


@inlined
def cut(value: Scalar) -> Scalar:
    """Cuts to [-1, 1]."""
    return min(max(value, np.float32(-1.0)), np.float32(1.0))


@inlined
def relate(x: float, y: float, work: Work) -> None:
    """Writes the places of hero and structure rows relative to a point: differences and distance, in reaches."""
    place = work.place
    for r in range(NUM_PLACES):
        dx, dy = place[PLACE_X, r] - x, place[PLACE_Y, r] - y
        place[PLACE_REL_X, r] = cut(dx * c.PER_REACH)
        place[PLACE_REL_Y, r] = cut(dy * c.PER_REACH)
        place[PLACE_DISTANCE, r] = min(np.sqrt(dx * dx + dy * dy) * c.PER_REACH, c.ONE)
