"""Look-up tables of a factored action, built once from its spec."""

from __future__ import annotations

import numpy as np
import torch

from fullpool.games.contract import ActionSpec
from fullpool.numerics.distributions import FactoredTables


def build_tables(action: ActionSpec) -> FactoredTables:
    """Builds the tables that `numerics.distributions` reads.

    Args:
        action: heads, mask rows and use of a factored action.

    Returns:
        Tables on the CPU.

    Raises:
        ValueError: if the spec's arrays do not fit its heads.
    """
    sizes = [head.size for head in action.heads]
    num_heads, num_first, width = len(sizes), sizes[0], max(sizes)
    if action.uses.shape[1:] != (num_first, num_heads):
        raise ValueError(f"uses must be [heroes, {num_first}, {num_heads}], got {action.uses.shape}")
    if action.mask_rows.shape != (num_heads, num_first):
        raise ValueError(f"mask_rows must be [{num_heads}, {num_first}], got {action.mask_rows.shape}")
    offsets = np.cumsum([0, *(rows * columns for rows, columns in action.mask_shapes)])
    always, never = action.mask_size, action.mask_size + 1

    def row_index(head: int, row: int) -> np.ndarray:
        """Where the choices of one head lie in the extended mask when this row holds."""
        index = np.full(width, never, np.int64)
        start = offsets[head] + row * sizes[head]
        index[: sizes[head]] = always if row < 0 else np.arange(start, start + sizes[head])
        return index

    mask_index = np.stack(
        [
            np.stack([row_index(h, 0 if h == 0 else int(action.mask_rows[h, a])) for h in range(num_heads)])
            for a in range(num_first)
        ]
    )
    variants = [
        (head, row)
        for head in range(1, num_heads)
        for row in sorted({int(row) for row in action.mask_rows[head]})
    ]
    variant_uses = np.zeros((action.uses.shape[0], num_first, len(variants)), np.float32)
    for v, (head, row) in enumerate(variants):
        variant_uses[:, :, v] = action.uses[:, :, head] & (action.mask_rows[head] == row)
    index = np.array([row_index(head, row) for head, row in variants], np.int64)
    return FactoredTables(
        mask_index=torch.from_numpy(mask_index.reshape(num_first, num_heads * width)),
        uses=torch.from_numpy(np.ascontiguousarray(action.uses)),
        variant_heads=torch.tensor([head for head, _ in variants], dtype=torch.int64),
        variant_index=torch.from_numpy(index.reshape(-1)),
        variant_uses=torch.from_numpy(variant_uses),
        num_heads=num_heads,
        num_choices=width,
    )
