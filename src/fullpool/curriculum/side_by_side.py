"""Trains the agents of a stage, several at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event

import torch

from fullpool.curriculum.generation import Generation, load_generation
from fullpool.games.contract import GameSpec
from fullpool.learning.checkpoint import Checkpoint

StartFn = Callable[[Checkpoint | None, Event], Iterator[Generation]]
"""Starts or takes up the training of one agent; it gives up before its next update once the event is set."""

StopFn = Callable[[], bool]
"""Asked between generations; true pauses the stage, which a later run takes up again."""


def never() -> bool:
    """Never pauses."""
    return False


def train_side_by_side(
    starts: Mapping[str, StartFn],
    spec: GameSpec,
    *,
    num_threads: int = 1,
    resume: Mapping[str, Path] | None = None,
    stop: StopFn = never,
) -> Iterator[Generation]:
    """Trains agents in the order of their names in `starts`, `num_threads` at a time.

    In a round every active agent advances by one generation; an agent that ended makes room for the next one. So the
    generations do not depend on which thread was faster.

    Args:
        starts: how each agent's training starts.
        spec: the game.
        num_threads: agents at a time; a single one trains in the caller's thread.
        resume: folder of each agent's last generation; agents that ended are left alone.
        stop: asked after each round.

    Yields:
        The active agents' generations, round after round.

    Raises:
        ValueError: if a folder belongs to none of these agents, or holds another one.
    """
    checkpoints = _load(starts, spec, resume or {})
    halt = Event()
    waiting = [name for name in starts if name not in checkpoints or not checkpoints[name].meta["done"]]
    active: list[Iterator[Generation]] = []
    with ThreadPoolExecutor(num_threads, initializer=torch.set_num_threads, initargs=(1,)) as pool:
        try:
            while waiting or active:
                while waiting and len(active) < num_threads:
                    name = waiting.pop(0)
                    active.append(starts[name](checkpoints.pop(name, None), halt))
                generations = _advance(active, pool)
                active = [one for one, new in zip(active, generations, strict=True) if not new.done]
                yield from generations
                if (waiting or active) and stop():
                    return
        except BaseException:
            # The pool waits for its threads when it closes: let them end at their next update.
            halt.set()
            raise


def _advance(agents: Sequence[Iterator[Generation]], pool: ThreadPoolExecutor) -> list[Generation]:
    if len(agents) == 1:
        # In the caller's thread a signal ends the work at once.
        return [next(agents[0])]
    return list(pool.map(next, agents))


def _load(starts: Mapping[str, StartFn], spec: GameSpec, resume: Mapping[str, Path]) -> dict[str, Checkpoint]:
    checkpoints = {}
    for name, folder in resume.items():
        if name not in starts:
            raise ValueError(f"{folder} is said to hold agent {name!r}, which is none of {list(starts)}")
        generation = load_generation(folder, spec)
        if generation.part != name:
            raise ValueError(f"{folder} holds agent {generation.part!r}, expected {name!r}")
        checkpoints[name] = generation.checkpoint
    return checkpoints
