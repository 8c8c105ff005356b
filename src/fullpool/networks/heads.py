"""Action heads: one fused linear layer, and target attention over the encoded units."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from fullpool.games.contract import ActionSpec
from fullpool.networks.encoders import Dense


class AttentionScores(torch.autograd.Function):
    """Products of every row with its agent's query, with a backward pass that expands nothing."""

    @staticmethod
    def forward(ctx: Any, rows: Tensor, query: Tensor) -> Tensor:
        """Takes rows `[R, B, U]` and queries `[B, U]`; returns scores `[R, B]`."""
        ctx.save_for_backward(rows, query)
        return (rows * query).sum(dim=-1)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, Tensor]:
        """Sends each score's gradient to its row and its query."""
        rows, query = ctx.saved_tensors
        of_scores = gradients[0].unsqueeze(-1)
        return of_scores * query, (of_scores * rows).sum(dim=0)


class ActionHeads(nn.Module):
    """Logits of every head from the memory; the target head also looks at the encoded units.

    Ye et al. 2020 attend to units with the LSTM's output as the query. The logit of a slot is the scaled product of
    the query with the row that the slot points at, plus the product of the memory with a key of the slot itself:
    a slot without a row has only the latter.
    """

    def __init__(self, action: ActionSpec, memory_units: int, row_units: int) -> None:
        """Builds one linear layer that holds all heads, padded to the widest, and the query."""
        super().__init__()
        self.num_heads = len(action.heads)
        self.num_choices = max(head.size for head in action.heads)
        self.target_blocks = action.target_blocks
        names = [head.name for head in action.heads]
        self.target = names.index(action.target_head) if action.target_head is not None else -1
        self.slots = action.heads[self.target].size if self.target >= 0 else 0
        self.row_units = row_units if self.target >= 0 else 0
        logits = self.num_heads * self.num_choices
        self.linear = Dense(memory_units, logits + self.row_units, gain=0.01)

    def draw(self, generator: torch.Generator) -> None:
        """Draws the query's weights larger than those of the logits; call it after the linear layer has drawn."""
        if self.target >= 0:
            query = self.linear.weight.data[self.num_heads * self.num_choices :]
            nn.init.orthogonal_(query, 0.5, generator)

    def forward(self, memory: Tensor, rows: dict[str, Tensor], target_rows: Tensor) -> Tensor:
        """Computes logits.

        Args:
            memory: `[B, L]`.
            rows: encoded rows of each block, `[R, B, U]`.
            target_rows: `[B, slots]` int16, -1: none.

        Returns:
            `[B, H, A]` float32; what pads a narrow head is meaningless.
        """
        output: Tensor = self.linear(memory).float()
        split = self.num_heads * self.num_choices
        logits = output[:, :split].view(-1, self.num_heads, self.num_choices)
        if self.target < 0:
            return logits
        query = output[:, split:] * (1.0 / math.sqrt(self.row_units))
        units = torch.cat([rows[name] for name in self.target_blocks])
        scores: Tensor = AttentionScores.apply(units, query.to(units.dtype))  # type: ignore[no-untyped-call]
        table = torch.cat([scores.float(), query.new_zeros((1, query.shape[0]))]).t()
        index = target_rows.long()
        index = torch.where(index < 0, table.shape[1] - 1, index)
        attended = functional.pad(torch.gather(table, 1, index), (0, self.num_choices - self.slots))
        return torch.cat(
            [
                logits[:, : self.target],
                (logits[:, self.target] + attended).unsqueeze(1),
                logits[:, self.target + 1 :],
            ],
            dim=1,
        )
