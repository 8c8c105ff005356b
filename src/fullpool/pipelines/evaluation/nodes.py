"""Node of the evaluation."""

from __future__ import annotations

from collections.abc import Iterator

from fullpool.datasets import StageItem, StageOutput, StageProgress
from fullpool.league.settings import EvaluationSettings
from fullpool.pipelines import stages
from fullpool.pipelines.game import GameSettings, PlayingSettings, make_setting, origin
from fullpool.pipelines.progress import Goal


def evaluation(
    lineups: StageOutput,
    teachers: StageOutput,
    student: StageOutput,
    merged: StageOutput,
    progress: StageProgress,
    game: GameSettings,
    playing: PlayingSettings,
    settings: EvaluationSettings,
    seed: int,
) -> Iterator[StageItem]:
    """Kedro node: plays every agent of the run against the others and the bots."""
    from fullpool.curriculum.league_table import planned_matches
    from fullpool.curriculum.lineups import load_plan
    from fullpool.pipelines.evaluation.tables import evaluate_stages
    from fullpool.pipelines.figures import log_evaluation

    setting = make_setting(game, seed)
    plan = load_plan(lineups.folder, setting.spec)
    stage_folders = {"teachers": teachers.parts, "student": student.parts, "merged": merged.parts}

    def play() -> stages.Result:
        return evaluate_stages(setting, plan, stage_folders, settings, num_threads=playing.num_threads)

    made_by = origin(setting, game) | {
        "from_merged": merged.fingerprint,
        "playing": playing,
        "evaluation": settings,
    }
    learnt = {"teachers": teachers.rows, "student": student.rows, "merged": merged.rows}
    num_teachers = len(teachers.parts)
    yield from stages.run(
        progress,
        made_by,
        stages.at_once(play),
        task="all agents against one another and the bots",
        goal=Goal(planned_matches(num_teachers + 1, num_teachers, settings), "matches"),
        report=lambda parts: log_evaluation(parts["result"], learnt, confidence=settings.confidence),
    )
