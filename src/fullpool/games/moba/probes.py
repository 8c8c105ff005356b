"""States of played matches, views of single matches, and hidden state scrambled: for tests, checks and benches."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fullpool.games.contract import EXTERNAL, BatchViews, Floats, Ints
from fullpool.games.moba import columns as c
from fullpool.games.moba import state as s
from fullpool.games.moba.bots import BOT_FIGHTER, BOT_LANER, BOT_RANDOM
from fullpool.games.moba.game import MobaGame
from fullpool.games.moba.image import IMAGE_SIZE
from fullpool.games.moba.masks import MASK_SIZE
from fullpool.games.moba.mirror import F_FIELDS, K_FIELDS
from fullpool.games.moba.observation import observe_match
from fullpool.games.moba.tables import Tables
from fullpool.games.moba.work import new_work

PUBLIC = {"HERO_ID", "RESPAWN_AT", "KILLS", "DEATHS", "ASSISTS", "SEEN", "SEEN_TICK", "VISIBLE"}
"""Fields of an enemy hero that its opponents know, or that hold what they know."""
DERIVED = ("ZONE", "CAST", "DOT", "REVEAL", "EV_", "SLOTS")
"""Beginnings of the names of fields that are not a hero's own."""
SIGHTED = {"X", "Y", "HP"}
"""Fields that they also know while they see it."""


class PlayedStates(NamedTuple):
    """States after decisions of played matches, with both teams set to external.

    Attributes:
        tables: of the preset and aim.
        f: `[n, F_SIZE]`.
        k: `[n, K_SIZE]`.
    """

    tables: Tables
    f: Floats
    k: Ints


@lru_cache(maxsize=8)
def play_states(
    preset: str,
    aim: Literal["manual", "assist"] = "assist",
    num_games: int = 6,
    every: int = 7,
    seed: int = 0,
) -> PlayedStates:
    """Plays matches between bots and keeps states from all their phases.

    Args:
        preset: name of the preset.
        aim: see `load_tables`.
        num_games: matches to play.
        every: decisions between two kept states.
        seed: of line-ups and matches.

    Returns:
        The states; do not write to them.
    """
    game = MobaGame(preset, num_games, aim=aim)
    generator, num_heroes = np.random.default_rng(seed), len(game.spec.heroes)
    lineups = np.stack([generator.permutation(num_heroes)[:10].reshape(2, 5) for _ in range(num_games)])
    pairings = [
        (BOT_FIGHTER, BOT_LANER),
        (BOT_LANER, BOT_RANDOM),
        (BOT_FIGHTER, BOT_FIGHTER),
        (BOT_RANDOM, BOT_RANDOM),
    ]
    seats = np.array([pairings[i % len(pairings)] for i in range(num_games)], np.int8)
    seeds = generator.integers(0, 2**62, num_games).astype(np.uint64)
    game.reset(np.arange(num_games, dtype=np.int32), lineups.astype(np.int16), seeds, seats)
    actions = np.zeros((num_games, 2, s.TEAM_SIZE, s.NUM_HEADS), np.int32)
    kept = [(game.f.copy(), game.k.copy())]
    for decision in range(1, game.spec.max_decisions):
        game.step(actions)
        if decision % every == 0:
            running = game.k[:, s.OVER] == 0
            kept.append((game.f[running], game.k[running]))
    floats, ints = (np.concatenate(part) for part in zip(*kept, strict=True))
    ints[:, s.BOT : s.BOT + 2] = EXTERNAL
    return PlayedStates(game.tables, floats, ints)


