"""Every match that ends is counted once."""

from __future__ import annotations

import numpy as np

from fullpool.games.check import check_game
from fullpool.games.contract import BatchGame
from fullpool.games.testing import ToyGame
from fullpool.league.play import MatchList, play_matches
from fullpool.pipelines.counted import CountedGame, MatchCounter


def make(counter: MatchCounter, num_games: int) -> BatchGame:
    return CountedGame(ToyGame(num_games), counter)


def test_matches_of_several_threads_are_counted() -> None:
    counter = MatchCounter()
    lineups = np.tile(np.arange(4, dtype=np.int16).reshape(1, 2, 2), (21, 1, 1))
    matches = MatchList(lineups, [("random", "noop")] * 21, np.arange(21, dtype=np.uint64))
    play_matches(lambda num: make(counter, num), matches, {}, batch_games=8, seed=1, num_threads=2)
    assert counter.ended == 21


def test_the_wrapped_game_still_follows_the_contract() -> None:
    counter = MatchCounter()
    report = check_game(make(counter, 4))
    assert report.passed, report.problems
    assert counter.ended > 0
