"""PPO losses against plain Python."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from fullpool.numerics.ppo import (
    RatioMode,
    combine_advantages,
    dual_clip_surrogate,
    explained_variance,
    normalise_advantages,
    policy_terms,
    value_errors,
)


def slow_surrogate(ratio: float, advantage: float, clip: float, dual: float | None) -> float:
    """Ye et al. 2020, eq. 1, for A < 0; plain PPO else."""
    clipped = min(max(ratio, 1 - clip), 1 + clip)
    plain = min(ratio * advantage, clipped * advantage)
    if advantage < 0 and dual is not None:
        return max(plain, dual * advantage)
    return plain


@given(
    ratio=st.floats(0.01, 20.0),
    advantage=st.floats(-5.0, 5.0),
    dual=st.sampled_from([None, 1.5, 3.0]),
)
@settings(max_examples=200, deadline=None)
def test_surrogate_equals_the_equation(ratio: float, advantage: float, dual: float | None) -> None:
    found = dual_clip_surrogate(
        torch.tensor(ratio, dtype=torch.float64),
        torch.tensor(advantage, dtype=torch.float64),
        clip_ratio=0.2,
        dual_clip=dual,
    )
    assert float(found) == pytest.approx(slow_surrogate(ratio, advantage, 0.2, dual), abs=1e-12)


@pytest.mark.parametrize(
    ("ratio", "advantage", "gradient"),
    [
        (1.0, 1.0, 1.0),
        (1.5, 1.0, 0.0),
        (0.5, 1.0, 1.0),
        (0.5, -1.0, 0.0),
        (2.0, -1.0, -1.0),
        (4.0, -1.0, 0.0),
    ],
)
def test_surrogate_gradient_stops_where_it_should(ratio: float, advantage: float, gradient: float) -> None:
    variable = torch.tensor(ratio, requires_grad=True)
    torch.autograd.backward(
        dual_clip_surrogate(variable, torch.tensor(advantage), clip_ratio=0.2, dual_clip=3.0)
    )
    assert variable.grad is not None
    assert float(variable.grad) == gradient


@pytest.mark.parametrize("mode", ["per_head", "joint"])
def test_terms_equal_plain_loops_and_ignore_unused_heads(mode: RatioMode) -> None:
    generator = np.random.default_rng(0)
    new, old = generator.normal(-1, 0.7, (20, 3)), generator.normal(-1, 0.7, (20, 3))
    used, advantages = generator.random((20, 3)) < 0.6, generator.normal(size=20)
    used[:, 0] = True
    terms = policy_terms(
        *(torch.from_numpy(array) for array in (new, old, used, advantages)),
        clip_ratio=0.2,
        dual_clip=3.0,
        ratio=mode,
    )
    for i in range(20):
        logs = [new[i, h] - old[i, h] for h in range(3) if used[i, h]]
        ratios = [math.exp(x) for x in logs] if mode == "per_head" else [math.exp(sum(logs))]
        objective = sum(slow_surrogate(ratio, advantages[i], 0.2, 3.0) for ratio in ratios)
        assert float(terms.objective[i]) == pytest.approx(objective)
        assert float(terms.kl[i]) == pytest.approx(sum(r - 1 - math.log(r) for r in ratios))
        assert float(terms.clipped[i]) == pytest.approx(np.mean([abs(r - 1) > 0.2 for r in ratios]))


def test_heads_are_scaled_before_they_are_weighted() -> None:
    advantages = torch.tensor([[1.0, 100.0], [-2.0, 50.0]])
    scales, weights = torch.tensor([1.0, 100.0]), torch.tensor([2.0, 0.5])
    combined = combine_advantages(advantages, scales, weights, mode="weighted_sum")
    torch.testing.assert_close(combined, torch.tensor([2.5, -3.75]))
    mean = combine_advantages(advantages, scales, weights, mode="mean")
    torch.testing.assert_close(mean, torch.tensor([1.0, -0.75]))


def test_normalising_counts_valid_decisions_only() -> None:
    advantages, valid = torch.tensor([1.0, 3.0, 1000.0]), torch.tensor([True, True, False])
    torch.testing.assert_close(normalise_advantages(advantages, valid), torch.tensor([-1.0, 1.0, 0.0]))
    assert (normalise_advantages(advantages, torch.zeros(3, dtype=torch.bool)) == 0).all()
    assert (normalise_advantages(torch.full((4,), 7.0), torch.ones(4, dtype=torch.bool)) == 0).all()


def test_value_errors_sum_over_heads() -> None:
    errors = value_errors(torch.tensor([[1.0, 2.0]]), torch.tensor([[0.0, 5.0]]))
    torch.testing.assert_close(errors, torch.tensor([10.0]))


def test_explained_variance_of_perfect_useless_and_constant_heads() -> None:
    targets = torch.tensor([[1.0, 1.0, 2.0], [2.0, 2.0, 2.0], [4.0, 4.0, 2.0], [9.0, 9.0, 9.0]])
    values = torch.tensor([[1.0, 5.0, 0.0], [2.0, 5.0, 1.0], [4.0, 5.0, 2.0], [0.0, 0.0, 0.0]])
    found = explained_variance(values, targets, torch.tensor([True, True, True, False]))
    torch.testing.assert_close(found, torch.tensor([1.0, 0.0, 0.0]))
