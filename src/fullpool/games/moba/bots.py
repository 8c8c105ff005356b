"""The scripted bots: their numbers and names, and the one call that acts for a whole team.

They see what a policy sees (their team's vision), act through the same four heads, and are deterministic by the
match's seed. A new bot gets the next number here and one `<name>_action` kernel in a file of its own.
"""

from __future__ import annotations

import numpy as np

from fullpool.games.moba import state as s
from fullpool.games.moba.bot_common import VIEW_SIZE, set_action
from fullpool.games.moba.bot_fighter import fighter_action
from fullpool.games.moba.bot_laner import laner_action
from fullpool.games.moba.bot_random import random_action
from fullpool.games.moba.bot_view import look_around
from fullpool.games.moba.events import Row
from fullpool.games.moba.masks import MASK_SIZE, write_masks
from fullpool.games.moba.tables import Tables
from fullpool.numerics.kernels import kernel

BOT_NOOP, BOT_RANDOM, BOT_LANER, BOT_FIGHTER = range(4)
BOT_NAMES = ("noop", "random", "laner", "fighter")
"""Names of the bots; a bot's number is its place."""


@kernel
def bot_actions(f: Row, k: Row, t: Tables, bot: int, team: int, out: Row) -> None:
    """Chooses the actions of a team that a bot plays.

    Args:
        f: `[F_SIZE]` floats of the match.
        k: `[K_SIZE]` integers of the match; the bot writes only its own words of memory.
        t: tables of the game.
        bot: number of the bot.
        team: 0 or 1.
        out: `[5, 4]` int32 actions of the team's heroes, written; all legal.
    """
    view = np.zeros(VIEW_SIZE, np.float32)
    legal = np.empty(MASK_SIZE, np.uint8)
    distance2 = np.empty(s.NUM_WHO, np.float32)
    if bot >= BOT_LANER:
        look_around(f, k, t, team, view)
    for place in range(s.TEAM_SIZE):
        h = team * s.TEAM_SIZE + place
        row = out[place]
        set_action(row, s.NONE, 0, 0, 0)
        if f[s.HP + h] <= np.float32(0.0) or bot == BOT_NOOP:
            continue
        write_masks(f, k, t, h, distance2, legal)
        if bot == BOT_RANDOM:
            random_action(k, h, legal, row)
        elif bot == BOT_LANER:
            laner_action(f, k, t, h, legal, view, row)
        elif bot == BOT_FIGHTER:
            fighter_action(f, k, t, h, legal, view, row)
