"""Three-layer perceptrons on one-hot line-ups, and the kernel that evaluates them inside a search.

One layout serves the win-rate predictor and the value network: `M` members (an ensemble, trained side by side as one
block-diagonal network), each `inputs -> hidden[0] -> hidden[1] -> 1` with ReLU, plus one linear path from the inputs
to the output. Inputs are sums of one-hots, so a row is given by the indices of its ones.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from fullpool.games.contract import Floats
from fullpool.numerics.kernels import kernel

Indices = NDArray[np.int32]


class MlpArrays(NamedTuple):
    """Weights as arrays.

    Attributes:
        w1: `[I, M * h1]` first layer of all members side by side.
        b1: `[M * h1]`.
        w2: `[M, h1, h2]`.
        b2: `[M, h2]`.
        w3: `[M, h2]`.
        linear: `[I]` the path from the inputs to the output.
    """

    w1: Floats
    b1: Floats
    w2: Floats
    b2: Floats
    w3: Floats
    linear: Floats


class Mlp(nn.Module):
    """The perceptron in torch."""

    def __init__(
        self, num_inputs: int, hidden: tuple[int, int], members: int, generator: torch.Generator
    ) -> None:
        super().__init__()
        first, second = hidden
        self.members, self.first = members, first

        def normal(*shape: int, scale: float) -> nn.Parameter:
            return nn.Parameter(torch.randn(*shape, generator=generator) * scale)

        # About ten ones a row whatever the pool, hence 1 / sqrt(10) and not 1 / sqrt(inputs).
        self.w1 = normal(num_inputs, members * first, scale=1 / math.sqrt(10))
        self.b1 = nn.Parameter(torch.zeros(members * first))
        self.w2 = normal(members, first, second, scale=math.sqrt(2 / first))
        self.b2 = nn.Parameter(torch.zeros(members, second))
        self.w3 = normal(members, second, scale=0.3 / math.sqrt(second))
        self.linear = nn.Parameter(torch.zeros(num_inputs))

    def forward(
        self, inputs: Tensor, dropout: float = 0.0, generator: torch.Generator | None = None
    ) -> Tensor:
        """Evaluates rows.

        Args:
            inputs: `[B, I]` sums of one-hots.
            dropout: share of hidden units set to zero, in [0, 1).
            generator: source of the dropped units; None: nothing is dropped.

        Returns:
            `[M, B]` outputs, one a member.
        """

        def drop(units: Tensor) -> Tensor:
            if generator is None or dropout == 0.0:
                return units
            return units * (torch.rand(units.shape, generator=generator) >= dropout) / (1 - dropout)

        units = drop(torch.relu(inputs @ self.w1 + self.b1))
        units = units.view(len(inputs), self.members, self.first).transpose(0, 1)
        units = drop(torch.relu(torch.bmm(units, self.w2) + self.b2[:, None]))
        return (units * self.w3[:, None]).sum(-1) + inputs @ self.linear

    def decayed(self) -> list[nn.Parameter]:
        """Weights that weight decay acts on."""
        return [self.w1, self.w2, self.w3]

    def arrays(self) -> MlpArrays:
        """Copies the weights."""
        named = dict(self.named_parameters())
        return MlpArrays(*(named[f].detach().numpy().astype(np.float32).copy() for f in MlpArrays._fields))


def check_arrays(arrays: MlpArrays, num_inputs: int, where: str) -> None:
    """Refuses weights whose shapes do not belong together.

    Raises:
        ValueError: if they do not, or a weight is not finite.
    """
    members, first, second = arrays.w2.shape if arrays.w2.ndim == 3 else (0, 0, 0)
    wanted = [(num_inputs, members * first), (members * first,), (members, first, second), (members, second)]
    wanted += [(members, second), (num_inputs,)]
    for name, array, shape in zip(MlpArrays._fields, arrays, wanted):
        if array.shape != shape:
            raise ValueError(f"{where}: weights {name!r} must have shape {shape}, got {array.shape}")
        if not np.isfinite(array).all():
            raise ValueError(f"{where}: weights {name!r} are not finite; the file is damaged")


def dense(indices: Indices, num_inputs: int) -> Tensor:
    """Turns index rows into sums of one-hots.

    Args:
        indices: `[B, A]` indices of the ones; -1 is none.
        num_inputs: width of a row, I.

    Returns:
        `[B, I]` float32.
    """
    rows = torch.zeros(len(indices), num_inputs + 1)
    where = torch.from_numpy(np.where(indices < 0, num_inputs, indices).astype(np.int64))
    rows.scatter_add_(1, where, torch.ones(where.shape))
    return rows[:, :num_inputs]


def pair_indices(lineups: NDArray[Any], num_heroes: int) -> Indices:
    """Lists the ones of `[n, 2, P]` line-ups: `[2n, 2P]`, the second half with the teams swapped."""
    first, second = lineups[:, 0].astype(np.int32), lineups[:, 1].astype(np.int32)
    own = np.concatenate([first, second])
    other = np.concatenate([second, first]) + num_heroes
    return np.ascontiguousarray(np.concatenate([own, other], axis=1), dtype=np.int32)


@kernel
def mlp_outputs(
    indices: Indices, w1: Floats, b1: Floats, w2: Floats, b2: Floats, w3: Floats, linear: Floats
) -> Floats:
    """Evaluates rows given by their ones; the mean over members.

    Units that ReLU sets to zero are skipped, which halves the second layer. No threads, no BLAS: the result does not
    depend on who else uses the machine.

    Args:
        indices: `[B, A]` int32; -1 is none.
        w1: `[I, M * h1]`; this and the rest as in `MlpArrays`.
        b1: `[M * h1]`.
        w2: `[M, h1, h2]`.
        b2: `[M, h2]`.
        w3: `[M, h2]`.
        linear: `[I]`.

    Returns:
        `[B]` float32.
    """
    members, first, second = w2.shape
    out = np.empty(len(indices), np.float32)
    units = np.empty(members * first, np.float32)
    hidden = np.empty(second, np.float32)
    for row in range(len(indices)):
        for j in range(members * first):
            units[j] = b1[j]
        total = np.float32(0.0)
        for index in indices[row]:
            if index >= 0:
                total += linear[index]
                weights = w1[index]
                for j in range(members * first):
                    units[j] += weights[j]
        mean = np.float32(0.0)
        for m in range(members):
            for k in range(second):
                hidden[k] = b2[m, k]
            for j in range(first):
                unit = units[m * first + j]
                if unit > 0:
                    weights = w2[m, j]
                    for k in range(second):
                        hidden[k] += unit * weights[k]
            for k in range(second):
                mean += max(hidden[k], np.float32(0.0)) * w3[m, k]
        out[row] = total + mean / np.float32(members)
    return out
