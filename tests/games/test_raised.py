"""Exceptions of users' games in one line."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from fullpool.games.raised import raised_line


def caught(code: str, path: Path) -> str:
    """Runs code as if it lay in a file."""
    try:
        exec(compile(code, str(path), "exec"), {"np": np})
    except Exception as error:
        return raised_line(error)
    raise AssertionError("the code should have raised")


def test_kind_first_line_and_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = "\nraise RuntimeError('  \\n first\\nsecond')"
    assert caught(text, tmp_path / "mine.py") == "raised RuntimeError: first (mine.py:2)"
    assert caught("assert False", Path("/else/mine.py")).startswith("raised AssertionError (")


def test_the_place_is_the_users_though_a_package_raised(tmp_path: Path) -> None:
    line = caught("\n\nnp.zeros(2).reshape(3)\nnp.stack([])", tmp_path / "mine.py")
    assert line.endswith(f"({tmp_path / 'mine.py'}:3)")
    line = caught("np.stack([])", tmp_path / "mine.py")
    assert line.endswith(f"({tmp_path / 'mine.py'}:1)")
