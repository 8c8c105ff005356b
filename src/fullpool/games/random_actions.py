"""Legal random actions drawn inside a kernel: what a bench plays with, at next to no cost of its own."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fullpool.games.contract import ActionSpec, Bytes, Ints, Shorts
from fullpool.numerics.hashing import hash_u32
from fullpool.numerics.kernels import kernel


@kernel
def _pick(legal: NDArray[Any], draw: Any) -> int:
    """The legal choice that a random number falls on, evenly; 0 if none is legal."""
    count = 0
    for i in range(legal.shape[0]):
        count += legal[i]
    left = draw % max(count, 1)
    for i in range(legal.shape[0]):
        if legal[i]:
            if left == 0:
                return i
            left -= 1
    return 0


@kernel
def _fill(
    masks: NDArray[Any],
    heroes: NDArray[Any],
    uses: NDArray[Any],
    rows: NDArray[Any],
    starts: NDArray[Any],
    sizes: NDArray[Any],
    seed: int,
    step: int,
    out: NDArray[Any],
) -> None:
    for agent in range(masks.shape[0]):
        mask = masks[agent]
        button = _pick(mask[: sizes[0]], np.int64(hash_u32(seed, agent, step, 0)))
        out[agent, 0] = button
        for head in range(1, sizes.shape[0]):
            out[agent, head] = 0
            if not uses[heroes[agent], button, head]:
                continue
            draw, row = np.int64(hash_u32(seed, agent, step, head)), rows[head, button]
            if row < 0:
                out[agent, head] = draw % sizes[head]
            else:
                first = starts[head] + row * sizes[head]
                out[agent, head] = _pick(mask[first : first + sizes[head]], draw)


class RandomActions:
    """Draws legal actions for a whole batch from its masks."""

    def __init__(self, action: ActionSpec, seed: int) -> None:
        """Lays out the masks; `seed` in [0, 2**31) makes the draws."""
        self._uses, self._rows, self._seed = action.uses, action.mask_rows, seed
        counts = [rows * columns for rows, columns in action.mask_shapes]
        self._starts = np.concatenate([[0], np.cumsum(counts)[:-1]]).astype(np.int64)
        self._sizes = np.array([head.size for head in action.heads], np.int64)

    def write(self, masks: Bytes, heroes: Shorts, step: int, out: Ints) -> None:
        """Draws one action an agent: the button evenly, then every head that it uses.

        Args:
            masks: `[..., M]` flat masks.
            heroes: `[...]` hero of each agent.
            step: number of the decision, so that draws differ.
            out: `[..., H]` actions, written.
        """
        flat_masks, flat_out = masks.reshape(-1, masks.shape[-1]), out.reshape(-1, out.shape[-1])
        ids = heroes.reshape(-1)
        _fill(flat_masks, ids, self._uses, self._rows, self._starts, self._sizes, self._seed, step, flat_out)
