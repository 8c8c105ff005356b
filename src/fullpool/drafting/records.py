"""Match records in: a table whose columns a small mapping names becomes checked arrays.

Rows that cannot be used are never dropped in silence: they come back in a rejects frame with the reason. Draws are no
error, but carry nothing for a win-rate model: they are left out and counted.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pydantic import model_validator

from fullpool.drafting.formats import closest
from fullpool.drafting.settings import MatchSplit
from fullpool.games.contract import Shorts
from fullpool.strict import Settings

TEAM1, TEAM2, DRAW = "team1", "team2", "draw"


class RecordColumns(Settings):
    """Names of the columns of a match table.

    Attributes:
        team1_heroes: one column that holds a list of names (or text with commas), or one column a player.
        team2_heroes: the same for the other team.
        team1_win: column of 0/1 or false/true; give this or `winner`.
        winner: column of `team1`, `team2` or `draw`.
        match_id: column that names a match; a repeated id is rejected.
        start_time: column to order matches by: numbers or dates.
        team1_roles: columns of the roles played, one a player or one with lists.
        team2_roles: the same for the other team.
    """

    team1_heroes: str | tuple[str, ...]
    team2_heroes: str | tuple[str, ...]
    team1_win: str | None = None
    winner: str | None = None
    match_id: str | None = None
    start_time: str | None = None
    team1_roles: str | tuple[str, ...] | None = None
    team2_roles: str | tuple[str, ...] | None = None

    @model_validator(mode="after")
    def _one_result(self) -> Self:
        if (self.team1_win is None) == (self.winner is None):
            raise ValueError("name exactly one of the columns team1_win (0/1) and winner (team1/team2/draw)")
        if not self.team1_heroes or not self.team2_heroes:
            raise ValueError("team1_heroes and team2_heroes each need a column, or one a player; got none")
        if (self.team1_roles is None) != (self.team2_roles is None):
            raise ValueError("name the roles of both teams or of none")
        return self

    def named(self) -> list[str]:
        """All column names, in order."""
        names: list[str] = []
        for value in self.model_dump().values():
            names += [value] if isinstance(value, str) else list(value or ())
        return names


AGENT_COLUMNS = RecordColumns(
    team1_heroes="team1_heroes", team2_heroes="team2_heroes", winner="winner", match_id="match_id"
)
"""Columns of the match table that the agent's own games are written to."""


@dataclass(frozen=True, eq=False)
class MatchTable:
    """Checked match records.

    Attributes:
        heroes: names of the pool; ids are indices into it.
        lineups: `[n, 2, P]` hero ids.
        team1_win: `[n]` bool.
        start_time: `[n]` or None.
        roles: `[n, 2, P]` role names or None.
        rejects: frame with `row`, `match_id`, `reason`; rows of the source that were not used.
        num_draws: draws that were left out.
    """

    heroes: tuple[str, ...]
    lineups: Shorts
    team1_win: NDArray[np.bool_]
    start_time: NDArray[np.float64] | None
    roles: NDArray[np.str_] | None
    rejects: pd.DataFrame
    num_draws: int

    def __len__(self) -> int:
        return len(self.lineups)


def _require_columns(frame: pd.DataFrame, columns: RecordColumns) -> None:
    for name in columns.named():
        if name not in frame.columns:
            found = [str(c) for c in frame.columns]
            raise ValueError(f"the match table has no column {name!r}; {closest(name, found)}")


def _text(value: Any) -> str:
    """A cell as a hero's name; empty if missing. Whole floats are ids that pandas widened."""
    if value is None or (isinstance(value, float) and np.isnan(value)) or value is pd.NA:
        return ""
    if isinstance(value, float | np.floating) and float(value).is_integer():
        return str(int(value))
    return str(value).strip()


def _team_cells(frame: pd.DataFrame, columns: str | tuple[str, ...]) -> list[list[str]]:
    """The names of a team, one list a row."""
    if not isinstance(columns, str):
        rows = zip(*(frame[name].tolist() for name in columns))
        return [[_text(value) for value in row] for row in rows]
    cells = []
    for value in frame[columns].tolist():
        if isinstance(value, str):
            value = value.split(",")
        if not isinstance(value, Sequence | np.ndarray):
            value = []
        cells.append([_text(item) for item in value])
    return cells


def _row_problem(teams: list[list[str]], ids: Mapping[str, int], team_size: int) -> str:
    """Why a row cannot be used; empty if it can."""
    for number, team in enumerate(teams, 1):
        if len(team) != team_size:
            return f"team {number} has {len(team)} heroes, expected {team_size}"
        for name in team:
            if not name:
                return f"team {number} has a missing hero"
            if name not in ids:
                return f"unknown hero {name!r}; {closest(name, ids) if len(ids) < 500 else ''}".rstrip("; ")
    names = teams[0] + teams[1]
    twice = next((name for name in names if names.count(name) > 1), None)
    return f"hero {twice!r} appears twice" if twice else ""


def _result(value: Any, is_winner: bool) -> str:
    """`team1`, `team2`, `draw`, or empty if the cell says none of them."""
    text = _text(value).lower()
    if is_winner:
        return text if text in (TEAM1, TEAM2, DRAW) else ""
    return {"1": TEAM1, "true": TEAM1, "0": TEAM2, "false": TEAM2, "0.5": DRAW}.get(text, "")


