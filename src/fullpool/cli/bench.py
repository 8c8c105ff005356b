"""`fullpool bench ...`: how fast things are on this machine."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer

app = typer.Typer(no_args_is_help=True)

AsJson = Annotated[bool, typer.Option("--json", help="Prints JSON; it is the last line.")]


@app.callback()
def _group() -> None:
    """Measures the simulator, its compilation, training and drafting."""


@app.command()
def simulator(
    preset: Annotated[str, typer.Option(help="Size of the game.")] = "blitz",
    games: Annotated[
        list[int] | None, typer.Option(min=1, help="Matches side by side; may be repeated.")
    ] = None,
    seconds: Annotated[float, typer.Option(min=0.1, help="Time a measurement.")] = 4.0,
    seed: Annotated[int, typer.Option(min=0, max=2**31 - 1, help="Seed of line-ups and actions.")] = 0,
    aim: Annotated[str, typer.Option(help="'manual' or 'assist'.")] = "manual",
    as_json: AsJson = False,
) -> None:
    """Agent-steps a second in one thread, random legal actions, everything written."""
    from fullpool.bench.simulator import bench_simulator

    sizes = games or [16, 64, 256]
    _report(
        bench_simulator(preset=preset, batch_sizes=sizes, seconds=seconds, seed=seed, options={"aim": aim}),
        as_json,
    )


@app.command("compile")
def compile_kernels(as_json: AsJson = False) -> None:
    """Seconds of a cold compilation, each entry point, and of a warm start."""
    from fullpool.bench.compilation import bench_compile

    _report(bench_compile(), as_json)


@app.command()
def training(
    env: Annotated[str, typer.Option(help="Folder below conf/ whose merged agent is measured.")] = "base",
    updates: Annotated[int, typer.Option(min=1, help="Updates that are timed.")] = 10,
    warmup: Annotated[int, typer.Option(min=0, help="Updates before the clock starts.")] = 2,
    seed: Annotated[int, typer.Option(min=0, max=2**31 - 1, help="Seed of everything.")] = 0,
    as_json: AsJson = False,
) -> None:
    """Agent-steps a second that the merged agent learns from: play, inference and learning, everything counted."""
    from fullpool.bench.training import BenchSize, bench_training
    from fullpool.cli.project import load_parameters
    from fullpool.curriculum.settings import MergedSettings, StudentSettings
    from fullpool.games.registry import make_game
    from fullpool.pipelines.game import GameSettings

    parameters = load_parameters(env)
    game = GameSettings.model_validate(parameters["game"])
    network = StudentSettings.model_validate(parameters["student"]).network
    settings = MergedSettings.model_validate(parameters["merged"])
    size = BenchSize(
        num_games=settings.rollout.num_games,
        window=settings.rollout.window,
        num_threads=settings.rollout.num_threads,
        num_updates=updates,
        num_warmup=warmup,
        seed=seed,
    )
    facts = bench_training(
        lambda num_games: make_game(game.name, game.preset, num_games, game.options),
        network,
        settings.ppo,
        size,
    )
    _report({"env": env, **facts}, as_json)


@app.command()
def draft(
    draft_format: Annotated[str, typer.Option("--format", help="Draft format.")] = "juewu",
    heroes: Annotated[int, typer.Option(min=2, help="Heroes in the pool.")] = 40,
    drafts: Annotated[int, typer.Option(min=1, help="Drafts searched side by side.")] = 32,
    simulations: Annotated[int, typer.Option(min=1, help="Leaves a pick.")] = 400,
    seed: Annotated[int, typer.Option(min=0, max=2**31 - 1, help="Seed of weights and searches.")] = 0,
    as_json: AsJson = False,
) -> None:
    """Simulations a second and seconds a pick of the draft search, with networks of the real size."""
    from fullpool.bench.draft import bench_draft

    facts = bench_draft(
        draft_format=draft_format, num_heroes=heroes, num_drafts=drafts, simulations=simulations, seed=seed
    )
    _report(facts, as_json)


def _report(facts: dict[str, Any], as_json: bool) -> None:
    if as_json:
        typer.echo(json.dumps(facts))
        return
    from rich.console import Console
    from rich.table import Table

    table = Table(show_header=False)
    for name, value in facts.items():
        if isinstance(value, list):
            value = "\n".join(
                ", ".join(f"{key} {_short(part)}" for key, part in row.items()) for row in value
            )
        elif isinstance(value, dict):
            value = "\n".join(f"{key} {_short(part)}" for key, part in value.items())
        table.add_row(name.replace("_", " "), _short(value))
    Console().print(table)


def _short(value: Any) -> str:
    return f"{value:,.3f}" if isinstance(value, float) else str(value)
