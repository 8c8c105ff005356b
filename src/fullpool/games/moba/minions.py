"""Minions: waves, what each of them thinks, walks and attacks.

A minion acts in every second tick and makes double steps; in every third of its turns, and at once when its target is
gone, it thinks, and keeps its step and its target in between. Its slot says which ticks are its own. That is what
makes some seventy of them cheap.
"""

from __future__ import annotations

import numpy as np

from fullpool.games.moba import state as s
from fullpool.games.moba import tables as tb
from fullpool.games.moba.columns import Scalar
from fullpool.games.moba.events import FLAG_MINION, Events, Row, push_damage
from fullpool.games.moba.movement import ACT
from fullpool.games.moba.status import can_act, is_seen_by
from fullpool.games.moba.structures import (
    TIERS,
    base_turret_fell,
    beats,
    count_near,
    distance2,
    is_sudden_death,
    minutes,
)
from fullpool.games.moba.tables import Tables
from fullpool.numerics.kernels import kernel

ZERO: Scalar = np.float32(0.0)
ONE: Scalar = np.float32(1.0)
FAR = np.float32(1.0e9)
STEP_SECONDS = np.float32(ACT / s.TICKS_PER_SECOND)
THINK = 3  # turns from one thought to the next
WAY_POINT_REACHED2 = np.float32(
    1.5 * 1.5
)  # wider than half of what is walked between thoughts, else minions pace
FILE_GAP = np.float32(0.6)  # distance between minions of a new wave
NUM_KINDS = 5


@kernel
def minion_team(u: int) -> Scalar:
    """Team of a minion."""
    return (u - s.MINION0) // s.MINIONS_PER_TEAM


@kernel
def minion_lane(u: int) -> Scalar:
    """Lane of a minion."""
    return (u - s.MINION0) % s.MINIONS_PER_TEAM // s.MINIONS_PER_LANE


@kernel
def _spawn(f: Row, k: Row, t: Tables, team: int, lane: int, kind: int, place: Scalar) -> None:
    """Puts one minion into the first free slot of its lane; a full lane takes no more."""
    first = s.MINION0 + team * s.MINIONS_PER_TEAM + lane * s.MINIONS_PER_LANE
    u = -1
    for slot in range(first, first + s.MINIONS_PER_LANE):
        if f[s.HP + slot] <= ZERO:
            u = slot
            break
    if u < 0:
        return
    row = t.minion[kind]
    start = t.lane[lane, 0 if team == s.TEAM_A else tb.LANE_LENGTH - 1]
    following = t.lane[lane, 1 if team == s.TEAM_A else tb.LANE_LENGTH - 2]
    dx, dy = following[0] - start[0], following[1] - start[1]
    share = FILE_GAP * np.float32(place) / np.sqrt(dx * dx + dy * dy)
    f[s.X + u] = start[0] + dx * share
    f[s.Y + u] = start[1] + dy * share
    f[s.MAX_HP + u] = row[tb.MINION_HP] + row[tb.MINION_HP_MINUTE] * minutes(k)
    f[s.HP + u] = f[s.MAX_HP + u]
    f[s.POWER + u] = row[tb.MINION_DAMAGE]
    f[s.SLOW + u] = ZERO
    f[s.WALK_X + u] = ZERO
    f[s.WALK_Y + u] = ZERO
    k[s.TYPE + u] = s.TYPE_MELEE + kind
    k[s.STEP + u] = 1 if team == s.TEAM_A else tb.LANE_LENGTH - 2
    k[s.TARGET + u] = -1
    k[s.TARGET_HITS + u] = 0
    k[s.ATTACK_AT + u] = k[s.TICK]
    k[s.VISIBLE + u] = 1 << team
    k[s.STUN_UNTIL + u] = 0
    k[s.AIR_UNTIL + u] = 0
    k[s.FORCE_UNTIL + u] = 0
    k[s.ROOT_UNTIL + u] = 0
    k[s.SLOW_UNTIL + u] = 0
    _turn(f, k, t.preset, t.minion, t.lane, u)


