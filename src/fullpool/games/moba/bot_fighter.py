"""The fighter: weighs the local fight, picks targets by role, kites, retreats, and defends and pushes as a team.

A fight is taken from `FIGHT_RATIO` of the enemy's local power on and given up below `RETREAT_RATIO`; a weaker hero
harasses and holds its lane, and gives ground below `LEAVE_RATIO`. Between fights the fighter does the laner's work,
answers threats to own structures, and groups to push when the enemy is outnumbered or the match is late.
The constants were tuned by games against the laner: leaving even fights early costs the lane, hence the match.
"""

from __future__ import annotations

import numpy as np

from fullpool.games.moba import state as s
from fullpool.games.moba import tables as tb
from fullpool.games.moba.bot_common import (
    BOT_WORDS,
    FAR,
    MEMORY_ENGAGED,
    V_ENEMY_ALIVE,
    V_GUARD,
    V_OWN_ALIVE,
    V_PUSH_LANE,
    V_THREAT,
    assigned_lane,
    distance2,
    hp_share,
    known,
    lane_allowed,
    move_along,
    move_from,
    nearest_enemy_hero,
    sees,
    slot_unit,
    try_attack,
    try_simple,
)
from fullpool.games.moba.bot_laner import (
    MODE_RETREAT,
    brawl,
    clear_minions,
    enemy_structure_near,
    go_home,
    minions_tank,
    push_lane,
    siege,
    update_mode,
)
from fullpool.games.moba.bot_power import FIGHT_RADIUS, enemy_hp, power_around
from fullpool.games.moba.bot_skills import enemies_around, use_skills
from fullpool.games.moba.columns import C_AD, C_AP, C_HP, C_INVULN, C_RANGE, PER_AD, PER_AP, PER_RANGE
from fullpool.games.moba.events import Number, Row, f32, i64
from fullpool.games.moba.tables import P_HAS_STRUCTURES, Tables
from fullpool.numerics.kernels import kernel

FIGHT_RATIO = f32(1.0)  # of own to enemy power
RETREAT_RATIO = f32(0.85)
LEAVE_RATIO = f32(0.25)
RETREAT_BELOW = f32(0.22)
HEAL_BELOW = f32(0.4)
KITE_DISTANCE = f32(2.8)
GROUP_FROM = f32(0.52)  # share of the cap; before that everybody keeps a lane unless the team is ahead
TURRET_DEFENCE, CRYSTAL_DEFENCE = f32(18.0), f32(30.0)  # from how far a hero comes to help
CRYSTAL_PLACE = (s.STRUCTURE0 + s.CRYSTAL) % s.STRUCTURES_PER_TEAM
CHASE, SKILL_REACH = (
    f32(1.0),
    f32(4.0),
)  # how far beyond its reach, and at least, a fighter looks for a target
DIVE_RATIO = f32(1.8)  # of power, from which turrets do not stop it
AHEAD = f32(2.0)  # more living heroes than the enemy: push now
GROUP_RADIUS = f32(9.0)
ZERO, ONE = f32(0.0), f32(1.0)


@kernel
def best_target(f: Row, k: Row, t: Tables, h: int, reach: Number) -> int:
    """Enemy hero to hit by the hero's role: divers take the soft and valuable, others the weakest in reach."""
    team = h // s.TEAM_SIZE
    role = i64(t.hero[k[s.HERO_ID + h], tb.HERO_ROLE])
    best, best_score = -1, FAR
    for slot in range(s.SLOT_ENEMY, s.SLOT_ENEMY + s.TEAM_SIZE):
        u = slot_unit(k, h, slot)
        if u < 0 or f[s.HP + u] <= ZERO or not sees(k, team, u) or known(f, u, C_INVULN) > ZERO:
            continue
        d2 = distance2(f, h, u)
        if d2 > reach * reach:
            continue
        score = enemy_hp(f, u) * (ONE + f32(0.12) * np.sqrt(d2))
        if role == tb.ROLE_ASSASSIN:
            score /= f32(40.0) + known(f, u, C_AD) / PER_AD + f32(0.5) * known(f, u, C_AP) / PER_AP
            score *= f32(100.0)
        if score < best_score:
            best, best_score = slot, score
    return best


