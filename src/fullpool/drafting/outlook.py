"""What strengths alone say of a draft under way: every team goes on to take the strongest hero that is left.

Where a line-up is worth the sum of its heroes, taking the strongest is the best that either team can do, so this is
the exact value of a draft. It is the part of the value network that needs no learning, and the order in which the
search tries heroes; the network corrects it where pairs matter.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fullpool.drafting.roles import Bools, Owners
from fullpool.games.contract import Floats, Shorts
from fullpool.numerics.kernels import kernel

RIDGE = 1e-3
"""Keeps the strengths of heroes that were never picked, and the mean of all, at zero; far below what is measured."""
CLIP = 1e-6
"""Probabilities nearer to 0 or 1 count as this near: their log-odds would weigh more than all others."""


def fit_strengths(owners: Owners, values: Floats) -> Floats:
    """Fits hero strengths to rated line-ups by least squares on the log-odds.

    Args:
        owners: `[n, H]` int8; 1 and 2 are picks of the first and the other team.
        values: `[n]` probability that the first team wins, in [0, 1].

    Returns:
        `[H]` log-odds that each hero adds, of mean zero over line-ups of equal size.
    """
    signs = (owners == 1).astype(np.float64) - (owners == 2)
    p = np.clip(values.astype(np.float64), CLIP, 1 - CLIP)
    squares = signs.T @ signs + RIDGE * np.eye(owners.shape[1])
    return np.linalg.solve(squares, signs.T @ np.log(p / (1 - p))).astype(np.float32)


def strongest_first(strengths: Floats) -> NDArray[np.int16]:
    """Orders heroes by strength, `[H]`; equal ones by their id."""
    return np.argsort(-strengths, kind="stable").astype(np.int16)


@kernel
def outlook_logits(
    owners: Owners, steps: Shorts, team_of: Owners, is_pick: Bools, strengths: Floats, order: Shorts
) -> Floats:
    """Rates drafts by the strengths of their picks and of those to come.

    Locks of one team and role rules are not looked at.

    Args:
        owners: `[B, H]` int8.
        steps: `[B]` steps taken.
        team_of: `[S]` acting team of each step.
        is_pick: `[S]` false is a ban: it takes the strongest hero away.
        strengths: `[H]` log-odds that each hero adds.
        order: `[H]` heroes by strength, the strongest first.

    Returns:
        `[B]` log-odds that the first team wins.
    """
    out = np.empty(len(owners), np.float32)
    for row in range(len(owners)):
        owner, step, total = owners[row], steps[row], np.float32(0.0)
        for hero in order:
            taken_by = 0
            if owner[hero] == 1 or owner[hero] == 2:
                taken_by = owner[hero]
            elif owner[hero] == 0 and step < len(team_of):
                if is_pick[step]:
                    taken_by = team_of[step] + 1
                step += 1
            if taken_by == 1:
                total += strengths[hero]
            elif taken_by == 2:
                total -= strengths[hero]
        out[row] = total
    return out
