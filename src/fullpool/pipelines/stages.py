"""The stages of a campaign, and how each goes on where it was.

A stage's node is a generator function with one output, and reads

    def teachers(lineups: StageOutput, progress: StageProgress, seed: int, settings: TeachersSettings
                 ) -> Iterator[StageItem]:
        made_by = {"lineups": lineups.fingerprint, "seed": seed, "teachers": settings}
        yield from stages.run(progress, made_by, lambda latest: train_teachers(..., resume_from=latest))
"""

from __future__ import annotations

import errno
import logging
import os
import re
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from fullpool.datasets import Generation, MetricsRow, StageItem, StageProgress
from fullpool.datasets.folder import generation_folder
from fullpool.games.raised import raised_line
from fullpool.learning.damage import Damaged
from fullpool.pipelines import tracking
from fullpool.pipelines.parameters import differences, flatten
from fullpool.pipelines.progress import Goal, Reporter, title
from fullpool.pipelines.stopping import StopRequested

if TYPE_CHECKING:
    import pandas as pd

logger = logging.getLogger(__name__)

STAGES = ("lineups", "teachers", "student", "merged", "matches", "winrate", "drafting", "evaluation")
"""Stages of the pipeline `cspl`, in the order of the data."""

RESULT = "result"
"""Part of a stage that is done in one go."""

Loop = Callable[[Mapping[str, Path]], Iterator[Generation]]
"""Starts a stage's work; takes the folder of each part's generation to go on from, none for a fresh start."""

Report = Callable[[Mapping[str, Path]], None]
"""Logs figures and artifacts of a stage that is at its end; takes the folder of each part's last generation."""

_CAMPAIGN = re.compile(r"[a-z0-9][a-z0-9_.-]{0,63}")


class ParametersChanged(ValueError):
    """A stage is asked to go on with other settings than it was made with."""


@runtime_checkable
class Judged(Protocol):
    """A generation that knows whether its part has ended, and why."""

    @property
    def done(self) -> bool:
        """Whether its part has ended."""

    @property
    def verdict(self) -> str:
        """What the convergence rule said last, in words."""


def built() -> tuple[str, ...]:
    """Names the stages of `cspl` that exist in this version."""
    return tuple(stage for stage in STAGES if find_spec(f"fullpool.pipelines.{stage}") is not None)


def check_campaign(name: object) -> str:
    """Checks a campaign's name, which becomes a folder.

    Raises:
        ValueError: if the name is no plain lower-case word.
    """
    if not isinstance(name, str) or not _CAMPAIGN.fullmatch(name):
        raise ValueError(
            "a campaign's name starts with a lower-case letter or a digit and goes on with those, '_', '-' or '.', "
            f"at most 64 in all; got {name!r} (--params campaign=name)"
        )
    return name


def run(
    progress: StageProgress,
    made_by: Mapping[str, Any],
    loop: Loop,
    *,
    paused: Callable[[], bool] = lambda: False,
    goal: Goal | None = None,
    task: str = "",
    report: Report = lambda parts: None,
) -> Iterator[StageItem]:
    """Runs a stage from where it is; yields nothing if it is finished.

    Args:
        progress: how far the stage has come.
        made_by: everything that decides the stage's result: settings, seed, fingerprints of its inputs.
        loop: starts the stage's work.
        paused: whether the loop ended only for now; what the loop itself asks between generations.
        goal: what the work amounts to, for the lines of progress.
        task: what the work is, where the goal says too little.
        report: logs figures and artifacts once the work is done; again in a run that does not have its figures.

    Yields:
        Each generation, to be saved as it comes, and the end.

    Raises:
        ParametersChanged: if what is there was made with other parameters.
        StopRequested: if the loop paused before the stage's end.
        PermissionError: if the stage's folder cannot be written.
    """
    parameters = flatten(made_by)
    _check_parameters(progress, parameters)
    missing = tracking.current().catch_up(progress.rows)
    if missing:
        logger.info("%s: logged %d figures that the run did not have", progress.stage, missing)
    if progress.finished:
        where = _from_here(progress.folder)
        logger.info("%s: finished before with the same parameters (%s)", title(progress.stage), where)
        if missing:
            report(progress.latest)
        return
    _check_writable(progress.folder)
    tracking.current().start()
    if progress.latest:
        names = ", ".join(folder.name for folder in progress.latest.values())
        logger.info("%s: goes on from %s", progress.stage, names)
    parts = dict(progress.latest)
    with Reporter(progress.stage, goal, progress.rows) as reporter:
        logger.info("%s", reporter.opening(task))
        for generation in _without_exit(loop(progress.latest)):
            reporter.take(generation.rows)
            yield StageItem(generation, parameters)
            parts[generation.part] = generation_folder(progress.folder, generation.part, generation.number)
            if isinstance(generation, Judged) and generation.done:
                logger.info("%s ended: %s", _named(progress.stage, generation.part), generation.verdict)
    if paused():
        raise StopRequested(f"{progress.stage} paused before its end")
    report(parts)
    yield StageItem(None, parameters)
    logger.info("%s", reporter.closing())


