"""Target attention against plain autograd."""

from __future__ import annotations

import torch

from fullpool.networks.heads import AttentionScores


def test_scores_are_products_and_their_gradient_is_numerically_right() -> None:
    generator = torch.Generator().manual_seed(0)
    rows = torch.randn(5, 3, 4, generator=generator, dtype=torch.float64).requires_grad_()
    query = torch.randn(3, 4, generator=generator, dtype=torch.float64).requires_grad_()
    scores = AttentionScores.apply(rows, query)  # type: ignore[no-untyped-call]
    torch.testing.assert_close(scores, torch.einsum("rbu,bu->rb", rows, query))
    assert torch.autograd.gradcheck(AttentionScores.apply, (rows, query))
