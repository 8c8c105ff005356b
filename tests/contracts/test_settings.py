"""All settings classes share one base; no number of theirs may be infinite or undefined."""

from __future__ import annotations

import importlib
import inspect
import math
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Union, get_args, get_origin

import pytest
from pydantic import BaseModel, ConfigDict, ValidationError

from fullpool.curriculum.settings import SelfPlaySettings
from fullpool.learning.ppo.settings import PpoSettings
from fullpool.pipelines.game import GameSettings
from fullpool.strict import Settings

SOURCES = Path(__file__).parents[2] / "src"
NOT_FINITE = (math.inf, -math.inf, math.nan)


def settings_classes() -> list[type[BaseModel]]:
    """Every pydantic class of the package; games stand alone and have records of their own."""
    found: list[type[BaseModel]] = []
    for file in sorted((SOURCES / "fullpool").rglob("*.py")):
        module = ".".join(file.relative_to(SOURCES).with_suffix("").parts).removesuffix(".__init__")
        text = file.read_text(encoding="utf-8")
        if module.startswith("fullpool.games") or not ("BaseModel" in text or "strict import" in text):
            continue
        for _, one in inspect.getmembers(importlib.import_module(module), inspect.isclass):
            if issubclass(one, BaseModel) and one.__module__ == module:
                found.append(one)
    return found


def spoilt(annotation: Any, bad: float) -> Iterator[Any]:
    """Values of a field that hold the bad number where the field takes a float; settings within are left out."""
    origin, inner = get_origin(annotation), get_args(annotation)
    if annotation is float:
        yield bad
    elif origin is Annotated:
        yield from spoilt(inner[0], bad)
    elif origin in (Union, types.UnionType):
        for one in inner:
            yield from spoilt(one, bad)
    elif origin is dict:
        yield from ({"some": value} for value in spoilt(inner[1], bad))
    elif origin in (tuple, list):
        yield from ([value] for value in spoilt(inner[0], bad))


def complaints(settings: type[BaseModel], values: dict[str, Any]) -> set[tuple[str, str]]:
    """Fields that are refused, with the kind of the complaint."""
    with pytest.raises(ValidationError) as caught:
        settings.model_validate(values)
    return {(str(error["loc"][0]), error["type"]) for error in caught.value.errors()}


def fields_that_take_infinity(settings: type[BaseModel]) -> list[str]:
    return [
        name
        for name, field in settings.model_fields.items()
        for bad in NOT_FINITE
        for value in spoilt(field.annotation, bad)
        if (name, "finite_number") not in complaints(settings, {name: value})
    ]


def test_every_settings_class_has_the_common_base() -> None:
    classes = settings_classes()
    assert {Settings, PpoSettings, GameSettings, SelfPlaySettings} < set(classes)
    assert len(classes) > 20
    assert [one.__name__ for one in classes if not issubclass(one, Settings)] == []
    for one in classes:
        kept = {name: one.model_config.get(name) for name in ("frozen", "extra", "allow_inf_nan")}
        assert kept == {"frozen": True, "extra": "forbid", "allow_inf_nan": False}, one


@pytest.mark.parametrize("settings", settings_classes(), ids=lambda one: one.__name__)
def test_no_number_of_a_settings_class_is_infinite_or_undefined(settings: type[BaseModel]) -> None:
    assert fields_that_take_infinity(settings) == []


def test_the_walk_finds_floats_wherever_they_hide() -> None:
    class Careless(BaseModel):
        model_config = ConfigDict(extra="forbid")

        plain: float
        maybe: float | None
        many: tuple[Annotated[float, "note"], ...]
        named: dict[str, float]
        whole: int

    assert set(fields_that_take_infinity(Careless)) == {"plain", "maybe", "many", "named"}


@pytest.mark.parametrize("bad", NOT_FINITE)
def test_options_of_a_game_are_finite_too(bad: float) -> None:
    options = {"rewards": {"items": {"gold": bad}, "decay": 1.0}}
    with pytest.raises(ValidationError, match=r"rewards\.items\.gold should be a finite number, it is"):
        GameSettings(name="moba", preset="blitz", options=options)
    with pytest.raises(ValidationError, match=r"list\.1 should be a finite number"):
        GameSettings(name="moba", preset="blitz", options={"list": [1.0, bad]})
