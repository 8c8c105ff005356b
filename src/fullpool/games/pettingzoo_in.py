"""A user's own PettingZoo game as a batch that the trainer can learn: the door in.

Conventions that the game has to keep:

- A `ParallelEnv` with two teams of the same size. Which agents form which team is given, or taken from the first
  letter of their names (`a0, a1, ..., b0, b1, ...`).
- Every agent has the same action space, `Discrete` or `MultiDiscrete`; choice 0 of the first head means "nothing".
- Observations are flat float vectors, or a `Dict` with `observation` and optionally `action_mask`: one vector for a
  `Discrete`, a tuple of vectors for a `MultiDiscrete`. The first head decides which of the others count (`uses`).
- Agents that leave (`agents` shrinks) are kept as dead agents: zeros to see, "nothing" to do, no reward.
- Rewards are one head, unless `infos[agent]["reward_heads"]` brings as many as `reward_heads` names.
- Line-ups: heroes are the names given here; `reset(options={"lineup": [names, names]})` sets who plays whom. A game
  without heroes gives none and gets one anonymous hero a seat.
- The match ends when nobody is left. `infos[agent]["winner"]` may say 0, 1 or 2 (draw); else the team with the
  larger sum of rewards won. A time limit of the game's own counts as its end.
- `state()` is the critic's privileged view where `state_space` exists.
- The same seed and actions give the same match: a saved match is restored by playing its actions again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from pettingzoo import ParallelEnv

from fullpool.games.contract import (
    DRAW,
    EXTERNAL,
    RUNNING,
    TEAM_A_WON,
    TEAM_B_WON,
    ActionHead,
    ActionSpec,
    BatchViews,
    GameSpec,
    Ints,
    ObservationSpec,
    Seeds,
    Shorts,
    StepResult,
    UnitBlock,
)


@dataclass(frozen=True)
class PettingZooGame:
    """What a PettingZoo game cannot say of itself.

    Attributes:
        name: name of the game in checkpoints.
        version: changes when the game's behaviour does.
        max_decisions: no match takes more steps than this.
        teams: agents of both teams; None: by the first letter of their names.
        heroes: names of the pool; empty: one anonymous hero a seat.
        reward_heads: names of the heads in `infos[agent]["reward_heads"]`; empty: the plain reward.
        uses: `[A0, H]` which heads each choice of the first head uses; None: all.
        zero_sum: whether rewards sum to zero over all agents at every step.
        decisions_per_second: of game time.
    """

    name: str
    version: str
    max_decisions: int
    teams: tuple[tuple[str, ...], tuple[str, ...]] | None = None
    heroes: tuple[str, ...] = ()
    reward_heads: tuple[str, ...] = ()
    uses: tuple[tuple[bool, ...], ...] | None = None
    zero_sum: bool = False
    decisions_per_second: float = 2.0


def _split_teams(agents: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    letters = sorted({agent[0] for agent in agents})
    if len(letters) != 2:
        raise ValueError(
            f"agents' names must begin with two different letters, got {list(agents)}; give `teams`"
        )
    first, second = (tuple(agent for agent in agents if agent[0] == letter) for letter in letters)
    return first, second


def _head_sizes(space: Any) -> tuple[int, ...]:
    if isinstance(space, spaces.Discrete):
        return (int(space.n),)
    if isinstance(space, spaces.MultiDiscrete) and space.nvec.ndim == 1:
        return tuple(int(size) for size in space.nvec)
    raise ValueError(f"an action space must be Discrete or a flat MultiDiscrete, got {space}")


def _observation_size(space: Any) -> int:
    inner = space["observation"] if isinstance(space, spaces.Dict) else space
    if not isinstance(inner, spaces.Box):
        raise ValueError(f"observations must be a Box, alone or as `observation` of a Dict, got {inner}")
    return int(np.prod(inner.shape))


def _vector(observation: Any) -> NDArray[np.float32]:
    inner = observation["observation"] if isinstance(observation, Mapping) else observation
    return np.asarray(inner, np.float32).reshape(-1)


def game_spec(env: ParallelEnv[str, Any, Any], facts: PettingZooGame) -> GameSpec:
    """Builds the spec of a PettingZoo game.

    Args:
        env: one instance.
        facts: what it cannot say of itself.

    Returns:
        The spec.

    Raises:
        ValueError: if the game breaks a convention of this module; the message says which.
    """
    teams = facts.teams or _split_teams(env.possible_agents)
    if len(teams) != 2 or len(teams[0]) != len(teams[1]) or not teams[0]:
        raise ValueError(f"a game needs two teams of the same size, got {teams}")
    if {*teams[0], *teams[1]} != set(env.possible_agents):
        raise ValueError(f"teams {teams} are not the game's agents {list(env.possible_agents)}")
    agents = [*teams[0], *teams[1]]
    sizes = {_head_sizes(env.action_space(agent)) for agent in agents}
    floats = {_observation_size(env.observation_space(agent)) for agent in agents}
    if len(sizes) != 1 or len(floats) != 1:
        raise ValueError(
            f"all agents need the same spaces, got action heads {sizes} and observation sizes {floats}"
        )
    heads = sizes.pop()
    heroes = facts.heroes or tuple(f"seat{i}" for i in range(len(agents)))
    uses = np.ones((len(heroes), heads[0], len(heads)), np.bool_)
    if facts.uses is not None:
        if np.shape(facts.uses) != uses.shape[1:]:
            raise ValueError(f"uses must be {uses.shape[1:]}, got {np.shape(facts.uses)}")
        uses &= np.array(facts.uses, np.bool_)
    uses[:, :, 0] = True
    mask_rows = np.zeros((len(heads), heads[0]), np.int32)
    names = [f"head{i}" for i in range(len(heads))]
    state = getattr(env, "state_space", None)
    critic = None
    if isinstance(state, spaces.Box):
        block = UnitBlock("state", 1, int(np.prod(state.shape)), (("state", 0, 1),))
        critic = ObservationSpec((block,), "state")
    own = UnitBlock("self", 1, floats.pop(), (("self", 0, 1),))
    return GameSpec(
        name=facts.name,
        version=facts.version,
        preset="default",
        team_size=len(teams[0]),
        heroes=heroes,
        roles=("any",) * len(heroes),
        observation=ObservationSpec((own,), "self"),
        critic=critic,
        action=ActionSpec(tuple(map(ActionHead, names, heads)), uses, mask_rows),
        reward_heads=facts.reward_heads or ("reward",),
        zero_sum=facts.zero_sum,
        max_decisions=facts.max_decisions,
        decisions_per_second=facts.decisions_per_second,
    )


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
        """
        self._envs = [make_env() for _ in range(num_games)]
        self._spec = game_spec(self._envs[0], facts)
        self._teams = facts.teams or _split_teams(self._envs[0].possible_agents)
        spec, n = self._spec, num_games
        shape = (n, 2, spec.team_size)
        self._places = {
            agent: (team, i) for team, names in enumerate(self._teams) for i, agent in enumerate(names)
        }
        self._observations: list[dict[str, Any]] = [{} for _ in self._envs]
        self._rewards = np.zeros((*shape, spec.num_reward_heads), np.float32)
        self._totals = np.zeros((n, 2))
        self._winner = np.full(n, DRAW, np.int8)
        self._steps = np.zeros(n, np.int32)
        self._lineups = np.zeros(shape, np.int16)
        self._seeds = np.zeros(n, np.uint64)
        self._log = np.zeros((n, spec.max_decisions, 2, spec.team_size, len(spec.action.heads)), np.int32)

    @property
    def spec(self) -> GameSpec:
        """The game's description."""
        return self._spec

    @property
    def num_games(self) -> int:
        """Number of matches in the batch, N."""
        return len(self._envs)

    def reset(self, games: Ints, lineups: Shorts, seeds: Seeds, seats: NDArray[np.int8]) -> None:
        """Starts matches anew; a PettingZoo game has no bots, so every seat is EXTERNAL."""
        if (np.asarray(seats) != EXTERNAL).any():
            raise ValueError(f"{self._spec.name} has no bots: every seat must be {EXTERNAL} (external)")
        for game, lineup, seed in zip(games, lineups, seeds, strict=True):
            self._lineups[game], self._seeds[game] = lineup, seed
            self._steps[game], self._totals[game], self._winner[game] = 0, 0.0, RUNNING
            names = [[self._spec.heroes[hero] for hero in team] for team in lineup]
            reduced = int(seed) % (2**31)  # numpy's and gymnasium's seeding take no larger ones everywhere
            self._observations[game], _ = self._envs[game].reset(seed=reduced, options={"lineup": names})

    def observe(self, views: BatchViews, *, bots: bool = False) -> None:
        """Writes what every agent sees (there are no bots); agents that left see zeros and may do nothing."""
        views.observation[...] = 0.0
        views.hero_ids[..., 0] = self._lineups
        views.masks[...] = 0
        start = 0
        for head in self._spec.action.heads:
            views.masks[..., start] = 1
            start += head.size
        for game, observations in enumerate(self._observations):
            if self._winner[game] == RUNNING:
                for agent in self._envs[game].agents:
                    self._write_agent(views, game, agent, observations[agent])
            if self._spec.critic is not None:
                views.critic[game] = np.asarray(self._envs[game].state(), np.float32).reshape(-1)
                views.critic_hero_ids[game] = -1

    def _write_agent(self, views: BatchViews, game: int, agent: str, observation: Any) -> None:
        team, place = self._places[agent]
        views.observation[game, team, place] = _vector(observation)
        mask = observation.get("action_mask") if isinstance(observation, Mapping) else None
        if mask is None:
            views.masks[game, team, place] = 1
        else:
            parts = mask if isinstance(mask, tuple) else (mask,)
            views.masks[game, team, place] = np.concatenate([np.asarray(part, np.uint8) for part in parts])

    def step(self, actions: Ints) -> StepResult:
        """Plays one step of every match that runs."""
        self._rewards[...] = 0.0
        terminated = np.zeros(len(self._envs), np.bool_)
        for game in np.flatnonzero(self._winner == RUNNING):
            self._log[game, self._steps[game]] = actions[game]
            terminated[game] = self._step_one(int(game), actions[game])
        return StepResult(self._rewards, terminated, self._winner, np.array(actions, np.int32))

    def _step_one(self, game: int, actions: Ints) -> bool:
        env, flat = self._envs[game], len(self._spec.action.heads) == 1
        chosen = {}
        for agent in env.agents:
            row = actions[self._places[agent]]
            chosen[agent] = int(row[0]) if flat else row.astype(np.int64)
        self._observations[game], rewards, _, _, infos = env.step(chosen)
        self._steps[game] += 1
        for agent, reward in rewards.items():
            team, place = self._places[agent]
            heads = (
                infos.get(agent, {}).get("reward_heads", None) if len(self._spec.reward_heads) > 1 else None
            )
            self._rewards[game, team, place] = reward if heads is None else heads
            self._totals[game, team] += float(self._rewards[game, team, place].sum())
        if env.agents and self._steps[game] < self._spec.max_decisions:
            return False
        told = [info["winner"] for info in infos.values() if "winner" in info]
        lead = self._totals[game, 0] - self._totals[game, 1]
        counted = DRAW if lead == 0 else (TEAM_A_WON if lead > 0 else TEAM_B_WON)
        self._winner[game] = told[0] if told else counted
        return True

    def save_state(self) -> dict[str, NDArray[Any]]:
        """Copies the seeds, line-ups and actions that the matches under way came from."""
        names = ("seeds", "lineups", "steps", "log")
        return {name: getattr(self, f"_{name}").copy() for name in names}

    def load_state(self, state: dict[str, NDArray[Any]]) -> None:
        """Plays the saved matches again up to where they were."""
        games = np.arange(self.num_games, dtype=np.int32)
        seats = np.full((self.num_games, 2), EXTERNAL, np.int8)
        self.reset(games, state["lineups"], state["seeds"], seats)
        for game in games:
            for step in range(int(state["steps"][game])):
                self._log[game, step] = state["log"][game, step]
                self._step_one(int(game), state["log"][game, step])

    def statistics(self) -> dict[str, NDArray[Any]]:
        """Sum of rewards of each team since each reset."""
        return {"return": self._totals.copy()}
