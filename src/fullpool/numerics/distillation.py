"""Loss of multi-teacher policy distillation.

Ye et al. 2020 (https://arxiv.org/abs/2011.12692), eq. 3: cross-entropy of the student's policy under the teacher's
plus squared differences of the values, on states that the student visits.
"""

from __future__ import annotations

import torch
from torch import Tensor

from fullpool.numerics.distributions import (
    FactoredTables,
    legal_choices,
    masked_log_probs,
    masked_probabilities,
    used_heads,
)


def cross_entropy(teacher_probabilities: Tensor, student_log_probs: Tensor) -> Tensor:
    """Cross-entropy of each row, `-sum_a teacher(a) log student(a)`.

    Args:
        teacher_probabilities: `[..., A]`, exactly 0 for illegal choices.
        student_log_probs: `[..., A]`, the same choices legal.

    Returns:
        `[...]` in nats.
    """
    return -(teacher_probabilities * student_log_probs).sum(dim=-1)


def exact_cross_entropy(
    teacher_logits: Tensor,
    student_logits: Tensor,
    extended_masks: Tensor,
    heroes: Tensor,
    tables: FactoredTables,
) -> Tensor:
    """Cross-entropy over the whole factored action.

    `H(What) + sum_a teacher(What = a) * sum of H(head | a)` over the heads that `a` uses. The logits of the other
    heads do not depend on What but their masks do, so each head is normalised once a distinct mask row (variant).

    Args:
        teacher_logits: `[B, H, A]`.
        student_logits: `[B, H, A]`.
        extended_masks: `[B, M + 2]` uint8 from `distributions.extend_masks`.
        heroes: `[B]` int64 hero ids.
        tables: the action's tables.

    Returns:
        `[B]` in nats.
    """
    first = torch.zeros_like(heroes)
    legal_first = legal_choices(extended_masks, first, tables)[:, 0]
    teacher_first = masked_probabilities(teacher_logits[:, 0], legal_first)
    total = cross_entropy(teacher_first, masked_log_probs(student_logits[:, 0], legal_first))
    variants = tables.variant_heads.shape[0]
    if variants == 0:
        return total
    index = tables.variant_index.expand(heroes.shape[0], -1)
    legal = torch.gather(extended_masks, -1, index).view(-1, variants, tables.num_choices).bool()
    teacher = masked_probabilities(teacher_logits[:, tables.variant_heads], legal)
    student = masked_log_probs(student_logits[:, tables.variant_heads], legal)
    num_first = tables.variant_uses.shape[1]
    weights = torch.bmm(teacher_first[:, None, :num_first], tables.variant_uses[heroes]).squeeze(1)
    # A row that no legal button selects may have no legal entry: its weight is 0 and its entropy still finite.
    return total + (weights * cross_entropy(teacher, student)).sum(dim=-1)


def sampled_cross_entropy(
    teacher_logits: Tensor,
    student_logits: Tensor,
    extended_masks: Tensor,
    heroes: Tensor,
    first: Tensor,
    tables: FactoredTables,
) -> Tensor:
    """Cross-entropy at one choice of What, the cheaper estimate.

    Args:
        teacher_logits: `[B, H, A]`.
        student_logits: `[B, H, A]`.
        extended_masks: `[B, M + 2]` uint8.
        heroes: `[B]` int64 hero ids.
        first: `[B]` int64 What that was played.
        tables: the action's tables.

    Returns:
        `[B]` in nats: of What, and of the other heads that the played What uses.
    """
    legal = legal_choices(extended_masks, first, tables)
    rows = cross_entropy(masked_probabilities(teacher_logits, legal), masked_log_probs(student_logits, legal))
    return (rows * used_heads(heroes, first, tables).to(rows.dtype)).sum(dim=-1)


def value_distance(teacher_values: Tensor, student_values: Tensor, scales: Tensor) -> Tensor:
    """Squared distance of the value heads, `sum_k (V_teacher_k - V_student_k)^2`, in units of each head's scale.

    Args:
        teacher_values: `[B, K]` de-normalised.
        student_values: `[B, K]` de-normalised.
        scales: `[K]` standard deviation of each head's returns, so that no head drowns the others.

    Returns:
        `[B]`.
    """
    return ((teacher_values - student_values) / scales).square().sum(dim=-1)
