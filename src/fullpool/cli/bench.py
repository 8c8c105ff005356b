"""`fullpool bench ...`: how fast things are on this machine."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer

from fullpool.cli.options import AsJson, Seed

app = typer.Typer(no_args_is_help=True, add_completion=False)

MAX_GAMES = 16_384
"""Matches side by side: beyond that the views of one batch no longer fit a laptop's memory."""


@app.callback()
def _group() -> None:
    """Measures how fast the simulator, its compilation, training and drafting are on this machine."""


@app.command()
def simulator(
    preset: Annotated[str, typer.Option(help="Size of the game: arena, mid3 or blitz.")] = "blitz",
    games: Annotated[
        list[int] | None,
        typer.Option(
            min=1,
            max=MAX_GAMES,
            help="Matches side by side; may be repeated.",
            show_default="16, 64 and 256, one after another",
        ),
    ] = None,
    seconds: Annotated[float, typer.Option(min=0.1, max=3600, help="Time a measurement.")] = 4.0,
    seed: Seed = 0,
    aim: Annotated[str, typer.Option(help="How abilities are aimed: 'manual' or 'assist'.")] = "manual",
    as_json: AsJson = False,
) -> None:
    """Agent-steps a second in one thread: random legal actions, observations, masks and rewards written.

    An agent-step is one decision of one hero.
    """
    from fullpool.bench.simulator import bench_simulator
    from fullpool.cli.waiting import bar, prepare_game

    prepare_game()
    with bar("simulating") as notify:
        facts = bench_simulator(
            preset=preset,
            batch_sizes=games or [16, 64, 256],
            seconds=seconds,
            seed=seed,
            options={"aim": aim},
            notify=notify,
        )
    _report(facts, as_json)


@app.command("compile")
def compile_kernels(as_json: AsJson = False) -> None:
    """Seconds of a cold compilation, in all and of each entry point, and of a warm start; takes about a minute."""
    from fullpool.bench.compilation import bench_compile
    from fullpool.cli.waiting import bar

    with bar("compiling cold, then loading warm: about a minute", known=False):
        facts = bench_compile()
    _report(facts, as_json)


@app.command()
def training(
    env: Annotated[
        str, typer.Option(help="Folder below conf/; its merged agent, with its sizes, is measured.")
    ] = "base",
    updates: Annotated[int, typer.Option(min=1, max=100_000, help="Updates that are timed.")] = 10,
    warmup: Annotated[int, typer.Option(min=0, max=100_000, help="Updates before the clock starts.")] = 2,
    seed: Seed = 0,
    as_json: AsJson = False,
) -> None:
    """Agent-steps a second that the merged agent learns from, with play, inference and learning counted.

    Measured three times: one pass over the data an update, two passes, and one with a narrower LSTM.
    """
    from fullpool.bench.training import BenchSize, bench_training
    from fullpool.cli.project import load_parameters
    from fullpool.cli.waiting import bar, prepare_game
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
    if game.name == "moba":
        prepare_game()
    with bar("training") as notify:
        facts = bench_training(
            lambda num_games: make_game(game.name, game.preset, num_games, game.options),
            network,
            settings.ppo,
            size,
            notify=notify,
        )
    _report({"env": env, **facts}, as_json)


@app.command()
def draft(
    draft_format: Annotated[
        str, typer.Option("--format", help="Draft format, such as juewu, kpl or snake4.")
    ] = "juewu",
    heroes: Annotated[int, typer.Option(min=2, max=1000, help="Heroes in the pool.")] = 40,
    drafts: Annotated[int, typer.Option(min=1, max=4096, help="Drafts searched side by side.")] = 32,
    simulations: Annotated[
        int, typer.Option(min=1, max=100_000, help="Positions that the search looks at for a pick.")
    ] = 400,
    seed: Seed = 0,
    as_json: AsJson = False,
) -> None:
    """Simulations a second and seconds a pick of the draft search, with untrained networks of the real size."""
    from fullpool.bench.draft import bench_draft
    from fullpool.cli.waiting import bar, prepare_drafting

    prepare_drafting()
    with bar("drafting") as notify:
        facts = bench_draft(
            draft_format=draft_format,
            num_heroes=heroes,
            num_drafts=drafts,
            simulations=simulations,
            seed=seed,
            notify=notify,
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
