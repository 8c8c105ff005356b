"""The error about files of ours that were damaged after they had been written."""

from __future__ import annotations

from pathlib import Path


class Damaged(ValueError):
    """Something that was saved is missing, cut short or altered.

    Attributes:
        path: the file or folder.
    """

    def __init__(self, path: Path, line: str) -> None:
        """Takes the damaged path and one line that names it.

        Args:
            path: the file or folder.
            line: what is wrong with it.
        """
        super().__init__(line)
        self.path = path
