"""What a user's PettingZoo game answers, checked: each error names the agent, what was due and what came."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fullpool.games.contract import DRAW, TEAM_A_WON, TEAM_B_WON, Ints

_RETURNED = {
    "reset": ("observations", "infos"),
    "step": ("observations", "rewards", "terminations", "truncations", "infos"),
}


class Told:
    """What `reset` or `step` of a parallel environment returned.

    Attributes:
        observations: by agent.
        rewards: by agent; empty after a reset.
        infos: by agent.
    """

    def __init__(self, call: str, returned: Any, agents: Mapping[str, Any]) -> None:
        """Takes the dicts apart.

        Args:
            call: `reset` or `step`.
            returned: what it returned.
            agents: all agents there are.

        Raises:
            ValueError: if it is not as many dicts as PettingZoo's form has, or speaks of an agent that there is not.
        """
        check_form(call, returned)
        parts = dict(zip(_RETURNED[call], returned, strict=True))
        for name, part in parts.items():
            unknown = [agent for agent in part if agent not in agents]
            if unknown:
                raise ValueError(f"{call} returned {name} of {unknown[0]!r}; the agents are {list(agents)}")
        self.observations: Mapping[str, Any] = parts["observations"]
        self.rewards: Mapping[str, Any] = parts.get("rewards", {})
        self.infos: Mapping[str, Any] = parts["infos"]

    def reward_heads(self, agent: str, number: int) -> Any:
        """An agent's reward: the plain one, or its heads where the game has several.

        Raises:
            ValueError: if it has not as many heads.
        """
        heads = self.infos.get(agent, {}).get("reward_heads") if number > 1 else None
        if heads is None and number > 1:
            raise ValueError(
                f"infos[{agent!r}]['reward_heads'] is missing; the game was said to have {number} heads"
            )
        reward = np.asarray(self.rewards[agent] if heads is None else heads, np.float32).reshape(-1)
        if len(reward) != number:
            raise ValueError(f"reward of {agent!r} must be {number} number(s), got {len(reward)}: {reward}")
        return reward

    def winner(self) -> int | None:
        """Who won, if some agent's info says so.

        Raises:
            ValueError: if it is none of the three.
        """
        for agent, info in self.infos.items():
            if "winner" in info:
                if info["winner"] not in (TEAM_A_WON, TEAM_B_WON, DRAW):
                    raise ValueError(
                        f"infos[{agent!r}]['winner'] must be 0 (first team), 1 (second team) or 2 (draw), "
                        f"got {info['winner']!r}"
                    )
                return int(info["winner"])
        return None


def check_form(call: str, returned: Any) -> None:
    """Refuses what is not as many dicts as PettingZoo's form has.

    Args:
        call: `reset` or `step`.
        returned: what it returned.

    Raises:
        ValueError: if the number or type is another.
    """
    names = _RETURNED[call]
    if not isinstance(returned, tuple | list) or len(returned) != len(names):
        number = f"{len(returned)} values" if isinstance(returned, tuple | list) else type(returned).__name__
        raise ValueError(f"{call} must return {len(names)} dicts ({', '.join(names)}), got {number}")
    for name, part in zip(names, returned, strict=True):
        if not isinstance(part, Mapping):
            raise ValueError(f"{call} must return {name} as a dict by agent, got {type(part).__name__}")


def vector(who: str, observation: Any, size: int) -> NDArray[np.float32]:
    """What an agent sees, or a state, as a flat vector of the size of its space.

    Raises:
        ValueError: if the size is another, or a dict lacks `observation`.
    """
    inner = observation
    if isinstance(observation, Mapping):
        if "observation" not in observation:
            raise ValueError(f"{who} needs the key 'observation', has {list(observation)}")
        inner = observation["observation"]
    flat = np.asarray(inner, np.float32).reshape(-1)
    if len(flat) != size:
        raise ValueError(f"{who} must be {size} numbers, as its space says, got {len(flat)}")
    return flat


def agent_mask(agent: str, observation: Any, sizes: Sequence[int]) -> NDArray[np.uint8]:
    """An agent's mask, one head after another; all ones if the game gives none.

    Raises:
        ValueError: if a part does not have a number a choice.
    """
    mask = observation.get("action_mask") if isinstance(observation, Mapping) else None
    if mask is None:
        return np.ones(sum(sizes), np.uint8)
    parts = list(mask) if isinstance(mask, tuple | list) and len(sizes) > 1 else [mask]
    lengths = [int(np.size(part)) for part in parts]
    if lengths != list(sizes):
        raise ValueError(
            f"action_mask of {agent!r} must be "
            + (
                f"a vector of {sizes[0]}"
                if len(sizes) == 1
                else f"a tuple of vectors of {', '.join(map(str, sizes))}"
            )
            + f", a number a choice; got {', '.join(map(str, lengths))}"
        )
    return np.concatenate([(np.asarray(part).reshape(-1) != 0).astype(np.uint8) for part in parts])


def action_row(who: str, action: Any, sizes: Sequence[int]) -> Ints:
    """Puts an action into one whole number a head.

    Args:
        who: names the agent in errors.
        action: a whole number for one head, as many as there are heads otherwise.
        sizes: choices of each head.

    Returns:
        `[H]` choices.

    Raises:
        TypeError: if it is no whole number, or not as many as there are heads.
        ValueError: if a number is none of its head's choices.
    """
    wanted = "a whole number" if len(sizes) == 1 else f"{len(sizes)} whole numbers"
    try:
        given = np.asarray(action)
    except ValueError:
        given = np.asarray(None)  # a ragged list
    shape = given.shape or (1,)
    if given.dtype.kind not in "iu" or shape != (len(sizes),):
        got = f"{given.dtype} {given.shape}" if given.dtype.kind in "iufb" else type(action).__name__
        raise TypeError(f"action of {who} must be {wanted}, got {action!r} ({got})")
    row = given.reshape(-1)
    for head, (choice, size) in enumerate(zip(row, sizes, strict=True)):
        if not 0 <= choice < size:
            place = "" if len(sizes) == 1 else f", number {head},"
            raise ValueError(f"action of {who}{place} must lie in [0, {size}), got {choice}")
    return row.astype(np.int32)
