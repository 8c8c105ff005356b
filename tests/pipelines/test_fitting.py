"""Epochs become generations, and a training goes on from one of them to the same network."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import torch

from fullpool.drafting.fit import FitMetrics, FitState, fit
from fullpool.drafting.network import Mlp
from fullpool.drafting.settings import FitSettings
from fullpool.pipelines import fitting

SETTINGS = FitSettings(
    hidden=(4, 3),
    members=1,
    learning_rate=0.01,
    weight_decay=0.0,
    dropout=0.0,
    batch_size=8,
    max_epochs=6,
    patience=6,
)


def train(resume: FitState | None = None) -> Iterator[tuple[FitMetrics, FitState, str | None]]:
    net = Mlp(5, SETTINGS.hidden, 1, torch.Generator().manual_seed(0))
    offset = torch.nn.Parameter(torch.zeros(()))
    inputs = torch.rand(32, 5, generator=torch.Generator().manual_seed(1))

    def batch_loss(rows: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
        loss: torch.Tensor = ((net(inputs[rows]) + offset - inputs[rows].sum(1)) ** 2).mean()
        return loss

    def valid_loss() -> float:
        return float(batch_loss(torch.arange(32), torch.Generator()))

    for state in fit(
        net, offset, batch_loss, valid_loss, num_rows=32, settings=SETTINGS, seed=3, resume=resume
    ):
        yield state.metrics, state, "network" if state.finished else None


def test_a_state_survives_the_disk_and_leads_to_the_same_end(tmp_path: Path) -> None:
    whole = list(train())
    fitting.save_state(tmp_path, whole[2][1])
    rest = list(train(fitting.load_state(tmp_path)))
    assert [metrics for metrics, _, _ in rest] == [metrics for metrics, _, _ in whole[3:]]
    last, expected = rest[-1][1].arrays, whole[-1][1].arrays
    assert last.keys() == expected.keys()
    assert all(np.array_equal(last[name], expected[name]) for name in last)


@pytest.mark.parametrize(("step_s", "numbers"), [(0.0, [6]), (6.0, [1, 2, 3, 4, 5, 6]), (3.0, [2, 4, 6])])
def test_epochs_are_saved_now_and_then_and_every_row_travels_once(
    step_s: float, numbers: list[int], tmp_path: Path
) -> None:
    times = iter(range(100))

    def finish(network: str) -> tuple[fitting.SaveFn, dict[str, float]]:
        return lambda folder: (folder / network).touch(), {"score": 1.0}

    generations = list(
        fitting.generations(train(), "value", finish, prefix="v_", clock=lambda: next(times) * step_s)
    )
    assert [generation.number for generation in generations] == numbers
    rows = [row for generation in generations for row in generation.rows]
    assert [row.step for row in rows] == [1, 2, 3, 4, 5, 0, 6]
    assert rows.pop(-2).values == {"score": 1.0}
    assert all(row.values.keys() == {"v_train_loss", "v_valid_loss", "v_best_loss"} for row in rows)
    generations[-1].save(tmp_path)
    assert (tmp_path / "network").is_file()
