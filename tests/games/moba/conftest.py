"""Matches under way for the tests of the rules: started in one line, played with random legal actions."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from fullpool.games.contract import EXTERNAL, Ints, allocate_views
from fullpool.games.lineups import draw_lineup
from fullpool.games.moba.game import MobaGame
from fullpool.games.random_actions import RandomActions


class Table:
    """A batch of matches with all that is needed to play it."""

    def __init__(
        self, preset: str, num_games: int, seed: int, bots: tuple[int, int], **options: object
    ) -> None:
        self.game = MobaGame(preset, num_games, **options)  # type: ignore[arg-type]
        spec = self.game.spec
        generator = np.random.default_rng(seed)
        self.lineups = np.stack(
            [draw_lineup(generator, spec.heroes, 5, reserved=False) for _ in range(num_games)]
        )
        self.seeds = generator.integers(0, 2**63, num_games, np.uint64)
        self.seats = np.tile(np.array(bots, np.int8), (num_games, 1))
        self.views = allocate_views(spec, num_games)
        self.actions: Ints = np.zeros((num_games, 2, 5, 4), np.int32)
        self.drawer = RandomActions(spec.action, seed)
        self.decision = 0
        self.start()

    def start(self) -> None:
        """Starts all matches anew."""
        games = np.arange(self.game.num_games, dtype=np.int32)
        self.game.reset(games, self.lineups, self.seeds, self.seats)
        self.decision = 0

    def draw(self) -> Ints:
        """Random legal actions of all agents."""
        self.game.observe(self.views)
        self.drawer.write(self.views.masks, self.lineups, self.decision, self.actions)
        return self.actions

    def play(self, decisions: int) -> None:
        """Plays decisions with random legal actions."""
        for _ in range(decisions):
            self.game.step(self.draw())
            self.decision += 1


@pytest.fixture(scope="session")
def table() -> Callable[..., Table]:
    """Starts matches: `table("blitz", 2, seed=1)`; `bots=(2, 3)` lets bots play."""

    def start(
        preset: str,
        num_games: int = 1,
        seed: int = 0,
        bots: tuple[int, int] = (EXTERNAL, EXTERNAL),
        **options: object,
    ) -> Table:
        return Table(preset, num_games, seed, bots, **options)

    return start
