"""Checks that play the same match twice: again, from a saved state, turned over, with hidden things changed.

Each is a generator of problems, one line each, for `check.check_game`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fullpool.games.check_rules import Trial
from fullpool.games.contract import BatchGame, BatchViews

Disturb = Callable[[BatchGame, int, np.random.Generator], None]
Mirror = Callable[[BatchGame], None]


def _record(trial: Trial, seed: int, decisions: int) -> list[NDArray[Any]]:
    generator, record = np.random.default_rng(seed), []
    for _ in range(decisions):
        views = trial.look()
        result = trial.game.step(trial.act(generator))
        record += [getattr(views, part.name).copy() for part in fields(views)]
        record += [result.rewards.copy(), result.terminated.copy(), result.winner.copy()]
    return record


def _same(first: list[NDArray[Any]], second: list[NDArray[Any]]) -> int:
    """Index of the first pair of arrays that differ, -1: none."""
    for index, (one, other) in enumerate(zip(first, second, strict=True)):
        if not np.array_equal(one, other, equal_nan=one.dtype.kind == "f"):
            return index
    return -1


def determinism_problems(trial: Trial, seed: int) -> Iterator[str]:
    """The same seeds, line-ups and actions must give the same match."""
    decisions = min(trial.decisions, 40)
    trial.start()
    first = _record(trial, seed, decisions)
    trial.start()
    second = _record(trial, seed, decisions)
    arrays = len(fields(BatchViews)) + 3
    index = _same(first, second)
    if index >= 0:
        yield f"determinism: same seeds, line-ups and actions differ after a reset, first at step {index // arrays}"


def saving_problems(trial: Trial, generator: np.random.Generator) -> Iterator[str]:
    """A match must go on the same from a saved state."""
    decisions = min(trial.decisions, 20)
    trial.start()
    for _ in range(decisions // 2):
        trial.look()
        trial.game.step(trial.act(generator))
    saved = trial.game.save_state()
    first = _record(trial, 1, decisions // 2)
    trial.game.load_state(saved)
    if _same(first, _record(trial, 1, decisions // 2)) >= 0:
        yield "saving: a match goes on differently after save_state and load_state"


def mirror_problems(trial: Trial, mirror: Mirror, generator: np.random.Generator) -> Iterator[str]:
    """Each side of a mirrored match must see and gain what the other did."""
    trial.start()
    for _ in range(min(trial.decisions, 30)):
        trial.look()
        actions = trial.act(generator)
        saved = trial.game.save_state()
        rewards = trial.game.step(actions).rewards.copy()
        after = {part.name: getattr(trial.look(), part.name).copy() for part in fields(trial.views)}
        continued = trial.game.save_state()
        trial.game.load_state(saved)
        mirror(trial.game)
        swapped = trial.game.step(np.ascontiguousarray(actions[:, ::-1])).rewards.copy()
        trial.look()
        for name, values in after.items():
            if not np.array_equal(getattr(trial.views, name)[:, ::-1], values):
                yield f"mirror: {name} of the mirrored match is not that of the other side"
        if not np.array_equal(swapped[:, ::-1], rewards):
            yield "mirror: rewards of the mirrored match are not those of the other side"
        trial.game.load_state(continued)


def leak_problems(trial: Trial, disturb: Disturb, generator: np.random.Generator) -> Iterator[str]:
    """What a team cannot know must not change what it sees."""
    trial.start()
    actor = ("observation", "hero_ids", "masks", "target_rows")
    for _ in range(min(trial.decisions, 60)):
        before = {name: getattr(trial.look(), name).copy() for name in actor}
        saved = trial.game.save_state()
        for team in range(2):
            disturb(trial.game, team, generator)
            trial.look()
            for name, values in before.items():
                if not np.array_equal(getattr(trial.views, name)[:, team], values[:, team]):
                    yield f"hidden state: {name} of team {team} changes with what it cannot know"
            trial.game.load_state(saved)
        trial.look()
        trial.game.step(trial.act(generator))
