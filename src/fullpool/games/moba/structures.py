"""Turrets and crystals: who may be hit and how hard, whom they shoot, and how they shoot."""

from __future__ import annotations

import numpy as np

from fullpool.games.moba import state as s
from fullpool.games.moba import tables as tb
from fullpool.games.moba.columns import Scalar
from fullpool.games.moba.events import FLAG_TURRET, Events, Row, push_damage
from fullpool.games.moba.status import is_seen_by, place_in_team, team_of
from fullpool.games.moba.tables import Tables
from fullpool.numerics.hashing import hash_u32
from fullpool.numerics.kernels import kernel

ZERO: Scalar = np.float32(0.0)
ONE: Scalar = np.float32(1.0)
FAR = np.float32(1.0e9)
LEAST_RESISTANCE: Scalar = np.float32(0.1)
TICKS_PER_MINUTE = np.float32(600.0)
TIERS = 3
PURPOSE_TIE = 11


@kernel
def distance2(f: Row, u: int, v: int) -> Scalar:
    """Squared distance of two units."""
    dx, dy = f[s.X + u] - f[s.X + v], f[s.Y + u] - f[s.Y + v]
    return dx * dx + dy * dy


@kernel
def beats(k: Row, chooser: int, d2: Scalar, u: int, best_d2: Scalar, best: int) -> Scalar:
    """Whether candidate `u` is preferred to the best so far: nearer, or as near and drawn by the chooser's stream.

    Args:
        k: integers of the match.
        chooser: the unit that chooses.
        d2: squared distance of the candidate.
        u: the candidate.
        best_d2: squared distance of the best so far.
        best: the best so far, -1: none.
    """
    if d2 != best_d2 or best < 0:
        return d2 < best_d2
    team = team_of(chooser)
    stream = k[s.SEED + 2 * (team % 2)]
    tick, salt = k[s.TICK], place_in_team(chooser) * 4 + PURPOSE_TIE
    first = hash_u32(stream, place_in_team(u), tick, salt)
    return bool(first < hash_u32(stream, place_in_team(best), tick, salt))


@kernel
def count_near(f: Row, first: int, size: int, x: Scalar, y: Scalar, reach2: Scalar) -> Scalar:
    """Number of living units of a range of slots within a squared distance; without branches, so it vectorises."""
    count = np.int32(0)  # of 32 bits, as wide as what is compared
    # Slices, since numba would ask of every index into the whole row whether it is negative.
    xs, ys = f[s.X + first : s.X + first + size], f[s.Y + first : s.Y + first + size]
    hp = f[s.HP + first : s.HP + first + size]
    for i in range(size):
        dx, dy = xs[i] - x, ys[i] - y
        count = np.int32(count + (1 if (dx * dx + dy * dy <= reach2) & (hp[i] > ZERO) else 0))
    return count


@kernel
def minutes(k: Row) -> Scalar:
    """Game time in minutes."""
    return np.float32(k[s.TICK]) / TICKS_PER_MINUTE


@kernel
def is_sudden_death(k: Row, t: Tables) -> Scalar:
    """Whether the match is in its sudden death."""
    return np.float32(k[s.TICK]) >= t.preset[tb.P_SUDDEN_FROM]


@kernel
def sudden_steps(k: Row, t: Tables) -> Scalar:
    """Steps by which structures have weakened, the first at the beginning of sudden death."""
    if not is_sudden_death(k, t):
        return 0
    past = np.float32(k[s.TICK]) - t.preset[tb.P_SUDDEN_FROM]
    return 1 + np.int64(past / t.preset[tb.P_SUDDEN_STEP_TICKS])


@kernel
def structure_armor(k: Row, t: Tables) -> Scalar:
    """Armour of turrets and crystals."""
    return t.preset[tb.P_TURRET_ARMOR]


@kernel
def weakness(k: Row, t: Tables) -> Scalar:
    """Factor on all damage to structures: 1, then 1 / (1 - drop a step of sudden death), at most 10."""
    left = ONE - t.preset[tb.P_SUDDEN_DROP] * np.float32(sudden_steps(k, t))
    return ONE / max(left, LEAST_RESISTANCE)


@kernel
def stands(f: Row, t: Tables, team: int, index: int) -> Scalar:
    """Whether a structure of a team exists in this preset and has not fallen."""
    u = s.STRUCTURE0 + team * s.STRUCTURES_PER_TEAM + index
    return t.structure[u - s.STRUCTURE0, 2] > ZERO and f[s.HP + u] > ZERO


@kernel
def base_turret_fell(f: Row, t: Tables, team: int, lane: int) -> Scalar:
    """Whether the innermost turret of a lane existed and has fallen."""
    for step in range(TIERS):
        index = lane * TIERS + TIERS - 1 - step
        u = s.STRUCTURE0 + team * s.STRUCTURES_PER_TEAM + index
        if t.structure[u - s.STRUCTURE0, 2] > ZERO:
            return bool(f[s.HP + u] <= ZERO)
    return False


