"""Drafts by the search, the value network that learns from them, and the tournament of all strategies."""

from __future__ import annotations

from kedro.pipeline import Pipeline, node, pipeline

from fullpool.pipelines.drafting.nodes import drafting


def create_pipeline() -> Pipeline:
    """Wires the stage."""
    return pipeline(
        [
            node(
                drafting,
                inputs=[
                    "merged.models.generations",
                    "matches.models.generations",
                    "winrate.models.generations",
                    "drafting.models.progress",
                    "params:game",
                    "params:playing",
                    "params:drafting",
                    "params:seed",
                ],
                outputs="drafting.models.generations",
                name="drafting",
            )
        ]
    )
