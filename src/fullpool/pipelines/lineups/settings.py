"""Settings of the user's match records."""

from __future__ import annotations

from pydantic import Field

from fullpool.strict import Settings

Names = str | tuple[str, ...] | None


class RecordsSettings(Settings):
    """Match records that the line-up model is fitted on; values live in conf/base/parameters_lineups.yml."""

    path: str | None = Field(
        description="CSV or parquet file of matches, or a folder of parquet files; null: bots play some"
    )
    columns: dict[str, Names] = Field(
        description="names of its columns by what they hold; explained at drafting.records.RecordColumns"
    )
    max_rejected: float = Field(
        ge=0, lt=1, description="share of its rows that may be unusable; they are listed, more is an error"
    )
