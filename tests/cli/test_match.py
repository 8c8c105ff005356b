from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from fullpool.cli.app import app
from fullpool.cli.match import load_lineups
from fullpool.curriculum.testing import NETWORK
from fullpool.games.lineups import is_reserved
from fullpool.games.moba.game import MobaGame
from fullpool.learning.policy import freeze_policy, save_policy
from fullpool.networks.actor_critic import ActorCritic
from fullpool.networks.settings import NetworkSettings

RUNNER = CliRunner()


def run(*arguments: str) -> dict[str, Any]:
    result = RUNNER.invoke(app, ["match", *arguments, "--json"])
    assert result.exit_code == 0, result.output
    facts: dict[str, Any] = json.loads(result.output.splitlines()[-1])
    return facts


def test_the_json_tells_who_is_better() -> None:
    facts = run("laner", "random", "--games", "20", "--seed", "3")
    assert (facts["a"], facts["b"], facts["games"], facts["seed"]) == ("laner", "random", 20, 3)
    assert facts["win_rate"] == 1.0
    assert facts["draws"] == 0.0
    assert facts["low"] < 1.0 == facts["high"]
    assert facts["games_per_s"] > 0
    assert facts["ended_by_crystal"] > 0.9
    reverse = run("random", "laner", "--games", "20")
    assert reverse["win_rate"] == 0.0


def test_same_seed_same_result() -> None:
    first, second = (run("fighter", "laner", "--games", "10", "--preset", "arena") for _ in range(2))
    assert {**first, "games_per_s": 0} == {**second, "games_per_s": 0}
    assert first["preset"] == "arena"


def test_the_table_is_printed_without_json() -> None:
    result = RUNNER.invoke(app, ["match", "noop", "noop", "--games", "2", "--preset", "arena"])
    assert result.exit_code == 0
    assert "noop v noop" in result.output
    assert "win rate" in result.output


def test_line_ups_of_each_kind(tmp_path: Path) -> None:
    spec = MobaGame("blitz", 1).spec
    for kind in ("training", "reserved"):
        for lineup in load_lineups(kind, spec, 20, 0):
            names = [[spec.heroes[hero] for hero in team] for team in lineup]
            assert is_reserved(*names) is (kind == "reserved")
    assert len(load_lineups("reserved", spec, 21, 0)) == 11
    path = tmp_path / "lineups.json"
    path.write_text(json.dumps([[spec.heroes[:5], spec.heroes[5:10]]]))
    assert load_lineups(str(path), spec, 4, 0).tolist() == [[[0, 1, 2, 3, 4], [5, 6, 7, 8, 9]]]
    assert run("noop", "noop", "--games", "2", "--lineups", str(path))["games"] == 2


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["lanner", "random"], "did you mean 'laner'"),
        (["laner", "runs/nowhere"], "no policy folder at 'runs/nowhere'"),
        (["laner", "random", "--preset", "blits"], "did you mean 'blitz'"),
        (["laner", "random", "--lineups", "nowhere.json"], "--lineups must be 'training'"),
        (["laner", "random", "--aim", "auto"], "aim must be 'manual' or 'assist'"),
    ],
)
def test_wrong_arguments_are_one_line(arguments: list[str], words: str) -> None:
    result = RUNNER.invoke(app, ["match", *arguments, "--games", "2"])
    assert result.exit_code != 0
    assert isinstance(result.exception, ValueError)
    assert words in str(result.exception)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("not json", "expected JSON"),
        ('[[["Ramhorn", "Nobody"], []]]', "row 0: unknown hero 'Nobody'"),
        ('[[["Ramhorn"], ["Mossback"]]]', "row 0: expected two teams of 5 different heroes"),
    ],
)
def test_a_wrong_file_names_the_row(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "lineups.json"
    path.write_text(text)
    with pytest.raises(ValueError, match=words):
        load_lineups(str(path), MobaGame("blitz", 1).spec, 2, 0)


def test_a_saved_policy_plays_with_its_own_options(tmp_path: Path) -> None:
    spec = MobaGame("arena", 1, aim="assist").spec
    settings = NetworkSettings.model_validate(NETWORK)
    folder = tmp_path / "agent"
    save_policy(folder, freeze_policy(ActorCritic(spec, settings), spec), spec)
    facts = run(str(folder), "noop", "--games", "4", "--preset", "arena")
    assert (facts["a"], facts["games"]) == (str(folder), 4)
    for wrong in (["--preset", "blitz"], ["--preset", "arena", "--aim", "manual"]):
        result = RUNNER.invoke(app, ["match", str(folder), "noop", "--games", "2", *wrong])
        assert isinstance(result.exception, ValueError)
        assert str(folder) in str(result.exception)