@kernel
def _kite(f: Row, k: Row, t: Tables, h: int, legal: Row, out: Row) -> bool:
    """Steps away from a melee hero that is close while the own attack is on cooldown."""
    if f[s.RANGE + h] < f32(4.0) or k[s.ATTACK_AT + h] <= k[s.TICK] + 2:
        return False
    enemy = nearest_enemy_hero(f, k, h, KITE_DISTANCE)
    if enemy < 0:
        return False
    u = slot_unit(k, h, enemy)
    return known(f, u, C_RANGE) / PER_RANGE < f32(4.0) and move_from(f, t, h, legal, u, out)


@kernel
def _diving(f: Row, t: Tables, team: int, u: int) -> bool:
    """Whether hitting a unit means standing in a turret's fire that no minion takes."""
    guard = enemy_structure_near(f, t, team, u, ZERO)
    return guard >= 0 and minions_tank(f, t, team, guard) == 0


@kernel
def _fight(f: Row, k: Row, t: Tables, h: int, legal: Row, brave: bool, out: Row) -> bool:
    """Skills, then kiting, then attacks on the best target near; `brave` dives under turrets and chases."""
    team = h // s.TEAM_SIZE
    target = best_target(f, k, t, h, f[s.RANGE + h] + f32(1.0))
    if target < 0:
        target = best_target(f, k, t, h, max(f[s.RANGE + h] + CHASE, SKILL_REACH))
    if target < 0:
        return False
    u = slot_unit(k, h, target)
    dive = _diving(f, t, team, u)
    if dive and not brave and known(f, u, C_HP) > f32(0.25):
        return False
    if use_skills(f, k, t, h, legal, target, True, brave or not dive, 2, out):
        return True
    if _kite(f, k, t, h, legal, out):
        return True
    return try_attack(legal, target, out)


