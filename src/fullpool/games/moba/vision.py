"""Who sees whom: vision shared by a team, brush, stealth, reveals, and the memory of heroes last seen.

Heroes are looked at after the ticks that `tick.py` names, minions and summons at the end of a decision
(`refresh_slots`), since nothing in between depends on them. Structures are public. Distances are computed in the
absolute frame, where the mirror only swaps the two squares of a sum.
"""

from __future__ import annotations

import numpy as np

from fullpool.games.moba import state as s
from fullpool.games.moba import tables as tb
from fullpool.games.moba.columns import (
    C_HP,
    C_X,
    PER_HP,
    PER_SHIELD,
    SEEN_HP,
    SEEN_HP_ABSOLUTE,
    SEEN_SHIELD,
    SEEN_X,
    SEEN_Y,
    Scalar,
)
from fullpool.games.moba.events import Row
from fullpool.games.moba.hero_columns import write_known
from fullpool.games.moba.movement import brush_at
from fullpool.games.moba.status import team_of
from fullpool.games.moba.structures import count_near
from fullpool.games.moba.tables import Tables
from fullpool.numerics.kernels import inlined, kernel

__all__ = [
    "SEEN_HP",
    "SEEN_X",
    "SEEN_Y",
    "hero_is_seen",
    "remember",
    "reset_vision",
    "see_others",
    "update_vision",
]

ZERO, ONE, LIT, DARK = np.float32(0.0), np.float32(1.0), np.int32(1), np.int32(0)


@kernel
def _seen_by_structures(f: Row, first: int, x: float, y: float, turret2: float, crystal2: float) -> Scalar:
    """Whether a standing structure of a team, the first of which is given, is within its squared distance."""
    size, count = s.STRUCTURES_PER_TEAM, np.int32(0)
    xs, ys = f[s.X + first : s.X + first + size], f[s.Y + first : s.Y + first + size]
    hp = f[s.HP + first : s.HP + first + size]
    for i in range(s.STRUCTURES_PER_TEAM):
        dx, dy = xs[i] - x, ys[i] - y
        reach2 = turret2 if i < s.CRYSTAL else crystal2
        count = np.int32(count + (1 if (dx * dx + dy * dy <= reach2) & (hp[i] > ZERO) else 0))
    return count > 0


@kernel
def _revealed(f: Row, k: Row, team: int, x: float, y: float) -> bool:
    """Whether a point lies in a circle that a team reveals now."""
    for i in range(team * s.REVEALS_PER_TEAM, (team + 1) * s.REVEALS_PER_TEAM):
        if k[s.REVEAL_UNTIL + i] > k[s.TICK]:
            dx, dy = f[s.REVEAL_X + i] - x, f[s.REVEAL_Y + i] - y
            if dx * dx + dy * dy <= f[s.REVEAL_RADIUS + i] * f[s.REVEAL_RADIUS + i]:
                return True
    return False


