"""MLflow's database at the door: made in one piece, looked at before MLflow does, and its trouble in one line.

MLflow itself makes tables for seconds, and what a kill leaves of them can never be opened again; before a file that is
no database it tries again for minutes.
"""

from __future__ import annotations

import logging
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from fullpool.pipelines.stopping import is_stop

logger = logging.getLogger(__name__)

PATIENCE_S = 10.0
"""Seconds to wait for a database that another process holds; MLflow itself waits 20 s at each write."""

_SQLITE = "sqlite:///"

_ADVICE = {
    "locked": "another process holds it: wait for that process or stop it, and start again",
    "readonly": "make the file and its folder writable",
    "unable to open": "make sure that it is a file, and that it and its folder may be read and written",
    "is full": "make room on the disk",
    "disk I/O": "make room on the disk and look at its health",
} | dict.fromkeys(
    # The last three are what MLflow says of tables that were made only in part.
    ("not a database", "malformed", "already exists", "duplicate column", "no such table", "no such column"),
    "move it away, and the next start makes a new one",
)


class TrackingError(ValueError):
    """MLflow cannot be read or written."""


def database_file(uri: str) -> Path | None:
    """Finds the file of an sqlite address; None for every other address."""
    path = uri.removeprefix(_SQLITE).partition("?")[0]
    return Path(path) if uri.startswith(_SQLITE) and path not in ("", ":memory:") else None


def prepare(uri: str, *, patience_s: float = PATIENCE_S) -> None:
    """Makes sure that an sqlite database is there and can be written.

    Args:
        uri: MLflow's tracking address; other kinds than sqlite are left to MLflow.
        patience_s: seconds to wait for a process that holds the database.

    Raises:
        TrackingError: if it cannot be read or written.
    """
    path = database_file(uri)
    if path is None:
        return
    with explained(uri):
        if not path.exists() or (path.is_file() and path.stat().st_size == 0):
            _create(path)
        try:
            _look(path, patience_s=0.2)
        except sqlite3.OperationalError as error:
            if "locked" not in str(error):
                raise
            logger.info("MLflow: waiting for %s, which another process holds", path)
            _look(path, patience_s=patience_s)


@contextmanager
def explained(uri: str) -> Iterator[None]:
    """Turns what MLflow and its database raise into one line.

    Args:
        uri: MLflow's tracking address.

    Raises:
        TrackingError: naming the database, what is wrong and what to do.
    """
    from mlflow.exceptions import MlflowException
    from sqlalchemy.exc import SQLAlchemyError

    try:
        yield
    except (MlflowException, SQLAlchemyError, sqlite3.Error) as error:
        if is_stop(error):
            raise
        line = trouble(error, uri)
        advice = [text for sign, text in _ADVICE.items() if sign in line]
        raise TrackingError("; ".join([line, *advice[:1], "what was trained is not touched"])) from error


def trouble(error: BaseException, uri: str) -> str:
    """Says what is wrong with MLflow's database."""
    while not isinstance(error, sqlite3.Error) and error.__cause__ is not None:
        error = error.__cause__
    lines = str(error).strip().splitlines() or [type(error).__name__]
    place = database_file(uri)
    name = f"MLflow's database {place}" if place else f"MLflow at {uri}"
    # The first line is the reason; sqlalchemy adds the statement with all its values.
    return f"{name} cannot be used ({lines[0]})"


def _create(path: Path) -> None:
    """Makes the tables in a file of another name, which then takes its place."""
    from mlflow.store.tracking import DEFAULT_LOCAL_FILE_AND_ARTIFACT_PATH
    from mlflow.store.tracking.sqlalchemy_store import SqlAlchemyStore

    logger.info("MLflow: making the database %s, once", path)
    path.parent.mkdir(parents=True, exist_ok=True)
    _remove_strays(path)
    new = path.with_name(f"{path.name}.new-{os.getpid()}")
    try:
        store = SqlAlchemyStore(f"{_SQLITE}{new}", DEFAULT_LOCAL_FILE_AND_ARTIFACT_PATH)  # type: ignore[no-untyped-call]
        store.engine.dispose()
        if path.exists() and path.stat().st_size == 0:
            path.unlink()
        # Unlike a rename, this never takes the place of a database that another process made meanwhile.
        os.link(new, path)
    except FileExistsError:
        pass
    except OSError:
        # A file system without hard links.
        if not path.exists():
            new.rename(path)
    finally:
        new.unlink(missing_ok=True)


def _remove_strays(path: Path) -> None:
    """Deletes what killed processes left of their new databases."""
    for stray in path.parent.glob(f"{path.name}.new-*"):
        # A journal of sqlite has its file's name and an ending.
        process = stray.name.rpartition(".new-")[2].partition("-")[0]
        if process.isdigit() and not _is_alive(int(process)):
            stray.unlink(missing_ok=True)


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass  # it is someone else's
    return True


def _look(path: Path, *, patience_s: float) -> None:
    """Reads the schema and takes the right to write for a moment."""
    connection = sqlite3.connect(
        f"{path.absolute().as_uri()}?mode=rw", uri=True, timeout=patience_s, isolation_level=None
    )
    with closing(connection):
        connection.execute("select count(*) from sqlite_master").fetchone()
        connection.execute("begin immediate")
        connection.execute("rollback")
