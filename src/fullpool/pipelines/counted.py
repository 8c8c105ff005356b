"""Counts the matches that end in this process, whoever plays them: what progress lines rest on."""

from __future__ import annotations

from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fullpool.games.contract import BatchGame, BatchViews, GameSpec, Ints, Seeds, Shorts, StepResult


class MatchCounter:
    """Matches that have ended; several threads add to it."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._ended = 0

    @property
    def ended(self) -> int:
        """Matches so far."""
        return self._ended

    def add(self, number: int) -> None:
        """Adds matches."""
        with self._lock:
            self._ended += number


ended_matches = MatchCounter()
"""All matches of this process."""


class CountedGame:
    """A batch of matches that tells a counter when one ends."""

    def __init__(self, game: BatchGame, counter: MatchCounter) -> None:
        """Wraps a game.

        Args:
            game: the game.
            counter: told of matches that end.
        """
        self._game, self._counter = game, counter
        # A match that has ended stays ended until its next reset: count it once.
        self._over = np.ones(game.num_games, np.bool_)

    @property
    def spec(self) -> GameSpec:
        """The game's description."""
        return self._game.spec

    @property
    def num_games(self) -> int:
        """Number of matches side by side."""
        return self._game.num_games

    def reset(self, games: Ints, lineups: Shorts, seeds: Seeds, seats: NDArray[np.int8]) -> None:
        """Starts matches."""
        self._over[games] = False
        self._game.reset(games, lineups, seeds, seats)

    def observe(self, views: BatchViews, *, bots: bool = False) -> None:
        """Writes the views."""
        self._game.observe(views, bots=bots)

    def step(self, actions: Ints) -> StepResult:
        """Plays one decision and counts the matches that it ends."""
        result = self._game.step(actions)
        new = result.terminated & ~self._over
        if new.any():
            self._counter.add(int(new.sum()))
            self._over |= new
        return result

    def save_state(self) -> dict[str, NDArray[Any]]:
        """Copies the matches."""
        return self._game.save_state()

    def load_state(self, state: dict[str, NDArray[Any]]) -> None:
        """Puts the matches back; those that have ended may be counted once more."""
        self._over[:] = False
        self._game.load_state(state)

    def statistics(self) -> dict[str, NDArray[Any]]:
        """Figures of the matches."""
        return self._game.statistics()
