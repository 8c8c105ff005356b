"""The PPO loss of one shard of a minibatch. Sums over decisions, so that shards add up."""

from __future__ import annotations

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


class LossTerms(NamedTuple):
    """A shard's loss and its diagnostics, summed over valid decisions.

    Attributes:
        loss: scalar to be minimised, already divided by the minibatch's number of decisions.
        sums: `[5 + H]` detached sums: objective, value error, KL, clipped share, number of decisions, and the
            entropy of each head.
        used: `[H]` number of decisions that used each head.
    """

    loss: Tensor
    sums: Tensor
    used: Tensor


def ppo_loss(network: ActorCritic, sample: Sample, settings: PpoSettings, *, num_decisions: int) -> LossTerms:
    """Computes the loss of a shard: Ye et al. 2020, eq. 1 and 2, with an entropy bonus over the used heads.

    Args:
        network: the network being trained.
        sample: the shard.
        settings: the learner's knobs.
        num_decisions: valid decisions of the whole minibatch, all shards.

    Returns:
        Loss and diagnostics.
    """
    trajectory = sample.trajectory
    judged = network.evaluate(trajectory.decided_inputs(), trajectory.state, trajectory.actions)
    critic = type(trajectory.critic)(*(part[:-1] for part in trajectory.critic))
    values = network.values(critic, judged.memory)
    weights = trajectory.valid.unsqueeze(-1).expand(sample.advantages.shape).to(values.dtype)
    terms = policy_terms(
        judged.log_probs,
        trajectory.log_probs,
        judged.used,
        sample.advantages,
        clip_ratio=settings.clip_ratio,
        dual_clip=settings.dual_clip,
        ratio=settings.ratio,
    )
    objective = (terms.objective * weights).sum()
    head_entropies = (judged.entropies * weights.unsqueeze(-1)).flatten(0, -2).sum(dim=0)
    errors = (value_errors(values, sample.targets) * weights).sum()
    loss = settings.value_weight * errors - objective - settings.entropy_weight * head_entropies.sum()
    with torch.no_grad():
        sums = torch.stack(
            [objective, errors, (terms.kl * weights).sum(), (terms.clipped * weights).sum(), weights.sum()]
        )
        used = (judged.used * weights.unsqueeze(-1)).flatten(0, -2).sum(dim=0)
        sums = torch.cat([sums, head_entropies])
    return LossTerms(loss / max(num_decisions, 1), sums, used)
