"""The policy term of imitation: how probable the bots' choices are."""

from __future__ import annotations

import torch

from fullpool.learning.ppo.losses import PolicyLoss, Sample
from fullpool.networks.actor_critic import ActorCritic
from fullpool.numerics.distributions import (
    choice_statistics,
    extend_masks,
    greedy_choices,
    legal_choices,
    mask_logits,
    used_heads,
)


def imitation_policy_loss(network: ActorCritic, sample: Sample) -> PolicyLoss:
    """Computes `sum_h log pi(a_h | s)` over the heads that the bot's button uses: Pomerleau 1991, behaviour cloning.

    Args:
        network: the network being trained.
        sample: a shard of windows that bots played.

    Returns:
        The term. Its figures are, a head, whether the most probable choice is the bot's, then whether there was a
        choice at all: the head counts and more than one of its choices is legal.
    """
    trajectory = sample.trajectory
    inputs, leading = trajectory.decided_inputs(), trajectory.actions.shape
    output = network(inputs, trajectory.state)
    choices, logits = trajectory.actions.flatten(0, 2).long(), output.logits.flatten(0, 2)
    legal = legal_choices(extend_masks(inputs.masks.flatten(0, 2)), choices[:, 0], network.tables)
    used = used_heads(inputs.heroes.flatten().long(), choices[:, 0], network.tables)
    log_probs, entropies = choice_statistics(logits, legal, choices)
    objective = (log_probs * used).sum(dim=-1).view(leading[:3])
    with torch.no_grad():
        chosen = used & (legal.sum(dim=-1) > 1)
        agreed = (greedy_choices(mask_logits(logits, legal)) == choices) & chosen
        figures = torch.cat([agreed, chosen], dim=-1).to(objective.dtype)
    return PolicyLoss(
        objective,
        (entropies * used).view(leading),
        used.view(leading),
        figures.view(*leading[:3], -1),
        output.memory,
    )