@kernel
def spawn_waves(f: Row, k: Row, t: Tables) -> None:
    """Sends the next wave of every lane; it is due.

    Melee minions lead, ranged ones and every third time a siege minion follow. Supers replace the melee minions in
    a lane whose enemy base turret fell and everywhere in sudden death.
    """
    k[s.NEXT_WAVE] += np.int64(t.preset[tb.P_WAVE_EVERY_TICKS])
    k[s.WAVE] += 1
    melee, ranged = np.int64(t.preset[tb.P_WAVE_MELEE]), np.int64(t.preset[tb.P_WAVE_RANGED])
    siege = 1 if k[s.WAVE] % np.int64(t.preset[tb.P_WAVE_SIEGE_EVERY]) == 0 else 0
    count = melee + ranged + siege
    for team in range(2):
        for lane in range(s.NUM_LANES):
            if np.int64(t.preset[tb.P_LANE_MASK]) >> lane & 1 == 0:
                continue
            is_super = is_sudden_death(k, t) or base_turret_fell(f, t, 1 - team, lane)
            for index in range(count):
                kind = s.TYPE_SIEGE - s.TYPE_MELEE
                if index < melee:
                    kind = (s.TYPE_SUPER if is_super else s.TYPE_MELEE) - s.TYPE_MELEE
                elif index < melee + ranged:
                    kind = s.TYPE_RANGED - s.TYPE_MELEE
                _spawn(f, k, t, team, lane, kind, count - 1 - index)


@kernel
def _nearest_minion(f: Row, k: Row, u: int, sight: Scalar) -> Scalar:
    best, best_d2 = -1, sight * sight
    first = s.MINION0 + (1 - minion_team(u)) * s.MINIONS_PER_TEAM + minion_lane(u) * s.MINIONS_PER_LANE
    for v in range(first, first + s.MINIONS_PER_LANE):
        if f[s.HP + v] > ZERO:
            d2 = distance2(f, u, v)
            if d2 <= best_d2 and beats(k, u, d2, v, best_d2 if best >= 0 else FAR, best):
                best, best_d2 = v, d2
    return best


@kernel
def _structure_near(f: Row, u: int, sight: Scalar) -> Scalar:
    """The outermost enemy turret of the minion's lane, or once these fell the crystal, if in sight."""
    enemy = s.STRUCTURE0 + (1 - minion_team(u)) * s.STRUCTURES_PER_TEAM
    for tier in range(TIERS):
        v = enemy + minion_lane(u) * TIERS + tier
        if f[s.HP + v] > ZERO:
            return v if distance2(f, u, v) <= sight * sight else -1
    crystal = enemy + s.CRYSTAL
    if f[s.HP + crystal] > ZERO and distance2(f, u, crystal) <= sight * sight:
        return crystal
    return -1


@kernel
def _nearest_hero(f: Row, k: Row, u: int, radius: Scalar, since: int) -> Scalar:
    """Nearest seen enemy hero within a radius that hurt an allied hero at or after a tick."""
    best, best_d2 = -1, FAR
    team = minion_team(u)
    first = (1 - team) * s.TEAM_SIZE
    for h in range(first, first + s.TEAM_SIZE):
        if f[s.HP + h] > ZERO and k[s.LAST_HERO_HIT + h] >= since and is_seen_by(k, h, team):
            d2 = distance2(f, u, h)
            if d2 <= radius * radius and beats(k, u, d2, h, best_d2, best):
                best, best_d2 = h, d2
    return best


@kernel
def _is_valid(f: Row, k: Row, u: int, sight: Scalar) -> Scalar:
    target = k[s.TARGET + u]
    if target < 0 or f[s.HP + target] <= ZERO or distance2(f, u, target) > sight * sight:
        return False
    return target >= s.NUM_HEROES or is_seen_by(k, target, minion_team(u))


@kernel
def _choose(f: Row, k: Row, preset: Row, u: int, called: int) -> None:
    """Chooses a minion's target: a hero that strikes an ally, then minion, structure, hero in sight.

    `called` has the bit of each team whose heroes were lately struck.
    """
    sight = preset[tb.P_MINION_SIGHT]
    valid = _is_valid(f, k, u, sight)
    if valid and k[s.TARGET_HITS + u] > k[s.TICK]:
        return
    if called >> minion_team(u) & 1 == 1:
        caller = _nearest_hero(f, k, u, preset[tb.P_MINION_CALL], k[s.TICK] - ACT * THINK)
        if caller >= 0:
            k[s.TARGET + u] = caller
            k[s.TARGET_HITS + u] = k[s.TICK] + np.int64(preset[tb.P_MINION_CALL_TICKS])
            return
    k[s.TARGET_HITS + u] = 0
    if valid and k[s.TARGET + u] >= s.MINION0:
        return
    enemy, x, y, chosen = 1 - minion_team(u), f[s.X + u], f[s.Y + u], -1
    first = s.MINION0 + enemy * s.MINIONS_PER_TEAM + minion_lane(u) * s.MINIONS_PER_LANE
    if count_near(f, first, s.MINIONS_PER_LANE, x, y, sight * sight) > 0:
        chosen = _nearest_minion(f, k, u, sight)
    if chosen < 0:
        chosen = _structure_near(f, u, sight)
    if chosen < 0 and count_near(f, enemy * s.TEAM_SIZE, s.TEAM_SIZE, x, y, sight * sight) > 0:
        chosen = _nearest_hero(f, k, u, sight, s.NEVER)
    k[s.TARGET + u] = chosen


