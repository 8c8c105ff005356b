"""Running mean and standard deviation a head, for scaling returns, values and advantages."""

from __future__ import annotations

import torch
from torch import Tensor


class RunningMoments:
    """Mean and variance of a stream of vectors, in float64, with an optional bounded memory.

    Chan, Golub and LeVeque 1983, eq. 2.1 (pairwise update). Until `memory` samples were seen every sample counts
    the same; from then on old ones fade out, so that the statistics follow a policy that improves.

    Attributes:
        count: number of samples that the moments stand for, at most `memory`.
        mean: `[K]` float64.
        variance: `[K]` float64, population variance.
    """

    def __init__(self, size: int, *, memory: float, min_std: float = 1e-3) -> None:
        """Starts with mean 0, standard deviation 1 and no samples.

        Args:
            size: number of heads, K.
            memory: number of samples after which old ones fade.
            min_std: lower bound of `std`, so that a head that never pays does not divide by zero.
        """
        self.count = 0.0
        self.mean = torch.zeros(size, dtype=torch.float64)
        self.variance = torch.ones(size, dtype=torch.float64)
        self._memory = float(memory)
        self._min_std = float(min_std)

    def update(self, samples: Tensor, valid: Tensor | None = None) -> None:
        """Takes in a batch.

        Args:
            samples: `[..., K]`.
            valid: `[...]` bool; samples to count, all where None.
        """
        flat = samples.detach().reshape(-1, samples.shape[-1])
        if valid is not None:
            flat = flat[valid.reshape(-1)]
        if flat.shape[0] == 0:
            return
        flat = flat.double().cpu()
        number = float(flat.shape[0])
        mean, variance = flat.mean(dim=0), flat.var(dim=0, correction=0)
        if self.count == 0:
            self.mean, self.variance, self.count = mean, variance, min(number, self._memory)
            return
        total = self.count + number
        delta = mean - self.mean
        self.mean = self.mean + delta * (number / total)
        spread = self.variance * self.count + variance * number
        self.variance = (spread + delta.square() * (self.count * number / total)) / total
        self.count = min(total, self._memory)

    @property
    def std(self) -> Tensor:
        """`[K]` float32 standard deviation, bounded from below."""
        return self.variance.sqrt().clamp_min(self._min_std).float()

    def normalise(self, values: Tensor) -> Tensor:
        """Brings `[..., K]` values to mean 0 and standard deviation 1."""
        return (values - self.mean.float().to(values.device)) / self.std.to(values.device)

    def denormalise(self, values: Tensor) -> Tensor:
        """Undoes `normalise`."""
        return values * self.std.to(values.device) + self.mean.float().to(values.device)

    def state(self) -> dict[str, Tensor]:
        """Copies what a checkpoint must hold."""
        return {
            "count": torch.tensor([self.count], dtype=torch.float64),
            "mean": self.mean.clone(),
            "variance": self.variance.clone(),
        }

    def load_state(self, state: dict[str, Tensor]) -> None:
        """Puts a saved state back.

        Raises:
            ValueError: if the number of heads differs.
        """
        if state["mean"].shape != self.mean.shape:
            raise ValueError(
                f"running moments of {self.mean.shape[0]} heads expected, got {state['mean'].shape[0]}: "
                "the checkpoint belongs to other reward heads"
            )
        self.count = float(state["count"][0])
        self.mean = state["mean"].double().clone()
        self.variance = state["variance"].double().clone()
