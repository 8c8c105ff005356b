"""The guide to a game of one's own works as it is written: check, train, use; docs/guides/own_game.md."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from fullpool.games.check import check_game
from fullpool.games.check_parallel import check_parallel_env
from fullpool.games.registry import make_game

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "docs" / "examples" / "tug_of_war"
GUIDE = ROOT / "docs" / "guides" / "own_game.md"
NAME = "tug_of_war:make_game"


@pytest.fixture
def on_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(EXAMPLE))


@pytest.mark.usefixtures("on_path")
def test_the_example_keeps_the_contract() -> None:
    game = make_game(NAME, "default", 4)
    assert game.spec.bots == ("noop", "random", "steady")
    report = check_game(game)
    assert report.lines == ()
    assert check_parallel_env(game._envs[0], zero_sum=True).lines == ()  # type: ignore[attr-defined]


@pytest.mark.usefixtures("on_path")
def test_options_reach_the_game() -> None:
    assert make_game(NAME, "default", 1, {"steps": 5})._envs[0].steps == 5  # type: ignore[attr-defined]


def _commands() -> list[str]:
    """Shell lines of the guide."""
    blocks = re.findall(r"```sh\n(.*?)```", GUIDE.read_text("utf-8"), re.DOTALL)
    return [line for block in blocks for line in block.splitlines()]


def _small(file: Path) -> None:
    """Shrinks the settings so that the run takes seconds."""
    settings = yaml.safe_load(file.read_text("utf-8"))
    for stage in ("teachers", "student", "merged", "baseline"):
        part = settings[stage] = json.loads(json.dumps(settings[stage]))  # no shared anchors
        part["budget_agent_steps"], part["generation_updates"] = 4000, 2
        part["rollout"]["num_games"] = 8
        part["convergence"] |= {"anchor_games": 4, "past_games": 4, "bot_games": 4, "num_resamples": 20}
    settings["student"]["distillation"] |= {"replay_agent_steps": 2000, "warmup_agent_steps": 500}
    settings["lineups"] |= {"num_matches": 60, "halving_games": 8, "confirm_games": 16}
    settings["evaluation"] |= {"num_games": 8, "side_games": 8, "num_lineups": 4, "num_resamples": 20}
    settings["matches"] |= {"num_matches": 200, "chunk_matches": 100}
    settings["winrate"] |= {"num_resamples": 100, "boosting_iterations": 5, "baseline_folds": 2}
    settings["drafting"]["self_drafts"] |= {"num_drafts": 20, "chunk_drafts": 10}
    settings["drafting"]["tournament"] |= {"num_drafts": 8, "batch_drafts": 4}
    file.write_text(yaml.safe_dump(settings))


@pytest.mark.slow
def test_the_guide_from_nothing_to_a_trained_agent(tmp_path: Path, empty_database: Path) -> None:
    project = tmp_path / "project"
    shutil.copytree(ROOT / "tests" / "toy_cspl", project, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(ROOT / "conf" / "base", project / "conf" / "base")
    shutil.copy(ROOT / "conf" / "logging.yml", project / "conf")
    shutil.copy(empty_database, project / "mlflow.db")
    (project / "docs" / "examples").mkdir(parents=True)
    shutil.copytree(EXAMPLE, project / "docs" / "examples" / "tug_of_war")
    said = {}
    for line in _commands():
        if "kedro run" in line:
            _small(project / "mygame" / "conf" / "base" / "parameters.yml")
        done = _run(project, "bash", "-c", _here(line))
        assert done.returncode == 0, f"{line}\n{done.stdout}\n{done.stderr}"
        said[line] = done.stdout
    assert any("no problem in spec, play" in text for text in said.values())
    assert (project / "data" / "06_models" / "tug" / "merged" / "stage.json").is_file()
    script = re.findall(r"```python\n(from functools.*?)```", GUIDE.read_text("utf-8"), re.DOTALL)[0]
    call = (
        f"PYTHONPATH=mygame .venv/bin/python -c {shlex.quote(script.replace('num_games=200', 'num_games=8'))}"
    )
    used = _run(project, "bash", "-c", _here(call))
    assert used.returncode == 0, used.stderr
    assert re.match(r"[01]\.\d+ \(", used.stdout), used.stdout


def _here(line: str) -> str:
    """A command of the guide with this Python, whose path stays."""
    line = line.replace("PYTHONPATH=mygame", "PYTHONPATH=mygame:$PYTHONPATH")
    line = re.sub(r"(?<!\S)\.venv/bin/(kedro|fullpool)", rf"{sys.executable} -m \1", line)
    return re.sub(r"(?<!\S)\.venv/bin/python", sys.executable, line)


def _run(project: Path, *command: str) -> subprocess.CompletedProcess[str]:
    environment = {"PYTHONPATH": ""} | dict(os.environ) | {"COLUMNS": "200"}
    return subprocess.run(command, cwd=project, env=environment, capture_output=True, text=True, timeout=400)
