"""Decides who meets whom on which line-up when a training match starts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from itertools import accumulate
from typing import Any

import numpy as np

from fullpool.games.contract import DRAW, TEAM_A_WON, TEAM_B_WON, GameSpec, Shorts
from fullpool.games.lineups import draw_lineup, is_reserved
from fullpool.league.population import Population
from fullpool.league.settings import LeagueSettings
from fullpool.learning.matches import Bot, Learner, Match, MatchFn, MatchRecord, Seat, Snapshot

LineupFn = Callable[[np.random.Generator], Shorts]
"""Draws a `[2, P]` training line-up."""


def random_lineups(spec: GameSpec, pool: Sequence[int] | None = None) -> LineupFn:
    """Draws training line-ups of the whole pool.

    Args:
        spec: the game.
        pool: hero ids to draw from; None: all.
    """

    def draw(generator: np.random.Generator) -> Shorts:
        return draw_lineup(generator, spec.heroes, spec.team_size, reserved=False, pool=pool)

    return draw


def fixed_lineups(lineups: Shorts) -> LineupFn:
    """Draws one of `[n, 2, P]` line-ups, its teams in either order."""

    def draw(generator: np.random.Generator) -> Shorts:
        lineup = lineups[int(generator.integers(len(lineups)))]
        return np.asarray(lineup[::-1] if generator.integers(2) else lineup)

    return draw


def _check_bots(spec: GameSpec, shares: Mapping[str, float]) -> None:
    for name in shares:
        if name not in spec.bots:
            close = get_close_matches(name, spec.bots, 1)
            hint = f"; did you mean {close[0]!r}?" if close else ""
            raise ValueError(
                f"bot_shares: no bot {name!r} in game {spec.name!r}, there are {list(spec.bots)}{hint}"
            )


def _draw_lineup(spec: GameSpec, lineup_fn: LineupFn, generator: np.random.Generator) -> Shorts:
    lineup = np.asarray(lineup_fn(generator), np.int16)
    names = [[spec.heroes[hero] for hero in team] for team in lineup]
    if is_reserved(*names):
        raise ValueError(f"line-up {names} is reserved for evaluation and cannot be trained on")
    return lineup


def imitated_bots(spec: GameSpec, shares: Mapping[str, float], lineup_fn: LineupFn) -> MatchFn:
    """Lets scripted bots play both teams of training line-ups, to be imitated.

    The heroes of a team change places: bots are deterministic, and on a fixed line-up every match would be the same.

    Args:
        spec: the game.
        shares: share of teams that each bot plays, by name; they sum to 1. Teams are drawn one by one.
        lineup_fn: draws line-ups; never reserved ones.

    Returns:
        The match function; it raises a ValueError if a line-up is reserved for evaluation.

    Raises:
        ValueError: if a bot is unknown.
    """
    _check_bots(spec, shares)
    names, bounds = list(shares), list(accumulate(shares.values()))

    def draw_bot(generator: np.random.Generator) -> Bot:
        drawn = generator.random() * bounds[-1]
        return Bot(names[int(np.searchsorted(bounds, drawn, side="right"))], imitated=True)

    def draw(generator: np.random.Generator) -> Match:
        lineup = generator.permuted(_draw_lineup(spec, lineup_fn, generator), axis=1)
        seats = draw_bot(generator), draw_bot(generator)
        return Match(lineup, seats, int(generator.integers(0, 2**63)))

    return draw


class Matchmaker:
    """A match function for rollouts: latest, past snapshots by how often they beat us, scripted bots.

    It is called and told results between windows only, in a fixed order, so that threads do not matter.
    """

    def __init__(
        self, spec: GameSpec, settings: LeagueSettings, population: Population[Any], lineup_fn: LineupFn
    ) -> None:
        """Checks the settings against the game.

        Args:
            spec: the game.
            settings: shares of opponents.
            population: past snapshots; until it holds one, their share goes to the latest.
            lineup_fn: draws line-ups; never reserved ones.

        Raises:
            ValueError: if a bot is unknown.
        """
        _check_bots(spec, settings.bot_shares)
        self._spec, self._settings, self._population, self._lineup_fn = spec, settings, population, lineup_fn
        self._playing: dict[str, int] = {}

    def __call__(self, generator: np.random.Generator) -> Match:
        """Draws a match.

        Raises:
            ValueError: if the line-up is reserved for evaluation.
        """
        lineup = _draw_lineup(self._spec, self._lineup_fn, generator)
        seats: tuple[Seat, Seat] = (Learner(), self._draw_opponent(generator))
        if generator.integers(2):
            seats = (seats[1], seats[0])
        return Match(lineup, seats, int(generator.integers(0, 2**63)))

    def record(self, matches: Sequence[MatchRecord]) -> None:
        """Takes in how finished matches ended, and lets go of snapshots that nobody plays any more.

        Args:
            matches: in a fixed order.
        """
        for match in matches:
            for team, seat in enumerate(match.seats):
                if isinstance(seat, Snapshot):
                    won = (TEAM_A_WON, TEAM_B_WON)[team]
                    points = 0.5 if match.winner == DRAW else float(match.winner == won)
                    self._population.record(seat.name, points)
                    self._playing[seat.name] -= 1
        self._playing = {name: count for name, count in self._playing.items() if count > 0}
        self._population.release(self._playing)

    def state(self) -> dict[str, int]:
        """Plain data for a checkpoint: matches under way against each snapshot."""
        return dict(self._playing)

    def load_state(self, state: Mapping[str, int]) -> None:
        """Puts a saved state back."""
        self._playing = {name: int(count) for name, count in state.items()}

    def _draw_opponent(self, generator: np.random.Generator) -> Seat:
        settings = self._settings
        drawn = generator.random() - settings.latest_share
        for name, share in settings.bot_shares.items():
            if 0 <= drawn < share:
                return Bot(name)
            drawn -= share if drawn >= 0 else 0.0
        names = self._population.names
        if drawn < 0 or not names:
            return Learner()
        rates = np.array([self._population.win_rate(name) for name in names])
        weights = rates**settings.priority_power + settings.priority_floor
        name = names[int(generator.choice(len(names), p=weights / weights.sum()))]
        self._playing[name] = self._playing.get(name, 0) + 1
        return Snapshot(name)
