"""The order of a tick, what an action becomes, and how a match starts and ends.

A tick: displacements and walking; casts and attacks collected from one state; their resolution (control, help,
damage); deaths; steady flows, waves, respawns; vision, twice a decision. `TICK` counts the ticks played; everything
that is timed in a tick refers to the tick under way. A decision is five ticks; its orders are taken before the first.
"""

from __future__ import annotations

import numpy as np

from fullpool.games.contract import DRAW, RUNNING
from fullpool.games.moba import state as s
from fullpool.games.moba import tables as tb
from fullpool.games.moba.attacks import hero_attacks
from fullpool.games.moba.casts import cast_orders
from fullpool.games.moba.columns import Scalar
from fullpool.games.moba.deaths import FOREVER, settle_deaths, someone_died
from fullpool.games.moba.economy import (
    fountain_attacks,
    place_at_spawn,
    refresh_stats,
    run_economy,
    start_recall,
)
from fullpool.games.moba.events import Events, Row, clear_events
from fullpool.games.moba.masks import is_legal
from fullpool.games.moba.minions import minion_turns, spawn_waves
from fullpool.games.moba.movement import move_units
from fullpool.games.moba.resolve import resolve
from fullpool.games.moba.slots import fill_hero_slots, refresh_slots
from fullpool.games.moba.status import can_act
from fullpool.games.moba.structures import structure_attacks
from fullpool.games.moba.summons import tick_summons
from fullpool.games.moba.tables import Tables
from fullpool.games.moba.vision import reset_vision, update_vision
from fullpool.games.moba.zones import land_delayed, tick_zones_dots
from fullpool.numerics.kernels import inlined, kernel

ZERO: Scalar = np.float32(0.0)
LOOK_AGAIN = 2
"""Vision is renewed after this tick of a decision and after its last: at most 0.3 s old."""
TURN = 12
"""Direction i of team B's own frame is direction (12 - i) mod 16 of the map."""


@kernel
def world_direction(h: int, direction: int) -> Scalar:
    """Direction on the map of a direction in a hero's own frame."""
    return direction if h < s.TEAM_SIZE else (TURN - direction) % s.NUM_DIR


@inlined
def take_order(f: Row, k: Row, t: Tables, h: int, action: Row) -> None:
    """Turns an action into the order that the hero carries out in this decision; an illegal one acts as none.

    Args:
        f: floats of the match.
        k: integers of the match.
        t: tables.
        h: seat.
        action: `[4]` What, Who, Dir, Dist.
    """
    what, who, direction, dist = action[0], action[1], action[2], action[3]
    for head in range(s.NUM_HEADS):
        k[s.ACTION + h * s.NUM_HEADS + head] = action[head]
    if not is_legal(f, k, t, h, what, who, direction, dist):
        what, who, direction, dist = s.NONE, 0, 0, 0
        k[s.ILLEGAL + h] += 1
    k[s.LAST_WHAT + h] = what
    k[s.ORDER + h] = what
    k[s.ORDER_TARGET + h] = -1
    if f[s.HP + h] <= ZERO:
        return
    if what == s.NONE:
        k[s.EV_IDLE + h] = 1 if can_act(k, h) and k[s.RECALL_DONE + h] == 0 else 0
        return
    if what == s.RECALL:
        start_recall(k, t, h)
        return
    k[s.RECALL_DONE + h] = 0
    world = world_direction(h, direction)
    k[s.ORDER_TARGET + h] = k[s.SLOTS + h * s.NUM_WHO + who]
    k[s.ORDER_DIR + h] = world
    k[s.ORDER_DIST + h] = dist
    f[s.ORDER_X + h] = t.direction[world, 0]
    f[s.ORDER_Y + h] = t.direction[world, 1]


