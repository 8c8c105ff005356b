from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from gymnasium import spaces
from pettingzoo import ParallelEnv

from fullpool.curriculum import testing
from fullpool.curriculum.phases import Setting, train_baseline
from fullpool.games.check import check_game
from fullpool.games.contract import DRAW, EXTERNAL, RUNNING, TEAM_A_WON, TEAM_B_WON, allocate_views
from fullpool.games.lineups import draw_lineup
from fullpool.games.pettingzoo_in import PettingZooBatch, PettingZooGame, game_spec
from fullpool.games.pettingzoo_out import parallel_env
from fullpool.games.pettingzoo_spec import anonymous_heroes
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
    assert spec.critic.size == 4 * 6 + 4 + 1
    assert spec.heroes[:4] == ("seat0", "seat1", "seat2", "seat3")
    assert spec.bots == ("noop", "random")


@pytest.mark.parametrize("team_size", [1, 2, 3, 5])
def test_a_game_without_heroes_has_line_ups_to_train_on_and_to_measure_on(team_size: int) -> None:
    heroes = anonymous_heroes(team_size)
    for reserved in (False, True):
        draw_lineup(np.random.default_rng(0), heroes, team_size, reserved=reserved)
    assert len(heroes) < 4 * team_size + 12


def test_a_game_without_heroes_is_told_of_none_and_its_places_look_alike() -> None:
    batch = started(1)
    assert batch._envs[0].lineup is None
    views = allocate_views(batch.spec, 1)
    batch.observe(views)
    assert not views.hero_ids.any()


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


def test_the_critic_of_each_team_sees_all_agents_own_first_the_state_and_its_side() -> None:
    batch = started()
    views = allocate_views(batch.spec, 3)
    actions = np.zeros((3, 2, 2, 2), np.int32)
    actions[:, 0, 0, 0] = 1
    batch.step(actions)
    batch.observe(views)
    one, other = views.critic[1]
    assert one[:24].reshape(2, 12).tolist() == other[:24].reshape(2, 12)[::-1].tolist()
    assert one[:12].tolist() == views.observation[1, 0].ravel().tolist()
    assert one[24:].tolist() == [2.0, 2.0, 1.0, 2.0, 0.0]
    assert other[24:].tolist() == [2.0, 2.0, 1.0, 2.0, 1.0]


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


