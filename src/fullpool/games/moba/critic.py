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
from fullpool.games.moba.rows_heroes import copy_critic_heroes, prepare_heroes
from fullpool.games.moba.rows_units import (
    pick_sorted,
    prepare_minions,
    prepare_structures,
    prepare_summons,
    sort_units,
    write_minions,
    write_structures,
    write_summons,
)
from fullpool.games.moba.summary import write_critic_global, write_global
from fullpool.games.moba.tables import Tables
from fullpool.games.moba.work import ENEMY, OWN, Work, relate
from fullpool.numerics.kernels import kernel


@kernel
def _choose(f: Row, t: Tables, team: int, work: Work) -> None:
    """Chooses the minions and summons of the critic's rows: those deepest in the other side's half."""
    # Side A's spawn is in its own frame what side B's is in side B's: one point serves both.
    x, y = t.spawn[0, s.TEAM_SIZE // 2, 0], t.spawn[0, s.TEAM_SIZE // 2, 1]
    count, r = work.minion_count[ENEMY], c.ROW_MINION
    sort_units(work.minion_place[ENEMY], count, x, y, work)
    pick_sorted(f, team, work.minion_units[ENEMY], count, r, c.ENEMY_MINIONS, work.chosen, 0, work)
    count, r = work.minion_count[OWN], c.ROW_MINION + c.ENEMY_MINIONS
    sort_units(work.minion_place[OWN], count, -y, -x, work)
    pick_sorted(f, team, work.minion_units[OWN], count, r, c.ALLY_MINIONS, work.chosen, c.ENEMY_MINIONS, work)
    for side in range(2):
        count, r = work.summon_count[side], c.ROW_SUMMON + side * c.TEAM_SUMMONS
        sort_units(
            work.summon_place[side], count, x if side == ENEMY else -y, y if side == ENEMY else -x, work
        )
        at = c.MINION_ROWS + side * c.TEAM_SUMMONS
        pick_sorted(f, team, work.summon_units[side], count, r, c.TEAM_SUMMONS, work.chosen, at, work)


@kernel
def write_critic(f: Row, k: Row, t: Tables, team: int, work: Work, out: Row, hero_ids: Row) -> None:
    """Writes one team's privileged view.

    Args:
        f: `[F_SIZE]` floats of the match.
        k: `[K_SIZE]` integers of the match.
        t: tables of the game.
        team: whose critic.
        work: scratch; `prepare_heroes` was called.
        out: `[CRITIC_SIZE]` float32, written.
        hero_ids: `[10]` int16, written: own team first, -1 where the row is absent.
    """
    enemy = 1 - team
    prepare_minions(f, k, team, enemy, work)
    prepare_summons(f, k, team, enemy, work)
    prepare_structures(f, k, t, team, work)
    _choose(f, t, team, work)
    relate(ZERO, ZERO, work)
    copy_critic_heroes(f, k, t, team, work, out)
    write_minions(f, k, -1, team, work.chosen, work, out, c.CRITIC_AT_MINIONS)
    write_structures(k, -1, work, out, c.CRITIC_AT_STRUCTURES)
    write_summons(f, k, work.chosen[c.MINION_ROWS :], work, out, c.CRITIC_AT_SUMMONS)
    row = out[c.CRITIC_AT_GLOBAL :]
    write_global(f, k, t, team, row)
    write_critic_global(f, k, team, work.minion_count[OWN], work.minion_count[ENEMY], row)
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
    write_critic(f, k, t, s.TEAM_A, work, out, hero_ids)
