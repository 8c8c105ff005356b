"""Flattened settings."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from fullpool.pipelines.parameters import differences, flatten


class Inner(BaseModel):
    rate: float
    units: tuple[int, ...]


class Outer(BaseModel):
    inner: Inner
    name: str


def test_settings_mappings_and_plain_values_become_dotted_names() -> None:
    network = Outer(inner=Inner(rate=0.5, units=(1, 2)), name="x")
    flat = flatten({"net": network, "seed": 3, "deep": {"a": {"b": None}}, "file": Path("a/b")})
    assert flat == {
        "deep.a.b": None,
        "file": "a/b",
        "net.inner.rate": 0.5,
        "net.inner.units": [1, 2],
        "net.name": "x",
        "seed": 3,
    }


def test_what_is_no_plain_data_is_named() -> None:
    with pytest.raises(TypeError, match=r"'a\.b' should be settings or plain data, got object"):
        flatten({"a": {"b": object()}})


def test_differences_name_old_and_new() -> None:
    assert differences({"a": 1, "b": 2, "gone": 3}, {"a": 1, "b": 2.5, "new": 4}) == [
        "b 2 → 2.5",
        "gone 3 → (absent)",
        "new (absent) → 4",
    ]


_leaves = st.none() | st.booleans() | st.integers() | st.text() | st.floats(allow_nan=False)
_names = st.text("abc", min_size=1, max_size=3)


_trees = st.recursive(_leaves, lambda inner: st.lists(inner) | st.dictionaries(_names, inner), max_leaves=8)


@settings(max_examples=50)
@given(st.dictionaries(_names, _trees, max_size=4))
def test_a_round_trip_through_json_shows_no_difference(tree: dict[str, object]) -> None:
    flat = flatten(tree)
    assert differences(json.loads(json.dumps(flat)), flat) == []