def reset_one(batch: PettingZooBatch, **changes: Any) -> None:
    given: dict[str, Any] = {
        "games": np.zeros(1, np.int32),
        "lineups": np.array([[[0, 1], [2, 3]]], np.int16),
        "seeds": np.ones(1, np.uint64),
        "seats": np.full((1, 2), EXTERNAL, np.int8),
    }
    batch.reset(**(given | changes))


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"seats": np.full((1, 2), 2, np.int8)}, r"seats must lie in \[-1, 2\), got 2"),
        ({"seats": np.full(2, -1, np.int8)}, r"seats must be \(1, 2\) for 1 matches, got \(2,\)"),
        ({"lineups": np.full((1, 2, 2), 99, np.int16)}, r"lineups must lie in \[0, \d+\), got 99"),
        ({"lineups": np.zeros((1, 2, 3), np.int16)}, r"lineups must be \(1, 2, 2\)"),
        ({"seeds": np.ones(3, np.uint64)}, r"seeds must be \(1,\)"),
        ({"games": np.array([7], np.int32)}, r"games must lie in \[0, 1\), got 7"),
    ],
)
def test_impossible_starts_are_refused(changes: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        reset_one(PettingZooBatch(Hearts, FACTS, 1), **changes)


@pytest.mark.parametrize(
    ("actions", "error", "words"),
    [
        (
            np.zeros((1, 2, 2), np.int32),
            ValueError,
            r"must be \[N, 2, P, H\] = \(1, 2, 2, 2\), got \(1, 2, 2\)",
        ),
        (np.zeros((1, 2, 2, 2)), TypeError, "whole numbers, got float64"),
    ],
)
def test_actions_of_another_form_are_refused(
    actions: np.ndarray[Any, Any], error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        started(1).step(actions)


def test_illegal_actions_do_nothing_are_counted_and_reported_as_what_was_done() -> None:
    batch, quiet = started(1), started(1)
    actions = np.zeros((1, 2, 2, 2), np.int32)
    actions[0, 0, 0] = 2, 0  # masked
    actions[0, 0, 1] = 99, 0  # no choice
    actions[0, 1, 0] = 1, 7  # no choice of a head that counts
    actions[0, 1, 1] = 1, 1  # legal
    result = batch.step(actions.copy())
    legal = np.zeros_like(actions)
    legal[0, 1, 1] = 1, 1
    assert result.actions.tolist() == legal.tolist()
    assert batch.statistics()["illegal"].tolist() == [[2, 1]]
    assert quiet.step(legal).rewards.tolist() == result.rewards.tolist()
    restored = PettingZooBatch(Hearts, FACTS, 1)
    restored.load_state(batch.save_state())
    assert restored.statistics()["illegal"].tolist() == [[2, 1]]


def test_matches_that_never_began_stay_so_when_a_state_is_put_back() -> None:
    batch = PettingZooBatch(Hearts, FACTS, 2)
    reset_one(batch)
    restored = PettingZooBatch(Hearts, FACTS, 2)
    restored.load_state(batch.save_state())
    assert restored.step(np.zeros((2, 2, 2, 2), np.int32)).winner.tolist() == [RUNNING, DRAW]


def greedy(observation: Any, generator: np.random.Generator) -> list[int]:
    assert observation["observation"].shape == (2, 3)
    return [1, int(generator.integers(2))]


def test_bots_play_by_number_and_are_reported() -> None:
    facts = replace(FACTS, bots={"greedy": greedy})
    batch = PettingZooBatch(Hearts, facts, 2)
    assert batch.spec.bots == ("noop", "random", "greedy")
    seats = np.array([[2, 0], [1, 2]], np.int8)
    lineups = np.tile(np.array([[0, 1], [2, 3]], np.int16), (2, 1, 1))
    batch.reset(np.arange(2, dtype=np.int32), lineups, np.full(2, 5, np.uint64), seats)
    taken = [batch.step(np.zeros((2, 2, 2, 2), np.int32)).actions.copy() for _ in range(3)]
    assert taken[0][0, :, :, 0].tolist() == [[1, 1], [0, 0]]
    assert taken[0][1, 1, :, 0].tolist() == [1, 1]
    assert {int(what) for step in taken for what in step[1, 0, :, 0]} == {0, 1}
    assert batch.statistics()["illegal"].tolist() == [[0, 0], [0, 0]]
    assert check_game(PettingZooBatch(Hearts, facts, 3)).problems == ()


def test_a_bots_wrong_action_names_it() -> None:
    def silly(observation: Any, generator: np.random.Generator) -> int:
        return 1

    batch = PettingZooBatch(Hearts, replace(FACTS, bots={"silly": silly}), 1)
    reset_one(batch, seats=np.array([[2, EXTERNAL]], np.int8))
    with pytest.raises(TypeError, match="action of bot 'silly' for 'x0' must be 2 whole numbers, got 1"):
        batch.step(np.zeros((1, 2, 2, 2), np.int32))


class Odd(Hearts):
    """Answers in a form that it may not; `fault` says how."""

    fault = ""

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        looked, infos = super().reset(seed, options)
        return looked if self.fault == "reset" else (self.spoil(looked), infos)

    def spoil(self, looked: dict[str, Any]) -> dict[str, Any]:
        if self.fault == "missing":
            del looked["x1"]
        if self.fault == "small":
            looked["x1"]["observation"] = np.zeros(4, np.float32)
        if self.fault == "mask":
            looked["x1"]["action_mask"] = (np.ones(3, np.int8), np.ones(3, np.int8))
        if self.fault == "stranger":
            looked["z9"] = looked["x0"]
        return looked

    def step(self, actions: dict[str, Any]) -> Any:
        looked, rewards, ended, cut, infos = super().step(actions)
        if self.fault == "winner":
            infos["x0"]["winner"] = "x"
            self.agents = []
        if self.fault == "heads":
            infos["x0"]["reward_heads"] = [1.0, 2.0, 3.0]
        return (
            (looked, rewards, ended, infos) if self.fault == "four" else (looked, rewards, ended, cut, infos)
        )


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("reset", r"reset must return 2 dicts \(observations, infos\), got dict"),
        ("four", "step must return 5 dicts .*, got 4 values"),
        ("missing", "gave no observation to 'x1', who plays"),
        ("small", "observation of 'x1' must be 6 numbers, as its space says, got 4"),
        ("mask", "action_mask of 'x1' must be a tuple of vectors of 3, 2, .* got 3, 3"),
        ("stranger", r"reset returned observations of 'z9'; the agents are \['x0'"),
        ("winner", r"infos\['x0'\]\['winner'\] must be 0 \(first team\), 1 .* got 'x'"),
        ("heads", "reward of 'x0' must be 2 number"),
        ("none", r"infos\['x0'\]\['reward_heads'\] is missing; the game was said to have 2 heads"),
    ],
)
def test_what_a_game_answers_is_checked(fault: str, words: str) -> None:
    heads = ("one", "two") if fault in ("heads", "none") else ()
    batch = PettingZooBatch(Odd, replace(FACTS, reward_heads=heads), 1)
    batch._envs[0].fault = fault
    with pytest.raises(ValueError, match=words):
        play_one_step(batch)


