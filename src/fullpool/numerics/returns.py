"""Advantages and returns, one a reward head.

Axes are `[T, ...]`: time first, anything after it. Flags may lack trailing axes (`[T, G]` for rewards of
`[T, G, P, K]`); they are broadcast over what is missing. `terminated` (the game ended, what follows is worth 0)
and `truncated` (we stopped looking, bootstrap from the next value) are never one flag.
"""

from __future__ import annotations

import torch
from torch import Tensor


def align_flags(flags: Tensor, like: Tensor) -> Tensor:
    """Appends axes of size one until `flags` has as many axes as `like`.

    Args:
        flags: leading axes of `like`.
        like: the array to broadcast over.

    Returns:
        A view of `flags`.

    Raises:
        ValueError: if the axes of `flags` are not the leading axes of `like`.
    """
    if flags.shape != like.shape[: flags.dim()]:
        raise ValueError(f"flags must have the leading axes of {tuple(like.shape)}, got {tuple(flags.shape)}")
    return flags.reshape(*flags.shape, *([1] * (like.dim() - flags.dim())))


def gae_advantages(
    rewards: Tensor,
    values: Tensor,
    next_values: Tensor,
    terminated: Tensor,
    truncated: Tensor,
    valid: Tensor,
    *,
    discounts: Tensor,
    trace_decay: float,
) -> Tensor:
    """Estimates advantages by generalized advantage estimation, each reward head with its own discount.

    Schulman et al. 2016 (https://arxiv.org/abs/1506.02438), eq. 16, computed backwards:
    `A[t] = delta[t] + discount * trace_decay * A[t + 1]` within a game. The last step bootstraps.

    Args:
        rewards: `[T, ..., K]` reward for the action taken at each step.
        values: `[T, ..., K]` value of the state each action was taken in, in the scale of the rewards.
        next_values: `[T, ..., K]` value of the state each action led to, before any reset.
        terminated: `[T, ...]` bool; the game ended with this step: the next value counts as 0.
        truncated: `[T, ...]` bool; the game was left here: the next value counts, what follows does not.
        valid: `[T, ...]` bool; false where a lane idles after its game's end: advantage 0.
        discounts: `[K]` in [0, 1].
        trace_decay: lambda in [0, 1]; 0 is one-step TD, 1 is Monte Carlo.

    Returns:
        `[T, ..., K]` advantages, not normalised.

    Raises:
        ValueError: if rewards, values and next values differ in shape.
    """
    if not rewards.shape == values.shape == next_values.shape:
        shapes = [tuple(x.shape) for x in (rewards, values, next_values)]
        raise ValueError(f"rewards, values and next values must share one shape, got {shapes}")
    ended = align_flags(terminated, rewards)
    stopped = align_flags(terminated | truncated, rewards)
    counted = align_flags(valid, rewards)
    zero = rewards.new_zeros(())
    next_values = torch.where(ended, zero, next_values)
    deltas = torch.where(counted, rewards + discounts * next_values - values, zero)
    # What follows a stop belongs to another game; what follows an idle step does not exist.
    traces = torch.where(stopped | ~counted, zero, discounts * trace_decay)
    advantages = torch.zeros_like(deltas)
    following = torch.zeros_like(deltas[0])
    for t in reversed(range(deltas.shape[0])):
        following = deltas[t] + traces[t] * following
        advantages[t] = following
    return advantages


def lambda_returns(
    rewards: Tensor,
    values: Tensor,
    next_values: Tensor,
    terminated: Tensor,
    truncated: Tensor,
    valid: Tensor,
    *,
    discounts: Tensor,
    trace_decay: float,
) -> Tensor:
    """Computes lambda-returns, the targets of the value heads.

    Sutton and Barto 2018, eq. 12.2 for windows that bootstrap at their end. Equal to `gae_advantages` plus the
    values; arguments are the same.

    Returns:
        `[T, ..., K]` returns in the scale of the rewards; an idle step's return is its own value.
    """
    advantages = gae_advantages(
        rewards,
        values,
        next_values,
        terminated,
        truncated,
        valid,
        discounts=discounts,
        trace_decay=trace_decay,
    )
    return advantages + values
