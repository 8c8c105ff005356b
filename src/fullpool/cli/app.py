"""The command `fullpool`: finds a command's file when it is asked for, and turns errors into one line.

A command `check-game` lives in `cli/check_game.py` as a `typer.Typer` named `app`.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module
from importlib.util import find_spec
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from fullpool.pipelines import failures
from fullpool.version import __version__

COMMANDS = ("doctor", "compile", "summary", "match", "elo", "draft", "check-game", "bench")
"""Commands in the order of the help; those whose file does not exist yet are left out."""


class LazyCommands(TyperGroup):
    """Imports a command's file only when the command is asked for."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Names the commands that exist."""
        return [name for name in COMMANDS if find_spec(_module(name)) is not None]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Builds a command from its file; None if there is none of that name."""
        if cmd_name not in self.list_commands(ctx):
            return None
        command = typer.main.get_command(import_module(_module(cmd_name)).app)
        command.name = cmd_name
        return command


app = typer.Typer(
    cls=LazyCommands, no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False
)


def _print_version(asked: bool) -> None:
    if asked:
        typer.echo(__version__)
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Prints the version.")
    ] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Shows the traceback of an error.")] = False,
) -> None:
    """One agent for a whole pool of heroes, and a drafter for them."""
    if debug:
        os.environ[failures.DEBUG] = "1"


def main() -> None:
    """Runs the command line; an error that a user can mend is one line on stderr and exit code 2."""
    try:
        code = app(standalone_mode=False)
    except Exception as error:
        usage = _usage_line(error)
        line = usage if usage is not None else failures.explain(error)
        if line is None or (os.environ.get(failures.DEBUG) and usage is None):
            raise
        if line:
            failures.report(error, line)
        sys.exit(2)
    sys.exit(code if isinstance(code, int) else 0)


def _usage_line(error: Any) -> str | None:
    """Says what typer finds wrong with the arguments; empty if it has shown the help, None for other errors."""
    if not hasattr(error, "format_message"):
        return None
    if type(error).__name__ == "NoArgsIsHelpError":
        error.show()
        return ""
    given = _given(getattr(error, "param", None))
    return f"{error.format_message().rstrip('.')}{given}; --help shows what there is"


def _given(param: Any) -> str:
    """Finds what was typed for an option."""
    options = tuple(getattr(param, "opts", ()))
    for word, following in zip(sys.argv, [*sys.argv[1:], ""]):
        name, equals, value = word.partition("=")
        if name in options:
            return f", got {(value if equals else following)!r}"
    return ""


def _module(name: str) -> str:
    return f"fullpool.cli.{name.replace('-', '_')}"
