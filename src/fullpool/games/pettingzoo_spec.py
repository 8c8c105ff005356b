"""What the trainer has to know of a PettingZoo game before it plays: read from its spaces, and told by its author."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import combinations
from typing import Any

import numpy as np
from gymnasium import spaces
from pettingzoo import ParallelEnv

from fullpool.games.contract import ActionHead, ActionSpec, GameSpec, ObservationSpec, UnitBlock
from fullpool.games.lineups import is_reserved

BotFn = Callable[[Any, np.random.Generator], Any]
"""A scripted player: an agent's observation, as the game gave it, and randomness in; an action of its space out."""

NOOP, RANDOM = "noop", "random"
"""Bots that every game has: one does nothing, one draws legal actions evenly."""


@dataclass(frozen=True)
class PettingZooGame:
    """What a PettingZoo game cannot say of itself.

    Attributes:
        name: name of the game in checkpoints.
        version: changes when the game's behaviour does.
        max_decisions: no match takes more steps than this.
        teams: agents of both teams; None: by the first letter of their names.
        heroes: names of the pool; empty: the game has no heroes, and places are told apart by nothing.
        reward_heads: names of the heads in `infos[agent]["reward_heads"]`; empty: the plain reward.
        uses: `[A0, H]` which heads each choice of the first head uses; None: all.
        zero_sum: whether rewards sum to zero over all agents at every step.
        decisions_per_second: of game time.
        bots: scripted players by name, beside `noop` and `random`.
    """

    name: str
    version: str
    max_decisions: int
    teams: tuple[tuple[str, ...], tuple[str, ...]] | None = None
    heroes: tuple[str, ...] = ()
    reward_heads: tuple[str, ...] = ()
    uses: tuple[tuple[bool, ...], ...] | None = None
    zero_sum: bool = False
    decisions_per_second: float = 2.0
    bots: Mapping[str, BotFn] = field(default_factory=dict)


