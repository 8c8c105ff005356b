"""Arrays that cross the border of a network. Leading axes: `[G, P]` when acting, `[T, G, P]` when evaluating."""

from __future__ import annotations

from typing import NamedTuple

from torch import Tensor


class LstmState(NamedTuple):
    """Recurrent state of every agent; zeros at a game's start.

    Attributes:
        hidden: `[G, P, L]` float32.
        cell: `[G, P, L]` float32.
    """

    hidden: Tensor
    cell: Tensor


class ActorInputs(NamedTuple):
    """What agents see and may do.

    Attributes:
        observation: `[..., P, D]` float32.
        hero_ids: `[..., P, rows]` int16 hero of each row of the hero block, -1: absent.
        masks: `[..., P, M]` uint8, 1 is legal.
        target_rows: `[..., P, slots]` int16 row of each slot of the target head, -1: none.
        heroes: `[..., P]` int16 hero that the agent itself plays.
    """

    observation: Tensor
    hero_ids: Tensor
    masks: Tensor
    target_rows: Tensor
    heroes: Tensor


class CriticInputs(NamedTuple):
    """What the critic sees of each team.

    Attributes:
        observation: `[..., Dc]` float32, no player axis.
        hero_ids: `[..., rows]` int16.
    """

    observation: Tensor
    hero_ids: Tensor


class ActorStep(NamedTuple):
    """One decision of every agent.

    Attributes:
        actions: `[G, P, H]` int32.
        log_probs: `[G, P, H]` float32 of each head's choice; heads that do not count have 0.
        state: recurrent state after the decision.
    """

    actions: Tensor
    log_probs: Tensor
    state: LstmState


class Evaluation(NamedTuple):
    """What a policy says of decisions that were taken.

    Attributes:
        log_probs: `[T, G, P, H]` float32; heads that do not count have 0.
        entropies: `[T, G, P, H]` float32; heads that do not count have 0.
        used: `[T, G, P, H]` bool; heads that count.
        memory: `[T, G, P, L]` output of the LSTM, from which values come when the critic is not privileged.
    """

    log_probs: Tensor
    entropies: Tensor
    used: Tensor
    memory: Tensor
