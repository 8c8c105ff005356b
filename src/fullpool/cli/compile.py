"""`fullpool compile`: compiles every kernel once, so that later commands start warm."""

from __future__ import annotations

import time
from collections.abc import Callable
from importlib import import_module
from typing import Annotated, Any

import typer

app = typer.Typer(add_completion=False)


@app.command()
def compile_kernels(
    force: Annotated[
        bool, typer.Option("--force", help="Runs them all even if the cache is complete.")
    ] = False,
) -> None:
    """Compiles the game's kernels into the cache; quick when that was done before."""
    from fullpool.numerics import kernel_cache

    if kernel_cache.is_ready() and not force:
        typer.echo(f"kernels are ready in {kernel_cache.current()}")
        return
    typer.echo(f"compiling kernels into {kernel_cache.current()} (about a minute, once for each version)")
    begin = time.perf_counter()
    compile_game(lambda line: typer.echo(f"  {time.perf_counter() - begin:5.1f} s  {line}"))
    typer.echo(f"kernels are ready after {time.perf_counter() - begin:.0f} s")


def compile_game(progress: Callable[[str], None] = lambda line: None) -> None:
    """Compiles the game's kernels and notes that they are there.

    Args:
        progress: called with the name of each entry point once it is compiled.
    """
    from fullpool.numerics import kernel_cache

    moba: Any = import_module("fullpool.games.moba")
    moba.compile_all(progress)
    kernel_cache.mark_ready()