def split_teams(
    facts: PettingZooGame, env: ParallelEnv[str, Any, Any]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Says which agents form which team.

    Raises:
        ValueError: if they are not two teams of the same size that hold every agent once.
    """
    agents = list(env.possible_agents)
    teams = facts.teams or _by_first_letter(agents)
    if len(teams) != 2 or len(teams[0]) != len(teams[1]) or not teams[0]:
        raise ValueError(f"a game needs two teams of the same size, got {teams}")
    if sorted([*teams[0], *teams[1]]) != sorted(agents):
        raise ValueError(f"teams {teams} are not the game's agents {agents}, each once")
    return teams


def _by_first_letter(agents: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    letters = sorted({agent[0] for agent in agents})
    if len(letters) != 2:
        raise ValueError(f"agents' names must begin with two different letters, got {agents}; give `teams`")
    first, second = (tuple(agent for agent in agents if agent[0] == letter) for letter in letters)
    return first, second


def _head_sizes(agent: str, space: Any) -> tuple[int, ...]:
    sizes: tuple[int, ...]
    starts: tuple[int, ...]
    if isinstance(space, spaces.Discrete):
        sizes, starts = (int(space.n),), (int(space.start),)
    elif isinstance(space, spaces.MultiDiscrete) and space.nvec.ndim == 1:
        sizes, starts = tuple(map(int, space.nvec)), tuple(map(int, space.start))
    else:
        raise ValueError(f"action space of {agent!r} must be Discrete or a flat MultiDiscrete, got {space}")
    if any(starts):
        raise ValueError(f"action space of {agent!r} must start at 0, got {space}; choice 0 means 'nothing'")
    return sizes


def _observation_size(agent: str, space: Any) -> int:
    inner = space
    if isinstance(space, spaces.Dict):
        if "observation" not in space.spaces:
            raise ValueError(
                f"observation space of {agent!r} is a Dict and needs the key 'observation', it has {list(space)}"
            )
        inner = space["observation"]
    if not isinstance(inner, spaces.Box):
        raise ValueError(
            f"observations of {agent!r} must be a Box, alone or as 'observation' of a Dict, got {inner}"
        )
    return int(np.prod(inner.shape))


@cache
def anonymous_heroes(team_size: int) -> tuple[str, ...]:
    """Names a pool for a game without heroes, large enough for line-ups to train on and reserved ones to measure on.

    Args:
        team_size: agents of a team, P.

    Returns:
        At least 2P names.
    """
    for size in range(2 * team_size, 2 * team_size + 100):
        names = tuple(f"seat{i}" for i in range(size))
        kinds = set()
        for first in combinations(names, team_size):
            for second in combinations([name for name in names if name not in first], team_size):
                kinds.add(is_reserved(first, second))
                if len(kinds) == 2:
                    return names
    raise AssertionError("one line-up in ten is reserved")


def _check_facts(facts: PettingZooGame, team_size: int) -> None:
    if facts.max_decisions < 1:
        raise ValueError(f"max_decisions must be at least 1, got {facts.max_decisions}")
    if facts.heroes and len(facts.heroes) < 2 * team_size:
        raise ValueError(
            f"two teams of {team_size} need at least {2 * team_size} heroes, got {len(facts.heroes)}; give more, "
            "or none if the game has no heroes"
        )
    for label, names in (("heroes", facts.heroes), ("reward_heads", facts.reward_heads)):
        if len(set(names)) != len(names):
            raise ValueError(f"{label} must have different names, got {names}")
    taken = [name for name in (NOOP, RANDOM) if name in facts.bots]
    if taken:
        raise ValueError(f"bots: every game has {taken[0]!r} already; give yours another name")


def game_spec(env: ParallelEnv[str, Any, Any], facts: PettingZooGame) -> GameSpec:
    """Builds the spec of a PettingZoo game.

    Args:
        env: one instance.
        facts: what it cannot say of itself.

    Returns:
        The spec.

    Raises:
        ValueError: if the game breaks a convention of the door; the message says which.
    """
    teams = split_teams(facts, env)
    size = len(teams[0])
    _check_facts(facts, size)
    agents = [*teams[0], *teams[1]]
    heads_of = {_head_sizes(agent, env.action_space(agent)) for agent in agents}
    floats = {_observation_size(agent, env.observation_space(agent)) for agent in agents}
    if len(heads_of) != 1 or len(floats) != 1:
        raise ValueError(
            f"all agents need the same spaces, got action heads {heads_of} and observation sizes {floats}"
        )
    heads = heads_of.pop()
    heroes = facts.heroes or anonymous_heroes(size)
    uses = np.ones((len(heroes), heads[0], len(heads)), np.bool_)
    if facts.uses is not None:
        if np.shape(facts.uses) != uses.shape[1:]:
            raise ValueError(f"uses must be {uses.shape[1:]}, got {np.shape(facts.uses)}")
        uses &= np.array(facts.uses, np.bool_)
    uses[:, :, 0] = True
    names = [f"head{i}" for i in range(len(heads))]
    seen = floats.pop()
    own = UnitBlock("self", 1, seen, (("self", 0, 1),))
    return GameSpec(
        name=facts.name,
        version=facts.version,
        preset="default",
        team_size=size,
        heroes=heroes,
        roles=("any",) * len(heroes),
        observation=ObservationSpec((own,), "self"),
        critic=_critic(getattr(env, "state_space", None), size, seen),
        action=ActionSpec(
            tuple(map(ActionHead, names, heads)), uses, np.zeros((len(heads), heads[0]), np.int32)
        ),
        reward_heads=facts.reward_heads or ("reward",),
        zero_sum=facts.zero_sum,
        max_decisions=facts.max_decisions,
        decisions_per_second=facts.decisions_per_second,
        bots=(NOOP, RANDOM, *facts.bots),
    )


def _critic(space: Any, team_size: int, size: int) -> ObservationSpec | None:
    """What the critic sees of a game with a state: all agents' observations, own team first, the state, the side."""
    if not isinstance(space, spaces.Box):
        return None
    groups = (("own", 0, team_size), ("enemies", team_size, 2 * team_size))
    agents = UnitBlock("agents", 2 * team_size, size, groups)
    return ObservationSpec((agents, UnitBlock("state", 1, int(np.prod(space.shape)) + 1)), "agents")
