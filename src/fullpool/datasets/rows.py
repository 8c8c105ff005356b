"""The metrics rows of a stage: one JSON object a line, the bytes up to the committed size count.

Rows are figures and nothing else: a file that was cut short or damaged costs its rows, and never the training.
"""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

FILE = "metrics.jsonl"

logger = logging.getLogger(__name__)

Row = dict[str, Any]


def read(folder: Path, size: int, latest: Mapping[str, int]) -> list[Row]:
    """Reads the rows that count, oldest first; says so if some were lost.

    Args:
        folder: the stage's folder.
        size: committed bytes.
        latest: number of each part's last generation; rows of later ones do not count.
    """
    rows, problem = _read(folder / FILE, size, latest)
    if problem:
        _warn(problem)
    return rows


def is_short(folder: Path, size: int) -> bool:
    """Whether committed bytes are missing."""
    path = folder / FILE
    return (path.stat().st_size if path.is_file() else 0) < size


def rewrite(folder: Path, size: int, latest: Mapping[str, int]) -> int:
    """Leaves nothing but the rows that count.

    Args:
        folder: the stage's folder.
        size: committed bytes.
        latest: number of each part's last generation.

    Returns:
        The size to commit. A process killed before it is committed leaves a file that is read in the same way.
    """
    rows, _ = _read(folder / FILE, size, latest)
    fresh = folder / f"{FILE}.part"
    fresh.unlink(missing_ok=True)
    size = append(fresh, rows, 0)
    fresh.replace(folder / FILE)
    return size


def append(path: Path, rows: Sequence[Mapping[str, Any]], committed: int) -> int:
    """Writes rows behind the committed ones and flushes them to disk.

    Args:
        path: the file; made if absent.
        rows: plain data.
        committed: bytes that count; the file has at least as many.

    Returns:
        The new size.
    """
    with path.open("ab") as file:
        file.truncate(committed)
        for row in rows:
            file.write(json.dumps(row).encode() + b"\n")
        file.flush()
        os.fsync(file.fileno())
        return os.fstat(file.fileno()).st_size


@cache
def _warn(problem: str) -> None:
    """Warns once a process: several stages read the same rows."""
    logger.warning("%s", problem)


def _read(path: Path, size: int, latest: Mapping[str, int]) -> tuple[list[Row], str]:
    """Reads what can be read, and says what cannot."""
    data = path.read_bytes() if path.is_file() else b""
    lines = data[:size].split(b"\n")
    rows = [row for row in map(_parse, lines) if row is not None]
    damaged = sum(1 for line in lines if line) - len(rows)
    problem = ""
    if len(data) < size:
        problem = f"{path} has {len(data):,} bytes where {size:,} were written"
    elif damaged:
        problem = f"{path} has {damaged} damaged lines"
    if problem:
        problem += (
            f": figures are lost, {len(rows)} rows are left; no weights depend on them, and the stage goes on"
        )
    return [row for row in rows if _counts(row, latest)], problem


def _parse(line: bytes) -> Row | None:
    """A line as a row; None for an empty or damaged one."""
    try:
        row = json.loads(line)
    except ValueError:
        return None
    is_row = isinstance(row, dict) and {"step", "time", "values"} <= row.keys()
    return row if is_row and isinstance(row["values"], dict) else None


def _counts(row: Row, latest: Mapping[str, int]) -> bool:
    # Rows of earlier versions do not say whose they are.
    return "part" not in row or int(row["generation"]) <= latest.get(row["part"], 0)
