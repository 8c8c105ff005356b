"""What the agents of one match see: rows, hero ids, target rows and masks, written into the caller's arrays.

Everything is egocentric and in the team's own frame. Columns that do not depend on the agent are computed once a
match (`prepare_match`) or once a team, then copied. The layout is in `columns.py`.
"""

from __future__ import annotations

from fullpool.games.moba import columns as c
from fullpool.games.moba import state as s
from fullpool.games.moba.critic import write_critic
from fullpool.games.moba.events import Row
from fullpool.games.moba.image import write_image
from fullpool.games.moba.masks import write_masks
from fullpool.games.moba.nearby import KEYS, list_minions, nearest_summons, take_nearest
from fullpool.games.moba.rows_heroes import copy_heroes, prepare_heroes, prepare_team_heroes
from fullpool.games.moba.rows_units import (
    prepare_minions,
    prepare_structures,
    write_minions,
    write_structures,
    write_summons,
)
from fullpool.games.moba.summary import write_global, write_previous
from fullpool.games.moba.tables import Tables
from fullpool.games.moba.work import PLACE_X, PLACE_Y, Work, relate
from fullpool.numerics.kernels import inlined, kernel


@inlined
def prepare_match(f: Row, k: Row, t: Tables, work: Work) -> None:
    """Writes what both teams share."""
    prepare_heroes(f, k, t, work)
    prepare_minions(f, k, work)
    for team in range(2):
        work.alive[team] = list_minions(f, k, team, team, work.near)


@inlined
def prepare_team(f: Row, k: Row, t: Tables, team: int, work: Work) -> None:
    """Writes what all agents of a team share, after `prepare_match`."""
    prepare_team_heroes(f, k, t, team, work)
    prepare_structures(f, k, t, team, work)
    write_global(f, k, t, team, work.summary)


@inlined
def _choose(f: Row, k: Row, h: int, team: int, work: Work) -> None:
    """Chooses the minions and summons of an agent's rows: enemies by its slots, allies by distance."""
    chosen, slots, x, y = work.chosen, s.SLOTS + h * s.NUM_WHO, f[s.X + h], f[s.Y + h]
    for i in range(c.ENEMY_MINIONS):
        chosen[i] = k[slots + s.SLOT_MINION + i]
    take_nearest(work.near, team, work.alive[team], x, y, c.ALLY_MINIONS, chosen, c.ENEMY_MINIONS)
    nearest_summons(f, k, team, team, x, y, c.TEAM_SUMMONS, work.near.number[KEYS], chosen, c.MINION_ROWS)
    for i in range(c.TEAM_SUMMONS):
        chosen[c.MINION_ROWS + c.TEAM_SUMMONS + i] = k[slots + s.SLOT_SUMMON + i]


@inlined
def write_agent(f: Row, k: Row, t: Tables, h: int, work: Work, out: Row) -> None:
    """Writes one agent's vector without the image.

    Args:
        f: `[F_SIZE]` floats of the match.
        k: `[K_SIZE]` integers of the match.
        t: tables of the game.
        h: seat.
        work: scratch; `prepare_team` was called for its team.
        out: `[>= OBSERVATION_SIZE]`, written.
    """
    team, place = h // s.TEAM_SIZE, h % s.TEAM_SIZE
    x, y = work.place[PLACE_X, place], work.place[PLACE_Y, place]
    _choose(f, k, h, team, work)
    relate(x, y, work)
    copy_heroes(place, work, out)
    write_minions(f, k, h, team, x, y, work, out, c.AT_MINIONS)
    write_structures(k, h, work, out, c.AT_STRUCTURES)
    write_summons(f, k, team, x, y, work, out, c.AT_SUMMONS)
    for j in range(c.GLOBAL_COLUMNS):
        out[c.AT_GLOBAL + j] = work.summary[j]
    write_previous(k, t, h, out, c.AT_PREVIOUS)


