"""What a log file holds where output is no terminal: one message a line, as long as it needs to be.

Kedro's handler draws a table for eyes, and cuts its lines at 80 columns where nobody looks. Its `logging.yml` takes no
handler of ours, so that ours is put in place once the project is there.
"""

from __future__ import annotations

import logging
import sys

import rich
from rich.logging import RichHandler

FORMAT, TIME = "%(asctime)s %(levelname)-7s %(message)s", "%Y-%m-%d %H:%M:%S"


class LineFormatter(logging.Formatter):
    """Time, level and message; line breaks within a message become blanks."""

    def __init__(self) -> None:
        """Takes no choices."""
        super().__init__(FORMAT, TIME)

    def formatMessage(self, record: logging.LogRecord) -> str:
        """Puts the line together; a traceback comes behind it as it is."""
        return " ".join(part.strip() for part in super().formatMessage(record).splitlines() if part.strip())


class LineHandler(logging.StreamHandler):  # type: ignore[type-arg]
    """Writes to what is standard output at the time of the message, as rich does."""

    def __init__(self) -> None:
        """Takes no choices."""
        super().__init__(sys.stdout)
        self.setFormatter(LineFormatter())

    def emit(self, record: logging.LogRecord) -> None:
        """Writes one message."""
        self.stream = sys.stdout
        super().emit(record)


def install() -> None:
    """Puts plain lines in place of rich's on the root logger, unless somebody looks."""
    console = rich.get_console()
    if console.is_terminal or console.is_jupyter:
        return
    root = logging.getLogger()
    for handler in list(root.handlers):
        if isinstance(handler, RichHandler):
            root.removeHandler(handler)
            plain = LineHandler()
            plain.setLevel(handler.level)
            root.addHandler(plain)