@kernel
def is_vulnerable(f: Row, t: Tables, u: int) -> Scalar:
    """Whether a structure may be hurt: the turrets before it fell; a crystal: some base turret fell."""
    team = (u - s.STRUCTURE0) // s.STRUCTURES_PER_TEAM
    index = (u - s.STRUCTURE0) % s.STRUCTURES_PER_TEAM
    if index == s.CRYSTAL:
        for lane in range(s.NUM_LANES):
            if base_turret_fell(f, t, team, lane):
                return True
        return False
    return index % TIERS == 0 or not _outer_stands(f, t, team, index)


@kernel
def _outer_stands(f: Row, t: Tables, team: int, index: int) -> Scalar:
    for outer in range(index - index % TIERS, index):
        if stands(f, t, team, outer):
            return True
    return False


@kernel
def _is_outermost(t: Tables, team: int, index: int) -> Scalar:
    if index == s.CRYSTAL:
        return False
    for outer in range(index - index % TIERS, index):
        if t.structure[team * s.STRUCTURES_PER_TEAM + outer, 2] > ZERO:
            return False
    return True


@kernel
def structure_factor(f: Row, k: Row, t: Tables, source: int, target: int) -> Scalar:
    """By how much damage to a structure is multiplied, armour apart.

    Args:
        f: floats of the match.
        k: integers of the match.
        t: tables.
        source: unit that attacks.
        target: the structure.

    Returns:
        0 for an invulnerable structure; less without minions near and for heroes during grace; more for minions.
    """
    if not is_vulnerable(f, t, target):
        return ZERO
    team = team_of(target)
    factor = weakness(k, t)
    if source >= s.MINION0:
        row = k[s.TYPE + source] - s.TYPE_MELEE
        return factor * t.minion[row, tb.MINION_STRUCTURE] * t.preset[tb.P_MINION_STRUCTURE]
    radius = t.preset[tb.P_BACKDOOR_RADIUS]
    first = s.MINION0 + (1 - team) * s.MINIONS_PER_TEAM
    if count_near(f, first, s.MINIONS_PER_TEAM, f[s.X + target], f[s.Y + target], radius * radius) == 0:
        factor = factor * t.preset[tb.P_BACKDOOR_FACTOR]
    if source < s.NUM_HEROES and np.float32(k[s.TICK]) < t.preset[tb.P_GRACE_TICKS]:
        if _is_outermost(t, team, (target - s.STRUCTURE0) % s.STRUCTURES_PER_TEAM):
            factor = factor * t.preset[tb.P_GRACE_FACTOR]
    return factor


@kernel
def structure_range(t: Tables, u: int) -> Scalar:
    """Reach of a turret or crystal."""
    if (u - s.STRUCTURE0) % s.STRUCTURES_PER_TEAM == s.CRYSTAL:
        return t.preset[tb.P_CRYSTAL_RANGE]
    return t.preset[tb.P_TURRET_RANGE]


@kernel
def can_be_shot(f: Row, k: Row, u: int, v: int, reach: Scalar) -> Scalar:
    """Whether structure `u` may shoot at unit `v`: alive, in reach and seen."""
    if f[s.HP + v] <= ZERO or distance2(f, u, v) > reach * reach:
        return False
    return v >= s.SUMMON0 or is_seen_by(k, v, team_of(u))


@kernel
def _struck_ally_near(f: Row, k: Row, t: Tables, u: int, h: int, reach: Scalar) -> Scalar:
    """Whether hero `h` lately hurt a hero of the structure's team within its reach."""
    since = k[s.TICK] - np.int64(t.preset[tb.P_TURRET_AGGRO_TICKS])
    if k[s.LAST_HERO_HIT + h] < since:
        return False
    first = team_of(u) * s.TEAM_SIZE
    for victim in range(first, first + s.TEAM_SIZE):
        hit = k[s.DAMAGED_AT + victim * s.TEAM_SIZE + h % s.TEAM_SIZE]
        if hit >= since and distance2(f, u, victim) <= reach * reach:
            return True
    return False


@kernel
def _aggressor(f: Row, k: Row, t: Tables, u: int, reach: Scalar) -> Scalar:
    best, best_d2 = -1, FAR
    first = (1 - team_of(u)) * s.TEAM_SIZE
    for h in range(first, first + s.TEAM_SIZE):
        if can_be_shot(f, k, u, h, reach) and _struck_ally_near(f, k, t, u, h, reach):
            d2 = distance2(f, u, h)
            if beats(k, u, d2, h, best_d2, best):
                best, best_d2 = h, d2
    return best


@kernel
def _minion_class(k: Row, v: int) -> Scalar:
    kind = k[s.TYPE + v]
    if kind >= s.TYPE_SIEGE:
        return 0
    return 1 if kind == s.TYPE_MELEE else 2


