"""A fault that comes at every step is one line with a count; an exception of a user's game is a line with its place."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gymnasium import spaces
from pettingzoo import ParallelEnv

from fullpool.games.check import check_game
from fullpool.games.check_parallel import check_parallel_env
from fullpool.games.check_problems import Problems
from fullpool.games.contract import BatchViews, GameSpec
from fullpool.games.testing import ToyGame, toy_spec


def test_problems_that_differ_in_numbers_or_agents_are_one_kind() -> None:
    problems = Problems(["red", "blue"])
    for line in (
        "play: reward of 'red' must be finite, got nan",
        "play: reward of 'blue' must be finite, got inf",
        "play: critic should be scaled, got 5e+03",
        "play: critic should be scaled, got 17.5",
        "play: head 'points' sums to 0.5",
        "play: head 'win' sums to 0.5",
    ):
        problems.add(line)
    report = problems.report(["play"], 9.0)
    assert report.problems == (
        "play: reward of 'red' must be finite, got nan",
        "play: critic should be scaled, got 5e+03",
        "play: head 'points' sums to 0.5",
        "play: head 'win' sums to 0.5",
    )
    assert report.counts == (2, 2, 1, 1)
    assert report.lines[0].endswith("got nan (and 1 more like it)")
    assert report.lines[2] == "play: head 'points' sums to 0.5"


class Growing(ToyGame):
    """Shows the critic another huge number at every step."""

    looks = 0

    def observe(self, views: BatchViews, *, bots: bool = False) -> None:
        super().observe(views, bots=bots)
        Growing.looks += 1
        views.critic[0, 0, 0] = 1000.0 + Growing.looks


def test_a_fault_of_every_step_is_one_line_with_its_number() -> None:
    report = check_game(Growing(2), decisions=20)
    scaled = [line for line in report.lines if "critic should be scaled" in line]
    assert len(scaled) == 1
    assert "more like it)" in scaled[0]
    assert len(report.lines) < 6


class Raising(ToyGame):
    def observe(self, views: BatchViews, *, bots: bool = False) -> None:
        raise KeyError("gold\nand a second line")


def test_what_a_batch_raises_in_several_checks_is_one_line_with_its_place() -> None:
    report = check_game(Raising(2), decisions=3)
    assert len(report.problems) == 1
    assert report.problems[0].startswith("play, determinism, saving, illegal actions: raised KeyError: ")
    assert Path(__file__).name in report.problems[0]
    assert "\n" not in report.problems[0]
    assert report.agent_steps_per_s == 0.0


class Specless(ToyGame):
    @property
    def spec(self) -> GameSpec:
        if hasattr(self, "_seats"):
            raise RuntimeError("no spec today")
        return toy_spec()


def test_a_spec_that_raises_is_a_line_too() -> None:
    report = check_game(Specless(2))
    assert [p.partition(" (")[0] for p in report.problems] == ["spec: raised RuntimeError: no spec today"]


class Coins(ParallelEnv):  # type: ignore[misc]
    """Two agents, twenty steps; `fault` spoils it."""

    metadata: dict[str, Any] = {"name": "coins"}  # noqa: RUF012

    def __init__(self, fault: str = "") -> None:
        self.possible_agents = ["a", "b"]
        self.agents: list[str] = []
        self.fault = fault

    def observation_space(self, agent: str) -> Any:
        return SEEN

    def action_space(self, agent: str) -> Any:
        return CHOICES[agent]

    def _look(self) -> dict[str, Any]:
        value = np.nan if self.fault == "nan" else 0.5
        return {agent: np.full(2, value, np.float32) for agent in self.agents}

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        self.agents, self.steps = list(self.possible_agents), 0
        if self.fault == "reset":
            return self._look()
        return self._look(), {a: {} for a in self.agents}

    def step(self, actions: dict[str, Any]) -> Any:
        self.steps += 1
        if self.fault == "raises" and self.steps == 3:
            raise IndexError("list index out of range")
        acted, over = list(self.agents), self.steps >= 20
        if self.fault == "leaves" and self.steps == 5:
            over, self.agents = False, ["a"]
        ended = {a: over or a not in self.agents for a in acted}
        if self.fault == "back" and self.steps in (5, 6):
            self.agents = ["a"] if self.steps == 5 else ["a", "b"]
            ended = {a: a == "b" for a in acted}
        rewards = dict.fromkeys(acted, np.inf if self.fault == "reward" else 0.0)
        observations = self._look()
        if over:
            self.agents = []
        told = observations, rewards, ended, dict.fromkeys(acted, False)
        return told if self.fault == "four" else (*told, {a: {} for a in acted})


SEEN = spaces.Box(-1, 1, (2,), np.float32)
CHOICES = {agent: spaces.Discrete(3) for agent in "ab"}


@pytest.mark.parametrize(
    ("fault", "lines"),
    [
        ("", []),
        ("leaves", []),
        ("nan", ["play: observation of 'a' must be finite", "play: observation of 'a' is not in its space"]),
        ("reward", ["play: reward of 'a' must be finite, got inf"]),
        (
            "reset",
            ["play, illegal actions, determinism: reset must return 2 dicts (observations, infos), got dict"],
        ),
        ("four", ["play, illegal actions, determinism: step must return 5 dicts"]),
        ("raises", ["play, illegal actions, determinism: raised IndexError: list index out of range ("]),
        ("back", ["play: agent 'b' came back"]),
    ],
)
def test_faults_of_a_pettingzoo_game_are_few_lines(fault: str, lines: list[str]) -> None:
    report = check_parallel_env(Coins(fault), steps=60)
    found = [problem for problem in report.problems if not problem.startswith("illegal actions:")]
    assert len(found) == len(lines), found
    for problem, words in zip(found, lines, strict=True):
        assert problem.startswith(words)
    assert report.passed is (lines == [])


def test_the_place_is_the_users_line() -> None:
    report = check_parallel_env(Coins("raises"))
    assert f"{Path(__file__).name}:" in report.problems[0]


def test_no_check_hides_another() -> None:
    def lines(number: int) -> Iterator[str]:
        yield f"first {number}"
        raise ValueError("then this")

    problems = Problems()
    problems.run("one", lambda: lines(1))
    problems.run("two", lambda: lines(2))
    report = problems.report(["one", "two"], 5.0)
    assert report.problems[0] == "first 1"
    assert report.counts[0] == 2
    assert report.problems[1].startswith("one, two: raised ValueError: then this")
