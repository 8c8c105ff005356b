from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from gymnasium import spaces
from pettingzoo import ParallelEnv

from fullpool.games.check import check_game
from fullpool.games.contract import DRAW, EXTERNAL, RUNNING, TEAM_A_WON, TEAM_B_WON, allocate_views
from fullpool.games.pettingzoo_in import PettingZooBatch, PettingZooGame, game_spec
from fullpool.games.pettingzoo_out import parallel_env
from fullpool.games.sampling import sample_actions

FACTS = PettingZooGame(name="hearts", version="1", max_decisions=12)


class Hearts(ParallelEnv):  # type: ignore[misc]
    """Two a side; who presses 1 takes a heart of the next enemy; at none an agent leaves; six steps at most."""

    metadata: dict[str, Any] = {"name": "hearts"}  # noqa: RUF012
    possible_agents = ["x0", "x1", "y0", "y1"]  # noqa: RUF012

    def __init__(self) -> None:
        self.action = spaces.MultiDiscrete([3, 2])
        mask = spaces.Tuple([spaces.MultiBinary(3), spaces.MultiBinary(2)])
        self.observation = spaces.Dict(
            {"observation": spaces.Box(-1, 1, (2, 3), np.float32), "action_mask": mask}
        )
        self.state_space = spaces.Box(0, 5, (4,), np.float32)
        self.agents: list[str] = []
        self.lineup: Any = None

    def observation_space(self, agent: str) -> Any:
        return self.observation

    def action_space(self, agent: str) -> Any:
        return self.action

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        self.agents, self.steps = list(self.possible_agents), 0
        self.lineup = (options or {}).get("lineup")
        self.hearts = dict.fromkeys(self.agents, 1 + (seed or 0) % 3)
        return self._look(), {agent: {} for agent in self.agents}

    def _look(self) -> dict[str, Any]:
        one = np.ones(2, np.int8)
        return {
            a: {
                "observation": np.full((2, 3), self.hearts[a] / 4, np.float32),
                "action_mask": (np.array([1, 1, 0], np.int8), one),
            }
            for a in self.agents
        }

    def state(self) -> np.ndarray:
        return np.array(list(self.hearts.values()), np.float32)

    def step(self, actions: dict[str, Any]) -> Any:
        self.steps += 1
        acting, rewards = list(self.agents), dict.fromkeys(self.agents, 0.0)
        for agent in acting:
            if actions[agent][0] == 1:
                enemies = [a for a in self.possible_agents if a[0] != agent[0] and self.hearts[a] > 0]
                if enemies:
                    self.hearts[enemies[0]] -= 1
                    rewards[agent] += 1.0
        gone = {a for a in acting if self.hearts[a] <= 0}
        teams = {a[0] for a in acting if a not in gone}
        over = len(teams) < 2 or self.steps >= 6
        observations = self._look()
        ended = {a: a in gone or over for a in acting}
        self.agents = [] if over else [a for a in acting if a not in gone]
        return observations, rewards, ended, dict.fromkeys(acting, False), {a: {} for a in acting}


def started(num_games: int = 3, facts: PettingZooGame = FACTS) -> PettingZooBatch:
    batch = PettingZooBatch(Hearts, facts, num_games)
    lineups = np.tile(np.array([[0, 1], [2, 3]], np.int16), (num_games, 1, 1))
    seats = np.full((num_games, 2), EXTERNAL, np.int8)
    batch.reset(np.arange(num_games, dtype=np.int32), lineups, np.arange(num_games, dtype=np.uint64), seats)
    return batch


def test_the_spec_is_read_from_the_spaces() -> None:
    spec = game_spec(Hearts(), FACTS)
    assert spec.team_size == 2
    assert [head.size for head in spec.action.heads] == [3, 2]
    assert spec.action.mask_size == 5
    assert spec.observation.size == 6
    assert spec.critic is not None
    assert spec.critic.size == 4
    assert spec.heroes == ("seat0", "seat1", "seat2", "seat3")


