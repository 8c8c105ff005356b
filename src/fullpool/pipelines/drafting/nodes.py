"""Node of the drafting stage."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import comb
from pathlib import Path
from typing import TYPE_CHECKING

from fullpool.datasets import StageItem, StageOutput, StageProgress
from fullpool.drafting.settings import DraftingSettings
from fullpool.pipelines import stages
from fullpool.pipelines.game import GameSettings, PlayingSettings, make_setting, origin

if TYPE_CHECKING:
    from fullpool.datasets import Generation


def drafting(
    merged: StageOutput,
    matches: StageOutput,
    winrate: StageOutput,
    progress: StageProgress,
    game: GameSettings,
    playing: PlayingSettings,
    settings: DraftingSettings,
    seed: int,
) -> Iterator[StageItem]:
    """Kedro node: drafts, learns their values, and lets all strategies meet."""
    from fullpool.drafting.baselines import hero_win_rates
    from fullpool.learning.policy import load_policy
    from fullpool.pipelines.drafting.reporting import report
    from fullpool.pipelines.drafting.work import DraftWork, agent_play, draft_rules
    from fullpool.pipelines.winrate.training import load_matches, predictor_of

    setting = make_setting(game, seed)
    rules = draft_rules(setting.spec, settings)

    def work(latest: Mapping[str, Path]) -> Iterator[Generation]:
        records = load_matches(matches.folders, setting.spec)
        network = load_policy(merged.folder / "policy", setting.spec).network
        own = DraftWork(
            rules=rules,
            predictor=predictor_of(winrate.folder, setting.spec),
            win_rates=hero_win_rates(records, prior_games=settings.prior_games),
            play=agent_play(setting, network, playing),
            settings=settings,
            seed=seed,
        )
        yield from own.run(latest)

    made_by = origin(setting, game) | {
        "from_merged": merged.fingerprint,
        "from_winrate": winrate.fingerprint,
        "playing": playing,
        "drafting": settings,
    }
    meeting = settings.tournament
    num_pairs = comb(len(meeting.strategies), 2)
    task = (
        f"{settings.self_drafts.num_drafts:,} drafts by the search, a value network that learns from them, "
        f"{num_pairs} pairs of strategies with {meeting.num_drafts:,} drafts each"
    )
    yield from stages.run(progress, made_by, work, task=task, report=report)
