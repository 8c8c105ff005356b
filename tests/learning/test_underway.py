"""Matches under way: idle games, who sits where, what a decision is booked to, resuming."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pytest

from fullpool.games.contract import GameSpec
from fullpool.games.testing import ToyGame
from fullpool.learning.matches import Bot, Learner, Match, MatchRecord, Seat, Snapshot
from fullpool.learning.underway import LEARNER, MatchesUnderWay

LINEUP = np.arange(4).reshape(2, 2).astype(np.int16)


def match(first: Seat, second: Seat, *, teacher: str | None = None, seed: int = 0) -> Match:
    return Match(LINEUP + seed % 2, (first, second), seed, teacher=teacher, label=f"seed{seed}")


def under_way(*matches: Match | None, games: int = 4, trains: bool = True) -> MatchesUnderWay:
    """Books of toy games that get the given matches one after another, then none."""
    left = iter(matches)
    game, generator = ToyGame(games), np.random.default_rng(0)
    return MatchesUnderWay(game, lambda _: next(left, None), generator, trains=trains)


def test_free_games_get_a_match_unless_they_are_left_idle() -> None:
    books = under_way(match(Learner(), Bot("noop")), None, match(Learner(), Learner(), seed=1), games=3)
    assert books.num_running == 0
    assert books.start().tolist() == [0, 2]
    assert books.running.tolist() == [True, False, True]
    np.testing.assert_array_equal(books.heroes[[0, 2]], [LINEUP, LINEUP + 1])
    assert books.start().tolist() == []  # the matchmaker has no more, and running games are not asked for


def test_teams_are_sorted_by_who_decides() -> None:
    books = under_way(
        match(Learner(), Snapshot("old"), teacher="t"),
        match(Bot("random"), Learner(), teacher="u"),
        match(Snapshot("old"), Snapshot("new")),
    )
    books.start()
    assert books.policies() == {"old", "new", "t", "u"}
    seating = books.seating(teachers_lead=False)
    assert seating.acting == {LEARNER: [0, 3], "old": [1, 4], "new": [5]}
    assert seating.teaching == {"t": [0], "u": [3]}
    assert (seating.learnt, seating.imitating) == ([0, 3], False)
    led = books.seating(teachers_lead=True)
    assert led.acting == {"t": [0], "u": [3], "old": [1, 4], "new": [5]}
    assert led.learnt == [0, 3]


def test_imitated_bots_are_learnt_from_and_decide_themselves() -> None:
    books = under_way(match(Bot("perfect", imitated=True), Bot("noop")))
    books.start()
    assert books.seating(teachers_lead=False) == ({}, {}, [0], True)


@pytest.mark.parametrize(
    ("matches", "words"),
    [
        ([match(Learner(), Learner(), teacher="t"), match(Learner(), Learner())], "have a teacher or none"),
        ([match(Learner(), Bot("noop", imitated=True))], "not both"),
    ],
)
def test_contradicting_seats_are_refused(matches: Iterable[Match], words: str) -> None:
    books = under_way(*matches)
    books.start()
    with pytest.raises(ValueError, match=words):
        books.seating(teachers_lead=False)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (match(Snapshot("old"), Bot("lander")), "has no bot 'lander'"),
        (match(Learner(), Bot("noop")), "no network to train"),
        (match(Snapshot("old"), Bot("noop", imitated=True)), "no network to train"),
        (Match(LINEUP[:, :1], (Bot("noop"), Bot("noop")), 0), r"a line-up must be \(2, 2\)"),
    ],
)
def test_impossible_matches_are_refused(wrong: Match, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        under_way(wrong, trains=False).start()


def finish(books: MatchesUnderWay, game: ToyGame, paid: np.ndarray) -> list[MatchRecord]:
    """Plays until no match is running and adds the rewards to `paid`."""
    while books.num_running:
        before = books.running.copy()
        result = game.step(np.zeros((2, 2, 2, 3), np.int32))
        rewards = np.where(before[:, None, None, None], result.rewards, np.float32(0.0))
        paid += rewards
        ended = books.book(rewards, result)
        np.testing.assert_array_equal(books.running, before & ~ended)
    return books.take_records()


def make(game: ToyGame) -> MatchesUnderWay:
    left = iter([match(Bot("perfect"), Bot("noop"), seed=5), match(Bot("noop"), Snapshot("old"), seed=8)])
    return MatchesUnderWay(game, lambda _: next(left, None), np.random.default_rng(0), trains=False)


def test_a_record_sums_up_its_match_and_a_saved_match_ends_the_same(spec: GameSpec) -> None:
    game, other = ToyGame(2), ToyGame(2)
    books, again = make(game), make(other)
    books.start()
    paid = np.zeros((2, 2, 2, spec.num_reward_heads), np.float32)
    for _ in range(5):
        result = game.step(np.zeros((2, 2, 2, 3), np.int32))
        assert not books.book(result.rewards, result).any()
        paid += result.rewards
    arrays, plain = books.save()
    assert sorted(arrays) == ["decisions", "heroes", "returns", "running"]
    assert sorted(plain) == ["generator", "matches"]
    other.load_state(game.save_state())
    again.load(arrays, plain)
    resumed = finish(again, other, paid.copy())
    records = finish(books, game, paid)
    assert {record.label for record in records} == {"seed5", "seed8"}
    for record, same in zip(records, resumed, strict=True):
        row = ["seed5", "seed8"].index(record.label)
        np.testing.assert_allclose(record.returns, paid[row], rtol=1e-5)
        np.testing.assert_array_equal(record.lineup, LINEUP + 1 - row)
        assert spec.max_decisions // 2 <= record.decisions <= spec.max_decisions
        np.testing.assert_array_equal(record.returns, same.returns)
        assert (record.label, record.winner, record.decisions, record.stats, record.seats) == (
            same.label,
            same.winner,
            same.decisions,
            same.stats,
            same.seats,
        )
    assert records[[record.label for record in records].index("seed5")].winner == 0  # perfect against noop
    assert books.take_records() == []
    with pytest.raises(ValueError, match="keep the number of games"):
        under_way(games=3).load(arrays, plain)
