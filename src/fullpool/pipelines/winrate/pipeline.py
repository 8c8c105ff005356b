"""The win-rate predictor, and what simple models make of the same matches."""

from __future__ import annotations

from kedro.pipeline import Pipeline, node, pipeline

from fullpool.pipelines.winrate.nodes import winrate


def create_pipeline() -> Pipeline:
    """Wires the stage."""
    return pipeline(
        [
            node(
                winrate,
                inputs=[
                    "matches.models.generations",
                    "winrate.models.progress",
                    "params:game",
                    "params:winrate",
                    "params:seed",
                ],
                outputs="winrate.models.generations",
                name="winrate",
            )
        ]
    )
