from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from pettingzoo.test import parallel_api_test, parallel_seed_test

from fullpool.games.check_parallel import check_parallel_env
from fullpool.games.moba import state as s
from fullpool.games.pettingzoo_out import MobaParallelEnv, parallel_env

AIMS = ["manual", "assist"]


@pytest.mark.parametrize("aim", AIMS)
def test_pettingzoos_own_tests_pass(aim: str) -> None:
    parallel_api_test(parallel_env({"aim": aim}), num_cycles=300)
    parallel_seed_test(lambda: parallel_env({"aim": aim}), num_cycles=100)


@pytest.mark.parametrize("aim", AIMS)
def test_our_own_check_finds_nothing(aim: str) -> None:
    report = check_parallel_env(parallel_env({"aim": aim}), steps=60, zero_sum=True)
    assert report.problems == ()


def sampled(env: Any, observations: dict[str, Any]) -> dict[str, Any]:
    return {a: env.action_space(a).sample(observations[a]["action_mask"]) for a in env.agents}


def test_observations_infos_and_state_are_those_of_the_game() -> None:
    env = parallel_env()
    observations, infos = env.reset(seed=1)
    assert env.agents == [f"{side}{place}" for side in "ab" for place in range(5)]
    spec = env.spec_of_game
    for agent in env.agents:
        observation = observations[agent]
        assert env.observation_space(agent).contains(observation)
        assert observation["observation"].shape == (spec.observation.size,)
        assert [part.shape for part in observation["action_mask"]] == [(9,), (24,), (16,), (4,)]
        assert all(part.dtype == np.int8 for part in observation["action_mask"])
        assert observation["who_mask"].shape == (9, 24)
        info = infos[agent]
        assert info["reward_heads"].shape == (5,)
        assert info["critic_obs"].shape == (spec.critic.size,)  # type: ignore[union-attr]
        assert info["hero_id"] == info["hero_ids"][0], "an agent is the first row of its own view"
        assert info["illegal"] == 0
    assert np.array_equal(env.state(), infos["a0"]["critic_obs"])
    assert env.state_space.contains(env.state())
    assert len({infos[agent]["hero_id"] for agent in env.agents}) == 10


def test_rewards_are_the_sum_of_their_heads_and_of_all_agents_zero() -> None:
    env = parallel_env()
    observations, _ = env.reset(seed=2)
    for _ in range(60):
        observations, rewards, _, _, infos = env.step(sampled(env, observations))
        assert sum(rewards.values()) == pytest.approx(0.0, abs=1e-4)
        for agent, reward in rewards.items():
            assert reward == pytest.approx(float(infos[agent]["reward_heads"].sum()), abs=1e-6)


def test_a_match_ends_for_all_agents_at_once_and_needs_a_reset() -> None:
    env = parallel_env({"aim": "assist", "options": {"overrides": {"cap": 20}}})
    env.reset(seed=3)
    for step in range(20):
        observations, _, terminations, truncations, infos = env.step(dict.fromkeys(env.agents, 0))
        assert not any(truncations.values())
        assert all(terminations.values()) == (step == 19)
        assert len(observations) == 10
    assert env.agents == []
    assert infos["b4"]["winner"] in (0, 1, 2)
    with pytest.raises(ValueError, match="call reset"):
        env.step({})
    env.reset()
    assert len(env.agents) == 10


def test_dead_agents_stay_with_nothing_to_do() -> None:
    env = parallel_env({"aim": "assist", "opponent": "fighter"})
    env.reset(seed=4)
    corner = 1 + 2  # a direction towards the enemy's base
    deaths = 0
    while env.agents:
        observations, *_ = env.step(dict.fromkeys(env.agents, corner))
        for agent in env.agents:
            mask = observations[agent]["action_mask"]
            if mask.sum() == 1:
                deaths += 1
                assert mask[0] == 1
        assert env.agents in ([], [f"a{place}" for place in range(5)])
    assert deaths > 0


def test_illegal_actions_act_as_none_and_are_counted() -> None:
    env = parallel_env()
    env.reset(seed=5)
    same = parallel_env()
    same.reset(seed=5)
    none = np.zeros(4, np.int64)
    ward = np.array([s.WARD, 0, 0, 0])
    for _ in range(5):
        first = env.step(dict.fromkeys(env.agents, ward))
        second = same.step(dict.fromkeys(same.agents, none))
        assert np.array_equal(first[0]["a0"]["observation"], second[0]["a0"]["observation"])
    assert first[4]["a0"]["illegal"] == 5
    assert second[4]["a0"]["illegal"] == 0


def test_the_who_mask_tells_targets_by_button() -> None:
    env = parallel_env({"opponent": "noop"})
    observations, _ = env.reset(seed=6)
    told = 0
    for _ in range(60):
        observations, *_ = env.step({a: np.array([s.MOVE, 0, 2, 0]) for a in env.agents})
        for agent in env.agents:
            mask, who = observations[agent]["action_mask"], observations[agent]["who_mask"]
            if mask[0][s.ATTACK]:
                told += 1
                assert who[s.ATTACK].any()
                assert not who[s.ATTACK][0], "nobody attacks itself"
                assert (mask[1] >= who[s.ATTACK]).all()
    assert told > 0


def test_line_ups_can_be_chosen_for_all_matches_or_one() -> None:
    names = list(parallel_env().spec_of_game.heroes)
    fixed = (tuple(names[:5]), tuple(names[5:10]))
    env = parallel_env({"lineup": fixed})
    _, infos = env.reset(seed=7)
    assert [infos[agent]["hero_id"] for agent in env.agents] == list(range(10))
    _, infos = env.reset(options={"lineup": (names[10:15], names[20:25])})
    assert [infos[agent]["hero_id"] for agent in env.agents] == [*range(10, 15), *range(20, 25)]


