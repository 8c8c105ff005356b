"""Commands in advice: the program as it was called, with what it was given."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from fullpool.pipelines import calling


@pytest.fixture
def venv(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with an environment that is not activated."""
    folder = tmp_path / ".venv" / "bin"
    folder.mkdir(parents=True)
    for name in ("kedro", "fullpool"):
        (folder / name).touch(mode=0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", "/nowhere")
    return folder


def call(monkeypatch: pytest.MonkeyPatch, *words: str) -> None:
    monkeypatch.setattr(sys, "argv", list(words))


@pytest.mark.parametrize("called", [".venv/bin/kedro", ".venv/bin/fullpool"])
def test_without_an_activated_environment_the_path_is_said(
    venv: Path, monkeypatch: pytest.MonkeyPatch, called: str
) -> None:
    call(monkeypatch, called, "run")
    assert calling.program() == [".venv/bin/kedro"]
    call(monkeypatch, str(venv / Path(called).name), "run")
    assert calling.program() == [".venv/bin/kedro"]


def test_what_the_shell_finds_is_said_by_its_name(venv: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(venv))
    call(monkeypatch, str(venv / "kedro"), "run")
    assert calling.program() == ["kedro"]
    call(monkeypatch, "/somewhere/notebook.py")
    assert calling.program() == ["kedro"]


def test_a_call_as_a_module_is_one_again(venv: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", str(venv / "python"))
    call(monkeypatch, "/lib/kedro/__main__.py", "run", "--params", "campaign=a b")
    assert calling.again() == ".venv/bin/python -m kedro run --params 'campaign=a b'"


def test_another_pipeline_is_run_with_all_that_this_one_was_given(
    venv: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    call(
        monkeypatch, ".venv/bin/kedro", "run", "-p", "teachers", "--from-nodes=teachers", "--conf-source=my/conf",
        "--env", "smoke", "--params", "campaign=x,seed=2",
    )  # fmt: skip
    assert calling.run_command("cspl", env="smoke", campaign="x", to_nodes=["teachers"]) == (
        ".venv/bin/kedro run --pipeline=cspl --to-nodes=teachers --conf-source=my/conf --env smoke "
        "--params campaign=x,seed=2"
    )


def test_campaign_and_environment_are_named_where_they_were_not_typed(
    venv: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    call(monkeypatch, ".venv/bin/kedro", "run", "--pipeline=teachers")
    assert calling.run_command("__default__", env="local", campaign="local") == (
        ".venv/bin/kedro run --params campaign=local"
    )
    assert calling.run_command("cspl", env="evening", campaign="local") == (
        ".venv/bin/kedro run --pipeline=cspl --env=evening --params campaign=local"
    )
    call(monkeypatch, "notebook", "--pipeline=teachers")
    assert calling.run_command("cspl", env="smoke", campaign="mine") == (
        "kedro run --pipeline=cspl --env=smoke --params campaign=mine"
    )
