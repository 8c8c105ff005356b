"""Plays matches and collects windows of decisions.

Learner, frozen snapshots and bots sit where the matchmaker puts them. Every policy decides for all its teams in one
forward pass. Opponents change only when a match starts, with fresh recurrent state.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from fullpool.games.contract import EXTERNAL, RUNNING, BatchGame
from fullpool.learning.matches import (
    Bot,
    Learner,
    Match,
    MatchFn,
    MatchRecord,
    Snapshot,
    match_from_plain,
    match_to_plain,
)
from fullpool.learning.trajectories import Guidance, Trajectory, select_critic, select_inputs
from fullpool.learning.window import WindowBuffers
from fullpool.networks.actor_critic import ActorCritic
from fullpool.networks.precision import Precision, precision_context, resolve_precision
from fullpool.networks.types import ActorInputs, CriticInputs, LstmState

Arrays = dict[str, NDArray[Any]]
NetworkFn = Callable[[str], ActorCritic]
LEARNER = ""
"""Name under which the learner's own recurrent state is kept; snapshots have longer names."""


class _Part(NamedTuple):
    """Teams that one network serves; None stands for all teams."""

    name: str
    network: ActorCritic
    groups: Tensor | None


class RolloutWorker:
    """A batch of matches under way and the policies that play them.

    Attributes:
        version: number of updates of the learner's policy; written into trajectories.
    """

    def __init__(
        self,
        game: BatchGame,
        match_fn: MatchFn,
        network: ActorCritic | None,
        network_fn: NetworkFn,
        *,
        window: int,
        seed: int,
        precision: Precision = "auto",
        driver: Literal["student", "teacher"] = "student",
        deterministic: bool = False,
    ) -> None:
        """Prepares a worker; no match starts before the first window.

        Args:
            game: the batch of matches.
            match_fn: the matchmaker.
            network: the policy that is trained, or None when no seat is the learner's.
            network_fn: finds a frozen network by the name of its snapshot or teacher.
            window: decisions a window, T.
            seed: of the matchmaker's generator and of the sampled choices.
            precision: number type of the forward passes.
            driver: who acts on the learner's seats in matches with a teacher.
            deterministic: all policies take their most probable choices.
        """
        self.version = 0
        self._game, self._match_fn, self._network, self._network_fn = game, match_fn, network, network_fn
        self._window, self._driver, self._deterministic = window, driver, deterministic
        self._precision: Precision = precision
        self._generator = np.random.Generator(np.random.PCG64(seed))
        self._sampler = torch.Generator().manual_seed(int(self._generator.integers(2**62)))
        spec, num_games = game.spec, game.num_games
        self._matches: list[Match | None] = [None] * num_games
        self._states: dict[str, LstmState] = {}
        self._running = np.zeros(num_games, np.bool_)
        self._decisions = np.zeros(num_games, np.int32)
        self._records: list[MatchRecord] = []
        self._prepared = False
        self._buffers = WindowBuffers(spec, num_games, window)
        self._returns = np.zeros((num_games, 2, spec.team_size, spec.num_reward_heads), np.float32)

    @property
    def num_running(self) -> int:
        """Number of matches under way."""
        return int(self._running.sum())

    def take_records(self) -> list[MatchRecord]:
        """Hands out the records of matches that finished since the last call."""
        records, self._records = self._records, []
        return records

    def prepare(self) -> None:
        """Starts a match in every free game. Separate from `collect`, since matchmakers are shared between workers."""
        if self._prepared:
            return
        self._prepared = True
        started = []
        for game in np.flatnonzero(~self._running):
            match = self._match_fn(self._generator)
            self._matches[game] = match
            if match is not None:
                self._check(match)
                started.append(game)
        if not started:
            return
        games = np.array(started, np.int32)
        matches = [match for match in (self._matches[game] for game in started) if match is not None]
        lineups = np.stack([np.asarray(match.lineup, np.int16) for match in matches])
        seats = np.array([[self._seat_number(seat) for seat in match.seats] for match in matches], np.int8)
        self._game.reset(games, lineups, np.array([match.seed for match in matches], np.uint64), seats)
        self._buffers.heroes[games] = lineups
        self._running[games], self._decisions[games], self._returns[games] = True, 0, 0.0
        self._forget(torch.from_numpy(np.concatenate([games * 2, games * 2 + 1]).astype(np.int64)))

    def _check(self, match: Match) -> None:
        expected = (2, self._game.spec.team_size)
        if np.asarray(match.lineup).shape != expected:
            raise ValueError(f"a line-up must be {expected} hero ids, got {np.asarray(match.lineup).shape}")
        if self._network is None and any(
            isinstance(seat, Learner) or (isinstance(seat, Bot) and seat.imitated) for seat in match.seats
        ):
            raise ValueError(
                "the match seats the learner or an imitated bot but this worker was given no network to train"
            )

    def _seat_number(self, seat: Learner | Snapshot | Bot) -> int:
        """Number by which the game knows a seat."""
        if not isinstance(seat, Bot):
            return EXTERNAL
        if seat.name not in self._game.spec.bots:
            raise ValueError(
                f"game {self._game.spec.name!r} has no bot {seat.name!r}; it has {self._game.spec.bots}"
            )
        return self._game.spec.bots.index(seat.name)

    def _forget(self, groups: Tensor) -> None:
        """Zeroes the recurrent state of teams whose match starts, and drops policies that no longer play."""
        names = {LEARNER}
        for match in self._matches:
            if match is not None:
                names |= {seat.name for seat in match.seats if isinstance(seat, Snapshot)}
                names |= {match.teacher} if match.teacher is not None else set()
        self._states = {name: state for name, state in self._states.items() if name in names}
        for state in self._states.values():
            state.hidden[groups], state.cell[groups] = 0.0, 0.0

    def _part(self, name: str, network: ActorCritic, groups: list[int]) -> _Part:
        """Groups one network's teams and makes sure that it has a recurrent state."""
        if name not in self._states:
            self._states[name] = network.initial_state(2 * self._game.num_games)
        whole = len(groups) == 2 * self._game.num_games
        return _Part(name, network, None if whole else torch.tensor(groups, dtype=torch.int64))

    def _plan(self) -> tuple[list[_Part], _Part | None, list[_Part], bool]:
        """Sorts teams by who decides for them.

        Returns:
            The parts that act, the teams that the learner learns from, the teachers' parts in their order, and
            whether these teams are played by bots.
        """
        acting: dict[str, list[int]] = {}
        teaching: dict[str, list[int]] = {}
        learning: list[int] = []
        imitated: list[int] = []
        for game in np.flatnonzero(self._running):
            match = self._matches[game]
            assert match is not None
            for side, seat in enumerate(match.seats):
                group = 2 * int(game) + side
                if isinstance(seat, Snapshot):
                    acting.setdefault(seat.name, []).append(group)
                elif isinstance(seat, Bot):
                    if seat.imitated:
                        imitated.append(group)
                elif isinstance(seat, Learner):
                    learning.append(group)
                    if match.teacher is not None:
                        teaching.setdefault(match.teacher, []).append(group)
                    lead = (
                        match.teacher if self._driver == "teacher" and match.teacher is not None else LEARNER
                    )
                    acting.setdefault(lead, []).append(group)
        parts = [self._part(name, self._find(name), groups) for name, groups in sorted(acting.items())]
        teachers = [self._part(name, self._find(name), groups) for name, groups in sorted(teaching.items())]
        if sum(len(groups) for groups in teaching.values()) not in (0, len(learning)):
            raise ValueError("either all matches of the learner have a teacher or none has")
        if learning and imitated:
            raise ValueError("a worker's matches seat either the learner or imitated bots, not both")
        seen = learning or imitated
        own = self._part(LEARNER, self._find(LEARNER), seen) if seen else None
        return parts, own, teachers, bool(imitated)

    def _find(self, name: str) -> ActorCritic:
        network = self._network if name == LEARNER else self._network_fn(name)
        assert network is not None
        return network

    @torch.no_grad()
    def collect(self) -> Trajectory | None:
        """Plays one window in every match.

        Returns:
            The window of the learner's teams, or of the imitated bots'; None if there is no such team. Its arrays
            hold until the next call.
        """
        self.prepare()
        self._prepared = False
        parts, own, teachers, imitating = self._plan()
        inputs, critic = self._buffers.tensors()
        before = {name: LstmState(*(part.clone() for part in state)) for name, state in self._states.items()}
        self._buffers.clear()
        device = parts[0].network.device if parts else torch.device("cpu")
        with precision_context(resolve_precision(self._precision, device), device):
            for t in range(self._window):
                if not self._running.any():
                    break
                self._game.observe(self._buffers.views[t], bots=imitating)
                self._decide(t, parts, inputs)
                self._advance(t, imitating=imitating)
            if own is None:
                return None
            self._game.observe(self._buffers.views[self._window], bots=imitating)
            if imitating or (self._driver == "teacher" and teachers):
                self._replay(own, inputs, before[LEARNER])
            guidance = self._consult(teachers, own, inputs, critic, before) if teachers else None
        return self._buffers.cut(own.groups, before[LEARNER], guidance, version=self.version)

    def _decide(self, t: int, parts: list[_Part], inputs: ActorInputs) -> None:
        """Lets every policy decide for its teams."""
        actions = torch.from_numpy(self._buffers.actions[t]).flatten(0, 1)
        log_probs = torch.from_numpy(self._buffers.log_probs[t]).flatten(0, 1)
        now = ActorInputs(*(part[t] for part in inputs))
        for name, network, groups in parts:
            state = self._states[name]
            some = state if groups is None else LstmState(*(part[groups] for part in state))
            step = network.act(
                _to(select_inputs(now, groups, 0), network.device),
                some,
                self._sampler,
                deterministic=self._deterministic,
            )
            if groups is None:
                actions.copy_(step.actions)
                log_probs.copy_(step.log_probs)
                self._states[name] = step.state
            else:
                actions[groups], log_probs[groups] = step.actions.cpu(), step.log_probs.cpu()
                for part, new in zip(state, step.state, strict=True):
                    part[groups] = new

    def _advance(self, t: int, *, imitating: bool) -> None:
        """Plays the decision and books what it led to; where bots are imitated also what they did."""
        self._buffers.valid[t] = self._running
        result = self._game.step(self._buffers.actions[t])
        if imitating:
            # What a match that was over says it did may be illegal; choice 0 never is.
            self._buffers.actions[t] = np.where(self._running[:, None, None, None], result.actions, 0)
        self._buffers.rewards[t] = np.where(self._running[:, None, None, None], result.rewards, 0.0)
        self._returns += self._buffers.rewards[t]
        self._decisions += self._running
        ended = self._running & result.terminated
        self._buffers.terminated[t] = ended
        if not ended.any():
            return
        statistics = self._game.statistics()
        for game in np.flatnonzero(ended):
            match = self._matches[game]
            assert match is not None
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
        self._running &= ~ended

    def _replay(self, own: _Part, inputs: ActorInputs, before: LstmState) -> None:
        """Runs the learner along a window that teachers or bots played, so that its memory keeps up."""
        groups = own.groups if own.groups is not None else torch.arange(before.hidden.shape[0])
        window = ActorInputs(*(part[:-1] for part in select_inputs(inputs, groups, 1)))
        after = own.network(
            _to(window, own.network.device), LstmState(*(part[groups] for part in before))
        ).state
        for part, new in zip(self._states[LEARNER], after, strict=True):
            part[groups] = new

    def _consult(
        self,
        teachers: list[_Part],
        own: _Part,
        inputs: ActorInputs,
        critic: CriticInputs,
        before: dict[str, LstmState],
    ) -> Guidance:
        """Runs each teacher along the learner's window, with its own memory."""
        tables = own.network.tables
        steps, groups, players = self._window, 2 * self._game.num_games, self._game.spec.team_size
        logits = torch.zeros(steps, groups, players, tables.num_heads, tables.num_choices)
        values = torch.zeros(steps, groups, players, own.network.num_values)
        for name, network, some in teachers:
            chosen = some if some is not None else torch.arange(groups)
            window = _to(
                ActorInputs(*(part[:-1] for part in select_inputs(inputs, chosen, 1))), network.device
            )
            output = network(window, LstmState(*(part[chosen] for part in before[name])))
            seen = CriticInputs(*(part[:-1].to(network.device) for part in select_critic(critic, chosen, 1)))
            logits[:, chosen] = output.logits.cpu()
            values[:, chosen] = network.denormalise_values(network.values(seen, output.memory)).cpu()
            for part, new in zip(self._states[name], output.state, strict=True):
                part[chosen] = new
        if own.groups is None:
            return Guidance(logits, values)
        return Guidance(logits[:, own.groups], values[:, own.groups])

    def save(self) -> tuple[Arrays, dict[str, Any]]:
        """Copies everything under way; call it between windows.

        Returns:
            Arrays by name, and JSON data.
        """
        arrays: Arrays = {f"game.{name}": value for name, value in self._game.save_state().items()}
        for name, state in self._states.items():
            arrays[f"hidden.{name}"], arrays[f"cell.{name}"] = (part.cpu().numpy().copy() for part in state)
        arrays |= {
            "running": self._running.copy(),
            "decisions": self._decisions.copy(),
            "heroes": self._buffers.heroes.copy(),
            "returns": self._returns.copy(),
            "sampler": self._sampler.get_state().numpy().copy(),
        }
        plain = {
            "matches": [match_to_plain(match) for match in self._matches],
            "generator": self._generator.bit_generator.state,
            "states": list(self._states),
            "version": self.version,
            "prepared": self._prepared,
        }
        return arrays, plain

    def load(self, arrays: Arrays, plain: dict[str, Any]) -> None:
        """Puts back what `save` returned.

        Raises:
            ValueError: if the number of games differs.
        """
        if len(plain["matches"]) != self._game.num_games:
            raise ValueError(
                f"the checkpoint holds {len(plain['matches'])} games under way, this run plays "
                f"{self._game.num_games}: keep the number of games"
            )
        self._game.load_state(
            {name.removeprefix("game."): value for name, value in arrays.items() if name.startswith("game.")}
        )
        device = self._network.device if self._network is not None else torch.device("cpu")
        self._states = {
            name: LstmState(
                *(torch.from_numpy(arrays[f"{kind}.{name}"].copy()).to(device) for kind in ("hidden", "cell"))
            )
            for name in plain["states"]
        }
        self._running[...], self._decisions[...] = arrays["running"], arrays["decisions"]
        self._buffers.heroes[...], self._returns[...] = arrays["heroes"], arrays["returns"]
        self._sampler.set_state(torch.from_numpy(arrays["sampler"].copy()))
        self._matches = [match_from_plain(match) for match in plain["matches"]]
        self._generator.bit_generator.state = plain["generator"]
        self.version, self._prepared = int(plain["version"]), bool(plain["prepared"])


def _to(inputs: ActorInputs, device: torch.device) -> ActorInputs:
    """Moves inputs to a network's device; nothing is copied where they are there already."""
    if device.type == "cpu":
        return inputs
    return ActorInputs(*(part.to(device) for part in inputs))
