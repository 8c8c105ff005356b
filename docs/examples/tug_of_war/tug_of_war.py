"""Tug of war: a small PettingZoo game of two teams, and how fullpool gets it; see docs/guides/own_game.md."""

from __future__ import annotations

import numpy as np
from gymnasium import spaces
from pettingzoo import ParallelEnv

from fullpool.games.pettingzoo_in import PettingZooBatch, PettingZooGame

REST, PULL, BRACE = range(3)
HEROES = {  # strength, and breath that a rest gives back
    "Ox": (1.0, 0.10), "Bear": (0.9, 0.12), "Bull": (0.8, 0.15), "Elk": (0.7, 0.18),
    "Ram": (0.6, 0.20), "Boar": (0.5, 0.24), "Wolf": (0.4, 0.28), "Hare": (0.3, 0.32),
}  # fmt: skip


class TugOfWar(ParallelEnv):
    """Two a side pull on a rope until it is over the line; pulling takes breath, and without breath nobody pulls."""

    metadata = {"name": "tug_of_war"}  # noqa: RUF012

    def __init__(self, steps: int = 40) -> None:
        """A match takes at most so many steps."""
        self.steps = steps
        self.possible_agents = ["a0", "a1", "b0", "b1"]
        self.agents: list[str] = []
        self._observation = spaces.Dict(
            {"observation": spaces.Box(-1, 1, (10,), np.float32), "action_mask": spaces.MultiBinary(3)}
        )
        self._action = spaces.Discrete(3)

    def observation_space(self, agent):
        return self._observation

    def action_space(self, agent):
        return self._action

    def reset(self, seed=None, options=None):
        lineup = (options or {}).get("lineup") or [["Ox", "Hare"], ["Bear", "Wolf"]]
        self._heroes = dict(zip(self.possible_agents, [*lineup[0], *lineup[1]], strict=True))
        self._breath = dict.fromkeys(self.possible_agents, 1.0)
        self._rope = float(np.random.default_rng(seed).uniform(-0.2, 0.2))  # above 0: team a is ahead
        self._step, self.agents = 0, list(self.possible_agents)
        return self._look(), {agent: {} for agent in self.agents}

    def step(self, actions):
        pull = {"a": 0.0, "b": 0.0}
        hold = {"a": 1.0, "b": 1.0}
        for agent, action in actions.items():
            strength, recovery = HEROES[self._heroes[agent]]
            if action == PULL and self._breath[agent] >= 0.2:
                pull[agent[0]] += strength * self._breath[agent]
                self._breath[agent] = max(self._breath[agent] - 0.3, 0.0)
            elif action == BRACE:
                hold[agent[0]] *= 0.5
            else:
                self._breath[agent] = min(self._breath[agent] + recovery, 1.0)
        moved = 0.25 * (pull["a"] * hold["b"] - pull["b"] * hold["a"])
        self._rope, self._step = self._rope + moved, self._step + 1
        over = abs(self._rope) >= 1.0 or self._step >= self.steps
        won = float(np.sign(self._rope)) if over else 0.0
        acted = self.agents
        heads = {a: np.array([moved, won]) * (1.0 if a[0] == "a" else -1.0) for a in acted}
        infos = {a: {"reward_heads": heads[a]} for a in acted}
        if over:
            infos["a0"]["winner"] = 2 if won == 0 else int(won < 0)
        observations = self._look()
        self.agents = [] if over else acted
        rewards = {a: float(heads[a].sum()) for a in acted}
        return observations, rewards, dict.fromkeys(acted, over), dict.fromkeys(acted, False), infos

    def _look(self):
        return {agent: self._look_of(agent) for agent in self.agents}

    def _look_of(self, agent):
        mates = sorted(self.possible_agents, key=lambda other: (other != agent, other[0] != agent[0], other))
        rope = float(np.clip(self._rope if agent[0] == "a" else -self._rope, -1, 1))
        seen = [rope, self._step / self.steps, *(self._breath[a] for a in mates)]
        seen += [HEROES[self._heroes[a]][0] for a in mates]
        mask = np.array([1, self._breath[agent] >= 0.2, 1], np.int8)
        return {"observation": np.array(seen, np.float32), "action_mask": mask}


def steady(observation, generator):
    """A scripted player: it pulls while it has breath for a strong pull."""
    return PULL if observation["observation"][2] > 0.6 else REST


FACTS = PettingZooGame(
    name="tug_of_war",
    version="1",
    max_decisions=40,
    heroes=tuple(HEROES),
    reward_heads=("rope", "win"),
    zero_sum=True,
    bots={"steady": steady},
)


def make_game(preset="default", num_games=4, options=None):
    """Builds the batch that settings ask for; `options` are `game.options`."""
    return PettingZooBatch(lambda: TugOfWar(**(options or {})), FACTS, num_games)
