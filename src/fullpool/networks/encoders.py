"""Encoders of unit rows: a shared network a block kind, group pooling, optional image.

Rows lead: blocks are `[rows, B, columns]`, so that a group is a contiguous slice, pooling reduces over the first
axis and every layer is one large matrix product. Row encoders have no biases: an absent row is all zeros and stays
all zeros through them, so that no mask is needed (a game's presence flag acts as the bias).
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

from fullpool.games.contract import ObservationSpec


class EncodedObservation(NamedTuple):
    """An observation after its row encoders.

    Attributes:
        features: `[B, F]` pooled groups, plain blocks and image, side by side.
        rows: encoded rows of each pooled block by its name, `[rows, B, U]`.
    """

    features: Tensor
    rows: dict[str, Tensor]


class Dense(nn.Linear):
    """Linear layer with orthogonal weights and zero bias (Saxe et al. 2014), drawn from an explicit generator."""

    def __init__(self, inputs: int, outputs: int, *, gain: float, bias: bool = True) -> None:
        """Prepares a layer whose weights are drawn later, by `draw_weights`."""
        super().__init__(inputs, outputs, bias=bias)
        self.gain = gain

    def draw(self, generator: torch.Generator) -> None:
        """Draws the weights."""
        nn.init.orthogonal_(self.weight, self.gain, generator)
        if self.bias is not None:
            nn.init.zeros_(self.bias)


def dense_layers(inputs: int, units: tuple[int, ...]) -> nn.Sequential:
    """Stacks linear layers, each followed by a rectifier."""
    layers: list[nn.Module] = []
    for width in units:
        layers += [Dense(inputs, width, gain=math.sqrt(2.0)), nn.ReLU(inplace=True)]
        inputs = width
    return nn.Sequential(*layers)


class RowEncoder(nn.Module):
    """Shared encoder of the rows of one block, with the hero's embedding added where rows are heroes."""

    def __init__(self, columns: int, units: tuple[int, ...], *, num_heroes: int, hero_embedding: int) -> None:
        """Builds the layers; `num_heroes` 0: the rows are no heroes."""
        super().__init__()
        sizes = (columns, *units)
        layers = [Dense(*pair, gain=math.sqrt(2.0), bias=False) for pair in pairwise(sizes)]
        self.first, self.later = layers[0], nn.ModuleList(layers[1:])
        self.embedding: nn.Parameter | None = None
        if num_heroes > 0:
            self.embedding = nn.Parameter(torch.zeros(num_heroes, hero_embedding))
            self.projection = Dense(hero_embedding, units[0], gain=1.0, bias=False)

    def draw(self, generator: torch.Generator) -> None:
        """Draws the hero embedding; the layers draw their own weights."""
        if self.embedding is not None:
            nn.init.normal_(self.embedding, 0.0, 0.1, generator)

    def forward(self, rows: Tensor, hero_ids: Tensor | None) -> Tensor:
        """Encodes rows.

        Args:
            rows: `[R, B, C]`, contiguous.
            hero_ids: `[R, B]` hero of each row, -1: absent; None where rows are no heroes.

        Returns:
            `[R, B, U]`, not negative; zeros for absent rows.
        """
        first: Tensor = self.first(rows)
        if self.embedding is not None and hero_ids is not None:
            table = functional.pad(self.projection(self.embedding), (0, 0, 1, 0)).to(first.dtype)
            first = first.add_(functional.embedding(hero_ids.long() + 1, table))
        hidden = torch.relu_(first)
        for layer in self.later:
            hidden = torch.relu_(layer(hidden))
        return hidden


class ImageEncoder(nn.Module):
    """Small convolutional encoder of a local image."""

    def __init__(self, shape: tuple[int, int, int], channels: tuple[int, ...]) -> None:
        """Builds 3x3 convolutions of stride 2 over an image of channels, height and width."""
        super().__init__()
        self.shape = shape
        depth, height, width = shape
        layers: list[nn.Module] = []
        for number in channels:
            layers += [nn.Conv2d(depth, number, 3, stride=2, padding=1), nn.ReLU(inplace=True)]
            depth, height, width = number, (height + 1) // 2, (width + 1) // 2
        self.layers = nn.Sequential(*layers, nn.Flatten())
        self.features = depth * height * width

    def forward(self, image: Tensor) -> Tensor:
        """Encodes `[B, C * H * W]` to `[B, features]`."""
        encoded: Tensor = self.layers(image.reshape(-1, *self.shape))
        return encoded


