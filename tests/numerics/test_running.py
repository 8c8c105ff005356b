"""Running moments against numpy over everything seen."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from fullpool.numerics.running import RunningMoments


def test_moments_equal_those_of_all_samples_until_memory_is_full() -> None:
    generator = np.random.default_rng(0)
    batches = [generator.normal(3.0, 2.0, size=(number, 2)) for number in (5, 1, 40)]
    moments = RunningMoments(2, memory=1e6)
    for batch in batches:
        moments.update(torch.from_numpy(batch))
    seen = np.concatenate(batches)
    np.testing.assert_allclose(moments.mean.numpy(), seen.mean(axis=0), rtol=1e-9)
    np.testing.assert_allclose(moments.variance.numpy(), seen.var(axis=0), rtol=1e-9)


def test_only_valid_samples_count_and_none_change_nothing() -> None:
    moments = RunningMoments(1, memory=100)
    moments.update(torch.tensor([[1.0], [99.0]]), torch.tensor([True, False]))
    assert moments.mean.item() == 1.0
    moments.update(torch.tensor([[5.0]]), torch.tensor([False]))
    assert moments.count == 1.0


def test_a_bounded_memory_follows_a_shift() -> None:
    moments = RunningMoments(1, memory=100)
    moments.update(torch.zeros(1000, 1))
    for _ in range(20):
        moments.update(torch.ones(50, 1))
    assert moments.mean.item() == pytest.approx(1.0, abs=1e-3)


def test_normalising_is_undone_and_state_survives() -> None:
    moments = RunningMoments(2, memory=50)
    moments.update(torch.randn(30, 2, generator=torch.Generator().manual_seed(0)) * 3 + 1)
    values = torch.tensor([[0.5, -2.0]])
    torch.testing.assert_close(moments.denormalise(moments.normalise(values)), values)
    other = RunningMoments(2, memory=50)
    other.load_state(moments.state())
    torch.testing.assert_close(other.normalise(values), moments.normalise(values))
    with pytest.raises(ValueError, match="other reward heads"):
        RunningMoments(3, memory=50).load_state(moments.state())


def test_a_head_that_never_pays_has_a_positive_std() -> None:
    moments = RunningMoments(1, memory=50)
    moments.update(torch.zeros(10, 1))
    assert moments.std.item() > 0
