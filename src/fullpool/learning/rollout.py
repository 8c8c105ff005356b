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

from fullpool.games.contract import BatchGame
from fullpool.learning.matches import MatchFn, MatchRecord
from fullpool.learning.trajectories import Guidance, Trajectory, select_critic, select_inputs
from fullpool.learning.underway import LEARNER, MatchesUnderWay
from fullpool.learning.window import WindowBuffers
from fullpool.networks.actor_critic import ActorCritic
from fullpool.networks.precision import Precision, precision_context, resolve_precision
from fullpool.networks.types import ActorInputs, CriticInputs, LstmState

Arrays = dict[str, NDArray[Any]]
NetworkFn = Callable[[str], ActorCritic]


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
        self._game, self._network, self._network_fn = game, network, network_fn
        self._window, self._driver, self._deterministic = window, driver, deterministic
        self._precision: Precision = precision
        generator = np.random.Generator(np.random.PCG64(seed))
        self._sampler = torch.Generator().manual_seed(int(generator.integers(2**62)))
        self._under_way = MatchesUnderWay(game, match_fn, generator, trains=network is not None)
        self._states: dict[str, LstmState] = {}
        self._prepared = False
        self._buffers = WindowBuffers(game.spec, game.num_games, window)

    @property
    def num_running(self) -> int:
        """Number of matches under way."""
        return self._under_way.num_running

    def take_records(self) -> list[MatchRecord]:
        """Hands out the records of matches that finished since the last call."""
        return self._under_way.take_records()

    def prepare(self) -> None:
        """Starts a match in every free game. Separate from `collect`, since matchmakers are shared between workers."""
        if self._prepared:
            return
        self._prepared = True
        games = self._under_way.start()
        if len(games):
            self._forget(torch.from_numpy(np.concatenate([games * 2, games * 2 + 1]).astype(np.int64)))

    def _forget(self, groups: Tensor) -> None:
        """Zeroes the recurrent state of teams whose match starts, and drops policies that no longer play."""
        names = {LEARNER} | self._under_way.policies()
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
        """Finds the networks that the running matches need.

        Returns:
            The parts that act, the teams that the learner learns from, the teachers' parts in their order, and
            whether these teams are played by bots.
        """
        seating = self._under_way.seating(teachers_lead=self._driver == "teacher")
        parts, teachers = (
            [self._part(name, self._find(name), groups) for name, groups in sorted(teams.items())]
            for teams in (seating.acting, seating.teaching)
        )
        own = self._part(LEARNER, self._find(LEARNER), seating.learnt) if seating.learnt else None
        return parts, own, teachers, seating.imitating

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
        self._buffers.heroes[...] = self._under_way.heroes
        inputs, critic = self._buffers.tensors()
        before = {name: LstmState(*(part.clone() for part in state)) for name, state in self._states.items()}
        self._buffers.clear()
        device = parts[0].network.device if parts else torch.device("cpu")
        with precision_context(resolve_precision(self._precision, device), device):
            for t in range(self._window):
                if not self._under_way.num_running:
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
        self._buffers.valid[t] = self._under_way.running
        playing = self._under_way.running[:, None, None, None]
        result = self._game.step(self._buffers.actions[t])
        if imitating:
            # What a match that was over says it did may be illegal; choice 0 never is.
            self._buffers.actions[t] = np.where(playing, result.actions, 0)
        self._buffers.rewards[t] = np.where(playing, result.rewards, 0.0)
        self._buffers.terminated[t] = self._under_way.book(self._buffers.rewards[t], result)

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
        books, matches = self._under_way.save()
        arrays |= books | {"sampler": self._sampler.get_state().numpy().copy()}
        plain = {
            **matches,
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
        self._under_way.load(arrays, plain)
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
        self._sampler.set_state(torch.from_numpy(arrays["sampler"].copy()))
        self.version, self._prepared = int(plain["version"]), bool(plain["prepared"])


def _to(inputs: ActorInputs, device: torch.device) -> ActorInputs:
    """Moves inputs to a network's device; nothing is copied where they are there already."""
    if device.type == "cpu":
        return inputs
    return ActorInputs(*(part.to(device) for part in inputs))
