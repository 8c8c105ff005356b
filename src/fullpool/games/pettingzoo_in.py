"""A user's own PettingZoo game as a batch that the trainer can learn: the door in.

Conventions that the game has to keep:

- A `ParallelEnv` with two teams of the same size. Which agents form which team is given, or taken from the first
  letter of their names (`a0, a1, ..., b0, b1, ...`).
- Every agent has the same action space, `Discrete` or `MultiDiscrete`; choice 0 of the first head means "nothing".
- Observations are flat float vectors, or a `Dict` with `observation` and optionally `action_mask`: one vector for a
  `Discrete`, a tuple of vectors for a `MultiDiscrete`. The first head decides which of the others count (`uses`).
- Agents that leave (`agents` shrinks) are kept as dead agents: zeros to see, "nothing" to do, no reward.
- Rewards are one head, unless `infos[agent]["reward_heads"]` brings as many as `reward_heads` names.
- Line-ups: heroes are the names given; `reset(options={"lineup": [names, names]})` sets who plays whom. A game
  without heroes is told of none.
- The match ends when nobody is left. `infos[agent]["winner"]` may say 0, 1 or 2 (draw); else the team with the
  larger sum of rewards won. A time limit of the game's own counts as its end.
- Where `state_space` exists, the critic sees `state()` and the observations of all agents.
- The same seed and actions give the same match: a saved match is restored by playing its actions again.

An illegal action never reaches the game: the agent does nothing, which is what is reported, and the match's figure
`illegal` counts it. Every game has the bots `noop` and `random`; the author may add others.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pettingzoo import ParallelEnv

from fullpool.games.contract import (
    DRAW,
    EXTERNAL,
    RUNNING,
    TEAM_A_WON,
    TEAM_B_WON,
    BatchViews,
    GameSpec,
    Ints,
    Seeds,
    Shorts,
    StepResult,
)
from fullpool.games.pettingzoo_spec import NOOP, RANDOM, PettingZooGame, game_spec, split_teams
from fullpool.games.pettingzoo_told import Told, action_row, agent_mask, vector
from fullpool.games.sampling import is_legal_action, sample_actions

__all__ = ["PettingZooBatch", "PettingZooGame", "game_spec"]

_STATE = ("seeds", "lineups", "seats", "steps", "log")


class PettingZooBatch:
    """Several instances of a PettingZoo game, stepped one after another, as a `BatchGame`."""

    def __init__(
        self, make_env: Callable[[], ParallelEnv[str, Any, Any]], facts: PettingZooGame, num_games: int
    ) -> None:
        """Builds the instances.

        Args:
            make_env: builds one instance.
            facts: what the game cannot say of itself.
            num_games: instances, N.

        Raises:
            TypeError: if `make_env` does not build a parallel environment.
            ValueError: if the game breaks a convention of this module.
        """
        if not callable(make_env):
            raise TypeError(f"make_env must be a function that builds the game, got {make_env!r}")
        if num_games < 1:
            raise ValueError(f"num_games must be at least 1, got {num_games}")
        self._envs = [make_env() for _ in range(num_games)]
        if not hasattr(self._envs[0], "possible_agents"):
            raise TypeError(
                f"make_env must build a PettingZoo ParallelEnv, got {type(self._envs[0]).__name__}; "
                "turn an AECEnv into one with pettingzoo.utils.conversions.aec_to_parallel"
            )
        self._facts, self._spec = facts, game_spec(self._envs[0], facts)
        teams = split_teams(facts, self._envs[0])
        spec, shape = self._spec, (num_games, 2, self._spec.team_size)
        self._places = {agent: (team, i) for team, names in enumerate(teams) for i, agent in enumerate(names)}
        self._observations: list[Mapping[str, Any]] = [{} for _ in self._envs]
        self._masks = np.zeros((*shape, spec.action.mask_size), np.uint8)
        self._nothing = np.zeros(spec.action.mask_size, np.uint8)
        starts = np.cumsum([0, *(head.size for head in spec.action.heads)])[:-1]
        self._nothing[starts] = 1
        self._rewards = np.zeros((*shape, spec.num_reward_heads), np.float32)
        self._totals, self._illegal = np.zeros((num_games, 2)), np.zeros((num_games, 2), np.int32)
        self._winner = np.full(num_games, DRAW, np.int8)
        self._steps, self._seeds = np.zeros(num_games, np.int32), np.zeros(num_games, np.uint64)
        self._lineups = np.zeros(shape, np.int16)
        self._seats = np.full((num_games, 2), EXTERNAL, np.int8)
        self._log = np.zeros((num_games, spec.max_decisions, *shape[1:], len(spec.action.heads)), np.int32)

    @property
    def spec(self) -> GameSpec:
        """The game's description."""
        return self._spec

    @property
    def num_games(self) -> int:
        """Number of matches in the batch, N."""
        return len(self._envs)

    def reset(self, games: Ints, lineups: Shorts, seeds: Seeds, seats: NDArray[np.int8]) -> None:
        """Starts matches anew; see `BatchGame.reset`.

        Raises:
            ValueError: if a shape, hero or bot is impossible.
        """
        games, lineups, seats = np.asarray(games), np.asarray(lineups), np.asarray(seats)
        self._check_start(games, lineups, np.asarray(seeds), seats)
        for game, lineup, seed, seat in zip(games, lineups, seeds, seats, strict=True):
            self._start(int(game), lineup, seed, seat)

    def _check_start(
        self, games: Ints, lineups: Shorts, seeds: NDArray[Any], seats: NDArray[np.int8]
    ) -> None:
        spec, n = self._spec, len(games)
        for label, got, wanted in (
            ("lineups", lineups.shape, (n, 2, spec.team_size)),
            ("seeds", seeds.shape, (n,)),
            ("seats", seats.shape, (n, 2)),
        ):
            if got != wanted:
                raise ValueError(f"reset of {spec.name}: {label} must be {wanted} for {n} matches, got {got}")
        for label, ids, low, high in (
            ("games", games, 0, self.num_games),
            ("lineups", lineups, 0, len(spec.heroes)),
            ("seats", seats, EXTERNAL, len(spec.bots)),
        ):
            if ids.size and (ids.min() < low or ids.max() >= high):
                wrong = ids.min() if ids.min() < low else ids.max()
                raise ValueError(f"reset of {spec.name}: {label} must lie in [{low}, {high}), got {wrong}")

    def _start(self, game: int, lineup: Shorts, seed: np.uint64, seat: NDArray[np.int8]) -> None:
        self._lineups[game], self._seeds[game], self._seats[game] = lineup, seed, seat
        self._steps[game], self._totals[game], self._illegal[game] = 0, 0.0, 0
        self._winner[game] = RUNNING
        names = [[self._spec.heroes[hero] for hero in team] for team in lineup]
        reduced = int(seed) % (2**31)  # numpy's and gymnasium's seeding take no larger ones everywhere
        options = {"lineup": names} if self._facts.heroes else None
        told = Told("reset", self._envs[game].reset(seed=reduced, options=options), self._places)
        self._look(game, told.observations)

    def _look(self, game: int, observations: Mapping[str, Any]) -> None:
        """Takes in what agents see, and their masks: those who left may do nothing."""
        self._observations[game] = observations
        self._masks[game] = self._nothing
        sizes = [head.size for head in self._spec.action.heads]
        for agent in self._envs[game].agents:
            if agent not in observations:
                raise ValueError(f"{self._spec.name} gave no observation to {agent!r}, who plays")
            self._masks[(game, *self._places[agent])] = agent_mask(agent, observations[agent], sizes)

    def observe(self, views: BatchViews, *, bots: bool = False) -> None:
        """Writes what every agent sees, that of bots anyway; agents that left see zeros and may do nothing."""
        views.observation[...] = 0.0
        views.hero_ids[..., 0] = self._lineups if self._facts.heroes else 0
        views.masks[...] = self._nothing
        for game, observations in enumerate(self._observations):
            if self._winner[game] == RUNNING:
                views.masks[game] = self._masks[game]
                for agent in self._envs[game].agents:
                    seen = vector(
                        f"observation of {agent!r}", observations[agent], self._spec.observation.size
                    )
                    views.observation[(game, *self._places[agent])] = seen
        if self._spec.critic is not None:
            self._write_critic(views)

    def _write_critic(self, views: BatchViews) -> None:
        """Writes each team's view of all agents, own first, of the state, and which side it is."""
        n, size = self.num_games, self._spec.team_size
        first = 2 * size * self._spec.observation.size
        for team in range(2):
            agents = views.observation if team == 0 else views.observation[:, ::-1]
            heroes = views.hero_ids[..., 0] if team == 0 else views.hero_ids[:, ::-1, :, 0]
            views.critic[:, team, :first] = agents.reshape(n, -1)
            views.critic_hero_ids[:, team] = heroes.reshape(n, -1)
        views.critic[..., first:] = 0.0
        for game in map(int, np.flatnonzero(self._winner == RUNNING)):
            views.critic[game, :, first:-1] = vector(
                "state", self._envs[game].state(), views.critic.shape[-1] - first - 1
            )
            views.critic[game, 1, -1] = 1.0

    def step(self, actions: Ints) -> StepResult:
        """Plays one step of every match that runs.

        Raises:
            TypeError: if actions are no whole numbers.
            ValueError: if their shape is not `[N, 2, P, H]`, or the game answers in a form that it may not.
        """
        given, shape = np.asarray(actions), (*self._lineups.shape, len(self._spec.action.heads))
        if given.shape != shape:
            raise ValueError(f"actions must be [N, 2, P, H] = {shape}, got {given.shape}")
        if given.dtype.kind not in "iu":
            raise TypeError(f"actions must be whole numbers, got {given.dtype}")
        taken = given.astype(np.int32)
        self._rewards[...] = 0.0
        terminated = np.zeros(self.num_games, np.bool_)
        for game in map(int, np.flatnonzero(self._winner == RUNNING)):
            self._decide(game, taken[game])
            self._log[game, self._steps[game]] = taken[game]
            terminated[game] = self._step_one(game, taken[game])
        return StepResult(self._rewards, terminated, self._winner.copy(), taken)

    def _decide(self, game: int, taken: Ints) -> None:
        """Replaces what is illegal by nothing, and the rows of bots by what they choose; writes into `[2, P, H]`."""
        action, playing = self._spec.action, set(self._envs[game].agents)
        for agent, (team, place) in self._places.items():
            hero, mask = int(self._lineups[game, team, place]), self._masks[game, team, place]
            number = int(self._seats[game, team])
            if agent not in playing:
                taken[team, place] = 0
                continue
            if number != EXTERNAL:
                taken[team, place] = self._ask_bot(self._spec.bots[number], game, agent)
            row = taken[team, place]
            if not 0 <= row[0] < action.heads[0].size or not is_legal_action(action, hero, mask, row):
                self._illegal[game, team] += 1
                taken[team, place] = 0

    def _ask_bot(self, name: str, game: int, agent: str) -> Any:
        if name == NOOP:
            return 0
        team, place = self._places[agent]
        generator = np.random.default_rng([int(self._seeds[game]), int(self._steps[game]), team, place])
        if name == RANDOM:
            hero, mask = self._lineups[game, team, place], self._masks[game, team, place]
            return sample_actions(self._spec.action, hero[None], mask[None], generator)[0]
        chosen = self._facts.bots[name](self._observations[game][agent], generator)
        return action_row(f"bot {name!r} for {agent!r}", chosen, [h.size for h in self._spec.action.heads])

    def _step_one(self, game: int, actions: Ints) -> bool:
        """Plays one step of a match; returns whether it ended."""
        env, heads = self._envs[game], self._spec.num_reward_heads
        chosen: dict[str, Any] = {}
        for agent in env.agents:
            row = actions[self._places[agent]]
            chosen[agent] = int(row[0]) if len(row) == 1 else row.astype(np.int64)
        told = Told("step", env.step(chosen), self._places)
        self._steps[game] += 1
        for agent in told.rewards:
            team, place = self._places[agent]
            self._rewards[game, team, place] = told.reward_heads(agent, heads)
            self._totals[game, team] += float(self._rewards[game, team, place].sum())
        if env.agents and self._steps[game] < self._spec.max_decisions:
            self._look(game, told.observations)
            return False
        lead = self._totals[game, 0] - self._totals[game, 1]
        counted = DRAW if lead == 0 else (TEAM_A_WON if lead > 0 else TEAM_B_WON)
        winner = told.winner()
        self._winner[game] = counted if winner is None else winner
        return True

    def save_state(self) -> dict[str, NDArray[Any]]:
        """Copies the seeds, line-ups, seats and actions that the matches came from, and which of them ever began."""
        state = {name: getattr(self, f"_{name}").copy() for name in _STATE}
        return state | {
            "illegal": self._illegal.copy(),
            "begun": (self._winner == RUNNING) | (self._steps > 0),
        }

    def load_state(self, state: dict[str, NDArray[Any]]) -> None:
        """Plays the saved matches again up to where they were."""
        self._winner[...], self._observations = DRAW, [{} for _ in self._envs]
        for game in map(int, np.flatnonzero(state["begun"])):
            self._start(game, *(state[name][game] for name in ("lineups", "seeds", "seats")))
            for step in range(int(state["steps"][game])):
                self._log[game, step] = state["log"][game, step]
                self._step_one(game, state["log"][game, step])
        self._illegal[...] = state["illegal"]

    def statistics(self) -> dict[str, NDArray[Any]]:
        """Sum of rewards and number of illegal actions of each team since each reset."""
        return {"return": self._totals.copy(), "illegal": self._illegal.copy()}
