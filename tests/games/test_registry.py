from __future__ import annotations

import sys
from collections.abc import Mapping
from importlib.metadata import EntryPoint
from pathlib import Path
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


OWN = """
from fullpool.games.testing import ToyGame

number = 7

def make(preset, num_games, options):
    return ToyGame(num_games, **options)

def narrow(preset):
    return ToyGame(1)

def other(preset, num_games, options):
    return object()

def too_few(preset, num_games, options):
    return ToyGame(1)
"""


@pytest.fixture
def own_module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A module with games in the working directory."""
    (tmp_path / "own_games_of_test.py").write_text(OWN)
    (tmp_path / "needy_game_of_test.py").write_text("import package_that_is_not_there\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.delitem(sys.modules, "own_games_of_test", raising=False)
    return "own_games_of_test"


def test_a_game_is_found_by_module_and_function(own_module: str) -> None:
    assert registry.make_game(f"{own_module}:make", "any", 3, {"delay": 1}).num_games == 3


@pytest.mark.parametrize(
    ("name", "error", "words"),
    [
        ("own_games_of_test:maker", ValueError, "has no function 'maker'"),
        ("own_games_of_test:number", ValueError, "has no function 'number'"),
        ("own_gamez:make", ValueError, "there is no module 'own_gamez' in .* set PYTHONPATH or install it"),
        ("needy_game_of_test:make", ValueError, "needs 'package_that_is_not_there'"),
        ("own_games_of_test:narrow", TypeError, r"must take \(preset, num_games, options\), but"),
        ("own_games_of_test:other", TypeError, "must build a BatchGame, got object"),
        ("own_games_of_test:too_few", ValueError, "was asked for 3 matches and built 1"),
    ],
)
def test_wrong_functions_are_refused_in_one_line(
    own_module: str, name: str, error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words) as caught:
        registry.make_game(name, "any", 3)
    assert "\n" not in str(caught.value)


def test_an_installed_package_brings_its_game(own_module: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def found(*, group: str) -> list[EntryPoint]:
        return [EntryPoint("installed", f"{own_module}:make", group)]

    monkeypatch.setattr(registry, "entry_points", found)
    assert registry.game_names() == ("moba", "installed")
    assert registry.make_game("installed", "any", 2).num_games == 2
    with pytest.raises(ValueError, match="did you mean 'installed'"):
        registry.make_game("instaled", "any", 2)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"rewards": {"itemz": {}}}, "RewardSettings: itemz: Extra inputs"),
        ({"rewards": {"items": {"killing": 1.0}}}, "unknown reward item 'killing'"),
        ({"rewards": {"preset": "papr"}}, "did you mean 'paper'"),
        ({"rewards": 5}, "rewards of moba must be a mapping, got 5"),
        ({"overrides": ["cap"]}, "overrides of moba must be a mapping"),
        ({"overrides": {"capp": 5}}, "capp"),
    ],
)
def test_wrong_options_within_options_are_one_line(options: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words) as caught:
        registry.make_game("moba", "blitz", 1, options)
    assert "\n" not in str(caught.value)


def test_bots_are_found_by_name() -> None:
    spec = ToyGame(1).spec
    assert registry.bot_number(spec, "perfect") == 2
    with pytest.raises(ValueError, match="did you mean 'perfect'"):
        registry.bot_number(spec, "perfekt")
