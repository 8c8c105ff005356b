"""What a hero may do: the masks of the What, Who and Dir heads, and whether one action is legal.

The flat mask of an agent is what[9], then one Who row each for attack and the three skills (4 x 24), then one Dir row
(16) for moving. A row that no legal What selects is all ones, so that no row is ever empty. Skills' directions and all
distances are always legal.
"""

from __future__ import annotations

import numpy as np

from fullpool.games.moba import state as s
from fullpool.games.moba import tables as tb
from fullpool.games.moba.columns import ZERO, Scalar
from fullpool.games.moba.events import Row
from fullpool.games.moba.movement import is_wall
from fullpool.games.moba.status import (
    can_act,
    can_attack,
    can_cast,
    can_move,
    heal_is_ready,
    is_taunted,
    skill_is_ready,
)
from fullpool.games.moba.structures import is_vulnerable
from fullpool.games.moba.tables import Tables
from fullpool.numerics.kernels import inlined, kernel

FAR = np.float32(1.0e30)
PROBE = np.float32(0.5)  # a direction is blocked if a wall is this near in it: about one tick's walk

GROUP_SELF, GROUP_ALLY, GROUP_HERO, GROUP_MINION, GROUP_STRUCTURE, GROUP_MONSTER, GROUP_SUMMON = (
    1,
    2,
    4,
    8,
    16,
    32,
    64,
)
GROUP_FOES = GROUP_HERO | GROUP_MINION | GROUP_MONSTER | GROUP_SUMMON
SLOT_GROUP = np.array([1] + [2] * 4 + [4] * 5 + [8] * 6 + [16] * 2 + [32] * 4 + [64] * 2, np.uint8)
"""Group of each Who slot."""

WHO_ROWS = s.SKILL3 - s.ATTACK + 1
AT_WHO = s.NUM_WHAT
AT_DIR = AT_WHO + WHO_ROWS * s.NUM_WHO
MASK_SIZE = AT_DIR + s.NUM_DIR


@kernel
def uses_who(k: Row, t: Tables, h: int, what: int) -> bool:
    """Whether a What of a hero takes a target."""
    if what == s.ATTACK:
        return True
    if what < s.SKILL1 or what > s.SKILL3:
        return False
    return bool(t.skill[k[s.HERO_ID + h], what - s.SKILL1, tb.SKILL_USES_WHO] != ZERO)


@kernel
def target_rule(k: Row, t: Tables, h: int, what: int) -> tuple[int, Scalar]:
    """Which groups of slots an attack or skill may target, and how far.

    An attack reaches as far as a hero sees, since the hero walks up to its target. With assisted aim, skills that need
    a direction take an enemy in their range; a dash that hits nobody may go towards any unit in sight.

    Args:
        k: `[K_SIZE]` integers of the match.
        t: tables of the game.
        h: seat.
        what: `ATTACK` or a skill that takes a target.

    Returns:
        Sum of `GROUP_`, and the greatest distance.
    """
    if what == s.ATTACK:
        return GROUP_FOES | GROUP_STRUCTURE, t.preset[tb.P_SIGHT_HERO]
    skill = t.skill[k[s.HERO_ID + h], what - s.SKILL1]
    cast = np.int64(skill[tb.SKILL_CAST])
    if cast == tb.CAST_ALLY:
        return GROUP_SELF | GROUP_ALLY, skill[tb.SKILL_RANGE]
    if cast == tb.CAST_GGROUND:
        return GROUP_HERO, skill[tb.SKILL_RANGE]
    if cast == tb.CAST_DASH and skill[tb.SKILL_WIDTH] == ZERO:
        return GROUP_ALLY | GROUP_FOES | GROUP_STRUCTURE, t.preset[tb.P_SIGHT_HERO]
    return GROUP_FOES, skill[tb.SKILL_RANGE]


