"""The laner: keeps to its lane behind its minions, last-hits, pushes structures that minions tank, runs when hurt.

The steps of `push_lane` are shared with the fighter.
"""

from __future__ import annotations

from fullpool.games.moba import state as s
from fullpool.games.moba.bot_common import (
    BOT_WORDS,
    FAR,
    MEMORY_MODE,
    V_ENEMY_FRONT,
    V_ENEMY_WALL,
    V_FRONT,
    V_LENGTH,
    V_OWN_WALL,
    assigned_lane,
    distance2,
    hp_share,
    lane_progress,
    move_along,
    move_to,
    nearest_enemy_hero,
    own_x,
    own_y,
    set_action,
    slot_unit,
    try_attack,
    try_simple,
)
from fullpool.games.moba.bot_skills import use_skills
from fullpool.games.moba.economy import in_fountain
from fullpool.games.moba.events import Number, Row, f32
from fullpool.games.moba.tables import P_HAS_STRUCTURES, P_TURRET_RANGE, Tables
from fullpool.numerics.kernels import kernel

MODE_LANE, MODE_RETREAT = 0, 1
RETREAT_BELOW = f32(0.35)
RETURN_ABOVE = f32(0.85)
SAFE_DISTANCE = f32(12.0)
NEAR_BASE = f32(2.0)
MANY_HELPERS = 2
BRAVE_ABOVE = f32(0.4)
TANKED_RADIUS_SLACK = f32(1.0)
ZERO = f32(0.0)


@kernel
def enemy_structure_near(f: Row, t: Tables, team: int, u: int, slack: Number) -> int:
    """Standing enemy structure whose range, plus a slack, covers a unit; -1: none."""
    reach = t.preset[P_TURRET_RANGE] + slack
    first = s.STRUCTURE0 + (1 - team) * s.STRUCTURES_PER_TEAM
    for v in range(first, first + s.STRUCTURES_PER_TEAM):
        if f[s.HP + v] > ZERO and distance2(f, u, v) < reach * reach:
            return v
    return -1


@kernel
def minions_tank(f: Row, t: Tables, team: int, structure: int) -> int:
    """Number of own minions inside the range of an enemy structure."""
    reach = t.preset[P_TURRET_RANGE] - TANKED_RADIUS_SLACK
    first = s.MINION0 + team * s.MINIONS_PER_TEAM
    count = 0
    for u in range(first, first + s.MINIONS_PER_TEAM):
        if f[s.HP + u] > ZERO and distance2(f, u, structure) < reach * reach:
            count += 1
    return count


@kernel
def update_mode(f: Row, k: Row, t: Tables, h: int, below: Number) -> Number:
    """Retreat once hit points fall below a share, and on until the fountain has mended them."""
    memory = s.BOT_STATE + h * BOT_WORDS + MEMORY_MODE
    share = hp_share(f, h)
    if share < below:
        k[memory] = MODE_RETREAT
    elif share > RETURN_ABOVE:
        k[memory] = MODE_LANE
    return k[memory]


