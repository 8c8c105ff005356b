"""What the finished drafting stage shows."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from fullpool.pipelines.drafting.results import EXAMPLE, TABLE
from fullpool.pipelines.drafting.work import TOURNAMENT, VALUE
from fullpool.pipelines.stages import read_table
from fullpool.pipelines.tracking import current


def report(parts: Mapping[str, Path]) -> None:
    """Logs the draft table as figure and file, an example, and the value network."""
    from fullpool.reports.drafting import tournament_figure

    tracker, folder = current(), parts[TOURNAMENT]
    tracker.figure(TOURNAMENT, tournament_figure(read_table(folder / TABLE)))
    tracker.artifact(folder / TABLE)
    tracker.artifact(folder / EXAMPLE)
    tracker.artifact(parts[VALUE] / VALUE)
