"""The phases of curriculum self-play as generators (Ye et al. 2020, section 3.2), and the baseline without them.

Each yields generations; whoever consumes them saves and logs. A phase that is given the folders of its
last generations goes on as if it had never stopped, to the same weights.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from threading import Event

import numpy as np

from fullpool.curriculum.generation import Generation
from fullpool.curriculum.lineups import GroupLineup
from fullpool.curriculum.loop import Label, lineup_set_of, run_phase, skip_phase
from fullpool.curriculum.rating import Arena
from fullpool.curriculum.self_play import SelfPlay
from fullpool.curriculum.settings import (
    BaselineSettings,
    MergedSettings,
    PhaseSettings,
    SelfPlaySettings,
    StudentSettings,
    TeacherSettings,
)
from fullpool.curriculum.side_by_side import StopFn, never, train_side_by_side
from fullpool.curriculum.student import Distillation
from fullpool.curriculum.weights import make_network
from fullpool.games.contract import GameSpec, Shorts
from fullpool.league.evaluation import reserved_lineups
from fullpool.league.matchmaker import LineupFn, fixed_lineups, random_lineups
from fullpool.league.play import GameFn
from fullpool.league.seeds import derive_seed
from fullpool.learning.checkpoint import Checkpoint
from fullpool.learning.imitation.settings import ImitationSettings
from fullpool.learning.policy import Policy
from fullpool.networks.actor_critic import ActorCritic
from fullpool.runtime.shards import ThreadShards


@dataclass(frozen=True, eq=False)
class Setting:
    """What all phases of a run share.

    Attributes:
        game_fn: makes games with room for that many matches.
        spec: the game.
        seed: of the run.
    """

    game_fn: GameFn
    spec: GameSpec
    seed: int

    def seed_of(self, label: Label) -> int:
        """Seed of one agent's training."""
        return derive_seed(self.seed, label.stage, label.name)

    def arena(self, label: Label, settings: PhaseSettings, lineup: Shorts | None = None) -> Arena:
        """Where an agent is rated: on a teacher's own line-up, or on reserved ones."""
        rules = settings.convergence
        if lineup is None:
            lineups = reserved_lineups(self.spec, rules.num_lineups, self.seed)
        else:
            lineups = np.asarray(lineup, np.int16)[None]
        return Arena(
            game_fn=self.game_fn,
            spec=self.spec,
            lineup_set=lineup_set_of(label),
            lineups=lineups,
            batch_games=rules.batch_games,
            num_threads=settings.rollout.num_threads,
            seed=self.seed_of(label),
        )


def train_teachers(
    setting: Setting,
    groups: Sequence[GroupLineup],
    settings: TeacherSettings,
    *,
    resume: Mapping[str, Path] | None = None,
    stop: StopFn = never,
) -> Iterator[Generation]:
    """Phase 1: one teacher a group, each by self-play on its fixed line-up.

    `parallel_teachers` of them train side by side in threads, one generation at a time, so that generations come in
    the same order every time; when one has ended, the next group's starts.

    Args:
        setting: game and seed.
        groups: the fixed line-ups.
        settings: of the phase; the budget is a teacher's.
        resume: folder of the last generation of each part.
        stop: asked after each generation; true pauses.

    Yields:
        Generations, whose parts are the groups' names.
    """
    if not groups:
        raise ValueError("the teachers need at least one group's line-up, got none")
    starts = {group.name: partial(_teacher, setting, group, settings) for group in groups}
    yield from train_side_by_side(
        starts, setting.spec, num_threads=settings.parallel_teachers, resume=resume, stop=stop
    )


def _teacher(
    setting: Setting, group: GroupLineup, settings: TeacherSettings, resume: Checkpoint | None, halt: Event
) -> Iterator[Generation]:
    # Not itself a generator: fresh weights come from torch's global generator, so they are drawn here, by the
    # caller's thread, and not when the first generation is asked for.
    label = Label("teachers", group.name)
    network = make_network(setting.spec, settings.network, derive_seed(setting.seed_of(label), "weights"))
    lineup = group.array
    lineup_fn = fixed_lineups(lineup[None])
    return _self_play(setting, label, settings, settings.imitation, network, lineup_fn, lineup, resume, halt)