def test_it_keeps_the_contract() -> None:
    report = check_game(PettingZooBatch(Hearts, FACTS, 3), seed=1)
    assert report.problems == ()


def test_who_left_sees_zeros_and_may_do_nothing() -> None:
    batch = started()
    views = allocate_views(batch.spec, 3)
    actions = np.zeros((3, 2, 2, 2), np.int32)
    actions[:, 0, 0, 0] = 1
    result = batch.step(actions)
    batch.observe(views)
    assert views.observation[0, 1, 0].tolist() == [0.0] * 6
    assert views.masks[0, 1, 0].tolist() == [1, 0, 0, 1, 0]
    assert views.masks[0, 1, 1].tolist() == [1, 1, 0, 1, 1]
    assert result.rewards[0].ravel().tolist() == [1.0, 0.0, 0.0, 0.0]
    assert result.winner.tolist() == [RUNNING] * 3


def test_winners_by_rewards_and_matches_stand_still_after_the_end() -> None:
    batch = started()
    actions = np.zeros((3, 2, 2, 2), np.int32)
    actions[0, 0, 0, 0] = 1
    actions[1, 1, 0, 0] = 1
    ends = np.zeros(3, np.int32)
    for step in range(8):
        result = batch.step(actions)
        ends += result.terminated * (step + 1)
    assert ends.tolist() == [2, 4, 6]
    assert result.winner.tolist() == [TEAM_A_WON, TEAM_B_WON, DRAW]
    assert not result.rewards.any()
    assert batch.statistics()["return"].tolist() == [[2.0, 0.0], [0.0, 4.0], [0.0, 0.0]]


def test_line_ups_reach_the_game_by_name() -> None:
    batch = started(1, PettingZooGame("hearts", "1", 12, heroes=("ann", "bob", "cid", "dee", "eve")))
    assert batch._envs[0].lineup == [["ann", "bob"], ["cid", "dee"]]


def test_our_own_game_comes_back_in_through_the_door() -> None:
    heads = ("farming", "kda", "damage", "pushing", "win")
    uses = tuple(tuple(h == 0 or w not in (0, 6, 7, 8) for h in range(4)) for w in range(9))
    names = parallel_env().spec_of_game.heroes
    facts = PettingZooGame("moba-door", "1", 250, heroes=names, reward_heads=heads, uses=uses)
    batch = PettingZooBatch(lambda: parallel_env({"preset": "arena"}), facts, 1)
    assert batch.spec.team_size == 5
    lineup = np.arange(10, dtype=np.int16).reshape(1, 2, 5)
    batch.reset(np.zeros(1, np.int32), lineup, np.ones(1, np.uint64), np.full((1, 2), EXTERNAL, np.int8))
    views, generator = allocate_views(batch.spec, 1), np.random.default_rng(0)
    ended = False
    for _ in range(120):
        batch.observe(views)
        result = batch.step(sample_actions(batch.spec.action, lineup, views.masks, generator))
        assert result.rewards.shape == (1, 2, 5, 5)
        ended |= bool(result.terminated[0])
    assert ended
    assert result.winner[0] in (TEAM_A_WON, TEAM_B_WON, DRAW)


@pytest.mark.parametrize(
    ("facts", "words"),
    [
        (PettingZooGame("h", "1", 9, teams=(("x0",), ("x1", "y0", "y1"))), "same size"),
        (PettingZooGame("h", "1", 9, teams=(("x0", "x1"), ("y0", "z9"))), "are not the game's agents"),
        (PettingZooGame("h", "1", 9, uses=((True, True),)), "uses must be"),
    ],
)
def test_wrong_facts_are_refused(facts: PettingZooGame, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        PettingZooBatch(Hearts, facts, 1)


def test_there_are_no_bots() -> None:
    batch = PettingZooBatch(Hearts, FACTS, 1)
    with pytest.raises(ValueError, match="has no bots"):
        batch.reset(
            np.zeros(1, np.int32),
            np.zeros((1, 2, 2), np.int16),
            np.ones(1, np.uint64),
            np.zeros((1, 2), np.int8),
        )