@kernel
def go_home(f: Row, k: Row, t: Tables, h: int, legal: Row, lane: int, view: Row, out: Row) -> bool:
    """Recalls where no enemy is near, else runs down the lane to the own turret and the base."""
    if in_fountain(f, t, h, h // s.TEAM_SIZE):
        set_action(out, s.NONE, 0, 0, 0)
        return True
    enemy = nearest_enemy_hero(f, k, h, SAFE_DISTANCE)
    if enemy < 0:
        if k[s.RECALL_DONE + h] > k[s.TICK]:
            set_action(out, s.NONE, 0, 0, 0)
            return True
        clear = (
            k[s.TICK] - k[s.LAST_HURT + h] > 10 and enemy_structure_near(f, t, h // s.TEAM_SIZE, h, ZERO) < 0
        )
        if clear and try_simple(legal, s.RECALL, out):
            return True
    elif hp_share(f, h) < RETREAT_BELOW and try_simple(legal, s.HEAL, out):
        return True
    team = h // s.TEAM_SIZE
    progress, _ = lane_progress(t, lane, own_x(f, h, team), own_y(f, h, team))
    if progress > NEAR_BASE:
        return move_along(f, t, h, legal, lane, ZERO, out)
    middle = s.TEAM_SIZE // 2
    x, y = t.spawn[0, middle, 0], t.spawn[0, middle, 1]
    return move_to(f, t, h, legal, x, y, out)


@kernel
def best_minion(f: Row, k: Row, h: int, reach: Number) -> int:
    """Slot of the minion to attack: one that the next hit kills, else the weakest; -1: none in reach."""
    best, best_score = -1, FAR
    for slot in range(s.SLOT_MINION, s.SLOT_TURRET):
        u = slot_unit(k, h, slot)
        if u < 0 or f[s.HP + u] <= ZERO:
            continue
        d2 = distance2(f, h, u)
        if d2 > reach * reach:
            continue
        score = f[s.HP + u]
        if score > f[s.AD + h]:
            score += f32(1000.0) + f32(10.0) * d2
        if score < best_score:
            best, best_score = slot, score
    return best


@kernel
def siege(f: Row, k: Row, t: Tables, h: int, legal: Row, helpers: int, out: Row) -> bool:
    """Attacks the enemy structure in reach where minions, or enough allies, stand in its fire."""
    team = h // s.TEAM_SIZE
    for slot in range(s.SLOT_TURRET, s.SLOT_MONSTER):
        u = slot_unit(k, h, slot)
        if u < 0 or f[s.HP + u] <= ZERO:
            continue
        reach = t.preset[P_TURRET_RANGE] + f32(4.0)
        if distance2(f, h, u) > reach * reach:
            continue
        tanked = minions_tank(f, t, team, u) > 0
        targeted = k[s.TARGET + u] == h
        nearly = f[s.HP + u] < f32(3.0) * f[s.AD + h]
        brave = hp_share(f, h) > BRAVE_ABOVE and helpers >= MANY_HELPERS
        if nearly or (tanked and not (targeted and hp_share(f, h) < f32(0.6))) or brave:
            if use_skills(f, k, t, h, legal, slot, True, False, 2, out) or try_attack(legal, slot, out):
                return True
    return False


@kernel
def push_lane(
    f: Row, k: Row, t: Tables, h: int, legal: Row, lane: int, helpers: int, view: Row, out: Row
) -> None:
    """Farms and pushes a lane: last hits, structures, other minions, then a place behind the own front.

    Args:
        f: floats of the match.
        k: integers of the match.
        t: tables of the game.
        h: seat.
        legal: its flat mask.
        lane: lane to push.
        helpers: allied heroes close by; enough of them besiege without minions.
        view: `[VIEW_SIZE]` the team's view.
        out: `[4]` action, written.
    """
    team = h // s.TEAM_SIZE
    reach = f[s.RANGE + h] + f32(2.0)
    minion = best_minion(f, k, h, reach)
    if minion >= 0 and f[s.HP + slot_unit(k, h, minion)] <= f[s.AD + h]:
        if try_attack(legal, minion, out):
            return
    if siege(f, k, t, h, legal, helpers, out):
        return
    if minion >= 0:
        u = slot_unit(k, h, minion)
        guard = enemy_structure_near(f, t, team, u, ZERO)
        if guard < 0 or minions_tank(f, t, team, guard) > 0 or f[s.RANGE + h] > f32(4.0):
            if try_attack(legal, minion, out):
                return
    guard = enemy_structure_near(f, t, team, h, f32(0.5))
    if guard >= 0 and minions_tank(f, t, team, guard) == 0 and helpers < MANY_HELPERS:
        if move_along(f, t, h, legal, lane, ZERO, out):
            return
    front = view[V_FRONT + lane]
    goal = view[V_OWN_WALL + lane] + f32(1.0)
    if front >= ZERO:
        goal = max(goal, front - f32(0.5))
    enemy_front = view[V_ENEMY_FRONT + lane]
    if enemy_front < FAR:
        goal = min(goal, max(enemy_front - f32(0.8) * f[s.RANGE + h], f32(1.0)))
    if helpers >= MANY_HELPERS:
        goal = max(goal, view[V_ENEMY_WALL + lane])
    if not move_along(f, t, h, legal, lane, min(goal, view[V_LENGTH + lane]), out):
        set_action(out, s.NONE, 0, 0, 0)


@kernel
def brawl(f: Row, k: Row, t: Tables, h: int, legal: Row, out: Row) -> None:
    """Where there are no lanes: attacks the nearest enemy hero, or looks for one in the middle of the map."""
    enemy = nearest_enemy_hero(f, k, h, f32(100.0))
    if enemy >= 0:
        if use_skills(f, k, t, h, legal, enemy, False, True, 2, out):
            return
        if try_attack(legal, enemy, out):
            return
    if not move_to(f, t, h, legal, ZERO, ZERO, out):
        set_action(out, s.NONE, 0, 0, 0)


@kernel
def _strike_hero(f: Row, k: Row, t: Tables, h: int, legal: Row, out: Row) -> bool:
    """Skills and attacks on the nearest enemy hero in reach, unless a turret would answer."""
    enemy = nearest_enemy_hero(f, k, h, f32(10.0))
    exposed = enemy_structure_near(f, t, h // s.TEAM_SIZE, h, ZERO) >= 0
    if (not exposed or enemy < 0) and use_skills(f, k, t, h, legal, enemy, False, False, 2, out):
        return True
    if enemy < 0 or exposed:
        return False
    u = slot_unit(k, h, enemy)
    reach = f[s.RANGE + h] + f32(0.3)
    return distance2(f, h, u) <= reach * reach and try_attack(legal, enemy, out)


@kernel
def clear_minions(f: Row, k: Row, t: Tables, h: int, legal: Row, out: Row) -> bool:
    """Spends mana that would otherwise stay full on the minions of the lane; never the ultimate."""
    if f[s.MANA + h] < f32(0.6) * f[s.MAX_MANA + h]:
        return False
    minion = best_minion(f, k, h, f32(7.0))
    return minion >= 0 and use_skills(f, k, t, h, legal, minion, False, False, 1, out)


@kernel
def laner_action(f: Row, k: Row, t: Tables, h: int, legal: Row, view: Row, out: Row) -> None:
    """Chooses the laner's action for one hero.

    Args:
        f: floats of the match.
        k: integers of the match.
        t: tables of the game.
        h: seat, alive.
        legal: its flat mask.
        view: `[VIEW_SIZE]` the team's view.
        out: `[4]` action, written.
    """
    if t.preset[P_HAS_STRUCTURES] == ZERO:
        brawl(f, k, t, h, legal, out)
        return
    lane = assigned_lane(t, h % s.TEAM_SIZE)
    if update_mode(f, k, t, h, RETREAT_BELOW) == MODE_RETREAT:
        go_home(f, k, t, h, legal, lane, view, out)
        return
    if _strike_hero(f, k, t, h, legal, out) or clear_minions(f, k, t, h, legal, out):
        return
    push_lane(f, k, t, h, legal, lane, 0, view, out)
