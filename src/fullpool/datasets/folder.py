"""A stage's folder on disk: generations written atomically, one commit file, and the rows logged so far.

    <folder>/stage.json              what is committed: the only file that decides
    <folder>/metrics.jsonl           one metrics row a line; bytes past the committed size do not count
    <folder>/generations/<name>/     what a generation saved

A generation is written under a name of its own, moved into place, and counts once `stage.json` names it. A process
killed at any point leaves the last committed state.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

FORMAT = 1

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*")


@dataclass(frozen=True)
class Commit:
    """What is committed in a stage's folder.

    Attributes:
        parameters: settings that made it, flattened to dotted names.
        generations: names of the generations still on disk, oldest first.
        metrics_size: bytes of `metrics.jsonl` that count.
        finished: whether the stage has come to its end.
        format: version of this layout.
    """

    parameters: Mapping[str, Any]
    generations: tuple[str, ...]
    metrics_size: int
    finished: bool
    format: int = FORMAT


def read_commit(folder: Path) -> Commit | None:
    """Reads what is committed; None if nothing is.

    Raises:
        ValueError: if the commit file is damaged or of another format.
    """
    path = folder / "stage.json"
    if not path.is_file():
        return None
    try:
        raw = json.loads(path.read_text(encoding="utf-8"))
        commit = Commit(**{**raw, "generations": tuple(raw["generations"])})
    except (ValueError, TypeError, KeyError) as error:
        raise ValueError(
            f"{path} should hold a stage's state as JSON, but cannot be read ({error}); "
            "restore it from a backup, or start a new campaign"
        ) from error
    if commit.format != FORMAT:
        raise ValueError(
            f"{path} has format {commit.format}, this version reads format {FORMAT}; start a new campaign"
        )
    return commit


def read_rows(folder: Path, commit: Commit) -> list[dict[str, Any]]:
    """Reads the committed metrics rows, oldest first."""
    path = folder / "metrics.jsonl"
    if not path.is_file():
        return []
    with path.open("rb") as file:
        text = file.read(commit.metrics_size).decode()
    return [json.loads(line) for line in text.splitlines()]


def append(
    folder: Path,
    name: str,
    save: Callable[[Path], None],
    rows: Sequence[Mapping[str, Any]],
    *,
    parameters: Mapping[str, Any],
    finished: bool,
    num_kept: int,
) -> None:
    """Adds a generation and commits it.

    Args:
        folder: the stage's folder; made if absent.
        name: name of the generation, new to the stage.
        save: writes the generation's files into the empty folder that it is given.
        rows: metrics rows of the generation, plain numbers.
        parameters: settings that made it, flattened.
        finished: whether the stage ends with this generation.
        num_kept: generations that stay on disk; 0 keeps all.

    Raises:
        ValueError: if the name is taken or no plain file name.
    """
    commit = read_commit(folder) or Commit(parameters, (), 0, False)
    if not _NAME.fullmatch(name):
        raise ValueError(f"a generation's name has letters, digits, '_', '-' and '.', got {name!r}")
    if name in commit.generations:
        raise ValueError(f"generation {name!r} is already in {folder}; a stage gives each a new name")
    generations = folder / "generations"
    generations.mkdir(parents=True, exist_ok=True)
    _remove_strays(generations, commit)
    part = generations / f"{name}.part"
    part.mkdir()
    save(part)
    _sync(part)
    part.rename(generations / name)
    size = _append_rows(folder / "metrics.jsonl", rows, commit.metrics_size)
    names = (*commit.generations, name)
    kept = names[-num_kept:] if num_kept else names
    _write_commit(folder, Commit(dict(parameters), kept, size, finished))
    for old in set(names) - set(kept):
        shutil.rmtree(generations / old, ignore_errors=True)


def _remove_strays(generations: Path, commit: Commit) -> None:
    """Deletes what a killed process wrote without committing it."""
    for path in generations.iterdir():
        if path.name not in commit.generations:
            shutil.rmtree(path)


def _append_rows(path: Path, rows: Sequence[Mapping[str, Any]], committed: int) -> int:
    with path.open("ab") as file:
        file.truncate(committed)
        for row in rows:
            file.write(json.dumps(row).encode() + b"\n")
        file.flush()
        os.fsync(file.fileno())
        return os.fstat(file.fileno()).st_size


def _write_commit(folder: Path, commit: Commit) -> None:
    part = folder / "stage.json.part"
    with part.open("w", encoding="utf-8") as file:
        json.dump(asdict(commit), file, indent=1)
        file.flush()
        os.fsync(file.fileno())
    part.replace(folder / "stage.json")


def _sync(folder: Path) -> None:
    """Makes sure that the files are on the disk before a commit names them."""
    for path in folder.rglob("*"):
        if path.is_file():
            with path.open("rb") as file:
                os.fsync(file.fileno())
