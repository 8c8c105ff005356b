"""The benches of training and drafting as commands; the last line is JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.testing import CliRunner

from fullpool.cli.app import app
from fullpool.curriculum import testing
from fullpool.games.contract import BatchGame
from fullpool.games.testing import ToyGame


def test_bench_draft_prints_speed_as_json() -> None:
    arguments = ["--format", "snake2", "--heroes", "8", "--drafts", "2", "--simulations", "8", "--json"]
    result = CliRunner().invoke(app, ["bench", "draft", *arguments])
    assert result.exit_code == 0, result.output
    facts = json.loads(result.output.splitlines()[-1])
    assert facts["simulations_per_s"] > 0
    assert facts["seconds_per_pick"] > 0


def test_bench_training_measures_the_merged_agent_of_an_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def make_toy(name: str, preset: str, num_games: int, options: dict[str, Any]) -> BatchGame:
        assert (name, preset, options) == ("toy", "small", {})
        return ToyGame(num_games)

    monkeypatch.setattr("fullpool.games.registry.make_game", make_toy)
    (tmp_path / "pyproject.toml").write_text(
        '[tool.kedro]\npackage_name = "x"\nproject_name = "x"\nkedro_init_version = "1.7.0"\n'
    )
    for env in ("base", "tiny"):
        (tmp_path / "conf" / env).mkdir(parents=True)
    parameters = {
        "game": {"name": "toy", "preset": "small", "options": {}},
        "student": testing.student_settings().plain(),
        "merged": testing.merged_settings().plain(),
    }
    (tmp_path / "conf" / "base" / "parameters.yml").write_text(yaml.safe_dump(parameters))
    monkeypatch.chdir(tmp_path)
    arguments = ["--env", "tiny", "--updates", "1", "--warmup", "0", "--json"]
    result = CliRunner().invoke(app, ["bench", "training", *arguments])
    assert result.exit_code == 0, (result.output, result.exception)
    facts = json.loads(result.output.splitlines()[-1])
    assert facts["env"] == "tiny"
    assert facts["agent_steps_per_s"] > 0
    assert facts["threads"] == 2


@pytest.mark.parametrize(
    "arguments", [["simulator", "--games", "1000000000"], ["draft", "--drafts", "1000000000"]]
)
def test_huge_batches_are_refused_at_once(arguments: list[str]) -> None:
    result = CliRunner().invoke(app, ["bench", *arguments])
    assert result.exit_code == 2
    assert "less than or equal to" in result.output
