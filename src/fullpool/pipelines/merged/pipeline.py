"""Phase 3: self-play from the student on random line-ups of the whole pool."""

from __future__ import annotations

from kedro.pipeline import Pipeline, node, pipeline

from fullpool.pipelines.merged.nodes import merged


def create_pipeline() -> Pipeline:
    """Wires the stage."""
    return pipeline(
        [
            node(
                merged,
                inputs=[
                    "student.models.generations",
                    "merged.models.progress",
                    "params:game",
                    "params:merged",
                    "params:seed",
                ],
                outputs="merged.models.generations",
                name="merged",
            )
        ]
    )
