"""Node of the baseline."""

from __future__ import annotations

from collections.abc import Iterator

from fullpool.curriculum.settings import BaselineSettings
from fullpool.datasets import StageItem, StageProgress
from fullpool.pipelines import stages
from fullpool.pipelines.game import GameSettings, make_setting, origin
from fullpool.pipelines.progress import Goal


def baseline(
    progress: StageProgress, game: GameSettings, settings: BaselineSettings, seed: int
) -> Iterator[StageItem]:
    """Kedro node: trains on the whole pool from the start."""
    from fullpool.curriculum.phases import train_baseline

    setting = make_setting(game, seed)
    made_by = origin(setting, game) | {"baseline": settings}
    yield from stages.run(
        progress,
        made_by,
        lambda latest: train_baseline(setting, settings, resume=latest),
        task="self-play of a fresh network on the whole pool",
        goal=Goal(settings.budget_agent_steps, "agent-steps"),
        report=stages.log_policy,
    )
