"""What a scripted team knows at a decision: fronts of the lanes, standing structures, threats, where to push."""

from __future__ import annotations

from fullpool.games.moba import state as s
from fullpool.games.moba.bot_common import (
    FAR,
    V_ENEMY_ALIVE,
    V_ENEMY_FRONT,
    V_ENEMY_WALL,
    V_FRONT,
    V_GUARD,
    V_LENGTH,
    V_OWN_ALIVE,
    V_OWN_WALL,
    V_PUSH_LANE,
    V_THREAT,
    distance2,
    lane_allowed,
    lane_length,
    lane_progress,
    own_x,
    own_y,
    sees,
)
from fullpool.games.moba.events import Row, f32
from fullpool.games.moba.tables import Tables
from fullpool.numerics.kernels import kernel

ZERO = f32(0.0)
THREAT_RADIUS2 = f32(121.0)
HERO_THREAT = f32(1.0)
MINION_THREAT = f32(0.25)
LENGTH_WEIGHT = f32(0.5)
HP_WEIGHT = f32(1.0 / 30.0)


@kernel
def _minions(f: Row, k: Row, t: Tables, team: int, view: Row) -> None:
    """Foremost own minion and foremost visible enemy minion of every lane."""
    for lane in range(s.NUM_LANES):
        view[V_FRONT + lane] = -1.0
        view[V_ENEMY_FRONT + lane] = FAR
        view[V_THREAT + lane] = 0.0
        if not lane_allowed(t, lane):
            continue
        first = s.MINION0 + (team * s.NUM_LANES + lane) * s.MINIONS_PER_LANE
        for u in range(first, first + s.MINIONS_PER_LANE):
            if f[s.HP + u] > ZERO:
                progress, _ = lane_progress(t, lane, own_x(f, u, team), own_y(f, u, team))
                view[V_FRONT + lane] = max(view[V_FRONT + lane], progress)
        first = s.MINION0 + ((1 - team) * s.NUM_LANES + lane) * s.MINIONS_PER_LANE
        for u in range(first, first + s.MINIONS_PER_LANE):
            if f[s.HP + u] > ZERO and sees(k, team, u):
                progress, _ = lane_progress(t, lane, own_x(f, u, team), own_y(f, u, team))
                view[V_ENEMY_FRONT + lane] = min(view[V_ENEMY_FRONT + lane], progress)


@kernel
def _structures(f: Row, k: Row, t: Tables, team: int, view: Row) -> None:
    """Foremost standing structures of both sides and the enemies near the own ones."""
    own = s.STRUCTURE0 + team * s.STRUCTURES_PER_TEAM
    enemy = s.STRUCTURE0 + (1 - team) * s.STRUCTURES_PER_TEAM
    first_enemy = (1 - team) * s.TEAM_SIZE
    for lane in range(s.NUM_LANES):
        guard, wall, enemy_wall = own + s.CRYSTAL, ZERO, view[V_LENGTH + lane]
        for tier in range(s.NUM_LANES):
            u = own + lane * s.NUM_LANES + tier
            if f[s.HP + u] > ZERO:
                progress, _ = lane_progress(t, lane, own_x(f, u, team), own_y(f, u, team))
                if progress > wall:
                    guard, wall = u, progress
            u = enemy + lane * s.NUM_LANES + tier
            if f[s.HP + u] > ZERO:
                progress, _ = lane_progress(t, lane, own_x(f, u, team), own_y(f, u, team))
                enemy_wall = min(enemy_wall, progress)
        view[V_OWN_WALL + lane] = wall
        view[V_GUARD + lane] = guard
        view[V_ENEMY_WALL + lane] = enemy_wall
        if not lane_allowed(t, lane):
            continue
        for v in range(first_enemy, first_enemy + s.TEAM_SIZE):
            if f[s.HP + v] > ZERO and sees(k, team, v) and distance2(f, v, guard) < THREAT_RADIUS2:
                view[V_THREAT + lane] += HERO_THREAT
        if view[V_ENEMY_FRONT + lane] < wall + f32(8.0):
            view[V_THREAT + lane] += MINION_THREAT


@kernel
def _push_lane(f: Row, t: Tables, team: int, view: Row) -> int:
    """Lane that a team pushes together: the shortest way with the least turret left on it; never by chance."""
    best, best_left = 1, FAR
    for lane in range(s.NUM_LANES):
        if not lane_allowed(t, lane):
            continue
        left = LENGTH_WEIGHT * view[V_LENGTH + lane]
        first = s.STRUCTURE0 + (1 - team) * s.STRUCTURES_PER_TEAM + lane * s.NUM_LANES
        for u in range(first, first + s.NUM_LANES):
            left += HP_WEIGHT * f[s.HP + u]
        if left < best_left:
            best, best_left = lane, left
    return best


@kernel
def look_around(f: Row, k: Row, t: Tables, team: int, view: Row) -> None:
    """Fills the team's view for this decision.

    Args:
        f: floats of the match.
        k: integers of the match.
        t: tables of the game.
        team: 0 or 1.
        view: `[VIEW_SIZE]` float32, written.
    """
    for lane in range(s.NUM_LANES):
        view[V_LENGTH + lane] = lane_length(t, lane)
    _minions(f, k, t, team, view)
    _structures(f, k, t, team, view)
    view[V_OWN_ALIVE] = 0.0
    view[V_ENEMY_ALIVE] = 0.0
    for h in range(s.NUM_HEROES):
        if f[s.HP + h] > ZERO:
            view[V_OWN_ALIVE if h // s.TEAM_SIZE == team else V_ENEMY_ALIVE] += 1.0
    view[V_PUSH_LANE] = _push_lane(f, t, team, view)
