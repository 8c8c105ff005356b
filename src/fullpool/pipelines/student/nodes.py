"""Node of phase 2."""

from __future__ import annotations

from collections.abc import Iterator

from fullpool.curriculum.settings import StudentSettings
from fullpool.datasets import StageItem, StageOutput, StageProgress
from fullpool.pipelines import stages
from fullpool.pipelines.game import GameSettings, make_setting, origin
from fullpool.pipelines.progress import Goal


def student(
    lineups: StageOutput,
    teachers: StageOutput,
    progress: StageProgress,
    game: GameSettings,
    settings: StudentSettings,
    seed: int,
) -> Iterator[StageItem]:
    """Kedro node: distils the teachers into one student."""
    from fullpool.curriculum.lineups import load_plan
    from fullpool.curriculum.phases import train_student
    from fullpool.learning.policy import load_policy

    setting = make_setting(game, seed)
    groups = load_plan(lineups.folder, setting.spec).groups
    policies = {name: load_policy(folder / "policy", setting.spec) for name, folder in teachers.parts.items()}
    made_by = origin(setting, game) | {"from_teachers": teachers.fingerprint, "student": settings}
    yield from stages.run(
        progress,
        made_by,
        lambda latest: train_student(setting, groups, policies, settings, resume=latest),
        task=f"distils {len(policies)} teachers into one student",
        goal=Goal(settings.budget_agent_steps, "agent-steps"),
        report=stages.log_policy,
    )
