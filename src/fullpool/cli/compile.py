"""`fullpool compile`: compiles every kernel once, so that later commands start warm."""

from __future__ import annotations

import time
from importlib import import_module
from typing import Annotated, Any

import typer

app = typer.Typer()


@app.command()
def compile_kernels(
    force: Annotated[
        bool, typer.Option("--force", help="Runs them all even if the cache is complete.")
    ] = False,
) -> None:
    """Compiles every kernel into the cache; quick when that was done before."""
    from fullpool.numerics import kernel_cache

    if kernel_cache.is_ready() and not force:
        return
    moba: Any = import_module("fullpool.games.moba")
    typer.echo(f"compiling kernels into {kernel_cache.current()} (about a minute, once for each version)")
    begin = time.perf_counter()
    moba.compile_all(lambda line: typer.echo(f"  {time.perf_counter() - begin:5.1f} s  {line}"))
    kernel_cache.mark_ready()
    typer.echo(f"kernels are ready after {time.perf_counter() - begin:.0f} s")
