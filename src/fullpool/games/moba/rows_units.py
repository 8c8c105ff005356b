"""Rows of minions, structures and summons: built once a team, copied to each agent with its own distances."""

from __future__ import annotations

import numpy as np

from fullpool.games.moba import columns as c
from fullpool.games.moba import state as s
from fullpool.games.moba import tables as tb
from fullpool.games.moba.columns import ONE, ZERO
from fullpool.games.moba.events import Row
from fullpool.games.moba.hero_columns import share_left
from fullpool.games.moba.slots import list_units, order_by_distance
from fullpool.games.moba.structures import is_vulnerable
from fullpool.games.moba.tables import Tables
from fullpool.games.moba.work import (
    ENEMY,
    KEY,
    ORDER,
    OWN,
    PLACE_DISTANCE,
    PLACE_REL_X,
    PLACE_REL_Y,
    PLACE_X,
    PLACE_Y,
    RANK,
    Work,
    frame_x,
    frame_y,
)
from fullpool.numerics.kernels import kernel

MINION_TYPES = 4


@kernel
def prepare_minions(f: Row, k: Row, team: int, viewer: int, work: Work) -> None:
    """Lists the minions of both sides that a team sees and writes the columns that all its agents share.

    Args:
        f: `[F_SIZE]` floats of the match.
        k: `[K_SIZE]` integers of the match.
        team: whose frame and order of sides.
        viewer: whose vision: `team`, or for enemy minions without fog the other team.
        work: scratch.
    """
    for side in range(2):
        owner = team if side == OWN else 1 - team
        looks = team if side == OWN else viewer
        first = s.MINION0 + owner * s.MINIONS_PER_TEAM
        units, place = work.minion_units[side], work.minion_place[side]
        count = list_units(f, k, first, first + s.MINIONS_PER_TEAM, looks, units, place[0], place[1])
        work.minion_count[side] = count
        for i in range(count):
            u = units[i]
            place[0, i], place[1, i] = frame_x(f, u, team), frame_y(f, u, team)
            row = work.minion[side, u - first]
            for j in range(c.MINION_COLUMNS):
                row[j] = ZERO
            row[c.M_PRESENT] = ONE
            row[c.M_ALLY] = ONE if side == OWN else ZERO
            row[c.M_TYPE + min(max(k[s.TYPE + u] - s.TYPE_MELEE, 0), MINION_TYPES - 1)] = ONE
            row[c.M_HP] = min(f[s.HP + u] / max(f[s.MAX_HP + u], ONE), ONE)


@kernel
def prepare_summons(f: Row, k: Row, team: int, viewer: int, work: Work) -> None:
    """Lists the summons of both sides that a team sees; arguments as for `prepare_minions`."""
    for side in range(2):
        owner = team if side == OWN else 1 - team
        looks = team if side == OWN else viewer
        first = s.SUMMON0 + owner * s.SUMMONS_PER_TEAM
        units, place = work.summon_units[side], work.summon_place[side]
        count = list_units(f, k, first, first + s.SUMMONS_PER_TEAM, looks, units, place[0], place[1])
        work.summon_count[side] = count
        for i in range(count):
            place[0, i], place[1, i] = frame_x(f, units[i], team), frame_y(f, units[i], team)


