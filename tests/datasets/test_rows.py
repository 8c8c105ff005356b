"""Metrics rows that were cut short or damaged cost figures, and nothing else."""

from __future__ import annotations

import json
import logging
from pathlib import Path
from typing import Any

import pytest

from fullpool.datasets import folder as stage_folder
from fullpool.datasets import rows


def row(step: int) -> dict[str, Any]:
    return {"step": step, "time": 0.5, "values": {"elo": 2.0}}


def append(folder: Path, number: int) -> None:
    stage_folder.append(folder, "g1", number, lambda _: None, [row(number)], parameters={}, num_kept=0)


@pytest.fixture
def stage(tmp_path: Path) -> Path:
    """A stage with three generations of one row each."""
    for number in (1, 2, 3):
        append(tmp_path, number)
    return tmp_path


def steps(folder: Path) -> list[int]:
    commit = stage_folder.read_commit(folder)
    assert commit is not None
    return [found["step"] for found in stage_folder.read_rows(folder, commit)]


def cut(path: Path, size: int) -> None:
    with path.open("r+b") as file:
        file.truncate(size)


def test_rows_say_whose_they_are(stage: Path) -> None:
    lines = (stage / rows.FILE).read_text().splitlines()
    assert json.loads(lines[1]) == {"part": "g1", "generation": 2, **row(2)}


@pytest.mark.parametrize("missing", [1, 10, 10_000])
def test_a_file_that_was_cut_short_loses_its_last_rows_with_a_warning(
    stage: Path, caplog: pytest.LogCaptureFixture, missing: int
) -> None:
    path = stage / rows.FILE
    size = path.stat().st_size
    left = max(size - missing, 0)
    cut(path, left)
    with caplog.at_level(logging.WARNING):
        # Without its last newline a row is whole.
        kept = {1: [1, 2, 3], 10: [1, 2], 10_000: []}[missing]
        assert steps(stage) == steps(stage) == kept
    assert len(caplog.records) == 1
    assert f"{path} has {left:,} bytes where {size:,} were written" in caplog.text
    append(stage, 4)
    caplog.clear()
    assert steps(stage) == [*kept, 4]
    assert caplog.records == []
    assert b"\0" not in path.read_bytes()
    append(stage, 5)
    assert steps(stage) == [*kept, 4, 5]


def test_a_file_that_is_gone_stops_nothing(stage: Path, caplog: pytest.LogCaptureFixture) -> None:
    (stage / rows.FILE).unlink()
    assert steps(stage) == []
    assert "figures are lost, 0 rows are left" in caplog.text
    append(stage, 4)
    assert steps(stage) == [4]


@pytest.mark.parametrize("damage", [b"\xff\xfe", b"[1, 2]", b'{"step": 2}', b"\0\0\0"])
def test_a_damaged_line_is_left_out_with_a_warning(
    stage: Path, caplog: pytest.LogCaptureFixture, damage: bytes
) -> None:
    path = stage / rows.FILE
    first, second, third = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(first + damage.ljust(len(second) - 1) + b"\n" + third)
    assert steps(stage) == [1, 3]
    assert "has 1 damaged lines" in caplog.text


def test_a_kill_while_lost_rows_are_dropped_changes_nothing(
    stage: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cut(stage / rows.FILE, 10)

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(stage_folder, "_write_commit", killed)
        with pytest.raises(KeyboardInterrupt):
            append(stage, 4)
    assert steps(stage) == []
    append(stage, 4)
    assert steps(stage) == [4]


def test_rows_of_earlier_versions_count(stage: Path) -> None:
    path = stage / rows.FILE
    size = rows.append(path, [row(7)], 0)
    assert [found["step"] for found in rows.read(stage, size, {"g1": 3})] == [7]
