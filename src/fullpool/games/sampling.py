"""Actions by a game's masks in plain numpy: which are legal, and drawing one evenly.

For checks, benches and doors to other libraries; a learner has its own, batched with its network.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fullpool.games.contract import ActionSpec, Bytes, Ints, Shorts


def head_masks(action: ActionSpec, mask: NDArray[Any]) -> list[NDArray[Any]]:
    """Cuts flat masks into one block a head.

    Args:
        action: the game's actions.
        mask: `[..., M]` flat masks.

    Returns:
        For each head a view `[..., rows, choices]`.
    """
    blocks, start = [], 0
    for rows, columns in action.mask_shapes:
        block = mask[..., start : start + rows * columns]
        blocks.append(block.reshape(*mask.shape[:-1], rows, columns))
        start += rows * columns
    return blocks


def is_legal_action(action: ActionSpec, hero: int, mask: Bytes, chosen: NDArray[Any]) -> bool:
    """Whether one agent's action is legal: each head that its button uses is allowed by the mask row it selects.

    Args:
        action: the game's actions.
        hero: the agent's hero id.
        mask: `[M]` the agent's flat mask.
        chosen: `[H]` the action.

    Returns:
        True if it is legal; heads that the button does not use may hold anything.
    """
    blocks = head_masks(action, mask)
    button = int(chosen[0])
    for head, block in enumerate(blocks):
        choice = int(chosen[head])
        if not action.uses[hero, button, head]:
            continue
        if not 0 <= choice < action.heads[head].size:
            return False
        row = int(action.mask_rows[head, button])
        if row >= 0 and not block[row, choice]:
            return False
    return True


def _draw(legal: NDArray[np.bool_], generator: np.random.Generator) -> Ints:
    """Draws a true column of every row evenly; 0 where none is true."""
    keys = np.where(legal, generator.random(legal.shape), -1.0)
    return np.asarray(keys.argmax(axis=-1), np.int32)


def sample_actions(
    action: ActionSpec, hero_ids: Shorts, masks: Bytes, generator: np.random.Generator
) -> Ints:
    """Draws a legal action for every agent: the button evenly, then every other head evenly among what it allows.

    Args:
        action: the game's actions.
        hero_ids: `[...]` hero of each agent.
        masks: `[..., M]` flat masks.
        generator: source of randomness.

    Returns:
        `[..., H]` actions; heads that the button does not use are 0.
    """
    blocks = head_masks(action, masks)
    button = _draw(blocks[0][..., 0, :].astype(np.bool_), generator)
    actions = np.zeros((*masks.shape[:-1], len(action.heads)), np.int32)
    actions[..., 0] = button
    for head in range(1, len(action.heads)):
        row = action.mask_rows[head, button]
        legal = np.broadcast_to((row < 0)[..., None], (*row.shape, action.heads[head].size))
        if blocks[head].shape[-2]:
            index = np.maximum(row, 0)[..., None, None]
            legal = legal | (np.take_along_axis(blocks[head], index, axis=-2)[..., 0, :] != 0)
        used = action.uses[hero_ids.astype(np.int64), button, head]
        actions[..., head] = np.where(used, _draw(legal, generator), 0)
    return actions
