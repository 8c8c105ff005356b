"""One training loop for the predictor and the value network: AdamW, early stopping, resumable after any epoch."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor

from fullpool.drafting.files import Arrays
from fullpool.drafting.network import Mlp
from fullpool.drafting.settings import FitSettings
from fullpool.learning.divergence import check_figures, check_tensors

BatchLoss = Callable[[Tensor, torch.Generator], Tensor]
"""Rows of the training set and a source of randomness for dropout -> loss to descend."""


class FitMetrics(NamedTuple):
    """Row of an epoch: its number, mean training loss and validation loss in nats, and the best one so far."""

    epoch: int
    train_loss: float
    valid_loss: float
    best_loss: float


@dataclass(frozen=True, eq=False)
class FitState:
    """Everything that the next epoch depends on.

    Attributes:
        metrics: row of the last epoch.
        bad_epochs: epochs since the best validation loss.
        finished: whether training has stopped.
        arrays: weights, best weights and the optimizer's moments by name.
    """

    metrics: FitMetrics
    bad_epochs: int
    finished: bool
    arrays: Arrays


def _optimizer(net: Mlp, offset: torch.nn.Parameter, settings: FitSettings) -> torch.optim.AdamW:
    decayed = net.decayed()
    rest = [p for p in (*net.parameters(), offset) if all(p is not d for d in decayed)]
    groups = [
        {"params": decayed, "weight_decay": settings.weight_decay},
        {"params": rest, "weight_decay": 0.0},
    ]
    return torch.optim.AdamW(groups, lr=settings.learning_rate)


def _capture(
    named: dict[str, torch.nn.Parameter], best: dict[str, Tensor], optimizer: torch.optim.AdamW
) -> Arrays:
    arrays = {f"weights.{name}": p.detach().clone().numpy() for name, p in named.items()}
    arrays |= {f"best.{name}": t.numpy() for name, t in best.items()}
    for name, parameter in named.items():
        for key, value in optimizer.state[parameter].items():
            arrays[f"moment.{name}.{key}"] = value.clone().numpy()
    return arrays


def _restore(
    named: dict[str, torch.nn.Parameter], arrays: Arrays, optimizer: torch.optim.AdamW
) -> dict[str, Tensor]:
    for name, parameter in named.items():
        parameter.data.copy_(torch.from_numpy(arrays[f"weights.{name}"].copy()))
        # A parameter that is not trained has no moments.
        prefix = f"moment.{name}."
        moments = {key.removeprefix(prefix): value for key, value in arrays.items() if key.startswith(prefix)}
        if moments:
            optimizer.state[parameter] = {
                key: torch.from_numpy(value.copy()) for key, value in moments.items()
            }
    return {name: torch.from_numpy(arrays[f"best.{name}"].copy()) for name in named}


def fit(
    net: Mlp,
    offset: torch.nn.Parameter,
    batch_loss: BatchLoss,
    valid_loss: Callable[[], float],
    *,
    num_rows: int,
    settings: FitSettings,
    seed: int,
    resume: FitState | None = None,
    title: str = "the perceptron",
) -> Iterator[FitState]:
    """Trains until the validation loss no longer falls below its best, the start included; yields after each epoch.

    Every epoch draws from its own generator, so a resumed training takes the same steps as an uninterrupted one.

    Args:
        net: the network; holds the best weights once the iterator is exhausted.
        offset: scalar parameter beside the network.
        batch_loss: loss of some rows.
        valid_loss: mean validation loss of the current weights.
        num_rows: training rows.
        settings: size and training.
        seed: orders rows and draws dropout.
        resume: state to go on from.
        title: what the network is called in errors.

    Yields:
        The state after each epoch.

    Raises:
        Diverged: if a loss or a weight is no longer finite.
    """
    named = {**dict(net.named_parameters()), "offset": offset}
    optimizer = _optimizer(net, offset, settings)
    best = {name: p.detach().clone() for name, p in named.items()}
    best_loss, bad, epoch, finished = float("inf"), 0, 0, False
    if resume is not None:
        best = _restore(named, resume.arrays, optimizer)
        best_loss, bad = resume.metrics.best_loss, resume.bad_epochs
        epoch, finished = resume.metrics.epoch, resume.finished
    batch = min(settings.batch_size, num_rows)
    if resume is None:
        # What the network starts from may be good already: training must not make it worse.
        with torch.no_grad():
            best_loss = valid_loss()
        check_figures({"the validation loss": best_loss}, f"{title} before its first epoch")
    while not finished:
        epoch += 1
        generator = torch.Generator().manual_seed((seed * 1_000_003 + epoch) % 2**63)
        order = torch.randperm(num_rows, generator=generator)
        total, steps = 0.0, 0
        for start in range(0, num_rows - batch + 1, batch):
            loss = batch_loss(order[start : start + batch], generator)
            optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            optimizer.step()
            total, steps = total + float(loss.detach()), steps + 1
        with torch.no_grad():
            valid = valid_loss()
        bad = bad + 1
        if valid < best_loss:
            best_loss, bad = valid, 0
            best = {name: p.detach().clone() for name, p in named.items()}
        finished = epoch >= settings.max_epochs or bad >= settings.patience
        # The training loss is a sum over members, so that each member sees the step of a lone network.
        metrics = FitMetrics(epoch, total / (steps * net.members), valid, best_loss)
        where = f"{title} after {epoch} epochs"
        check_figures({"the training loss": metrics.train_loss, "the validation loss": valid}, where)
        check_tensors(named, where)
        yield FitState(metrics, bad, finished, _capture(named, best, optimizer))
    with torch.no_grad():
        for name, parameter in named.items():
            parameter.copy_(best[name])
