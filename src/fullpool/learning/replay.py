"""A ring of sequences in half precision."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from fullpool.learning.trajectories import Guidance, Trajectory
from fullpool.networks.types import ActorInputs, CriticInputs, LstmState

FIELDS = (
    "observation",
    "hero_ids",
    "masks",
    "target_rows",
    "heroes",
    "critic",
    "critic_hero_ids",
    "actions",
    "valid",
    "logits",
    "values",
    "hidden",
    "cell",
)
HALF = frozenset({"observation", "critic", "logits", "hidden", "cell"})


class SequenceReplay:
    """The last sequences of one team each, with what their teachers said of them.

    Floats are stored as float16, but for the teachers' values, whose scale is the game's.

    Attributes:
        capacity: number of sequences that fit.
        size: number of sequences inside.
    """

    def __init__(self, max_agent_steps: int) -> None:
        """Prepares an empty ring; memory is taken when the first window shows the shapes.

        Args:
            max_agent_steps: upper bound of the agent-steps inside, idle ones included.
        """
        self._max_agent_steps = max_agent_steps
        self._arrays: dict[str, Tensor] = {}
        self._next = 0
        self.size = 0
        self.capacity = 0
        self.steps_a_sequence = 0

    @property
    def num_agent_steps(self) -> int:
        """Agent-steps inside, idle ones included."""
        return self.size * self.steps_a_sequence

    def add(self, trajectory: Trajectory) -> None:
        """Stores every sequence of a window; the oldest make room.

        Args:
            trajectory: a window with guidance.

        Raises:
            ValueError: if the window has no guidance, or one sequence is more than the replay may hold.
        """
        parts = _parts(trajectory)
        if not self._arrays:
            self._allocate(parts)
        for start in range(0, trajectory.num_groups, self.capacity):
            chunk = {name: part[start : start + self.capacity] for name, part in parts.items()}
            number = chunk["valid"].shape[0]
            index = (self._next + torch.arange(number)) % self.capacity
            for name, part in chunk.items():
                self._arrays[name][index] = part.to(self._arrays[name].dtype)
            self._next = (self._next + number) % self.capacity
            self.size = min(self.size + number, self.capacity)

    def _allocate(self, parts: dict[str, Tensor]) -> None:
        steps, players = parts["actions"].shape[1:3]
        self.steps_a_sequence = steps * players
        self.capacity = self._max_agent_steps // self.steps_a_sequence
        if self.capacity < 1:
            raise ValueError(
                f"a replay of {self._max_agent_steps} agent-steps holds no sequence of {steps} decisions of "
                f"{players} agents: make it at least {self.steps_a_sequence}"
            )
        for name, part in parts.items():
            dtype = torch.float16 if name in HALF else part.dtype
            self._arrays[name] = torch.zeros((self.capacity, *part.shape[1:]), dtype=dtype)

    def sample(self, number: int, generator: np.random.Generator) -> Trajectory:
        """Draws sequences uniformly, without repetition where there are enough.

        Args:
            number: sequences wanted.
            generator: source of the choice.

        Returns:
            A window of that many teams; rewards, terminations and behaviour log-probabilities are zero.
        """
        index = torch.from_numpy(generator.choice(self.size, size=number, replace=number > self.size))

        def pick(name: str) -> Tensor:
            part = self._arrays[name].index_select(0, index)
            return part.float() if name in HALF else part

        def window(name: str) -> Tensor:
            return pick(name).transpose(0, 1).contiguous()

        actions, valid, values = window("actions"), window("valid"), window("values")
        return Trajectory(
            inputs=ActorInputs(*(window(name) for name in FIELDS[:5])),
            critic=CriticInputs(window("critic"), window("critic_hero_ids")),
            actions=actions,
            log_probs=torch.zeros(actions.shape),
            rewards=torch.zeros_like(values),
            terminated=torch.zeros_like(valid),
            truncated=torch.zeros_like(valid),
            valid=valid,
            state=LstmState(pick("hidden"), pick("cell")),
            version=0,
            guidance=Guidance(window("logits"), values),
        )

    def save(self) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
        """Copies the filled part of the ring: arrays by name, and JSON data."""
        arrays = {name: part[: self.size].numpy().copy() for name, part in self._arrays.items()}
        return arrays, {"next": self._next, "size": self.size}

    def load(self, arrays: dict[str, NDArray[Any]], plain: dict[str, Any]) -> None:
        """Puts back what `save` returned.

        Raises:
            ValueError: if the ring had another size.
        """
        self._arrays, self._next, self.size = {}, 0, 0
        if not arrays:
            return
        parts = {name: torch.from_numpy(arrays[name]) for name in FIELDS}
        self._allocate(parts)
        if int(plain["size"]) > self.capacity:
            raise ValueError(
                f"the checkpoint's replay holds {plain['size']} sequences, this run's at most {self.capacity}: "
                "keep replay_agent_steps"
            )
        for name, part in parts.items():
            self._arrays[name][: part.shape[0]] = part
        self._next, self.size = int(plain["next"]) % self.capacity, int(plain["size"])


def _parts(trajectory: Trajectory) -> dict[str, Tensor]:
    """What the replay keeps of a window, sequences first: `[G, T, ...]`, states `[G, ...]`."""
    if trajectory.guidance is None:
        raise ValueError("the replay takes windows with guidance: give every match of the learner a teacher")
    inputs = trajectory.decided_inputs()
    critic = CriticInputs(*(part[:-1] for part in trajectory.critic))
    windows = (*inputs, *critic, trajectory.actions, trajectory.valid, *trajectory.guidance)
    parts = {name: part.transpose(0, 1) for name, part in zip(FIELDS, windows, strict=False)}
    return {**parts, "hidden": trajectory.state.hidden, "cell": trajectory.state.cell}
