"""Trains the agents of a stage, several at a time, and packs them into generations."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from threading import Event

import torch

from fullpool.curriculum.generation import AgentState, Generation, load_generation
from fullpool.games.contract import GameSpec
from fullpool.learning.checkpoint import Checkpoint

StartFn = Callable[[Checkpoint | None, Event], Iterator[AgentState]]
"""Starts or takes up the training of one agent; it gives up before its next update once the event is set."""

StopFn = Callable[[], bool]
"""Asked between generations; true pauses the stage, which a later run takes up again."""


def never() -> bool:
    """Never pauses."""
    return False


def train_side_by_side(
    stage: str,
    starts: Mapping[str, StartFn],
    spec: GameSpec,
    *,
    num_threads: int = 1,
    resume: Path | None = None,
    stop: StopFn = never,
) -> Iterator[Generation]:
    """Trains agents in the order of their names in `starts`, `num_threads` at a time.

    In a round every active agent advances by one generation; an agent that ended makes room for the next one. So the
    generations do not depend on which thread was faster.

    Args:
        stage: name of the stage.
        starts: how each agent's training starts.
        spec: the game.
        num_threads: agents at a time; a single one trains in the caller's thread.
        resume: folder of the last generation.
        stop: asked after each generation.

    Yields:
        A generation a round; nothing if the stage is finished.

    Raises:
        ValueError: if the folder holds another stage or agents that are none of these.
    """
    number, states = _load(stage, starts, spec, resume)
    halt = Event()
    waiting = [name for name in starts if name not in states or not states[name].done]
    active: dict[str, Iterator[AgentState]] = {}
    with ThreadPoolExecutor(num_threads, initializer=torch.set_num_threads, initargs=(1,)) as pool:
        try:
            while waiting or active:
                for name in waiting[: num_threads - len(active)]:
                    active[name] = starts[name](states[name].checkpoint if name in states else None, halt)
                waiting = [name for name in waiting if name not in active]
                new = _advance(list(active.values()), pool)
                number += 1
                states = {name: replace(state, rows=()) for name, state in states.items()}
                states |= {state.name: state for state in new}
                active = {name: one for name, one in active.items() if not states[name].done}
                finished = not waiting and not active
                yield Generation(stage, number, tuple(states.values()), finished, spec)
                if stop():
                    return
        except BaseException:
            # The pool waits for its threads when it closes: let them end at their next update.
            halt.set()
            raise


def _advance(agents: Sequence[Iterator[AgentState]], pool: ThreadPoolExecutor) -> list[AgentState]:
    if len(agents) == 1:
        # In the caller's thread a signal ends the work at once.
        return [next(agents[0])]
    return list(pool.map(next, agents))


def _load(
    stage: str, starts: Mapping[str, StartFn], spec: GameSpec, resume: Path | None
) -> tuple[int, dict[str, AgentState]]:
    if resume is None:
        return 0, {}
    generation = load_generation(resume, spec)
    if generation.stage != stage:
        raise ValueError(f"{resume} holds a generation of stage {generation.stage!r}, expected {stage!r}")
    unknown = [agent.name for agent in generation.agents if agent.name not in starts]
    if unknown:
        raise ValueError(f"{resume} holds agent {unknown[0]!r}, which is none of {list(starts)}")
    return generation.number, {agent.name: agent for agent in generation.agents}
