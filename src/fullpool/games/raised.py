"""Exceptions of a user's game in one line: kind, first line of the text, and where in the user's code."""

from __future__ import annotations

import sysconfig
import traceback
from pathlib import Path

_OWN = Path(__file__).resolve().parents[1]


def raised_line(error: BaseException) -> str:
    """Puts an exception into one line.

    Args:
        error: what was raised.

    Returns:
        Such as `raised KeyError: 'gold' (mygame.py:12)`; the place is the innermost one outside of this package and
        of installed ones, or the innermost of all.
    """
    said = error.msg if isinstance(error, SyntaxError) else str(error)
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    text = f": {lines[0]}" if lines else ""
    place = _place(error)
    return f"raised {type(error).__name__}{text}" + (f" ({place})" if place else "")


def _place(error: BaseException) -> str:
    if isinstance(error, SyntaxError) and error.filename:
        return f"{_shown(Path(error.filename))}:{error.lineno}"
    frames = traceback.extract_tb(error.__traceback__)
    # The outermost frame is the one that caught the exception.
    found = [frame for frame in frames if _is_users(frame.filename)] or frames[1:]
    return f"{_shown(Path(found[-1].filename))}:{found[-1].lineno}" if found else ""


def _is_users(filename: str) -> bool:
    paths = sysconfig.get_paths()
    others = [_OWN, *(Path(paths[name]).resolve() for name in ("stdlib", "purelib", "platlib"))]
    path = Path(filename).resolve()
    return not filename.startswith("<") and not any(path.is_relative_to(other) for other in others)


def _shown(path: Path) -> Path:
    return path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path
