"""Node of the win-rate stage."""

from __future__ import annotations

from collections.abc import Iterator

from fullpool.datasets import StageItem, StageOutput, StageProgress
from fullpool.drafting.settings import WinrateSettings
from fullpool.pipelines import stages
from fullpool.pipelines.game import GameSettings, make_setting, origin


def winrate(
    matches: StageOutput, progress: StageProgress, game: GameSettings, settings: WinrateSettings, seed: int
) -> Iterator[StageItem]:
    """Kedro node: trains the win-rate predictor and compares it with simple models."""
    from fullpool.pipelines.winrate import training

    setting = make_setting(game, seed)
    made_by = origin(setting, game) | {"from_matches": matches.fingerprint, "winrate": settings}
    yield from stages.run(
        progress,
        made_by,
        lambda latest: training.learn_winrate(
            training.load_matches(matches.folders, setting.spec),
            settings,
            seed=seed,
            resume=latest.get(training.PART),
        ),
        task="learns from the recorded matches who wins",
        report=lambda parts: training.report(parts[training.PART]),
    )
