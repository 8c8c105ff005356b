"""Settings as flat, plain data: for the tracker, and to tell whether a stage was made with the same ones."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import PurePath
from typing import Any

from pydantic import BaseModel

CAMPAIGN = "campaign"
RUNTIME_ONLY = (CAMPAIGN, "mlflow_run_id", "mlflow_run_name")
"""Parameters of `--params` that no node takes."""


def flatten(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Flattens settings to dotted names.

    Args:
        parameters: settings objects, mappings and plain values by name.

    Returns:
        Plain JSON values by dotted name, sorted; a list is one value.

    Raises:
        TypeError: if a value is neither settings nor plain data.
    """
    return dict(sorted(_leaves("", parameters)))


def differences(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    """Lists what differs between two flattened settings, as `name old → new`."""
    absent = "(absent)"
    return [
        f"{name} {old.get(name, absent)} → {new.get(name, absent)}"
        for name in sorted(old.keys() | new.keys())
        if old.get(name, absent) != new.get(name, absent)
    ]


def _leaves(prefix: str, parameters: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for key, value in parameters.items():
        name = f"{prefix}{key}"
        plain = value.model_dump(mode="json") if isinstance(value, BaseModel) else value
        if isinstance(plain, Mapping):
            yield from _leaves(f"{name}.", plain)
        else:
            yield name, _plain(name, plain)


def _plain(name: str, value: Any) -> Any:
    if isinstance(value, PurePath):
        return str(value)
    try:
        return json.loads(json.dumps(value))
    except TypeError as error:
        raise TypeError(
            f"parameter {name!r} should be settings or plain data, got {type(value).__name__}"
        ) from error
