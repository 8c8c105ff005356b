"""Hero rows: everything once a match without fog, then once a team as it sees it, then copied to each agent."""

from __future__ import annotations

import numpy as np

from fullpool.games.moba import columns as c
from fullpool.games.moba import state as s
from fullpool.games.moba import tables as tb
from fullpool.games.moba.columns import ONE, ZERO
from fullpool.games.moba.events import Row
from fullpool.games.moba.hero_columns import share_left, write_private, write_respawn
from fullpool.games.moba.tables import Tables
from fullpool.games.moba.work import (
    PLACE_DISTANCE,
    PLACE_REL_X,
    PLACE_REL_Y,
    PLACE_X,
    PLACE_Y,
    Work,
    cut,
    frame_x,
    frame_y,
)
from fullpool.numerics.kernels import inlined


@inlined
def prepare_heroes(f: Row, k: Row, t: Tables, work: Work) -> None:
    """Writes `work.hero`: all columns of all ten heroes that depend on no frame and no agent.

    Args:
        f: `[F_SIZE]` floats of the match.
        k: `[K_SIZE]` integers of the match.
        t: tables of the game.
        work: scratch.
    """
    for h in range(s.NUM_HEROES):
        row = work.hero[h]
        for i in range(c.CRITIC_HERO_COLUMNS):
            row[i] = ZERO
        if k[s.HERO_ID + h] < 0:
            continue
        row[c.C_PRESENT] = ONE
        row[c.C_VISIBLE] = ONE
        row[c.C_ALIVE] = ONE if f[s.HP + h] > ZERO else ZERO
        known = f[s.KNOWN + h * s.SEEN_COLUMNS : s.KNOWN + (h + 1) * s.SEEN_COLUMNS]
        for j in range(c.C_HP, c.C_KNOWN_END):
            row[j] = known[j - c.C_KNOWN]
        write_respawn(f, k, h, row)
        write_private(f, k, t, h, row)
        _write_critic_columns(f, k, h, row)


@inlined
def _write_critic_columns(f: Row, k: Row, h: int, row: Row) -> None:
    """Writes the columns after a hero's own that only the critic sees; the target's direction follows by team."""
    row[c.C_ITEMS] = np.float32(k[s.ITEM_STEP + h]) * c.PER_ITEM
    row[c.C_KILLS] = min(np.float32(k[s.KILLS + h]) * c.PER_COUNT, ONE)
    row[c.C_DEATHS] = min(np.float32(k[s.DEATHS + h]) * c.PER_COUNT, ONE)
    row[c.C_ASSISTS] = min(np.float32(k[s.ASSISTS + h]) * c.PER_COUNT, ONE)
    row[c.C_SEEN_BY] = ONE if k[s.VISIBLE + h] == 3 else ZERO
    order = k[s.ORDER + h]
    if s.MOVE <= order <= s.RECALL:
        row[c.C_ORDER + order - s.MOVE] = ONE
    target = k[s.ORDER_TARGET + h]
    if target >= 0 and order >= s.ATTACK:
        row[c.C_HAS_TARGET] = ONE
        row[c.C_TARGET_HERO] = ONE if target < s.NUM_HEROES else ZERO


@inlined
def prepare_team_heroes(f: Row, k: Row, t: Tables, team: int, work: Work) -> None:
    """Writes `work.row` and the heroes' places as one team sees them: its own as they are, enemies as last seen.

    Rows of enemies are made of `SEEN` and of what is public, of nothing else: nothing hidden can leak.

    Args:
        f: `[F_SIZE]` floats of the match.
        k: `[K_SIZE]` integers of the match.
        t: tables of the game.
        team: who looks.
        work: scratch; `work.hero` is ready.
    """
    per_map = ONE / t.preset[tb.P_MAP_HALF]
    own, enemy = team * s.TEAM_SIZE, (1 - team) * s.TEAM_SIZE
    for i in range(s.TEAM_SIZE):
        h, row = own + i, work.row[i]
        full = work.hero[h]
        for j in range(c.HERO_COLUMNS):
            row[j] = full[j]
        x, y = ZERO, ZERO
        if k[s.HERO_ID + h] >= 0:
            x, y = frame_x(f, h, team), frame_y(f, h, team)
            row[c.C_ALLY], row[c.C_X], row[c.C_Y] = ONE, cut(x * per_map), cut(y * per_map)
        work.place[PLACE_X, i], work.place[PLACE_Y, i] = x, y
    for i in range(s.TEAM_SIZE):
        h, row = enemy + i, work.row[s.TEAM_SIZE + i]
        _write_seen_row(f, k, team, h, row)
        at = s.SEEN + h * s.SEEN_COLUMNS
        x, y = ZERO, ZERO
        if k[s.HERO_ID + h] >= 0:
            x = (f[at + c.SEEN_X] if team == s.TEAM_A else -f[at + c.SEEN_Y]) + ZERO
            y = (f[at + c.SEEN_Y] if team == s.TEAM_A else -f[at + c.SEEN_X]) + ZERO
            row[c.C_X], row[c.C_Y] = cut(x * per_map), cut(y * per_map)
        work.place[PLACE_X, s.TEAM_SIZE + i], work.place[PLACE_Y, s.TEAM_SIZE + i] = x, y


