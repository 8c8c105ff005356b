"""The real project's settings, and one more game."""

from collections.abc import Mapping
from typing import Any

from fullpool.games.contract import BatchGame
from fullpool.games.registry import game_names, register_game
from fullpool.games.testing import ToyGame
from fullpool.settings import CONFIG_LOADER_ARGS, DISABLE_HOOKS_FOR_PLUGINS, HOOKS

__all__ = ["CONFIG_LOADER_ARGS", "DISABLE_HOOKS_FOR_PLUGINS", "HOOKS"]


def make_toy(preset: str, num_games: int, options: Mapping[str, Any]) -> BatchGame:
    """Makes a batch of the toy game, which has one preset."""
    return ToyGame(num_games)


if "toy" not in game_names():
    register_game("toy", make_toy)