@kernel
def tick_game(f: Row, k: Row, t: Tables, ev: Events) -> None:
    """Plays one tick of one match.

    Args:
        f: `[F_SIZE]` floats of the match.
        k: `[K_SIZE]` integers of the match.
        t: tables.
        ev: scratch of the calling thread.
    """
    tick = np.int64(k[s.TICK])
    clear_events(ev)
    move_units(f, k, t)
    cast_orders(f, k, t, ev)
    if max(k[s.CASTS_END], k[s.CASTS_END + 1]) > tick:
        land_delayed(f, k, t, ev)
    hero_attacks(f, k, t, ev)
    tick_summons(f, k, t, ev)
    minion_turns(f, k, t, ev)
    structure_attacks(f, k, t, ev)
    if tick % s.TICKS_PER_DECISION == 0:
        fountain_attacks(f, t, ev)
    tick_zones_dots(f, k, t, ev)
    resolve(f, k, t, ev)
    if someone_died(f, ev):
        settle_deaths(f, k, t, ev)
    if k[s.OVER] == 0:
        if (tick + 1) % s.TICKS_PER_DECISION == 0:
            run_economy(f, k, t)
        if tick >= k[s.NEXT_WAVE]:
            spawn_waves(f, k, t)
    k[s.TICK] += 1
    if k[s.TICK] % s.TICKS_PER_DECISION in (0, LOOK_AGAIN):
        update_vision(f, k, t)


@inlined
def begin_decision(f: Row, k: Row) -> None:
    """Zeroes what happened in the decision before."""
    f[s.F_EVENTS : s.F_EVENTS_END] = ZERO
    k[s.K_EVENTS : s.K_EVENTS_END] = 0


@kernel
def _crystal_share(f: Row, team: int) -> Scalar:
    u = s.STRUCTURE0 + team * s.STRUCTURES_PER_TEAM + s.CRYSTAL
    return f[s.HP + u] / f[s.MAX_HP + u]


@kernel
def _turrets_left(f: Row, team: int) -> Scalar:
    first, left = s.STRUCTURE0 + team * s.STRUCTURES_PER_TEAM, 0
    for u in range(first, first + s.CRYSTAL):
        left += 1 if f[s.HP + u] > ZERO else 0
    return np.float32(left)


@kernel
def _team_sum(f: Row, field: int, team: int) -> Scalar:
    total = ZERO
    for h in range(team * s.TEAM_SIZE, (team + 1) * s.TEAM_SIZE):
        total += max(f[field + h], ZERO)
    return total


@kernel
def _larger(a: Scalar, b: Scalar) -> Scalar:
    return s.TEAM_A if a > b else (s.TEAM_B if b > a else DRAW)


@kernel
def winner_at_cap(f: Row, t: Tables) -> Scalar:
    """Who wins when the decisions have run out: crystal, then turrets, then gold; without structures hit points."""
    if t.preset[tb.P_HAS_STRUCTURES] <= ZERO:
        return _larger(_team_sum(f, s.HP, 0), _team_sum(f, s.HP, 1))
    winner = _larger(_crystal_share(f, 0), _crystal_share(f, 1))
    if winner == DRAW:
        winner = _larger(_turrets_left(f, 0), _turrets_left(f, 1))
    if winner == DRAW:
        winner = _larger(_team_sum(f, s.GOLD_TOTAL, 0), _team_sum(f, s.GOLD_TOTAL, 1))
    return winner


@kernel
def step_game(f: Row, k: Row, t: Tables, actions: Row, ev: Events) -> None:
    """Plays one decision of one match that is not over.

    Args:
        f: `[F_SIZE]` floats of the match.
        k: `[K_SIZE]` integers of the match.
        t: tables.
        actions: `[10, 4]` int32 actions of all seats.
        ev: scratch of the calling thread.
    """
    begin_decision(f, k)
    for h in range(s.NUM_HEROES):
        take_order(f, k, t, h, actions[h])
    for _ in range(s.TICKS_PER_DECISION):
        tick_game(f, k, t, ev)
        if k[s.OVER] == 1:
            break
    k[s.DECISION] += 1
    if k[s.OVER] == 0 and np.float32(k[s.DECISION]) >= t.preset[tb.P_CAP]:
        k[s.OVER] = 1
        k[s.WINNER] = winner_at_cap(f, t)
    refresh_slots(f, k, t)


