"""The stage folder: atomic generations, one commit file, and rows that count only once committed."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from fullpool.datasets import folder as stage_folder
from fullpool.datasets import rows


def row(step: int) -> dict[str, Any]:
    return {"step": step, "time": 0.5, "values": {"elo": 2.0}}


def write_one(folder: Path) -> None:
    (folder / "one.txt").write_text("one")


def append(folder: Path, number: int, part: str = "g1", **changes: Any) -> None:
    arguments: dict[str, Any] = {"parameters": {"a": 1}, "num_kept": 2, **changes}
    new = arguments.pop("rows", [row(number)])
    save = arguments.pop("save", write_one)
    stage_folder.append(folder, part, number, save, new, **arguments)


def committed(folder: Path) -> stage_folder.Commit:
    commit = stage_folder.read_commit(folder)
    assert commit is not None
    return commit


def steps(folder: Path) -> list[int]:
    return [row["step"] for row in stage_folder.read_rows(folder, committed(folder))]


def on_disk(folder: Path) -> list[str]:
    return sorted(p.name for p in (folder / "generations").iterdir())


def test_an_absent_folder_has_no_commit(tmp_path: Path) -> None:
    assert stage_folder.read_commit(tmp_path / "none") is None


def test_append_and_finish_commit_generations_rows_and_parameters(tmp_path: Path) -> None:
    append(tmp_path, 1)
    append(tmp_path, 2, rows=[row(2), row(3)])
    assert not committed(tmp_path).finished
    stage_folder.finish(tmp_path, {"a": 1})
    commit = committed(tmp_path)
    assert commit.generations == (("g1", 1), ("g1", 2))
    assert commit.finished
    assert commit.parameters == {"a": 1}
    assert steps(tmp_path) == [1, 2, 3]
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
        file.write(json.dumps(row(99)) + "\n")
    assert steps(tmp_path) == [1]
    append(tmp_path, 2)
    assert steps(tmp_path) == [1, 2]


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


def change(folder: Path, **values: Any) -> None:
    path = folder / "stage.json"
    kept = {**json.loads(path.read_text()), **values}
    path.write_text(json.dumps({key: value for key, value in kept.items() if value is not None}))


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"colour": "red"}, "unknown key 'colour', known are parameters, generations"),
        ({"finished": None}, "no key 'finished'"),
        ({"metrics_size": "many"}, "'many'"),
        ({"generations": [["g1"]]}, "not enough values"),
    ],
)
def test_a_commit_file_with_other_keys_is_told_in_a_line(
    tmp_path: Path, values: dict[str, Any], said: str
) -> None:
    append(tmp_path, 1)
    change(tmp_path, **values)
    with pytest.raises(ValueError, match=r"stage\.json should hold a stage's state") as caught:
        stage_folder.read_commit(tmp_path)
    assert said in str(caught.value)
    assert "__init__" not in str(caught.value)


def test_another_format_is_refused(tmp_path: Path) -> None:
    append(tmp_path, 1)
    path = tmp_path / "stage.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "format": 99}))
    with pytest.raises(ValueError, match="format 99"):
        stage_folder.read_commit(tmp_path)


def test_generations_without_a_commit_file_are_not_thrown_away(tmp_path: Path) -> None:
    append(tmp_path, 1)
    (tmp_path / "stage.json").unlink()
    line = r"holds 1 generations, but no stage\.json.*or delete the folder"
    with pytest.raises(ValueError, match=line):
        stage_folder.read_commit(tmp_path)
    with pytest.raises(ValueError, match=line):
        append(tmp_path, 1)
    assert on_disk(tmp_path) == ["g1@000001"]


def test_a_kill_before_the_first_commit_leaves_a_fresh_stage(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(*_: object) -> int:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        # The generation is in place by then, and nothing is committed.
        patched.setattr(rows, "append", killed)
        with pytest.raises(KeyboardInterrupt):
            append(tmp_path, 1)
    assert on_disk(tmp_path) == ["g1@000001"]
    assert stage_folder.read_commit(tmp_path) is None
    with pytest.raises(ValueError, match="has none"):
        stage_folder.finish(tmp_path, {})
    append(tmp_path, 1, parameters={"a": 2})
    assert committed(tmp_path).parameters == {"a": 2}
    assert steps(tmp_path) == [1]


def two_parts(folder: Path) -> None:
    """g1 and g2 by turns, three generations each, finished."""
    for number in (1, 2, 3):
        for part in ("g1", "g2"):
            append(folder, number, part, rows=[row(number), row(number)])
    stage_folder.finish(folder, {"a": 1})


def test_a_part_whose_last_generation_is_gone_goes_on_from_the_one_before(tmp_path: Path) -> None:
    two_parts(tmp_path)
    shutil.rmtree(stage_folder.generation_folder(tmp_path, "g1", 3))
    commit = committed(tmp_path)
    assert commit.latest() == {"g1": 2, "g2": 3}
    assert not commit.finished
    assert stage_folder.lost_generations(tmp_path) == [("g1", 3)]
    assert steps(tmp_path) == [1, 1, 1, 1, 2, 2, 2, 2, 3, 3]
    append(tmp_path, 3, rows=[row(30)])
    assert committed(tmp_path).latest() == {"g1": 3, "g2": 3}
    assert stage_folder.lost_generations(tmp_path) == []
    assert steps(tmp_path) == [1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 30]
    # The file holds no more than what counts.
    assert (tmp_path / "metrics.jsonl").stat().st_size == committed(tmp_path).metrics_size
    assert on_disk(tmp_path) == ["g1@000002", "g1@000003", "g2@000002", "g2@000003"]


def test_a_part_of_which_nothing_is_left_starts_anew_beside_the_others(tmp_path: Path) -> None:
    two_parts(tmp_path)
    for number in (2, 3):
        shutil.rmtree(stage_folder.generation_folder(tmp_path, "g1", number))
    assert committed(tmp_path).latest() == {"g2": 3}
    assert len(steps(tmp_path)) == 6
    append(tmp_path, 1)
    assert committed(tmp_path).latest() == {"g2": 3, "g1": 1}


def test_a_stage_of_which_nothing_is_left_is_refused(tmp_path: Path) -> None:
    two_parts(tmp_path)
    shutil.rmtree(tmp_path / "generations")
    with pytest.raises(ValueError, match=r"none of the generations.*or delete the folder"):
        stage_folder.read_commit(tmp_path)


def test_a_gap_among_generations_that_are_there_stays(tmp_path: Path) -> None:
    for number in (1, 2, 3):
        append(tmp_path, number, num_kept=0)
    shutil.rmtree(stage_folder.generation_folder(tmp_path, "g1", 2))
    assert committed(tmp_path).generations == (("g1", 1), ("g1", 2), ("g1", 3))


def test_a_stray_file_among_generations_is_cleared_away(tmp_path: Path) -> None:
    append(tmp_path, 1)
    (tmp_path / "generations" / ".DS_Store").touch()
    append(tmp_path, 2)
    assert on_disk(tmp_path) == ["g1@000001", "g1@000002"]


def test_the_way_back_from_a_damaged_generation_is_told(tmp_path: Path) -> None:
    append(tmp_path, 1)
    first, second, third = (stage_folder.generation_folder(tmp_path, "g1", n) for n in (1, 2, 3))
    assert (
        stage_folder.way_back(first / "one.txt")
        == f"nothing before it is kept: delete {tmp_path} to do the stage anew"
    )
    append(tmp_path, 2)
    append(tmp_path, 3)
    way = f"generation 2 of 'g1' is kept: delete {third} and start again to go on from there"
    assert stage_folder.way_back(third) == stage_folder.way_back(third / "checkpoint" / "meta.json") == way
    # What is not the last one stops nobody, and other files are none of our business.
    assert stage_folder.way_back(second / "one.txt") == stage_folder.way_back(tmp_path / "one.txt") == ""
