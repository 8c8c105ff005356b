"""Losses of dual-clip PPO over factored actions and several value heads.

Ye et al. 2020, "Towards Playing Full MOBA Games with Deep Reinforcement Learning"
(https://arxiv.org/abs/2011.12692), eq. 1 (policy) and eq. 2 (value). Everything is per sample: `[B]` for any
leading axes, `H` action heads, `K` value heads. Callers sum and divide, since shards share a denominator.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import torch
from torch import Tensor

RatioMode = Literal["per_head", "joint"]
AdvantageMode = Literal["weighted_sum", "mean"]


class PolicyTerms(NamedTuple):
    """What one batch of decisions says about the policy.

    Attributes:
        objective: `[B]` to be maximised.
        kl: `[B]` estimate of the divergence of the policy from the behaviour policy, summed over used heads.
        clipped: `[B]` share of ratios (used heads, or the joint one) that left the clip range.
    """

    objective: Tensor
    kl: Tensor
    clipped: Tensor


def dual_clip_surrogate(
    ratios: Tensor, advantages: Tensor, *, clip_ratio: float, dual_clip: float | None
) -> Tensor:
    """Computes the dual-clip objective of each ratio.

    Ye et al. 2020, eq. 1, for A < 0: `max(min(r A, clip(r, 1 - eps, 1 + eps) A), c A)`. For A >= 0 it is plain PPO
    (Schulman et al. 2017, eq. 7): read literally, eq. 1 would return `c A` without a gradient there.

    Args:
        ratios: `[...]` probability ratios, above 0.
        advantages: `[...]` broadcastable to the ratios.
        clip_ratio: epsilon in (0, 1).
        dual_clip: c, above 1; None leaves the second clip out.

    Returns:
        `[...]` objective to be maximised.
    """
    clipped = ratios.clamp(1.0 - clip_ratio, 1.0 + clip_ratio)
    surrogate = torch.minimum(ratios * advantages, clipped * advantages)
    if dual_clip is None:
        return surrogate
    return torch.where(advantages < 0, torch.maximum(surrogate, dual_clip * advantages), surrogate)


def policy_terms(
    log_probs: Tensor,
    behaviour_log_probs: Tensor,
    used: Tensor,
    advantages: Tensor,
    *,
    clip_ratio: float,
    dual_clip: float | None,
    ratio: RatioMode,
) -> PolicyTerms:
    """Computes the PPO objective of factored actions.

    With `per_head` every used head has its own ratio, clip and dual clip and the objective is their sum; with
    `joint` the ratio is the product over the used heads. Heads that the chosen button does not use do not count.

    Args:
        log_probs: `[B, H]` log-probability of each head's choice under the policy being trained.
        behaviour_log_probs: `[B, H]` the same under the policy that acted.
        used: `[B, H]` bool; heads that count.
        advantages: `[B]`.
        clip_ratio: epsilon in (0, 1).
        dual_clip: c, above 1, or None.
        ratio: `per_head` or `joint`.

    Returns:
        The objective and its diagnostics.
    """
    weights = used.to(log_probs.dtype)
    log_ratios = (log_probs - behaviour_log_probs) * weights
    if ratio == "joint":
        log_ratios = log_ratios.sum(dim=-1, keepdim=True)
        weights = torch.ones_like(log_ratios)
    ratios = log_ratios.exp()
    surrogate = dual_clip_surrogate(
        ratios, advantages.unsqueeze(-1), clip_ratio=clip_ratio, dual_clip=dual_clip
    )
    with torch.no_grad():
        kl = ((ratios - 1.0 - log_ratios) * weights).sum(dim=-1)
        outside = ((ratios - 1.0).abs() > clip_ratio).to(weights.dtype) * weights
        clipped = outside.sum(dim=-1) / weights.sum(dim=-1).clamp_min(1.0)
    return PolicyTerms((surrogate * weights).sum(dim=-1), kl, clipped)


def combine_advantages(advantages: Tensor, scales: Tensor, weights: Tensor, *, mode: AdvantageMode) -> Tensor:
    """Turns the advantages of the value heads into one a decision.

    Without the scales the head with the largest rewards drowns the others (Hessel et al. 2019 make the same point
    for tasks): each head is divided by its running standard deviation before its weight applies.

    Args:
        advantages: `[B, K]`.
        scales: `[K]` running standard deviations, above 0.
        weights: `[K]` weight of each head; used by `weighted_sum` only.
        mode: `weighted_sum` over heads, or their `mean` (ML-Agents, where strengths multiply the rewards).

    Returns:
        `[B]` advantages, not normalised over the batch.
    """
    scaled = advantages / scales
    if mode == "mean":
        return scaled.mean(dim=-1)
    return (scaled * weights).sum(dim=-1)


def normalise_advantages(advantages: Tensor, valid: Tensor) -> Tensor:
    """Brings the valid advantages of a batch to mean 0 and standard deviation 1; the others become 0.

    Args:
        advantages: `[B]`.
        valid: `[B]` bool.

    Returns:
        `[B]`.
    """
    counted = advantages[valid]
    if counted.numel() == 0:
        return torch.zeros_like(advantages)
    spread = counted.std(correction=0).clamp_min(1e-8)
    return torch.where(valid, (advantages - counted.mean()) / spread, advantages.new_zeros(()))


def value_errors(values: Tensor, targets: Tensor) -> Tensor:
    """Computes the loss of the value heads, `sum_k (R_k - V_k)^2`: Ye et al. 2020, eq. 2.

    Args:
        values: `[B, K]` normalised a head.
        targets: `[B, K]` lambda-returns, normalised a head.

    Returns:
        `[B]`.
    """
    return (targets - values).square().sum(dim=-1)


def explained_variance(values: Tensor, targets: Tensor, valid: Tensor) -> Tensor:
    """Measures how much of the targets' variance the values explain: 1 is perfect, 0 no better than the mean.

    Args:
        values: `[B, K]`.
        targets: `[B, K]`.
        valid: `[B]` bool.

    Returns:
        `[K]`; 0 for a head whose targets do not vary.
    """
    predicted, wanted = values[valid], targets[valid]
    if predicted.shape[0] < 2:
        return values.new_zeros(values.shape[-1])
    spread = wanted.var(dim=0, correction=0)
    residual = (wanted - predicted).var(dim=0, correction=0)
    share = 1.0 - residual / spread.clamp_min(1e-12)
    return torch.where(spread > 1e-12, share, torch.zeros_like(share))
