"""One gradient step whose gradients come from several shards: shared by all learners."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Protocol, TypeVar

import torch
from torch import Tensor, nn

from fullpool.networks.actor_critic import ActorCritic

Item = TypeVar("Item")
Result = TypeVar("Result")


class MapFn(Protocol):
    """Applies a function to every item, results in the order of the items; where it runs is its own business."""

    def __call__(self, function: Callable[[Item], Result], items: Iterable[Item], /) -> list[Result]:
        """Returns one result an item."""


def serial_map(function: Callable[[Item], Result], items: Iterable[Item], /) -> list[Result]:
    """Applies a function to one item after another in the calling thread."""
    return [function(item) for item in items]


class ShardedAdam:
    """Adam (Kingma and Ba 2015) on gradients that are summed over shards in a fixed order.

    Sums in a fixed order give the same weights whether the shards ran one after another or side by side.
    """

    def __init__(
        self, network: ActorCritic, *, learning_rate: float, epsilon: float, gradient_norm: float
    ) -> None:
        """Prepares the optimiser for all parameters of a network.

        Args:
            network: whose parameters are trained.
            learning_rate: Adam's step.
            epsilon: Adam's epsilon.
            gradient_norm: largest norm of the policy's gradient, and of the critic's.
        """
        self.parameters = list(network.parameters())
        # The critic's gradient is tens of times the policy's: under one common norm it would shrink the policy's
        # below Adam's epsilon, and the policy would stand still (seen: KL of 1e-4 an update).
        self._clipped = network.policy_parameters(), network.critic_parameters()
        self._gradient_norm = gradient_norm
        self._adam = torch.optim.Adam(self.parameters, lr=learning_rate, eps=epsilon, fused=True)

    def gradients(self, loss: Tensor) -> tuple[Tensor, ...]:
        """Gradient of a shard's loss; thread-safe, since it leaves the parameters' own gradients alone."""
        return torch.autograd.grad(loss, self.parameters, allow_unused=True, materialize_grads=True)

    def step(self, shards: Sequence[tuple[Tensor, ...]], *, learning_rate: float) -> float:
        """Sums the shards' gradients in order, clips them and takes a step.

        Args:
            shards: gradients of every shard.
            learning_rate: Adam's step.

        Returns:
            Norm of the policy's gradient before clipping.
        """
        total = list(shards[0])
        for gradients in shards[1:]:
            torch._foreach_add_(total, list(gradients))
        for parameter, gradient in zip(self.parameters, total, strict=True):
            parameter.grad = gradient
        norm, _ = (nn.utils.clip_grad_norm_(group, self._gradient_norm) for group in self._clipped)
        self._adam.param_groups[0]["lr"] = learning_rate
        self._adam.step()
        self._adam.zero_grad(set_to_none=True)
        return float(norm)

    def state(self) -> dict[str, Tensor]:
        """Adam's moments and step counts by parameter index; empty before the first step."""
        state: dict[int, dict[str, Any]] = self._adam.state_dict()["state"]
        return {
            f"{index}.{name}": value.clone() for index, part in state.items() for name, value in part.items()
        }

    def load_state(self, state: dict[str, Tensor]) -> None:
        """Puts a saved state back.

        Raises:
            ValueError: if it belongs to other parameters.
        """
        plain: dict[str, Any] = self._adam.state_dict()
        plain["state"] = {}
        for key, value in state.items():
            index, name = key.split(".")
            if int(index) >= len(self.parameters):
                raise ValueError(
                    f"the optimiser's state has parameter {index}, this network {len(self.parameters)}"
                )
            expected = self.parameters[int(index)].shape
            if name != "step" and value.shape != expected:
                raise ValueError(
                    f"the optimiser's state of parameter {index} has shape {tuple(value.shape)}, "
                    f"this network's has {tuple(expected)}: the checkpoint belongs to other network settings"
                )
            plain["state"].setdefault(int(index), {})[name] = value.clone()
        self._adam.load_state_dict(plain)


def linear_rate(first: float, last: float, progress: float) -> float:
    """Learning rate at a progress in [0, 1]; later it stays at the last."""
    return first + (last - first) * min(max(progress, 0.0), 1.0)
