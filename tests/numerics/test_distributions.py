"""Masked factored distributions against plain Python loops."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from fullpool.games.contract import ActionHead, ActionSpec
from fullpool.networks.layout import build_tables
from fullpool.numerics.distributions import (
    choice_log_probs,
    choice_statistics,
    extend_masks,
    greedy_choices,
    legal_choices,
    masked_log_probs,
    masked_probabilities,
    sample_choices,
    used_heads,
)

SIZES = (4, 5, 3)


def make_action() -> ActionSpec:
    """Buttons: 0 alone, 1 with head 2, 2 and 3 with head 1 under different mask rows; hero 1 adds head 2 to 3."""
    uses = np.zeros((2, 4, 3), np.bool_)
    uses[:, :, 0] = True
    uses[:, 1, 2], uses[:, 2, 1], uses[:, 3, 1], uses[1, 3, 2] = True, True, True, True
    mask_rows = np.array([[0, 0, 0, 0], [-1, -1, 0, 1], [-1, 0, -1, -1]], np.int32)
    return ActionSpec(tuple(ActionHead(n, s) for n, s in zip("abc", SIZES, strict=True)), uses, mask_rows)


def make_masks(number: int, seed: int = 0) -> np.ndarray:
    """Random flat masks in which every row has a legal entry."""
    generator = np.random.default_rng(seed)
    masks = (generator.random((number, make_action().mask_size)) < 0.5).astype(np.uint8)
    for start in (0, 4, 9, 14):
        masks[:, start] = 1
    return masks


def slow_legal(mask: np.ndarray, first: int) -> list[list[bool]]:
    """Legal choices of every head by the spec's words."""
    action = make_action()
    offset, legal = 0, []
    for head, (rows, columns) in enumerate(action.mask_shapes):
        row = 0 if head == 0 else int(action.mask_rows[head, first])
        block = mask[offset : offset + rows * columns].reshape(rows, columns)
        legal.append([True] * columns if row < 0 else [bool(x) for x in block[row]])
        offset += rows * columns
    return legal


def test_legal_choices_follow_the_spec() -> None:
    tables, masks = build_tables(make_action()), make_masks(40)
    first = np.arange(40) % 4
    legal = legal_choices(extend_masks(torch.from_numpy(masks)), torch.from_numpy(first), tables)
    for i in range(40):
        for head, row in enumerate(slow_legal(masks[i], int(first[i]))):
            assert legal[i, head].tolist() == row + [False] * (5 - len(row))


def test_used_heads_depend_on_hero_and_button() -> None:
    tables = build_tables(make_action())
    used = used_heads(torch.tensor([0, 1]), torch.tensor([3, 3]), tables)
    assert used.tolist() == [[True, True, False], [True, True, True]]


def test_statistics_equal_plain_loops() -> None:
    generator = torch.Generator().manual_seed(1)
    logits = torch.randn(30, 3, 5, generator=generator)
    legal = torch.rand(30, 3, 5, generator=generator) < 0.5
    legal[..., 2] = True
    choices = torch.full((30, 3), 2)
    log_probs, entropy = choice_statistics(logits, legal, choices)
    for i, head in np.ndindex(30, 3):
        weights = [
            math.exp(float(x)) if ok else 0.0 for x, ok in zip(logits[i, head], legal[i, head], strict=True)
        ]
        probabilities = [w / sum(weights) for w in weights]
        assert float(log_probs[i, head]) == pytest.approx(math.log(probabilities[2]), abs=1e-5)
        expected = -sum(p * math.log(p) for p in probabilities if p > 0)
        assert float(entropy[i, head]) == pytest.approx(expected, abs=1e-5)


def test_gradients_equal_autograd_and_vanish_for_illegal_choices() -> None:
    generator = torch.Generator().manual_seed(2)
    logits = torch.randn(6, 4, generator=generator, requires_grad=True)
    legal = torch.tensor([[True, True, False, True]] * 6)
    choices = torch.tensor([0, 1, 3, 0, 1, 3])
    weights = torch.randn(2, 6, generator=generator)
    log_probs, entropy = choice_statistics(logits, legal, choices)
    (found,) = torch.autograd.grad((weights[0] * log_probs + weights[1] * entropy).sum(), logits)
    plain = torch.log_softmax(logits.masked_fill(~legal, -1e9), dim=-1)
    chosen = choice_log_probs(plain.unsqueeze(1), choices.unsqueeze(1)).squeeze(1)
    loss = (weights[0] * chosen - weights[1] * (plain.exp() * plain).sum(dim=-1)).sum()
    (expected,) = torch.autograd.grad(loss, logits)
    torch.testing.assert_close(found, expected)
    assert (found[:, 2] == 0).all()


def test_samples_are_legal_and_follow_the_probabilities() -> None:
    logits = torch.tensor([0.0, 1.0, 5.0, -1.0])
    legal = torch.tensor([True, True, False, True])
    probabilities = masked_probabilities(logits, legal).expand(40_000, 4)
    drawn = sample_choices(probabilities, torch.Generator().manual_seed(0))
    shares = torch.bincount(drawn, minlength=4) / 40_000
    assert shares[2] == 0
    torch.testing.assert_close(shares, probabilities[0], atol=0.01, rtol=0)


def test_samples_are_legal_when_only_one_choice_is() -> None:
    legal = torch.zeros(1000, 7, dtype=torch.bool)
    legal[torch.arange(1000), torch.arange(1000) % 7] = True
    probabilities = masked_probabilities(torch.randn(1000, 7), legal)
    drawn = sample_choices(probabilities, torch.Generator().manual_seed(0))
    assert (drawn == torch.arange(1000) % 7).all()
    assert (greedy_choices(probabilities) == torch.arange(1000) % 7).all()


def test_the_same_generator_draws_the_same() -> None:
    probabilities = torch.full((50, 6), 1 / 6)
    draws = [sample_choices(probabilities, torch.Generator().manual_seed(3)) for _ in range(2)]
    assert torch.equal(*draws)


def test_extreme_logits_stay_finite() -> None:
    logits = torch.tensor([[1e4, -1e4, 0.0]])
    log_probs = masked_log_probs(logits, torch.tensor([[True, True, False]]))
    assert torch.isfinite(log_probs).all()
    _, entropy = choice_statistics(logits, torch.tensor([[True, True, False]]), torch.tensor([1]))
    assert torch.isfinite(entropy).all()


def test_tables_refuse_arrays_that_do_not_fit() -> None:
    action = make_action()
    with pytest.raises(ValueError, match="mask_rows must be"):
        build_tables(ActionSpec(action.heads, action.uses, action.mask_rows[:2]))
    with pytest.raises(ValueError, match="uses must be"):
        build_tables(ActionSpec(action.heads, action.uses[:, :2], action.mask_rows))