@pytest.mark.parametrize(
    ("config", "words"),
    [
        ({"presett": "blitz"}, "option 'presett'"),
        ({"aim": "auto"}, "'manual' or 'assist'"),
        ({"opponent": "lanner"}, "did you mean 'laner'"),
        ({"lineup": (("Nobody",) * 5, ("Ramhorn",) * 5)}, "unknown hero 'Nobody'"),
        ({"lineup": (("Ramhorn",) * 5, ("Ramhorn",) * 5)}, "two teams of 5 different heroes"),
        ({"options": {"aim": "assist"}}, "give 'aim' beside 'options', not within"),
        ({"options": {"options": {}}}, "give 'options' beside 'options', not within"),
        ({"options": {"imagee": True}}, "no option 'imagee'.* did you mean 'image'"),
        ({"options": {"rewards": {"spirit": 1}}}, "spirit: Extra inputs"),
        ({"options": 5}, "option 'options': .*, got 5"),
    ],
)
def test_wrong_options_are_one_line(config: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words) as caught:
        parallel_env(config)
    assert "\n" not in str(caught.value)


def test_a_config_is_a_dict() -> None:
    with pytest.raises(TypeError, match="takes a dict of options by name, got 'blitz'"):
        parallel_env("blitz")  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def envs() -> dict[str, MobaParallelEnv]:
    made = {aim: parallel_env({"aim": aim}) for aim in AIMS}
    made["bot"] = parallel_env({"opponent": "noop"})
    for env in made.values():
        env.reset(seed=1)
    return made


@pytest.mark.parametrize(
    ("env", "actions", "error", "words"),
    [
        (
            "manual",
            {"a0": [99, 0, 0, 0]},
            ValueError,
            r"action of 'a0', number 0, must lie in \[0, 9\), got 99",
        ),
        (
            "manual",
            {"b1": [0, 24, 0, 0]},
            ValueError,
            r"action of 'b1', number 1, must lie in \[0, 24\), got 24",
        ),
        ("manual", {"a0": [0, -1, 0, 0]}, ValueError, "got -1"),
        ("manual", {"a0": 3}, TypeError, "action of 'a0' must be 4 whole numbers, got 3"),
        ("manual", {"a0": [1, 2]}, TypeError, "must be 4 whole numbers"),
        ("manual", {"a0": [[0, 0, 0, 0]]}, TypeError, "must be 4 whole numbers"),
        ("manual", {"a0": [0, [1], 0, 0]}, TypeError, "must be 4 whole numbers"),
        ("manual", {"a0": [0.0, 1.0, 0.0, 0.0]}, TypeError, "must be 4 whole numbers"),
        ("manual", {"a0": None}, TypeError, "must be 4 whole numbers, got None"),
        ("assist", {"a0": 116}, ValueError, r"action of 'a0' must lie in \[0, 116\), got 116"),
        ("assist", {"a0": 1.7}, TypeError, "action of 'a0' must be a whole number, got 1.7"),
        ("assist", {"a0": "move"}, TypeError, "must be a whole number, got 'move'"),
        ("assist", {"a0": [1, 2]}, TypeError, "must be a whole number"),
        ("assist", {"c0": 0}, ValueError, "there is no agent 'c0'; agents are"),
        ("bot", {"b0": [0, 0, 0, 0]}, ValueError, "no agent 'b0'.*team B is played by the bot 'noop'"),
        ("assist", [0] * 10, TypeError, "step takes a dict of actions by agent"),
    ],
)
def test_wrong_actions_name_the_agent(
    envs: dict[str, MobaParallelEnv], env: str, actions: Any, error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words) as caught:
        envs[env].step(actions)
    assert "\n" not in str(caught.value)


def test_numbers_of_any_whole_type_are_actions(envs: dict[str, MobaParallelEnv]) -> None:
    for action in (0, np.int8(0), np.array(0), np.array([0])):
        envs["assist"].step({"a0": action})


def test_a_step_before_the_first_reset_is_refused() -> None:
    with pytest.raises(ValueError, match="no match has begun: call reset"):
        parallel_env().step({})


@pytest.mark.parametrize(
    ("seed", "options", "error", "words"),
    [
        ("x", None, TypeError, "whole number as seed, or None, got 'x'"),
        (-1, None, ValueError, "at least 0, got -1"),
        (None, ["lineup"], TypeError, "takes a dict of options"),
        (None, {"lineups": []}, ValueError, "no option 'lineups'; there is 'lineup'"),
        (None, {"lineup": 5}, ValueError, "two teams of 5 different heroes, got 5"),
        (None, {"lineup": ("Ramhorn", "Ramhorn")}, ValueError, "two teams of 5 different heroes"),
        (None, {"lineup": (["Ramhornn"] * 5, ["Ramhorn"] * 5)}, ValueError, "did you mean 'Ramhorn'"),
    ],
)
def test_wrong_resets_are_one_line(
    envs: dict[str, MobaParallelEnv], seed: Any, options: Any, error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        envs["manual"].reset(seed=seed, options=options)


def test_spaces_of_unknown_agents_are_refused(envs: dict[str, MobaParallelEnv]) -> None:
    for space in (envs["manual"].action_space, envs["manual"].observation_space):
        with pytest.raises(ValueError, match="there is no agent 'a9'"):
            space("a9")
