"""Node of the matches stage."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from fullpool.datasets import StageItem, StageOutput, StageProgress
from fullpool.pipelines import stages
from fullpool.pipelines.game import GameSettings, PlayingSettings, make_setting, origin
from fullpool.pipelines.matches.settings import PART, MatchesSettings
from fullpool.pipelines.progress import Goal

if TYPE_CHECKING:
    from fullpool.pipelines.matches.self_play import Chunk


def matches(
    merged: StageOutput,
    progress: StageProgress,
    game: GameSettings,
    playing: PlayingSettings,
    settings: MatchesSettings,
    seed: int,
) -> Iterator[StageItem]:
    """Kedro node: the merged agent plays itself on the whole pool."""
    from fullpool.learning.policy import load_policy
    from fullpool.pipelines.matches.self_play import play_chunks

    setting = make_setting(game, seed)
    network = load_policy(merged.folder / "policy", setting.spec).network

    def play(latest: Mapping[str, Path]) -> Iterator[Chunk]:
        done = stages.number_of(latest.get(PART))
        yield from play_chunks(setting, network, settings, playing, done=done)

    made_by = origin(setting, game) | {
        "from_merged": merged.fingerprint,
        "playing": playing,
        "matches": settings,
    }
    left = settings.left(stages.number_of(progress.latest.get(PART)))
    task = "the merged agent against itself"
    yield from stages.run(progress, made_by, play, goal=Goal(left, "matches"), task=task)
