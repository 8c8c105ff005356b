"""The games that settings may name, a closed list, and how a user's own game joins it."""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from fullpool.games.contract import BatchGame, GameSpec

GameFactory = Callable[[str, int, Mapping[str, Any]], BatchGame]
"""Builds a batch from a preset's name, the number of matches and the game's own options."""


def _make_moba(preset: str, num_games: int, options: Mapping[str, Any]) -> BatchGame:
    # Compiled kernels are only loaded by those who play.
    from fullpool.games.moba.game import MobaGame

    known = [name for name, p in inspect.signature(MobaGame).parameters.items() if p.kind is p.KEYWORD_ONLY]
    for name in options:
        if name not in known:
            raise ValueError(
                f"options: moba has no option {name!r}, expected one of {known}{_meant(name, known)}"
            )
    return MobaGame(preset, num_games, **options)


_FACTORIES: dict[str, GameFactory] = {"moba": _make_moba}


def game_names() -> tuple[str, ...]:
    """Names of all registered games."""
    return tuple(_FACTORIES)


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
    """Builds a batch of matches of a registered game.

    Args:
        name: such as `moba`.
        preset: which size or scenario, such as `blitz`.
        num_games: matches in the batch, N, at least 1.
        options: what else the game takes, such as `aim` and the reward weights of the MOBA.

    Returns:
        The batch; `reset` starts its matches.

    Raises:
        ValueError: if the game is unknown, or as the game's own factory says.
    """
    if name not in _FACTORIES:
        raise ValueError(
            f"unknown game {name!r}, expected one of {list(_FACTORIES)}{_meant(name, _FACTORIES)}"
        )
    if num_games < 1:
        raise ValueError(f"num_games must be at least 1, got {num_games}")
    return _FACTORIES[name](preset, num_games, dict(options or {}))


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