class PoolGroups(torch.autograd.Function):
    """Maximum and mean of every group of a block, with one gradient array for all groups.

    Autograd's own way fills an array of zeros a slice and compares into booleans, which took a fifth of a training
    step. Equal maxima each get the whole gradient; in practice only zeros are equal, and their gradient dies in the
    rectifier before.
    """

    @staticmethod
    def forward(ctx: Any, rows: Tensor, counts: Tensor, groups: tuple[tuple[str, int, int], ...]) -> Tensor:
        """Pools `[R, B, U]` rows, zeros where absent, with `[G, B]` counts, to `[B, F]`; see `pool_groups`."""
        width = rows.shape[-1]
        pooled = rows.new_empty((rows.shape[1], width * pooled_parts(groups)))
        start = 0
        for number, (_, first, last) in enumerate(groups):
            part = pooled[:, start : start + width]
            if last - first == 1:
                part.copy_(rows[first])
                start += width
                continue
            part.copy_(rows[first:last].amax(dim=0))
            mean = rows[first:last].sum(dim=0).div_(counts[number].unsqueeze(-1))
            pooled[:, start + width : start + 2 * width] = mean
            start += 2 * width
        ctx.save_for_backward(rows, counts, pooled)
        ctx.groups = groups
        return pooled

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None, None]:
        """Sends the maximum's gradient to the largest row and the mean's to all."""
        rows, counts, pooled = ctx.saved_tensors
        gradient = gradients[0]
        width = rows.shape[-1]
        covered = sum(last - first for _, first, last in ctx.groups) == rows.shape[0]
        result = torch.empty_like(rows) if covered else torch.zeros_like(rows)
        start = 0
        for number, (_, first, last) in enumerate(ctx.groups):
            of_first = gradient[:, start : start + width]
            if last - first == 1:
                result[first] = of_first
                start += width
                continue
            target = result[first:last]
            torch.eq(rows[first:last], pooled[:, start : start + width], out=target)
            target.mul_(of_first)
            target.add_(gradient[:, start + width : start + 2 * width] / counts[number].unsqueeze(-1))
            start += 2 * width
        return result, None, None


def pooled_parts(groups: tuple[tuple[str, int, int], ...]) -> int:
    """Number of pooled vectors: one for a group of one row, else maximum and mean."""
    return sum(1 if last - first == 1 else 2 for _, first, last in groups)


def pool_groups(rows: Tensor, encoded: Tensor, groups: tuple[tuple[str, int, int], ...]) -> Tensor:
    """Pools the encoded rows of every group over the present ones.

    Args:
        rows: `[R, B, C]` raw rows; all zeros where absent.
        encoded: `[R, B, U]`, not negative, zeros where absent.
        groups: name, first and last + 1 of each group; groups do not overlap.

    Returns:
        `[B, F]`: for each group its row if it has one only, else maximum and mean; zeros for an empty group.
    """
    # A sum of magnitudes is ten times as fast as comparing and reducing booleans.
    present = (rows.abs().sum(dim=-1) > 0).to(encoded.dtype)
    counts = torch.stack([present[first:last].sum(dim=0).clamp_min_(1.0) for _, first, last in groups])
    pooled: Tensor = PoolGroups.apply(encoded, counts, groups)  # type: ignore[no-untyped-call]
    return pooled


class ObservationEncoder(nn.Module):
    """Encodes a flat observation by its spec."""

    def __init__(
        self,
        spec: ObservationSpec,
        *,
        num_heroes: int,
        row_units: tuple[int, ...],
        hero_embedding: int,
        image_channels: tuple[int, ...],
        use_image: bool,
    ) -> None:
        """Builds one row encoder a block that has groups; other blocks pass as they are."""
        super().__init__()
        self.spec = spec
        self.pooled = tuple(block for block in spec.blocks if block.groups)
        self.encoders = nn.ModuleDict(
            {
                block.name: RowEncoder(
                    block.columns,
                    row_units,
                    num_heroes=num_heroes if block.name == spec.hero_block else 0,
                    hero_embedding=hero_embedding,
                )
                for block in self.pooled
            }
        )
        width = row_units[-1]
        self.features = sum(width * pooled_parts(b.groups) if b.groups else b.size for b in spec.blocks)
        self.image: ImageEncoder | None = None
        if use_image and spec.image is not None:
            self.image = ImageEncoder(spec.image, image_channels)
            self.features += self.image.features

    def forward(self, observation: Tensor, hero_ids: Tensor, dtype: torch.dtype) -> EncodedObservation:
        """Encodes observations.

        Args:
            observation: `[B, D]` float32.
            hero_ids: `[B, rows]` int16.
            dtype: type in which the rows are computed.

        Returns:
            Features side by side, and the encoded rows.
        """
        parts: list[Tensor] = []
        encoded: dict[str, Tensor] = {}
        for block in self.spec.blocks:
            offset = self.spec.offset(block.name)
            flat = observation[:, offset : offset + block.size]
            if not block.groups:
                parts.append(flat.to(dtype))
                continue
            rows = flat.view(-1, block.rows, block.columns).transpose(0, 1)
            rows = rows.to(dtype, memory_format=torch.contiguous_format)
            ids = hero_ids.t() if block.name == self.spec.hero_block else None
            encoded[block.name] = self.encoders[block.name](rows, ids)
            parts.append(pool_groups(rows, encoded[block.name], block.groups))
        if self.image is not None:
            parts.append(self.image(observation[:, sum(b.size for b in self.spec.blocks) :]))
        return EncodedObservation(torch.cat(parts, dim=1), encoded)
