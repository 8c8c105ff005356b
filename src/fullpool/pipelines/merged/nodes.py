"""Node of phase 3."""

from __future__ import annotations

from collections.abc import Iterator

from fullpool.curriculum.settings import MergedSettings
from fullpool.datasets import StageItem, StageOutput, StageProgress
from fullpool.pipelines import stages
from fullpool.pipelines.game import GameSettings, make_setting, origin
from fullpool.pipelines.progress import Goal


def merged(
    student: StageOutput, progress: StageProgress, game: GameSettings, settings: MergedSettings, seed: int
) -> Iterator[StageItem]:
    """Kedro node: goes on from the student by self-play on the whole pool."""
    from fullpool.curriculum.phases import train_merged
    from fullpool.learning.policy import load_policy

    setting = make_setting(game, seed)
    policy = load_policy(student.folder / "policy", setting.spec)
    made_by = origin(setting, game) | {"from_student": student.fingerprint, "merged": settings}
    yield from stages.run(
        progress,
        made_by,
        lambda latest: train_merged(setting, policy, settings, resume=latest),
        task="self-play of the student on the whole pool",
        goal=Goal(settings.budget_agent_steps, "agent-steps"),
        report=stages.log_policy,
    )
