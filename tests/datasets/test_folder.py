"""The stage folder: atomic generations, one commit file, and rows that count only once committed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from fullpool.datasets import folder as stage_folder


def write_one(folder: Path) -> None:
    (folder / "one.txt").write_text("one")


def append(folder: Path, name: str, **changes: Any) -> None:
    arguments: dict[str, Any] = {"parameters": {"a": 1}, "finished": False, "num_kept": 2, **changes}
    rows = arguments.pop("rows", [{"step": 1, "values": {"elo": 2.0}}])
    save = arguments.pop("save", write_one)
    stage_folder.append(folder, name, save, rows, **arguments)


def committed(folder: Path) -> stage_folder.Commit:
    commit = stage_folder.read_commit(folder)
    assert commit is not None
    return commit


def on_disk(folder: Path) -> list[str]:
    return sorted(p.name for p in (folder / "generations").iterdir())


def test_an_absent_folder_has_no_commit(tmp_path: Path) -> None:
    assert stage_folder.read_commit(tmp_path / "none") is None


def test_append_commits_generation_rows_and_parameters(tmp_path: Path) -> None:
    append(tmp_path, "000001")
    assert not committed(tmp_path).finished
    append(tmp_path, "000002", finished=True, rows=[{"step": 2, "values": {}}, {"step": 3, "values": {}}])
    commit = committed(tmp_path)
    assert commit.generations == ("000001", "000002")
    assert commit.finished
    assert commit.parameters == {"a": 1}
    assert [row["step"] for row in stage_folder.read_rows(tmp_path, commit)] == [1, 2, 3]
    assert (tmp_path / "generations" / "000002" / "one.txt").read_text() == "one"


@pytest.mark.parametrize(("num_kept", "kept"), [(0, 4), (1, 1), (3, 3)])
def test_old_generations_go_and_all_rows_stay(tmp_path: Path, num_kept: int, kept: int) -> None:
    names = [f"{number:06d}" for number in range(4)]
    for name in names:
        append(tmp_path, name, num_kept=num_kept)
    assert on_disk(tmp_path) == list(committed(tmp_path).generations) == names[-kept:]
    assert len(stage_folder.read_rows(tmp_path, committed(tmp_path))) == 4


def test_a_save_that_fails_leaves_the_last_commit_and_is_cleared_away(tmp_path: Path) -> None:
    append(tmp_path, "000001")
    before = committed(tmp_path)

    def half(folder: Path) -> None:
        (folder / "half.txt").write_text("half")
        raise RuntimeError("disk full")

    with pytest.raises(RuntimeError, match="disk full"):
        append(tmp_path, "000002", save=half)
    assert committed(tmp_path) == before
    append(tmp_path, "000002")
    assert on_disk(tmp_path) == ["000001", "000002"]
    assert not (tmp_path / "generations" / "000002" / "half.txt").exists()


def test_what_a_kill_between_move_and_commit_leaves_does_not_count(tmp_path: Path) -> None:
    append(tmp_path, "000001")
    # As a process killed after the move and the rows, before the commit file.
    (tmp_path / "generations" / "000002").mkdir()
    with (tmp_path / "metrics.jsonl").open("a") as file:
        file.write(json.dumps({"step": 99, "values": {}}) + "\n")
    assert [row["step"] for row in stage_folder.read_rows(tmp_path, committed(tmp_path))] == [1]
    append(tmp_path, "000002", rows=[{"step": 2, "values": {}}])
    assert [row["step"] for row in stage_folder.read_rows(tmp_path, committed(tmp_path))] == [1, 2]


@pytest.mark.parametrize("name", ["000001", "../000002", "", ".hidden", "a/b"])
def test_names_are_new_and_plain(tmp_path: Path, name: str) -> None:
    append(tmp_path, "000001")
    with pytest.raises(ValueError, match="name"):
        append(tmp_path, name)
    assert committed(tmp_path).generations == ("000001",)


@pytest.mark.parametrize("text", ["", "{", "[]", '{"generations": ["a"]}', '{"generations": 3}'])
def test_a_damaged_commit_file_is_named(tmp_path: Path, text: str) -> None:
    (tmp_path / "stage.json").write_text(text)
    with pytest.raises(ValueError, match=r"stage\.json should hold"):
        stage_folder.read_commit(tmp_path)
    assert (tmp_path / "stage.json").read_text() == text


def test_another_format_is_refused(tmp_path: Path) -> None:
    append(tmp_path, "000001")
    path = tmp_path / "stage.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "format": 99}))
    with pytest.raises(ValueError, match="format 99"):
        stage_folder.read_commit(tmp_path)