@inlined
def write_ids(k: Row, h: int, work: Work, hero_ids: Row, target_rows: Row) -> None:
    """Writes the hero of each hero row, and the row that each Who slot points to.

    Args:
        k: `[K_SIZE]` integers of the match.
        h: seat.
        work: scratch; `prepare_team` was called for its team.
        hero_ids: `[10]` int16, written: hero ids, -1 where the row is absent.
        target_rows: `[24]` int16, written: rows counted through heroes, minions, structures and summons, -1: none.
    """
    at = s.SLOTS + h * s.NUM_WHO
    for slot in range(s.SLOT_MINION):
        u = k[at + slot]
        hero_ids[slot] = k[s.HERO_ID + u] if u >= 0 else -1
        target_rows[slot] = slot if u >= 0 else -1
    for slot in range(s.SLOT_MINION, s.SLOT_TURRET):
        target_rows[slot] = c.ROW_MINION + slot - s.SLOT_MINION if k[at + slot] >= 0 else -1
    turret = k[at + s.SLOT_TURRET]
    target_rows[s.SLOT_TURRET] = -1
    for i in range(c.TEAM_STRUCTURES, c.STRUCTURE_ROWS):
        if turret >= 0 and work.structure_unit[i] == turret:
            target_rows[s.SLOT_TURRET] = c.ROW_STRUCTURE + i
    crystal = c.ROW_STRUCTURE + c.STRUCTURE_ROWS - 1
    target_rows[s.SLOT_CRYSTAL] = crystal if k[at + s.SLOT_CRYSTAL] >= 0 else -1
    for slot in range(s.SLOT_MONSTER, s.SLOT_SUMMON):
        target_rows[slot] = -1
    for slot in range(s.SLOT_SUMMON, s.NUM_WHO):
        r = c.ROW_SUMMON + c.TEAM_SUMMONS + slot - s.SLOT_SUMMON
        target_rows[slot] = r if k[at + slot] >= 0 else -1


@inlined
def write_observation(
    f: Row,
    k: Row,
    t: Tables,
    team: int,
    work: Work,
    observation: Row,
    hero_ids: Row,
    masks: Row,
    target_rows: Row,
) -> None:
    """Writes what one team's agents see.

    Args:
        f: `[F_SIZE]` floats of the match.
        k: `[K_SIZE]` integers of the match, after `refresh_slots`.
        t: tables of the game.
        team: who looks.
        work: scratch; `prepare_match` was called.
        observation: `[5, D]` float32, written; the image too if D leaves room for it.
        hero_ids: `[5, 10]` int16, written.
        masks: `[5, MASK_SIZE]` uint8, written.
        target_rows: `[5, 24]` int16, written.
    """
    prepare_team(f, k, t, team, work)
    for place in range(s.TEAM_SIZE):
        h = team * s.TEAM_SIZE + place
        write_agent(f, k, t, h, work, observation[place])
        if observation.shape[1] > c.OBSERVATION_SIZE:
            write_image(f, k, t, h, observation[place, c.OBSERVATION_SIZE :])
        write_ids(k, h, work, hero_ids[place], target_rows[place])
        write_masks(f, k, t, h, work.distance2, masks[place])


@inlined
def observe_match(
    f: Row,
    k: Row,
    t: Tables,
    work: Work,
    observation: Row,
    hero_ids: Row,
    masks: Row,
    target_rows: Row,
    critic: Row,
    critic_hero_ids: Row,
    bots: bool,
) -> None:
    """Writes everything that the teams of one match see; teams that a bot plays may be left out.

    Args:
        f: `[F_SIZE]` floats of the match.
        k: `[K_SIZE]` integers of the match, after `refresh_slots`.
        t: tables of the game.
        work: scratch of the thread.
        observation: `[2, 5, D]` float32.
        hero_ids: `[2, 5, 10]` int16.
        masks: `[2, 5, MASK_SIZE]` uint8.
        target_rows: `[2, 5, 24]` int16.
        critic: `[2, CRITIC_SIZE]` float32.
        critic_hero_ids: `[2, 10]` int16.
        bots: whether teams that a bot plays are written too.
    """
    if not bots and k[s.BOT] >= 0 and k[s.BOT + 1] >= 0:
        return
    prepare_match(f, k, t, work)
    for team in range(2):
        if bots or k[s.BOT + team] < 0:
            write_observation(
                f, k, t, team, work, observation[team], hero_ids[team], masks[team], target_rows[team]
            )
            write_critic(f, k, t, team, work, critic[team], critic_hero_ids[team])


@kernel
def observe_batch(
    f: Row,
    k: Row,
    t: Tables,
    work: Work,
    first: int,
    last: int,
    observation: Row,
    hero_ids: Row,
    masks: Row,
    target_rows: Row,
    critic: Row,
    critic_hero_ids: Row,
    bots: bool,
) -> None:
    """Calls `observe_match` for matches `first` to `last - 1`; every array has the matches as its first axis."""
    for n in range(first, last):
        observe_match(
            f[n],
            k[n],
            t,
            work,
            observation[n],
            hero_ids[n],
            masks[n],
            target_rows[n],
            critic[n],
            critic_hero_ids[n],
            bots,
        )
