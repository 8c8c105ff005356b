from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from pydantic import ValidationError

from fullpool.drafting.records import AGENT_COLUMNS, RecordColumns, read_matches, split_matches
from fullpool.drafting.settings import MatchSplit

HEROES = ("Ash", "Birch", "Cedar", "Dogwood", "Elm")


def _agent_frame() -> pd.DataFrame:
    rows = [
        ("m0", ["Ash", "Birch"], ["Cedar", "Dogwood"], "team1"),
        ("m1", ["Ash", "Birch"], ["Cedar", "Ash"], "team2"),
        ("m2", ["Ash", "Birsh"], ["Cedar", "Dogwood"], "team2"),
        ("m3", ["Ash", None], ["Cedar", "Dogwood"], "team2"),
        ("m4", ["Ash"], ["Cedar", "Dogwood"], "team2"),
        ("m5", ["Elm", "Birch"], ["Cedar", "Dogwood"], "draw"),
        ("m0", ["Elm", "Birch"], ["Cedar", "Dogwood"], "team1"),
        ("m7", ["Elm", "Birch"], ["Cedar", "Dogwood"], "nobody"),
        ("m8", ["Elm", "Birch"], ["Ash", "Dogwood"], "team2"),
    ]
    return pd.DataFrame(rows, columns=["match_id", "team1_heroes", "team2_heroes", "winner"])


def test_bad_rows_are_listed_with_reasons_and_draws_are_counted() -> None:
    matches = read_matches(_agent_frame(), AGENT_COLUMNS, HEROES, 2)
    np.testing.assert_array_equal(matches.lineups, [[[0, 1], [2, 3]], [[4, 1], [0, 3]]])
    np.testing.assert_array_equal(matches.team1_win, [True, False])
    assert matches.num_draws == 1
    reasons = dict(zip(matches.rejects["row"], matches.rejects["reason"]))
    assert reasons == {
        1: "hero 'Ash' appears twice",
        2: "unknown hero 'Birsh'; did you mean 'Birch'?",
        3: "team 1 has a missing hero",
        4: "team 1 has 1 heroes, expected 2",
        6: "match_id 'm0' appears twice",
        7: "column 'winner' holds 'nobody', expected team1, team2 or draw",
    }


def test_one_column_a_player_with_ids_that_pandas_widened() -> None:
    frame = pd.DataFrame(
        {"a1": [1, 2], "a2": [2.0, np.nan], "b1": [3, 3], "b2": [4, 4], "won": [1, 0], "t": [7, 5]}
    )
    columns = RecordColumns(
        team1_heroes=("a1", "a2"), team2_heroes=("b1", "b2"), team1_win="won", start_time="t"
    )
    matches = read_matches(frame, columns, [str(i) for i in range(5)], 2)
    np.testing.assert_array_equal(matches.lineups, [[[1, 2], [3, 4]]])
    np.testing.assert_array_equal(matches.start_time, [7.0])
    assert list(matches.rejects["reason"]) == ["team 1 has a missing hero"]


def test_text_with_commas_and_roles_are_read() -> None:
    frame = pd.DataFrame(
        {"x": ["Ash, Birch"], "y": ["Cedar,Elm"], "won": [True], "rx": ["top,mid"], "ry": ["mid,top"]}
    )
    columns = RecordColumns(
        team1_heroes="x", team2_heroes="y", team1_win="won", team1_roles="rx", team2_roles="ry"
    )
    matches = read_matches(frame, columns, HEROES, 2)
    assert matches.roles is not None
    assert matches.roles.tolist() == [[["top", "mid"], ["mid", "top"]]]
    with pytest.raises(ValueError, match="expected 2 roles a team"):
        read_matches(frame.assign(rx=["top"]), columns, HEROES, 2)


def test_a_missing_column_is_named_in_one_line() -> None:
    with pytest.raises(ValueError, match="no column 'winner'; did you mean 'winer'") as caught:
        read_matches(_agent_frame().rename(columns={"winner": "winer"}), AGENT_COLUMNS, HEROES, 2)
    assert "\n" not in str(caught.value)


def test_a_table_without_a_usable_match_is_refused_with_the_first_reason() -> None:
    with pytest.raises(
        ValueError, match="none of the 1 matches can be used; the first reason: row 0: hero 'Ash' appears"
    ):
        read_matches(_agent_frame().iloc[1:2], AGENT_COLUMNS, HEROES, 2)
    with pytest.raises(ValueError, match="the table is empty"):
        read_matches(_agent_frame().iloc[:0], AGENT_COLUMNS, HEROES, 2)


