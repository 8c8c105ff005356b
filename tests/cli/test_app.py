"""The command line's frame."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

import fullpool
from fullpool.cli import app as application
from fullpool.cli.app import COMMANDS, LazyCommands, app

runner = CliRunner()


def fullpool_command(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "fullpool", *arguments], cwd=cwd, capture_output=True, text=True, timeout=120
    )


def test_version() -> None:
    assert runner.invoke(app, ["--version"]).stdout.strip() == fullpool.__version__


def test_every_command_that_is_listed_can_be_asked_for_help() -> None:
    shown = LazyCommands().list_commands(None)
    assert {"doctor", "compile", "summary"} <= set(shown)
    for name in shown:
        result = runner.invoke(app, [name, "--help"])
        assert result.exit_code == 0, (name, result.output)


def test_an_unknown_command_is_a_usage_error() -> None:
    result = runner.invoke(app, ["dcotor"])
    assert result.exit_code == 2
    assert "dcotor" in result.output


def test_every_file_of_a_command_is_listed() -> None:
    folder = Path(str(application.__file__)).parent
    # A file with a command's name shape that nobody lists would never be found.
    others = {"__init__", "app", "project"}
    files = {p.stem for p in folder.glob("*.py") if "typer.Typer(" in p.read_text() and p.stem not in others}
    assert files <= {name.replace("-", "_") for name in COMMANDS}


def test_an_error_is_one_line_and_exit_code_2(tmp_path: Path) -> None:
    result = fullpool_command("summary", cwd=tmp_path)
    assert result.returncode == 2
    assert result.stderr.startswith("error: ")
    assert "not inside a fullpool project" in result.stderr
    assert result.stderr.count("\n") == 1
    assert result.stdout == ""


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("elo", "--confidence", "2"), "'--confidence'"),
        (("elo", "--confidence=2"), ", got '2'"),
        (("elo", "--confidnce", "2"), "--confidnce"),
        (("dcotor",), "dcotor"),
        (("match", "fighter"), "'B'"),
    ],
)
def test_wrong_arguments_are_one_line(arguments: tuple[str, ...], said: str, tmp_path: Path) -> None:
    result = fullpool_command(*arguments, cwd=tmp_path)
    assert result.returncode == 2
    assert result.stderr.startswith("error: ")
    assert said in result.stderr
    assert result.stderr.count("\n") == 1


def test_no_command_shows_the_help(tmp_path: Path) -> None:
    result = fullpool_command(cwd=tmp_path)
    assert result.returncode == 2
    assert "doctor" in result.stdout + result.stderr
    assert "error:" not in result.stderr


def test_debug_shows_the_traceback(tmp_path: Path) -> None:
    result = fullpool_command("--debug", "summary", cwd=tmp_path)
    assert result.returncode == 1
    assert "Traceback" in result.stderr


def test_doctor_says_what_is_missing(tmp_path: Path) -> None:
    result = fullpool_command("doctor", "--json", cwd=tmp_path)
    facts = json.loads(result.stdout)
    assert result.returncode == 1
    assert facts["packages"]["fullpool"] == fullpool.__version__
    assert any("project" in line for line in facts["missing"])
    assert facts["cores"] >= 1


def test_doctor_reads_the_database(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(
        '[tool.kedro]\npackage_name = "x"\nproject_name = "x"\nkedro_init_version = "1.7.0"\n'
    )
    (tmp_path / "mlflow.db").write_text("this is no database, and long enough to be seen as none")
    facts = json.loads(fullpool_command("doctor", "--json", cwd=tmp_path).stdout)
    assert any("database" in line for line in facts["missing"])


@pytest.mark.parametrize("name", ["torch", "mlflow", "kedro", "numba", "pandas"])
def test_the_frame_imports_nothing_heavy(name: str, tmp_path: Path) -> None:
    code = f"import sys, fullpool.cli.app; sys.exit({name!r} in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=tmp_path).returncode == 0
