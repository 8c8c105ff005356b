"""The imitation learner: fits policy and values to windows that bots played, before PPO takes over."""

from __future__ import annotations

from collections.abc import Sequence

from torch import Tensor

from fullpool.games.contract import GameSpec
from fullpool.learning.imitation.losses import imitation_policy_loss
from fullpool.learning.imitation.settings import ImitationSettings
from fullpool.learning.ppo.learner import PpoLearner
from fullpool.learning.ppo.losses import Recipe
from fullpool.learning.trajectories import Trajectory


class ImitationLearner:
    """Trains the network of a PPO learner by imitation.

    Optimiser, running statistics and counters are the PPO learner's, and saved with it: what imitation learnt of the
    scale of the returns carries over. PPO's learning rate schedule begins where imitation ends.
    """

    def __init__(self, learner: PpoLearner, spec: GameSpec, settings: ImitationSettings) -> None:
        """Borrows a PPO learner.

        Args:
            learner: whose network is trained.
            spec: the game's spec.
            settings: the knobs.
        """
        self._learner, self._settings = learner, settings
        self._heads = tuple(head.name for head in spec.action.heads)
        self._recipe = Recipe(
            policy_fn=imitation_policy_loss,
            figures_fn=self._figures,
            value_weight=settings.value_weight,
            entropy_weight=0.0,
            num_epochs=settings.num_epochs,
            minibatch_size=settings.minibatch_size,
        )

    @property
    def finished(self) -> bool:
        """Whether PPO's turn has come."""
        return self._learner.num_agent_steps >= self._settings.agent_steps

    def update(self, trajectories: Sequence[Trajectory]) -> dict[str, float]:
        """Learns from one batch of windows, one a shard.

        Args:
            trajectories: windows of bots marked as imitated.

        Returns:
            Metrics by name, all finite.

        Raises:
            ValueError: if there is nothing to learn from.
        """
        metrics = self._learner.learn(trajectories, self._recipe, learning_rate=self._settings.learning_rate)
        self._learner.schedule_start = self._learner.num_agent_steps
        return metrics

    def _figures(self, objective: float, sums: Tensor) -> dict[str, float]:
        """Negative log-likelihood a decision, and how often each head that had a choice would choose as the bot."""
        metrics = {"imitation_loss": -objective}
        agreed, chosen = sums.chunk(2)
        for index, head in enumerate(self._heads):
            if chosen[index] > 0:
                metrics[f"agreement/{head}"] = float(agreed[index] / chosen[index])
        return metrics
