"""`fullpool check-game`: checks that a game keeps the contract that learners rely on."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from fullpool.games.check import CheckReport

app = typer.Typer()


@app.command()
def check_game(
    game: Annotated[
        str, typer.Argument(help="A registered game, or 'module:function' that builds one.")
    ] = "moba",
    preset: Annotated[str, typer.Option(help="Size of a registered game.")] = "blitz",
    games: Annotated[int, typer.Option(min=1, help="Matches side by side.")] = 4,
    seed: Annotated[int, typer.Option(min=0, help="Seed of everything.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Prints JSON; it is the last line.")] = False,
) -> None:
    """Prints one line for each problem; exit code 1 if there is one.

    `module:function` is called without arguments and returns a BatchGame or a PettingZoo parallel environment.
    """
    report = examine(game, preset=preset, games=games, seed=seed)
    if as_json:
        facts = {"problems": list(report.problems), "checks": list(report.checks), "passed": report.passed}
        typer.echo(json.dumps(facts | {"agent_steps_per_s": report.agent_steps_per_s}))
    else:
        for problem in report.problems:
            typer.echo(problem)
        found = f"{len(report.problems)} problem(s)" if report.problems else "no problem"
        typer.echo(f"{found} in {', '.join(report.checks)}; {report.agent_steps_per_s:,.0f} agent-steps/s")
    raise typer.Exit(0 if report.passed else 1)


def examine(game: str, *, preset: str, games: int, seed: int) -> CheckReport:
    """Builds the game that is meant and checks it.

    Args:
        game: a registered name, or `module:function`.
        preset: size of a registered game.
        games: matches side by side.
        seed: of everything.

    Returns:
        The report.

    Raises:
        ValueError: if the name or the function does not exist, or the function returns something else.
    """
    from fullpool.games.check import check_game as check_batch
    from fullpool.games.check_parallel import check_parallel_env
    from fullpool.games.registry import make_game

    if ":" not in game:
        built = make_game(game, preset, games)
        return check_batch(built, seed=seed)
    made = _call(game)
    if hasattr(made, "possible_agents"):
        return check_parallel_env(made, seed=seed)
    if hasattr(made, "spec") and hasattr(made, "observe"):
        return check_batch(made, seed=seed)
    raise ValueError(
        f"{game} must return a BatchGame or a PettingZoo parallel environment, got {type(made).__name__}"
    )


def _call(target: str) -> Any:
    import sys
    from importlib import import_module
    from pathlib import Path

    module, _, function = target.partition(":")
    # A user's game lies in the working directory, which a console script does not search.
    if str(Path.cwd()) not in sys.path:
        sys.path.insert(0, str(Path.cwd()))
    try:
        maker = getattr(import_module(module), function)
    except (ImportError, AttributeError) as error:
        raise ValueError(f"cannot find {target!r}: {error}; expected 'module:function'") from None
    return maker()