@kernel
def _turn(f: Row, k: Row, preset: Row, minion: Row, lanes: Row, u: int) -> None:
    """Works out a minion's step: towards its target until in reach, else along its lane."""
    f[s.WALK_X + u] = ZERO
    f[s.WALK_Y + u] = ZERO
    target, lane = k[s.TARGET + u], lanes[minion_lane(u)]
    reach = ZERO
    if target >= 0:
        reach = minion[k[s.TYPE + u] - s.TYPE_MELEE, tb.MINION_RANGE]
        x, y = f[s.X + target], f[s.Y + target]
    else:
        forward = 1 if minion_team(u) == s.TEAM_A else -1
        x, y = lane[k[s.STEP + u], 0], lane[k[s.STEP + u], 1]
        dx, dy = x - f[s.X + u], y - f[s.Y + u]
        following = k[s.STEP + u] + forward
        if dx * dx + dy * dy <= WAY_POINT_REACHED2 and following >= 0 and following < tb.LANE_LENGTH:
            k[s.STEP + u] = following
            x, y = lane[following, 0], lane[following, 1]
    dx, dy = x - f[s.X + u], y - f[s.Y + u]
    d2 = dx * dx + dy * dy
    if d2 <= reach * reach or d2 == ZERO:
        return
    step = preset[tb.P_MINION_SPEED] * STEP_SECONDS
    if k[s.SLOW_UNTIL + u] > k[s.TICK]:
        step = step * (ONE - f[s.SLOW + u])
    share = step / np.sqrt(d2)
    f[s.WALK_X + u] = dx * share
    f[s.WALK_Y + u] = dy * share


@kernel
def _in_reach(f: Row, k: Row, minion: Row, u: int) -> Scalar:
    reach = minion[k[s.TYPE + u] - s.TYPE_MELEE, tb.MINION_RANGE]
    return distance2(f, u, k[s.TARGET + u]) <= reach * reach


@kernel
def _called(k: Row) -> Scalar:
    """Bit of each team whose heroes an enemy hero lately struck."""
    called, since = 0, k[s.TICK] - ACT * THINK
    for h in range(s.NUM_HEROES):
        if k[s.LAST_HERO_HIT + h] >= since:
            called |= 1 << (1 - h // s.TEAM_SIZE)
    return called


@kernel
def minion_turns(f: Row, k: Row, t: Tables, ev: Events) -> None:
    """Lets minions think, halt in reach of their target and strike; all read the same positions.

    Lanes have even numbers of slots, so that a unit and its mirror image share their ticks.
    """
    interval = np.int64(t.preset[tb.P_MINION_INTERVAL_TICKS])
    tick = np.int64(k[s.TICK])
    turn, called = tick // ACT, _called(k)
    for u in range(s.MINION0 + tick % ACT, s.MONSTER0, ACT):
        if f[s.HP + u] <= ZERO:
            continue
        target = k[s.TARGET + u]
        if ((u - s.MINION0) % s.MINIONS_PER_LANE + turn) % THINK == 0 or (
            target >= 0 and f[s.HP + target] <= ZERO
        ):
            _choose(f, k, t.preset, u, called)
            _turn(f, k, t.preset, t.minion, t.lane, u)
            target = k[s.TARGET + u]
        if target < 0:
            continue
        is_ready = k[s.ATTACK_AT + u] <= tick
        walks = f[s.WALK_X + u] != ZERO or f[s.WALK_Y + u] != ZERO
        if (is_ready or walks) and _in_reach(f, k, t.minion, u):
            f[s.WALK_X + u] = ZERO
            f[s.WALK_Y + u] = ZERO
            if is_ready and can_act(k, u):
                push_damage(ev, u, target, f[s.POWER + u], s.PHYSICAL, FLAG_MINION, ZERO, ZERO)
                k[s.ATTACK_AT + u] = tick + interval
