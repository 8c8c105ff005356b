from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from fullpool.cli.app import app

RUNNER = CliRunner()
GOOD = "from fullpool.games.testing import ToyGame\ndef make():\n    return ToyGame(2)\n"
FACTORY = (
    "from fullpool.games.testing import ToyGame\n"
    "def make(preset, num_games, options):\n    assert (preset, options) == ('blitz', {})\n"
    "    return ToyGame(num_games)\n"
)
BAD = (
    "from dataclasses import replace\nfrom fullpool.games.testing import ToyGame, toy_spec\n"
    "def make():\n    return ToyGame(2, replace(toy_spec(), zero_sum=True))\n"
)
DOOR = (
    "from fullpool.games.pettingzoo_out import parallel_env\n"
    "def make():\n    return parallel_env({'aim': 'assist'})\n"
)


def test_a_registered_game_passes() -> None:
    result = RUNNER.invoke(app, ["check-game", "moba", "--preset", "arena", "--games", "2", "--json"])
    assert result.exit_code == 0, result.output
    facts = json.loads(result.output.splitlines()[-1])
    assert facts["passed"] is True
    assert facts["problems"] == []
    assert facts["agent_steps_per_s"] > 0


@pytest.mark.parametrize(
    ("name", "text"), [("mine_good", GOOD), ("mine_factory", FACTORY), ("mine_door", DOOR)]
)
def test_a_users_game_is_found_by_module_and_function(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, text: str
) -> None:
    (tmp_path / f"{name}.py").write_text(text)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    result = RUNNER.invoke(app, ["check-game", f"{name}:make"])
    assert result.exit_code == 0, result.output
    assert "no problem in" in result.output


def test_problems_are_lines_and_exit_code_1(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mine_bad.py").write_text(BAD)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    result = RUNNER.invoke(app, ["check-game", "mine_bad:make"])
    assert result.exit_code == 1
    assert "zero_sum is set but head 'points' sums to" in result.output


@pytest.mark.parametrize(
    ("target", "words"),
    [
        ("nope", "unknown game 'nope'"),
        ("no_such_module:make", "cannot find 'no_such_module:make'"),
        ("json:dumps", "missing 1 required positional argument"),
        ("builtins:dict", "must return a BatchGame or a PettingZoo parallel environment, got dict"),
    ],
)
def test_what_cannot_be_checked_is_said(target: str, words: str) -> None:
    result = RUNNER.invoke(app, ["check-game", target])
    assert result.exit_code != 0
    assert words in str(result.exception)


def check(folder: Path, monkeypatch: pytest.MonkeyPatch, module: str, text: str) -> Result:
    (folder / f"{module}.py").write_text(text)
    monkeypatch.chdir(folder)
    monkeypatch.syspath_prepend(str(folder))
    return RUNNER.invoke(app, ["check-game", f"{module}:make"])


LOUD = """
from dataclasses import replace
from fullpool.games.testing import ToyGame, toy_spec
class Loud(ToyGame):
    def step(self, actions):
        result = super().step(actions)
        result.rewards[...] += self.generator if hasattr(self, "generator") else 0.1
        self.generator = getattr(self, "generator", 0.1) + 0.1
        return result
def make():
    return Loud(2, replace(toy_spec(), zero_sum=True))
"""


def test_the_same_problem_at_every_step_is_said_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    result = check(tmp_path, monkeypatch, "mine_loud", LOUD)
    assert result.exit_code == 1
    (line,) = [line for line in result.output.splitlines() if line.startswith("play: zero_sum is set")]
    assert "more like it)" in line


RAISING = "from fullpool.games.testing import ToyGame\n"


def test_an_exception_in_a_check_is_one_line_with_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = f"{RAISING}class Bad(ToyGame):\n    def observe(self, views, *, bots=False):\n"
    text += "        raise RuntimeError('first\\n  second\\n')\ndef make():\n    return Bad(2)\n"
    result = check(tmp_path, monkeypatch, "mine_raising", text)
    assert result.exit_code == 1
    assert "play, determinism, saving, illegal actions: raised RuntimeError: first (mine_raising.py:4)" in (
        result.output.splitlines()
    )
    assert "second" not in result.output


@pytest.mark.parametrize(
    ("module", "text", "said"),
    [
        (
            "builder",
            "def make():\n    return 1 / 0\n",
            "ZeroDivisionError: division by zero (mine_builder.py:2)",
        ),
        ("lines", "def make():\n    raise RuntimeError('a\\nb')\n", "RuntimeError: a (mine_lines.py:2)"),
        ("silent", "def make():\n    assert False\n", "AssertionError (mine_silent.py:2)"),
        ("syntax", "def make(:\n", "SyntaxError: invalid syntax (mine_syntax.py:1)"),
        ("import", "import nowhere_to_be\n", "No module named 'nowhere_to_be' (mine_import.py:1)"),
        ("nameless", "make = 3\n", "mine_nameless has no function 'make'"),
    ],
)
def test_what_raises_outside_of_a_check_is_one_line_with_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, module: str, text: str, said: str
) -> None:
    result = check(tmp_path, monkeypatch, f"mine_{module}", text)
    assert isinstance(result.exception, ValueError)
    assert said in str(result.exception)
    assert "\n" not in str(result.exception)