def train_student(
    setting: Setting,
    groups: Sequence[GroupLineup],
    teachers: Mapping[str, Policy],
    settings: StudentSettings,
    *,
    resume: Mapping[str, Path] | None = None,
    stop: StopFn = never,
) -> Iterator[Generation]:
    """Phase 2: distils all teachers into one student, on the teachers' line-ups.

    With the driver `none` the phase is left out: its only generation is the fresh network.

    Args:
        setting: game and seed.
        groups: the fixed line-ups.
        teachers: by the names of the groups.
        settings: of the phase.
        resume: folder of the last generation of each part.
        stop: asked after each generation; true pauses.

    Yields:
        Generations, whose part is `student`.

    Raises:
        ValueError: if groups and teachers do not match.
    """
    alone = sorted({group.name for group in groups} ^ set(teachers))
    if alone:
        raise ValueError(
            f"every group needs its teacher and every teacher its group; these stand alone: {alone}"
        )
    start = partial(_student, setting, groups, teachers, settings)
    yield from train_side_by_side({"student": start}, setting.spec, resume=resume, stop=stop)


def _student(
    setting: Setting,
    groups: Sequence[GroupLineup],
    teachers: Mapping[str, Policy],
    settings: StudentSettings,
    resume: Checkpoint | None,
    halt: Event,
) -> Iterator[Generation]:
    label = Label("student", "student")
    seed = setting.seed_of(label)
    network = make_network(setting.spec, settings.network, derive_seed(seed, "weights"))
    networks = {name: policy.network for name, policy in teachers.items()}
    lineups = {group.name: group.array for group in groups}
    arena = setting.arena(label, settings)
    with ThreadShards(settings.rollout.num_threads) as shards:
        trainer = Distillation(
            setting.game_fn, setting.spec, settings, network, networks, lineups, shards, seed=seed
        )
        if settings.distillation.driver == "none":
            yield from skip_phase(label, trainer, arena, settings, resume=resume)
        else:
            yield from run_phase(label, trainer, arena, settings, resume=resume, halt=halt)


def train_merged(
    setting: Setting,
    student: Policy,
    settings: MergedSettings,
    *,
    resume: Mapping[str, Path] | None = None,
    stop: StopFn = never,
) -> Iterator[Generation]:
    """Phase 3: self-play on random line-ups of the whole pool, from the student.

    Args:
        setting: game and seed.
        student: where it starts from.
        settings: of the phase.
        resume: folder of the last generation of each part.
        stop: asked after each generation; true pauses.

    Yields:
        Generations, whose part is `merged`.
    """
    network = ActorCritic(setting.spec, student.settings)
    network.load_state_dict(student.network.state_dict())
    yield from _train_on_pool("merged", setting, settings, None, network, resume, stop)


def train_baseline(
    setting: Setting,
    settings: BaselineSettings,
    *,
    resume: Mapping[str, Path] | None = None,
    stop: StopFn = never,
) -> Iterator[Generation]:
    """No curriculum: self-play on random line-ups of the whole pool, from a fresh network.

    Args:
        setting: game and seed.
        settings: of the run; the budget is all phases' together where the two are compared.
        resume: folder of the last generation of each part.
        stop: asked after each generation; true pauses.

    Yields:
        Generations, whose part is `baseline`.
    """
    seed = setting.seed_of(Label("baseline", "baseline"))
    network = make_network(setting.spec, settings.network, derive_seed(seed, "weights"))
    yield from _train_on_pool("baseline", setting, settings, settings.imitation, network, resume, stop)


def _train_on_pool(
    stage: str,
    setting: Setting,
    settings: SelfPlaySettings,
    imitation: ImitationSettings | None,
    network: ActorCritic,
    resume: Mapping[str, Path] | None,
    stop: StopFn,
) -> Iterator[Generation]:
    lineup_fn = random_lineups(setting.spec)
    start = partial(_self_play, setting, Label(stage, stage), settings, imitation, network, lineup_fn, None)
    yield from train_side_by_side({stage: start}, setting.spec, resume=resume, stop=stop)


def _self_play(
    setting: Setting,
    label: Label,
    settings: SelfPlaySettings,
    imitation: ImitationSettings | None,
    network: ActorCritic,
    lineup_fn: LineupFn,
    lineup: Shorts | None,
    resume: Checkpoint | None,
    halt: Event,
) -> Iterator[Generation]:
    with ThreadShards(settings.rollout.num_threads) as shards:
        trainer = SelfPlay(
            setting.game_fn,
            setting.spec,
            settings,
            network,
            lineup_fn,
            shards,
            seed=setting.seed_of(label),
            imitation=imitation,
        )
        arena = setting.arena(label, settings, lineup)
        yield from run_phase(label, trainer, arena, settings, resume=resume, halt=halt)
