"""`fullpool elo`: ratings from the games that a campaign has recorded."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.testing import CliRunner

from fullpool.cli.app import app
from fullpool.datasets import folder as stage_folder
from fullpool.games.contract import TEAM_A_WON
from fullpool.league.game_log import GameLog, rating_rows


def put(
    project: Path, stage: str, part: str, log: GameLog | None, parameters: Mapping[str, Any] | None = None
) -> None:
    def save(folder: Path) -> None:
        if log is not None:
            (folder / "games.json").write_text(json.dumps(log.to_rows()))

    place = project / "data" / "06_models" / "mine" / stage
    stage_folder.append(place, part, 1, save, [], parameters=parameters or {}, num_kept=1)


def log_of(*games: tuple[str, str, str, int]) -> GameLog:
    log = GameLog()
    for lineup_set, winner, loser, number in games:
        log.add(lineup_set, winner, loser, TEAM_A_WON, number)
    return log


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "pyproject.toml").write_text(
        '[tool.kedro]\npackage_name = "x"\nproject_name = "x"\nkedro_init_version = "1.7.0"\n'
    )
    (tmp_path / "conf" / "base").mkdir(parents=True)
    evaluation = {"anchors": ["laner"], "num_resamples": 20, "confidence": 0.9}
    parameters = {"seed": 3, "evaluation": evaluation}
    (tmp_path / "conf" / "base" / "parameters.yml").write_text(yaml.safe_dump(parameters))
    monkeypatch.chdir(tmp_path)
    put(tmp_path, "lineups", "result", None)
    put(tmp_path, "teachers", "g1", log_of(("g1", "teacher_g1@2", "noop", 9), ("g1", "laner", "noop", 8)))
    put(tmp_path, "merged", "merged", log_of(("all", "merged@2", "laner", 6), ("all", "laner", "noop", 8)))
    return tmp_path


def ratings(*arguments: str) -> list[dict[str, object]]:
    result = CliRunner().invoke(app, ["elo", "mine", "--resamples", "20", "--json", *arguments])
    assert result.exit_code == 0, result.output
    rows: list[dict[str, object]] = json.loads(result.output.splitlines()[-1])["ratings"]
    return rows


@pytest.mark.usefixtures("project")
def test_agents_of_all_phases_are_rated_on_their_line_ups() -> None:
    rows = ratings()
    assert [(row["lineup_set"], row["agent"]) for row in rows[:3]] == [
        ("all", "merged@2"),
        ("all", "laner"),
        ("all", "noop"),
    ]
    assert rows[2]["elo"] == 0.0
    assert {row["agent"] for row in ratings("--lineups", "g1")} == {"teacher_g1@2", "laner", "noop"}


def test_the_evaluations_games_stand_for_all(project: Path) -> None:
    games = [("all", "laner", "merged@2", 5), ("all", "merged@2", "noop", 5)]
    put(project, "evaluation", "result", log_of(*games), EVALUATED)
    rows = ratings()
    assert [row["agent"] for row in rows] == ["laner", "merged@2", "noop"]


EVALUATED = {
    "evaluation.anchors": ["laner"],
    "evaluation.num_resamples": 40,
    "evaluation.confidence": 0.8,
    "seed": 7,
}


def test_without_options_the_ratings_are_the_evaluations(project: Path) -> None:
    log = log_of(
        ("all", "laner", "merged@2", 5), ("all", "merged@2", "laner", 3), ("all", "merged@2", "noop", 5)
    )
    put(project, "evaluation", "result", log, EVALUATED)
    result = CliRunner().invoke(app, ["elo", "--campaign", "mine", "--json"])
    facts = json.loads(result.output.splitlines()[-1])
    assert (facts["num_resamples"], facts["confidence"], facts["seed"]) == (40, 0.8, 7)
    assert facts["ratings"] == rating_rows(log, anchors=["laner"], seed=7, num_resamples=40, confidence=0.8)


@pytest.mark.usefixtures("project")
def test_before_an_evaluation_its_settings_are_those_of_the_environment() -> None:
    facts = json.loads(CliRunner().invoke(app, ["elo", "mine", "--json"]).output.splitlines()[-1])
    assert (facts["num_resamples"], facts["confidence"], facts["seed"]) == (20, 0.9, 3)


@pytest.mark.usefixtures("project")
def test_the_table_and_what_is_not_there() -> None:
    shown = CliRunner().invoke(app, ["elo", "mine", "--resamples", "20"])
    assert shown.exit_code == 0
    assert "teacher_g1@2" in shown.output
    wrong = CliRunner().invoke(app, ["elo", "mine", "--lineups", "g7"])
    assert "no games on line-ups 'g7'; there are: all, g1" in str(wrong.exception)
    other = CliRunner().invoke(app, ["elo", "yours"])
    assert "no campaign 'yours'; known: mine" in str(other.exception)


def test_a_campaign_without_games_says_so(project: Path) -> None:
    place = project / "data" / "06_models" / "young" / "lineups"
    stage_folder.append(place, "result", 1, lambda folder: None, [], parameters={}, num_kept=1)
    result = CliRunner().invoke(app, ["elo", "young"])
    assert "no rating games yet" in str(result.exception)
