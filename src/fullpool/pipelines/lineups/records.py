"""Around the line-up stage: a user's own match records in, figures out."""

from __future__ import annotations

import hashlib
import logging
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fullpool.pipelines.lineups.settings import RecordsSettings

if TYPE_CHECKING:
    import pandas as pd

    from fullpool.curriculum.lineups import LineupPlan
    from fullpool.curriculum.metrics import MetricsRow
    from fullpool.drafting.records import MatchTable, RecordColumns
    from fullpool.games.contract import GameSpec

logger = logging.getLogger(__name__)


def origin_of(settings: RecordsSettings) -> dict[str, Any]:
    """What the records add to the stage's parameters: nothing without a file, else its columns and a hash of it.

    Raises:
        FileNotFoundError: if the file or folder is not there.
    """
    if settings.path is None:
        return {}
    path = Path(settings.path)
    if not path.exists():
        raise FileNotFoundError(
            f"records.path {settings.path!r}: no such file or folder (seen from {Path.cwd()}); "
            "give a CSV or parquet file of matches, or null to let bots play some"
        )
    digest = hashlib.sha256()
    for file in _files(path):
        digest.update(file.read_bytes())
    return {"records": settings, "records_sha256": digest.hexdigest()}


def read_records(settings: RecordsSettings, spec: GameSpec) -> MatchTable | None:
    """Reads and checks the user's match table.

    Args:
        settings: where it lies and what its columns are called.
        spec: the game, whose heroes they must be.

    Returns:
        The checked matches; None if no table is given.

    Raises:
        ValueError: if the file cannot be read, a column is missing, or more rows are unusable than may be.
    """
    if settings.path is None:
        return None
    from fullpool.drafting.records import read_matches

    columns = _columns(settings)
    try:
        table = read_matches(_read(Path(settings.path)), columns, spec.heroes, spec.team_size)
    except ValueError as error:
        raise ValueError(f"records.path {settings.path!r}: {error}") from error
    _check_rejects(table, settings)
    logger.info(
        "records: %d of %s can be used, %d draws left out, %d rejected",
        len(table),
        settings.path,
        table.num_draws,
        len(table.rejects),
    )
    if len(table.rejects):
        first = table.rejects.iloc[0]
        logger.warning(
            "records: row %s was rejected: %s; all of them with reasons: rejects.csv in the stage's folder",
            first["row"],
            first["reason"],
        )
    return table


def _columns(settings: RecordsSettings) -> RecordColumns:
    from pydantic import ValidationError

    from fullpool.drafting.records import RecordColumns
    from fullpool.pipelines.settings_errors import settings_line

    try:
        return RecordColumns.model_validate(settings.columns)
    except ValidationError as error:
        raise ValueError(settings_line(error, "params:records.columns")) from error


def _check_rejects(table: MatchTable, settings: RecordsSettings) -> None:
    """Refuses a table of which too many rows are unusable, naming the first."""
    rejected = len(table.rejects)
    total = rejected + len(table) + table.num_draws
    if rejected > settings.max_rejected * total:
        first = table.rejects.iloc[0]
        raise ValueError(
            f"records.path {settings.path!r}: row {first['row']} (the first is 0): {first['reason']}; {rejected} of "
            f"{total} rows cannot be used, params:records.max_rejected allows a share of {settings.max_rejected:g}; "
            "mend the table or allow more"
        )


def figures(plan: LineupPlan) -> tuple[MetricsRow]:
    """Figures of the chosen line-ups: how even the model and the matches find each group."""
    from fullpool.curriculum.metrics import MetricsRow

    values = {"records": float(plan.num_records), "games": float(plan.num_games)}
    for group in plan.groups:
        values |= {f"win_rate_{group.name}": group.win_rate, f"predicted_{group.name}": group.predicted}
    return (MetricsRow(0, values),)


def _files(path: Path) -> list[Path]:
    return sorted(path.rglob("*.parquet")) if path.is_dir() else [path]


def _read(path: Path) -> pd.DataFrame:
    import pandas as pd

    try:
        if path.is_dir():
            return pd.concat([pd.read_parquet(file) for file in _files(path)], ignore_index=True)
        return pd.read_parquet(path) if path.suffix == ".parquet" else pd.read_csv(path)
    except (ValueError, OSError) as error:
        raise ValueError(f"it cannot be read as CSV or parquet: {error}") from None