def read_matches(
    frame: pd.DataFrame, columns: RecordColumns, heroes: Sequence[str], team_size: int
) -> MatchTable:
    """Checks a match table.

    Args:
        frame: one match a row.
        columns: names of its columns.
        heroes: names (or ids as text) of the pool.
        team_size: heroes a team, P.

    Returns:
        The usable matches as arrays, and the rejected rows with reasons.

    Raises:
        ValueError: if a column is missing (it is named) or no row can be used (the first reason is given).
    """
    _require_columns(frame, columns)
    ids = {str(name): index for index, name in enumerate(heroes)}
    sides = (_team_cells(frame, columns.team1_heroes), _team_cells(frame, columns.team2_heroes))
    result_column = columns.winner or columns.team1_win
    results = frame[result_column].tolist()
    match_ids = frame[columns.match_id].tolist() if columns.match_id else [None] * len(frame)
    kept, lineups, wins, rejects, seen, num_draws = [], [], [], [], set(), 0
    for row, (team1, team2, value, match_id) in enumerate(zip(*sides, results, match_ids)):
        result = _result(value, columns.winner is not None)
        problem = _row_problem([team1, team2], ids, team_size)
        if not problem and not result:
            allowed = f"{TEAM1}, {TEAM2} or {DRAW}" if columns.winner else "1 or 0 (0.5: a draw)"
            problem = f"column {result_column!r} holds {value!r}, expected {allowed}"
        if not problem and not isinstance(match_id, Hashable):
            problem = f"column {columns.match_id!r} holds {match_id!r}, expected a number or a text"
        if not problem and match_id is not None and match_id in seen:
            problem = f"match_id {match_id!r} appears twice"
        if problem:
            rejects.append((row, match_id, problem))
            continue
        seen.add(match_id)
        if result == DRAW:
            num_draws += 1
            continue
        kept.append(row)
        lineups.append([[ids[name] for name in team1], [ids[name] for name in team2]])
        wins.append(result == TEAM1)
    if not kept:
        why = "all are draws" if num_draws else "the table is empty"
        if rejects:
            why = f"row {rejects[0][0]}: {rejects[0][2]}"
        raise ValueError(f"none of the {len(frame)} matches can be used; the first reason: {why}")
    return MatchTable(
        heroes=tuple(str(name) for name in heroes),
        lineups=np.asarray(lineups, np.int16),
        team1_win=np.asarray(wins, bool),
        start_time=_start_times(frame, columns, kept),
        roles=_roles(frame, columns, kept, team_size),
        rejects=pd.DataFrame(rejects, columns=["row", "match_id", "reason"]),
        num_draws=num_draws,
    )


def _start_times(frame: pd.DataFrame, columns: RecordColumns, kept: list[int]) -> NDArray[np.float64] | None:
    if columns.start_time is None:
        return None
    values = frame[columns.start_time].iloc[kept].tolist()
    return np.asarray(
        [_seconds(value, columns.start_time, row) for row, value in zip(kept, values)], np.float64
    )


def _seconds(value: Any, column: str, row: int) -> float:
    """Reads a time: a number, a date in ISO form, or a date of pandas."""
    for read in (float, lambda date: pd.Timestamp(date).timestamp()):
        try:
            seconds = float(read(value))
        except (ValueError, TypeError):
            continue
        if np.isfinite(seconds):
            return seconds
    raise ValueError(
        f"row {row}: column {column!r} holds {value!r}, expected a number or a date such as 2024-01-31 18:00; "
        "mend it, or leave start_time away"
    )


def _roles(
    frame: pd.DataFrame, columns: RecordColumns, kept: list[int], team_size: int
) -> NDArray[np.str_] | None:
    if columns.team1_roles is None or columns.team2_roles is None:
        return None
    part = frame.iloc[kept]
    teams = [_team_cells(part, names) for names in (columns.team1_roles, columns.team2_roles)]
    for row, pair in zip(kept, zip(*teams)):
        if any(len(team) != team_size for team in pair):
            raise ValueError(
                f"row {row}: expected {team_size} roles a team, got {[len(team) for team in pair]}"
            )
    return np.asarray(teams, np.str_).transpose(1, 0, 2)


def split_matches(
    matches: MatchTable, split: MatchSplit, generator: np.random.Generator
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Parts matches into training, validation and test.

    Returns:
        Row indices of the three parts.

    Raises:
        ValueError: if times are asked for and the table has none, or a part would be empty.
    """
    check_order(split, has_times=matches.start_time is not None)
    num_train, num_validation, _ = split_sizes(len(matches), split)
    if matches.start_time is not None and split.order == "time":
        order = np.argsort(matches.start_time, kind="stable")
    else:
        order = generator.permutation(len(matches))
    return (
        order[:num_train],
        order[num_train : num_train + num_validation],
        order[num_train + num_validation :],
    )


def check_order(split: MatchSplit, *, has_times: bool) -> None:
    """Refuses a split by time of matches without times.

    Raises:
        ValueError: saying what to do.
    """
    if split.order == "time" and not has_times:
        raise ValueError("a split by time needs the column start_time; name it or split at random")


def split_sizes(count: int, split: MatchSplit) -> tuple[int, int, int]:
    """Counts the matches of the parts.

    Args:
        count: matches in all.
        split: shares of the parts.

    Returns:
        Matches for training, validation and test.

    Raises:
        ValueError: if one of them would be empty.
    """
    num_test, num_validation = round(count * split.test), round(count * split.validation)
    sizes = (count - num_test - num_validation, num_validation, num_test)
    if min(sizes) < 1:
        raise ValueError(
            f"{count} matches are too few to be parted into training, validation and test, which would get {sizes[0]}, "
            f"{sizes[1]} and {sizes[2]}"
        )
    return sizes
