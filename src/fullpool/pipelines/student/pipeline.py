"""Phase 2: all teachers distilled into one student."""

from __future__ import annotations

from kedro.pipeline import Pipeline, node, pipeline

from fullpool.pipelines.student.nodes import student


def create_pipeline() -> Pipeline:
    """Wires the stage."""
    return pipeline(
        [
            node(
                student,
                inputs=[
                    "lineups.models.generations",
                    "teachers.models.generations",
                    "student.models.progress",
                    "params:game",
                    "params:student",
                    "params:seed",
                ],
                outputs="student.models.generations",
                name="student",
            )
        ]
    )
