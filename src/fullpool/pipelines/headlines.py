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
    """Picks the figures that are shown: one of each headline, then more of them while there is room.

    Args:
        figures: latest figures by name, without the stage.

    Returns:
        At most `NUM_SHOWN` of them.
    """
    found = [[name for name in figures if name.startswith(start)] for start in HEADLINES]
    firsts = [names[0] for names in found if names]
    others = [name for names in found for name in names[1:]]
    return {name: figures[name] for name in (firsts + others or list(figures))[:NUM_SHOWN]}