@kernel
def _reset_hero(f: Row, k: Row, t: Tables, h: int, hero: int) -> None:
    k[s.HERO_ID + h] = hero
    k[s.ORDER_TARGET + h] = -1
    k[s.ORDER_DIR + h] = world_direction(h, 0)
    k[s.RESET_SKILL + h] = -1
    k[s.KILLER + h] = -1
    k[s.TAUNT_BY + h] = -1
    k[s.HOT_BY + h] = -1
    for field in (s.LAST_COMBAT, s.LAST_HERO_HIT, s.LAST_HURT, s.SEEN_TICK, s.HEALED_AT):
        k[field + h] = s.NEVER
    for place in range(s.TEAM_SIZE):
        k[s.DAMAGED_AT + h * s.TEAM_SIZE + place] = s.NEVER
        k[s.HELPED_AT + h * s.TEAM_SIZE + place] = s.NEVER
    place_at_spawn(f, t, h)
    if hero < 0:
        k[s.RESPAWN_AT + h] = FOREVER
        return
    k[s.TYPE + h] = s.TYPE_HERO
    k[s.LEVEL + h] = np.int64(t.preset[tb.P_START_LEVEL])
    k[s.ITEM_STEP + h] = np.int64(t.preset[tb.P_START_ITEMS])
    f[s.XP + h] = t.level_xp[k[s.LEVEL + h] - 1]
    f[s.GOLD + h] = t.preset[tb.P_START_GOLD]
    f[s.GOLD_TOTAL + h] = t.preset[tb.P_START_GOLD]
    refresh_stats(f, k, t, h)
    f[s.HP + h] = f[s.MAX_HP + h]
    f[s.MANA + h] = f[s.MAX_MANA + h]


@kernel
def _reset_structure(f: Row, k: Row, t: Tables, index: int) -> None:
    u = s.STRUCTURE0 + index
    if t.structure[index, 2] <= ZERO:
        return
    f[s.X + u], f[s.Y + u] = t.structure[index, 0], t.structure[index, 1]
    f[s.MAX_HP + u] = t.structure[index, 2]
    f[s.HP + u] = t.structure[index, 2]
    f[s.POWER + u] = t.structure[index, 3]
    k[s.TYPE + u] = s.TYPE_CRYSTAL if index % s.STRUCTURES_PER_TEAM == s.CRYSTAL else s.TYPE_TURRET
    k[s.VISIBLE + u] = 3


@kernel
def reset_game(
    f: Row, k: Row, t: Tables, lineup: Row, seed_a: int, seed_b: int, bot_a: int, bot_b: int
) -> None:
    """Starts one match anew.

    Args:
        f: `[F_SIZE]` floats of the match.
        k: `[K_SIZE]` integers of the match.
        t: tables.
        lineup: `[2, 5]` hero ids, -1: an empty seat.
        seed_a: seed of team A's random stream, 64 bits.
        seed_b: seed of team B's random stream, 64 bits.
        bot_a: bot that plays team A, -1: none.
        bot_b: bot that plays team B, -1: none.
    """
    f[:] = ZERO
    k[:] = 0
    k[s.WINNER] = RUNNING
    k[s.SEED], k[s.SEED + 1] = seed_a & 0xFFFFFFFF, (seed_a >> 32) & 0xFFFFFFFF
    k[s.SEED + 2], k[s.SEED + 3] = seed_b & 0xFFFFFFFF, (seed_b >> 32) & 0xFFFFFFFF
    k[s.BOT], k[s.BOT + 1] = bot_a, bot_b
    k[s.NEXT_WAVE] = np.int64(t.preset[tb.P_WAVE_FIRST_TICKS]) if t.preset[tb.P_LANE_MASK] > ZERO else FOREVER
    k[s.TARGET : s.TARGET + s.NUM_UNITS] = -1
    k[s.OWNER : s.OWNER + s.NUM_UNITS] = -1
    k[s.SLOTS : s.SLOTS + s.NUM_HEROES * s.NUM_WHO] = -1
    k[s.ZONE_OWNER : s.ZONE_OWNER + 2 * s.ZONES_PER_TEAM] = -1
    k[s.CAST_OWNER : s.CAST_OWNER + 2 * s.CASTS_PER_TEAM] = -1
    k[s.CAST_TARGET : s.CAST_TARGET + 2 * s.CASTS_PER_TEAM] = -1
    k[s.DOT_TARGET : s.DOT_TARGET + 2 * s.DOTS_PER_TEAM] = -1
    k[s.DOT_SOURCE : s.DOT_SOURCE + 2 * s.DOTS_PER_TEAM] = -1
    for h in range(s.NUM_HEROES):
        _reset_hero(f, k, t, h, lineup[h // s.TEAM_SIZE, h % s.TEAM_SIZE])
    for h in range(s.NUM_HEROES):
        fill_hero_slots(k, h)
    for index in range(2 * s.STRUCTURES_PER_TEAM):
        _reset_structure(f, k, t, index)
    reset_vision(f, k, t)
    refresh_slots(f, k, t)
