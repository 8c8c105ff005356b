"""A real `kedro run` of a toy project with fullpool's hooks: killed, stopped, refused, and gone on with."""

from __future__ import annotations

import hashlib
import json
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

STEPS = list(range(18))
TIMEOUT_S = 180


def command(*arguments: str, params: str = "") -> list[str]:
    run = [sys.executable, "-m", "kedro", "run", *arguments]
    return [*run, "--params", params] if params else run


def kedro(project: Path, *arguments: str, params: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command(*arguments, params=params), cwd=project, capture_output=True, text=True, timeout=TIMEOUT_S
    )


def start_and_signal(project: Path, number: signal.Signals, when: Callable[[], bool], params: str) -> str:
    """Starts a run, sends it a signal once `when` holds, and returns what it printed."""
    with subprocess.Popen(
        command(params=params), cwd=project, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        deadline = time.monotonic() + TIMEOUT_S
        while not when():
            assert process.poll() is None, process.stdout and process.stdout.read()
            assert time.monotonic() < deadline
            time.sleep(0.02)
        process.send_signal(number)
        sent = time.monotonic()
        output, _ = process.communicate(timeout=TIMEOUT_S)
        assert time.monotonic() - sent < 30
        assert process.returncode != 0
        return output


def query(project: Path, sql: str) -> list[Any]:
    with closing(sqlite3.connect(project / "mlflow.db")) as connection:
        return connection.execute(sql).fetchall()


def runs(project: Path) -> list[tuple[str, str]]:
    return query(
        project, "select name, status from runs where lifecycle_stage = 'active' order by start_time"
    )


def steps(project: Path, key: str) -> list[int]:
    return [row[0] for row in query(project, f"select step from metrics where key = '{key}' order by step")]


def committed(project: Path, campaign: str, stage: str = "walk") -> dict[str, Any]:
    path = project / "data" / "06_models" / campaign / stage / "stage.json"
    loaded: dict[str, Any] = json.loads(path.read_text()) if path.is_file() else {"generations": []}
    return loaded


def has_generations(project: Path, campaign: str, number: int) -> Callable[[], bool]:
    def holds() -> bool:
        generations = committed(project, campaign)["generations"]
        return bool(generations) and generations[-1][1] >= number

    return holds


def final_hash(project: Path, campaign: str) -> str:
    folder = project / "data" / "06_models" / campaign
    files = sorted([*folder.rglob("state.json"), *folder.rglob("total.json")])
    digest = hashlib.sha256()
    for file in files:
        digest.update(file.relative_to(folder).as_posix().encode() + file.read_bytes())
    assert files
    return digest.hexdigest()


def error_line(result: subprocess.CompletedProcess[str]) -> str:
    """The one line of an error; everything else on stderr is the note on the traceback's file."""
    assert result.returncode != 0
    assert "Traceback" not in result.stderr
    lines = [line for line in result.stderr.splitlines() if line.startswith("error: ")]
    assert len(lines) == 1, result.stderr
    return lines[0]


def test_kills_and_stops_change_nothing_in_the_end(toy_project: Path) -> None:
    slow = "campaign=cut,walk.pause_s=0.4"
    start_and_signal(toy_project, signal.SIGKILL, has_generations(toy_project, "cut", 1), slow)
    assert runs(toy_project) == [("cut", "RUNNING")]

    output = start_and_signal(toy_project, signal.SIGINT, has_generations(toy_project, "cut", 3), slow)
    assert "stopped by SIGINT" in output
    assert "goes on" in output
    assert runs(toy_project) == [("cut", "KILLED")]

    output = start_and_signal(toy_project, signal.SIGTERM, has_generations(toy_project, "cut", 4), slow)
    assert "stopped by SIGTERM" in output
    assert runs(toy_project) == [("cut", "KILLED")]

    start_and_signal(toy_project, signal.SIGKILL, has_generations(toy_project, "cut", 5), slow)
    finished = kedro(toy_project, params=slow)
    assert finished.returncode == 0, finished.stderr
    assert runs(toy_project) == [("cut", "FINISHED")]
    assert steps(toy_project, "walk/position") == STEPS
    assert steps(toy_project, "walk/distance") == STEPS
    assert steps(toy_project, "total/total") == [0]

    whole = kedro(toy_project, params="campaign=whole,walk.pause_s=0.4")
    assert whole.returncode == 0, whole.stderr
    assert final_hash(toy_project, "whole") == final_hash(toy_project, "cut")


def test_a_run_left_by_a_killed_process_is_closed_when_another_campaign_starts(toy_project: Path) -> None:
    slow = "campaign=gone,walk.pause_s=0.2"
    start_and_signal(toy_project, signal.SIGKILL, has_generations(toy_project, "gone", 1), slow)
    other = kedro(toy_project, params="campaign=other")
    assert other.returncode == 0, other.stderr
    assert runs(toy_project) == [("gone", "KILLED"), ("other", "FINISHED")]


def test_finished_other_parameters_and_new_campaigns(toy_project: Path) -> None:
    assert kedro(toy_project).returncode == 0
    before = final_hash(toy_project, "local")

    entry = query(toy_project, "select * from runs")
    again = kedro(toy_project, "--pipeline=walk")
    assert again.returncode == 0
    assert "finished before" in again.stdout
    assert query(toy_project, "select * from runs") == entry
    assert steps(toy_project, "walk/position") == STEPS

    line = error_line(kedro(toy_project, "--env=other"))
    assert "walk.stride 2.5 → 4.0" in line
    assert "--params campaign=name" in line
    assert query(toy_project, "select * from runs") == entry
    assert final_hash(toy_project, "local") == before

    fresh = kedro(toy_project, "--env=other", params="campaign=second")
    assert fresh.returncode == 0, fresh.stderr
    assert runs(toy_project) == [("local", "FINISHED"), ("second", "FINISHED")]
    tags = dict(
        query(
            toy_project,
            "select t.key, t.value from tags t join runs r using (run_uuid) where name = 'second'",
        )
    )
    assert {"campaign": "second", "env": "other", "seed": "3"}.items() <= tags.items()
    assert {"git_commit", "version", "data_version"} <= tags.keys()
    params = dict(query(toy_project, "select key, value from params where run_uuid like '%'"))
    assert params.keys() == {"seed", "walk.num_generations", "walk.stride", "walk.pause_s"}


@pytest.mark.parametrize(
    ("arguments", "params", "said"),
    [
        ((), "walk.stride=300", "params:walk.stride: Input should be less than 100, got 300"),
        ((), "walk.strid=3", "params:walk.strid: there is no such setting, got 3; did you mean 'stride'?"),
        ((), "wlak.stride=3", "unknown parameter 'wlak'; did you mean 'walk'?"),
        ((), "seed=-1", "params:seed: a seed is a whole number from 0 to 2147483647, got -1"),
        (("--env=othr",), "", "no environment 'othr'"),
        ((), "campaign=../up", "campaign's name"),
        (("--runner=ThreadRunner",), "", "SequentialRunner only"),
        (("--pipeline=totl",), "", "no pipeline 'totl'; did you mean 'total'?"),
        (
            ("--pipeline=total", "--env=other"),
            "campaign=new",
            "campaign 'new' has not finished walk, without which there is no total; this makes what is missing and "
            "goes on: ",
        ),
        (("--pipeline=total",), "walk.strid=3", "params:walk.strid: there is no such setting, got 3"),
    ],
)
def test_bad_input_is_one_line(toy_project: Path, arguments: tuple[str, ...], params: str, said: str) -> None:
    result = kedro(toy_project, *arguments, params=params)
    assert said in error_line(result)
    assert "ERROR" not in result.stdout
    assert not (toy_project / "data" / "06_models").exists()
    assert query(toy_project, "select * from runs") == []


def test_a_damaged_stage_file_is_named_and_left_alone(toy_project: Path) -> None:
    assert kedro(toy_project).returncode == 0
    path = toy_project / "data" / "06_models" / "local" / "walk" / "stage.json"
    path.write_text("{")
    assert "stage.json should hold a stage's state" in error_line(kedro(toy_project))
    assert path.read_text() == "{"
    assert runs(toy_project) == [("local", "FINISHED")]


def test_a_database_that_mlflow_cannot_open_is_one_line_and_costs_nothing(toy_project: Path) -> None:
    assert kedro(toy_project).returncode == 0
    before = final_hash(toy_project, "local")
    database = toy_project / "mlflow.db"
    database.write_text("no database any more\n" * 1000)
    line = error_line(kedro(toy_project))
    assert f"{database} cannot be used (file is not a database); move it away" in line
    assert "what was trained is not touched" in line

    database.rename(toy_project / "mlflow.db.old")
    again = kedro(toy_project)
    assert again.returncode == 0, again.stderr
    assert final_hash(toy_project, "local") == before
    assert runs(toy_project) == [("local", "FINISHED")]
    assert steps(toy_project, "walk/position") == STEPS
