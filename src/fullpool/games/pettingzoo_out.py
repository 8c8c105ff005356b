"""The MOBA as a PettingZoo parallel environment, for users of other libraries.

Agents are `a0` to `a4` and `b0` to `b4` and stay for the whole episode: a dead hero is an agent whose mask allows
"none" only, because it respawns. An action that the masks forbid acts as none and is counted in
`infos[agent]["illegal"]`; one outside of the action space is an error. A match that reaches its cap has ended
(terminated); nothing is ever truncated here.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping
from typing import Any, cast

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from pettingzoo import ParallelEnv

from fullpool.games.contract import EXTERNAL, Ints, Shorts, allocate_views
from fullpool.games.lineups import draw_lineup
from fullpool.games.moba.flat_actions import FLAT_ACTIONS, NUM_FLAT, flat_mask
from fullpool.games.pettingzoo_options import ParallelEnvConfig, check_reset, lineup_ids, read_config
from fullpool.games.pettingzoo_told import action_row
from fullpool.games.registry import bot_number, make_game
from fullpool.games.sampling import head_masks, is_legal_action

SIDES = ("a", "b")


def parallel_env(config: Mapping[str, Any] | None = None) -> MobaParallelEnv:
    """Builds the environment.

    Args:
        config: values of `ParallelEnvConfig` by name.

    Returns:
        A PettingZoo parallel environment of one match.

    Raises:
        TypeError: if the config is no dict.
        ValueError: if an option is unknown or wrong; one line names it.
    """
    return MobaParallelEnv(read_config(config))


class MobaParallelEnv(ParallelEnv[str, dict[str, Any], Any]):  # type: ignore[misc]
    """One match of the MOBA behind PettingZoo's parallel interface.

    Observations are `{"observation": float32 [D], "action_mask": ...}`. With manual aim the mask is a tuple of four
    int8 vectors, each true where some legal button allows the choice, and `"who_mask"`, `[9, 24]`, holds the targets
    of each button; with assisted aim it is one int8 vector `[116]`.
    """

    metadata: dict[str, Any] = {"name": "fullpool_moba_v1", "render_modes": [], "is_parallelizable": True}  # noqa: RUF012

    def __init__(self, config: ParallelEnvConfig) -> None:
        """Builds the game; `reset` starts the first match."""
        self.config = config
        self.render_mode = None
        self._game = make_game("moba", config.preset, 1, {"aim": config.aim, **config.options})
        self.spec_of_game = self._game.spec
        self._views = allocate_views(self.spec_of_game, 1)
        self._fixed = lineup_ids(self.spec_of_game, config.lineup) if config.lineup else None
        self._bot = EXTERNAL if config.opponent is None else bot_number(self.spec_of_game, config.opponent)
        size = self.spec_of_game.team_size
        sides = SIDES if config.opponent is None else SIDES[:1]
        self.possible_agents = [f"{side}{place}" for side in sides for place in range(size)]
        self.agents: list[str] = []
        self._places = {agent: (SIDES.index(agent[0]), int(agent[1:])) for agent in self.possible_agents}
        self._generator = np.random.default_rng()
        self._lineup: Shorts = np.zeros((2, size), np.int16)
        self._illegal = dict.fromkeys(self.possible_agents, 0)

    @functools.cached_property
    def _observation_space(self) -> spaces.Dict:
        spec = self.spec_of_game
        parts: dict[str, spaces.Space[Any]] = {
            "observation": spaces.Box(-np.inf, np.inf, (spec.observation.size,), np.float32)
        }
        if self.config.aim == "assist":
            parts["action_mask"] = spaces.MultiBinary(NUM_FLAT)
        else:
            sizes = [head.size for head in spec.action.heads]
            parts["action_mask"] = spaces.Tuple([spaces.MultiBinary(size) for size in sizes])
            parts["who_mask"] = spaces.MultiBinary([sizes[0], sizes[1]])
        return spaces.Dict(parts)

    @functools.cached_property
    def _action_spaces(self) -> dict[str, spaces.Space[Any]]:
        sizes = [head.size for head in self.spec_of_game.action.heads]
        flat = self.config.aim == "assist"
        return {
            a: spaces.Discrete(NUM_FLAT) if flat else spaces.MultiDiscrete(sizes)
            for a in self.possible_agents
        }

    @functools.cached_property
    def _spaces_by_agent(self) -> dict[str, spaces.Dict]:
        return dict.fromkeys(self.possible_agents, self._observation_space)

    def observation_space(self, agent: str) -> spaces.Dict:
        """Space of an agent's observations; the same object at every call."""
        self._check_agents([agent])
        return self._spaces_by_agent[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """Space of an agent's actions; the same object at every call."""
        self._check_agents([agent])
        return self._action_spaces[agent]

    def _check_agents(self, agents: Iterable[Any]) -> None:
        for agent in agents:
            if agent not in self._places:
                bot = self.config.opponent
                played = f" (team B is played by the bot {bot!r})" if bot is not None else ""
                raise ValueError(f"there is no agent {agent!r}; agents are {self.possible_agents}{played}")

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, dict[str, Any]], dict[str, dict[str, Any]]]:
        """Starts a match.

        Args:
            seed: seed of this match and of those of later resets without one.
            options: `{"lineup": (names of team A, names of team B)}` fixes this match's heroes. The key `options`
                is ignored, as PettingZoo's own test passes it.

        Returns:
            Observations and infos by agent.

        Raises:
            TypeError: if the seed is no whole number, or the options are no dict.
            ValueError: if the seed is negative, an option is unknown, or the line-up is not two teams of different
                known heroes.
        """
        check_reset(seed, options)
        if seed is not None:
            self._generator = np.random.default_rng(seed)
        spec, wanted = self.spec_of_game, (options or {}).get("lineup")
        if wanted is not None:
            self._lineup = lineup_ids(spec, wanted)
        elif self._fixed is not None:
            self._lineup = self._fixed
        else:
            self._lineup = draw_lineup(self._generator, spec.heroes, spec.team_size, reserved=False)
        seeds = self._generator.integers(0, 2**63, 1, np.uint64)
        seats = np.array([[EXTERNAL, self._bot]], np.int8)
        self._game.reset(np.zeros(1, np.int32), self._lineup[None], seeds, seats)
        self.agents = list(self.possible_agents)
        self._illegal = dict.fromkeys(self.possible_agents, 0)
        self._game.observe(self._views)
        return self._observations(), self._infos(
            np.zeros((2, spec.team_size, spec.num_reward_heads), np.float32)
        )

    def step(
        self, actions: dict[str, Any]
    ) -> tuple[
        dict[str, dict[str, Any]],
        dict[str, float],
        dict[str, bool],
        dict[str, bool],
        dict[str, dict[str, Any]],
    ]:
        """Plays one decision of all agents.

        Args:
            actions: one action an agent; a missing agent does nothing.

        Returns:
            Observations, rewards (the sum of the reward heads), terminations, truncations and infos by agent.

        Raises:
            TypeError: if actions are no dict, or one of them has another form than the action space.
            ValueError: if no match is under way, an agent is unknown, or an action is outside of the action space.
        """
        if not self.agents:
            state = "the match is over" if self._lineup.any() else "no match has begun"
            raise ValueError(f"{state}: call reset before the next step")
        if not isinstance(actions, Mapping):
            raise TypeError(f"step takes a dict of actions by agent, got {actions!r}")
        self._check_agents(actions)
        rows = np.zeros((1, 2, self.spec_of_game.team_size, len(self.spec_of_game.action.heads)), np.int32)
        for agent in self.agents:
            if agent in actions:
                rows[(0, *self._places[agent])] = self._factored(agent, actions[agent])
        result = self._game.step(rows)
        self._game.observe(self._views)
        heads = result.rewards[0].copy()
        ended = bool(result.terminated[0])
        observations, infos = self._observations(), self._infos(heads)
        rewards = {agent: float(heads[self._places[agent]].sum()) for agent in self.agents}
        terminations = dict.fromkeys(self.agents, ended)
        truncations = dict.fromkeys(self.agents, False)
        if ended:
            for agent in self.agents:
                infos[agent]["winner"] = int(result.winner[0])
            self.agents = []
        return observations, rewards, terminations, truncations, infos

    def _factored(self, agent: str, action: Any) -> Ints:
        """Turns an agent's action into head choices; an illegal one becomes none and is counted."""
        team, place = self._places[agent]
        flat = self.config.aim == "assist"
        sizes = [NUM_FLAT] if flat else [head.size for head in self.spec_of_game.action.heads]
        chosen = action_row(repr(agent), action, sizes)
        row: Ints = FLAT_ACTIONS[int(chosen[0])] if flat else chosen
        hero, mask = int(self._lineup[team, place]), self._views.masks[0, team, place]
        if is_legal_action(self.spec_of_game.action, hero, mask, row):
            return row
        self._illegal[agent] += 1
        return np.zeros_like(row)

    def _observations(self) -> dict[str, dict[str, Any]]:
        result = {}
        for agent in self.agents:
            team, place = self._places[agent]
            hero, mask = int(self._lineup[team, place]), self._views.masks[0, team, place]
            entry: dict[str, Any] = {"observation": self._views.observation[0, team, place].copy()}
            if self.config.aim == "assist":
                entry["action_mask"] = flat_mask(self.spec_of_game.action, hero, mask)
            else:
                entry["action_mask"], entry["who_mask"] = self._marginal_masks(hero, mask)
            result[agent] = entry
        return result

    def _marginal_masks(
        self, hero: int, mask: NDArray[np.uint8]
    ) -> tuple[tuple[NDArray[np.int8], ...], NDArray[np.int8]]:
        """Masks of each head over all legal buttons, and the targets of each button."""
        action = self.spec_of_game.action
        blocks = head_masks(action, mask)
        buttons = blocks[0][0].astype(np.int8)
        marginal = [buttons]
        who = np.ones((action.heads[0].size, action.heads[1].size), np.int8)
        for head in range(1, len(action.heads)):
            allowed = np.zeros(action.heads[head].size, np.int8)
            for button in np.flatnonzero(buttons):
                if not action.uses[hero, button, head]:
                    continue
                row = int(action.mask_rows[head, button])
                choices = blocks[head][row].astype(np.int8) if row >= 0 else np.ones_like(allowed)
                allowed |= choices
                if head == 1:
                    who[button] = choices
            marginal.append(allowed if allowed.any() else np.ones_like(allowed))
        return tuple(marginal), who

    def _infos(self, heads: NDArray[np.float32]) -> dict[str, dict[str, Any]]:
        infos = {}
        for agent in self.agents:
            team, place = self._places[agent]
            infos[agent] = {
                "reward_heads": heads[team, place].copy(),
                "critic_obs": self._views.critic[0, team].copy(),
                "critic_index": place,
                "hero_id": int(self._lineup[team, place]),
                "hero_ids": self._views.hero_ids[0, team, place].copy(),
                "illegal": self._illegal[agent],
            }
        return infos

    @functools.cached_property
    def state_space(self) -> spaces.Box:
        """Space of `state`."""
        return spaces.Box(-np.inf, np.inf, (self._views.critic.shape[-1],), np.float32)

    def state(self) -> NDArray[np.float32]:
        """Everything without fog, in the map's own frame (which is team A's)."""
        return cast(NDArray[np.float32], self._views.critic[0, 0].copy())

    def render(self) -> None:
        """Draws nothing: the match has no picture here."""

    def close(self) -> None:
        """Releases nothing: the match lives in plain arrays."""
