"""One process a campaign: a lock that the system gives back when its holder is gone, however it went."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path
from typing import IO


class CampaignLock:
    """An exclusive lock on a campaign of a project."""

    def __init__(self, project: Path, campaign: str) -> None:
        """Names the lock.

        Args:
            project: the project's root.
            campaign: name of the campaign.
        """
        # Beside the data that it guards: caches are deleted while something runs.
        self._path = project / "data" / ".campaigns" / f"{campaign}.lock"
        self._campaign = campaign
        self._file: IO[str] | None = None

    def acquire(self) -> None:
        """Takes the lock.

        Raises:
            ValueError: if another process holds it.
        """
        if not self._try():
            holder = self._path.read_text(encoding="utf-8").strip() or "unknown"
            raise ValueError(
                f"campaign {self._campaign!r} is being run by process {holder}; wait for it, stop it, "
                "or take another campaign (--params campaign=name)"
            )

    def release(self) -> None:
        """Gives the lock back; does nothing if it is not held."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def is_free(self) -> bool:
        """Whether no process holds the lock."""
        if not self._path.exists():
            return True
        free = self._try()
        self.release()
        return free

    def _try(self) -> bool:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        file = self._path.open("a+", encoding="utf-8")
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            file.close()
            return False
        file.truncate(0)
        file.write(str(os.getpid()))
        file.flush()
        self._file = file
        return True
