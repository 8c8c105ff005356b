from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from fullpool.cli.app import app

RUNNER = CliRunner()
GOOD = "from fullpool.games.testing import ToyGame\ndef make():\n    return ToyGame(2)\n"
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


@pytest.mark.parametrize(("name", "text"), [("mine_good", GOOD), ("mine_door", DOOR)])
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
