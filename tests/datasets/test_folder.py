"""The stage folder: atomic generations, one commit file, and rows that count only once committed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from fullpool.datasets import folder as stage_folder


def write_one(folder: Path) -> None:
    (folder / "one.txt").write_text("one")


def append(folder: Path, number: int, part: str = "g1", **changes: Any) -> None:
    arguments: dict[str, Any] = {"parameters": {"a": 1}, "num_kept": 2, **changes}
    rows = arguments.pop("rows", [{"step": number, "values": {"elo": 2.0}}])
    save = arguments.pop("save", write_one)
    stage_folder.append(folder, part, number, save, rows, **arguments)


def committed(folder: Path) -> stage_folder.Commit:
    commit = stage_folder.read_commit(folder)
    assert commit is not None
    return commit


def on_disk(folder: Path) -> list[str]:
    return sorted(p.name for p in (folder / "generations").iterdir())


def test_an_absent_folder_has_no_commit(tmp_path: Path) -> None:
    assert stage_folder.read_commit(tmp_path / "none") is None


def test_append_and_finish_commit_generations_rows_and_parameters(tmp_path: Path) -> None:
    append(tmp_path, 1)
    append(tmp_path, 2, rows=[{"step": 2, "values": {}}, {"step": 3, "values": {}}])
    assert not committed(tmp_path).finished
    stage_folder.finish(tmp_path, {"a": 1})
    commit = committed(tmp_path)
    assert commit.generations == (("g1", 1), ("g1", 2))
    assert commit.finished
    assert commit.parameters == {"a": 1}
    assert [row["step"] for row in stage_folder.read_rows(tmp_path, commit)] == [1, 2, 3]
    assert (stage_folder.generation_folder(tmp_path, "g1", 2) / "one.txt").read_text() == "one"


def test_a_stage_without_generations_cannot_end(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="has none"):
        stage_folder.finish(tmp_path, {})


@pytest.mark.parametrize(("num_kept", "kept"), [(0, 4), (1, 1), (3, 3)])
def test_old_generations_of_a_part_go_and_all_rows_stay(tmp_path: Path, num_kept: int, kept: int) -> None:
    append(tmp_path, 1, part="g0", num_kept=num_kept)
    for number in range(1, 5):
        append(tmp_path, number, num_kept=num_kept)
    assert (
        on_disk(tmp_path)
        == ["g0@000001", *(f"g1@{n:06d}" for n in range(1, 5))][:1]
        + [f"g1@{n:06d}" for n in range(1, 5)][-kept:]
    )
    assert committed(tmp_path).latest() == {"g0": 1, "g1": 4}
    assert len(stage_folder.read_rows(tmp_path, committed(tmp_path))) == 5


def test_a_save_that_fails_leaves_the_last_commit_and_is_cleared_away(tmp_path: Path) -> None:
    append(tmp_path, 1)
    before = committed(tmp_path)

    def half(folder: Path) -> None:
        (folder / "half.txt").write_text("half")
        raise RuntimeError("disk full")

    with pytest.raises(RuntimeError, match="disk full"):
        append(tmp_path, 2, save=half)
    assert committed(tmp_path) == before
    append(tmp_path, 2)
    assert on_disk(tmp_path) == ["g1@000001", "g1@000002"]
    assert not (stage_folder.generation_folder(tmp_path, "g1", 2) / "half.txt").exists()


def test_what_a_kill_between_move_and_commit_leaves_does_not_count(tmp_path: Path) -> None:
    append(tmp_path, 1)
    # As a process killed after the move and the rows, before the commit file.
    stage_folder.generation_folder(tmp_path, "g1", 2).mkdir()
    with (tmp_path / "metrics.jsonl").open("a") as file:
        file.write(json.dumps({"step": 99, "values": {}}) + "\n")
    assert [row["step"] for row in stage_folder.read_rows(tmp_path, committed(tmp_path))] == [1]
    append(tmp_path, 2)
    assert [row["step"] for row in stage_folder.read_rows(tmp_path, committed(tmp_path))] == [1, 2]


@pytest.mark.parametrize(
    ("part", "number"), [("g1", 1), ("g1", 0), ("../g", 2), ("", 2), (".g", 2), ("a/b", 2), ("a@b", 2)]
)
def test_parts_have_plain_names_and_numbers_grow(tmp_path: Path, part: str, number: int) -> None:
    append(tmp_path, 1)
    with pytest.raises(ValueError, match=r"part's name|should come after generation 1"):
        append(tmp_path, number, part=part)
    assert committed(tmp_path).generations == (("g1", 1),)


@pytest.mark.parametrize("text", ["", "{", "[]", '{"generations": ["a"]}', '{"generations": 3}'])
def test_a_damaged_commit_file_is_named(tmp_path: Path, text: str) -> None:
    (tmp_path / "stage.json").write_text(text)
    with pytest.raises(ValueError, match=r"stage\.json should hold"):
        stage_folder.read_commit(tmp_path)
    assert (tmp_path / "stage.json").read_text() == text


def test_another_format_is_refused(tmp_path: Path) -> None:
    append(tmp_path, 1)
    path = tmp_path / "stage.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "format": 99}))
    with pytest.raises(ValueError, match="format 99"):
        stage_folder.read_commit(tmp_path)