@kernel
def slot_distance2(f: Row, k: Row, t: Tables, h: int, slot: int) -> Scalar:
    """Squared distance of what a slot points to, `FAR` if it cannot be targeted: nothing, dead, unseen or protected."""
    u = k[s.SLOTS + h * s.NUM_WHO + slot]
    if u < 0 or f[s.HP + u] <= ZERO or (k[s.VISIBLE + u] >> (h // s.TEAM_SIZE)) & 1 == 0:
        return FAR
    if s.SLOT_TURRET <= slot <= s.SLOT_CRYSTAL and not is_vulnerable(f, t, u):
        return FAR
    dx, dy = f[s.X + u] - f[s.X + h], f[s.Y + u] - f[s.Y + h]
    return dx * dx + dy * dy


@inlined
def _slot_distances(f: Row, k: Row, t: Tables, h: int, distance2: Row) -> None:
    """Writes `slot_distance2` of all slots, without branches but for the structures."""
    at, bit, x, y = s.SLOTS + h * s.NUM_WHO, np.int32(1 << (h // s.TEAM_SIZE)), f[s.X + h], f[s.Y + h]
    slots = k[at : at + s.NUM_WHO]
    for slot in range(s.NUM_WHO):
        u = max(slots[slot], 0)
        dx, dy = f[s.X + u] - x, f[s.Y + u] - y
        fits = (slots[slot] >= 0) & (f[s.HP + u] > ZERO) & (k[s.VISIBLE + u] & bit != 0)
        distance2[slot] = dx * dx + dy * dy if fits else FAR
    for slot in range(s.SLOT_TURRET, s.SLOT_CRYSTAL + 1):
        if distance2[slot] < FAR and not is_vulnerable(f, t, slots[slot]):
            distance2[slot] = FAR


@kernel
def is_target(f: Row, k: Row, t: Tables, h: int, what: int, slot: int) -> bool:
    """Whether an attack or targeted skill may take a slot."""
    groups, reach = target_rule(k, t, h, what)
    if groups & np.int64(SLOT_GROUP[slot]) == 0:
        return False
    return bool(slot_distance2(f, k, t, h, slot) <= reach * reach)


@kernel
def is_free(f: Row, k: Row, t: Tables, h: int, what: int) -> bool:
    """Whether statuses, level, mana and cooldowns allow a What, whatever there is to target."""
    if what == s.NONE:
        return True
    if f[s.HP + h] <= ZERO or is_taunted(k, h):
        return False
    if what == s.MOVE:
        return can_move(k, h)
    if what == s.ATTACK:
        return can_attack(k, h)
    if what <= s.SKILL3:
        return can_cast(k, h) and skill_is_ready(f, k, t, h, what - s.SKILL1)
    if what == s.HEAL:
        return heal_is_ready(k, h)
    if what == s.RECALL:
        return can_act(k, h) and t.preset[tb.P_RESPAWNS] != ZERO
    return False  # wards come with the full map


@kernel
def is_open(f: Row, t: Tables, h: int, direction: int) -> bool:
    """Whether no wall is next to a hero in a direction of its team's own frame."""
    world = direction if h < s.TEAM_SIZE else (12 - direction) % s.NUM_DIR
    x = f[s.X + h] + t.direction[world, 0] * PROBE
    y = f[s.Y + h] + t.direction[world, 1] * PROBE
    return not is_wall(t, x, y)


@kernel
def _is_surrounded_by_ground(f: Row, t: Tables, h: int) -> bool:
    """Whether the square that holds all probes touches no wall: the common case, with four looks for sixteen."""
    x, y = f[s.X + h], f[s.Y + h]
    if is_wall(t, x - PROBE, y - PROBE) or is_wall(t, x + PROBE, y - PROBE):
        return False
    return not (is_wall(t, x - PROBE, y + PROBE) or is_wall(t, x + PROBE, y + PROBE))


@inlined
def dir_mask(f: Row, k: Row, t: Tables, h: int, out: Row) -> None:
    """Writes the 16 directions in which a hero can walk, in its team's own frame.

    Args:
        f: `[F_SIZE]` floats of the match.
        k: `[K_SIZE]` integers of the match.
        t: tables of the game.
        h: seat.
        out: `[16]` uint8, written.
    """
    ground = _is_surrounded_by_ground(f, t, h)
    for i in range(s.NUM_DIR):
        out[i] = np.uint8(1) if ground or is_open(f, t, h, i) else np.uint8(0)


@kernel
def who_mask(f: Row, k: Row, t: Tables, h: int, what: int, out: Row) -> None:
    """Writes the slots that a What may target; all ones for a What that takes no target.

    Args:
        f: `[F_SIZE]` floats of the match.
        k: `[K_SIZE]` integers of the match.
        t: tables of the game.
        h: seat.
        what: the What.
        out: `[24]` uint8, written.
    """
    targeted = uses_who(k, t, h, what)
    for slot in range(s.NUM_WHO):
        out[slot] = np.uint8(1) if not targeted or is_target(f, k, t, h, what, slot) else np.uint8(0)


@kernel
def _has_choice(f: Row, k: Row, t: Tables, h: int, what: int) -> bool:
    """Whether the head that a What uses has a legal entry."""
    if what == s.MOVE:
        for i in range(s.NUM_DIR):
            if is_open(f, t, h, i):
                return True
        return False
    if not uses_who(k, t, h, what):
        return True
    for slot in range(s.NUM_WHO):
        if is_target(f, k, t, h, what, slot):
            return True
    return False


@kernel
def what_mask(f: Row, k: Row, t: Tables, h: int, out: Row) -> None:
    """Writes which Whats a hero may choose now: allowed, and with something to aim at where they need it.

    Args:
        f: `[F_SIZE]` floats of the match.
        k: `[K_SIZE]` integers of the match.
        t: tables of the game.
        h: seat.
        out: `[9]` uint8, written.
    """
    for what in range(s.NUM_WHAT):
        legal = is_free(f, k, t, h, what) and _has_choice(f, k, t, h, what)
        out[what] = np.uint8(1) if legal else np.uint8(0)


@inlined
def is_legal(f: Row, k: Row, t: Tables, h: int, what: int, who: int, direction: int, dist: int) -> bool:
    """Whether a whole action is legal; heads that the What does not use are not looked at.

    Args:
        f: `[F_SIZE]` floats of the match.
        k: `[K_SIZE]` integers of the match.
        t: tables of the game.
        h: seat.
        what: the What, in [0, 9).
        who: slot in [0, 24).
        direction: in [0, 16), in the team's own frame.
        dist: in [0, 4).

    Returns:
        False also for a number out of range.
    """
    if what < 0 or what >= s.NUM_WHAT or who < 0 or who >= s.NUM_WHO:
        return False
    if direction < 0 or direction >= s.NUM_DIR or dist < 0 or dist >= s.NUM_DIST:
        return False
    if not is_free(f, k, t, h, what):
        return False
    if what == s.MOVE:
        return is_open(f, t, h, direction)
    return not uses_who(k, t, h, what) or is_target(f, k, t, h, what, who)


@inlined
def write_masks(f: Row, k: Row, t: Tables, h: int, distance2: Row, out: Row) -> None:
    """Writes the flat mask of one agent: the same as the single masks, with every distance computed once.

    Args:
        f: `[F_SIZE]` floats of the match.
        k: `[K_SIZE]` integers of the match.
        t: tables of the game.
        h: seat.
        distance2: `[24]` float32 scratch.
        out: `[MASK_SIZE]` uint8, written.
    """
    for i in range(MASK_SIZE):
        out[i] = 1
    for what in range(1, s.NUM_WHAT):
        out[what] = 0
    if f[s.HP + h] <= ZERO or is_taunted(k, h) or not can_act(k, h):
        return
    _slot_distances(f, k, t, h, distance2)
    for what in range(s.ATTACK, s.SKILL3 + 1):
        if not is_free(f, k, t, h, what):
            continue
        if not uses_who(k, t, h, what):
            out[what] = 1
            continue
        groups, reach = target_rule(k, t, h, what)
        wanted, reach2, at, count = np.uint8(groups), reach * reach, AT_WHO + (what - s.ATTACK) * s.NUM_WHO, 0
        row = out[at : at + s.NUM_WHO]
        for slot in range(s.NUM_WHO):
            legal = (SLOT_GROUP[slot] & wanted != 0) & (distance2[slot] <= reach2)
            row[slot] = np.uint8(1) if legal else np.uint8(0)
            count += 1 if legal else 0
        if count > 0:
            out[what] = 1
            continue
        for slot in range(s.NUM_WHO):
            row[slot] = 1
    out[s.HEAL] = np.uint8(1) if is_free(f, k, t, h, s.HEAL) else np.uint8(0)
    out[s.RECALL] = np.uint8(1) if is_free(f, k, t, h, s.RECALL) else np.uint8(0)
    if can_move(k, h):
        _write_move(f, k, t, h, out)


@inlined
def _write_move(f: Row, k: Row, t: Tables, h: int, out: Row) -> None:
    """Writes the Dir row and whether moving is possible at all."""
    row, count = out[AT_DIR:], 0
    dir_mask(f, k, t, h, row)
    for i in range(s.NUM_DIR):
        count += row[i]
    if count > 0:
        out[s.MOVE] = 1
        return
    for i in range(s.NUM_DIR):
        row[i] = 1
