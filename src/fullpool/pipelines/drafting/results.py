"""Drafts and tournament results on disk, as the parts of the drafting stage keep them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from fullpool.curriculum.metrics import MetricsRow
from fullpool.drafting.files import Arrays, load_folder, save_folder
from fullpool.drafting.tournament import PairResult, result_table
from fullpool.drafting.value import DraftSamples

SAMPLES, RESULTS = "samples", "results"
TABLE, EXAMPLE = "tournament.csv", "example_draft.csv"
_SAMPLES_KIND, _RESULTS_KIND, _VERSION = "draft_samples", "draft_tournament", 1


def save_samples(folder: Path, samples: DraftSamples, num_chunks: int) -> None:
    """Writes all drafts so far.

    Args:
        folder: of the generation.
        samples: the drafts.
        num_chunks: chunks that they came in.
    """
    arrays: Arrays = {"histories": samples.histories, "values": samples.values}
    facts = {"kind": _SAMPLES_KIND, "format_version": _VERSION, "num_chunks": num_chunks}
    save_folder(folder / SAMPLES, arrays, facts)


def load_samples(folder: Path) -> tuple[DraftSamples, int]:
    """Reads what `save_samples` wrote: the drafts and the number of their chunks."""
    arrays, facts = load_folder(folder / SAMPLES, _SAMPLES_KIND, _VERSION)
    return DraftSamples(arrays["histories"], arrays["values"]), int(facts["num_chunks"])


def save_results(folder: Path, results: Sequence[PairResult]) -> None:
    """Writes the pairs that have been played so far."""
    arrays: Arrays = {}
    pairs: list[dict[str, Any]] = []
    for number, result in enumerate(results):
        arrays |= {f"{number}.predicted": result.predicted, f"{number}.lineups": result.lineups}
        if result.points is not None:
            arrays[f"{number}.points"] = result.points
        names = {"strategy": result.strategy, "opponent": result.opponent}
        pairs.append({**names, "seconds_per_step": list(result.seconds_per_step)})
    save_folder(folder / RESULTS, arrays, {"kind": _RESULTS_KIND, "format_version": _VERSION, "pairs": pairs})


def load_results(folder: Path) -> list[PairResult]:
    """Reads what `save_results` wrote."""
    arrays, facts = load_folder(folder / RESULTS, _RESULTS_KIND, _VERSION)
    return [_read_pair(arrays, number, pair) for number, pair in enumerate(facts["pairs"])]


def _read_pair(arrays: Arrays, number: int, pair: dict[str, Any]) -> PairResult:
    own, other = pair["seconds_per_step"]
    return PairResult(
        strategy=pair["strategy"],
        opponent=pair["opponent"],
        num_drafts=len(arrays[f"{number}.predicted"]),
        predicted=arrays[f"{number}.predicted"],
        points=arrays.get(f"{number}.points"),
        lineups=arrays[f"{number}.lineups"],
        seconds_per_step=(float(own), float(other)),
    )


def pair_figures(table: pd.DataFrame) -> tuple[dict[str, float], dict[str, float]]:
    """Figures of one pair, from its first strategy's side.

    Args:
        table: `tournament.result_table` of that pair.

    Returns:
        Win rates by the predictor and by games with their intervals; and both strategies' seconds a pick.
    """
    first, second = table.to_dict("records")
    pair = f"{first['strategy']}_vs_{first['opponent']}"
    found: dict[str, float] = {}
    for kind in ("predicted", "played"):
        found |= {f"{kind}_{pair}{end}": float(first[f"{kind}{end}"]) for end in ("", "_low", "_high")}
    seconds = {
        f"seconds_per_pick_{row['strategy']}": float(row["seconds_per_step"]) for row in (first, second)
    }
    return found, seconds


@dataclass(frozen=True, eq=False)
class Played:
    """The tournament as far as it has been played.

    Attributes:
        results: pairs in their order.
        example: one draft, step by step.
        confidence: of the intervals.
    """

    results: tuple[PairResult, ...]
    example: pd.DataFrame
    confidence: float

    def last_rows(self) -> tuple[MetricsRow, MetricsRow]:
        """Figures of the last pair.

        A pair's win rates have no curve: they stand at step 0, where MLflow draws bars that compare runs.
        """
        win_rates, seconds = pair_figures(result_table(self.results[-1:], confidence=self.confidence))
        return MetricsRow(0, win_rates), MetricsRow(len(self.results), seconds)

    def save(self, folder: Path) -> None:
        """Writes results, table and example into an existing folder."""
        save_results(folder, self.results)
        table = result_table(self.results, confidence=self.confidence)
        table.to_csv(folder / TABLE, index=False)
        self.example.to_csv(folder / EXAMPLE, index=False)