@kernel
def prepare_structures(f: Row, k: Row, t: Tables, team: int, work: Work) -> None:
    """Writes the structures' rows and places as a team sees them: its own turrets and crystal, then the enemy's.

    Args:
        f: `[F_SIZE]` floats of the match.
        k: `[K_SIZE]` integers of the match.
        t: tables of the game.
        team: who looks.
        work: scratch; minions are ready.
    """
    for i in range(c.STRUCTURE_ROWS):
        work.structure_unit[i] = -1
        work.place[PLACE_X, c.ROW_STRUCTURE + i], work.place[PLACE_Y, c.ROW_STRUCTURE + i] = ZERO, ZERO
        for j in range(c.STRUCTURE_COLUMNS):
            work.structure[i, j] = ZERO
    for side in range(2):
        owner = team if side == OWN else 1 - team
        turrets = 0
        for index in range(s.STRUCTURES_PER_TEAM):
            place = owner * s.STRUCTURES_PER_TEAM + index
            if t.structure[place, 2] <= ZERO:
                continue
            r = side * c.TEAM_STRUCTURES + (turrets if index < s.CRYSTAL else c.TEAM_STRUCTURES - 1)
            turrets += 1
            if f[s.HP + s.STRUCTURE0 + place] > ZERO:
                _write_structure(f, t, team, s.STRUCTURE0 + place, index, r, work)


@kernel
def _write_structure(f: Row, t: Tables, team: int, u: int, index: int, r: int, work: Work) -> None:
    """Writes one standing structure's row."""
    side, row = r // c.TEAM_STRUCTURES, work.structure[r]
    x, y = frame_x(f, u, team), frame_y(f, u, team)
    work.structure_unit[r] = u
    work.place[PLACE_X, c.ROW_STRUCTURE + r], work.place[PLACE_Y, c.ROW_STRUCTURE + r] = x, y
    row[c.B_ALIVE] = ONE
    row[c.B_ALLY] = ONE if side == OWN else ZERO
    row[c.B_TIER + (index % 3 if index < s.CRYSTAL else 3)] = ONE
    row[c.B_HP] = min(f[s.HP + u] / max(f[s.MAX_HP + u], ONE), ONE)
    row[c.B_VULNERABLE] = ONE if is_vulnerable(f, t, u) else ZERO
    reach, near, attackers = t.preset[tb.P_BACKDOOR_RADIUS], 0, work.minion_place[1 - side]
    for i in range(work.minion_count[1 - side]):
        dx, dy = attackers[0, i] - x, attackers[1, i] - y
        near += 1 if dx * dx + dy * dy <= reach * reach else 0
    row[c.B_NEAR] = min(np.float32(near) * c.PER_NEAR, ONE)


@kernel
def sort_units(place: Row, count: int, x: float, y: float, work: Work) -> None:
    """Orders listed units by their distance from a point into `work.sort[ORDER]`."""
    order_by_distance(place[0], place[1], count, x, y, work.sort[KEY], work.sort[RANK], work.sort[ORDER])


@kernel
def pick_enemy_minions(f: Row, k: Row, h: int, team: int, chosen: Row, work: Work) -> None:
    """Takes the enemy minions behind an agent's Who slots: `chosen` gets their units, the places theirs."""
    for i in range(c.ENEMY_MINIONS):
        u = k[s.SLOTS + h * s.NUM_WHO + s.SLOT_MINION + i]
        chosen[i] = u
        _set_place(f, u, team, c.ROW_MINION + i, work)


@kernel
def _set_place(f: Row, u: int, team: int, r: int, work: Work) -> None:
    """Writes a unit's place in the team's frame into a row, zero for no unit."""
    work.place[PLACE_X, r] = frame_x(f, u, team) if u >= 0 else ZERO
    work.place[PLACE_Y, r] = frame_y(f, u, team) if u >= 0 else ZERO


@kernel
def pick_sorted(
    f: Row, team: int, units: Row, count: int, r: int, places: int, chosen: Row, at: int, work: Work
) -> None:
    """Takes the first of the listed units in the order that `sort_units` found.

    Args:
        f: `[F_SIZE]` floats of the match.
        team: whose frame.
        units: the listed units.
        count: how many there are.
        r: first row of the places to fill.
        places: rows to fill.
        chosen: units written, -1 where there are fewer.
        at: first index of them in `chosen`.
        work: scratch.
    """
    for i in range(places):
        u = units[work.sort[ORDER, i]] if i < count else -1
        chosen[at + i] = u
        _set_place(f, u, team, r + i, work)


