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
    from fullpool.drafting.records import MatchTable
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
        ValueError: if the file cannot be read, a column is missing, or no row can be used.
    """
    if settings.path is None:
        return None
    from fullpool.drafting.records import RecordColumns, read_matches

    columns = RecordColumns.model_validate(settings.columns)
    table = read_matches(_read(Path(settings.path)), columns, spec.heroes, spec.team_size)
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
        raise ValueError(f"records.path {str(path)!r} cannot be read as CSV or parquet: {error}") from None
