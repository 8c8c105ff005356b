"""What all scripted bots share: positions in the team's own frame, lanes, randomness, and writing one action.

Bots think in their team's own frame: team B's world is mirrored, (x, y) to (-y, -x), so that one script plays both
sides and a mirrored match is played mirrored to the bit. They see what their team sees: `VISIBLE` units, `SEEN` for
enemy heroes' statistics, standing structures, and everything of their own. Every action goes through the hero's mask,
which is written once a decision (`legal`).
"""

from __future__ import annotations

import numpy as np

from fullpool.games.moba import state as s
from fullpool.games.moba.columns import C_KNOWN
from fullpool.games.moba.events import Number, Row, f32, i64
from fullpool.games.moba.masks import AT_DIR, AT_WHO
from fullpool.games.moba.tables import P_LANES, Tables
from fullpool.numerics.hashing import hash_u32
from fullpool.numerics.kernels import kernel

BOT_WORDS = 8
"""Words of memory that a bot has a hero, in `k[BOT_STATE + seat * BOT_WORDS]`."""
MEMORY_MODE, MEMORY_MOVES, MEMORY_DIR, MEMORY_ENGAGED = 0, 1, 2, 3

LANE_POINT_STEP = 3.0  # how far along its lane a hero aims ahead, map units
FAR = f32(1.0e9)

# What the whole team knows, one float each, computed once a decision
V_FRONT = 0  # [lane] progress of the own foremost minion, -1: none
V_ENEMY_FRONT = 3  # [lane] progress of the foremost visible enemy minion, FAR: none
V_LENGTH = 6  # [lane] length of the lane
V_OWN_WALL = 9  # [lane] progress of the own foremost standing structure
V_ENEMY_WALL = 12  # [lane] progress of the enemy's first standing structure
V_OWN_ALIVE = 15
V_ENEMY_ALIVE = 16
V_THREAT = 17  # [lane] strength of the enemies at own structures of the lane
V_PUSH_LANE = 20
V_GUARD = 21  # [lane] the structure that stands foremost, the crystal where no turret is left
VIEW_SIZE = 24


@kernel
def own_x(f: Row, u: int, team: int) -> Number:
    """First coordinate of a unit in the frame of `team`."""
    return f[s.X + u] if team == 0 else -f[s.Y + u]


@kernel
def own_y(f: Row, u: int, team: int) -> Number:
    """Second coordinate of a unit in the frame of `team`."""
    return f[s.Y + u] if team == 0 else -f[s.X + u]


@kernel
def distance2(f: Row, u: int, v: int) -> Number:
    """Squared distance between two units."""
    dx = f[s.X + u] - f[s.X + v]
    dy = f[s.Y + u] - f[s.Y + v]
    return dx * dx + dy * dy


@kernel
def sees(k: Row, team: int, u: int) -> Number:
    """Whether a team sees a unit now."""
    return (k[s.VISIBLE + u] >> team) & 1 == 1


@kernel
def random_below(k: Row, h: int, purpose: int, bound: int) -> Number:
    """A number in [0, bound) from the stream of the hero's team, its place in the team and the tick."""
    team = h // s.TEAM_SIZE
    word = hash_u32(k[s.SEED + 2 * team + 1], h - team * s.TEAM_SIZE, k[s.TICK], purpose)
    return i64(np.uint32(word)) % bound


@kernel
def set_action(out: Row, what: int, who: int, direction: int, dist: int) -> None:
    """Writes one action."""
    out[s.HEAD_WHAT] = what
    out[s.HEAD_WHO] = who
    out[s.HEAD_DIR] = direction
    out[s.HEAD_DIST] = dist


@kernel
def nearest_direction(t: Tables, dx: Number, dy: Number) -> int:
    """The one of the 16 directions that points most nearly along a vector of the own frame."""
    best, best_dot = 0, -FAR
    for i in range(s.NUM_DIR):
        dot = dx * t.direction[i, 0] + dy * t.direction[i, 1]
        if dot > best_dot:
            best, best_dot = i, dot
    return best


@kernel
def is_allowed(legal: Row, what: int, who: int, direction: int) -> Number:
    """Looks an action up in the hero's flat mask."""
    if legal[what] == 0:
        return False
    if what == s.MOVE:
        return legal[AT_DIR + direction] != 0
    if s.ATTACK <= what <= s.SKILL3:
        return legal[AT_WHO + (what - s.ATTACK) * s.NUM_WHO + who] != 0
    return True


@kernel
def try_simple(legal: Row, what: int, out: Row) -> bool:
    """Takes an action without target (heal, recall) if it is legal."""
    if legal[what] == 0:
        return False
    set_action(out, what, 0, 0, 0)
    return True


@kernel
def try_attack(legal: Row, slot: int, out: Row) -> bool:
    """Attacks what a Who slot points to if that is legal."""
    if not is_allowed(legal, s.ATTACK, slot, 0):
        return False
    set_action(out, s.ATTACK, slot, 0, 0)
    return True


@kernel
def move_by(t: Tables, legal: Row, dx: Number, dy: Number, out: Row) -> bool:
    """Moves along the legal direction nearest to a vector of the own frame; false if none is legal."""
    if legal[s.MOVE] == 0:
        return False
    best, best_dot = -1, -FAR
    for i in range(s.NUM_DIR):
        dot = dx * t.direction[i, 0] + dy * t.direction[i, 1]
        if legal[AT_DIR + i] != 0 and dot > best_dot:
            best, best_dot = i, dot
    set_action(out, s.MOVE, 0, max(best, 0), 0)
    return best >= 0


