"""The figures of a stage that a person wants to see first, in a line."""

from __future__ import annotations

from collections.abc import Mapping

HEADLINES = (
    "elo", "win_rate", "train_win_rate", "log_loss", "accuracy", "distill_loss", "policy_loss", "value_loss",
    "entropy", "steps_per_s",
)  # fmt: skip
"""Beginnings of names, the most wanted first; without any of them the first figures are shown."""

NUM_SHOWN = 6


def headline(figures: Mapping[str, float]) -> dict[str, float]:
    """Picks the figures that are shown.

    Args:
        figures: latest figures by name, without the stage.

    Returns:
        At most `NUM_SHOWN` of them, in the order of the headlines.
    """
    wanted = [name for start in HEADLINES for name in figures if name.startswith(start)]
    return {name: figures[name] for name in (wanted or list(figures))[:NUM_SHOWN]}