def view_match(f: Floats, k: Ints, tables: Tables, *, image: bool = False) -> BatchViews:
    """Observes one match into new arrays, filled with impossible values first; axes begin with the teams."""
    size = c.OBSERVATION_SIZE + (IMAGE_SIZE if image else 0)
    views = BatchViews(
        observation=np.full((2, s.TEAM_SIZE, size), np.nan, np.float32),
        hero_ids=np.full((2, s.TEAM_SIZE, s.NUM_HEROES), -9, np.int16),
        masks=np.full((2, s.TEAM_SIZE, MASK_SIZE), 9, np.uint8),
        target_rows=np.full((2, s.TEAM_SIZE, s.NUM_WHO), -9, np.int16),
        critic=np.full((2, c.CRITIC_SIZE), np.nan, np.float32),
        critic_hero_ids=np.full((2, s.NUM_HEROES), -9, np.int16),
    )
    observe_match(
        f,
        k,
        tables,
        new_work(),
        views.observation,
        views.hero_ids,
        views.masks,
        views.target_rows,
        views.critic,
        views.critic_hero_ids,
        False,
    )
    return views


def _noise(values: NDArray[Any], generator: np.random.Generator) -> NDArray[Any]:
    if values.dtype == np.float32:
        return generator.uniform(-30.0, 900.0, values.shape).astype(np.float32)
    return generator.integers(-1, 10, values.shape).astype(np.int32)


def scramble_hidden(f: Floats, k: Ints, team: int, generator: np.random.Generator) -> tuple[Floats, Ints]:
    """Replaces by noise everything that a team must not know.

    Enemy heroes keep what is public, and their place and hp while they are seen; enemy minions and summons out of
    sight change entirely, also from dead to alive; who of the team is seen by the enemy changes too.

    Args:
        f: `[F_SIZE]` floats of a match.
        k: `[K_SIZE]` integers of the match.
        team: who must not notice.
        generator: of the noise.

    Returns:
        New arrays.
    """
    f, k = f.copy(), k.copy()
    enemy = 1 - team
    seen = (k[s.VISIBLE : s.VISIBLE + s.NUM_UNITS] >> team) & 1 == 1
    units = np.arange(s.NUM_UNITS)
    summon = (units >= s.SUMMON0) & (units < s.MINION0) & ((units - s.SUMMON0) // s.SUMMONS_PER_TEAM == enemy)
    minion = (
        (units >= s.MINION0) & (units < s.MONSTER0) & ((units - s.MINION0) // s.MINIONS_PER_TEAM == enemy)
    )
    hidden = (summon | minion) & ~seen
    alive = f[s.HP : s.HP + s.NUM_HEROES] > 0
    for array, fields in ((f, F_FIELDS), (k, K_FIELDS)):
        for name, (at, size) in fields.items():
            field = array[at : at + size]
            if size == s.NUM_UNITS and name != "VISIBLE":
                field[hidden] = _noise(field[hidden], generator)
            if name in PUBLIC or size % s.NUM_HEROES or name.startswith(DERIVED):
                continue
            per_hero = field[: s.NUM_HEROES] if size == s.NUM_UNITS else field.reshape(s.NUM_HEROES, -1)
            for h in range(enemy * s.TEAM_SIZE, (enemy + 1) * s.TEAM_SIZE):
                if not (name in SIGHTED and seen[h]):
                    per_hero[h] = _noise(np.asarray(per_hero[h]), generator)
    heroes = slice(s.HP, s.HP + s.NUM_HEROES)
    f[heroes] = np.where(alive, np.maximum(np.abs(f[heroes]), 1), np.minimum(f[heroes], 0))
    own = slice(s.VISIBLE + team * s.TEAM_SIZE, s.VISIBLE + (team + 1) * s.TEAM_SIZE)
    k[own] = (1 << team) | (generator.integers(0, 2, s.TEAM_SIZE) << enemy)
    memory = f[s.SEEN : s.SEEN + s.NUM_HEROES * s.SEEN_COLUMNS].reshape(2, -1)
    memory[team] = _noise(memory[team], generator)
    k[s.SEEN_TICK + team * s.TEAM_SIZE : s.SEEN_TICK + (team + 1) * s.TEAM_SIZE] = 0
    return f, k
