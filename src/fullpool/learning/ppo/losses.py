"""The loss of one shard: a policy term and the value loss. Sums over decisions, so that shards add up."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor

from fullpool.learning.ppo.settings import PpoSettings
from fullpool.learning.trajectories import Trajectory
from fullpool.networks.actor_critic import ActorCritic
from fullpool.numerics.ppo import policy_terms, value_errors


class Sample(NamedTuple):
    """A window ready to learn from.

    Attributes:
        trajectory: the window.
        advantages: `[T, G, P]` normalised over the batch, 0 where idle.
        targets: `[T, G, P, K]` lambda-returns, normalised a head.
    """

    trajectory: Trajectory
    advantages: Tensor
    targets: Tensor


class PolicyLoss(NamedTuple):
    """What a shard's decisions say about the policy.

    Attributes:
        objective: `[T, G, P]` to be maximised.
        entropies: `[T, G, P, H]` of each head; 0 where it does not count.
        used: `[T, G, P, H]` bool; heads that count.
        figures: `[T, G, P, F]` detached diagnostics; their sums over valid decisions go to the metrics.
        memory: `[T, G, P, L]` output of the LSTM.
    """

    objective: Tensor
    entropies: Tensor
    used: Tensor
    figures: Tensor
    memory: Tensor


PolicyFn = Callable[[ActorCritic, Sample], PolicyLoss]
"""The policy term of the loss: what one algorithm differs from another by."""


class Recipe(NamedTuple):
    """How an algorithm learns from prepared windows.

    Attributes:
        policy_fn: the policy term of the loss.
        figures_fn: turns the mean objective and the means of the policy term's figures, a decision, into metrics.
        value_weight: weight of the value loss.
        entropy_weight: weight of the summed entropy of the used heads.
        num_epochs: passes over the windows.
        minibatch_size: agent-steps a gradient step.
    """

    policy_fn: PolicyFn
    figures_fn: Callable[[float, Tensor], dict[str, float]]
    value_weight: float
    entropy_weight: float
    num_epochs: int
    minibatch_size: int


class LossTerms(NamedTuple):
    """A shard's loss and its diagnostics, summed over valid decisions.

    Attributes:
        loss: scalar to be minimised, already divided by the minibatch's number of decisions.
        sums: `[3 + F]` detached sums: objective, value error, number of decisions, and the policy term's figures.
        entropies: `[H]` detached sum of each head's entropy.
        used: `[H]` number of decisions that used each head.
        value_errors: `[K]` squared error of each value head.
    """

    loss: Tensor
    sums: Tensor
    entropies: Tensor
    used: Tensor
    value_errors: Tensor


def window_loss(
    network: ActorCritic,
    sample: Sample,
    policy_fn: PolicyFn,
    *,
    value_weight: float,
    entropy_weight: float,
    num_decisions: int,
) -> LossTerms:
    """Computes the loss of a shard: a policy term, Ye et al. 2020, eq. 2, and an entropy bonus over the used heads.

    Args:
        network: the network being trained.
        sample: the shard.
        policy_fn: the policy term.
        value_weight: weight of the value loss.
        entropy_weight: weight of the summed entropy of the used heads.
        num_decisions: valid decisions of the whole minibatch, all shards.

    Returns:
        Loss and diagnostics.
    """
    trajectory = sample.trajectory
    policy = policy_fn(network, sample)
    critic = type(trajectory.critic)(*(part[:-1] for part in trajectory.critic))
    values = network.values(critic, policy.memory)
    weights = trajectory.valid.unsqueeze(-1).expand(sample.advantages.shape).to(values.dtype)
    objective = (policy.objective * weights).sum()
    head_entropies = (policy.entropies * weights.unsqueeze(-1)).flatten(0, -2).sum(dim=0)
    errors = (value_errors(values, sample.targets) * weights).sum()
    loss = value_weight * errors - objective - entropy_weight * head_entropies.sum()
    with torch.no_grad():
        figures = (policy.figures * weights.unsqueeze(-1)).flatten(0, -2).sum(dim=0)
        sums = torch.cat([torch.stack([objective, errors, weights.sum()]), figures])
        used = (policy.used * weights.unsqueeze(-1)).flatten(0, -2).sum(dim=0)
        by_head = ((sample.targets - values).square() * weights.unsqueeze(-1)).flatten(0, -2).sum(dim=0)
    terms = (sums.detach(), head_entropies.detach(), used, by_head)
    return LossTerms(loss / max(num_decisions, 1), *terms)


def ppo_policy_loss(network: ActorCritic, sample: Sample, *, settings: PpoSettings) -> PolicyLoss:
    """Computes the policy term of dual-clip PPO: Ye et al. 2020, eq. 1.

    Args:
        network: the network being trained.
        sample: the shard.
        settings: the learner's knobs.

    Returns:
        The term; its figures are the KL estimate and the clipped share.
    """
    trajectory = sample.trajectory
    judged = network.evaluate(trajectory.decided_inputs(), trajectory.state, trajectory.actions)
    terms = policy_terms(
        judged.log_probs,
        trajectory.log_probs,
        judged.used,
        sample.advantages,
        clip_ratio=settings.clip_ratio,
        dual_clip=settings.dual_clip,
        ratio=settings.ratio,
    )
    figures = torch.stack([terms.kl, terms.clipped], dim=-1)
    return PolicyLoss(terms.objective, judged.entropies, judged.used, figures, judged.memory)


def ppo_figures(objective: float, figures: Tensor) -> dict[str, float]:
    """Names the mean objective and the means of the figures of `ppo_policy_loss`."""
    return {
        "policy_loss": -objective,
        "approx_kl": float(figures[0]),
        "clip_fraction": float(figures[1]),
    }
