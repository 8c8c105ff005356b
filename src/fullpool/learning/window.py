"""Memory of one window of decisions, written into by the game and cut into trajectories."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from fullpool.games.contract import BatchViews, GameSpec, allocate_views
from fullpool.learning.trajectories import Guidance, Trajectory, select_critic, select_inputs
from fullpool.networks.types import ActorInputs, CriticInputs, LstmState


class WindowBuffers:
    """Arrays of a window of `T` decisions of `N` matches, reused for every window.

    Attributes:
        views: what the game writes at each of the `T + 1` steps, `[N, 2, ...]`.
        heroes: `[N, 2, P]` int16 hero of each agent.
        actions: `[T, N, 2, P, H]` int32.
        log_probs: `[T, N, 2, P, H]` float32.
        rewards: `[T, N, 2, P, K]` float32.
        terminated: `[T, N]` bool.
        valid: `[T, N]` bool.
    """

    def __init__(self, spec: GameSpec, num_games: int, steps: int) -> None:
        """Allocates the arrays.

        Args:
            spec: the game's spec.
            num_games: matches, N.
            steps: decisions a window, T.
        """
        self.steps = steps
        whole = allocate_views(spec, steps + 1, num_games)
        names = tuple(BatchViews.__dataclass_fields__)
        self.views = [
            BatchViews(**{name: getattr(whole, name)[t] for name in names}) for t in range(steps + 1)
        ]
        self._whole = whole
        agents = (num_games, 2, spec.team_size)
        self.heroes = np.zeros(agents, np.int16)
        self.actions = np.zeros((steps, *agents, len(spec.action.heads)), np.int32)
        self.log_probs = np.zeros((steps, *agents, len(spec.action.heads)), np.float32)
        self.rewards = np.zeros((steps, *agents, spec.num_reward_heads), np.float32)
        self.terminated = np.zeros((steps, num_games), np.bool_)
        self.valid = np.zeros((steps, num_games), np.bool_)

    def clear(self) -> None:
        """Forgets what the last window led to."""
        self.valid[...], self.terminated[...], self.rewards[...] = False, False, 0.0

    def tensors(self) -> tuple[ActorInputs, CriticInputs]:
        """The window's views as tensors, `[T + 1, G, ...]`, without a copy."""
        heroes = np.broadcast_to(self.heroes, (self.steps + 1, *self.heroes.shape)).copy()
        whole = self._whole
        parts = (whole.observation, whole.hero_ids, whole.masks, whole.target_rows, heroes)
        inputs = ActorInputs(*(torch.from_numpy(part).flatten(1, 2) for part in parts))
        critic = (whole.critic, whole.critic_hero_ids)
        return inputs, CriticInputs(*(torch.from_numpy(part).flatten(1, 2) for part in critic))

    def cut(
        self, groups: Tensor | None, state: LstmState, guidance: Guidance | None, *, version: int
    ) -> Trajectory:
        """Cuts teams out of the window.

        Args:
            groups: `[n]` int64 indices of the teams; None takes all without a copy.
            state: recurrent state of all teams before the window.
            guidance: of the cut teams, or None.
            version: of the policy that acted.

        Returns:
            A window of the chosen teams.
        """

        def of_agents(array: NDArray[Any]) -> Tensor:
            whole = torch.from_numpy(array).flatten(1, 2)
            return whole if groups is None else whole.index_select(1, groups)

        def of_games(array: NDArray[np.bool_]) -> Tensor:
            whole = torch.from_numpy(np.repeat(array, 2, axis=1))
            return whole if groups is None else whole.index_select(1, groups)

        inputs, critic = self.tensors()
        terminated = of_games(self.terminated)
        return Trajectory(
            inputs=select_inputs(inputs, groups, 1),
            critic=select_critic(critic, groups, 1),
            actions=of_agents(self.actions),
            log_probs=of_agents(self.log_probs),
            rewards=of_agents(self.rewards),
            terminated=terminated,
            truncated=torch.zeros_like(terminated),
            valid=of_games(self.valid),
            state=state if groups is None else LstmState(*(part[groups] for part in state)),
            version=version,
            guidance=guidance,
        )