@inlined
def _write_seen_row(f: Row, k: Row, team: int, h: int, row: Row) -> None:
    """Writes an enemy hero's row from what the team remembers of it and from what is public."""
    for j in range(c.HERO_COLUMNS):
        row[j] = ZERO
    if k[s.HERO_ID + h] < 0:
        return
    seen = f[s.SEEN + h * s.SEEN_COLUMNS : s.SEEN + (h + 1) * s.SEEN_COLUMNS]
    for j in range(c.C_HP, c.C_KNOWN_END):
        row[j] = seen[j - c.C_KNOWN]
    row[c.C_PRESENT] = ONE
    if f[s.HP + h] > ZERO:
        row[c.C_ALIVE] = ONE
        row[c.C_VISIBLE] = np.float32((k[s.VISIBLE + h] >> team) & 1)
        row[c.C_AGE] = min(np.float32(k[s.TICK] - k[s.SEEN_TICK + h]) * c.PER_UNSEEN, ONE)
    else:
        row[c.C_HP], row[c.C_HP_ABSOLUTE], row[c.C_SHIELD] = ZERO, ZERO, ZERO
        row[c.C_RESPAWN] = share_left(k[s.RESPAWN_AT + h], k[s.TICK], c.PER_RESPAWN)


@inlined
def copy_heroes(place: int, work: Work, out: Row) -> None:
    """Copies the team's hero rows to one agent: itself, its allies, its enemies; and writes what depends on it.

    Args:
        place: the agent's place in its team.
        work: scratch; rows and relative places are ready.
        out: `[>= 480]` the agent's observation.
    """
    for source in range(s.NUM_HEROES):
        r = source
        if source == place:
            r = 0
        elif source < place:
            r = source + 1
        shared, row = work.row[source], out[r * c.HERO_COLUMNS : (r + 1) * c.HERO_COLUMNS]
        for j in range(c.HERO_COLUMNS):
            row[j] = shared[j]
        if shared[c.C_PRESENT] > ZERO:
            row[c.C_REL_X] = work.place[PLACE_REL_X, source]
            row[c.C_REL_Y] = work.place[PLACE_REL_Y, source]
            row[c.C_DISTANCE] = work.place[PLACE_DISTANCE, source]
    out[c.C_SELF] = ONE


@inlined
def copy_critic_heroes(f: Row, k: Row, t: Tables, team: int, work: Work, out: Row) -> None:
    """Writes the critic's hero rows in a team's frame, its own five first, without fog.

    Places are given relative to the middle of the map where agents have them relative to themselves.

    Args:
        f: `[F_SIZE]` floats of the match.
        k: `[K_SIZE]` integers of the match.
        t: tables of the game.
        team: whose critic.
        work: scratch; `work.hero` is ready.
        out: `[>= 640]` the critic's vector.
    """
    per_map = ONE / t.preset[tb.P_MAP_HALF]
    for r in range(s.NUM_HEROES):
        h = (r + team * s.TEAM_SIZE) % s.NUM_HEROES
        row = out[r * c.CRITIC_HERO_COLUMNS : (r + 1) * c.CRITIC_HERO_COLUMNS]
        full = work.hero[h]
        for j in range(c.CRITIC_HERO_COLUMNS):
            row[j] = full[j]
        if k[s.HERO_ID + h] < 0:
            continue
        x, y = frame_x(f, h, team), frame_y(f, h, team)
        row[c.C_REL_X], row[c.C_REL_Y] = cut(x * c.PER_REACH), cut(y * c.PER_REACH)
        row[c.C_DISTANCE] = min(np.sqrt(x * x + y * y) * c.PER_REACH, ONE)
        row[c.C_X], row[c.C_Y] = cut(x * per_map), cut(y * per_map)
        if r < s.TEAM_SIZE:
            row[c.C_ALLY] = ONE
        else:
            row[c.C_VISIBLE] = np.float32((k[s.VISIBLE + h] >> team) & 1)
            row[c.C_AGE] = min(np.float32(k[s.TICK] - k[s.SEEN_TICK + h]) * c.PER_UNSEEN, ONE)
        if row[c.C_HAS_TARGET] > ZERO:
            u = k[s.ORDER_TARGET + h]
            row[c.C_TARGET_X] = cut((frame_x(f, u, team) - x) * c.PER_REACH)
            row[c.C_TARGET_Y] = cut((frame_y(f, u, team) - y) * c.PER_REACH)
