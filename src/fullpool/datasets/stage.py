"""What a stage yields, and the two Kedro datasets over its folder.

A stage's node yields `StageItem`s, which `StageDataset` appends one by one; it learns how far it has come from the
`StageProgress` that `StageProgressDataset` loads from the same folder at the node's start.
"""

from __future__ import annotations

import hashlib
import json
import logging
import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from kedro.io import AbstractDataset

from fullpool.datasets import folder as stage_folder

logger = logging.getLogger(__name__)


class MetricsRow(Protocol):
    """Figures of one step of a stage."""

    @property
    def step(self) -> int:
        """Where on the x axis the figures belong, such as agent-steps."""

    @property
    def values(self) -> Mapping[str, float]:
        """Figures by name; a name has no slash."""


class Generation(Protocol):
    """What a stage's loop yields: a consistent state of a part, from which that part can go on."""

    @property
    def part(self) -> str:
        """Name of the part: a teacher's group; a stage without parts has one of its own name."""

    @property
    def number(self) -> int:
        """Number that grows within the part."""

    @property
    def rows(self) -> Sequence[MetricsRow]:
        """Metrics since the part's generation before."""

    def save(self, folder: Path) -> None:
        """Writes everything that a later start or a later stage needs into an empty folder."""


@dataclass(frozen=True)
class StageItem:
    """What a stage's node yields.

    Attributes:
        generation: a generation to append; None: the stage has come to its end.
        parameters: settings that made it, flattened to dotted names.
    """

    generation: Generation | None
    parameters: Mapping[str, Any]


@dataclass(frozen=True)
class StageProgress:
    """How far a stage has come.

    Attributes:
        folder: the stage's folder: `.../<campaign>/<stage>`.
        parameters: settings that made what is there; None: nothing is there.
        latest: folder of each part's last committed generation.
        rows: metrics rows so far, each with `step`, `time` and `values`.
        finished: whether the stage has come to its end.
    """

    folder: Path
    parameters: Mapping[str, Any] | None = None
    latest: Mapping[str, Path] = field(default_factory=dict)
    rows: tuple[Mapping[str, Any], ...] = ()
    finished: bool = False

    @property
    def stage(self) -> str:
        """Name of the stage."""
        return self.folder.name

    @property
    def campaign(self) -> str:
        """Name of the campaign."""
        return self.folder.parent.name


@dataclass(frozen=True)
class StageOutput:
    """What a finished stage hands to the next.

    Attributes:
        parts: folder of each part's last generation.
        folders: folders of all generations that were kept, oldest first.
        rows: all its metrics rows.
        fingerprint: hash of the settings that made it; part of the next stage's parameters.
    """

    parts: Mapping[str, Path]
    folders: tuple[Path, ...]
    rows: tuple[Mapping[str, Any], ...]
    fingerprint: str

    @property
    def folder(self) -> Path:
        """Folder of the last generation of a stage with one part.

        Raises:
            ValueError: if it has several.
        """
        if len(self.parts) != 1:
            raise ValueError(f"expected a stage with one part, got {sorted(self.parts)}")
        return next(iter(self.parts.values()))


class StageProgressDataset(AbstractDataset[StageProgress, StageProgress]):
    """Loads how far a stage has come; an absent folder is an empty progress."""

    def __init__(self, *, path: str, metadata: dict[str, Any] | None = None) -> None:
        """Takes the stage's folder.

        Args:
            path: folder of the stage; its name is the stage's, its parent's the campaign's.
            metadata: free notes of the catalog.
        """
        self._folder = Path(path)
        self.metadata = metadata

    def load(self) -> StageProgress:
        """Reads the committed state; warns if something of it is gone."""
        commit = stage_folder.read_commit(self._folder)
        if commit is None:
            return StageProgress(self._folder)
        latest = commit.latest()
        for part, number in stage_folder.lost_generations(self._folder):
            way = f"goes on from generation {latest[part]}" if part in latest else "starts anew"
            logger.warning("%s: generation %d of %r is gone; it %s", self._folder, number, part, way)
        return StageProgress(
            folder=self._folder,
            parameters=commit.parameters,
            latest=_latest(self._folder, commit),
            rows=tuple(stage_folder.read_rows(self._folder, commit)),
            finished=commit.finished,
        )

    def save(self, data: StageProgress) -> None:
        """Refuses: progress is what `StageDataset` committed."""
        raise ValueError(f"{self._folder}: progress is read only; a stage writes through StageDataset")

    def _describe(self) -> dict[str, Any]:
        return {"path": str(self._folder)}

    def _exists(self) -> bool:
        return True


class StageDataset(AbstractDataset[StageItem, StageOutput]):
    """Appends a stage's generations, and loads what the finished stage left."""

    def __init__(self, *, path: str, num_kept: int = 2, metadata: dict[str, Any] | None = None) -> None:
        """Takes the stage's folder.

        Args:
            path: folder of the stage.
            num_kept: generations of each part that stay on disk; 0 keeps all.
            metadata: free notes of the catalog.

        Raises:
            ValueError: if `num_kept` is negative.
        """
        if num_kept < 0:
            raise ValueError(f"num_kept must be 0 (all) or more, got {num_kept} ({path})")
        self._folder = Path(path)
        self._num_kept = num_kept
        self.metadata = metadata

    def save(self, data: StageItem) -> None:
        """Appends one generation, or ends the stage, and commits it."""
        generation = data.generation
        if generation is None:
            stage_folder.finish(self._folder, data.parameters)
            return
        stage_folder.append(
            self._folder,
            generation.part,
            generation.number,
            generation.save,
            [plain_row(row) for row in generation.rows],
            parameters=data.parameters,
            num_kept=self._num_kept,
        )

    def load(self) -> StageOutput:
        """Loads a finished stage's output.

        Raises:
            ValueError: if the stage is not finished.
        """
        commit = stage_folder.read_commit(self._folder)
        stage, campaign = self._folder.name, self._folder.parent.name
        if commit is None or not commit.finished:
            state = "not finished" if commit else "not there"
            raise ValueError(
                f"stage {stage!r} of campaign {campaign!r} is {state}; run it first, in the environment that the "
                "campaign is made in"
            )
        return StageOutput(
            parts=_latest(self._folder, commit),
            folders=tuple(stage_folder.generation_folder(self._folder, *one) for one in commit.generations),
            rows=tuple(stage_folder.read_rows(self._folder, commit)),
            fingerprint=fingerprint(commit.parameters),
        )

    def _describe(self) -> dict[str, Any]:
        return {"path": str(self._folder), "num_kept": self._num_kept}

    def _exists(self) -> bool:
        commit = stage_folder.read_commit(self._folder)
        return commit is not None and commit.finished


def _latest(folder: Path, commit: stage_folder.Commit) -> dict[str, Path]:
    return {p: stage_folder.generation_folder(folder, p, number) for p, number in commit.latest().items()}


def plain_row(row: MetricsRow) -> dict[str, Any]:
    """Turns a metrics row into what JSON can hold; figures that are not finite are left out."""
    values = {name: float(value) for name, value in row.values.items()}
    finite = {name: value for name, value in values.items() if math.isfinite(value)}
    return {"step": int(row.step), "time": time.time(), "values": finite}


def fingerprint(parameters: Mapping[str, Any]) -> str:
    """Hashes flattened settings."""
    text = json.dumps(dict(parameters), sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]
