"""Phase 1: one teacher a group, by self-play on its fixed line-up."""

from __future__ import annotations

from kedro.pipeline import Pipeline, node, pipeline

from fullpool.pipelines.teachers.nodes import teachers


def create_pipeline() -> Pipeline:
    """Wires the stage."""
    return pipeline(
        [
            node(
                teachers,
                inputs=[
                    "lineups.models.generations",
                    "teachers.models.progress",
                    "params:game",
                    "params:teachers",
                    "params:seed",
                ],
                outputs="teachers.models.generations",
                name="teachers",
            )
        ]
    )
