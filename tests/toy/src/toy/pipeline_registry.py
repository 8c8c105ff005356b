"""The toy's pipelines and nodes."""

from __future__ import annotations

from collections.abc import Iterator

from kedro.pipeline import Pipeline, node, pipeline

from fullpool.datasets import StageItem, StageOutput, StageProgress
from fullpool.pipelines import stages
from toy.walk import Total, WalkSettings, walk


def walk_node(progress: StageProgress, settings: WalkSettings, seed: int) -> Iterator[StageItem]:
    """Kedro node: the walk."""
    made_by = {"walk": settings, "seed": seed}
    yield from stages.run(progress, made_by, lambda latest: walk(settings, seed, latest))


def total_node(walked: StageOutput, progress: StageProgress) -> Iterator[StageItem]:
    """Kedro node: adds the positions up."""
    made_by = {"walk": walked.fingerprint}
    positions = [row["values"]["position"] for row in walked.rows]
    yield from stages.run(progress, made_by, lambda latest: iter([Total(sum(positions))]))


def register_pipelines() -> dict[str, Pipeline]:
    """Two stages and their sum."""
    walking = pipeline(
        [
            node(
                walk_node,
                ["walk.models.progress", "params:walk", "params:seed"],
                "walk.models.generations",
                name="walk",
            )
        ]
    )
    adding = pipeline(
        [
            node(
                total_node,
                ["walk.models.generations", "total.models.progress"],
                "total.models.generations",
                name="total",
            )
        ]
    )
    return {"walk": walking, "total": adding, "__default__": walking + adding}
