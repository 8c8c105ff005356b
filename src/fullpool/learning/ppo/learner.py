"""The PPO learner: estimates advantages, then takes gradient steps on minibatches of sequences."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import torch
from torch import Tensor

from fullpool.games.contract import GameSpec
from fullpool.learning.checkpoint import Checkpoint
from fullpool.learning.optimiser import MapFn, ShardedAdam, linear_rate, serial_map
from fullpool.learning.ppo.losses import (
    LossTerms,
    Recipe,
    Sample,
    ppo_figures,
    ppo_policy_loss,
    window_loss,
)
from fullpool.learning.ppo.settings import PpoSettings, check_reward_heads
from fullpool.learning.trajectories import Trajectory, select_groups, stack_valid
from fullpool.networks.actor_critic import ActorCritic
from fullpool.networks.precision import precision_context, resolve_precision
from fullpool.numerics.ppo import combine_advantages, explained_variance, normalise_advantages
from fullpool.numerics.returns import gae_advantages
from fullpool.numerics.running import RunningMoments


class PpoLearner:
    """Trains a network by dual-clip PPO on windows that rollout workers collect.

    Attributes:
        network: the network being trained.
        num_agent_steps: decisions of learning agents that entered an update so far.
        num_updates: batches learnt from so far; the version of the policy.
        schedule_start: agent-steps at which the learning rate's schedule begins.
    """

    def __init__(
        self,
        network: ActorCritic,
        spec: GameSpec,
        settings: PpoSettings,
        *,
        seed: int,
        map_fn: MapFn = serial_map,
    ) -> None:
        """Prepares the optimiser and the running statistics.

        Args:
            network: the network to train, in place.
            spec: the game's spec.
            settings: the learner's knobs.
            seed: of the shuffling of sequences.
            map_fn: runs a function on every shard; the learner does not know where.

        Raises:
            ValueError: if the settings' reward heads are not the game's.
        """
        check_reward_heads(settings, spec)
        self.network = network
        self.num_agent_steps = 0
        self.num_updates = 0
        self.schedule_start = 0
        self._spec, self._settings, self._map_fn = spec, settings, map_fn
        heads = [settings.reward_heads[name] for name in spec.reward_heads]
        self._weights = torch.tensor([head.weight for head in heads])
        self._discounts = torch.tensor([head.discount for head in heads])
        self._single = network.num_values != spec.num_reward_heads
        if self._single and len(set(self._discounts.tolist())) > 1:
            raise ValueError(
                f"a single value head needs one discount, got {self._discounts.tolist()}: "
                "give all reward heads the same or set value_heads to per_reward"
            )
        self._returns = RunningMoments(network.num_values, memory=settings.statistics_memory)
        self._spread = RunningMoments(network.num_values, memory=settings.statistics_memory)
        self._shuffle = np.random.Generator(np.random.PCG64(seed))
        self._adam = ShardedAdam(
            network,
            learning_rate=settings.learning_rate,
            epsilon=settings.adam_epsilon,
            gradient_norm=settings.gradient_norm,
        )
        self._dtype = resolve_precision(settings.precision, network.device)
        self._recipe = Recipe(
            policy_fn=partial(ppo_policy_loss, settings=settings),
            figures_fn=ppo_figures,
            value_weight=settings.value_weight,
            entropy_weight=settings.entropy_weight,
            num_epochs=settings.num_epochs,
            minibatch_size=settings.minibatch_size,
        )

    @property
    def value_names(self) -> tuple[str, ...]:
        """Names of the value heads."""
        return ("sum",) if self._single else self._spec.reward_heads

    def update(self, trajectories: Sequence[Trajectory]) -> dict[str, float]:
        """Learns from one batch of windows by PPO.

        Args:
            trajectories: windows of equal length; each is a shard of every minibatch.

        Returns:
            Metrics by name, all finite.

        Raises:
            ValueError: if there is nothing to learn from.
        """
        progress = (self.num_agent_steps - self.schedule_start) / self._settings.schedule_agent_steps
        rate = linear_rate(self._settings.learning_rate, self._settings.final_learning_rate, progress)
        return self.learn(trajectories, self._recipe, learning_rate=rate)

    def learn(
        self, trajectories: Sequence[Trajectory], recipe: Recipe, *, learning_rate: float
    ) -> dict[str, float]:
        """Learns from one batch of windows by any recipe: advantages, targets, minibatches and steps are the same.

        Args:
            trajectories: windows of equal length; each is a shard of every minibatch.
            recipe: what to make of them.
            learning_rate: Adam's step.

        Returns:
            Metrics by name, all finite.

        Raises:
            ValueError: if there is nothing to learn from.
        """
        windows = [trajectory for trajectory in trajectories if trajectory.num_groups > 0]
        number = sum(window.num_agent_steps for window in windows)
        if number == 0:
            raise ValueError("an update needs at least one window with a running match of the learner")
        samples, metrics = self._prepare(windows)
        terms: list[LossTerms] = []
        norms: list[float] = []
        for _ in range(recipe.num_epochs):
            for shards in self._minibatches(samples, recipe.minibatch_size):
                parts = self._gradients(samples, shards, recipe)
                norms.append(self._adam.step([part[0] for part in parts], learning_rate=learning_rate))
                terms += [part[1] for part in parts]
        metrics |= self._summarise(terms, recipe)
        metrics["gradient_norm"] = float(np.mean(norms))
        metrics["learning_rate"] = learning_rate
        metrics["staleness"] = float(np.mean([self.num_updates - window.version for window in windows]))
        self.num_agent_steps += number
        self.num_updates += 1
        metrics["agent_steps"] = float(self.num_agent_steps)
        return metrics

    def _rewards(self, window: Trajectory) -> Tensor:
        """Rewards a value head."""
        if not self._single:
            return window.rewards
        return (window.rewards * self._weights).sum(dim=-1, keepdim=True)

    @torch.no_grad()
    def _values(self, window: Trajectory) -> Tensor:
        """Values of all `T + 1` states in the scale of the rewards."""
        with precision_context(self._dtype, self.network.device):
            memory = None
            if self.network.team_critic is None:
                memory = self.network(window.inputs, window.state).memory
            return self.network.denormalise_values(self.network.values(window.critic, memory))

    def _prepare(self, windows: list[Trajectory]) -> tuple[list[Sample], dict[str, float]]:
        """Estimates advantages and targets and brings them to scale."""
        discounts = self._discounts[:1] if self._single else self._discounts

        def estimate(window: Trajectory) -> tuple[Tensor, Tensor]:
            values = self._values(window)
            advantages = gae_advantages(
                self._rewards(window),
                values[:-1],
                values[1:],
                *(
                    flag.unsqueeze(-1).expand(values.shape[:1].numel() - 1, *values.shape[1:3])
                    for flag in (window.terminated, window.truncated, window.valid)
                ),
                discounts=discounts,
                trace_decay=self._settings.trace_decay,
            )
            return advantages, values[:-1]

        estimates = self._map_fn(estimate, windows)
        valid = stack_valid(windows)
        size = self.network.num_values
        advantages = torch.cat([advantage.reshape(-1, size) for advantage, _ in estimates])
        values = torch.cat([value.reshape(-1, size) for _, value in estimates])
        returns = advantages + values
        self._returns.update(returns, valid)
        self._spread.update(advantages, valid)
        self.network.rescale_values(self._returns.mean.float(), self._returns.std)
        weights = torch.ones(1) if self._single else self._weights
        scales = self._spread.std if self._settings.scale_advantages else torch.ones(size)
        combined = combine_advantages(advantages, scales, weights, mode=self._settings.advantage)
        combined = normalise_advantages(combined, valid)
        targets = self._returns.normalise(returns)
        samples = []
        start = 0
        for window in windows:
            shape = window.actions.shape[:3]
            end = start + shape.numel()
            samples.append(
                Sample(window, combined[start:end].view(shape), targets[start:end].view(*shape, size))
            )
            start = end
        explained = explained_variance(values, returns, valid)
        metrics: dict[str, float] = {}
        for index, name in enumerate(self.value_names):
            metrics[f"explained_variance/{name}"] = float(explained[index])
            metrics[f"advantage_std/{name}"] = float(self._spread.std[index])
            metrics[f"return_mean/{name}"] = float(self._returns.mean[index])
            metrics[f"return_std/{name}"] = float(self._returns.std[index])
        for index, name in enumerate(self._spec.reward_heads):
            paid = sum(float(window.rewards[..., index].sum()) for window in windows)
            metrics[f"reward/{name}"] = paid / max(int(valid.sum()), 1)
        metrics["valid_share"] = float(valid.float().mean())
        return samples, metrics

    def _minibatches(self, samples: list[Sample], size: int) -> list[list[Tensor]]:
        """Splits every shard's shuffled sequences into as many parts as there are minibatches."""
        total = sum(sample.advantages.numel() for sample in samples)
        fewest = min(sample.trajectory.num_groups for sample in samples)
        number = max(1, min(round(total / size), fewest))
        orders = [self._shuffle.permutation(sample.trajectory.num_groups) for sample in samples]
        parts = [[torch.from_numpy(part) for part in np.array_split(order, number)] for order in orders]
        return [list(shards) for shards in zip(*parts, strict=True)]

    def _gradients(
        self, samples: list[Sample], shards: list[Tensor], recipe: Recipe
    ) -> list[tuple[tuple[Tensor, ...], LossTerms]]:
        """Gradients of every shard of a minibatch."""
        players = self._spec.team_size
        decisions = [
            int(sample.trajectory.valid[:, groups].sum()) * players
            for sample, groups in zip(samples, shards, strict=True)
        ]

        def differentiate(item: tuple[Sample, Tensor]) -> tuple[tuple[Tensor, ...], LossTerms]:
            sample, groups = item
            part = Sample(
                select_groups(sample.trajectory, groups),
                sample.advantages.index_select(1, groups),
                sample.targets.index_select(1, groups),
            )
            with torch.enable_grad(), precision_context(self._dtype, self.network.device):
                terms = window_loss(
                    self.network,
                    part,
                    recipe.policy_fn,
                    value_weight=recipe.value_weight,
                    entropy_weight=recipe.entropy_weight,
                    num_decisions=sum(decisions),
                )
            return self._adam.gradients(terms.loss), terms._replace(loss=terms.loss.detach())

        return self._map_fn(differentiate, list(zip(samples, shards, strict=True)))

    def _summarise(self, terms: list[LossTerms], recipe: Recipe) -> dict[str, float]:
        """Means over all decisions of all gradient steps."""
        sums = torch.stack([term.sums for term in terms]).double().sum(dim=0)
        used = torch.stack([term.used for term in terms]).double().sum(dim=0).clamp_min(1.0)
        entropies = torch.stack([term.entropies for term in terms]).double().sum(dim=0)
        number = max(float(sums[2]), 1.0)
        metrics = recipe.figures_fn(float(sums[0]) / number, sums[3:] / number)
        metrics["value_loss"] = float(sums[1]) / number
        errors = torch.stack([term.value_errors for term in terms]).double().sum(dim=0)
        for index, name in enumerate(self.value_names):
            metrics[f"value_loss/{name}"] = float(errors[index]) / number
        for index, head in enumerate(self._spec.action.heads):
            metrics[f"entropy/{head.name}"] = float(entropies[index] / used[index])
            metrics[f"used/{head.name}"] = float(used[index]) / number
        return metrics

    def save(self) -> Checkpoint:
        """Copies weights, optimiser, statistics and counters."""
        arrays = {
            f"{name}.{key}": value.numpy().copy()
            for name, moments in (("returns", self._returns), ("spread", self._spread))
            for key, value in moments.state().items()
        }
        plain: dict[str, Any] = {
            "num_agent_steps": self.num_agent_steps,
            "num_updates": self.num_updates,
            "schedule_start": self.schedule_start,
            "shuffle": self._shuffle.bit_generator.state,
        }
        weights = {name: value.detach().cpu().clone() for name, value in self.network.state_dict().items()}
        return Checkpoint(weights=weights, optimizer=self._adam.state(), arrays=arrays, meta=plain)

    def load(self, checkpoint: Checkpoint) -> None:
        """Puts back what `save` returned."""
        self.network.load_state_dict(checkpoint.weights)
        self._adam.load_state(checkpoint.optimizer)
        for name, moments in (("returns", self._returns), ("spread", self._spread)):
            keys = ("count", "mean", "variance")
            moments.load_state({key: torch.from_numpy(checkpoint.arrays[f"{name}.{key}"]) for key in keys})
        self.num_agent_steps = int(checkpoint.meta["num_agent_steps"])
        self.num_updates = int(checkpoint.meta["num_updates"])
        self.schedule_start = int(checkpoint.meta["schedule_start"])
        self._shuffle.bit_generator.state = checkpoint.meta["shuffle"]
