"""No curriculum: self-play on random line-ups from a fresh network."""

from __future__ import annotations

from kedro.pipeline import Pipeline, node, pipeline

from fullpool.pipelines.baseline.nodes import baseline


def create_pipeline() -> Pipeline:
    """Wires the stage."""
    return pipeline(
        [
            node(
                baseline,
                inputs=[
                    "baseline.models.progress",
                    "params:game",
                    "params:baseline",
                    "params:seed",
                ],
                outputs="baseline.models.generations",
                name="baseline",
            )
        ]
    )
