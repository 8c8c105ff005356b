"""The critic's privileged view: one vector a team and decision, without fog, with what no agent may know.

Rows are those of `observation.py` in the team's own frame: the own team's heroes first, in the order of their seats,
with hidden columns; the enemy minions nearest to the own base and the own minions nearest to the enemy's; structures,
summons, and a longer global row. Places are relative to the middle of the map.
"""

from __future__ import annotations

from fullpool.games.moba import columns as c
from fullpool.games.moba import state as s
from fullpool.games.moba.columns import ZERO
from fullpool.games.moba.events import Row
from fullpool.games.moba.nearby import KEYS, list_minions, nearest_summons, take_nearest
from fullpool.games.moba.rows_heroes import copy_critic_heroes, prepare_heroes
from fullpool.games.moba.rows_units import (
    prepare_minions,
    prepare_structures,
    write_minions,
    write_structures,
    write_summons,
)
from fullpool.games.moba.summary import write_critic_global, write_global
from fullpool.games.moba.tables import Tables
from fullpool.games.moba.work import Work, relate
from fullpool.numerics.kernels import inlined, kernel


@inlined
def _choose(f: Row, k: Row, t: Tables, team: int, work: Work) -> None:
    """Chooses the minions and summons of the critic's rows: those deepest in the other side's half."""
    enemy, middle, chosen, key = 1 - team, s.TEAM_SIZE // 2, work.chosen, work.near.number[KEYS]
    x, y = t.spawn[team, middle, 0], t.spawn[team, middle, 1]
    take_nearest(work.near, enemy, work.alive[enemy], x, y, c.ENEMY_MINIONS, chosen, 0)
    nearest_summons(f, k, enemy, enemy, x, y, c.TEAM_SUMMONS, key, chosen, c.MINION_ROWS + c.TEAM_SUMMONS)
    x, y = t.spawn[enemy, middle, 0], t.spawn[enemy, middle, 1]
    take_nearest(work.near, team, work.alive[team], x, y, c.ALLY_MINIONS, chosen, c.ENEMY_MINIONS)
    nearest_summons(f, k, team, team, x, y, c.TEAM_SUMMONS, key, chosen, c.MINION_ROWS)


@inlined
def write_critic(f: Row, k: Row, t: Tables, team: int, work: Work, out: Row, hero_ids: Row) -> None:
    """Writes one team's privileged view.

    Args:
        f: `[F_SIZE]` floats of the match.
        k: `[K_SIZE]` integers of the match.
        t: tables of the game.
        team: whose critic.
        work: scratch; what the match and the team share is ready.
        out: `[CRITIC_SIZE]` float32, written.
        hero_ids: `[10]` int16, written: own team first, -1 where the row is absent.
    """
    _choose(f, k, t, team, work)
    relate(ZERO, ZERO, work)
    copy_critic_heroes(f, k, t, team, work, out)
    write_minions(f, k, -1, team, ZERO, ZERO, work, out, c.CRITIC_AT_MINIONS)
    write_structures(k, -1, work, out, c.CRITIC_AT_STRUCTURES)
    write_summons(f, k, team, ZERO, ZERO, work, out, c.CRITIC_AT_SUMMONS)
    row = out[c.CRITIC_AT_GLOBAL :]
    for j in range(c.GLOBAL_COLUMNS):
        row[j] = work.summary[j]
    write_critic_global(f, k, team, work.alive[team], work.alive[1 - team], row)
    for r in range(s.NUM_HEROES):
        hero_ids[r] = k[s.HERO_ID + (r + team * s.TEAM_SIZE) % s.NUM_HEROES]


@kernel
def write_state(f: Row, k: Row, t: Tables, work: Work, out: Row, hero_ids: Row) -> None:
    """Writes the whole state in the absolute frame: team A's own frame, so it is team A's critic view.

    Args:
        f: `[F_SIZE]` floats of the match.
        k: `[K_SIZE]` integers of the match.
        t: tables of the game.
        work: scratch.
        out: `[CRITIC_SIZE]` float32, written.
        hero_ids: `[10]` int16, written.
    """
    prepare_heroes(f, k, t, work)
    prepare_minions(f, k, work)
    for team in range(2):
        work.alive[team] = list_minions(f, k, team, team, work.near)
    prepare_structures(f, k, t, s.TEAM_A, work)
    write_global(f, k, t, s.TEAM_A, work.summary)
    write_critic(f, k, t, s.TEAM_A, work, out, hero_ids)
