"""The matches under way in one batch: started by the matchmaker, booked decision by decision, recorded at their end.

Nothing here decides or learns; a rollout worker asks who sits where and tells what a decision led to.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fullpool.games.contract import EXTERNAL, RUNNING, BatchGame, Floats, Ints, StepResult
from fullpool.learning.matches import (
    Bot,
    Learner,
    Match,
    MatchFn,
    MatchRecord,
    Seat,
    Snapshot,
    match_from_plain,
    match_to_plain,
)

LEARNER = ""
"""Name of the learner's own policy; snapshots and teachers have longer names."""


class Seating(NamedTuple):
    """Teams of the running matches by who decides for them; team `side` of game `n` is number `2 n + side`.

    Attributes:
        acting: teams of each policy that decides; the learner's name is `LEARNER`.
        teaching: teams that each teacher comments on.
        learnt: teams that the learner learns from: its own, or those of imitated bots.
        imitating: whether they are bots'.
    """

    acting: dict[str, list[int]]
    teaching: dict[str, list[int]]
    learnt: list[int]
    imitating: bool


class MatchesUnderWay:
    """Which match each game of a batch plays, and what has come of it so far.

    Attributes:
        running: `[N]` bool; whether the game's match goes on.
        heroes: `[N, 2, P]` int16 hero of each agent in the game's last match.
    """

    def __init__(
        self, game: BatchGame, match_fn: MatchFn, generator: np.random.Generator, *, trains: bool
    ) -> None:
        """Prepares the books; no match starts before `start`.

        Args:
            game: the batch of matches.
            match_fn: the matchmaker.
            generator: handed to the matchmaker.
            trains: whether there is a network to train, without which the learner cannot be seated.
        """
        self._game, self._match_fn, self._generator, self._trains = game, match_fn, generator, trains
        spec, num_games = game.spec, game.num_games
        self._matches: list[Match | None] = [None] * num_games
        self.running = np.zeros(num_games, np.bool_)
        self.heroes = np.zeros((num_games, 2, spec.team_size), np.int16)
        self._decisions = np.zeros(num_games, np.int32)
        self._returns = np.zeros((num_games, 2, spec.team_size, spec.num_reward_heads), np.float32)
        self._records: list[MatchRecord] = []

    @property
    def num_running(self) -> int:
        """Number of matches that go on."""
        return int(self.running.sum())

    def take_records(self) -> list[MatchRecord]:
        """Hands out the records of matches that finished since the last call."""
        records, self._records = self._records, []
        return records

    def start(self) -> Ints:
        """Starts a match in every free game, unless the matchmaker leaves it idle.

        Returns:
            `[n]` games whose match has started.

        Raises:
            ValueError: if a match has a wrong line-up, seats an unknown bot, or the learner where none is trained.
        """
        started: dict[int, Match] = {}
        for game in np.flatnonzero(~self.running):
            match = self._match_fn(self._generator)
            self._matches[game] = match
            if match is not None:
                self._check(match)
                started[int(game)] = match
        games = np.array(list(started), np.int32)
        if not started:
            return games
        matches = started.values()
        lineups = np.stack([np.asarray(match.lineup, np.int16) for match in matches])
        seats = np.array([[self._seat_number(seat) for seat in match.seats] for match in matches], np.int8)
        self._game.reset(games, lineups, np.array([match.seed for match in matches], np.uint64), seats)
        self.heroes[games] = lineups
        self.running[games], self._decisions[games], self._returns[games] = True, 0, 0.0
        return games

    def _check(self, match: Match) -> None:
        expected = (2, self._game.spec.team_size)
        if np.asarray(match.lineup).shape != expected:
            raise ValueError(f"a line-up must be {expected} hero ids, got {np.asarray(match.lineup).shape}")
        if not self._trains and any(
            isinstance(seat, Learner) or (isinstance(seat, Bot) and seat.imitated) for seat in match.seats
        ):
            raise ValueError(
                "the match seats the learner or an imitated bot but this worker was given no network to train"
            )

    def _seat_number(self, seat: Seat) -> int:
        """Number by which the game knows a seat."""
        if not isinstance(seat, Bot):
            return EXTERNAL
        if seat.name not in self._game.spec.bots:
            raise ValueError(
                f"game {self._game.spec.name!r} has no bot {seat.name!r}; it has {self._game.spec.bots}"
            )
        return self._game.spec.bots.index(seat.name)

    def policies(self) -> set[str]:
        """Names of the snapshots and teachers of all games, those whose match has ended included."""
        names = set()
        for match in self._matches:
            if match is not None:
                names |= {seat.name for seat in match.seats if isinstance(seat, Snapshot)}
                names |= {match.teacher} if match.teacher is not None else set()
        return names

    def _running_matches(self) -> Iterator[tuple[int, Match]]:
        for game in np.flatnonzero(self.running):
            match = self._matches[game]
            assert match is not None
            yield int(game), match

    def seating(self, *, teachers_lead: bool) -> Seating:
        """Sorts the teams of running matches by who decides for them.

        Args:
            teachers_lead: whether a teacher acts on the learner's seats in the matches that it comments on.

        Returns:
            The teams.

        Raises:
            ValueError: if only some matches have a teacher, or the learner sits beside imitated bots.
        """
        acting: dict[str, list[int]] = {}
        teaching: dict[str, list[int]] = {}
        learning: list[int] = []
        imitated: list[int] = []
        for game, match in self._running_matches():
            for side, seat in enumerate(match.seats):
                group = 2 * game + side
                if isinstance(seat, Snapshot):
                    acting.setdefault(seat.name, []).append(group)
                elif isinstance(seat, Learner):
                    learning.append(group)
                    if match.teacher is not None:
                        teaching.setdefault(match.teacher, []).append(group)
                    lead = match.teacher if teachers_lead and match.teacher is not None else LEARNER
                    acting.setdefault(lead, []).append(group)
                elif seat.imitated:
                    imitated.append(group)
        if sum(len(groups) for groups in teaching.values()) not in (0, len(learning)):
            raise ValueError("either all matches of the learner have a teacher or none has")
        if learning and imitated:
            raise ValueError("a worker's matches seat either the learner or imitated bots, not both")
        return Seating(acting, teaching, learning or imitated, bool(imitated))

    def book(self, rewards: Floats, result: StepResult) -> NDArray[np.bool_]:
        """Books one decision, and records the matches that it ended.

        Args:
            rewards: `[N, 2, P, K]` what it paid; 0 where no match is running.
            result: what the game said of it.

        Returns:
            `[N]` bool; the match ended with this decision.
        """
        self._returns += rewards
        self._decisions += self.running
        ended = self.running & result.terminated
        if not ended.any():
            return ended
        statistics = self._game.statistics()
        for game, match in self._running_matches():
            if not ended[game]:
                continue
            assert result.winner[game] != RUNNING
            self._records.append(
                MatchRecord(
                    lineup=np.array(match.lineup),
                    seats=match.seats,
                    winner=int(result.winner[game]),
                    decisions=int(self._decisions[game]),
                    stats={name: np.array(values[game]).tolist() for name, values in statistics.items()},
                    label=match.label,
                    returns=self._returns[game].copy(),
                )
            )
        self.running &= ~ended
        return ended

    def save(self) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
        """Copies the books; the game's own state is the caller's, and so are records not yet taken.

        Returns:
            Arrays by name, and JSON data.
        """
        arrays: dict[str, NDArray[Any]] = {
            "running": self.running.copy(),
            "decisions": self._decisions.copy(),
            "heroes": self.heroes.copy(),
            "returns": self._returns.copy(),
        }
        plain = {
            "matches": [match_to_plain(match) for match in self._matches],
            "generator": self._generator.bit_generator.state,
        }
        return arrays, plain

    def load(self, arrays: dict[str, NDArray[Any]], plain: dict[str, Any]) -> None:
        """Puts back what `save` returned; both may hold more.

        Raises:
            ValueError: if the number of games differs.
        """
        if len(plain["matches"]) != len(self._matches):
            raise ValueError(
                f"the checkpoint holds {len(plain['matches'])} games under way, this run plays "
                f"{len(self._matches)}: keep the number of games"
            )
        self.running[...], self._decisions[...] = arrays["running"], arrays["decisions"]
        self.heroes[...], self._returns[...] = arrays["heroes"], arrays["returns"]
        self._matches = [match_from_plain(match) for match in plain["matches"]]
        self._generator.bit_generator.state = plain["generator"]
