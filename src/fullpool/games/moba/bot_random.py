"""The random bot: an evenly drawn legal action, where a move is kept up for four decisions."""

from __future__ import annotations

from fullpool.games.moba import state as s
from fullpool.games.moba.bot_common import (
    BOT_WORDS,
    MEMORY_DIR,
    MEMORY_MOVES,
    is_allowed,
    random_below,
    set_action,
)
from fullpool.games.moba.events import Row, i64
from fullpool.games.moba.masks import AT_DIR, AT_WHO
from fullpool.numerics.kernels import kernel

MOVE_PERSISTENCE = 4
"""Decisions for which a chosen move goes on, so that a random walk gets anywhere."""
PURPOSE_WHAT, PURPOSE_WHO, PURPOSE_DIR, PURPOSE_DIST = 201, 202, 203, 204


@kernel
def _draw(k: Row, h: int, purpose: int, legal: Row) -> int:
    """One of the legal choices, evenly; 0 if none is."""
    count = 0
    for i in range(legal.shape[0]):
        count += legal[i]
    if count == 0:
        return 0
    left = random_below(k, h, purpose, count)
    for i in range(legal.shape[0]):
        if legal[i]:
            if left == 0:
                return i
            left -= 1
    return 0


@kernel
def random_action(k: Row, h: int, legal: Row, out: Row) -> None:
    """Chooses a legal action for one hero.

    Args:
        k: `[K_SIZE]` integers of the match.
        h: seat.
        legal: its flat mask.
        out: `[4]` action, written.
    """
    memory = s.BOT_STATE + h * BOT_WORDS
    if k[memory + MEMORY_MOVES] > 0:
        k[memory + MEMORY_MOVES] -= 1
        kept = i64(k[memory + MEMORY_DIR])
        if is_allowed(legal, s.MOVE, 0, kept):
            set_action(out, s.MOVE, 0, kept, 0)
            return
    k[memory + MEMORY_MOVES] = 0
    what = _draw(k, h, PURPOSE_WHAT, legal[: s.NUM_WHAT])
    who, direction = 0, random_below(k, h, PURPOSE_DIR, s.NUM_DIR)
    if what == s.MOVE:
        direction = _draw(k, h, PURPOSE_DIR, legal[AT_DIR : AT_DIR + s.NUM_DIR])
        k[memory + MEMORY_MOVES] = MOVE_PERSISTENCE - 1
        k[memory + MEMORY_DIR] = direction
    elif s.ATTACK <= what <= s.SKILL3:
        first = AT_WHO + (what - s.ATTACK) * s.NUM_WHO
        who = _draw(k, h, PURPOSE_WHO, legal[first : first + s.NUM_WHO])
    set_action(out, what, who, direction, random_below(k, h, PURPOSE_DIST, s.NUM_DIST))
