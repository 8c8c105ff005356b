"""`fullpool check-game`: checks that a game keeps the contract that learners rely on."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from fullpool.cli.options import AsJson, Seed

if TYPE_CHECKING:
    from fullpool.games.check import CheckReport

app = typer.Typer(add_completion=False)

_T = TypeVar("_T")


@app.command()
def check_game(
    game: Annotated[
        str,
        typer.Argument(
            help="A registered game, or 'module:function' of your own, found from the working directory: called "
            "without arguments, or with preset, number of matches and options if it needs them, it returns a "
            "BatchGame or a PettingZoo parallel environment."
        ),
    ] = "moba",
    preset: Annotated[
        str, typer.Option(help="Size of the game: arena, mid3 or blitz of the MOBA.")
    ] = "blitz",
    games: Annotated[
        int, typer.Option(min=1, max=1024, help="Matches side by side, where the game does not say.")
    ] = 4,
    seed: Seed = 0,
    as_json: AsJson = False,
) -> None:
    """Plays a game at random and prints a line for each kind of problem: the first of its kind and their number.

    Exit code 1 if there is a problem, 2 if the game cannot be built or checked.
    """
    report = examine(game, preset=preset, games=games, seed=seed)
    kinds = list(zip(report.problems, report.counts, strict=True))
    if as_json:
        facts = {"problems": [first for first, _ in kinds], "counts": [number for _, number in kinds]}
        facts |= {"checks": list(report.checks), "passed": report.passed}
        typer.echo(json.dumps(facts | {"agent_steps_per_s": report.agent_steps_per_s}))
    else:
        for line in report.lines:
            typer.echo(line)
        found = f"{len(kinds)} kind(s) of problems" if kinds else "no problem"
        typer.echo(f"{found} in {', '.join(report.checks)}; {report.agent_steps_per_s:,.0f} agent-steps/s")
    raise typer.Exit(0 if report.passed else 1)


def examine(game: str, *, preset: str, games: int, seed: int) -> CheckReport:
    """Builds the game that is meant and checks it.

    Args:
        game: a registered name, or `module:function`.
        preset: size of the game.
        games: matches side by side.
        seed: of everything.

    Returns:
        The report.

    Raises:
        ValueError: if the name or the function does not exist, the function returns something else, or it or the game
            raises where no check can go on.
    """
    from fullpool.cli.waiting import prepare_game
    from fullpool.games.check import check_game as check_batch
    from fullpool.games.check_parallel import check_parallel_env
    from fullpool.games.registry import make_game

    if ":" not in game:
        built = make_game(game, preset, games)
        prepare_game()
        return check_batch(built, seed=seed)
    maker = _find(game)
    arguments: tuple[Any, ...] = (preset, games, {})
    if _takes(maker) or not _takes(maker, *arguments):
        arguments = ()
    made = _guarded(game, lambda: maker(*arguments))
    # A property may raise when it is looked at.
    if _guarded(game, lambda: hasattr(made, "possible_agents")):
        return _guarded(game, lambda: check_parallel_env(made, seed=seed))
    if _guarded(game, lambda: hasattr(made, "spec") and hasattr(made, "observe")):
        return _guarded(game, lambda: check_batch(made, seed=seed))
    raise ValueError(
        f"{game} must return a BatchGame or a PettingZoo parallel environment, got {type(made).__name__}"
    )


def _takes(maker: Callable[..., Any], *arguments: Any) -> bool:
    try:
        inspect.signature(maker).bind(*arguments)
    except (TypeError, ValueError):
        return False
    return True


def _find(target: str) -> Callable[..., Any]:
    import sys
    from importlib import import_module
    from pathlib import Path

    module, _, function = target.partition(":")
    # A user's game lies in the working directory, which a console script does not search.
    if str(Path.cwd()) not in sys.path:
        sys.path.insert(0, str(Path.cwd()))
    try:
        loaded = import_module(module)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{module}.".startswith(f"{error.name}."):
            raise _line(target, error) from error
        raise ValueError(f"cannot find {target!r}: {error}; expected 'module:function'") from None
    except (Exception, SystemExit) as error:
        raise _line(target, error) from error
    if not callable(getattr(loaded, function, None)):
        raise ValueError(
            f"cannot find {target!r}: {module} has no function {function!r}; expected 'module:function'"
        )
    maker: Callable[..., Any] = getattr(loaded, function)
    return maker


def _guarded(target: str, work: Callable[[], _T]) -> _T:
    try:
        return work()
    except (Exception, SystemExit) as error:
        raise _line(target, error) from error


def _line(target: str, error: BaseException) -> ValueError:
    from fullpool.games.raised import raised_line

    return ValueError(f"{target} {raised_line(error)}")
