"""The real project's pipelines."""

from fullpool.pipeline_registry import register_pipelines

__all__ = ["register_pipelines"]
