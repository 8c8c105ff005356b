from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from fullpool.games import registry
from fullpool.games.contract import BatchGame
from fullpool.games.testing import ToyGame


def test_the_moba_is_registered_with_its_options() -> None:
    game = registry.make_game("moba", "mid3", 3, {"aim": "assist"})
    assert (game.spec.name, game.spec.preset, game.num_games) == ("moba", "mid3", 3)
    assert game.spec.options["aim"] == "assist"


@pytest.mark.parametrize(
    ("name", "preset", "num_games", "words"),
    [
        ("mobba", "blitz", 1, "did you mean 'moba'"),
        ("moba", "blits", 1, "did you mean 'blitz'"),
        ("moba", "blitz", 0, "num_games must be at least 1, got 0"),
    ],
)
def test_wrong_names_are_refused_in_one_line(name: str, preset: str, num_games: int, words: str) -> None:
    with pytest.raises(ValueError, match=words) as caught:
        registry.make_game(name, preset, num_games)
    assert "\n" not in str(caught.value)


def test_a_misspelt_option_is_refused_with_the_closest() -> None:
    with pytest.raises(ValueError, match=r"no option 'aimm', expected one of .*; did you mean 'aim'"):
        registry.make_game("moba", "blitz", 1, {"aimm": "assist"})


def test_a_users_game_joins_under_its_own_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_FACTORIES", dict(registry._FACTORIES))

    def make(preset: str, num_games: int, options: Mapping[str, Any]) -> BatchGame:
        return ToyGame(num_games, delay=options["delay"])

    registry.register_game("mine", make)
    assert registry.game_names() == ("moba", "mine")
    assert registry.make_game("mine", "any", 2, {"delay": 1}).num_games == 2
    with pytest.raises(ValueError, match="taken are"):
        registry.register_game("mine", make)


def test_bots_are_found_by_name() -> None:
    spec = ToyGame(1).spec
    assert registry.bot_number(spec, "perfect") == 2
    with pytest.raises(ValueError, match="did you mean 'perfect'"):
        registry.bot_number(spec, "perfekt")