@kernel
def _seen_by_heroes(f: Row, k: Row, h: int, near2: float, sight2: float, stealthy: bool) -> bool:
    """Whether an enemy hero sees one that brush or stealth hides: from near, or from the same patch if not stealthy."""
    first = (1 - h // s.TEAM_SIZE) * s.TEAM_SIZE
    for v in range(first, first + s.TEAM_SIZE):
        dx, dy = f[s.X + v] - f[s.X + h], f[s.Y + v] - f[s.Y + h]
        d2 = dx * dx + dy * dy
        if f[s.HP + v] > ZERO and d2 <= sight2:
            if d2 <= near2 or (not stealthy and k[s.BRUSH + v] == k[s.BRUSH + h]):
                return True
    return False


@inlined
def hero_is_seen(f: Row, k: Row, t: Tables, h: int) -> bool:
    """Whether the other team sees a living hero now.

    In brush it is seen from the same patch, from within `near`, for a while after it attacked or cast, and by
    reveals; under stealth from within `near`, by reveals and by structures.

    Args:
        f: `[F_SIZE]` floats of the match.
        k: `[K_SIZE]` integers of the match; `BRUSH` is up to date.
        t: tables of the game.
        h: seat.

    Returns:
        True if it is seen.
    """
    tick, enemy = k[s.TICK], 1 - h // s.TEAM_SIZE
    x, y, p = f[s.X + h], f[s.Y + h], t.preset
    marked = k[s.REVEALED_UNTIL + h] > tick
    covered = k[s.BRUSH + h] > 0 and k[s.EXPOSED_UNTIL + h] <= tick and not marked
    stealthy = k[s.STEALTH_UNTIL + h] > tick and not marked
    near2 = p[tb.P_NEAR] * p[tb.P_NEAR]
    sight2 = p[tb.P_SIGHT_HERO] * p[tb.P_SIGHT_HERO]
    first = enemy * s.TEAM_SIZE
    if not covered and not stealthy:
        if count_near(f, first, s.TEAM_SIZE, x, y, sight2) > 0:
            return True
    elif _seen_by_heroes(f, k, h, near2, sight2, stealthy):
        return True
    turret = p[tb.P_NEAR] if covered else p[tb.P_SIGHT_TURRET]
    crystal = p[tb.P_NEAR] if covered else p[tb.P_SIGHT_CRYSTAL]
    first = s.STRUCTURE0 + enemy * s.STRUCTURES_PER_TEAM
    if _seen_by_structures(f, first, x, y, turret * turret, crystal * crystal):
        return True
    first = s.MINION0 + enemy * s.MINIONS_PER_TEAM
    reach = p[tb.P_NEAR] if covered or stealthy else p[tb.P_SIGHT_MINION]
    if count_near(f, first, s.MINIONS_PER_TEAM, x, y, reach * reach) > 0:
        return True
    first = s.SUMMON0 + enemy * s.SUMMONS_PER_TEAM
    reach = p[tb.P_NEAR] if covered or stealthy else p[tb.P_SIGHT_SUMMON]
    if count_near(f, first, s.SUMMONS_PER_TEAM, x, y, reach * reach) > 0:
        return True
    return _revealed(f, k, enemy, x, y)


@kernel
def _credit_first_sight(f: Row, k: Row, t: Tables, h: int) -> None:
    """Credits the nearest enemy hero within its sight with finding a hero that was long out of sight."""
    enemy = 1 - h // s.TEAM_SIZE
    best, best_d2 = -1, t.preset[tb.P_SIGHT_HERO] * t.preset[tb.P_SIGHT_HERO]
    for v in range(enemy * s.TEAM_SIZE, (enemy + 1) * s.TEAM_SIZE):
        dx, dy = f[s.X + v] - f[s.X + h], f[s.Y + v] - f[s.Y + h]
        d2 = dx * dx + dy * dy
        if f[s.HP + v] > ZERO and d2 <= best_d2 and (best < 0 or d2 < best_d2):
            best, best_d2 = v, d2
    if best >= 0:
        k[s.EV_FIRST_SIGHT + best] += 1


@kernel
def remember(f: Row, k: Row, t: Tables, h: int) -> None:
    """Writes all that the other team, which sees a hero now, will remember of it."""
    at = s.SEEN + h * s.SEEN_COLUMNS
    write_known(f, k, t, h, f[at : at + s.SEEN_COLUMNS], C_HP - C_X)
    f[at + SEEN_X], f[at + SEEN_Y] = f[s.X + h], f[s.Y + h]
    k[s.SEEN_TICK + h] = k[s.TICK]


@inlined
def know_heroes(f: Row, k: Row, t: Tables) -> None:
    """Writes `KNOWN` of all heroes, and `SEEN` of those in sight; part of the end of a decision.

    Args:
        f: `[F_SIZE]` floats of the match.
        k: `[K_SIZE]` integers of the match.
        t: tables of the game.
    """
    for h in range(s.NUM_HEROES):
        known = f[s.KNOWN + h * s.SEEN_COLUMNS : s.KNOWN + (h + 1) * s.SEEN_COLUMNS]
        write_known(f, k, t, h, known, C_HP - C_X)
        if k[s.VISIBLE + h] == 3:
            seen = f[s.SEEN + h * s.SEEN_COLUMNS : s.SEEN + (h + 1) * s.SEEN_COLUMNS]
            for j in range(s.SEEN_COLUMNS):
                seen[j] = known[j]
            seen[SEEN_X], seen[SEEN_Y] = f[s.X + h], f[s.Y + h]
            k[s.SEEN_TICK + h] = k[s.TICK]


@kernel
def update_vision(f: Row, k: Row, t: Tables) -> None:
    """Looks for every hero; the last step of those ticks that renew vision, the last of a decision always.

    Writes `BRUSH`, `VISIBLE` of heroes, `SEEN`, `SEEN_TICK` and `EV_FIRST_SIGHT`. While a hero stays in sight only its
    position, hp and shield are remembered each time, the rest when it comes into sight and at the end of each
    decision. A dead hero is seen by nobody but counts as known: everybody knows that it is dead.

    Args:
        f: `[F_SIZE]` floats of the match.
        k: `[K_SIZE]` integers of the match.
        t: tables of the game.
    """
    tick = k[s.TICK]
    for h in range(s.NUM_HEROES):
        if f[s.HP + h] > ZERO:
            k[s.BRUSH + h] = brush_at(t, f[s.X + h], f[s.Y + h])
        else:
            k[s.BRUSH + h] = 0
    for h in range(s.NUM_HEROES):
        team = h // s.TEAM_SIZE
        own, other = np.int32(1) << team, np.int32(2) >> team
        if f[s.HP + h] <= ZERO:
            k[s.VISIBLE + h] = own
            k[s.SEEN_TICK + h] = tick
        elif not hero_is_seen(f, k, t, h):
            k[s.VISIBLE + h] = own
        elif k[s.VISIBLE + h] & other == 0:
            if tick - k[s.SEEN_TICK + h] >= t.preset[tb.P_FIRST_SIGHT_TICKS]:
                _credit_first_sight(f, k, t, h)
            k[s.VISIBLE + h] = own | other
            remember(f, k, t, h)
        else:
            at = s.SEEN + h * s.SEEN_COLUMNS
            f[at + SEEN_X], f[at + SEEN_Y] = f[s.X + h], f[s.Y + h]
            f[at + SEEN_HP] = min(f[s.HP + h] / max(f[s.MAX_HP + h], ONE), ONE)
            f[at + SEEN_HP_ABSOLUTE] = min(f[s.HP + h] * PER_HP, ONE)
            shielded = k[s.SHIELD_UNTIL + h] > tick
            f[at + SEEN_SHIELD] = min(f[s.SHIELD + h] * PER_SHIELD, ONE) if shielded else ZERO
            k[s.SEEN_TICK + h] = tick


@kernel
def _light_minions(f: Row, first: int, x: Scalar, y: Scalar, reach2: Scalar, seen: Row) -> None:
    """Marks the minions of a team, from unit `first` on, within a squared distance of a point; no branches."""
    xs, ys = (
        f[s.X + first : s.X + first + s.MINIONS_PER_TEAM],
        f[s.Y + first : s.Y + first + s.MINIONS_PER_TEAM],
    )
    for i in range(s.MINIONS_PER_TEAM):
        dx, dy = xs[i] - x, ys[i] - y
        seen[i] = np.int32(seen[i] | (LIT if dx * dx + dy * dy <= reach2 else DARK))


@kernel
def _light_summons(f: Row, k: Row, x: Scalar, y: Scalar, reach2: Scalar, viewer: int) -> None:
    """Sets the viewer's bit of the other team's summons within a squared distance of a point."""
    first = s.SUMMON0 + (1 - viewer) * s.SUMMONS_PER_TEAM
    for u in range(first, first + s.SUMMONS_PER_TEAM):
        dx, dy = f[s.X + u] - x, f[s.Y + u] - y
        if dx * dx + dy * dy <= reach2:
            k[s.VISIBLE + u] = 3


@kernel
def _sight(t: Tables, v: int) -> Scalar:
    """How far a unit that is no monster sees."""
    if v < s.STRUCTURE0:
        return t.preset[tb.P_SIGHT_HERO]
    if v < s.SUMMON0:
        crystal = (v - s.STRUCTURE0) % s.STRUCTURES_PER_TEAM == s.CRYSTAL
        return t.preset[tb.P_SIGHT_CRYSTAL] if crystal else t.preset[tb.P_SIGHT_TURRET]
    return t.preset[tb.P_SIGHT_SUMMON] if v < s.MINION0 else t.preset[tb.P_SIGHT_MINION]


@kernel
def _look_around(
    f: Row, k: Row, t: Tables, first: int, last: int, minions: int, summons: bool, seen: Row
) -> None:
    """Lets the living units of a range look for the other team's minions, and for its summons if it has any."""
    viewer = team_of(first)
    for v in range(first, last):
        if f[s.HP + v] > ZERO:
            reach = _sight(t, v)
            _light_minions(f, minions, f[s.X + v], f[s.Y + v], reach * reach, seen)
            if summons:
                _light_summons(f, k, f[s.X + v], f[s.Y + v], reach * reach, viewer)


@kernel
def _has_summons(f: Row, team: int) -> bool:
    """Whether a team has a living summon."""
    first, count = s.HP + s.SUMMON0 + team * s.SUMMONS_PER_TEAM, 0
    hp = f[first : first + s.SUMMONS_PER_TEAM]
    for i in range(s.SUMMONS_PER_TEAM):
        count += 1 if hp[i] > ZERO else 0
    return count > 0


@kernel
def see_others(f: Row, k: Row, t: Tables, seen: Row) -> None:
    """Writes `VISIBLE` of structures, summons and minions; part of the end of a decision.

    Args:
        f: `[F_SIZE]` floats of the match.
        k: `[K_SIZE]` integers of the match.
        t: tables of the game.
        seen: `[36]` int32 scratch.
    """
    for u in range(s.STRUCTURE0, s.SUMMON0):
        k[s.VISIBLE + u] = 3
    for u in range(s.SUMMON0, s.MINION0):
        k[s.VISIBLE + u] = 1 if u < s.SUMMON0 + s.SUMMONS_PER_TEAM else 2
    for viewer in range(2):
        owner = 1 - viewer
        minions, summons = s.MINION0 + owner * s.MINIONS_PER_TEAM, _has_summons(f, owner)
        for i in range(s.MINIONS_PER_TEAM):
            seen[i] = 0
        for group in range(4):
            start, size = s.HERO0, s.TEAM_SIZE
            if group == 1:
                start, size = s.STRUCTURE0, s.STRUCTURES_PER_TEAM
            elif group == 2:
                start, size = s.SUMMON0, s.SUMMONS_PER_TEAM
            elif group == 3:
                start, size = s.MINION0, s.MINIONS_PER_TEAM
            first = start + viewer * size
            _look_around(f, k, t, first, first + size, minions, summons, seen)
        for i in range(viewer * s.REVEALS_PER_TEAM, (viewer + 1) * s.REVEALS_PER_TEAM):
            if k[s.REVEAL_UNTIL + i] > k[s.TICK]:
                reach = f[s.REVEAL_RADIUS + i]
                _light_minions(f, minions, f[s.REVEAL_X + i], f[s.REVEAL_Y + i], reach * reach, seen)
                _light_summons(f, k, f[s.REVEAL_X + i], f[s.REVEAL_Y + i], reach * reach, viewer)
        visible = k[s.VISIBLE + minions : s.VISIBLE + minions + s.MINIONS_PER_TEAM]
        for i in range(s.MINIONS_PER_TEAM):
            visible[i] = 3 if seen[i] > 0 else 1 << owner


@kernel
def reset_vision(f: Row, k: Row, t: Tables) -> None:
    """Starts a match's memory: everybody knows where the enemy heroes start and what they are.

    Args:
        f: `[F_SIZE]` floats of a match whose heroes stand at their spawns.
        k: `[K_SIZE]` integers of the match.
        t: tables of the game.
    """
    for h in range(s.NUM_HEROES):
        k[s.VISIBLE + h] = np.int32(1) << (h // s.TEAM_SIZE)
        k[s.BRUSH + h] = 0
        remember(f, k, t, h)
    update_vision(f, k, t)
