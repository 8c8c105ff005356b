"""Plays a fixed list of matches between policies and scripted bots, many at once, to their ends.

The list is fixed before the first move and every match on it counts, so short matches are not favoured; a match that
ends makes room for the next one. No learning, no windows: recurrent states are reset where a match starts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from fullpool.games.contract import EXTERNAL, BatchGame, Ints, Seeds, Shorts, allocate_views
from fullpool.league.seeds import derive_seed
from fullpool.networks.actor_critic import ActorCritic
from fullpool.networks.precision import Precision, precision_context, resolve_precision
from fullpool.networks.types import ActorInputs, LstmState

GameFn = Callable[[int], BatchGame]
"""Makes a game with room for that many matches at once."""


@dataclass(frozen=True, eq=False)
class MatchList:
    """Matches to play.

    Attributes:
        lineups: `[n, 2, P]` hero ids.
        agents: `n` pairs of names, team A first: of networks or of the game's bots.
        seeds: `[n]` one a match.
    """

    lineups: Shorts
    agents: Sequence[tuple[str, str]]
    seeds: Seeds

    def __len__(self) -> int:
        """Number of matches."""
        return len(self.lineups)

    def part(self, start: int, stride: int) -> MatchList:
        """Every `stride`-th match from `start` on."""
        return MatchList(self.lineups[start::stride], self.agents[start::stride], self.seeds[start::stride])


@dataclass(frozen=True, eq=False)
class MatchResults:
    """How matches ended.

    Attributes:
        winners: `[n]` TEAM_A_WON, TEAM_B_WON or DRAW.
        decisions: `[n]` decisions that each match took.
        statistics: the game's own figures a match, `[n, ...]` by name.
    """

    winners: NDArray[np.int8]
    decisions: Ints
    statistics: dict[str, NDArray[Any]]

    @property
    def scores(self) -> NDArray[np.float64]:
        """`[n]` points of team A: 1, 0.5 or 0."""
        return np.array([1.0, 0.0, 0.5])[self.winners]


def play_matches(
    game_fn: GameFn,
    matches: MatchList,
    networks: Mapping[str, ActorCritic],
    *,
    batch_games: int,
    seed: int,
    num_threads: int = 1,
    precision: Precision = "auto",
) -> MatchResults:
    """Plays all matches to their ends.

    Args:
        game_fn: makes the games.
        matches: what to play.
        networks: frozen networks by the names that the matches use.
        batch_games: matches under way at once, over all threads.
        seed: of the policies' choices.
        num_threads: threads that share the list; the same number gives the same results.
        precision: number type of the forward passes.

    Returns:
        Results in the order of the list.

    Raises:
        ValueError: if a match names an agent that is neither a network nor a bot, or the list is empty.
    """
    if len(matches) == 0:
        raise ValueError("there are no matches to play")
    num_threads = max(1, min(num_threads, len(matches), batch_games))
    parts = [matches.part(start, num_threads) for start in range(num_threads)]
    # Every game is made here: compiling or reading data files in two threads at once helps nobody.
    games = [game_fn(min(len(part), max(1, batch_games // num_threads))) for part in parts]
    players = [
        _Player(game, part, networks, precision, derive_seed(seed, "choices", index))
        for index, (game, part) in enumerate(zip(games, parts, strict=True))
    ]
    if num_threads == 1:
        results = [players[0].run()]
    else:
        with ThreadPoolExecutor(num_threads) as pool:
            results = list(pool.map(_Player.run, players))
    return _interleave(results, len(matches))


def _interleave(results: Sequence[MatchResults], total: int) -> MatchResults:
    stride = len(results)
    winners, decisions = np.zeros(total, np.int8), np.zeros(total, np.int32)
    statistics: dict[str, NDArray[Any]] = {}
    for start, result in enumerate(results):
        winners[start::stride], decisions[start::stride] = result.winners, result.decisions
        for name, values in result.statistics.items():
            whole = statistics.setdefault(name, np.zeros((total, *values.shape[1:]), values.dtype))
            whole[start::stride] = values
    return MatchResults(winners, decisions, statistics)


class _Player:
    """One batch of matches under way and the rest of its list."""

    def __init__(
        self,
        game: BatchGame,
        matches: MatchList,
        networks: Mapping[str, ActorCritic],
        precision: Precision,
        seed: int,
    ) -> None:
        spec = game.spec
        self.game, self.matches = game, matches
        self.names = sorted({name for pair in matches.agents for name in pair} - set(spec.bots))
        unknown = [name for name in self.names if name not in networks]
        if unknown:
            raise ValueError(f"no network and no bot is called {unknown[0]!r}; bots: {list(spec.bots)}")
        self.networks = [networks[name] for name in self.names]
        self.bots = {name: number for number, name in enumerate(spec.bots)}
        device = self.networks[0].device if self.networks else torch.device("cpu")
        self.device, self.precision = device, resolve_precision(precision, device)
        self.generator = torch.Generator().manual_seed(seed)
        num = game.num_games
        self.slots = np.full(num, -1)
        self.owners = np.full((num, 2), -1)
        self.ages = np.zeros(num, np.int32)
        self.heroes = np.zeros((num, 2, spec.team_size), np.int16)
        self.views = allocate_views(spec, num)
        self.actions = np.zeros((num, 2, spec.team_size, len(spec.action.heads)), np.int32)
        self.states = [network.initial_state(2 * num) for network in self.networks]
        self.winners = np.zeros(len(matches), np.int8)
        self.decisions = np.zeros(len(matches), np.int32)
        self.statistics: dict[str, NDArray[Any]] = {}
        self.started = 0

    def run(self) -> MatchResults:
        self._start(np.arange(self.game.num_games))
        while (self.slots >= 0).any():
            if self.names:
                self.game.observe(self.views)
                with precision_context(self.precision, self.device):
                    for number in range(len(self.names)):
                        self._decide(number)
            result = self.game.step(self.actions)
            self.ages += 1
            ended = np.flatnonzero(result.terminated & (self.slots >= 0))
            if len(ended):
                self._finish(ended, result.winner)
                self._start(ended)
        return MatchResults(self.winners, self.decisions, self.statistics)

    def _start(self, free: NDArray[np.int64]) -> None:
        games = free[: len(self.matches) - self.started]
        if len(games) == 0:
            return
        chosen = np.arange(self.started, self.started + len(games))
        self.started += len(games)
        seats = np.full((len(games), 2), EXTERNAL, np.int8)
        for row, match in enumerate(chosen):
            for team, name in enumerate(self.matches.agents[int(match)]):
                if name in self.bots:
                    seats[row, team] = self.bots[name]
                    continue
                number = self.names.index(name)
                self.owners[games[row], team] = number
                for part in self.states[number]:
                    part[2 * int(games[row]) + team] = 0.0
        self.slots[games], self.ages[games] = chosen, 0
        self.heroes[games] = self.matches.lineups[chosen]
        self.game.reset(
            games.astype(np.int32), self.matches.lineups[chosen], self.matches.seeds[chosen], seats
        )

    def _finish(self, games: NDArray[np.int64], winner: NDArray[np.int8]) -> None:
        matches = self.slots[games]
        self.winners[matches], self.decisions[matches] = winner[games], self.ages[games]
        for name, values in self.game.statistics().items():
            shape = (len(self.matches), *values.shape[1:])
            self.statistics.setdefault(name, np.zeros(shape, values.dtype))[matches] = values[games]
        self.slots[games], self.owners[games] = -1, -1

    def _decide(self, number: int) -> None:
        groups = torch.from_numpy(np.flatnonzero(self.owners.reshape(-1) == number))
        if len(groups) == 0:
            return
        views, network = self.views, self.networks[number]
        arrays = (views.observation, views.hero_ids, views.masks, views.target_rows, self.heroes)
        inputs = ActorInputs(
            *(torch.from_numpy(array).flatten(0, 1)[groups].to(self.device) for array in arrays)
        )
        state = self.states[number]
        step = network.act(inputs, LstmState(*(part[groups] for part in state)), self.generator)
        for part, after in zip(state, step.state, strict=True):
            part[groups] = after
        flat = self.actions.reshape(-1, *self.actions.shape[2:])
        flat[groups.numpy()] = step.actions.cpu().numpy()
