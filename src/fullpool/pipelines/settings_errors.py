"""What is wrong with settings, in one line: the key with its path, the complaint, the value, the closest known key."""

from __future__ import annotations

import re
import types
from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError

from fullpool.drafting.formats import closest

UNKNOWN, MISSING = "Extra inputs are not permitted", "Field required"
"""How pydantic says that a key is unknown, or not there."""

_HEAD = re.compile(r"\d+ validation errors? for (\w+)$")
_PLAIN = {
    re.compile(
        r"Input should be a valid (tuple|list)$"
    ): "should be a list (in a file of conf/: --params parts its text at commas)",
    re.compile(
        r"Input should be a valid (dictionary|mapping)( or instance of \w+)?$"
    ): "should be a section of keys with values",
}
"""What pydantic says of kinds of data, in the words of the settings files."""

_CHOICE = re.compile(r"'([^']*)'")
_TAIL = re.compile(r"\s*\[type=\w+, input_value=(.*), input_type=\w+\]")


def settings_line(error: ValidationError, where: str = "") -> str:
    """Puts all complaints about a settings object into one line.

    Args:
        error: what pydantic raised.
        where: dotted path of the object, such as `params:records.columns`; empty: its keys stand alone.
    """
    parts = []
    for item in error.errors(include_url=False):
        path = tuple(item["loc"])
        key = ".".join(str(part) for part in ((where,) if where else ()) + path) or error.title
        parts.append(_complaint(key, item["msg"], repr(item["input"]), error.title, path))
    return "; ".join(parts)


def kedro_line(text: str) -> str:
    """Does the same for Kedro's text about parameters, in which pydantic's reports stand one after another."""
    parts: list[str] = []
    section = title = key = ""
    for line in text.splitlines():
        if line.startswith("- Parameter '"):
            section = key = line.split("'")[1]
            found = _HEAD.search(line)
            title = found[1] if found else ""
            if not found:
                parts.append(f"params:{section}: {line.split(': ', 1)[-1]}")
        elif line and not line.startswith(" ") and "Parameter validation failed" not in line:
            key = f"{section}.{line.strip()}"
        elif line.startswith("  ") and "For further information" not in line:
            value = _TAIL.search(line)
            path = tuple(key.split(".")[section.count(".") + 1 :])
            shown = value[1] if value else ""
            parts.append(_complaint(f"params:{key}", _TAIL.sub("", line).strip(), shown, title, path))
    return "; ".join(parts) or text


def _complaint(key: str, message: str, value: str, title: str, path: Sequence[str | int]) -> str:
    if message == UNKNOWN:
        known = known_keys(title, path[:-1])
        hint = f"; {closest(str(path[-1]), known)}" if known else ""
        return f"{key}: there is no such setting, got {value}{hint}"
    if message == MISSING:
        return f"{key}: has no value; every setting needs one"
    for pattern, words in _PLAIN.items():
        message = pattern.sub(words, message)
    complaint = f"{key}: {message.removeprefix('Value error, ')}"
    meant = get_close_matches(value.strip("'"), _CHOICE.findall(message), n=1) if _is_choice(message) else []
    if meant:
        return f"{complaint}, got {value}; did you mean {meant[0]!r}?"
    # A whole section is no help; checks across its keys say themselves what came.
    return complaint if value.startswith("{") else f"{complaint}, got {value}"


def _is_choice(message: str) -> bool:
    """Whether pydantic lists all words that are allowed."""
    return message.startswith("Input should be '")


def known_keys(title: str, path: Sequence[str | int]) -> list[str]:
    """Lists the keys of a part of a settings class.

    Args:
        title: name of the class.
        path: keys from it to the part.

    Returns:
        Names of settings; empty if there is no such class or part.
    """
    for settings in _subclasses(BaseModel):
        if settings.__name__ == title:
            places: list[Any] = [settings]
            for key in path:
                places = [below for place in places for below in _below(place, str(key))]
            names = [name for place in places if _is_settings(place) for name in place.model_fields]
            if names:
                return names
    return []


def _subclasses(base: type[BaseModel]) -> Iterator[type[BaseModel]]:
    for settings in base.__subclasses__():
        yield settings
        yield from _subclasses(settings)


def _is_settings(place: Any) -> bool:
    return isinstance(place, type) and issubclass(place, BaseModel)


def _below(place: Any, key: str) -> list[Any]:
    if _is_settings(place):
        field = place.model_fields.get(key)
        return list(_alternatives(field.annotation)) if field is not None else []
    if get_origin(place) not in (dict, list, tuple):
        return []
    inner = [argument for argument in get_args(place) if argument not in (str, ...)]
    return [found for argument in inner for found in _alternatives(argument)]


def _alternatives(annotation: Any) -> Iterator[Any]:
    origin = get_origin(annotation)
    if origin in (Union, types.UnionType):
        for argument in get_args(annotation):
            yield from _alternatives(argument)
    elif origin is Annotated:
        yield from _alternatives(get_args(annotation)[0])
    else:
        yield annotation
