"""A match set by hand: heroes put where one wants them, single orders, single ticks.

For tests of the rules, notebooks and questions such as "what does this skill do to that hero at level 8". Everybody
sees everybody, nobody dies for good, nothing comes by itself: no waves, no turrets' fire, no regeneration.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

import numpy as np

from fullpool.games.moba import events as e
from fullpool.games.moba import state as s
from fullpool.games.moba.attacks import hero_attacks
from fullpool.games.moba.casts import cast_orders
from fullpool.games.moba.economy import refresh_stats
from fullpool.games.moba.events import clear_events, new_events
from fullpool.games.moba.heroes import HeroPool
from fullpool.games.moba.movement import move_units
from fullpool.games.moba.presets import Preset
from fullpool.games.moba.resolve import resolve
from fullpool.games.moba.summons import tick_summons
from fullpool.games.moba.tables import Tables, load_tables
from fullpool.games.moba.zones import land_delayed, tick_zones_dots

DEFAULT_LINEUP = ("Bulwarden", "Emberhald", "Quickthorn", "Cindervane", "Longbarrow")
START_TICK = 100


@lru_cache(maxsize=16)
def _load(
    preset: str,
    heroes_file: Path | None,
    overrides: tuple[tuple[str, Any], ...],
    aim: Literal["manual", "assist"],
) -> tuple[Tables, HeroPool, Preset]:
    return load_tables(preset, heroes_file, dict(overrides), aim=aim)


class Scene:
    """One match under full control.

    Attributes:
        f: `[F_SIZE]` floats of the match.
        k: `[K_SIZE]` integers of the match.
        t: tables.
        ev: scratch; after `tick` it holds what happened in the last tick.
    """

    def __init__(
        self,
        team_a: Sequence[str] = (),
        team_b: Sequence[str] = (),
        *,
        preset: str = "arena",
        level: int = 8,
        items: int = 0,
        aim: Literal["manual", "assist"] = "manual",
        heroes_file: Path | None = None,
        overrides: dict[str, Any] | None = None,
    ) -> None:
        """Places two teams 40 units apart, everybody of a team 1.5 units from the next.

        Args:
            team_a: names of the first heroes of team A; the rest is filled up.
            team_b: the same for team B.
            preset: name of the preset.
            level: of all heroes.
            items: items of their builds that all heroes own.
            aim: see `load_tables`.
            heroes_file: see `load_tables`.
            overrides: see `load_tables`.
        """
        changes = tuple(sorted((overrides or {}).items()))
        tables, self.pool, self.preset = _load(preset, heroes_file, changes, aim)
        self.t = tables._replace(structure=np.zeros_like(tables.structure))
        self.f, self.k = np.zeros(s.F_SIZE, np.float32), np.zeros(s.K_SIZE, np.int32)
        self.ev = new_events()
        self.k[s.TICK] = START_TICK
        self.k[s.SEED : s.SEED + 4] = 11, 12, 13, 14
        self.k[s.TARGET : s.TARGET + s.NUM_UNITS] = -1
        self.k[s.OWNER : s.OWNER + s.NUM_UNITS] = -1
        self.k[s.VISIBLE : s.VISIBLE + s.NUM_UNITS] = 3
        for team, names in enumerate((team_a, team_b)):
            filler = [name for name in self.pool.names if name not in names]
            preferred = [name for name in DEFAULT_LINEUP if name in filler] + filler
            for place, name in enumerate([*names, *preferred][: s.TEAM_SIZE]):
                self._place(team, place, self.pool.names.index(name), level, items)

    def _place(self, team: int, place: int, hero: int, level: int, items: int) -> None:
        h = team * s.TEAM_SIZE + place
        self.k[s.HERO_ID + h], self.k[s.LEVEL + h], self.k[s.ITEM_STEP + h] = hero, level, items
        self.k[s.TYPE + h] = s.TYPE_HERO
        refresh_stats(self.f, self.k, self.t, h)
        self.f[s.HP + h] = self.f[s.MAX_HP + h]
        self.f[s.MANA + h] = self.f[s.MAX_MANA + h]
        along = -14.0 if team == 0 else 14.0
        self.put(h, along * 0.7 - 1.5 * (place - 2), along * 0.7 + 1.5 * (place - 2))
        self.k[s.ORDER_TARGET + h], self.k[s.RESET_SKILL + h] = -1, -1
        for field in (s.LAST_COMBAT, s.LAST_HERO_HIT, s.LAST_HURT, s.SEEN_TICK, s.HEALED_AT):
            self.k[field + h] = s.NEVER
        for field in (s.DAMAGED_AT, s.HELPED_AT):
            self.k[field + h * s.TEAM_SIZE : field + (h + 1) * s.TEAM_SIZE] = s.NEVER

    def put(self, u: int, x: float, y: float) -> None:
        """Puts a unit somewhere, standing still."""
        self.f[s.X + u], self.f[s.Y + u] = x, y
        if u < s.NUM_HEROES:
            self.f[s.LAST_X + u], self.f[s.LAST_Y + u] = x, y

    def add_minion(self, team: int, index: int, x: float, y: float, hp: float = 200.0) -> int:
        """Puts a melee minion that does nothing somewhere; returns its unit number."""
        u = s.MINION0 + team * s.MINIONS_PER_TEAM + index
        self.k[s.TYPE + u] = s.TYPE_MELEE
        self.f[s.HP + u], self.f[s.MAX_HP + u] = hp, hp
        self.put(u, x, y)
        return u

    def add_structure(self, team: int, index: int, x: float, y: float, hp: float = 1000.0) -> int:
        """Puts a turret somewhere that does not shoot; returns its unit number."""
        u = s.STRUCTURE0 + team * s.STRUCTURES_PER_TEAM + index
        self.k[s.TYPE + u] = s.TYPE_CRYSTAL if index == s.CRYSTAL else s.TYPE_TURRET
        self.t.structure[u - s.STRUCTURE0] = x, y, hp, 0.0
        self.f[s.HP + u], self.f[s.MAX_HP + u] = hp, hp
        self.put(u, x, y)
        return u

    def order(self, h: int, what: int, target: int = -1, direction: int = 0, dist: int = 3) -> None:
        """Orders a hero to do something, in directions of the map; legality is not checked."""
        self.k[s.ORDER + h], self.k[s.ORDER_TARGET + h] = what, target
        self.k[s.ORDER_DIR + h], self.k[s.ORDER_DIST + h] = direction, dist
        self.f[s.ORDER_X + h], self.f[s.ORDER_Y + h] = self.t.direction[direction]

    def tick(self, count: int = 1) -> None:
        """Plays ticks: movement, casts and attacks of heroes and summons, and their resolution."""
        f, k, t, ev = self.f, self.k, self.t, self.ev
        for _ in range(count):
            clear_events(ev)
            move_units(f, k, t)
            cast_orders(f, k, t, ev)
            land_delayed(f, k, t, ev)
            hero_attacks(f, k, t, ev)
            tick_summons(f, k, t, ev)
            tick_zones_dots(f, k, t, ev)
            resolve(f, k, t, ev)
            k[s.TICK] += 1

    def cast(self, h: int, skill: int, target: int = -1, direction: int = 0, dist: int = 3) -> None:
        """Orders skill 0, 1 or 2 and plays the tick in which it is cast."""
        self.order(h, s.SKILL1 + skill, target, direction, dist)
        self.tick()

    def left(self, field: int, u: int) -> int:
        """Ticks for which a status still holds, 0: it does not."""
        return max(int(self.k[field + u] - self.k[s.TICK]), 0)

    def damage(self, u: int) -> float:
        """Damage that a unit took in the last tick, before shields."""
        return float(self.ev.damage[u])

    def dropped(self) -> int:
        """Events of the last tick that found no room."""
        return int(self.ev.k[e.NUM_DROPPED])
