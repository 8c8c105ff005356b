"""What a command shows on stderr while one waits: a bar, and that kernels are being compiled."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import typer

Notify = Callable[[float], None]
"""Takes how much of the work is done, 0 to 1."""


@contextmanager
def bar(text: str, *, known: bool = True) -> Iterator[Notify]:
    """Shows a bar on stderr; nothing where that is no terminal. Standard output is left alone.

    Args:
        text: what is done.
        known: whether the work says how much of it is done; else the bar only shows that it goes on.

    Yields:
        Takes how much is done.
    """
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeElapsedColumn())
    with Progress(
        *columns,
        console=Console(stderr=True),
        transient=True,
        redirect_stdout=False,
        redirect_stderr=False,
        disable=not sys.stderr.isatty(),
    ) as shown:
        task = shown.add_task(text, total=1.0 if known else None)
        yield lambda done: shown.update(task, completed=done)


def prepare_game() -> None:
    """Compiles the game's kernels where that was not done yet, and says so: it takes a while."""
    from fullpool.cli.compile import compile_game
    from fullpool.numerics import kernel_cache

    if not kernel_cache.is_ready():
        _say("compiling the game's kernels, once for each version, about 40 s")
        compile_game()


def prepare_drafting() -> None:
    """Says so where the first draft must compile its kernels."""
    from fullpool.numerics import kernel_cache

    # Numba calls the folder of a file's kernels by the folder that the file lies in.
    if not any(kernel_cache.current().glob("drafting_*/*.nbc")):
        _say("compiling the draft search's kernels, once for each version, about 10 s")


def _say(text: str) -> None:
    typer.echo(text, err=True)
