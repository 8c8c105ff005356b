"""Rows of minions, structures and summons: built once a team, copied to each agent with its own distances."""

from __future__ import annotations

import numpy as np

from fullpool.games.moba import columns as c
from fullpool.games.moba import state as s
from fullpool.games.moba import tables as tb
from fullpool.games.moba.columns import ONE, ZERO, Scalar
from fullpool.games.moba.events import Row
from fullpool.games.moba.hero_columns import share_left
from fullpool.games.moba.structures import is_vulnerable
from fullpool.games.moba.tables import Tables
from fullpool.games.moba.work import (
    ENEMY,
    OWN,
    PLACE_DISTANCE,
    PLACE_REL_X,
    PLACE_REL_Y,
    PLACE_STRUCTURE,
    PLACE_X,
    PLACE_Y,
    Work,
    cut,
    frame_x,
    frame_y,
)
from fullpool.numerics.kernels import inlined

MINION_TYPES = 4


@inlined
def prepare_minions(f: Row, k: Row, work: Work) -> None:
    """Writes `work.minion`: the columns of all living minions that depend on no team and no agent.

    Args:
        f: `[F_SIZE]` floats of the match.
        k: `[K_SIZE]` integers of the match.
        work: scratch.
    """
    for i in range(2 * s.MINIONS_PER_TEAM):
        u = s.MINION0 + i
        if f[s.HP + u] <= ZERO:
            continue
        row = work.minion[i]
        for j in range(c.MINION_COLUMNS):
            row[j] = ZERO
        row[c.M_PRESENT] = ONE
        row[c.M_TYPE + min(max(k[s.TYPE + u] - s.TYPE_MELEE, 0), MINION_TYPES - 1)] = ONE
        row[c.M_HP] = min(f[s.HP + u] / max(f[s.MAX_HP + u], ONE), ONE)


@inlined
def prepare_structures(f: Row, k: Row, t: Tables, team: int, work: Work) -> None:
    """Writes the structures' rows and places as a team sees them: its own turrets and crystal, then the enemy's.

    Args:
        f: `[F_SIZE]` floats of the match.
        k: `[K_SIZE]` integers of the match.
        t: tables of the game.
        team: who looks.
        work: scratch.
    """
    for i in range(c.STRUCTURE_ROWS):
        work.structure_unit[i] = -1
        work.place[PLACE_X, PLACE_STRUCTURE + i], work.place[PLACE_Y, PLACE_STRUCTURE + i] = ZERO, ZERO
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
                _write_structure(f, k, t, team, s.STRUCTURE0 + place, index, r, work)


@inlined
def _write_structure(f: Row, k: Row, t: Tables, team: int, u: int, index: int, r: int, work: Work) -> None:
    """Writes one standing structure's row."""
    side, row = r // c.TEAM_STRUCTURES, work.structure[r]
    x, y = frame_x(f, u, team), frame_y(f, u, team)
    work.structure_unit[r] = u
    work.place[PLACE_X, PLACE_STRUCTURE + r], work.place[PLACE_Y, PLACE_STRUCTURE + r] = x, y
    row[c.B_ALIVE] = ONE
    row[c.B_ALLY] = ONE if side == OWN else ZERO
    row[c.B_TIER + (index % 3 if index < s.CRYSTAL else 3)] = ONE
    row[c.B_HP] = min(f[s.HP + u] / max(f[s.MAX_HP + u], ONE), ONE)
    row[c.B_VULNERABLE] = ONE if is_vulnerable(f, t, u) else ZERO
    near = _attackers_near(f, k, t, team, u, team if side == ENEMY else 1 - team)
    row[c.B_NEAR] = min(np.float32(near) * c.PER_NEAR, ONE)


@inlined
def _attackers_near(f: Row, k: Row, t: Tables, viewer: int, u: int, owner: int) -> Scalar:
    """Counts the minions of a team near a structure that lift its protection, of those that the viewer sees."""
    first, bit, size, count = (
        s.MINION0 + owner * s.MINIONS_PER_TEAM,
        np.int32(1 << viewer),
        s.MINIONS_PER_TEAM,
        np.int32(0),
    )
    reach2 = t.preset[tb.P_BACKDOOR_RADIUS] * t.preset[tb.P_BACKDOOR_RADIUS]
    xs, ys = f[s.X + first : s.X + first + size], f[s.Y + first : s.Y + first + size]
    hp, visible = f[s.HP + first : s.HP + first + size], k[s.VISIBLE + first : s.VISIBLE + first + size]
    x, y = f[s.X + u], f[s.Y + u]
    for i in range(s.MINIONS_PER_TEAM):
        dx, dy = xs[i] - x, ys[i] - y
        near = (dx * dx + dy * dy <= reach2) & (hp[i] > ZERO) & (visible[i] & bit != 0)
        count = np.int32(count + (1 if near else 0))
    return count


