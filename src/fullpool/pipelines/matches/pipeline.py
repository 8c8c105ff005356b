"""Matches that the final agent plays against itself, recorded for the drafting stages."""

from __future__ import annotations

from kedro.pipeline import Pipeline, node, pipeline

from fullpool.pipelines.matches.nodes import matches


def create_pipeline() -> Pipeline:
    """Wires the stage."""
    return pipeline(
        [
            node(
                matches,
                inputs=[
                    "merged.models.generations",
                    "matches.models.progress",
                    "params:game",
                    "params:playing",
                    "params:matches",
                    "params:seed",
                ],
                outputs="matches.models.generations",
                name="matches",
            )
        ]
    )
