"""The project's pipelines by name."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec

from kedro.pipeline import Pipeline

from fullpool.pipelines import stages

EXTRA = ("baseline",)
"""Pipelines that are no part of `cspl`."""


def register_pipelines() -> dict[str, Pipeline]:
    """Collects the pipelines that exist; `cspl` is the sum of its stages, and the default."""
    names = (*stages.built(), *(n for n in EXTRA if find_spec(f"fullpool.pipelines.{n}") is not None))
    pipelines = {name: _load(name) for name in names}
    cspl = sum((pipelines[name] for name in stages.built()), Pipeline([]))
    return {**pipelines, "cspl": cspl, "__default__": cspl}


def _load(name: str) -> Pipeline:
    module = import_module(f"fullpool.pipelines.{name}.pipeline")
    pipeline = module.create_pipeline()
    assert isinstance(pipeline, Pipeline)
    return pipeline
