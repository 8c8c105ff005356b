"""What a best-of-N series carries over from game to game: which heroes are locked, and the score."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from fullpool.drafting.formats import DraftFormat, closest

SeriesRule = Literal["none", "own_locked", "fearless"]
"""none: nothing carries over. own_locked: a team may use a hero once (JueWu, global ban-pick). fearless: every hero
picked in an earlier game is out for both teams. Bans never carry over."""


@dataclass(frozen=True, eq=False)
class Series:
    """A series under way; the sides of the arrays are the two organisations, not first and second to act.

    Attributes:
        best_of: games at most; odd.
        rule: what carries over.
        locked: `[2, H]` bool; heroes that each organisation may no longer pick.
        wins: games won by each.
    """

    best_of: int
    rule: SeriesRule
    locked: NDArray[np.bool_]
    wins: tuple[int, int] = (0, 0)

    @property
    def winner(self) -> int | None:
        """0 or 1 once the series is decided, else None."""
        needed = self.best_of // 2 + 1
        return next((side for side in (0, 1) if self.wins[side] >= needed), None)

    def locks(self, first: int) -> NDArray[np.bool_]:
        """Locked heroes as a draft wants them.

        Args:
            first: which organisation acts first in the next draft.

        Returns:
            `[2, H]` bool for the first and the second team to act.
        """
        return self.locked[[first, 1 - first]].copy()


def start_series(draft_format: DraftFormat, pool_size: int, *, best_of: int, rule: SeriesRule) -> Series:
    """Starts a series.

    Args:
        draft_format: format of every game.
        pool_size: heroes in the pool, H.
        best_of: games at most; odd.
        rule: `none`, `own_locked` or `fearless`.

    Returns:
        The series before its first game.

    Raises:
        ValueError: if the rule is unknown, `best_of` is even, or the pool cannot last for the whole series.
    """
    if rule not in get_args(SeriesRule):
        raise ValueError(f"no series rule {rule!r}; {closest(rule, get_args(SeriesRule))}")
    if best_of < 1 or best_of % 2 == 0:
        raise ValueError(f"best_of must be odd and positive, got {best_of}")
    draft_format.check_pool(pool_size)
    size, earlier = draft_format.team_size, best_of - 1
    # Worst case before the last game: with own locks the opponent's picks and all bans may take from a team's rest.
    carried = {"none": 0, "own_locked": earlier * size, "fearless": 2 * earlier * size}[rule]
    needed = carried + len(draft_format.steps)
    if needed > pool_size:
        raise ValueError(
            f"a best of {best_of} of {draft_format.name!r} with rule {rule!r} may need {needed} heroes, the pool holds "
            f"{pool_size}; play fewer games, another rule or a bigger pool"
        )
    return Series(best_of, rule, np.zeros((2, pool_size), bool))


def record_game(series: Series, lineups: Sequence[Sequence[int]], winner: int) -> Series:
    """Adds a finished game.

    Args:
        series: the series before the game.
        lineups: hero ids that each organisation picked, in the series' order.
        winner: 0 or 1.

    Returns:
        The series after it.

    Raises:
        ValueError: if the series is already decided, a hero was locked, or the winner is neither 0 nor 1.
    """
    if series.winner is not None:
        raise ValueError(f"the series is decided, {series.wins[0]}:{series.wins[1]}; start a new one")
    if winner not in (0, 1):
        raise ValueError(f"the winner of a game must be 0 or 1, got {winner}")
    locked = series.locked.copy()
    for side, lineup in enumerate(lineups):
        reused = [int(hero) for hero in lineup if series.locked[side, hero]]
        if reused:
            raise ValueError(
                f"side {side} picked heroes {reused} that rule {series.rule!r} has locked for it"
            )
        if series.rule == "own_locked":
            locked[side, list(lineup)] = True
        elif series.rule == "fearless":
            locked[:, list(lineup)] = True
    wins = (series.wins[0] + (winner == 0), series.wins[1] + (winner == 1))
    return replace(series, locked=locked, wins=wins)
