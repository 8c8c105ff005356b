"""What commands know of the project around them."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from fullpool.cli.project import campaigns, command_for, environment_of


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "pyproject.toml").write_text(
        '[tool.kedro]\npackage_name = "x"\nproject_name = "x"\nkedro_init_version = "1.7.0"\n'
    )
    for env in ("base", "smoke"):
        (tmp_path / "conf" / env).mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def record(project: Path, runs: list[tuple[str, str, str]]) -> None:
    """Writes runs, oldest first, as `(id, campaign, environment)`, into the tables that MLflow has."""
    with closing(sqlite3.connect(project / "mlflow.db")) as database, database:
        database.execute("create table runs (run_uuid text, start_time integer)")
        database.execute("create table tags (key text, value text, run_uuid text)")
        for time, (run, campaign, env) in enumerate(runs):
            database.execute("insert into runs values (?, ?)", (run, time))
            tags = [("campaign", campaign, run), ("env", env, run), ("seed", "0", run)]
            database.executemany("insert into tags values (?, ?, ?)", tags)


def test_a_campaign_is_taken_further_in_its_own_environment(project: Path) -> None:
    record(
        project, [("a", "toy", "base"), ("b", "toy", "smoke"), ("c", "mine", "base"), ("d", "old", "gone")]
    )
    assert [environment_of(name) for name in ("toy", "mine", "old", "new")] == [
        "smoke",
        "base",
        "base",
        "base",
    ]
    assert command_for("toy") == "kedro run --pipeline=cspl --env=smoke --params campaign=toy"
    assert command_for("mine", "winrate") == "kedro run --pipeline=winrate --params campaign=mine"


def test_the_tags_are_where_mlflow_keeps_them(project: Path, empty_database: Path) -> None:
    from mlflow import MlflowClient
    from mlflow.entities import RunTag

    (project / "mlflow.db").write_bytes(empty_database.read_bytes())
    client = MlflowClient(f"sqlite:///{project / 'mlflow.db'}")
    run = client.create_run("0")
    client.log_batch(run.info.run_id, tags=[RunTag("campaign", "toy"), RunTag("env", "smoke")])
    assert environment_of("toy") == "smoke"


@pytest.mark.usefixtures("project")
def test_without_a_database_the_environment_is_base() -> None:
    assert environment_of("mine") == "base"


def test_campaigns_are_the_folders_there_are(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert campaigns() == []
    for name in ("b", "a"):
        (project / "data" / "06_models" / name).mkdir(parents=True)
    (project / "data" / "06_models" / "README.md").touch()
    assert campaigns() == ["a", "b"]
    (tmp_path / "pyproject.toml").unlink()
    assert campaigns() == []
