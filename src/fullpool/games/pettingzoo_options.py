"""Options of the MOBA's PettingZoo door, checked: those of the environment and those of a reset."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, ValidationError

from fullpool.games.contract import GameSpec, Shorts


class ParallelEnvConfig(BaseModel):
    """Options of `parallel_env`. Defaults stand here since no settings file is read by other libraries.

    Attributes:
        preset: size of the game.
        aim: `manual` gives `MultiDiscrete([9, 24, 16, 4])`, `assist` a flat `Discrete(116)`.
        lineup: hero names of both teams; None: drawn anew at each reset from the training line-ups.
        opponent: name of a bot that plays team B, whose agents are then absent; None: all ten agents are played.
        options: further options of the game, as `make_game` takes them.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    preset: str = "blitz"
    aim: Literal["manual", "assist"] = "manual"
    lineup: tuple[tuple[str, ...], tuple[str, ...]] | None = None
    opponent: str | None = None
    options: dict[str, Any] = {}


def read_config(config: Mapping[str, Any] | None) -> ParallelEnvConfig:
    """Reads the options of the environment.

    Args:
        config: values of `ParallelEnvConfig` by name; None: the defaults.

    Returns:
        The options.

    Raises:
        TypeError: if the config is no dict.
        ValueError: if an option is unknown or wrong; one line names it.
    """
    if config is not None and not isinstance(config, Mapping):
        raise TypeError(f"parallel_env takes a dict of options by name, got {config!r}")
    known = list(ParallelEnvConfig.model_fields)
    try:
        chosen = ParallelEnvConfig.model_validate(dict(config or {}))
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(str(part) for part in first["loc"])
        raise ValueError(
            f"parallel_env option {key!r}: {first['msg']}, got {first.get('input')!r}; options are {known}"
        ) from None
    for name in chosen.options:
        if name in known:
            raise ValueError(
                f"parallel_env option 'options.{name}': give {name!r} beside 'options', not within"
            )
    return chosen


def check_reset(seed: Any, options: Any) -> None:
    """Checks what a reset is given.

    Raises:
        TypeError: if the seed is no whole number, or the options are no dict.
        ValueError: if the seed is negative or an option is unknown.
    """
    if seed is not None and (isinstance(seed, bool) or not isinstance(seed, int | np.integer)):
        raise TypeError(f"reset takes a whole number as seed, or None, got {seed!r}")
    if seed is not None and seed < 0:
        raise ValueError(f"a seed must be at least 0, got {seed}")
    if options is not None and not isinstance(options, Mapping):
        raise TypeError(f"reset takes a dict of options, got {options!r}")
    for name in options or {}:
        if name not in ("lineup", "options"):
            raise ValueError(f"reset has no option {name!r}; there is 'lineup'")


def lineup_ids(spec: GameSpec, lineup: Any) -> Shorts:
    """Turns names of both teams into hero ids.

    Args:
        spec: the game.
        lineup: two lists of P different names.

    Returns:
        `[2, P]` hero ids.

    Raises:
        ValueError: if it is something else, or a hero is unknown or named twice.
    """
    size, heroes = spec.team_size, spec.heroes
    form = f"a line-up is two teams of {size} different heroes, got {lineup!r}"
    teams = lineup if isinstance(lineup, list | tuple) else ()
    if len(teams) != 2 or not all(isinstance(team, list | tuple) for team in teams):
        raise ValueError(form)
    names = [name for team in teams for name in team]
    for name in names:
        if name not in heroes:
            close = difflib.get_close_matches(str(name), heroes, n=1)
            hint = f"did you mean {close[0]!r}?" if close else f"heroes are {list(heroes)}"
            raise ValueError(f"unknown hero {name!r} in the line-up; {hint}")
    if any(len(team) != size for team in teams) or len(set(names)) != 2 * size:
        raise ValueError(form)
    return np.array([[heroes.index(name) for name in team] for team in teams], np.int16)
