"""A stage's folder on disk: generations written atomically, one commit file, and the rows logged so far.

    <folder>/stage.json                       what is committed: the only file that decides
    <folder>/metrics.jsonl                    one metrics row a line; bytes past the committed size do not count
    <folder>/generations/<part>@<number>/     what a generation saved

A stage has one part, or several that go on by themselves, as each teacher does. A generation is written under a name
of its own, moved into place, and counts once `stage.json` names it. A process killed at any point leaves the last
committed state. A part whose last generation was damaged, and therefore deleted, goes on from the one before.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

from fullpool.datasets import rows as metrics

FORMAT = 1

_PART = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*")
_GENERATION = re.compile(r"(?P<part>.+)@(?P<number>\d+)")


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
    """Reads what is committed and still there; None if nothing was.

    A stage of which a part's last generation is gone is not finished.

    Raises:
        ValueError: if the commit file is damaged, of another format or gone, or if all generations are gone.
    """
    commit = _read_file(folder)
    return _still_there(folder, commit) if commit is not None and commit.generations else None


def lost_generations(folder: Path) -> list[tuple[str, int]]:
    """Lists the generations that `read_commit` leaves out because their folders are gone."""
    commit, there = _read_file(folder), read_commit(folder)
    if commit is None or there is None:
        return []
    return [generation for generation in commit.generations if generation not in there.generations]


def read_rows(folder: Path, commit: Commit) -> list[dict[str, Any]]:
    """Reads the committed metrics rows, oldest first; warns if some were lost."""
    return metrics.read(folder, commit.metrics_size, commit.latest())


def way_back(path: Path) -> str:
    """Says how a stage can go on although the last generation of a part is damaged.

    Args:
        path: what is damaged.

    Returns:
        A sentence; empty if the path lies in no part's last generation.
    """
    for place in (path, *path.parents):
        found = _GENERATION.fullmatch(place.name)
        if found and place.parent.name == "generations":
            return _way_back(place.parent.parent, found["part"], int(found["number"]))
    return ""


def _way_back(folder: Path, part: str, number: int) -> str:
    try:
        commit = read_commit(folder)
    except ValueError:
        return ""
    if commit is None or commit.latest().get(part) != number:
        return ""
    place = generation_folder(folder, part, number)
    kept = [n for p, n in commit.generations if p == part and generation_folder(folder, p, n).is_dir()]
    if len(kept) < 2:
        return f"nothing before it is kept: delete {folder} to do the stage anew"
    return f"generation {kept[-2]} of {part!r} is kept: delete {place} and start again to go on from there"


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
    if not _PART.fullmatch(part):
        raise ValueError(f"a part's name has letters, digits, '_', '-' and '.', got {part!r}")
    commit = _begin(folder, parameters)
    before = commit.latest().get(part)
    if before is not None and number <= before:
        raise ValueError(f"{folder}: generation {number} of {part!r} should come after generation {before}")
    _remove_strays(folder, commit)
    place = generation_folder(folder, part, number)
    unfinished = place.with_name(f"{place.name}.part")
    unfinished.mkdir()
    save(unfinished)
    _sync(unfinished)
    unfinished.rename(place)
    marked = [{"part": part, "generation": number} | dict(row) for row in rows]
    size = metrics.append(folder / metrics.FILE, marked, commit.metrics_size)
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
    if read_commit(folder) is None:
        raise ValueError(f"{folder}: a stage ends with at least one generation, this one has none")
    _write_commit(folder, replace(_begin(folder, parameters), parameters=dict(parameters), finished=True))


def _begin(folder: Path, parameters: Mapping[str, Any]) -> Commit:
    """Makes files and commit agree, so that something can be added to both."""
    (folder / "generations").mkdir(parents=True, exist_ok=True)
    committed = _read_file(folder)
    if committed is None:
        # Whole generations without a commit file are an error: it must be there before the first of them.
        fresh = Commit(dict(parameters), (), 0, False)
        _write_commit(folder, fresh)
        return fresh
    there = _still_there(folder, committed) if committed.generations else committed
    if there != committed or metrics.is_short(folder, there.metrics_size):
        there = replace(there, metrics_size=metrics.rewrite(folder, there.metrics_size, there.latest()))
        _write_commit(folder, there)
    return there


def _still_there(folder: Path, commit: Commit) -> Commit:
    """Leaves out the last generations of each part whose folders are gone.

    One that is gone among others that are there stays: whoever needs it says so.
    """
    latest: dict[str, int] = {}
    for part, number in commit.generations:
        if generation_folder(folder, part, number).is_dir():
            latest[part] = number
    if not latest:
        raise ValueError(
            f"{folder} holds none of the generations that its stage.json names; restore them, or delete the folder "
            "to do the stage anew"
        )
    if latest == commit.latest():
        return commit
    there = tuple((part, number) for part, number in commit.generations if number <= latest.get(part, 0))
    return replace(commit, generations=there, finished=False)


def _read_file(folder: Path) -> Commit | None:
    """Reads the commit file as it stands; None if there is none."""
    path = folder / "stage.json"
    if path.is_file():
        try:
            return _parse(json.loads(path.read_text(encoding="utf-8")))
        except (ValueError, TypeError) as error:
            raise ValueError(
                f"{path} should hold a stage's state as JSON, but cannot be used: {error}; restore it from a "
                "backup, or start a new campaign"
            ) from error
    there = folder / "generations"
    whole = [p for p in there.iterdir() if _GENERATION.fullmatch(p.name)] if there.is_dir() else []
    if whole:
        raise ValueError(
            f"{folder} holds {len(whole)} generations, but no stage.json, which says what they are; restore that "
            "file, or delete the folder to do the stage anew"
        )
    return None


def _parse(raw: Any) -> Commit:
    names = [field.name for field in fields(Commit)]
    values = dict(raw)
    if values.get("format", FORMAT) != FORMAT:
        raise ValueError(f"it has format {values['format']}, this version reads format {FORMAT}")
    unknown = [name for name in values if name not in names]
    if unknown:
        raise ValueError(f"it has the unknown key {unknown[0]!r}, known are {', '.join(names)}")
    missing = [name for name in names if name not in values]
    if missing:
        raise ValueError(f"it has no key {missing[0]!r}")
    return Commit(
        parameters=dict(values["parameters"]),
        generations=tuple((str(part), int(number)) for part, number in values["generations"]),
        metrics_size=int(values["metrics_size"]),
        finished=bool(values["finished"]),
    )


def _remove_strays(folder: Path, commit: Commit) -> None:
    """Deletes what a killed process wrote without committing it."""
    committed = {generation_folder(folder, *generation) for generation in commit.generations}
    for path in (folder / "generations").iterdir():
        if path in committed:
            continue
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink()


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
