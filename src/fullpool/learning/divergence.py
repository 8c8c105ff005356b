"""Training whose numbers are no longer finite has gone astray: the one place that finds it and says what to do."""

from __future__ import annotations

import math
from collections.abc import Mapping

import torch
from torch import Tensor


class Diverged(ValueError):
    """Training ran into numbers that are not finite; what was saved before is untouched."""


def check_figures(figures: Mapping[str, float], where: str) -> None:
    """Refuses figures of training that are not finite.

    Args:
        figures: losses, gradient norms and the like, by name.
        where: who trains and how far it has come, such as `merged after 12,000 agent-steps`.

    Raises:
        Diverged: naming the first one that is infinite or undefined.
    """
    for name, value in figures.items():
        if not math.isfinite(value):
            raise _diverged(f"{name} is {value}", where)


def check_tensors(tensors: Mapping[str, Tensor], where: str) -> None:
    """Refuses weights and moments of an optimiser that are not finite.

    Args:
        tensors: by name.
        where: who trains and how far it has come.

    Raises:
        Diverged: naming the first one that holds an infinite or undefined number.
    """
    for name, tensor in tensors.items():
        if not bool(torch.isfinite(tensor).all()):
            raise _diverged(f"{name} holds numbers that are not finite", where)


def _diverged(what: str, where: str) -> Diverged:
    return Diverged(
        f"{where}: training went astray, {what}. Nothing was saved since the last generation. Lower the learning "
        "rate, and start a new campaign, or delete the stage's folder to do this stage anew"
    )