@inlined
def _write_relative(f: Row, u: int, team: int, x: Scalar, y: Scalar, row: Row, column: int) -> None:
    """Writes a unit's place relative to a point of the team's frame into three columns: differences and distance."""
    dx, dy = frame_x(f, u, team) - x, frame_y(f, u, team) - y
    row[column] = cut(dx * c.PER_REACH)
    row[column + 1] = cut(dy * c.PER_REACH)
    row[column + 2] = min(np.sqrt(dx * dx + dy * dy) * c.PER_REACH, ONE)


@inlined
def write_minions(
    f: Row, k: Row, h: int, team: int, x: Scalar, y: Scalar, work: Work, out: Row, at: int
) -> None:
    """Writes the ten minion rows of `work.chosen`, six enemies and four allies.

    Args:
        f: `[F_SIZE]` floats of the match.
        k: `[K_SIZE]` integers of the match.
        h: seat of the agent, -1: nobody's (the critic's).
        team: in whose frame.
        x: point of that frame that places are relative to.
        y: its second coordinate.
        work: scratch; the units are chosen.
        out: row written to.
        at: where the block begins in it.
    """
    for i in range(c.MINION_ROWS):
        u = work.chosen[i]
        row = out[at + i * c.MINION_COLUMNS : at + (i + 1) * c.MINION_COLUMNS]
        if u < 0:
            for j in range(c.MINION_COLUMNS):
                row[j] = ZERO
            continue
        shared = work.minion[u - s.MINION0]
        for j in range(c.MINION_COLUMNS):
            row[j] = shared[j]
        _write_relative(f, u, team, x, y, row, c.M_REL_X)
        ally = i >= c.ENEMY_MINIONS
        row[c.M_ALLY] = ONE if ally else ZERO
        if h >= 0:
            row[c.M_LAST_HIT] = ONE if (not ally) & (f[s.HP + u] <= f[s.AD + h]) else ZERO
            row[c.M_ATTACKS_ME] = ONE if k[s.TARGET + u] == h else ZERO


@inlined
def write_structures(k: Row, h: int, work: Work, out: Row, at: int) -> None:
    """Writes the eight structure rows for the agent in seat `h`, -1: the critic, at `out[at:]`."""
    for i in range(c.STRUCTURE_ROWS):
        r, u, shared = PLACE_STRUCTURE + i, work.structure_unit[i], work.structure[i]
        row = out[at + i * c.STRUCTURE_COLUMNS : at + (i + 1) * c.STRUCTURE_COLUMNS]
        for j in range(c.STRUCTURE_COLUMNS):
            row[j] = shared[j]
        if u >= 0:
            row[c.B_REL_X] = work.place[PLACE_REL_X, r]
            row[c.B_REL_Y] = work.place[PLACE_REL_Y, r]
            row[c.B_DISTANCE] = work.place[PLACE_DISTANCE, r]
            row[c.B_ATTACKS_ME] = ONE if (k[s.TARGET + u] == h) & (h >= 0) else ZERO


@inlined
def write_summons(f: Row, k: Row, team: int, x: Scalar, y: Scalar, work: Work, out: Row, at: int) -> None:
    """Writes the four summon rows of `work.chosen`, two allies and two enemies, at `out[at:]`; see `write_minions`."""
    for i in range(c.SUMMON_ROWS):
        u = work.chosen[c.MINION_ROWS + i]
        row = out[at + i * c.SUMMON_COLUMNS : at + (i + 1) * c.SUMMON_COLUMNS]
        for j in range(c.SUMMON_COLUMNS):
            row[j] = ZERO
        if u < 0:
            continue
        row[c.U_PRESENT] = ONE
        row[c.U_ALLY] = ONE if i < c.TEAM_SUMMONS else ZERO
        row[c.U_WARD] = ONE if k[s.TYPE + u] == s.TYPE_WARD else ZERO
        _write_relative(f, u, team, x, y, row, c.U_REL_X)
        row[c.U_HP] = min(f[s.HP + u] / max(f[s.MAX_HP + u], ONE), ONE)
        row[c.U_LEFT] = share_left(k[s.EXPIRES + u], k[s.TICK], c.PER_SUMMON)
