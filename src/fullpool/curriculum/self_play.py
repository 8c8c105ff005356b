"""PPO self-play of one agent: rollouts, matchmaking, snapshots and the learner, held together between updates."""

from __future__ import annotations

from fullpool.curriculum.settings import SelfPlaySettings
from fullpool.curriculum.weights import (
    networks_from_arrays,
    networks_to_arrays,
    with_prefix,
    without_prefix,
)
from fullpool.games.contract import GameSpec
from fullpool.league.matchmaker import LineupFn, Matchmaker
from fullpool.league.play import GameFn
from fullpool.league.population import Population
from fullpool.league.seeds import derive_seed
from fullpool.learning.checkpoint import Checkpoint
from fullpool.learning.matches import MatchRecord
from fullpool.learning.policy import freeze_policy
from fullpool.learning.ppo.learner import PpoLearner
from fullpool.learning.rollout import RolloutWorker
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
        """
        self.network = network
        self._spec, self._settings, self._shards = spec, settings, shards
        league, rollout = settings.league, settings.rollout
        self._population: Population[ActorCritic] = Population(league.capacity, league.payoff_memory)
        self._matchmaker = Matchmaker(spec, league, self._population, lineup_fn)
        self._learner = PpoLearner(
            network, spec, settings.ppo, seed=derive_seed(seed, "training", "learner"), map_fn=shards
        )
        self._workers = [
            RolloutWorker(
                game_fn(rollout.num_games // rollout.num_threads),
                self._matchmaker,
                network,
                self._find,
                window=rollout.window,
                seed=derive_seed(seed, "training", "rollout", index),
                precision=settings.ppo.precision,
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
        windows = collect_windows(self._workers, self._shards)
        matches = [match for worker in self._workers for match in worker.take_records()]
        metrics = self._learner.update(windows)
        self._matchmaker.record(matches)
        for worker in self._workers:
            worker.version = self.num_updates
        if self.num_updates % self._settings.league.snapshot_updates == 0:
            snapshot = freeze_policy(self.network, self._spec).network
            self._population.add(f"update{self.num_updates}", snapshot, self.num_updates)
        return metrics | {"snapshots": float(len(self._population.names))}, matches

    def _find(self, name: str) -> ActorCritic:
        return self._population.policies[name]

    def save(self) -> Checkpoint:
        """Copies learner, games under way, snapshots and random states."""
        saved = self._learner.save()
        arrays = with_prefix(saved.arrays, "learner")
        states = [worker.save() for worker in self._workers]
        for index, (own, _) in enumerate(states):
            arrays |= with_prefix(own, f"worker{index}")
        arrays |= networks_to_arrays(self._population.policies, "snapshots")
        plain = {
            "learner": saved.meta,
            "population": self._population.state(),
            "matchmaker": self._matchmaker.state(),
            "workers": [meta for _, meta in states],
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
        for index, (worker, meta) in enumerate(zip(self._workers, plain["workers"], strict=True)):
            worker.load(without_prefix(arrays, f"worker{index}"), meta)
