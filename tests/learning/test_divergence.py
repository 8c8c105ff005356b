"""Numbers that are not finite end a training in one line that says what to do."""

from __future__ import annotations

import math

import pytest
import torch

from fullpool.learning.divergence import Diverged, check_figures, check_tensors

WHERE = "merged after 1,200 agent-steps"


def test_finite_numbers_pass() -> None:
    check_figures({"value_loss": 1e30, "learning_rate": 0.0}, WHERE)
    check_tensors({"weight": torch.ones(3), "steps": torch.ones((), dtype=torch.int64)}, WHERE)


@pytest.mark.parametrize("bad", [math.inf, -math.inf, math.nan])
def test_the_first_figure_or_tensor_that_is_not_finite_is_named(bad: float) -> None:
    with pytest.raises(Diverged) as caught:
        check_figures({"value_loss": 1.0, "gradient_norm": bad}, WHERE)
    line = str(caught.value)
    assert line.startswith(f"{WHERE}: training went astray, gradient_norm is {bad}.")
    assert "Lower the learning rate" in line
    assert "\n" not in line
    with pytest.raises(Diverged, match="trunk holds numbers that are not finite"):
        check_tensors({"head": torch.ones(2), "trunk": torch.tensor([[1.0, bad]])}, WHERE)
