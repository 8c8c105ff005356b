"""What is shown while one waits."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from fullpool.cli import waiting
from fullpool.numerics import kernel_cache


class Terminal(io.StringIO):
    """A terminal that remembers what was written."""

    def isatty(self) -> bool:
        return True


def test_a_terminal_gets_a_bar_on_stderr_and_stdout_stays_clean(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    with waiting.bar("working") as notify:
        notify(0.5)
        print("a result")
    assert "working" in terminal.getvalue()
    assert "50%" in terminal.getvalue()
    assert capsys.readouterr().out == "a result\n"


def test_without_a_terminal_nothing_is_written(capsys: pytest.CaptureFixture[str]) -> None:
    with waiting.bar("working") as notify:
        notify(0.5)
    assert capsys.readouterr() == ("", "")


def test_kernels_are_compiled_once_and_announced_on_stderr(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    compiled: list[str] = []
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr("fullpool.games.moba.compile_all", lambda progress: compiled.append("game"))
    for _ in range(2):
        waiting.prepare_game()
    assert compiled == ["game"]
    assert kernel_cache.is_ready()
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("compiling the game's kernels") == 1


def test_the_draft_searchs_kernels_are_announced_until_they_are_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    waiting.prepare_drafting()
    assert "compiling the draft search's kernels" in capsys.readouterr().err
    (tmp_path / "drafting_0a1b").mkdir()
    (tmp_path / "drafting_0a1b" / "uct.select-1.py311.1.nbc").touch()
    waiting.prepare_drafting()
    assert capsys.readouterr() == ("", "")
