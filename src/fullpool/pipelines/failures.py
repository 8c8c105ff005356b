"""Errors as a user reads them: one line that says what to do; the traceback goes to a file."""

from __future__ import annotations

import errno
import os
import re
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from types import TracebackType

from fullpool.pipelines.stopping import StopRequested, is_stop

DEBUG = "FULLPOOL_DEBUG"
"""Environment variable that brings tracebacks back."""

_FULL = re.compile(r"No space left on device|Disk quota exceeded|\d+ requested and \d+ written")
_DENIED = re.compile(r"Permission denied|Read-only file system")
_DATASET_PATH = re.compile(r"path='([^']+)'")
_NO_PIPELINE = re.compile(r"Failed to find the pipeline named '(.*?)'\.")


def explain(error: BaseException) -> str | None:
    """Puts an error that a user can mend into one line.

    Args:
        error: what was raised, as wrapped by Kedro or not.

    Returns:
        The line; None for an error that points at a mistake of ours.
    """
    from kedro.io import DatasetError
    from kedro.validation.exceptions import ParameterValidationError
    from pydantic import ValidationError

    from fullpool.datasets.folder import way_back
    from fullpool.learning.damage import Damaged
    from fullpool.pipelines.settings_errors import kedro_line, settings_line

    inner, place = _unwrapped(error)
    line = storage_line(inner, place)
    if line is not None:
        return line
    if isinstance(inner, ValidationError):
        return _one_line(settings_line(inner))
    if isinstance(inner, ParameterValidationError):
        return _one_line(kedro_line(str(inner)))
    unknown = _NO_PIPELINE.match(str(inner)) if isinstance(inner, ValueError) else None
    if unknown:
        return _pipeline_line(unknown[1])
    if isinstance(inner, Damaged):
        return _one_line("; ".join(part for part in (str(inner), way_back(inner.path)) if part))
    if isinstance(inner, MemoryError):
        return _one_line(
            f"there is not enough memory ({str(inner) or 'none was left'}); lower what is held at once: "
            "rollout.num_games, rollout.window, playing.batch_games or ppo.minibatch_size"
        )
    known = (ValueError, TypeError, OSError, StopRequested, DatasetError)
    return _one_line(str(inner)) if isinstance(inner, known) else None


def is_refusal(error: BaseException) -> bool:
    """Whether an error says that what was asked for cannot be done, and nothing broke."""
    inner, place = _unwrapped(error)
    return not is_stop(error) and storage_line(inner, place) is None and explain(error) is not None


def storage_line(error: BaseException, place: str = "") -> str | None:
    """Explains an error of a disk that is full or may not be written.

    Args:
        error: what was raised.
        place: folder that was written, for errors that do not name a file.

    Returns:
        The line; None for other errors.
    """
    text = str(error)
    # safetensors puts the system's errors into words, and so does numpy where a disk takes only a part of an array.
    if not isinstance(error, OSError) and type(error).__name__ != "SafetensorError":
        return None
    number = getattr(error, "errno", None)
    if number in (errno.ENOSPC, errno.EDQUOT) or _FULL.search(text):
        reason = "the disk is full; make room"
    elif number in (errno.EACCES, errno.EPERM, errno.EROFS) or _DENIED.search(text):
        reason = "it may not be read or written; mend its permissions"
    else:
        return None
    path = getattr(error, "filename", None) or place or Path.cwd()
    return _one_line(
        f"{path}: {reason} and start again: the last committed generation is kept, and the same command goes on "
        f"from it ({text})"
    )


def _unwrapped(error: BaseException) -> tuple[BaseException, str]:
    """Takes off what datasets and MLflow put around an error; gives the dataset's path too."""
    from kedro.io import DatasetError

    place = ""
    while isinstance(error, DatasetError) and error.__cause__ is not None:
        found = _DATASET_PATH.search(str(error))
        place = found[1] if found else place
        error = error.__cause__
    while is_stop(error) and not isinstance(error, StopRequested):
        error = error.__cause__ or error.__context__ or error
    return error, place


def _pipeline_line(name: str) -> str:
    from kedro.framework.project import pipelines

    from fullpool.drafting.formats import closest

    return f"no pipeline {name!r}; {closest(name, set(pipelines) - {'__default__'})}"


def install(log: Path) -> None:
    """Makes uncaught errors that a user can mend end in one line on stderr.

    Args:
        log: file that takes the traceback.
    """
    if os.environ.get(DEBUG) or getattr(sys.excepthook, "is_fullpool", False):
        return
    sys.excepthook = _hook(log, sys.excepthook)


def report(error: BaseException, line: str, log: Path | None = None) -> None:
    """Prints the line, and keeps the traceback where one can find it."""
    print(f"error: {line}", file=sys.stderr)
    if log is not None:
        try:
            log.parent.mkdir(parents=True, exist_ok=True)
            log.write_text("".join(traceback.format_exception(error)), encoding="utf-8")
        except OSError:
            return
        print(f"(traceback: {log}; {DEBUG}=1 prints it)", file=sys.stderr)


_Hook = Callable[[type[BaseException], BaseException, TracebackType | None], object]


def _hook(log: Path, otherwise: _Hook) -> _Hook:
    def hook(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        line = explain(error)
        if line is None:
            otherwise(kind, error, trace)
        else:
            report(error, line, None if is_stop(error) else log)

    hook.is_fullpool = True  # type: ignore[attr-defined]
    return hook


def _one_line(text: str) -> str:
    return " ".join(part.strip() for part in text.splitlines() if part.strip())
