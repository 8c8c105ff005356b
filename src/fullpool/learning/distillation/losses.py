"""The distillation loss of one shard of a minibatch. Sums over decisions, so that shards add up."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from fullpool.learning.distillation.settings import DistillationSettings
from fullpool.learning.trajectories import Trajectory
from fullpool.networks.actor_critic import ActorCritic
from fullpool.numerics.distillation import exact_cross_entropy, sampled_cross_entropy, value_distance
from fullpool.numerics.distributions import extend_masks


class LossTerms(NamedTuple):
    """A shard's loss and its diagnostics.

    Attributes:
        loss: scalar to be minimised, divided by the minibatch's number of decisions.
        sums: `[5]` detached sums over valid decisions: cross-entropy, the teacher's own entropy (its lower bound),
            value distance, decisions whose most probable What is the teacher's, number of decisions.
    """

    loss: Tensor
    sums: Tensor


def distillation_loss(
    network: ActorCritic, trajectory: Trajectory, settings: DistillationSettings, *, num_decisions: int
) -> LossTerms:
    """Computes the loss of a shard: Ye et al. 2020, eq. 3.

    Args:
        network: the student.
        trajectory: sequences with guidance, `[T, G, ...]` without a last step.
        settings: the learner's knobs.
        num_decisions: valid decisions of the whole minibatch, all shards.

    Returns:
        Loss and diagnostics.

    Raises:
        ValueError: if the trajectory has no guidance.
    """
    if trajectory.guidance is None:
        raise ValueError("distillation needs windows with guidance")
    output = network(trajectory.inputs, trajectory.state)
    values = network.values(trajectory.critic, output.memory).flatten(0, 2)
    student, teacher = output.logits.flatten(0, 2), trajectory.guidance.logits.flatten(0, 2)
    extended = extend_masks(trajectory.inputs.masks.flatten(0, 2))
    heroes, first = trajectory.inputs.heroes.flatten().long(), trajectory.actions[..., 0].flatten().long()

    def entropy_under(logits: Tensor) -> Tensor:
        if settings.at == "exact":
            return exact_cross_entropy(teacher, logits, extended, heroes, network.tables)
        return sampled_cross_entropy(teacher, logits, extended, heroes, first, network.tables)

    valid = trajectory.valid.unsqueeze(-1).expand(trajectory.actions.shape[:3]).flatten()
    weights = valid.to(values.dtype)
    cross = (entropy_under(student) * weights).sum()
    distance = value_distance(
        trajectory.guidance.values.flatten(0, 2), network.denormalise_values(values), network.value_std
    )
    errors = (distance * weights).sum()
    with torch.no_grad():
        own = (entropy_under(teacher) * weights).sum()
        agree = (_best_first(student, extended, network) == _best_first(teacher, extended, network)) * weights
        sums = torch.stack([cross, own, errors, agree.sum(), weights.sum()])
    return LossTerms((cross + settings.value_weight * errors) / max(num_decisions, 1), sums)


def _best_first(logits: Tensor, extended: Tensor, network: ActorCritic) -> Tensor:
    """Most probable legal choice of head 0, `[B]`."""
    width = network.tables.num_choices
    legal = extended[:, network.tables.mask_index[0, :width]].bool()
    return logits[:, 0].masked_fill(~legal, float("-inf")).argmax(dim=-1)
