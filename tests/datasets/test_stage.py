"""The two Kedro datasets over a stage's folder."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest
from kedro.io import DatasetError

from fullpool.datasets import StageDataset, StageItem, StageProgress, StageProgressDataset
from fullpool.datasets.stage import fingerprint, plain_row


@dataclass(frozen=True)
class Row:
    step: int
    values: dict[str, float]


@dataclass(frozen=True)
class Step:
    number: int
    part: str = "teachers"
    rows: tuple[Row, ...] = (Row(1, {"elo": 2.0}),)

    def save(self, folder: Path) -> None:
        (folder / "number.txt").write_text(str(self.number))


def folder_of(tmp_path: Path) -> str:
    return str(tmp_path / "mycampaign" / "teachers")


def test_progress_is_empty_then_follows_the_generations(tmp_path: Path) -> None:
    path = folder_of(tmp_path)
    progress = StageProgressDataset(path=path)
    empty = progress.load()
    assert empty == StageProgress(Path(path))
    assert (empty.stage, empty.campaign) == ("teachers", "mycampaign")
    StageDataset(path=path).save(StageItem(Step(1), {"seed": 1}))
    after = progress.load()
    assert after.parameters == {"seed": 1}
    assert (after.latest["teachers"] / "number.txt").read_text() == "1"
    assert not after.finished
    assert after.rows[0]["values"] == {"elo": 2.0}


def test_output_is_loaded_only_from_a_finished_stage(tmp_path: Path) -> None:
    dataset = StageDataset(path=folder_of(tmp_path), num_kept=0)
    with pytest.raises(DatasetError, match="'teachers' of campaign 'mycampaign' is not there; run it first"):
        dataset.load()
    dataset.save(StageItem(Step(1), {"seed": 1}))
    assert not dataset.exists()
    with pytest.raises(DatasetError, match="not finished"):
        dataset.load()
    dataset.save(StageItem(Step(2), {"seed": 1}))
    dataset.save(StageItem(None, {"seed": 1}))
    assert dataset.exists()
    output = dataset.load()
    assert (output.folder / "number.txt").read_text() == "2"
    assert [folder.name for folder in output.folders] == ["teachers@000001", "teachers@000002"]
    assert output.fingerprint == fingerprint({"seed": 1}) != fingerprint({"seed": 2})


def test_a_stage_of_several_parts_has_no_single_folder(tmp_path: Path) -> None:
    dataset = StageDataset(path=folder_of(tmp_path))
    for item in (StageItem(Step(1, "g1"), {}), StageItem(Step(1, "g2"), {}), StageItem(None, {})):
        dataset.save(item)
    output = dataset.load()
    assert output.parts.keys() == {"g1", "g2"}
    with pytest.raises(ValueError, match="one part, got"):
        _ = output.folder


def test_progress_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match="read only"):
        StageProgressDataset(path=folder_of(tmp_path)).save(StageProgress(tmp_path))


def test_a_negative_number_of_kept_generations_is_refused() -> None:
    with pytest.raises(ValueError, match="num_kept must be 0"):
        StageDataset(path="x", num_kept=-1)


def test_figures_that_are_not_finite_are_left_out() -> None:
    row = plain_row(Row(3, {"good": 1, "bad": float("nan"), "worse": float("inf")}))
    assert row["values"] == {"good": 1.0}
    assert row["step"] == 3
