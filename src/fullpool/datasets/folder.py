"""A stage's folder on disk: generations written atomically, one commit file, and the rows logged so far.

    <folder>/stage.json                       what is committed: the only file that decides
    <folder>/metrics.jsonl                    one metrics row a line; bytes past the committed size do not count
    <folder>/generations/<part>@<number>/     what a generation saved

A stage has one part, or several that go on by themselves, as each teacher does. A generation is written under a name
of its own, moved into place, and counts once `stage.json` names it. A process killed at any point leaves the last
committed state.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

FORMAT = 1

_PART = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*")


@dataclass(frozen=True)
class Commit:
    """What is committed in a stage's folder.

    Attributes:
        parameters: settings that made it, flattened to dotted names.
        generations: part and number of the generations still on disk, oldest first.
        metrics_size: bytes of `metrics.jsonl` that count.
        finished: whether the stage has come to its end.
        format: version of this layout.
    """

    parameters: Mapping[str, Any]
    generations: tuple[tuple[str, int], ...]
    metrics_size: int
    finished: bool
    format: int = FORMAT

    def latest(self) -> dict[str, int]:
        """Number of each part's last generation."""
        return dict(self.generations)


def generation_folder(folder: Path, part: str, number: int) -> Path:
    """Where a generation lies."""
    return folder / "generations" / f"{part}@{number:06d}"


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
        generations = tuple((str(part), int(number)) for part, number in raw["generations"])
        commit = Commit(**{**raw, "generations": generations})
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
    part: str,
    number: int,
    save: Callable[[Path], None],
    rows: Sequence[Mapping[str, Any]],
    *,
    parameters: Mapping[str, Any],
    num_kept: int,
) -> None:
    """Adds a generation and commits it.

    Args:
        folder: the stage's folder; made if absent.
        part: part of the stage that the generation belongs to.
        number: of the generation; grows within a part.
        save: writes the generation's files into the empty folder that it is given.
        rows: metrics rows of the generation, plain numbers.
        parameters: settings that made it, flattened.
        num_kept: generations of each part that stay on disk; 0 keeps all.

    Raises:
        ValueError: if the part is no plain file name, or its number does not grow.
    """
    commit = read_commit(folder) or Commit(parameters, (), 0, False)
    if not _PART.fullmatch(part):
        raise ValueError(f"a part's name has letters, digits, '_', '-' and '.', got {part!r}")
    before = commit.latest().get(part)
    if before is not None and number <= before:
        raise ValueError(f"{folder}: generation {number} of {part!r} should come after generation {before}")
    (folder / "generations").mkdir(parents=True, exist_ok=True)
    _remove_strays(folder, commit)
    place = generation_folder(folder, part, number)
    unfinished = place.with_name(f"{place.name}.part")
    unfinished.mkdir()
    save(unfinished)
    _sync(unfinished)
    unfinished.rename(place)
    size = _append_rows(folder / "metrics.jsonl", rows, commit.metrics_size)
    own = [n for p, n in commit.generations if p == part] + [number]
    gone = own[:-num_kept] if num_kept else []
    kept = [(p, n) for p, n in commit.generations if p != part or n not in gone]
    _write_commit(folder, Commit(dict(parameters), (*kept, (part, number)), size, False))
    for old in gone:
        shutil.rmtree(generation_folder(folder, part, old), ignore_errors=True)


def finish(folder: Path, parameters: Mapping[str, Any]) -> None:
    """Commits that the stage has come to its end.

    Raises:
        ValueError: if it has no generation.
    """
    commit = read_commit(folder)
    if commit is None:
        raise ValueError(f"{folder}: a stage ends with at least one generation, this one has none")
    _write_commit(folder, replace(commit, parameters=dict(parameters), finished=True))


def _remove_strays(folder: Path, commit: Commit) -> None:
    """Deletes what a killed process wrote without committing it."""
    committed = {generation_folder(folder, *generation) for generation in commit.generations}
    for path in (folder / "generations").iterdir():
        if path not in committed:
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
