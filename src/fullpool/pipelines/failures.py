"""Errors as a user reads them: one line that says what to do; the traceback goes to a file."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from types import TracebackType

from fullpool.pipelines.stopping import StopRequested, is_stop

DEBUG = "FULLPOOL_DEBUG"
"""Environment variable that brings tracebacks back."""


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

    while isinstance(error, DatasetError) and error.__cause__ is not None:
        error = error.__cause__
    if isinstance(error, ValidationError):
        return _one_line(settings_line(error))
    if isinstance(error, ParameterValidationError):
        return _one_line(kedro_line(str(error)))
    if isinstance(error, Damaged):
        return _one_line("; ".join(part for part in (str(error), way_back(error.path)) if part))
    known = (ValueError, TypeError, OSError, StopRequested, DatasetError)
    return _one_line(str(error)) if isinstance(error, known) else None


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
