"""Masked factored categorical distributions whose first head decides masks and use of the others.

Heads are padded to one size: logits and masks are `[B, H, A]` with `H` heads of at most `A` choices, so that one
kernel serves all heads; padding is never legal. Log-probabilities are float32. What a choice of head 0 selects is
looked up in `FactoredTables`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

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


def mask_logits(logits: Tensor, legal: Tensor) -> Tensor:
    """Gives illegal choices the logit `ILLEGAL`.

    Args:
        logits: `[..., A]`.
        legal: `[..., A]` bool; at least one a row, else the row is uniform.

    Returns:
        `[..., A]` float32.
    """
    return logits.float().masked_fill(~legal, ILLEGAL)


def masked_log_probs(logits: Tensor, legal: Tensor) -> Tensor:
    """Log-softmax over the legal choices, in float32.

    Args:
        logits: `[..., A]`.
        legal: `[..., A]` bool; at least one a row.

    Returns:
        `[..., A]` float32; about `ILLEGAL` where not legal.
    """
    return torch.log_softmax(mask_logits(logits, legal), dim=-1)


def masked_probabilities(logits: Tensor, legal: Tensor) -> Tensor:
    """Softmax over the legal choices, in float32.

    Not `masked_log_probs(...).exp()`: exponentials that underflow take a path seven times as slow on the CPU.

    Args:
        logits: `[..., A]`.
        legal: `[..., A]` bool; at least one a row.

    Returns:
        `[..., A]` float32; exactly 0 where not legal.
    """
    return torch.softmax(mask_logits(logits, legal), dim=-1)


class ChoiceStatistics(torch.autograd.Function):
    """Log-probability of a choice and entropy of its row, with both gradients in one pass over the logits."""

    @staticmethod
    def forward(ctx: Any, masked: Tensor, choices: Tensor) -> tuple[Tensor, Tensor]:
        """Takes masked logits `[..., A]` and choices `[...]`; returns log-probabilities and entropies `[...]`."""
        log_probs = torch.log_softmax(masked, dim=-1)
        probabilities = torch.softmax(masked, dim=-1)
        index = choices.unsqueeze(-1)
        entropy = -(probabilities * log_probs).sum(dim=-1)
        ctx.save_for_backward(probabilities, log_probs, index, entropy)
        return torch.gather(log_probs, -1, index).squeeze(-1), entropy

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None]:
        """Applies d log p(c) = 1[c] - p and d H = -p (log p + H)."""
        probabilities, log_probs, index, entropy = ctx.saved_tensors
        of_choice, of_entropy = (gradient.unsqueeze(-1) for gradient in gradients)
        slope = log_probs.add(entropy.unsqueeze(-1)).mul_(of_entropy).add_(of_choice)
        result = slope.mul_(probabilities).neg_()
        return result.scatter_add_(-1, index, of_choice), None


def choice_statistics(logits: Tensor, legal: Tensor, choices: Tensor) -> tuple[Tensor, Tensor]:
    """Log-probabilities of choices and entropies of their rows, with gradients.

    Args:
        logits: `[..., A]`.
        legal: `[..., A]` bool.
        choices: `[...]` int64, legal.

    Returns:
        Two `[...]` float32 arrays, in nats.
    """
    log_probs, entropy = ChoiceStatistics.apply(  # type: ignore[no-untyped-call]
        mask_logits(logits, legal), choices
    )
    return log_probs, entropy


def choice_log_probs(log_probs: Tensor, choices: Tensor) -> Tensor:
    """Picks the log-probability of each head's choice.

    Args:
        log_probs: `[B, H, A]`.
        choices: `[B, H]` int64.

    Returns:
        `[B, H]`.
    """
    return torch.gather(log_probs, -1, choices.unsqueeze(-1)).squeeze(-1)


def sample_choices(probabilities: Tensor, generator: torch.Generator) -> Tensor:
    """Draws one choice a row by inverting the cumulative distribution.

    Args:
        probabilities: `[..., A]` float32, not negative; they need not sum to 1.
        generator: source of the uniform numbers, one a row.

    Returns:
        `[...]` int64; always a choice of positive probability.
    """
    cumulative = probabilities.cumsum(dim=-1)
    uniform = torch.rand(probabilities.shape[:-1], generator=generator, device=probabilities.device)
    # Scaled below the total, so that rounding cannot pass the last choice of positive probability.
    threshold = uniform.mul_(1.0 - 2.0**-20).unsqueeze(-1) * cumulative[..., -1:]
    return (cumulative <= threshold).sum(dim=-1)


def greedy_choices(probabilities: Tensor) -> Tensor:
    """Takes the most probable choice of each row: `[..., A]` to `[...]` int64."""
    return probabilities.argmax(dim=-1)
