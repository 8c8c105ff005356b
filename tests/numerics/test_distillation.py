"""Distillation losses against plain Python loops over every combination."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from fullpool.games.testing import toy_spec
from fullpool.networks.layout import build_tables
from fullpool.numerics.distillation import exact_cross_entropy, sampled_cross_entropy, value_distance
from fullpool.numerics.distributions import extend_masks

NUMBER = 12


def softmax(logits: list[float], legal: list[bool]) -> list[float]:
    """Plain softmax over the legal entries."""
    weights = [math.exp(x) if ok else 0.0 for x, ok in zip(logits, legal, strict=True)]
    return [w / sum(weights) for w in weights]


def slow_entropy(teacher: list[float], student: list[float], legal: list[bool]) -> float:
    """Cross-entropy of one masked head."""
    p, q = softmax(teacher, legal), softmax(student, legal)
    return -sum(a * math.log(b) for a, b in zip(p, q, strict=True) if a > 0)


class Case:
    """Random logits and masks of the toy game's action."""

    def __init__(self) -> None:
        self.action = toy_spec().action
        generator = np.random.default_rng(0)
        self.sizes = [head.size for head in self.action.heads]
        width = max(self.sizes)
        self.teacher = generator.normal(size=(NUMBER, len(self.sizes), width))
        self.student = generator.normal(size=(NUMBER, len(self.sizes), width))
        self.masks = (generator.random((NUMBER, self.action.mask_size)) < 0.6).astype(np.uint8)
        start = 0
        for rows, columns in self.action.mask_shapes:
            for _ in range(rows):
                self.masks[:, start] = 1
                start += columns
        self.heroes = generator.integers(0, 8, NUMBER)
        self.tables = build_tables(self.action)

    def legal(self, i: int, head: int, first: int) -> list[bool]:
        """Legal choices of a head when `first` is played."""
        row = 0 if head == 0 else int(self.action.mask_rows[head, first])
        offset = sum(r * c for r, c in self.action.mask_shapes[:head])
        size = self.sizes[head]
        if row < 0:
            return [True] * size
        return [bool(x) for x in self.masks[i, offset + row * size : offset + (row + 1) * size]]

    def head_entropy(self, i: int, head: int, first: int) -> float:
        """Cross-entropy of one head when `first` is played."""
        size = self.sizes[head]
        rows = (self.teacher[i, head, :size].tolist(), self.student[i, head, :size].tolist())
        return slow_entropy(*rows, self.legal(i, head, first))

    def tensors(self) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
        """Teacher, student, extended masks, heroes."""
        logits = (torch.from_numpy(x).float() for x in (self.teacher, self.student))
        teacher, student = logits
        return teacher, student, extend_masks(torch.from_numpy(self.masks)), torch.from_numpy(self.heroes)


def test_exact_cross_entropy_equals_the_sum_over_every_button() -> None:
    case = Case()
    found = exact_cross_entropy(*case.tensors(), case.tables)
    for i in range(NUMBER):
        legal = case.legal(i, 0, 0)
        total = case.head_entropy(i, 0, 0)
        chances = softmax(case.teacher[i, 0, : case.sizes[0]].tolist(), legal)
        for first, chance in enumerate(chances):
            if chance == 0:
                continue
            for head in range(1, len(case.sizes)):
                if case.action.uses[case.heroes[i], first, head]:
                    total += chance * case.head_entropy(i, head, first)
        assert float(found[i]) == pytest.approx(total, rel=1e-5)


def test_sampled_cross_entropy_counts_the_heads_of_the_played_button() -> None:
    case = Case()
    first = torch.arange(NUMBER) % case.sizes[0]
    found = sampled_cross_entropy(*case.tensors(), first, case.tables)
    for i in range(NUMBER):
        played = int(first[i])
        used = [h for h in range(len(case.sizes)) if case.action.uses[case.heroes[i], played, h]]
        expected = sum(case.head_entropy(i, head, played) for head in used)
        assert float(found[i]) == pytest.approx(expected, rel=1e-5)


def test_cross_entropy_is_least_at_the_teacher() -> None:
    teacher, student, masks, heroes = Case().tensors()
    tables = Case().tables
    own = exact_cross_entropy(teacher, teacher, masks, heroes, tables)
    others = exact_cross_entropy(teacher, student, masks, heroes, tables)
    assert (own <= others).all()
    assert (own < others)[own > 0].all()
    assert (own > 0).any()
    variable = teacher.clone().requires_grad_()
    torch.autograd.backward(exact_cross_entropy(teacher, variable, masks, heroes, tables).sum())
    assert variable.grad is not None
    torch.testing.assert_close(variable.grad, torch.zeros_like(teacher), atol=1e-6, rtol=0)


def test_a_mask_row_without_a_legal_entry_harms_nothing() -> None:
    teacher, student, masks, heroes = Case().tensors()
    masks = masks.clone()
    masks[:, 1:4] = 0  # only button 0 is legal
    masks[:, 4:10] = 0  # the target row of button 2 is empty
    variable = student.clone().requires_grad_()
    found = exact_cross_entropy(teacher, variable, masks, heroes, Case().tables)
    torch.testing.assert_close(found, torch.zeros(NUMBER), atol=1e-6, rtol=0)
    torch.autograd.backward(found.sum())
    assert variable.grad is not None
    assert torch.isfinite(variable.grad).all()


def test_value_distance_is_in_units_of_the_scale() -> None:
    found = value_distance(
        torch.tensor([[3.0, 10.0]]), torch.tensor([[1.0, 30.0]]), torch.tensor([1.0, 10.0])
    )
    torch.testing.assert_close(found, torch.tensor([8.0]))
