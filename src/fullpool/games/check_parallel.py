"""Checks a PettingZoo parallel environment by the rules that the trainer's door for such games needs."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np
from pettingzoo import ParallelEnv

from fullpool.games.check_problems import Broken, CheckReport, Problems
from fullpool.games.check_rules import ZERO_SUM_TOLERANCE
from fullpool.games.pettingzoo_told import check_form


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
        The problems, a line each kind, and the speed.
    """
    problems = Problems(map(str, env.possible_agents))
    checks: dict[str, Callable[[], Iterator[str]]] = {
        "play": lambda: _play_problems(env, seed, steps, zero_sum, masked=True),
        "illegal actions": lambda: _play_problems(env, seed, steps, zero_sum, masked=False),
        "determinism": lambda: _determinism_problems(env, seed, min(steps, 40)),
    }
    begin, played = time.perf_counter(), 0
    for name, run in checks.items():
        problems.run(name, partial(_prefixed, name, run))
        played += steps * len(env.possible_agents)
    return problems.report(checks, played / max(time.perf_counter() - begin, 1e-9))


def _prefixed(name: str, check: Callable[[], Iterator[str]]) -> Iterator[str]:
    for line in check():
        yield f"{name}: {line}"


def _called(call: str, returned: Any) -> Any:
    """Passes on what `reset` or `step` returned, if it has PettingZoo's form."""
    try:
        check_form(call, returned)
    except ValueError as error:
        raise Broken(str(error)) from None
    return returned


def _reset(env: ParallelEnv[str, Any, Any], seed: int | None = None) -> dict[str, Any]:
    observations: dict[str, Any] = _called("reset", env.reset(seed=seed))[0]
    return observations


def _mask_of(observation: Any) -> Any:
    return observation.get("action_mask") if isinstance(observation, Mapping) else None


def _seed_spaces(env: ParallelEnv[str, Any, Any], seed: int) -> None:
    for index, agent in enumerate(env.possible_agents):
        env.action_space(agent).seed(seed + index)


def _sample(
    env: ParallelEnv[str, Any, Any], observations: Mapping[str, Any], *, masked: bool
) -> dict[str, Any]:
    return {
        agent: env.action_space(agent).sample(_mask_of(observations.get(agent)) if masked else None)
        for agent in env.agents
    }


def _observation_problems(env: ParallelEnv[str, Any, Any], observations: Mapping[str, Any]) -> Iterator[str]:
    for agent in env.agents:
        if agent not in observations:
            yield f"agent {agent!r} got no observation"
            continue
        observation = observations[agent]
        if isinstance(observation, Mapping) and "observation" not in observation:
            yield f"observation of {agent!r} is a dict and needs the key 'observation', it has {list(observation)}"
            continue
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


def _reward_problems(rewards: Mapping[str, Any], infos: Mapping[str, Any], zero_sum: bool) -> Iterator[str]:
    for agent, reward in rewards.items():
        if not np.isfinite(reward):
            yield f"reward of {agent!r} must be finite, got {reward}"
    if zero_sum and abs(sum(rewards.values())) > ZERO_SUM_TOLERANCE:
        yield f"rewards must sum to zero over the agents, got {sum(rewards.values()):.3g}"
    for agent, info in infos.items():
        if "reward_heads" in info and not np.isfinite(info["reward_heads"]).all():
            yield f"reward_heads of {agent!r} must be finite, got {info['reward_heads']}"


def _play_problems(
    env: ParallelEnv[str, Any, Any], seed: int, steps: int, zero_sum: bool, *, masked: bool
) -> Iterator[str]:
    observations = _reset(env, seed)
    _seed_spaces(env, seed)
    everybody = set(env.possible_agents)
    if set(env.agents) != everybody:
        yield f"all of {sorted(everybody)} must play after reset, got {sorted(env.agents)}"
    playing = set(env.agents)
    for _ in range(steps):
        yield from _observation_problems(env, observations)
        observations, rewards, terminations, truncations, infos = _called(
            "step", env.step(_sample(env, observations, masked=masked))
        )
        yield from _reward_problems(rewards, infos, zero_sum)
        now = set(env.agents)
        for agent in sorted(playing - now):
            if not (terminations.get(agent) or truncations.get(agent)):
                yield f"agent {agent!r} left but was told neither of a termination nor of a truncation"
        for agent in sorted(now - playing):
            yield f"agent {agent!r} came back; one that may return stays, with a mask that allows nothing meanwhile"
        playing = now
        if not now:
            observations = _reset(env)
            playing = set(env.agents)


def _determinism_problems(env: ParallelEnv[str, Any, Any], seed: int, steps: int) -> Iterator[str]:
    records = []
    for _ in range(2):
        observations = _reset(env, seed)
        _seed_spaces(env, seed)
        record: list[Any] = []
        for _ in range(steps):
            if not env.agents:
                break
            observations, rewards, *_ = _called("step", env.step(_sample(env, observations, masked=True)))
            for agent in sorted(observations):
                inner = observations[agent]
                record += [
                    inner["observation"] if isinstance(inner, Mapping) else inner,
                    rewards.get(agent, 0),
                ]
        records.append(record)
    if len(records[0]) != len(records[1]) or not all(map(_same, *records)):
        yield "the same seed and actions led to another match after reset"


def _same(first: Any, second: Any) -> bool:
    return np.array_equal(np.asarray(first, np.float64), np.asarray(second, np.float64), equal_nan=True)