@kernel
def _nearest_minion(f: Row, k: Row, u: int, reach: Scalar) -> Scalar:
    """Nearest enemy minion of the most wanted class: siege, super and vanguard, then melee, then ranged."""
    best, best_d2, best_class = -1, FAR, 3
    index = (u - s.STRUCTURE0) % s.STRUCTURES_PER_TEAM
    first = s.MINION0 + (1 - team_of(u)) * s.MINIONS_PER_TEAM
    last = first + s.MINIONS_PER_TEAM
    if index != s.CRYSTAL:
        first = first + (index // TIERS) * s.MINIONS_PER_LANE
        last = first + s.MINIONS_PER_LANE
    for v in range(first, last):
        if f[s.HP + v] <= ZERO:
            continue
        d2 = distance2(f, u, v)
        if d2 > reach * reach:
            continue
        wanted = _minion_class(k, v)
        if wanted < best_class or (wanted == best_class and beats(k, u, d2, v, best_d2, best)):
            best, best_d2, best_class = v, d2, wanted
    return best


@kernel
def _nearest_of(f: Row, k: Row, u: int, first: int, last: int, reach: Scalar) -> Scalar:
    best, best_d2 = -1, FAR
    for v in range(first, last):
        if f[s.HP + v] > ZERO and k[s.TYPE + v] != s.TYPE_WARD and can_be_shot(f, k, u, v, reach):
            d2 = distance2(f, u, v)
            if beats(k, u, d2, v, best_d2, best):
                best, best_d2 = v, d2
    return best


@kernel
def _someone_near(f: Row, u: int, reach: Scalar) -> Scalar:
    """Whether any enemy is in a structure's reach, seen or not: most of the time nobody is."""
    enemy, x, y, reach2 = 1 - team_of(u), f[s.X + u], f[s.Y + u], reach * reach
    count = count_near(f, enemy * s.TEAM_SIZE, s.TEAM_SIZE, x, y, reach2)
    count += count_near(f, s.SUMMON0 + enemy * s.SUMMONS_PER_TEAM, s.SUMMONS_PER_TEAM, x, y, reach2)
    count += count_near(f, s.MINION0 + enemy * s.MINIONS_PER_TEAM, s.MINIONS_PER_TEAM, x, y, reach2)
    return count > 0


@kernel
def choose_target(f: Row, k: Row, t: Tables, u: int) -> None:
    """Chooses whom a structure shoots; `STEP` is 1 while it is locked on a hero that drew its fire."""
    reach = structure_range(t, u)
    if not _someone_near(f, u, reach):
        k[s.TARGET + u], k[s.TARGET_HITS + u], k[s.STEP + u] = -1, 0, 0
        return
    target = k[s.TARGET + u]
    valid = target >= 0 and can_be_shot(f, k, u, target, reach)
    if valid and (k[s.STEP + u] == 1 and target < s.NUM_HEROES):
        return
    k[s.STEP + u] = 0
    chosen = _aggressor(f, k, t, u, reach)
    if chosen >= 0:
        k[s.STEP + u] = 1
    elif valid and target >= s.MINION0:
        return
    else:
        chosen = _nearest_minion(f, k, u, reach)
    enemy = 1 - team_of(u)
    if chosen < 0:
        first = s.SUMMON0 + enemy * s.SUMMONS_PER_TEAM
        chosen = _nearest_of(f, k, u, first, first + s.SUMMONS_PER_TEAM, reach)
    if chosen < 0:
        chosen = _nearest_of(f, k, u, enemy * s.TEAM_SIZE, (enemy + 1) * s.TEAM_SIZE, reach)
    if chosen != target:
        k[s.TARGET_HITS + u] = 0
    k[s.TARGET + u] = chosen


@kernel
def structure_attacks(f: Row, k: Row, t: Tables, ev: Events) -> None:
    """Lets every turret and crystal that is ready choose a target and shoot.

    A hit on the same hero grows by a quarter with every consecutive one. A turret without a target looks again
    after two ticks.
    """
    for index in range(2 * s.STRUCTURES_PER_TEAM):
        u = s.STRUCTURE0 + index
        if f[s.HP + u] <= ZERO or k[s.ATTACK_AT + u] > k[s.TICK]:
            continue
        choose_target(f, k, t, u)
        target = k[s.TARGET + u]
        if target < 0:
            k[s.ATTACK_AT + u] = k[s.TICK] + 2
            continue
        power = t.structure[index, 3]
        if index % s.STRUCTURES_PER_TEAM != s.CRYSTAL:
            power = power + t.preset[tb.P_TURRET_DAMAGE_MINUTE] * minutes(k)
        if target < s.NUM_HEROES:
            ramp = t.preset[tb.P_TURRET_RAMP] * np.float32(k[s.TARGET_HITS + u])
            power = power * (ONE + min(ramp, t.preset[tb.P_TURRET_RAMP_MAX]))
            k[s.TARGET_HITS + u] += 1
        push_damage(ev, u, target, power, s.PHYSICAL, FLAG_TURRET, ZERO, ZERO)
        k[s.ATTACK_AT + u] = k[s.TICK] + np.int64(t.preset[tb.P_TURRET_INTERVAL_TICKS])
