from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Literal

import pytest
from typer.testing import CliRunner

from fullpool.cli.app import app
from fullpool.cli.match import load_lineups, plan_match
from fullpool.curriculum.testing import NETWORK
from fullpool.datasets import folder as stage_folder
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


def test_it_tells_how_much_has_been_played() -> None:
    told: list[float] = []
    preset, play = plan_match(
        "random", "noop", games=80, preset="arena", lineups="training", seed=0, aim="", threads=2
    )
    assert preset == "arena"
    assert play(told.append).num_games == 80
    assert len(told) > 2
    assert told == sorted(told)
    assert told[-1] == 1.0


@pytest.mark.parametrize(("number", "words"), [("1000000000", "equal to 100000"), ("0", "equal to 1 ")])
def test_a_number_of_games_out_of_range_is_refused_at_once(number: str, words: str) -> None:
    result = RUNNER.invoke(app, ["match", "noop", "noop", "--games", number])
    assert result.exit_code == 2
    assert words in result.output


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
        (["laner", "runs/nowhere"], "no campaign 'runs'"),
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
        ("[]", "one line-up or more, got \\[\\]"),
        ('{"a": 1}', "expected JSON .* got {'a': 1}"),
        ("7", "expected JSON .* got 7"),
        ("null", "expected JSON .* got None"),
        ("[1]", "row 0: expected two teams of 5 different heroes, got 1"),
        ('["ab"]', "row 0: expected two teams of 5 different heroes, got 'ab'"),
        ('[["Ramhorn", "Mossback"]]', "row 0: expected two teams"),
        ('[[{"a": 1}, []]]', "row 0: expected two teams"),
        ("[[[1, 2], [3]]]", "row 0: unknown hero '1'"),
        ('[[["Ramhorm"], []]]', "unknown hero 'Ramhorm'; did you mean 'Ramhorn'"),
        ('[[["Ramhorn", "Nobody"], []]]', "row 0: unknown hero 'Nobody'"),
        ('[[["Ramhorn"], ["Mossback"]]]', "row 0: expected two teams of 5 different heroes"),
    ],
)
def test_a_wrong_file_names_the_row(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "lineups.json"
    path.write_text(text)
    with pytest.raises(ValueError, match=words):
        load_lineups(str(path), MobaGame("blitz", 1).spec, 2, 0)


def save_agent(folder: Path, preset: str, aim: Literal["manual", "assist"]) -> None:
    spec = MobaGame(preset, 1, aim=aim).spec
    network = ActorCritic(spec, NetworkSettings.model_validate(NETWORK))
    save_policy(folder, freeze_policy(network, spec), spec)


def test_a_saved_policy_plays_with_its_own_preset_and_options(tmp_path: Path) -> None:
    folder = tmp_path / "agent"
    save_agent(folder, "arena", "assist")
    facts = run(str(folder), "noop", "--games", "4")
    assert (facts["a"], facts["games"], facts["preset"]) == (str(folder), 4, "arena")
    for wrong in (["--preset", "blitz"], ["--preset", "arena", "--aim", "manual"]):
        result = RUNNER.invoke(app, ["match", str(folder), "noop", "--games", "2", *wrong])
        assert isinstance(result.exception, ValueError)
        assert str(folder) in str(result.exception)


def test_agents_of_campaigns_play(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "pyproject.toml").write_text(
        '[tool.kedro]\npackage_name = "x"\nproject_name = "x"\nkedro_init_version = "1.7.0"\n'
    )
    monkeypatch.chdir(tmp_path)
    for stage, part in (("teachers", "g1"), ("merged", "merged")):
        place = tmp_path / "data" / "06_models" / "mine" / stage
        stage_folder.append(
            place,
            part,
            1,
            lambda folder: save_agent(folder / "policy", "arena", "assist"),
            [],
            parameters={},
            num_kept=1,
        )
    facts = run("mine/merged", "mine/teachers/g1", "--games", "2")
    assert (facts["a"], facts["b"], facts["preset"]) == ("mine/merged", "mine/teachers/g1", "arena")
    assert run("mine/merged", "mine/merged", "--games", "2")["games"] == 2
    wrong = RUNNER.invoke(app, ["match", "mine/mergd", "noop"])
    assert "did you mean 'mine/merged'" in str(wrong.exception)
