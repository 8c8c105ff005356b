"""The drafting stage: drafts that the search makes, the value network, the tournament; each a part of its own.

Every part goes on where it was: after a chunk of drafts, after an epoch, after a pair of the tournament.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fullpool.curriculum.metrics import MetricsRow
from fullpool.curriculum.phases import Setting
from fullpool.datasets import Generation
from fullpool.drafting.formats import load_format
from fullpool.drafting.predictor import WinRatePredictor
from fullpool.drafting.selfdraft import draft_chunks, join_chunks
from fullpool.drafting.settings import DraftingSettings
from fullpool.drafting.state import DraftRules, make_rules
from fullpool.drafting.strategies import DraftKit, make_strategy
from fullpool.drafting.tournament import PlayFn, run_tournament
from fullpool.drafting.value import DraftSamples, ValueNetwork, load_value, save_value, train_value
from fullpool.games.contract import GameSpec, Shorts
from fullpool.league.play import MatchList, play_matches
from fullpool.league.seeds import derive_seed
from fullpool.networks.actor_critic import ActorCritic
from fullpool.pipelines import fitting
from fullpool.pipelines.drafting.example import draft_example
from fullpool.pipelines.drafting.results import (
    Played,
    load_results,
    load_samples,
    save_samples,
)
from fullpool.pipelines.game import PlayingSettings
from fullpool.pipelines.progress import note
from fullpool.pipelines.stages import Result, number_of

DRAFTS, VALUE, TOURNAMENT = "drafts", "value", "tournament"
AGENT = "merged"
Parts = Mapping[str, Path]


def draft_rules(spec: GameSpec, settings: DraftingSettings) -> DraftRules:
    """Fits the format of the settings to a game.

    Raises:
        ValueError: if the format's line-ups are not the game's, or it takes more heroes than the pool holds or the
            tournament leaves.
    """
    draft_format = load_format(settings.format, bans=settings.bans)
    if draft_format.team_size != spec.team_size:
        raise ValueError(
            f"format {settings.format!r} picks {draft_format.team_size} heroes a team, but teams of "
            f"{spec.name} {spec.preset!r} have {spec.team_size}; choose a format with as many picks"
        )
    rules = make_rules(draft_format, spec.heroes)
    closed, num_steps = settings.tournament.closed_heroes, len(draft_format.steps)
    if len(spec.heroes) - closed < num_steps:
        raise ValueError(
            f"tournament.closed_heroes: {closed} of {len(spec.heroes)} heroes leave fewer than the {num_steps} that "
            f"format {settings.format!r} takes, got {closed}; at most {max(len(spec.heroes) - num_steps, 0)}"
        )
    return rules


@dataclass(frozen=True, eq=False)
class DraftWork:
    """What the parts of the stage share.

    Attributes:
        rules: format and pool.
        predictor: rates finished drafts.
        win_rates: `[H]` each hero's win rate in the records.
        play: plays line-ups, for the tournament.
        settings: of the stage.
        seed: of the run.
    """

    rules: DraftRules
    predictor: WinRatePredictor
    win_rates: NDArray[np.float64]
    play: PlayFn
    settings: DraftingSettings
    seed: int

    @cached_property
    def own_seed(self) -> int:
        """Seed of the stage."""
        return derive_seed(self.seed, "drafting") % 2**31

    def run(self, latest: Parts) -> Iterator[Generation]:
        """Does what is left to do.

        Args:
            latest: last generation of each part.

        Yields:
            Generations of the three parts, one part after the other.
        """
        samples = yield from self._draft(latest.get(DRAFTS))
        network = yield from self._value(samples, latest.get(VALUE))
        yield from self._tournament(network, latest.get(TOURNAMENT))

    def _draft(self, resume: Path | None) -> Generator[Generation, None, DraftSamples]:
        own, chunks, done = self.settings.self_drafts, [], 0
        if resume is not None:
            samples, done = load_samples(resume)
            chunks = [samples]
        note(f"{DRAFTS}: {done} of {own.num_chunks} chunks")
        for number, _, new in draft_chunks(
            self.rules, self.predictor.predict_owners, own, seed=self.own_seed, done=done
        ):
            samples = join_chunks([*chunks, new])
            chunks = [samples]
            values = {"drafts": float(len(samples)), "draft_value": float(new.values.mean())}
            note(f"{DRAFTS}: {len(samples):,} of {own.num_drafts:,}")
            yield Result(_saver(samples, number + 1), (MetricsRow(len(samples), values),), DRAFTS, number + 1)
        return chunks[0]

    def _value(self, samples: DraftSamples, resume: Path | None) -> Generator[Generation, None, ValueNetwork]:
        if resume is not None and (resume / VALUE).is_dir():
            return load_value(resume / VALUE, self.rules)
        settings = self.settings
        epochs = train_value(
            samples,
            self.rules,
            settings.value,
            validation=settings.value_validation,
            seed=self.own_seed,
            resume=None if resume is None else fitting.load_state(resume),
        )
        trained: list[ValueNetwork] = []

        def finish(network: ValueNetwork) -> tuple[fitting.SaveFn, dict[str, float]]:
            trained.append(network)
            return lambda folder: save_value(folder / VALUE, network), {}

        yield from fitting.generations(epochs, VALUE, finish, prefix="value_")
        return trained[0]

    def _tournament(self, network: ValueNetwork, resume: Path | None) -> Iterator[Generation]:
        settings = self.settings
        kit = DraftKit(
            self.rules,
            self.predictor.predict_owners,
            self.win_rates,
            network,
            settings.rollout_search,
            settings.value_search,
        )
        strategies = [make_strategy(name, kit) for name in settings.tournament.strategies]
        results = [] if resume is None else load_results(resume)
        for result in run_tournament(
            self.rules,
            strategies,
            self.predictor.predict_owners,
            settings.tournament,
            seed=self.own_seed,
            play_fn=self.play,
            progress_fn=lambda done, total: note(f"{TOURNAMENT}: {done:,} of {total:,} drafts"),
            done=number_of(resume),
        ):
            results.append(result)
            # The first strategies of the list are the ones that a person wants to see at work.
            example = draft_example(self.rules, strategies[0], strategies[1], seed=self.own_seed)
            played = Played(tuple(results), example, settings.tournament.confidence)
            yield Result(played.save, played.last_rows(), TOURNAMENT, len(results))


def agent_play(setting: Setting, network: ActorCritic, playing: PlayingSettings) -> PlayFn:
    """Makes the judge by games: the agent plays both teams of each drafted line-up once.

    Args:
        setting: game and seed.
        network: the agent, frozen.
        playing: how matches are played.

    Returns:
        The function; it swaps the sides of the map in every second match.
    """

    def play(lineups: Shorts) -> NDArray[np.float64]:
        note(f"{TOURNAMENT}: playing {len(lineups):,} drafted line-ups")
        # The same drafts are played alike, whether the stage was cut short before them or not.
        drafted = sha256(np.ascontiguousarray(lineups).tobytes()).hexdigest()
        seed = derive_seed(setting.seed, "drafting", drafted)
        swapped = np.arange(len(lineups)) % 2 == 1
        sides = np.where(swapped[:, None, None], lineups[:, ::-1], lineups)
        seeds = np.random.default_rng(seed).integers(0, 2**63, len(lineups), dtype=np.uint64)
        results = play_matches(
            setting.game_fn,
            MatchList(sides, [(AGENT, AGENT)] * len(lineups), seeds),
            {AGENT: network},
            batch_games=playing.batch_games,
            seed=seed,
            num_threads=playing.num_threads,
        )
        return np.where(swapped, 1.0 - results.scores, results.scores)

    return play


def _saver(samples: DraftSamples, num_chunks: int) -> fitting.SaveFn:
    return lambda folder: save_samples(folder, samples, num_chunks)
