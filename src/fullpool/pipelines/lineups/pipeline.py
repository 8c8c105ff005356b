"""The line-up stage: even fixed line-ups for the teachers."""

from __future__ import annotations

from kedro.pipeline import Pipeline, node, pipeline

from fullpool.pipelines.lineups.nodes import lineups


def create_pipeline() -> Pipeline:
    """Wires the stage."""
    return pipeline(
        [
            node(
                lineups,
                inputs=[
                    "lineups.models.progress",
                    "params:game",
                    "params:lineups",
                    "params:records",
                    "params:seed",
                ],
                outputs="lineups.models.generations",
                name="lineups",
            )
        ]
    )