@kernel
def lane_allowed(t: Tables, lane: int) -> Number:
    """Whether the preset has this lane."""
    return (i64(t.preset[P_LANES]) >> lane) & 1 == 1


@kernel
def assigned_lane(t: Tables, place: int) -> int:
    """Lane of a place in the team: two top, one middle, two bottom; the middle where there are no side lanes."""
    lane = 0 if place < 2 else (1 if place == 2 else 2)
    return lane if lane_allowed(t, lane) else 1


@kernel
def lane_length(t: Tables, lane: int) -> Number:
    """Length of a lane from base to base."""
    total = f32(0.0)
    for i in range(t.lane.shape[1] - 1):
        dx = t.lane[lane, i + 1, 0] - t.lane[lane, i, 0]
        dy = t.lane[lane, i + 1, 1] - t.lane[lane, i, 1]
        total += np.sqrt(dx * dx + dy * dy)
    return total


@kernel
def lane_progress(t: Tables, lane: int, x: Number, y: Number) -> tuple[Number, Number]:
    """Projects a point of the own frame on a lane.

    Returns:
        How far along the lane from the own base the nearest point of the lane lies, and the squared distance to it.
    """
    best, best_d2, before = f32(0.0), FAR, f32(0.0)
    for i in range(t.lane.shape[1] - 1):
        ax, ay = t.lane[lane, i, 0], t.lane[lane, i, 1]
        dx, dy = t.lane[lane, i + 1, 0] - ax, t.lane[lane, i + 1, 1] - ay
        length2 = dx * dx + dy * dy
        if length2 <= f32(0.0):
            continue
        share = ((x - ax) * dx + (y - ay) * dy) / length2
        share = min(max(share, f32(0.0)), f32(1.0))
        ex, ey = x - (ax + share * dx), y - (ay + share * dy)
        d2 = ex * ex + ey * ey
        length = np.sqrt(length2)
        if d2 < best_d2:
            best, best_d2 = before + share * length, d2
        before += length
    return best, best_d2


@kernel
def lane_point(t: Tables, lane: int, progress: Number) -> tuple[Number, Number]:
    """Point of a lane at a distance along it from the own base, in the own frame."""
    last = t.lane.shape[1] - 1
    left = max(progress, f32(0.0))
    for i in range(last):
        ax, ay = t.lane[lane, i, 0], t.lane[lane, i, 1]
        dx, dy = t.lane[lane, i + 1, 0] - ax, t.lane[lane, i + 1, 1] - ay
        length = np.sqrt(dx * dx + dy * dy)
        if length > f32(0.0) and left <= length:
            share = left / length
            return ax + share * dx, ay + share * dy
        left -= length
    return t.lane[lane, last, 0], t.lane[lane, last, 1]


@kernel
def move_to(f: Row, t: Tables, h: int, legal: Row, x: Number, y: Number, out: Row) -> bool:
    """Moves straight towards a point of the own frame; stands if it is closer than half a unit."""
    team = h // s.TEAM_SIZE
    dx, dy = x - own_x(f, h, team), y - own_y(f, h, team)
    if dx * dx + dy * dy < f32(0.25):
        set_action(out, s.NONE, 0, 0, 0)
        return True
    return move_by(t, legal, dx, dy, out)


@kernel
def move_along(f: Row, t: Tables, h: int, legal: Row, lane: int, goal: Number, out: Row) -> bool:
    """Walks along a lane towards a progress on it, joining the lane first where the hero is off it."""
    team = h // s.TEAM_SIZE
    progress, _ = lane_progress(t, lane, own_x(f, h, team), own_y(f, h, team))
    step = min(max(goal - progress, f32(-LANE_POINT_STEP)), f32(LANE_POINT_STEP))
    x, y = lane_point(t, lane, progress + step)
    return move_to(f, t, h, legal, x, y, out)


@kernel
def move_from(f: Row, t: Tables, h: int, legal: Row, u: int, out: Row) -> bool:
    """Moves straight away from a unit."""
    team = h // s.TEAM_SIZE
    return move_by(
        t, legal, own_x(f, h, team) - own_x(f, u, team), own_y(f, h, team) - own_y(f, u, team), out
    )


@kernel
def slot_unit(k: Row, h: int, slot: int) -> Number:
    """Unit that a Who slot points to, -1: none."""
    return i64(k[s.SLOTS + h * s.NUM_WHO + slot])


@kernel
def hp_share(f: Row, u: int) -> Number:
    """Hit points over maximum hit points; 0 for an empty slot."""
    return f[s.HP + u] / max(f[s.MAX_HP + u], f32(1.0))


@kernel
def known(f: Row, u: int, column: int) -> Number:
    """What a team knows of an enemy hero, now or as last seen: a column of the hero rows, scaled as there."""
    return f[s.SEEN + u * s.SEEN_COLUMNS + column - C_KNOWN]


@kernel
def nearest_enemy_hero(f: Row, k: Row, h: int, reach: Number) -> int:
    """Slot of the nearest visible living enemy hero within `reach`, -1: none."""
    best, best_d2 = -1, reach * reach
    for slot in range(s.SLOT_ENEMY, s.SLOT_ENEMY + s.TEAM_SIZE):
        u = slot_unit(k, h, slot)
        if u < 0 or f[s.HP + u] <= f32(0.0) or not sees(k, h // s.TEAM_SIZE, u):
            continue
        d2 = distance2(f, h, u)
        if d2 < best_d2:
            best, best_d2 = slot, d2
    return best