def play_one_step(batch: PettingZooBatch) -> None:
    reset_one(batch)
    batch.observe(allocate_views(batch.spec, 1))
    batch.step(np.zeros((1, 2, 2, 2), np.int32))


@pytest.mark.parametrize(
    ("facts", "words"),
    [
        ({"max_decisions": 0}, "max_decisions must be at least 1, got 0"),
        ({"heroes": ("a", "b")}, "need at least 4 heroes, got 2"),
        ({"heroes": ("a", "b", "c", "c")}, "heroes must have different names"),
        ({"bots": {"random": greedy}}, "every game has 'random' already"),
    ],
)
def test_impossible_facts_are_refused(facts: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        PettingZooBatch(Hearts, replace(FACTS, **facts), 1)


@pytest.mark.parametrize(
    ("part", "space", "words"),
    [
        ("action", spaces.Discrete(3, start=1), "action space of 'x0' must start at 0"),
        ("action", spaces.Box(0, 1), "action space of 'x0' must be Discrete or a flat MultiDiscrete"),
        ("observation", spaces.Dict({"seen": spaces.Box(0, 1)}), "needs the key 'observation', it has"),
        ("observation", spaces.Discrete(3), "observations of 'x0' must be a Box"),
    ],
)
def test_spaces_that_cannot_be_learnt_name_their_agent(part: str, space: Any, words: str) -> None:
    def make() -> Hearts:
        env = Hearts()
        setattr(env, part, space)
        return env

    with pytest.raises(ValueError, match=words):
        PettingZooBatch(make, FACTS, 1)


def test_what_builds_no_environment_is_refused() -> None:
    with pytest.raises(TypeError, match="must be a function that builds the game"):
        PettingZooBatch(Hearts(), FACTS, 1)
    with pytest.raises(TypeError, match="must build a PettingZoo ParallelEnv, got object"):
        PettingZooBatch(object, FACTS, 1)


def test_a_game_without_heroes_can_be_trained_by_self_play() -> None:
    heads = {"reward": {"discount": 0.9, "weight": 1.0}}
    settings = testing.baseline_settings(
        **{"ppo.reward_heads": heads, "convergence.anchors": ["random"], "league.bot_shares": {"random": 0.2}}
    )

    def make(num_games: int) -> PettingZooBatch:
        return PettingZooBatch(Hearts, FACTS, num_games)

    setting = Setting(make, make(1).spec, seed=1)
    generations = list(train_baseline(setting, settings))
    rows = [row for generation in generations for row in generation.rows]
    assert {"elo", "train_illegal", "train_return"} <= {name for row in rows for name in row.values}
