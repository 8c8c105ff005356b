"""Distillation of one student: matches on the teachers' line-ups, the teachers' comments, and the learner."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from fullpool.curriculum.settings import StudentSettings
from fullpool.curriculum.weights import with_prefix, without_prefix
from fullpool.curriculum.workers import load_workers, save_workers
from fullpool.games.contract import GameSpec, Shorts
from fullpool.games.lineups import is_reserved
from fullpool.league.play import GameFn
from fullpool.league.seeds import derive_seed
from fullpool.learning.checkpoint import Checkpoint
from fullpool.learning.distillation.learner import DistillationLearner
from fullpool.learning.matches import Learner, Match, MatchRecord
from fullpool.learning.rollout import RolloutWorker
from fullpool.networks.actor_critic import ActorCritic
from fullpool.runtime.shards import ThreadShards, collect_windows


class TeacherMatches:
    """A match function: the student plays both teams of a teacher's line-up, and that teacher comments."""

    def __init__(self, spec: GameSpec, lineups: Mapping[str, Shorts]) -> None:
        """Checks the line-ups.

        Args:
            spec: the game.
            lineups: `[2, P]` of each teacher, by its name.

        Raises:
            ValueError: if there is none, or one is reserved for evaluation.
        """
        if not lineups:
            raise ValueError("the student needs at least one teacher's line-up, got none")
        for name, lineup in lineups.items():
            if is_reserved(*[[spec.heroes[hero] for hero in team] for team in lineup]):
                raise ValueError(f"the line-up of teacher {name!r} is reserved for evaluation")
        self._names = sorted(lineups)
        self._lineups = lineups

    def __call__(self, generator: np.random.Generator) -> Match:
        """Draws a match."""
        name = self._names[int(generator.integers(len(self._names)))]
        lineup = np.asarray(self._lineups[name], np.int16)
        if generator.integers(2):
            lineup = lineup[::-1].copy()
        seed = int(generator.integers(0, 2**63))
        return Match(lineup, (Learner(), Learner()), seed, teacher=name, label=name)


class Distillation:
    """A trainer: each update plays one window under the teachers' eyes and fits the student to them."""

    def __init__(
        self,
        game_fn: GameFn,
        spec: GameSpec,
        settings: StudentSettings,
        network: ActorCritic,
        teachers: Mapping[str, ActorCritic],
        lineups: Mapping[str, Shorts],
        shards: ThreadShards,
        *,
        seed: int,
    ) -> None:
        """Prepares everything; nothing is played yet.

        Args:
            game_fn: makes the games.
            spec: the game.
            settings: of the phase.
            network: the student, to be trained in place.
            teachers: frozen networks by name.
            lineups: `[2, P]` line-up of each.
            shards: threads.
            seed: of the phase.
        """
        self.network = network
        self._shards = shards
        rollout, learner = settings.rollout, settings.distillation
        self._learner = DistillationLearner(
            network,
            spec,
            learner,
            seed=derive_seed(seed, "training", "learner"),
            num_shards=rollout.num_threads,
            map_fn=shards,
        )
        matches = TeacherMatches(spec, lineups)
        self._workers = [
            RolloutWorker(
                game_fn(rollout.num_games // rollout.num_threads),
                matches,
                network,
                teachers.__getitem__,
                window=rollout.window,
                seed=derive_seed(seed, "training", "rollout", index),
                precision=learner.precision,
                driver="teacher" if learner.driver == "teacher-driven" else "student",
            )
            for index in range(rollout.num_threads)
        ]

    @property
    def num_agent_steps(self) -> int:
        """Agent-steps collected so far."""
        return self._learner.num_agent_steps

    @property
    def num_updates(self) -> int:
        """Updates so far."""
        return self._learner.num_updates

    def update(self) -> tuple[dict[str, float], list[MatchRecord]]:
        """Plays one window and learns from the replay.

        Returns:
            The learner's metrics and the matches that ended.
        """
        windows = collect_windows(self._workers, self._shards)
        matches = [match for worker in self._workers for match in worker.take_records()]
        metrics = self._learner.update(windows)
        for worker in self._workers:
            worker.version = self.num_updates
        return metrics, matches

    def save(self) -> Checkpoint:
        """Copies learner, replay, games under way and random states; the teachers are the caller's."""
        saved = self._learner.save()
        arrays = with_prefix(saved.arrays, "learner")
        own, plain_workers = save_workers(self._workers, "worker")
        plain = {"learner": saved.meta, "workers": plain_workers}
        return Checkpoint(saved.weights, saved.optimizer, arrays | own, {"trainer": plain})

    def load(self, checkpoint: Checkpoint) -> None:
        """Puts back what `save` returned."""
        plain, arrays = checkpoint.meta["trainer"], checkpoint.arrays
        own = without_prefix(arrays, "learner")
        self._learner.load(Checkpoint(checkpoint.weights, checkpoint.optimizer, own, plain["learner"]))
        load_workers(self._workers, "worker", arrays, plain["workers"])
