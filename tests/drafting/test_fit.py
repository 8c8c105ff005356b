from __future__ import annotations

import numpy as np
import torch

from fullpool.drafting.fit import FitState, fit
from fullpool.drafting.network import Mlp
from fullpool.drafting.settings import FitSettings

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
