"""Node of the line-up stage."""

from __future__ import annotations

from collections.abc import Iterator

from fullpool.curriculum.settings import LineupSettings
from fullpool.datasets import StageItem, StageProgress
from fullpool.pipelines import stages
from fullpool.pipelines.game import GameSettings, make_setting, origin


def lineups(
    progress: StageProgress,
    game: GameSettings,
    settings: LineupSettings,
    seed: int,
) -> Iterator[StageItem]:
    """Kedro node: searches the teachers' line-ups and confirms them by bot matches."""
    from fullpool.curriculum.lineups import bot_play, plan_lineups

    setting = make_setting(game, seed)

    def plan() -> stages.Result:
        play = bot_play(
            setting.game_fn, settings.bot, batch_games=settings.batch_games, num_threads=settings.num_threads
        )
        found = plan_lineups(setting.spec, settings, play, seed=seed)
        return stages.Result(found.save)

    made_by = origin(setting, game) | {"lineups": settings}
    yield from stages.run(progress, made_by, stages.at_once(plan))
