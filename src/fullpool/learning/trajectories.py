"""Windows of decisions, as a rollout hands them to a learner."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from fullpool.networks.types import ActorInputs, CriticInputs, LstmState


class Guidance(NamedTuple):
    """What the teachers of a window's matches say of it.

    Attributes:
        logits: `[T, G, P, H, A]` float32, not masked.
        values: `[T, G, P, K]` float32, de-normalised.
    """

    logits: Tensor
    values: Tensor


class Trajectory(NamedTuple):
    """A window of `T` decisions of `G` teams that the learner plays.

    Matches start at a window's start only, so that the recurrent state needs no reset inside; a team whose match
    ended idles to the window's end (`valid` is false). The arrays belong to the rollout worker and hold until it
    collects again.

    Attributes:
        inputs: `[T + 1, G, P, ...]` what agents saw; the last step is what the last decision led to.
        critic: `[T + 1, G, ...]` what the critic saw.
        actions: `[T, G, P, H]` int32.
        log_probs: `[T, G, P, H]` float32 under the behaviour policy; heads that do not count have 0.
        rewards: `[T, G, P, K]` float32.
        terminated: `[T, G]` bool; the match ended with this decision.
        truncated: `[T, G]` bool; the match was left after this decision (bootstrap).
        valid: `[T, G]` bool; the match was running.
        state: recurrent state of the learner's policy before the window.
        version: number of updates of the policy that acted.
        guidance: what the teachers say, or None outside distillation.
    """

    inputs: ActorInputs
    critic: CriticInputs
    actions: Tensor
    log_probs: Tensor
    rewards: Tensor
    terminated: Tensor
    truncated: Tensor
    valid: Tensor
    state: LstmState
    version: int
    guidance: Guidance | None = None

    @property
    def num_groups(self) -> int:
        """Number of teams, G."""
        return int(self.actions.shape[1])

    @property
    def num_agent_steps(self) -> int:
        """Decisions of learning agents in running matches; a dead hero's count."""
        return int(self.valid.sum()) * int(self.actions.shape[2])

    def decided_inputs(self) -> ActorInputs:
        """Inputs of the `T` decisions, without the last step."""
        return ActorInputs(*(part[:-1] for part in self.inputs))


def select_groups(trajectory: Trajectory, groups: Tensor) -> Trajectory:
    """Copies some teams of a window.

    Args:
        trajectory: the window.
        groups: `[n]` int64 indices of teams.

    Returns:
        A window of `n` teams.
    """

    def pick(part: Tensor) -> Tensor:
        return part.index_select(1, groups)

    guidance = trajectory.guidance
    return Trajectory(
        inputs=ActorInputs(*map(pick, trajectory.inputs)),
        critic=CriticInputs(*map(pick, trajectory.critic)),
        actions=pick(trajectory.actions),
        log_probs=pick(trajectory.log_probs),
        rewards=pick(trajectory.rewards),
        terminated=pick(trajectory.terminated),
        truncated=pick(trajectory.truncated),
        valid=pick(trajectory.valid),
        state=LstmState(*(part.index_select(0, groups) for part in trajectory.state)),
        version=trajectory.version,
        guidance=Guidance(*map(pick, guidance)) if guidance is not None else None,
    )


def select_inputs(inputs: ActorInputs, groups: Tensor | None, axis: int) -> ActorInputs:
    """Picks teams of actor inputs; None takes all without a copy."""
    if groups is None:
        return inputs
    return ActorInputs(*(part.index_select(axis, groups) for part in inputs))


def select_critic(critic: CriticInputs, groups: Tensor | None, axis: int) -> CriticInputs:
    """Picks teams of critic inputs; None takes all without a copy."""
    if groups is None:
        return critic
    return CriticInputs(*(part.index_select(axis, groups) for part in critic))


def stack_valid(trajectories: list[Trajectory]) -> Tensor:
    """Flattens `valid` of several windows, one entry an agent-step: `[sum of T G P]`."""
    parts = [
        t.valid.unsqueeze(-1).expand(*t.valid.shape, t.actions.shape[2]).reshape(-1) for t in trajectories
    ]
    return torch.cat(parts)
