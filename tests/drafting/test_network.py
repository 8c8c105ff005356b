from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from fullpool.drafting.network import Mlp, check_arrays, dense, mlp_outputs


@settings(deadline=None, max_examples=15)
@given(st.integers(1, 4), st.integers(1, 20), st.integers(0, 2**31))
def test_the_kernel_agrees_with_torch(members: int, first: int, seed: int) -> None:
    net = Mlp(12, (first, 5), members, torch.Generator().manual_seed(seed))
    with torch.no_grad():
        for parameter in net.parameters():
            parameter.add_(
                0.1 * torch.randn(parameter.shape, generator=torch.Generator().manual_seed(seed + 1))
            )
    rows = np.random.default_rng(seed).integers(-1, 12, (9, 6)).astype(np.int32)
    expected = net(dense(rows, 12)).mean(0).detach().numpy()
    np.testing.assert_allclose(mlp_outputs(rows, *net.arrays()), expected, atol=1e-5)


def test_dense_counts_repeated_ones_and_skips_missing() -> None:
    np.testing.assert_array_equal(dense(np.array([[0, 2, 2, -1]], np.int32), 3).numpy(), [[1, 0, 2]])


def test_dropout_needs_a_generator_and_follows_its_seed() -> None:
    net = Mlp(6, (8, 4), 2, torch.Generator().manual_seed(0))
    rows = dense(np.array([[0, 1, 2]], np.int32), 6)
    plain = net(rows, dropout=0.5)
    assert torch.equal(plain, net(rows))
    drawn = [net(rows, 0.5, torch.Generator().manual_seed(seed)) for seed in (1, 1, 2)]
    assert torch.equal(drawn[0], drawn[1])
    assert not torch.equal(drawn[0], drawn[2])


def test_damaged_weights_are_refused() -> None:
    arrays = Mlp(6, (8, 4), 2, torch.Generator().manual_seed(0)).arrays()
    check_arrays(arrays, 6, "here")
    with pytest.raises(ValueError, match=r"here: weights 'w1' must have shape \(7, 16\), got \(6, 16\)"):
        check_arrays(arrays, 7, "here")
    arrays.b2[0, 0] = np.nan
    with pytest.raises(ValueError, match="weights 'b2' are not finite"):
        check_arrays(arrays, 6, "here")
