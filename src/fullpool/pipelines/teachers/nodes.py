"""Node of phase 1."""

from __future__ import annotations

from collections.abc import Iterator

from fullpool.curriculum.settings import TeacherSettings
from fullpool.datasets import StageItem, StageOutput, StageProgress
from fullpool.pipelines import stages
from fullpool.pipelines.game import GameSettings, make_setting, origin
from fullpool.pipelines.progress import Goal


def teachers(
    lineups: StageOutput, progress: StageProgress, game: GameSettings, settings: TeacherSettings, seed: int
) -> Iterator[StageItem]:
    """Kedro node: trains one teacher a group."""
    from fullpool.curriculum.lineups import load_plan
    from fullpool.curriculum.phases import train_teachers

    setting = make_setting(game, seed)
    groups = load_plan(lineups.folder, setting.spec).groups
    made_by = origin(setting, game) | {"from_lineups": lineups.fingerprint, "teachers": settings}
    yield from stages.run(
        progress,
        made_by,
        lambda latest: train_teachers(setting, groups, settings, resume=latest),
        task=f"{len(groups)} teachers, each on its line-up",
        goal=Goal(settings.budget_agent_steps * len(groups), "agent-steps"),
        report=stages.log_policies,
    )