def _check_writable(folder: Path) -> None:
    """Asks before the work what else its first save would find out."""
    place = next(p for p in (folder, *folder.parents) if p.exists())
    if not os.access(place, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(place))


def _without_exit(generations: Iterator[Generation]) -> Iterator[Generation]:
    """Makes an error of `sys.exit` in a user's game: the process would end as if all were well."""
    try:
        yield from generations
    except SystemExit as error:
        raise ValueError(
            f"the game {raised_line(error)}: a game says its end by what `step` returns"
        ) from error


def _named(stage: str, part: str) -> str:
    """Names a part of a stage; the only part of one is named after it."""
    return stage if part == stage else f"{stage} {part}"


def _check_parameters(progress: StageProgress, parameters: Mapping[str, Any]) -> None:
    if progress.parameters is None:
        return
    changed = differences(progress.parameters, parameters)
    if changed:
        raise ParametersChanged(
            f"{progress.stage} of campaign {progress.campaign!r} was made with other parameters: "
            f"{'; '.join(changed)}. Put them back; or delete what is to be made anew, and start again: "
            f"{_deletion(progress.folder)}; or start a new campaign: --params campaign=name (make: CAMPAIGN=name)"
        )


def _deletion(folder: Path) -> str:
    """The command that deletes a stage, and all that were made from it."""
    later = [folder.parent / stage for stage in following(folder.name)]
    return shlex.join(["rm", "-r", *(_from_here(p) for p in (folder, *later) if p == folder or p.is_dir())])


def following(stage: str) -> tuple[str, ...]:
    """Names the stages that are made from what a stage makes, in the order of the project's pipelines."""
    from kedro.framework.project import pipelines
    from kedro.pipeline import Pipeline

    whole = sum(pipelines.values(), Pipeline([]))
    names = [node.name for node in whole.nodes]
    # A node is named after its stage, as `winrate` or `winrate.report`.
    own = [name for name in names if name.partition(".")[0] == stage]
    found = [node.name.partition(".")[0] for node in whole.from_nodes(*own).nodes] if own else []
    return tuple(dict.fromkeys(name for name in found if name != stage))


def _from_here(path: Path) -> str:
    """A path as one types it: without the working directory, where it lies in it."""
    here = Path(os.path.relpath(path))
    return str(path if here.is_relative_to("..") else here)


@dataclass(frozen=True)
class Result:
    """The only generation of a stage that is done in one go.

    Attributes:
        save: writes the result into an empty folder.
        rows: its figures.
    """

    save: Callable[[Path], None]
    rows: Sequence[MetricsRow] = ()
    part: str = RESULT
    number: int = 1


def log_policy(parts: Mapping[str, Path]) -> None:
    """Logs the trained agent of a stage with one part: weights and what they fit to."""
    for folder in parts.values():
        tracking.current().artifact(folder / "policy")


def log_policies(parts: Mapping[str, Path]) -> None:
    """Logs the trained agents of a stage with several parts, each in a folder of its part's name."""
    for part, folder in parts.items():
        tracking.current().artifact(folder / "policy", f"{part}/policy")


def number_of(folder: Path | None) -> int:
    """Number of the generation that lies in a folder; 0 for none."""
    return int(folder.name.rpartition("@")[2]) if folder is not None else 0


def read_table(path: Path) -> pd.DataFrame:
    """Reads a CSV table that a stage has written.

    Raises:
        Damaged: if it is missing or no table.
    """
    import pandas as pd

    try:
        return pd.read_csv(path)
    except (OSError, ValueError) as error:
        raise Damaged(path, f"{path} cannot be read as a table ({error}); restore it") from None


def at_once(make: Callable[[], Result]) -> Loop:
    """Makes the loop of a stage that is done in one go: it starts from nothing unless its result is there."""

    def loop(latest: Mapping[str, Path]) -> Iterator[Generation]:
        if not latest:
            yield make()

    return loop
