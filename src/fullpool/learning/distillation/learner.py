"""The distillation learner: fills a replay with windows and fits the student to what the teachers said."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from fullpool.games.contract import GameSpec
from fullpool.learning.checkpoint import Checkpoint
from fullpool.learning.distillation.losses import LossTerms, distillation_loss
from fullpool.learning.distillation.settings import DistillationSettings
from fullpool.learning.optimiser import MapFn, ShardedAdam, linear_rate, serial_map
from fullpool.learning.replay import SequenceReplay
from fullpool.learning.trajectories import Trajectory, select_groups
from fullpool.networks.actor_critic import ActorCritic
from fullpool.networks.precision import precision_context, resolve_precision
from fullpool.numerics.running import RunningMoments


class DistillationLearner:
    """Trains a student on windows that carry the guidance of its teachers.

    Attributes:
        network: the student.
        num_agent_steps: collected decisions of the student that entered the replay so far.
        num_updates: calls of `update` so far; the version of the policy.
    """

    def __init__(
        self,
        network: ActorCritic,
        spec: GameSpec,
        settings: DistillationSettings,
        *,
        seed: int,
        num_shards: int = 1,
        map_fn: MapFn = serial_map,
    ) -> None:
        """Prepares the optimiser and an empty replay.

        Args:
            network: the student, trained in place.
            spec: the game's spec.
            settings: the learner's knobs.
            seed: of the draws from the replay.
            num_shards: parts of every minibatch; part of the result, unlike where they run.
            map_fn: runs a function on every shard.
        """
        self.network = network
        self.num_agent_steps = 0
        self.num_updates = 0
        self._spec, self._settings, self._map_fn, self._num_shards = spec, settings, map_fn, num_shards
        self._replay = SequenceReplay(settings.replay_agent_steps)
        self._moments = RunningMoments(network.num_values, memory=settings.statistics_memory)
        self._draws = np.random.Generator(np.random.PCG64(seed))
        self._owed = 0.0
        self._adam = ShardedAdam(
            network,
            learning_rate=settings.learning_rate,
            epsilon=settings.adam_epsilon,
            gradient_norm=settings.gradient_norm,
        )
        self._dtype = resolve_precision(settings.precision, network.device)

    def update(self, trajectories: Sequence[Trajectory]) -> dict[str, float]:
        """Stores windows and takes the gradient steps that they are worth.

        Args:
            trajectories: windows with guidance.

        Returns:
            Metrics by name, all finite; losses are absent while the replay warms up.

        Raises:
            ValueError: if a window has no guidance or its teachers have other value heads.
        """
        number = 0
        for window in trajectories:
            self._store(window)
            number += window.num_agent_steps
        self.network.rescale_values(self._moments.mean.float(), self._moments.std)
        progress = self.num_agent_steps / self._settings.schedule_agent_steps
        rate = linear_rate(self._settings.learning_rate, self._settings.final_learning_rate, progress)
        self.num_agent_steps += number
        metrics = {"agent_steps": float(self.num_agent_steps), "learning_rate": rate}
        metrics["replay_agent_steps"] = float(self._replay.num_agent_steps)
        metrics["staleness"] = float(np.mean([self.num_updates - window.version for window in trajectories]))
        self.num_updates += 1
        if self._replay.num_agent_steps < self._settings.warmup_agent_steps:
            return metrics
        self._owed += number * self._settings.replay_ratio
        terms: list[LossTerms] = []
        norms: list[float] = []
        while self._owed >= self._settings.minibatch_size:
            self._owed -= self._settings.minibatch_size
            parts = self._gradients()
            norms.append(self._adam.step([part[0] for part in parts], learning_rate=rate))
            terms += [part[1] for part in parts]
        if terms:
            metrics |= self._summarise(terms)
            metrics["gradient_norm"] = float(np.mean(norms))
        return metrics

    def _store(self, window: Trajectory) -> None:
        """Puts a window into the replay and its teachers' values into the statistics."""
        self._replay.add(window)
        assert window.guidance is not None
        values = window.guidance.values
        if values.shape[-1] != self.network.num_values:
            raise ValueError(
                f"the teachers have {values.shape[-1]} value heads, the student {self.network.num_values}: "
                "give both the same value_heads setting"
            )
        self._moments.update(values, window.valid.unsqueeze(-1).expand(values.shape[:-1]))

    def _gradients(self) -> list[tuple[tuple[Tensor, ...], LossTerms]]:
        """Draws a minibatch and differentiates its shards."""
        sequences = max(
            self._num_shards, round(self._settings.minibatch_size / self._replay.steps_a_sequence)
        )
        batch = self._replay.sample(sequences, self._draws)
        decisions = batch.num_agent_steps

        def differentiate(groups: Tensor) -> tuple[tuple[Tensor, ...], LossTerms]:
            part = select_groups(batch, groups) if self._num_shards > 1 else batch
            with torch.enable_grad(), precision_context(self._dtype, self.network.device):
                terms = distillation_loss(self.network, part, self._settings, num_decisions=decisions)
            return self._adam.gradients(terms.loss), terms._replace(loss=terms.loss.detach())

        return self._map_fn(differentiate, torch.arange(sequences).tensor_split(self._num_shards))

    @staticmethod
    def _summarise(terms: list[LossTerms]) -> dict[str, float]:
        """Means over all decisions of all gradient steps."""
        sums = torch.stack([term.sums for term in terms]).double().sum(dim=0)
        number = max(float(sums[4]), 1.0)
        return {
            "cross_entropy": float(sums[0]) / number,
            "divergence": float(sums[0] - sums[1]) / number,
            "teacher_entropy": float(sums[1]) / number,
            "value_distance": float(sums[2]) / number,
            "agreement": float(sums[3]) / number,
        }

    def save(self) -> Checkpoint:
        """Copies weights, optimiser, replay, statistics and counters."""
        arrays, replay = self._replay.save()
        arrays = {f"replay.{name}": value for name, value in arrays.items()}
        arrays |= {f"moments.{name}": value.numpy().copy() for name, value in self._moments.state().items()}
        plain: dict[str, Any] = {
            "num_agent_steps": self.num_agent_steps,
            "num_updates": self.num_updates,
            "draws": self._draws.bit_generator.state,
            "owed": self._owed,
            "replay": replay,
        }
        weights = {name: value.detach().cpu().clone() for name, value in self.network.state_dict().items()}
        return Checkpoint(weights=weights, optimizer=self._adam.state(), arrays=arrays, meta=plain)

    def load(self, checkpoint: Checkpoint) -> None:
        """Puts back what `save` returned."""
        self.network.load_state_dict(checkpoint.weights)
        self._adam.load_state(checkpoint.optimizer)
        kept = {
            name.removeprefix("replay."): value
            for name, value in checkpoint.arrays.items()
            if name.startswith("replay.")
        }
        self._replay.load(kept, checkpoint.meta["replay"])
        keys = ("count", "mean", "variance")
        self._moments.load_state({key: torch.from_numpy(checkpoint.arrays[f"moments.{key}"]) for key in keys})
        self.num_agent_steps = int(checkpoint.meta["num_agent_steps"])
        self.num_updates = int(checkpoint.meta["num_updates"])
        self._owed = float(checkpoint.meta["owed"])
        self._draws.bit_generator.state = checkpoint.meta["draws"]
