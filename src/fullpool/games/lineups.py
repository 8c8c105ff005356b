"""Line-ups: two teams of heroes, drawn at random, and the tenth of them that is kept for evaluation.

A line-up is reserved when the hash of both teams' sorted hero names is 0 mod `RESERVED_MODULUS`. Reserved line-ups
are never drawn in training and are the only ones drawn in evaluation. Swapping the sides does not change the hash.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np

from fullpool.games.contract import Shorts

RESERVED_MODULUS = 10


def is_reserved(team_a: Sequence[str], team_b: Sequence[str]) -> bool:
    """Whether a line-up is kept for evaluation.

    Args:
        team_a: hero names of one team, in any order.
        team_b: hero names of the other team, in any order.

    Returns:
        True for about one line-up in ten; the same for both orders of the teams.
    """
    first, second = sorted((",".join(sorted(team_a)), ",".join(sorted(team_b))))
    digest = hashlib.sha256(f"{first}|{second}".encode()).digest()
    return int.from_bytes(digest[:8], "little") % RESERVED_MODULUS == 0


def draw_lineup(
    generator: np.random.Generator,
    heroes: Sequence[str],
    team_size: int,
    *,
    reserved: bool,
    pool: Sequence[int] | None = None,
) -> Shorts:
    """Draws a line-up of different heroes from the pool, evenly over the line-ups of the wanted kind.

    Args:
        generator: source of randomness.
        heroes: names of all heroes of the game; ids are indices into it.
        team_size: players in a team, P.
        reserved: True draws only evaluation line-ups, False only training line-ups.
        pool: hero ids to draw from; None: all.

    Returns:
        `[2, P]` hero ids, each at most once, in random order.

    Raises:
        ValueError: if the pool holds fewer heroes than two teams need, or too few to hold a line-up of that kind.
    """
    ids = np.arange(len(heroes)) if pool is None else np.asarray(pool)
    needed = 2 * team_size
    if len(ids) < needed:
        raise ValueError(
            f"a line-up needs {needed} different heroes, the pool holds {len(ids)}; give a bigger pool"
        )
    for _ in range(10_000):
        chosen = generator.permutation(ids)[:needed].reshape(2, team_size)
        names = [[heroes[i] for i in team] for team in chosen]
        if is_reserved(*names) is reserved:
            return chosen.astype(np.int16)
    kind = "reserved" if reserved else "training"
    raise ValueError(
        f"found no {kind} line-up in 10,000 draws from a pool of {len(ids)} heroes; give a bigger pool"
    )
