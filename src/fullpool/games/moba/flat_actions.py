"""The MOBA's actions as one flat `Discrete(116)`, for libraries without masked factored actions (assisted aim).

0 none, 1-16 move in a direction, 17-40 attack a slot, 41-64, 65-88, 89-112 skills 1 to 3 at a slot, 113 heal,
114 recall, 115 ward. A skill without a target has the single choice "slot 0".
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fullpool.games.contract import ActionSpec, Bytes, Ints
from fullpool.games.moba.state import (
    ATTACK,
    HEAD_DIR,
    HEAD_WHAT,
    HEAD_WHO,
    HEAL,
    MOVE,
    NUM_DIR,
    NUM_HEADS,
    NUM_WHO,
    RECALL,
    SKILL3,
    WARD,
)
from fullpool.games.sampling import head_masks

FIRST_MOVE = 1
FIRST_TARGET = FIRST_MOVE + NUM_DIR
FIRST_PLAIN = FIRST_TARGET + (SKILL3 - ATTACK + 1) * NUM_WHO
NUM_FLAT = FIRST_PLAIN + 3


def _table() -> Ints:
    rows = np.zeros((NUM_FLAT, NUM_HEADS), np.int32)
    for direction in range(NUM_DIR):
        rows[FIRST_MOVE + direction, [HEAD_WHAT, HEAD_DIR]] = MOVE, direction
    for what in range(ATTACK, SKILL3 + 1):
        for slot in range(NUM_WHO):
            rows[FIRST_TARGET + (what - ATTACK) * NUM_WHO + slot, [HEAD_WHAT, HEAD_WHO]] = what, slot
    rows[FIRST_PLAIN:, HEAD_WHAT] = HEAL, RECALL, WARD
    return rows


FLAT_ACTIONS = _table()
"""`[116, 4]` factored action of every flat one."""


def flat_mask(action: ActionSpec, hero: int, mask: Bytes) -> NDArray[np.int8]:
    """Turns one agent's flat bytes into the mask of the flat action.

    Args:
        action: the MOBA's actions, with assisted aim.
        hero: the agent's hero id.
        mask: `[M]` the agent's mask.

    Returns:
        `[116]` int8; 1 is legal.
    """
    what_block, who_block, dir_block = head_masks(action, mask)[:3]
    legal = np.zeros(NUM_FLAT, np.int8)
    buttons = what_block[0]
    legal[0] = buttons[0]
    if buttons[MOVE]:
        legal[FIRST_MOVE:FIRST_TARGET] = dir_block[action.mask_rows[HEAD_DIR, MOVE]]
    for what in range(ATTACK, SKILL3 + 1):
        if not buttons[what]:
            continue
        first = FIRST_TARGET + (what - ATTACK) * NUM_WHO
        if action.uses[hero, what, HEAD_WHO]:
            legal[first : first + NUM_WHO] = who_block[action.mask_rows[HEAD_WHO, what]]
        else:
            legal[first] = 1
    legal[FIRST_PLAIN:] = buttons[[HEAL, RECALL, WARD]]
    return legal
