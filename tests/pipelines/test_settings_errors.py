"""Complaints about settings: the key with its path, the value, the closest known key."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from fullpool.pipelines.settings_errors import kedro_line, known_keys, settings_line


class Head(BaseModel):
    model_config = ConfigDict(extra="forbid")
    discount: float = Field(ge=0, le=1)


class Whole(BaseModel):
    model_config = ConfigDict(extra="forbid")
    heads: dict[str, Head]
    start: Head | None
    ends: tuple[Annotated[Head, Field()], ...]
    aim: Literal["manual", "assist"] = "manual"


GOOD: dict[str, Any] = {"heads": {"win": {"discount": 0.5}}, "start": None, "ends": []}


def error_of(**changes: Any) -> ValidationError:
    with pytest.raises(ValidationError) as caught:
        Whole.model_validate(GOOD | changes)
    return caught.value


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"head": 1}, "head: there is no such setting, got 1; did you mean 'heads'?"),
        (
            {"heads": {"win": {"discount": 0.5, "discont": 0.9}}},
            "heads.win.discont: there is no such setting, got 0.9; did you mean 'discount'?",
        ),
        (
            {"start": {"discount": 0.5, "discont": 0.9}},
            "start.discont: there is no such setting, got 0.9; did you mean 'discount'?",
        ),
        ({"start": {"discount": 2}}, "start.discount: Input should be less than or equal to 1, got 2"),
        (
            {"aim": "asist"},
            "aim: Input should be 'manual' or 'assist', got 'asist'; did you mean 'assist'?",
        ),
        (
            {"ends": "some"},
            "ends: should be a list (in a file of conf/: --params parts its text at commas), got 'some'",
        ),
        ({"heads": 5}, "heads: should be a section of keys with values, got 5"),
        ({"heads": {"win": 5}}, "heads.win: should be a section of keys with values, got 5"),
        ({"aim": "x"}, "aim: Input should be 'manual' or 'assist', got 'x'"),
        ({"start": {}}, "start.discount: has no value; every setting needs one"),
        (
            {"ends": [{"discount": 0.5, "x": 1}]},
            "ends.0.x: there is no such setting, got 1; known: discount",
        ),
    ],
)
def test_both_ways_say_the_same(changes: dict[str, Any], said: str) -> None:
    error = error_of(**changes)
    assert settings_line(error) == said
    assert settings_line(error, "params:whole") == f"params:whole.{said}"
    kedro = f"Parameter validation failed:\n- Parameter 'whole': Failed to instantiate Whole: {error}"
    assert kedro_line(kedro) == f"params:whole.{said}"


def test_all_sections_are_told() -> None:
    one, two = error_of(head=1), error_of(start={"discount": 2})
    text = f"Parameter validation failed:\n- Parameter 'a': Bad: {one}\n- Parameter 'b': Bad: {two}"
    first, second = kedro_line(text).split("; params:")
    assert first == "params:a.head: there is no such setting, got 1; did you mean 'heads'?"
    assert second == "b.start.discount: Input should be less than or equal to 1, got 2"


def test_keys_of_what_is_no_settings_class_are_not_known() -> None:
    assert known_keys("Whole", ("heads", "win")) == ["discount"]
    assert known_keys("Whole", ("nothing",)) == []
    assert known_keys("NoSuchClass", ()) == []
