"""Node of the line-up stage."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from fullpool.curriculum.settings import LineupSettings
from fullpool.datasets import StageItem, StageProgress
from fullpool.pipelines import stages
from fullpool.pipelines.game import GameSettings, make_setting, origin
from fullpool.pipelines.lineups.records import figures, origin_of, read_records
from fullpool.pipelines.lineups.settings import RecordsSettings
from fullpool.pipelines.progress import Goal


def lineups(
    progress: StageProgress,
    game: GameSettings,
    settings: LineupSettings,
    records: RecordsSettings,
    seed: int,
) -> Iterator[StageItem]:
    """Kedro node: searches the teachers' line-ups and confirms them by bot matches."""
    from fullpool.curriculum.lineups import bot_play, plan_lineups, planned_matches

    setting = make_setting(game, seed)

    def plan() -> stages.Result:
        table = read_records(records, setting.spec)
        known = None if table is None else (table.lineups, table.team1_win.astype(float))
        play = bot_play(
            setting.game_fn, settings.bot, batch_games=settings.batch_games, num_threads=settings.num_threads
        )
        found = plan_lineups(setting.spec, settings, play, seed=seed, records=known)

        def save(folder: Path) -> None:
            found.save(folder)
            if table is not None:
                table.rejects.to_csv(folder / "rejects.csv", index=False)

        return stages.Result(save, figures(found))

    made_by = origin(setting, game) | {"lineups": settings} | origin_of(records)
    goal = Goal(planned_matches(setting.spec, settings, generated=records.path is None), "matches")
    task = "searches an even line-up for each teacher"
    yield from stages.run(progress, made_by, stages.at_once(plan), goal=goal, task=task)