def test_results_come_from_exactly_one_column() -> None:
    with pytest.raises(ValidationError, match="exactly one"):
        RecordColumns(team1_heroes="a", team2_heroes="b")
    with pytest.raises(ValidationError, match="exactly one"):
        RecordColumns(team1_heroes="a", team2_heroes="b", team1_win="c", winner="d")
    with pytest.raises(ValidationError, match="roles of both teams or of none"):
        RecordColumns(team1_heroes="a", team2_heroes="b", team1_win="c", team1_roles="d")


def test_splits_part_all_rows_and_time_keeps_the_last_for_the_test() -> None:
    count = 20
    lists = [["Ash", "Birch"]] * count, [["Cedar", "Elm"]] * count
    frame = pd.DataFrame({"x": lists[0], "y": lists[1], "won": [1] * count, "t": np.arange(count)[::-1]})
    columns = RecordColumns(team1_heroes="x", team2_heroes="y", team1_win="won", start_time="t")
    matches = read_matches(frame, columns, HEROES, 2)
    for order in ("random", "time"):
        split = MatchSplit(order=order, validation=0.2, test=0.25)
        parts = split_matches(matches, split, np.random.default_rng(0))
        assert [len(p) for p in parts] == [11, 4, 5]
        assert sorted(np.concatenate(parts).tolist()) == list(range(count))
    assert sorted(parts[2].tolist()) == [0, 1, 2, 3, 4]
    without = read_matches(frame, columns.model_copy(update={"start_time": None}), HEROES, 2)
    with pytest.raises(ValueError, match="needs the column start_time"):
        split_matches(without, split, np.random.default_rng(0))
    with pytest.raises(ValueError, match="too few"):
        split_matches(
            matches, MatchSplit(order="random", validation=0.01, test=0.2), np.random.default_rng(0)
        )
    with pytest.raises(ValidationError, match="sum is below 1"):
        MatchSplit(order="random", validation=0.5, test=0.5)
    with pytest.raises(ValidationError, match="got 'date'"):
        MatchSplit(order="date", validation=0.5, test=0.1)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (["2024-01-01 10:00", "2024-01-01 11:00"], 3600.0),
        ([pd.Timestamp("2024-01-01"), pd.Timestamp("2024-01-02")], 86400.0),
        (["7", 9.5], 2.5),
    ],
)
def test_times_are_numbers_or_dates(values: list[Any], expected: float) -> None:
    frame = pd.DataFrame(
        {"x": ["ash,bex", "bex,ash"], "y": ["cor,dun", "dun,cor"], "won": [1, 0], "t": values}
    )
    columns = RecordColumns(team1_heroes="x", team2_heroes="y", team1_win="won", start_time="t")
    found = read_matches(frame, columns, ("ash", "bex", "cor", "dun"), 2).start_time
    assert found is not None
    assert found[1] - found[0] == pytest.approx(expected)


@pytest.mark.parametrize("value", ["soon", None, [1, 2], float("inf")])
def test_a_time_that_is_none_names_row_and_column(value: Any) -> None:
    frame = pd.DataFrame({"x": ["ash,bex", "bex,ash"], "y": ["cor,dun", "dun,cor"], "won": [1, 0]})
    frame["t"] = pd.Series([1, value], dtype=object)
    columns = RecordColumns(team1_heroes="x", team2_heroes="y", team1_win="won", start_time="t")
    with pytest.raises(ValueError, match=r"row 1: column 't' holds .*expected a number or a date"):
        read_matches(frame, columns, ("ash", "bex", "cor", "dun"), 2)


def test_a_match_id_that_is_a_list_and_sides_without_columns_are_refused() -> None:
    frame = pd.DataFrame({"x": ["ash,bex"] * 2, "y": ["cor,dun"] * 2, "won": [1, 0], "id": [[1], 2]})
    columns = RecordColumns(team1_heroes="x", team2_heroes="y", team1_win="won", match_id="id")
    rejects = read_matches(frame, columns, ("ash", "bex", "cor", "dun"), 2).rejects
    assert rejects["reason"].tolist() == ["column 'id' holds [1], expected a number or a text"]
    with pytest.raises(ValidationError, match="each need a column"):
        RecordColumns(team1_heroes=(), team2_heroes="y", team1_win="won")