@kernel
def _harass(f: Row, k: Row, t: Tables, h: int, legal: Row, out: Row) -> bool:
    """Skills and attacks on whoever is in reach, without walking to anybody."""
    target = best_target(f, k, t, h, FIGHT_RADIUS)
    if use_skills(f, k, t, h, legal, target, True, False, 2, out):
        return True
    if _kite(f, k, t, h, legal, out):
        return True
    target = best_target(f, k, t, h, f[s.RANGE + h] + f32(0.3))
    if target < 0 or enemy_structure_near(f, t, h // s.TEAM_SIZE, h, ZERO) >= 0:
        return False
    return try_attack(legal, target, out)


@kernel
def _lane_to_defend(f: Row, t: Tables, h: int, view: Row) -> int:
    """Lane whose foremost own structure is threatened and to whose defenders this hero belongs; -1: none.

    As many defend as attack and one more, the nearest first.
    """
    team = h // s.TEAM_SIZE
    for lane in range(s.NUM_LANES):
        if not lane_allowed(t, lane) or view[V_THREAT + lane] < ONE:
            continue
        guard = i64(view[V_GUARD + lane])
        mine = distance2(f, h, guard)
        reach = CRYSTAL_DEFENCE if guard % s.STRUCTURES_PER_TEAM == CRYSTAL_PLACE else TURRET_DEFENCE
        if mine > reach * reach:
            continue
        nearer = 0
        for u in range(team * s.TEAM_SIZE, team * s.TEAM_SIZE + s.TEAM_SIZE):
            if u != h and f[s.HP + u] > ZERO and distance2(f, u, guard) < mine:
                nearer += 1
        if f32(nearer) <= view[V_THREAT + lane]:
            return lane
    return -1


@kernel
def groups(k: Row, t: Tables, view: Row) -> bool:
    """Whether a team pushes together: it outnumbers the enemy, or it is late."""
    ahead = view[V_OWN_ALIVE] - view[V_ENEMY_ALIVE]
    return bool(ahead >= AHEAD or f32(k[s.DECISION]) >= GROUP_FROM * t.preset[tb.P_CAP])


@kernel
def choose_lane(f: Row, k: Row, t: Tables, h: int, view: Row) -> int:
    """Lane to be in: a threatened one, else the own one at first, later the one that the team pushes together."""
    lane = _lane_to_defend(f, t, h, view)
    if lane >= 0:
        return lane
    return i64(view[V_PUSH_LANE]) if groups(k, t, view) else assigned_lane(t, h % s.TEAM_SIZE)


@kernel
def helpers_near(f: Row, h: int, radius: Number) -> int:
    """Allied heroes within a radius that can still take part, itself not counted."""
    team = h // s.TEAM_SIZE
    count = 0
    for u in range(team * s.TEAM_SIZE, team * s.TEAM_SIZE + s.TEAM_SIZE):
        if u != h and hp_share(f, u) > RETREAT_BELOW and distance2(f, h, u) <= radius * radius:
            count += 1
    return count


@kernel
def _take_stand(f: Row, k: Row, t: Tables, h: int, legal: Row, lane: int, out: Row) -> bool:
    """Weighs the fight around a hero and fights, harasses or gives ground; false if there is nothing to do."""
    memory = s.BOT_STATE + h * BOT_WORDS + MEMORY_ENGAGED
    us, them = power_around(f, k, t, h, True), power_around(f, k, t, h, False)
    ratio = FIGHT_RATIO if k[memory] == 0 else RETREAT_RATIO
    if us > ratio * them:
        k[memory] = 1
        return _fight(f, k, t, h, legal, us > DIVE_RATIO * them, out)
    k[memory] = 0
    if _harass(f, k, t, h, legal, out):
        return True
    return us < LEAVE_RATIO * them and move_along(f, t, h, legal, lane, ZERO, out)


@kernel
def fighter_action(f: Row, k: Row, t: Tables, h: int, legal: Row, view: Row, out: Row) -> None:
    """Chooses the fighter's action for one hero.

    Args:
        f: floats of the match.
        k: integers of the match.
        t: tables of the game.
        h: seat, alive.
        legal: its flat mask.
        view: `[VIEW_SIZE]` the team's view.
        out: `[4]` action, written.
    """
    enemy = nearest_enemy_hero(f, k, h, FIGHT_RADIUS)
    if enemy >= 0 and hp_share(f, h) < HEAL_BELOW and try_simple(legal, s.HEAL, out):
        return
    if t.preset[P_HAS_STRUCTURES] == ZERO:
        if enemy < 0 or not _fight(f, k, t, h, legal, True, out):
            brawl(f, k, t, h, legal, out)
        return
    lane = choose_lane(f, k, t, h, view)
    if update_mode(f, k, t, h, RETREAT_BELOW) == MODE_RETREAT:
        k[s.BOT_STATE + h * BOT_WORDS + MEMORY_ENGAGED] = 0
        if not (enemy >= 0 and use_skills(f, k, t, h, legal, enemy, True, False, 2, out)):
            go_home(f, k, t, h, legal, lane, view, out)
        return
    ahead = view[V_OWN_ALIVE] - view[V_ENEMY_ALIVE]
    helpers = helpers_near(f, h, GROUP_RADIUS)
    foes = enemies_around(f, k, h // s.TEAM_SIZE, h, FIGHT_RADIUS * FIGHT_RADIUS)
    nearest = nearest_enemy_hero(f, k, h, f[s.RANGE + h] + ONE)
    if (nearest < 0 or ahead >= AHEAD or helpers > foes) and siege(f, k, t, h, legal, helpers, out):
        return
    if enemy >= 0:
        if _take_stand(f, k, t, h, legal, lane, out):
            return
    elif use_skills(f, k, t, h, legal, -1, True, False, 2, out) or clear_minions(f, k, t, h, legal, out):
        return
    push_lane(f, k, t, h, legal, lane, helpers, view, out)
