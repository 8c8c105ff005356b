"""Kedro datasets for what stages leave behind: generations, and how far a stage has come."""

from fullpool.datasets.stage import (
    Generation,
    MetricsRow,
    StageDataset,
    StageItem,
    StageOutput,
    StageProgress,
    StageProgressDataset,
)

__all__ = [
    "Generation",
    "MetricsRow",
    "StageDataset",
    "StageItem",
    "StageOutput",
    "StageProgress",
    "StageProgressDataset",
]
