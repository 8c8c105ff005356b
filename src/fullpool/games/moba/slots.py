"""The 24 slots of the Who head: which unit each one means for each hero, fixed at the end of every decision.

Slots: 0 self, 1-4 allies, 5-9 enemy heroes in draft order, 10-15 the nearest visible enemy minions, 16 the nearest
enemy turret, 17 the enemy crystal, 18-21 neutral monsters (none in the presets there are), 22-23 the nearest visible
enemy summons.
"""

from __future__ import annotations

import numpy as np

from fullpool.games.moba import state as s
from fullpool.games.moba.events import Row
from fullpool.games.moba.nearby import (
    KEYS,
    LISTED,
    NO_ONE,
    Nearby,
    list_minions,
    nearest_summons,
    take_nearest,
)
from fullpool.games.moba.tables import Tables
from fullpool.games.moba.vision import know_heroes, see_others
from fullpool.numerics.kernels import inlined, kernel

ZERO = np.float32(0.0)
FAR = np.float32(1.0e9)


@kernel
def _nearest_turret(f: Row, h: int) -> int:
    """The nearest standing enemy turret, `NO_ONE` if there is none."""
    first = s.STRUCTURE0 + (1 - h // s.TEAM_SIZE) * s.STRUCTURES_PER_TEAM
    best, best_d2 = NO_ONE, FAR
    for u in range(first, first + s.CRYSTAL):
        dx, dy = f[s.X + u] - f[s.X + h], f[s.Y + u] - f[s.Y + h]
        d2 = dx * dx + dy * dy
        if f[s.HP + u] > ZERO and d2 < best_d2:
            best, best_d2 = u, d2
    return best


@kernel
def fill_hero_slots(k: Row, h: int) -> None:
    """Writes the slots of heroes of one hero, when a match begins: they never change."""
    at = s.SLOTS + h * s.NUM_WHO
    own = h // s.TEAM_SIZE * s.TEAM_SIZE
    enemy = s.TEAM_SIZE - own
    k[at] = h
    for i in range(s.TEAM_SIZE - 1):
        ally = own + i if own + i < h else own + i + 1
        k[at + s.SLOT_ALLY + i] = ally if k[s.HERO_ID + ally] >= 0 else NO_ONE
    for i in range(s.TEAM_SIZE):
        k[at + s.SLOT_ENEMY + i] = enemy + i if k[s.HERO_ID + enemy + i] >= 0 else NO_ONE


@kernel
def refresh_slots(f: Row, k: Row, t: Tables) -> None:
    """Ends a decision: looks for minions and summons, remembers the heroes in sight, and writes the slots that change.

    Call it after the last tick of a decision and after a reset.

    Args:
        f: `[F_SIZE]` floats of the match.
        k: `[K_SIZE]` integers of the match.
        t: tables of the game.
    """
    near = Nearby(np.empty((4, LISTED), np.float32), np.empty((3, LISTED), np.int32))
    see_others(f, k, t, near.number[KEYS])
    know_heroes(f, k, t)
    for team in range(2):
        count = list_minions(f, k, 1 - team, team, near)
        for h in range(team * s.TEAM_SIZE, (team + 1) * s.TEAM_SIZE):
            _fill_slots(f, k, h, count, near)


@inlined
def _fill_slots(f: Row, k: Row, h: int, count: int, near: Nearby) -> None:
    """Writes the slots of one hero but for those of heroes; `count` enemy minions are listed."""
    team, x, y, at = h // s.TEAM_SIZE, f[s.X + h], f[s.Y + h], s.SLOTS + h * s.NUM_WHO
    take_nearest(near, 1 - team, count, x, y, s.SLOT_TURRET - s.SLOT_MINION, k, at + s.SLOT_MINION)
    k[at + s.SLOT_TURRET] = _nearest_turret(f, h)
    crystal = s.STRUCTURE0 + (1 - team) * s.STRUCTURES_PER_TEAM + s.CRYSTAL
    k[at + s.SLOT_CRYSTAL] = crystal if f[s.HP + crystal] > ZERO else NO_ONE
    for i in range(s.SLOT_MONSTER, s.SLOT_SUMMON):
        k[at + i] = NO_ONE
    places, key = s.NUM_WHO - s.SLOT_SUMMON, near.number[KEYS]
    nearest_summons(f, k, 1 - team, team, x, y, places, key, k, at + s.SLOT_SUMMON)
