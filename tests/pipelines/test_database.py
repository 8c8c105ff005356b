"""MLflow's database at the door."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from mlflow import MlflowClient
from mlflow.exceptions import MlflowException

from fullpool.pipelines import database
from fullpool.pipelines.database import TrackingError


def uri(path: Path) -> str:
    return f"sqlite:///{path}"


def test_a_file_that_is_no_database_is_one_line_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "mlflow.db"
    path.write_text("not a database, but long enough to be read as one\n" * 100)
    with pytest.raises(
        TrackingError, match=rf"{path} cannot be used \(file is not a database\); move it away"
    ):
        database.prepare(uri(path))
    assert path.read_text().startswith("not a database")


def test_a_database_that_another_process_holds_is_waited_for(empty_database: Path, tmp_path: Path) -> None:
    path = Path(shutil.copy(empty_database, tmp_path))
    with closing(sqlite3.connect(path, isolation_level=None)) as holder:
        holder.execute("begin exclusive")
        with pytest.raises(TrackingError, match=r"database is locked.*wait for that process"):
            database.prepare(uri(path), patience_s=0.1)
        holder.execute("rollback")
    database.prepare(uri(path))


def test_a_folder_in_its_place_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(TrackingError, match="unable to open database file"):
        database.prepare(uri(tmp_path))


@pytest.mark.parametrize("is_empty", [False, True])
def test_a_database_is_made_in_one_piece(tmp_path: Path, is_empty: bool) -> None:
    path = tmp_path / "new" / "mlflow.db"
    stray = path.with_name("mlflow.db.new-999999999-journal")
    stray.parent.mkdir()
    stray.touch()
    if is_empty:
        path.touch()
    database.prepare(uri(path))
    assert os.listdir(path.parent) == ["mlflow.db"]
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("select count(*) from runs").fetchone() == (0,)
    MlflowClient(uri(path)).create_experiment("mine", artifact_location=tmp_path.as_uri())


KILLED = """
import os, signal, sys
from pathlib import Path
from fullpool.pipelines import database
os.link = lambda *arguments: os.kill(os.getpid(), signal.SIGKILL)
database.prepare(f"sqlite:///{sys.argv[1]}")
"""


def test_a_process_killed_while_it_makes_a_database_leaves_none(tmp_path: Path) -> None:
    path = tmp_path / "mlflow.db"
    killed = subprocess.run([sys.executable, "-c", KILLED, str(path)], capture_output=True)
    assert killed.returncode == -9, killed.stderr
    assert not path.exists()
    assert list(tmp_path.iterdir()) != []
    database.prepare(uri(path))
    assert os.listdir(tmp_path) == ["mlflow.db"]


def test_a_database_that_was_made_only_in_part_is_to_be_moved_away(tmp_path: Path) -> None:
    path = tmp_path / "mlflow.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("create table model_version_tags (a)")
    with pytest.raises(TrackingError, match=r"model_version_tags already exists\); move it away"):
        with database.explained(uri(path)):
            MlflowClient(uri(path)).search_experiments()


def test_other_stores_are_left_to_mlflow() -> None:
    assert database.database_file("http://127.0.0.1:5000") is None
    assert database.database_file("sqlite:///:memory:") is None
    database.prepare("http://127.0.0.1:1")
    with pytest.raises(TrackingError, match=r"MLflow at http://127.0.0.1:1 cannot be used \(refused\)"):
        with database.explained("http://127.0.0.1:1"):
            raise MlflowException("refused\nwith a long tail")
