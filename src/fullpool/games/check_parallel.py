"""Checks a PettingZoo parallel environment by the rules that training with respawning heroes needs."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
from pettingzoo import ParallelEnv

from fullpool.games.check import CheckReport
from fullpool.games.check_rules import ZERO_SUM_TOLERANCE


def check_parallel_env(
    env: ParallelEnv[str, Any, Any], *, seed: int = 0, steps: int = 200, zero_sum: bool = False
) -> CheckReport:
    """Plays a parallel environment with masked and with unmasked random actions.

    Args:
        env: the environment; its episode is lost.
        seed: seed of episodes and actions.
        steps: steps played a check.
        zero_sum: whether rewards must sum to zero over all agents at every step.

    Returns:
        The problems, one line each, and the speed.
    """
    problems: list[str] = []
    checks: dict[str, Callable[[], Iterator[str]]] = {
        "play": lambda: _play_problems(env, seed, steps, zero_sum, masked=True),
        "illegal actions": lambda: _play_problems(env, seed, steps, zero_sum, masked=False),
        "determinism": lambda: _determinism_problems(env, seed, min(steps, 40)),
    }
    begin, played = time.perf_counter(), 0
    for name, run in checks.items():
        try:
            problems += [f"{name}: {line}" for line in dict.fromkeys(run())]
        except Exception as error:
            problems.append(f"{name}: raised {type(error).__name__}: {error}")
        played += steps * len(env.possible_agents)
    speed = played / max(time.perf_counter() - begin, 1e-9)
    return CheckReport(tuple(problems), tuple(checks), speed)


def _mask_of(observation: Any) -> Any:
    return observation.get("action_mask") if isinstance(observation, Mapping) else None


def _seed_spaces(env: ParallelEnv[str, Any, Any], seed: int) -> None:
    for index, agent in enumerate(env.possible_agents):
        env.action_space(agent).seed(seed + index)


def _sample(
    env: ParallelEnv[str, Any, Any], observations: Mapping[str, Any], *, masked: bool
) -> dict[str, Any]:
    return {
        agent: env.action_space(agent).sample(_mask_of(observations[agent]) if masked else None)
        for agent in env.agents
    }


def _observation_problems(env: ParallelEnv[str, Any, Any], observations: Mapping[str, Any]) -> Iterator[str]:
    for agent in env.agents:
        if agent not in observations:
            yield f"agent {agent!r} got no observation"
            continue
        observation = observations[agent]
        inner = observation["observation"] if isinstance(observation, Mapping) else observation
        if not np.isfinite(np.asarray(inner, np.float64)).all():
            yield f"observation of {agent!r} must be finite, got nan or inf"
        if not env.observation_space(agent).contains(observation):
            yield f"observation of {agent!r} is not in its space (shape, dtype or range)"
        mask = _mask_of(observation)
        for index, part in enumerate(
            mask if isinstance(mask, tuple) else ((mask,) if mask is not None else ())
        ):
            if not np.any(part):
                yield f"action mask of {agent!r}, part {index}, allows nothing"


def _play_problems(
    env: ParallelEnv[str, Any, Any], seed: int, steps: int, zero_sum: bool, *, masked: bool
) -> Iterator[str]:
    observations, infos = env.reset(seed=seed)
    _seed_spaces(env, seed)
    everybody = set(env.possible_agents)
    if set(env.agents) != everybody:
        yield f"all of {sorted(everybody)} must play after reset, got {sorted(env.agents)}"
    for _ in range(steps):
        yield from _observation_problems(env, observations)
        observations, rewards, terminations, truncations, infos = env.step(
            _sample(env, observations, masked=masked)
        )
        if not np.isfinite(list(rewards.values())).all():
            yield f"rewards must be finite, got {rewards}"
        if zero_sum and abs(sum(rewards.values())) > ZERO_SUM_TOLERANCE:
            yield f"rewards must sum to zero over the agents, got {sum(rewards.values()):.3g}"
        if any(
            "reward_heads" in info and not np.isfinite(info["reward_heads"]).all() for info in infos.values()
        ):
            yield "infos' reward_heads must be finite"
        ended = {agent for agent in terminations if terminations[agent] or truncations[agent]}
        if env.agents and set(env.agents) != everybody:
            gone = sorted(everybody - set(env.agents))
            yield f"agents {gone} left during the match: a dead hero stays, with a mask that allows nothing but none"
            return
        if not env.agents:
            if ended != everybody:
                yield f"the match ended but only {sorted(ended)} were told so"
            observations, infos = env.reset()


def _determinism_problems(env: ParallelEnv[str, Any, Any], seed: int, steps: int) -> Iterator[str]:
    records = []
    for _ in range(2):
        observations, _ = env.reset(seed=seed)
        _seed_spaces(env, seed)
        record: list[Any] = []
        for _ in range(steps):
            if not env.agents:
                break
            observations, rewards, *_ = env.step(_sample(env, observations, masked=True))
            for agent in sorted(observations):
                inner = observations[agent]
                record += [inner["observation"] if isinstance(inner, Mapping) else inner, rewards[agent]]
        records.append(record)
    if len(records[0]) != len(records[1]) or not all(map(np.array_equal, *records)):
        yield "the same seed and actions led to another match after reset"
