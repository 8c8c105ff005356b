from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fullpool.games.moba import state as s
from fullpool.games.moba import tables as tb
from fullpool.games.moba.game import MobaGame

Start = Callable[..., Any]


def violations(game: MobaGame) -> list[str]:
    """Everything that must hold at the end of every decision and does not."""
    f, k, tables = game.f, game.k, game.tables
    offsets = {"x": s.X, "y": s.Y, "hp": s.HP, "max": s.MAX_HP}
    units = {name: f[:, at : at + s.NUM_UNITS] for name, at in offsets.items()}
    alive = units["hp"] > 0
    tick = k[:, s.TICK, None]

    def hero(field: int) -> Any:
        return k[:, field : field + s.NUM_HEROES]

    def real(field: int) -> Any:
        return f[:, field : field + s.NUM_HEROES]

    column = np.clip(np.floor(units["x"]).astype(int) + tb.HALF_TILES, 0, tb.TILES - 1)
    row = np.clip(np.ceil(units["y"]).astype(int) + tb.HALF_TILES - 1, 0, tb.TILES - 1)
    half = tables.preset[tb.P_MAP_HALF]
    levels, steps = hero(s.LEVEL), hero(s.ITEM_STEP)
    needed = tables.level_xp[levels - 1]
    cooldowns = k[:, s.SKILL_READY : s.SKILL_READY + 30] - tick
    longest = tables.skill[hero(s.HERO_ID)][:, :, :, tb.SKILL_COOLDOWN_TICKS].reshape(-1, 30)
    rules = {
        "finite": np.isfinite(f).all(),
        "0 <= hp <= max hp": ((units["hp"] >= 0) & (units["hp"] <= units["max"] * (1 + 1e-6))).all(),
        "0 <= mana <= max mana": (
            (real(s.MANA) >= 0) & (real(s.MANA) <= real(s.MAX_MANA) * (1 + 1e-6))
        ).all(),
        "gold >= 0": (real(s.GOLD) >= 0).all(),
        "gold is spent as soon as it can be": (
            (steps == tb.NUM_ITEMS)
            | (real(s.GOLD) < tables.item[hero(s.HERO_ID), np.minimum(steps, 5), tb.ITEM_COST])
            | (k[:, s.OVER, None] == 1)
        ).all(),
        "level 1 to 12 and earned": ((levels >= 1) & (levels <= 12) & (real(s.XP) >= needed)).all(),
        "cooldowns end": (cooldowns <= longest).all(),
        "inside the map": (np.abs(np.where(alive, units["x"], 0)) <= half).all()
        and (np.abs(np.where(alive, units["y"], 0)) <= half).all(),
        "not in walls": ((tables.tile[row, column] & tb.WALL == 0) | ~alive).all(),
        "the dead wait": ((hero(s.RESPAWN_AT) > 0) == (units["hp"][:, : s.NUM_HEROES] <= 0)).all(),
        "shields hold nothing negative": (real(s.SHIELD) >= 0).all(),
        "targets exist": (k[:, s.TARGET : s.TARGET + s.NUM_UNITS] < s.NUM_UNITS).all(),
        "own units are seen": all(
            (k[:, s.VISIBLE + team * 5 : s.VISIBLE + team * 5 + 5] >> team & 1 == 1).all()
            for team in range(2)
        ),
        "one death a kill at most": (hero(s.KILLS).sum() <= hero(s.DEATHS).sum()),
    }
    return [name for name, holds in rules.items() if not holds]


@settings(
    max_examples=8,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    seed=st.integers(0, 10_000),
    preset=st.sampled_from(["blitz", "blitz", "mid3", "arena"]),
    aim=st.sampled_from(["manual", "assist"]),
    bots=st.sampled_from([(-1, -1), (-1, 3), (2, -1), (3, 2)]),
)
def test_invariants_hold_at_every_decision(
    table: Start, seed: int, preset: str, aim: str, bots: tuple[int, int]
) -> None:
    playing = table(preset, 6, seed=seed, bots=bots, aim=aim)
    for decision in range(playing.game.preset.cap):
        playing.play(1)
        assert violations(playing.game) == [], decision
    assert (playing.game.k[:, s.OVER] == 1).all()
    assert (playing.game.k[:, s.ILLEGAL : s.ILLEGAL + s.NUM_HEROES] == 0).all()
