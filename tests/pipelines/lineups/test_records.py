"""A user's match table: read, checked, hashed, refused."""

from __future__ import annotations

import logging
import re
from pathlib import Path

import pandas as pd
import pytest

from fullpool.curriculum import testing
from fullpool.curriculum.lineups import LineupPlan
from fullpool.pipelines.lineups.records import figures, origin_of, read_records
from fullpool.pipelines.lineups.settings import RecordsSettings

COLUMNS = {"team1_heroes": ("a1", "a2"), "team2_heroes": ("b1", "b2"), "team1_win": "won"}
ROWS = [
    ("hero0", "hero1", "hero2", "hero3", 1),
    ("hero4", "hero5", "hero6", "hero7", 0),
    ("hero0", "hero0", "hero2", "hero3", 1),
    ("hero0", "hero1", "hero2", "heroo3", 1),
]


@pytest.fixture
def frame() -> pd.DataFrame:
    return pd.DataFrame(ROWS, columns=["a1", "a2", "b1", "b2", "won"])


def settings(path: Path | None, max_rejected: float = 0.5, **columns: str) -> RecordsSettings:
    values = {"path": None if path is None else str(path), "columns": {**COLUMNS, **columns}}
    return RecordsSettings.model_validate(values | {"max_rejected": max_rejected})


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_usable_rows_come_and_the_others_are_told_with_reasons(
    frame: pd.DataFrame, tmp_path: Path, ending: str, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / f"own.{ending}"
    frame.to_csv(path, index=False) if ending == "csv" else frame.to_parquet(path)
    with caplog.at_level(logging.INFO):
        table = read_records(settings(path), testing.SPEC)
    assert table is not None
    assert table.lineups.tolist() == [[[0, 1], [2, 3]], [[4, 5], [6, 7]]]
    assert table.team1_win.tolist() == [True, False]
    assert list(table.rejects["row"]) == [2, 3]
    assert "2 of" in caplog.text
    assert "'hero0' appears twice" in caplog.text
    assert "rejects.csv" in caplog.text


def test_a_folder_of_parquet_files_is_one_table(frame: pd.DataFrame, tmp_path: Path) -> None:
    for number in (1, 2):
        (tmp_path / f"matches@{number}").mkdir()
        frame.to_parquet(tmp_path / f"matches@{number}" / "matches.parquet")
    table = read_records(settings(tmp_path), testing.SPEC)
    assert table is not None
    assert len(table) == 4


def test_without_a_path_nothing_changes() -> None:
    assert read_records(settings(None), testing.SPEC) is None
    assert origin_of(settings(None)) == {}


def test_another_content_is_another_origin(frame: pd.DataFrame, tmp_path: Path) -> None:
    path = tmp_path / "own.csv"
    frame.to_csv(path, index=False)
    before = origin_of(settings(path))
    assert origin_of(settings(path)) == before
    frame.iloc[1:].to_csv(path, index=False)
    assert origin_of(settings(path))["records_sha256"] != before["records_sha256"]


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([0, 1, 2], "row 2 (the first is 0): hero 'hero0' appears twice; 1 of 3 rows cannot be used"),
        ([0, 1, 3], "row 2 (the first is 0): unknown hero 'heroo3'; did you mean 'hero3'"),
        ([2, 3], "none of the 2 matches can be used; the first reason: row 0: hero 'hero0' appears twice"),
    ],
)
def test_a_bad_row_is_an_error_unless_it_is_allowed(
    frame: pd.DataFrame, tmp_path: Path, rows: list[int], said: str
) -> None:
    path = tmp_path / "own.csv"
    frame.iloc[rows].to_csv(path, index=False)
    with pytest.raises(ValueError, match=re.escape(said)) as caught:
        read_records(settings(path, max_rejected=0.0), testing.SPEC)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_bad_input_is_named(frame: pd.DataFrame, tmp_path: Path) -> None:
    path = tmp_path / "own.csv"
    with pytest.raises(FileNotFoundError, match=r"records\.path .*no such file"):
        origin_of(settings(path))
    frame.to_csv(path, index=False)
    with pytest.raises(ValueError, match="no column 'wonn'; did you mean 'won'"):
        read_records(settings(path, team1_win="wonn"), testing.SPEC)
    with pytest.raises(ValueError, match=r"params:records\.columns\.team1_wins: .* did you mean 'team1_win'"):
        read_records(settings(path, team1_wins="won"), testing.SPEC)
    bad = tmp_path / "own.parquet"
    bad.write_bytes(b"no parquet")
    with pytest.raises(ValueError, match="cannot be read as CSV or parquet"):
        read_records(settings(bad), testing.SPEC)


def test_the_figures_say_how_even_each_group_is() -> None:
    (row,) = figures(LineupPlan(tuple(testing.make_groups()), 200, True, 90))
    expected = {"records": 200.0, "games": 90.0}
    groups = {f"{name}_{group}": 0.5 for group in ("g1", "g2") for name in ("win_rate", "predicted")}
    assert row.values == expected | groups
