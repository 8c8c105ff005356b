"""Masked factored categorical distributions whose first head decides masks and use of the others.

Heads are padded to one size: logits and masks are `[B, H, A]` with `H` heads of at most `A` choices, so that one
kernel serves all heads; padding is never legal. Log-probabilities are float32. What a choice of head 0 selects is
looked up in `FactoredTables`.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

ILLEGAL = -1e9
"""Logit of an illegal choice: its probability is exactly 0 and its gradients are finite, unlike with -inf."""


class FactoredTables(NamedTuple):
    """Look-up tables of a factored action.

    A flat mask of `M` bytes is extended by one byte that is always 1 (index M) and one that is always 0 (M + 1).
    A *variant* is one mask row that a head can have: heads 1 and up, each distinct row once.

    Attributes:
        mask_index: `[A0, H * A]` int64; where in the extended flat mask each choice's legality lies.
        uses: `[heroes, A0, H]` bool.
        variant_heads: `[V]` int64; head of each variant.
        variant_index: `[V * A]` int64; as `mask_index`.
        variant_uses: `[heroes, A0, V]` float32; 1 where choice `a` of head 0 uses the head with this mask row.
        num_heads: H.
        num_choices: A.
    """

    mask_index: Tensor
    uses: Tensor
    variant_heads: Tensor
    variant_index: Tensor
    variant_uses: Tensor
    num_heads: int
    num_choices: int


def extend_masks(masks: Tensor) -> Tensor:
    """Appends the bytes that are always 1 and always 0.

    Args:
        masks: `[B, M]` uint8.

    Returns:
        `[B, M + 2]` uint8.
    """
    extended = masks.new_zeros((*masks.shape[:-1], masks.shape[-1] + 2))
    extended[..., :-2] = masks
    extended[..., -2] = 1
    return extended


def legal_choices(extended: Tensor, first: Tensor, tables: FactoredTables) -> Tensor:
    """Finds the legal choices of every head when head 0 has chosen.

    Args:
        extended: `[B, M + 2]` uint8 from `extend_masks`.
        first: `[B]` int64 choice of head 0.
        tables: the action's tables.

    Returns:
        `[B, H, A]` bool.
    """
    legal = torch.gather(extended, -1, tables.mask_index[first])
    return legal.view(*first.shape, tables.num_heads, tables.num_choices).bool()


def used_heads(heroes: Tensor, first: Tensor, tables: FactoredTables) -> Tensor:
    """Looks up which heads count.

    Args:
        heroes: `[B]` int64 hero ids of the deciding agents.
        first: `[B]` int64 choice of head 0.
        tables: the action's tables.

    Returns:
        `[B, H]` bool.
    """
    return tables.uses[heroes, first]


def masked_log_probs(logits: Tensor, legal: Tensor) -> Tensor:
    """Log-softmax over the legal choices, in float32.

    Args:
        logits: `[..., A]`.
        legal: `[..., A]` bool; at least one a row.

    Returns:
        `[..., A]` float32; about `ILLEGAL` where not legal.
    """
    return torch.log_softmax(logits.float().masked_fill(~legal, ILLEGAL), dim=-1)


def choice_log_probs(log_probs: Tensor, choices: Tensor) -> Tensor:
    """Picks the log-probability of each head's choice.

    Args:
        log_probs: `[B, H, A]`.
        choices: `[B, H]` int64.

    Returns:
        `[B, H]`.
    """
    return torch.gather(log_probs, -1, choices.unsqueeze(-1)).squeeze(-1)


def entropies(log_probs: Tensor) -> Tensor:
    """Entropy of each row of log-probabilities, in nats.

    Args:
        log_probs: `[..., A]` from `masked_log_probs`.

    Returns:
        `[...]`.
    """
    return -(log_probs.exp() * log_probs).sum(dim=-1)


def sample_choices(log_probs: Tensor, generator: torch.Generator) -> Tensor:
    """Draws one choice a row by inverting the cumulative distribution.

    Args:
        log_probs: `[..., A]` float32.
        generator: source of the uniform numbers, one a row.

    Returns:
        `[...]` int64; always a choice of positive probability.
    """
    cumulative = log_probs.exp().cumsum(dim=-1)
    uniform = torch.rand(log_probs.shape[:-1], generator=generator, device=log_probs.device)
    # Scaled below the total, so that rounding cannot pass the last choice of positive probability.
    threshold = uniform.mul_(1.0 - 2.0**-20).unsqueeze(-1) * cumulative[..., -1:]
    return (cumulative <= threshold).sum(dim=-1)


def greedy_choices(log_probs: Tensor) -> Tensor:
    """Takes the most probable choice of each row: `[..., A]` to `[...]` int64."""
    return log_probs.argmax(dim=-1)
