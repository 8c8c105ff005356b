"""The games that settings may name: those of this package, and a user's own.

A user's own game is named in one of three ways:

- `module:function`, of a module in the working directory or on the path: nothing has to be installed.
- A name of its own, by an entry point of the group `fullpool.games` in the package that brings it.
- A name of its own, by `register_game`, for code that runs before settings are read.
"""

from __future__ import annotations

import difflib
import inspect
import sys
from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from fullpool.games.contract import BatchGame, GameSpec

GameFactory = Callable[[str, int, Mapping[str, Any]], BatchGame]
"""Builds a batch from a preset's name, the number of matches and the game's own options."""

ENTRY_POINTS = "fullpool.games"
"""Group of entry points by which installed packages bring games."""


def _make_moba(preset: str, num_games: int, options: Mapping[str, Any]) -> BatchGame:
    # Compiled kernels are only loaded by those who play.
    from fullpool.games.moba.game import MobaGame

    known = [name for name, p in inspect.signature(MobaGame).parameters.items() if p.kind is p.KEYWORD_ONLY]
    for name in options:
        if name not in known:
            raise ValueError(
                f"options: moba has no option {name!r}, expected one of {known}{_meant(name, known)}"
            )
    for name in ("rewards", "overrides"):
        if not isinstance(options.get(name) or {}, Mapping):
            raise ValueError(f"options: {name} of moba must be a mapping, got {options[name]!r}")
    try:
        return MobaGame(preset, num_games, **options)
    except ValidationError as error:
        raise ValueError(f"options: moba: {_first(error)}") from error


def _first(error: ValidationError) -> str:
    """One line of pydantic's report: section, key, complaint, value."""
    first = error.errors(include_url=False)[0]
    key = ".".join(str(part) for part in first["loc"])
    return f"{error.title}: {key}: {first['msg']}, got {first['input']!r}"


_FACTORIES: dict[str, GameFactory] = {"moba": _make_moba}


def game_names() -> tuple[str, ...]:
    """Names of all registered and installed games."""
    installed = [entry.name for entry in entry_points(group=ENTRY_POINTS)]
    return tuple(dict.fromkeys([*_FACTORIES, *installed]))


def register_game(name: str, factory: GameFactory) -> None:
    """Adds a game under a name of its own.

    Args:
        name: new name, as settings and commands will use it.
        factory: builds a batch of it.

    Raises:
        ValueError: if the name is empty or taken.
    """
    if not name or name in _FACTORIES:
        raise ValueError(f"a game needs a new name, got {name!r}; taken are {list(_FACTORIES)}")
    _FACTORIES[name] = factory


def make_game(name: str, preset: str, num_games: int, options: Mapping[str, Any] | None = None) -> BatchGame:
    """Builds a batch of matches of a game.

    Args:
        name: such as `moba`, or `module:function` of a user's own.
        preset: which size or scenario, such as `blitz`.
        num_games: matches in the batch, N, at least 1.
        options: what else the game takes, such as `aim` and the reward weights of the MOBA.

    Returns:
        The batch; `reset` starts its matches.

    Raises:
        TypeError: if a user's function takes other arguments or builds no batch of games.
        ValueError: if the game is unknown, or as the game's own factory says.
    """
    factory = _FACTORIES.get(name) or _find(name)
    if num_games < 1:
        raise ValueError(f"num_games must be at least 1, got {num_games}")
    if name == "moba":
        return factory(preset, num_games, dict(options or {}))
    return _checked(name, factory, preset, num_games, dict(options or {}))


def _find(name: str) -> GameFactory:
    """Finds a user's game that nobody registered."""
    if ":" in name:
        return _imported(name)
    for entry in entry_points(group=ENTRY_POINTS):
        if entry.name == name:
            return _imported(entry.value)
    known = game_names()
    raise ValueError(
        f"unknown game {name!r}, expected one of {list(known)}{_meant(name, known)}"
        "; a game of your own is 'module:function'"
    )


def _imported(target: str) -> GameFactory:
    module, _, function = target.partition(":")
    # A user's game lies in the working directory, which a console script does not search.
    if str(Path.cwd()) not in sys.path:
        sys.path.append(str(Path.cwd()))
    try:
        found: Any = import_module(module)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{module}.".startswith(f"{error.name}."):
            raise ValueError(
                f"game {target!r}: its module {module!r} needs {error.name!r}: {error}"
            ) from error
        raise ValueError(
            f"game {target!r}: there is no module {module!r} in {Path.cwd()} or on the path; "
            "change into its folder, set PYTHONPATH or install it"
        ) from None
    for part in function.split("."):
        found = getattr(found, part, None)
    if not callable(found):
        raise ValueError(f"game {target!r}: module {module!r} has no function {function!r}")
    factory: GameFactory = found
    return factory


def _checked(
    name: str, factory: GameFactory, preset: str, num_games: int, options: Mapping[str, Any]
) -> BatchGame:
    """Calls a user's function and checks what it takes and builds."""
    try:
        inspect.signature(factory).bind(preset, num_games, options)
    except TypeError as error:
        raise TypeError(
            f"game {name!r}: its function must take (preset, num_games, options), but {error}"
        ) from None
    built = factory(preset, num_games, options)
    if not (hasattr(built, "spec") and hasattr(built, "observe")):
        hint = "; wrap it in a PettingZooBatch" if hasattr(built, "possible_agents") else ""
        raise TypeError(
            f"game {name!r}: its function must build a BatchGame, got {type(built).__name__}{hint}"
        )
    if built.num_games != num_games:
        raise ValueError(
            f"game {name!r}: its function was asked for {num_games} matches and built {built.num_games}"
        )
    return built


def bot_number(spec: GameSpec, name: str) -> int:
    """Finds a scripted bot's number by its name.

    Raises:
        ValueError: if the game has no such bot.
    """
    if name in spec.bots:
        return spec.bots.index(name)
    raise ValueError(
        f"unknown bot {name!r} of {spec.name}, expected one of {list(spec.bots)}{_meant(name, spec.bots)}"
    )


def _meant(name: str, known: Iterable[str]) -> str:
    """Ends an error about an unknown name with the closest known one, if one is close."""
    close = difflib.get_close_matches(name, known, n=1)
    return f"; did you mean {close[0]!r}?" if close else ""
