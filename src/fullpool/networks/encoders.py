"""Encoders of unit rows: a shared network a block kind, group pooling, optional image.

Rows lead: blocks are `[rows, B, columns]`, so that a group is a contiguous slice, pooling reduces over the first
axis and every layer is one large matrix product. Row encoders have no biases: an absent row is all zeros and stays
all zeros through them, so that no mask is needed (a game's presence flag acts as the bias).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

from fullpool.games.contract import ObservationSpec, UnitBlock


class EncodedObservation(NamedTuple):
    """An observation after its row encoders.

    Attributes:
        features: `[B, F]` pooled groups, plain blocks and image, side by side.
        rows: encoded rows of each pooled block by its name, `[rows, B, U]`.
    """

    features: Tensor
    rows: dict[str, Tensor]


def orthogonal_linear(inputs: int, outputs: int, *, gain: float, bias: bool = True) -> nn.Linear:
    """Makes a linear layer with orthogonal weights and zero bias (Saxe et al. 2014)."""
    layer = nn.Linear(inputs, outputs, bias=bias)
    nn.init.orthogonal_(layer.weight, gain)
    if bias:
        nn.init.zeros_(layer.bias)
    return layer


def dense_layers(inputs: int, units: tuple[int, ...]) -> nn.Sequential:
    """Stacks linear layers, each followed by a rectifier."""
    layers: list[nn.Module] = []
    for width in units:
        layers += [orthogonal_linear(inputs, width, gain=math.sqrt(2.0)), nn.ReLU(inplace=True)]
        inputs = width
    return nn.Sequential(*layers)


class RowEncoder(nn.Module):
    """Shared encoder of the rows of one block, with the hero's embedding added where rows are heroes."""

    def __init__(self, columns: int, units: tuple[int, ...], *, num_heroes: int, hero_embedding: int) -> None:
        """Builds the layers; `num_heroes` 0: the rows are no heroes."""
        super().__init__()
        sizes = (columns, *units)
        self.layers = nn.ModuleList(
            orthogonal_linear(sizes[i], sizes[i + 1], gain=math.sqrt(2.0), bias=False) for i in range(len(units))
        )
        self.embedding: nn.Parameter | None = None
        if num_heroes > 0:
            self.embedding = nn.Parameter(torch.randn(num_heroes, hero_embedding) * 0.1)
            self.projection = orthogonal_linear(hero_embedding, units[0], gain=1.0, bias=False)

    def forward(self, rows: Tensor, hero_ids: Tensor | None) -> Tensor:
        """Encodes rows.

        Args:
            rows: `[R, B, C]`, contiguous.
            hero_ids: `[R, B]` hero of each row, -1: absent; None where rows are no heroes.

        Returns:
            `[R, B, U]`, not negative; zeros for absent rows.
        """
        first = functional.linear(rows, self.layers[0].weight)
        if self.embedding is not None and hero_ids is not None:
            table = functional.pad(self.projection(self.embedding), (0, 0, 1, 0)).to(first.dtype)
            first = first + functional.embedding(hero_ids.long() + 1, table)
        hidden = torch.relu_(first)
        for layer in self.layers[1:]:
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
        encoded: Tensor = self.layers(image.unflatten(1, self.shape))
        return encoded


def pool_group(rows: Tensor, present: Tensor) -> tuple[Tensor, Tensor]:
    """Pools the rows of one group.

    Args:
        rows: `[n, B, U]`, not negative, zeros where absent.
        present: `[n, B]` 1 where a row is present.

    Returns:
        Maximum and mean over present rows, `[B, U]` each; zeros for an empty group.
    """
    shares = present / present.sum(dim=0).clamp_min(1.0)
    return rows.amax(dim=0), (rows * shares.unsqueeze(-1)).sum(dim=0)


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
        singles = sum(1 for block in self.pooled for _, first, last in block.groups if last - first == 1)
        groups = sum(len(block.groups) for block in self.pooled)
        self.features = width * (2 * groups - singles) + sum(b.size for b in spec.blocks if not b.groups)
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
            rows = flat.unflatten(1, (block.rows, block.columns)).transpose(0, 1)
            rows = rows.to(dtype, memory_format=torch.contiguous_format, copy=True)
            ids = hero_ids.t() if block.name == self.spec.hero_block else None
            encoded[block.name] = self.encoders[block.name](rows, ids)
            parts += self._pool(block, encoded[block.name], rows, ids)
        if self.image is not None:
            parts.append(self.image(observation[:, sum(b.size for b in self.spec.blocks) :]))
        return EncodedObservation(torch.cat(parts, dim=1), encoded)

    def _pool(self, block: UnitBlock, encoded: Tensor, rows: Tensor, ids: Tensor | None) -> list[Tensor]:
        """Pools every group of a block; a group of one row is used as it is."""
        present = ((ids >= 0) if ids is not None else (rows != 0).any(dim=-1)).to(encoded.dtype)
        parts: list[Tensor] = []
        for _, first, last in block.groups:
            if last - first == 1:
                parts.append(encoded[first])
            else:
                parts += pool_group(encoded[first:last], present[first:last])
        return parts
