"""A head start for the predictor: it first imitates a ridge regression on pairs of heroes.

With ten thousand matches a perceptron that starts from random weights may never leave the plateau on which only
strengths are seen, while a logistic regression with pair columns finds the pairs at once, but nothing beyond. So the
regression is fitted on the training matches, the perceptron learns its log-odds on as many made-up line-ups as it
needs, and the matches then correct it. The perceptron stays the one that is described in the paper.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from fullpool.drafting.linear import PairRegression, fit_pairs
from fullpool.drafting.network import Indices, Mlp, dense, pair_indices
from fullpool.drafting.records import MatchTable
from fullpool.drafting.settings import HeadStartSettings
from fullpool.games.contract import Floats

CHUNK_STEPS = 50
"""Steps whose line-ups are drawn and labelled in one go."""


def imitate_pairs(
    net: Mlp,
    matches: MatchTable,
    train: NDArray[np.int64],
    validation: NDArray[np.int64],
    settings: HeadStartSettings,
    *,
    strengths: Sequence[float],
    side_offset: bool,
    seed: int,
) -> float:
    """Trains the network, in place, to give the log-odds of a regression on pairs.

    Args:
        net: the network; `f(A, B) - f(B, A)` are its log-odds.
        matches: checked match records.
        train: rows that the regression is fitted on.
        validation: rows that choose its regularisation.
        settings: length of the imitation.
        strengths: inverse regularisation strengths to choose from.
        side_offset: whether team 1 has an advantage of its own.
        seed: of the line-ups.

    Returns:
        Log-odds of the advantage of team 1; 0 without side offset.
    """
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

    known = np.concatenate([train, validation])
    knobs: dict[str, Any] = {
        "strengths": strengths,
        "side_offset": side_offset,
        "num_heroes": len(matches.heroes),
    }
    with threadpool_limits(1):
        teacher = fit_pairs(matches.lineups[known], matches.team1_win[known], len(train), **knobs)
    offset = float(teacher.model.intercept_[0]) if side_offset else 0.0

    optimizer = torch.optim.Adam(net.parameters(), lr=settings.learning_rate)
    # One cycle (Smith and Topin 2018): few steps suffice, and the last ones are small.
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, settings.learning_rate, total_steps=settings.steps + 1, pct_start=0.1
    )
    teams = matches.lineups[train].reshape(-1, matches.lineups.shape[2])
    batches = _made_up(teams, teacher, settings, np.random.default_rng(seed))
    for indices, labels in batches:
        outputs = net(dense(indices, 2 * len(matches.heroes)))
        logits = outputs[:, : len(labels)] - outputs[:, len(labels) :]
        loss = ((logits - torch.from_numpy(labels - np.float32(offset))) ** 2).mean(1).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
    return offset


def _made_up(
    teams: NDArray[np.int16],
    teacher: PairRegression,
    settings: HeadStartSettings,
    generator: np.random.Generator,
) -> Iterator[tuple[Indices, Floats]]:
    """Batches of line-ups that put two played teams against each other, with the regression's log-odds."""
    for start in range(0, settings.steps, CHUNK_STEPS):
        steps = min(CHUNK_STEPS, settings.steps - start)
        lineups = _pair_up(teams, steps * settings.batch_size, generator)
        labels = teacher.log_odds(lineups).astype(np.float32)
        for step in range(steps):
            part = slice(step * settings.batch_size, (step + 1) * settings.batch_size)
            yield pair_indices(lineups[part], teacher.num_heroes), labels[part]


def _pair_up(teams: NDArray[np.int16], count: int, generator: np.random.Generator) -> NDArray[np.int16]:
    """Draws line-ups of two played teams without a common hero; every played match is one, so some always exist."""
    found = np.zeros((0, 2, teams.shape[1]), np.int16)
    while len(found) < count:
        drawn = teams[generator.integers(0, len(teams), (2 * count, 2))]
        apart = ~(drawn[:, 0, :, None] == drawn[:, 1, None, :]).any((1, 2))
        found = np.concatenate([found, drawn[apart]])
    return found[:count]
