"""The game that a run is about, as settings, and how its stages get at it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from pydantic import Field, field_validator

from fullpool.strict import Settings

if TYPE_CHECKING:
    from fullpool.curriculum.phases import Setting


class GameSettings(Settings):
    """Which game is played; values live in conf/base/parameters.yml."""

    name: str = Field(description="registered name of the game")
    preset: str = Field(description="which size or scenario of it")
    options: dict[str, Any] = Field(description="what else the game takes, such as aim and reward weights")

    @field_validator("options")
    @classmethod
    def _numbers_are_finite(cls, options: dict[str, Any]) -> dict[str, Any]:
        # The game checks its options itself, but knows no common base.
        for path, number in _numbers(options, ""):
            if not math.isfinite(number):
                raise ValueError(f"{path} should be a finite number, it is {number}")
        return options


class PlayingSettings(Settings):
    """How matches that nobody learns from are played; values live in conf/base/parameters.yml."""

    batch_games: int = Field(gt=0, description="matches under way at once, over all threads")
    num_threads: int = Field(
        gt=0, description="threads that share them; results are the same for the same number"
    )


def _numbers(value: Any, path: str) -> Iterator[tuple[str, float]]:
    """Finds all floats in plain data, with their dotted paths."""
    if isinstance(value, float):
        yield path, value
    elif isinstance(value, dict):
        for key, part in value.items():
            yield from _numbers(part, f"{path}.{key}" if path else str(key))
    elif isinstance(value, list | tuple):
        for index, part in enumerate(value):
            yield from _numbers(part, f"{path}.{index}")


def make_setting(game: GameSettings, seed: int) -> Setting:
    """Opens the game: what all phases of a run share.

    Raises:
        ValueError: if game, preset or options are unknown.
    """
    from fullpool.curriculum.phases import Setting
    from fullpool.games.contract import BatchGame
    from fullpool.games.registry import make_game
    from fullpool.pipelines.counted import CountedGame, ended_matches

    def game_fn(num_games: int) -> BatchGame:
        return CountedGame(make_game(game.name, game.preset, num_games, game.options), ended_matches)

    return Setting(game_fn, game_fn(1).spec, seed)


def origin(setting: Setting, game: GameSettings) -> dict[str, Any]:
    """What every stage's result depends on: the game with its version, and the seed."""
    return {"game": game, "game_version": setting.spec.version, "seed": setting.seed}
