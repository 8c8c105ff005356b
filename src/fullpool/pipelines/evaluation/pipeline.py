"""Every agent of the run measured by games on reserved line-ups."""

from __future__ import annotations

from kedro.pipeline import Pipeline, node, pipeline

from fullpool.pipelines.evaluation.nodes import evaluation


def create_pipeline() -> Pipeline:
    """Wires the stage."""
    return pipeline(
        [
            node(
                evaluation,
                inputs=[
                    "lineups.models.generations",
                    "teachers.models.generations",
                    "student.models.generations",
                    "merged.models.generations",
                    "evaluation.models.progress",
                    "params:game",
                    "params:playing",
                    "params:evaluation",
                    "params:seed",
                ],
                outputs="evaluation.models.generations",
                name="evaluation",
            )
        ]
    )
