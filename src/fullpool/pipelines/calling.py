"""How Kedro was called, so that the commands in advice work as they stand."""

from __future__ import annotations

import shlex
import shutil
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

_CHOOSING = {
    *("-p", "--pipeline", "--pipelines", "-n", "--nodes", "-t", "--tags", "-ns", "--namespaces"),
    *("--from-nodes", "--to-nodes", "--from-inputs", "--to-outputs"),
}
"""Options of `kedro run`, each with a value, that choose what is run."""


def program() -> list[str]:
    """The words that call Kedro: its name if the shell finds it, else its path, as without an activated environment."""
    called = Path(sys.argv[0])
    if called.name == "__main__.py" and called.parent.name == "kedro":
        return [_short(Path(sys.executable)), "-m", "kedro"]
    # Beside `fullpool` lies the `kedro` of the same environment.
    own = called.with_name("kedro")
    found = shutil.which("kedro")
    if not own.is_file() or (found is not None and Path(found).resolve() == own.resolve()):
        return ["kedro"]
    return [_short(own)]


def again() -> str:
    """The command that is running."""
    return shlex.join([*program(), *sys.argv[1:]])


def run_command(pipeline: str, *, env: str, campaign: str, to_nodes: Sequence[str] = ()) -> str:
    """The command that runs something else with the settings of this run.

    Args:
        pipeline: name of the pipeline; `__default__` is not named.
        env: environment that is in use.
        campaign: name of the campaign.
        to_nodes: last nodes of the pipeline to be run; none: all.

    Returns:
        One line for a shell.
    """
    words = [*program(), "run"]
    if pipeline != "__default__":
        words.append(f"--pipeline={pipeline}")
    if to_nodes:
        words.append(f"--to-nodes={','.join(to_nodes)}")
    kept = _kept(sys.argv[2:]) if sys.argv[1:2] == ["run"] else []
    names = {word.partition("=")[0] for word in kept}
    # Kedro takes `local` by itself; another one may have come from KEDRO_ENV.
    if env != "local" and not names & {"-e", "--env"}:
        words.append(f"--env={env}")
    if "--params" not in names:
        kept += ["--params", f"campaign={campaign}"]
    return shlex.join([*words, *kept])


def _kept(arguments: Iterable[str]) -> list[str]:
    """Leaves out what chooses the nodes."""
    kept, words = [], iter(arguments)
    for word in words:
        name, equals, _ = word.partition("=")
        if name not in _CHOOSING:
            kept.append(word)
        elif not equals:
            next(words, None)
    return kept


def _short(path: Path) -> str:
    """Leaves the working directory out of a path."""
    here = Path.cwd()
    return str(path.relative_to(here)) if path.is_absolute() and path.is_relative_to(here) else str(path)