@kernel
def write_minions(f: Row, k: Row, h: int, team: int, chosen: Row, work: Work, out: Row, at: int) -> None:
    """Writes the ten minion rows.

    Args:
        f: `[F_SIZE]` floats of the match.
        k: `[K_SIZE]` integers of the match.
        h: seat of the agent, -1: nobody's (the critic's).
        team: who looks.
        chosen: `[10]` units, six enemies and four allies, -1: none.
        work: scratch; relative places are ready.
        out: row written to.
        at: where the block begins in it.
    """
    for i in range(c.MINION_ROWS):
        u, to, r = chosen[i], at + i * c.MINION_COLUMNS, c.ROW_MINION + i
        if u < 0:
            for j in range(c.MINION_COLUMNS):
                out[to + j] = ZERO
            continue
        side = ENEMY if i < c.ENEMY_MINIONS else OWN
        owner = team if side == OWN else 1 - team
        row = work.minion[side, u - s.MINION0 - owner * s.MINIONS_PER_TEAM]
        for j in range(c.MINION_COLUMNS):
            out[to + j] = row[j]
        out[to + c.M_REL_X] = work.place[PLACE_REL_X, r]
        out[to + c.M_REL_Y] = work.place[PLACE_REL_Y, r]
        out[to + c.M_DISTANCE] = work.place[PLACE_DISTANCE, r]
        if h >= 0:
            out[to + c.M_LAST_HIT] = ONE if (side == ENEMY) & (f[s.HP + u] <= f[s.AD + h]) else ZERO
            out[to + c.M_ATTACKS_ME] = ONE if k[s.TARGET + u] == h else ZERO


@kernel
def write_structures(k: Row, h: int, work: Work, out: Row, at: int) -> None:
    """Writes the eight structure rows for the agent in seat `h`, -1: the critic, at `out[at:]`."""
    for i in range(c.STRUCTURE_ROWS):
        to, r, u = at + i * c.STRUCTURE_COLUMNS, c.ROW_STRUCTURE + i, work.structure_unit[i]
        for j in range(c.STRUCTURE_COLUMNS):
            out[to + j] = work.structure[i, j]
        if u >= 0:
            out[to + c.B_REL_X] = work.place[PLACE_REL_X, r]
            out[to + c.B_REL_Y] = work.place[PLACE_REL_Y, r]
            out[to + c.B_DISTANCE] = work.place[PLACE_DISTANCE, r]
            out[to + c.B_ATTACKS_ME] = ONE if (k[s.TARGET + u] == h) & (h >= 0) else ZERO


@kernel
def write_summons(f: Row, k: Row, chosen: Row, work: Work, out: Row, at: int) -> None:
    """Writes the four summon rows, two allies and two enemies in `chosen`, at `out[at:]`."""
    for i in range(c.SUMMON_ROWS):
        u, to, r = chosen[i], at + i * c.SUMMON_COLUMNS, c.ROW_SUMMON + i
        for j in range(c.SUMMON_COLUMNS):
            out[to + j] = ZERO
        if u < 0:
            continue
        out[to + c.U_PRESENT] = ONE
        out[to + c.U_ALLY] = ONE if i < c.TEAM_SUMMONS else ZERO
        out[to + c.U_WARD] = ONE if k[s.TYPE + u] == s.TYPE_WARD else ZERO
        out[to + c.U_REL_X] = work.place[PLACE_REL_X, r]
        out[to + c.U_REL_Y] = work.place[PLACE_REL_Y, r]
        out[to + c.U_DISTANCE] = work.place[PLACE_DISTANCE, r]
        out[to + c.U_HP] = min(f[s.HP + u] / max(f[s.MAX_HP + u], ONE), ONE)
        out[to + c.U_LEFT] = share_left(k[s.EXPIRES + u], k[s.TICK], c.PER_SUMMON)
