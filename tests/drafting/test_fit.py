from __future__ import annotations

import numpy as np
import pytest
import torch

from fullpool.drafting.fit import FitState, fit
from fullpool.drafting.network import Mlp
from fullpool.drafting.settings import FitSettings
from fullpool.learning.divergence import Diverged

ROWS = torch.eye(6).repeat(20, 1)
TARGETS = (ROWS[:, 0] + ROWS[:, 3] > 0).float()


def _settings(**changes: object) -> FitSettings:
    values = {
        "hidden": (8, 4), "members": 2, "learning_rate": 0.01, "weight_decay": 0.1, "dropout": 0.2,
        "batch_size": 32, "max_epochs": 6, "patience": 3,
    }  # fmt: skip
    return FitSettings.model_validate({**values, **changes})


def _run(
    settings: FitSettings, resume: FitState | None = None, held_out: torch.Tensor = TARGETS
) -> tuple[Mlp, list[FitState]]:
    net, offset = Mlp(6, (8, 4), 2, torch.Generator().manual_seed(0)), torch.nn.Parameter(torch.zeros(()))
    cross_entropy = torch.nn.functional.binary_cross_entropy_with_logits

    def batch_loss(rows: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
        logits = net(ROWS[rows], settings.dropout, generator) + offset
        return cross_entropy(logits, TARGETS[rows].expand_as(logits), reduction="none").mean(1).sum()

    def valid_loss() -> float:
        return float(cross_entropy(net(ROWS).mean(0) + offset, held_out))

    states = fit(net, offset, batch_loss, valid_loss, num_rows=120, settings=settings, seed=1, resume=resume)
    return net, list(states)


def test_a_resumed_training_ends_with_the_same_weights() -> None:
    whole, states = _run(_settings())
    for state in states[:-1]:
        resumed, rest = _run(_settings(), state)
        assert [s.metrics for s in rest] == [s.metrics for s in states[state.metrics.epoch :]]
        for one, other in zip(whole.parameters(), resumed.parameters()):
            assert torch.equal(one, other)


def test_training_lowers_the_loss_and_keeps_the_best_weights() -> None:
    net, states = _run(_settings(max_epochs=30, patience=30, dropout=0.0))
    losses = [s.metrics.valid_loss for s in states]
    assert states[-1].metrics.best_loss == min(losses) < 0.5 * losses[0]
    best = states[int(np.argmin(losses))].arrays
    np.testing.assert_array_equal(net.w1.detach().numpy(), best["weights.w1"])


def test_training_stops_when_patience_ends() -> None:
    net, states = _run(_settings(max_epochs=50, patience=4), held_out=1 - TARGETS)
    assert [s.bad_epochs for s in states] == [1, 2, 3, 4]
    assert [s.finished for s in states] == [False] * 3 + [True]
    np.testing.assert_array_equal(net.w1.detach().numpy(), states[0].arrays["best.w1"])


def test_a_finished_state_resumes_to_nothing() -> None:
    _, states = _run(_settings(max_epochs=2))
    assert _run(_settings(max_epochs=2), states[-1])[1] == []


def _stray(factor: float, losses: list[float], *, spoil: bool = False) -> list[FitState]:
    """A training with given validation losses, whose training loss is scaled; it may lose its weights on the way."""
    net, offset = Mlp(6, (8, 4), 1, torch.Generator().manual_seed(0)), torch.nn.Parameter(torch.zeros(()))
    left = list(losses)

    def batch_loss(rows: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
        loss: torch.Tensor = net(ROWS[rows]).sum() * factor
        return loss

    def valid_loss() -> float:
        if spoil and len(left) == 1:
            net.b1.data.fill_(torch.inf)
        return left.pop(0)

    states = fit(
        net, offset, batch_loss, valid_loss, num_rows=120, settings=_settings(), seed=1, title="the predictor"
    )
    return list(states)


def test_numbers_that_are_not_finite_end_the_training_with_a_line() -> None:
    before, after = "the predictor before its first epoch", "the predictor after 1 epochs"
    with pytest.raises(Diverged, match=f"^{before}: training went astray, the validation loss is nan"):
        _stray(1.0, [float("nan")])
    with pytest.raises(Diverged, match=f"^{after}: training went astray, the validation loss is inf"):
        _stray(1.0, [1.0, float("inf")])
    with pytest.raises(Diverged, match=f"^{after}: training went astray, the training loss is nan"):
        _stray(float("nan"), [1.0, 1.0])
    with pytest.raises(Diverged, match=f"^{after}: training went astray, b1 holds numbers"):
        _stray(0.0, [1.0, 1.0], spoil=True)
