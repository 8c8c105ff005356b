"""PPO self-play of one agent: rollouts, matchmaking, snapshots and the learner, held together between updates.

It may start with the imitation of scripted bots, on games of its own and without the league.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fullpool.curriculum.settings import SelfPlaySettings
from fullpool.curriculum.weights import (
    networks_from_arrays,
    networks_to_arrays,
    with_prefix,
    without_prefix,
)
from fullpool.curriculum.workers import load_workers, save_workers
from fullpool.games.contract import GameSpec
from fullpool.league.matchmaker import LineupFn, Matchmaker, imitated_bots
from fullpool.league.play import GameFn
from fullpool.league.population import Population
from fullpool.league.seeds import derive_seed
from fullpool.learning.checkpoint import Checkpoint
from fullpool.learning.imitation.learner import ImitationLearner
from fullpool.learning.imitation.settings import ImitationSettings
from fullpool.learning.matches import MatchFn, MatchRecord
from fullpool.learning.policy import freeze_policy
from fullpool.learning.ppo.learner import PpoLearner
from fullpool.learning.rollout import RolloutWorker
from fullpool.learning.trajectories import Trajectory
from fullpool.networks.actor_critic import ActorCritic
from fullpool.runtime.shards import ThreadShards, collect_windows


class SelfPlay:
    """A trainer: each update plays one window and learns from it."""

    def __init__(
        self,
        game_fn: GameFn,
        spec: GameSpec,
        settings: SelfPlaySettings,
        network: ActorCritic,
        lineup_fn: LineupFn,
        shards: ThreadShards,
        *,
        seed: int,
        imitation: ImitationSettings | None = None,
    ) -> None:
        """Prepares everything; nothing is played yet.

        Args:
            game_fn: makes the games.
            spec: the game.
            settings: of the phase.
            network: to be trained, in place.
            lineup_fn: draws training line-ups.
            shards: threads.
            seed: of the phase.
            imitation: what it starts with, or None.
        """
        self.network = network
        self._spec, self._settings, self._shards = spec, settings, shards
        league = settings.league
        self._population: Population[ActorCritic] = Population(league.capacity, league.payoff_memory)
        self._matchmaker = Matchmaker(spec, league, self._population, lineup_fn)
        self._learner = PpoLearner(
            network, spec, settings.ppo, seed=derive_seed(seed, "training", "learner"), map_fn=shards
        )
        self._workers = self._make_workers(game_fn, self._matchmaker, seed, "rollout")
        self._imitation: ImitationLearner | None = None
        self._bot_workers: list[RolloutWorker] = []
        if imitation is not None:
            self._imitation = ImitationLearner(self._learner, spec, imitation)
            bots = imitated_bots(spec, imitation.bot_shares, lineup_fn)
            self._bot_workers = self._make_workers(game_fn, bots, seed, "imitation")

    def _make_workers(
        self, game_fn: GameFn, match_fn: MatchFn, seed: int, purpose: str
    ) -> list[RolloutWorker]:
        rollout = self._settings.rollout
        return [
            RolloutWorker(
                game_fn(rollout.num_games // rollout.num_threads),
                match_fn,
                self.network,
                self._find,
                window=rollout.window,
                seed=derive_seed(seed, "training", purpose, index),
                precision=self._settings.ppo.precision,
            )
            for index in range(rollout.num_threads)
        ]

    @property
    def num_agent_steps(self) -> int:
        """Agent-steps learnt from so far."""
        return self._learner.num_agent_steps

    @property
    def num_updates(self) -> int:
        """Updates so far."""
        return self._learner.num_updates

    def update(self) -> tuple[dict[str, float], list[MatchRecord]]:
        """Plays one window, learns from it, and now and then keeps a snapshot.

        Returns:
            The learner's metrics and the matches that ended.
        """
        if self._imitation is not None:
            return self._imitate(self._imitation)
        metrics, matches = self._learn(self._workers, self._learner.update)
        self._matchmaker.record(matches)
        if self.num_updates % self._settings.league.snapshot_updates == 0:
            snapshot = freeze_policy(self.network, self._spec).network
            self._population.add(f"update{self.num_updates}", snapshot, self.num_updates)
        return metrics | {"snapshots": float(len(self._population.names))}, matches

    def _imitate(self, learner: ImitationLearner) -> tuple[dict[str, float], list[MatchRecord]]:
        metrics, matches = self._learn(self._bot_workers, learner.update)
        if learner.finished:
            self._end_imitation()
        return metrics, matches

    def _end_imitation(self) -> None:
        """Leaves the bots' matches as they stand, and their memory to others."""
        self._imitation, self._bot_workers = None, []

    def _learn(
        self, workers: list[RolloutWorker], update_fn: Callable[[list[Trajectory]], dict[str, float]]
    ) -> tuple[dict[str, float], list[MatchRecord]]:
        metrics = update_fn(collect_windows(workers, self._shards))
        for worker in (*self._workers, *self._bot_workers):
            worker.version = self.num_updates
        return metrics, [match for worker in workers for match in worker.take_records()]

    def _find(self, name: str) -> ActorCritic:
        return self._population.policies[name]

    def _kinds_of_workers(self) -> tuple[tuple[str, list[RolloutWorker]], ...]:
        """Workers by their name in checkpoints."""
        return ("worker", self._workers), ("bot_worker", self._bot_workers)

    def save(self) -> Checkpoint:
        """Copies learner, games under way, snapshots and random states."""
        saved = self._learner.save()
        arrays = with_prefix(saved.arrays, "learner")
        plain_workers: dict[str, list[dict[str, Any]]] = {}
        for kind, workers in self._kinds_of_workers():
            own, plain_workers[kind] = save_workers(workers, kind)
            arrays |= own
        arrays |= networks_to_arrays(self._population.policies, "snapshots")
        plain = {
            "learner": saved.meta,
            "population": self._population.state(),
            "matchmaker": self._matchmaker.state(),
            "workers": plain_workers,
        }
        return Checkpoint(saved.weights, saved.optimizer, arrays, {"trainer": plain})

    def load(self, checkpoint: Checkpoint) -> None:
        """Puts back what `save` returned."""
        plain, arrays = checkpoint.meta["trainer"], checkpoint.arrays
        own = without_prefix(arrays, "learner")
        self._learner.load(Checkpoint(checkpoint.weights, checkpoint.optimizer, own, plain["learner"]))
        snapshots = networks_from_arrays(arrays, "snapshots", self._spec, self.network.settings)
        self._population.load_state(plain["population"], snapshots)
        self._matchmaker.load_state(plain["matchmaker"])
        if self._imitation is not None and self._imitation.finished:
            self._end_imitation()
        for kind, workers in self._kinds_of_workers():
            load_workers(workers, kind, arrays, plain["workers"][kind])
