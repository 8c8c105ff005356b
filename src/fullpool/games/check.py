"""Checks that a game keeps its contract: `check_game` for batches, `check_parallel_env` for PettingZoo games.

Each problem found is one line that says what was expected, what came and where. Checks go on after a problem as far
as they can, so that one run shows all of them.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fullpool.games.contract import (
    EXTERNAL,
    RUNNING,
    BatchGame,
    BatchViews,
    GameSpec,
    Ints,
    StepResult,
    allocate_views,
)
from fullpool.games.lineups import draw_lineup
from fullpool.games.sampling import head_masks, sample_actions

ZERO_SUM_TOLERANCE = 1e-4
LARGE = 100.0
"""Observations are scaled to about [-1, 1]; a value beyond this is a forgotten scale."""

Disturb = Callable[[BatchGame, int, np.random.Generator], None]
Mirror = Callable[[BatchGame], None]


@dataclass(frozen=True)
class CheckReport:
    """What a check found.

    Attributes:
        problems: one line each; empty when the game keeps the contract.
        checks: names of the checks that ran.
        agent_steps_per_s: agents' decisions a second with observations, in this process; 0 if a check raised.
    """

    problems: tuple[str, ...]
    checks: tuple[str, ...]
    agent_steps_per_s: float

    @property
    def passed(self) -> bool:
        """Whether nothing was found."""
        return not self.problems


@dataclass(frozen=True, eq=False)
class _Trial:
    """What the checks share: the game, its views, line-ups and seeds."""

    game: BatchGame
    views: BatchViews
    lineups: NDArray[np.int16]
    seeds: NDArray[np.uint64]
    decisions: int

    @property
    def spec(self) -> GameSpec:
        return self.game.spec

    def start(self, seat: int = EXTERNAL) -> None:
        """Starts every match with the trial's line-ups and seeds."""
        n = self.game.num_games
        self.game.reset(
            np.arange(n, dtype=np.int32), self.lineups, self.seeds, np.full((n, 2), seat, np.int8)
        )

    def look(self) -> BatchViews:
        self.game.observe(self.views)
        return self.views

    def act(self, generator: np.random.Generator) -> Ints:
        return sample_actions(self.spec.action, self.lineups, self.views.masks, generator)


def check_game(
    game: BatchGame,
    *,
    seed: int = 0,
    decisions: int | None = None,
    mirror: Mirror | None = None,
    disturb_hidden: Disturb | None = None,
) -> CheckReport:
    """Plays a game with random actions and checks what a learner relies on.

    Args:
        game: the batch; its matches are lost. Two matches or more also show that matches do not touch each other.
        seed: seed of line-ups, matches and actions.
        decisions: decisions played a check; None: until every match must have ended.
        mirror: turns the matches under way into their mirror images, sides swapped; checks that each side then sees
            and gains what the other did.
        disturb_hidden: changes everything that a team (its second argument) cannot know; checks that this team's
            observations stay the same to the bit.

    Returns:
        The problems and the speed.
    """
    generator = np.random.default_rng(seed)
    spec = game.spec
    problems = list(_spec_problems(spec))
    if problems:
        return CheckReport(tuple(problems), ("spec",), 0.0)
    size = spec.team_size
    lineups = np.stack(
        [draw_lineup(generator, spec.heroes, size, reserved=False) for _ in range(game.num_games)]
    )
    seeds = generator.integers(0, 2**63, game.num_games, np.uint64)
    trial = _Trial(
        game, allocate_views(spec, game.num_games), lineups, seeds, decisions or spec.max_decisions
    )
    checks: dict[str, Callable[[], Iterator[str]]] = {
        "play": lambda: _play_problems(trial, np.random.default_rng(seed + 1), complete=decisions is None),
        "determinism": lambda: _determinism_problems(trial, seed + 2),
        "saving": lambda: _saving_problems(trial, np.random.default_rng(seed + 3)),
        "illegal actions": lambda: _illegal_problems(trial, np.random.default_rng(seed + 4)),
        "bots": lambda: _bot_problems(trial),
    }
    if mirror is not None:
        checks["mirror"] = lambda: _mirror_problems(trial, mirror, np.random.default_rng(seed + 5))
    if disturb_hidden is not None:
        checks["hidden state"] = lambda: _leak_problems(
            trial, disturb_hidden, np.random.default_rng(seed + 6)
        )
    for name, run in checks.items():
        try:
            problems += list(dict.fromkeys(run()))
        except Exception as error:
            problems.append(f"{name}: raised {type(error).__name__}: {error}")
    raised = any(": raised " in problem for problem in problems)
    speed = 0.0 if raised else _speed(trial, np.random.default_rng(seed + 7))
    return CheckReport(tuple(problems), ("spec", *checks), speed)


def _spec_problems(spec: GameSpec) -> Iterator[str]:
    action, heroes = spec.action, len(spec.heroes)
    heads, buttons = len(action.heads), action.heads[0].size if action.heads else 0
    if heads == 0 or any(head.size < 1 for head in action.heads):
        yield f"spec: expected at least one head with choices, got {action.heads}"
        return
    if action.uses.shape != (heroes, buttons, heads):
        yield f"spec: action.uses must be [heroes, A0, H] = {(heroes, buttons, heads)}, got {action.uses.shape}"
    elif not action.uses[:, :, 0].all():
        yield "spec: action.uses[:, :, 0] must be true: every action uses the button"
    if action.mask_rows.shape != (heads, buttons):
        yield f"spec: action.mask_rows must be [H, A0] = {(heads, buttons)}, got {action.mask_rows.shape}"
    elif (action.mask_rows[0] != 0).any():
        yield "spec: action.mask_rows[0] must be 0: the button has one row"
    if heroes < 2 * spec.team_size:
        yield f"spec: a pool for two teams of {spec.team_size} needs {2 * spec.team_size} heroes, got {heroes}"
    for label, names in (("heroes", spec.heroes), ("reward heads", spec.reward_heads), ("bots", spec.bots)):
        if len(set(names)) != len(names):
            yield f"spec: {label} must have different names, got {names}"
    if len(spec.roles) != heroes:
        yield f"spec: expected a role a hero ({heroes}), got {len(spec.roles)}"
    if not spec.reward_heads:
        yield "spec: expected at least one reward head, got none"
    for observation in (spec.observation, spec.critic):
        if observation is not None and observation.hero_block not in [
            block.name for block in observation.blocks
        ]:
            yield f"spec: hero_block {observation.hero_block!r} is none of the blocks"
    if action.target_head is not None:
        if action.target_head not in [head.name for head in action.heads]:
            yield f"spec: target_head {action.target_head!r} is none of the heads"
        unknown = set(action.target_blocks) - {block.name for block in spec.observation.blocks}
        if unknown:
            yield f"spec: target_blocks {sorted(unknown)} are none of the observation's blocks"


def _view_problems(trial: _Trial, running: NDArray[np.bool_]) -> Iterator[str]:
    spec, views = trial.spec, trial.views
    for name, values in (("observation", views.observation), ("critic", views.critic)):
        part = values[running]
        if not np.isfinite(part).all():
            yield f"play: {name} must be finite, got nan or inf at {_where(~np.isfinite(part))}"
        elif part.size and np.abs(part).max() > LARGE:
            yield f"play: {name} should be scaled to about [-1, 1], got {np.abs(part).max():.3g}"
    masks = views.masks[running]
    if masks.size and masks.max() > 1:
        yield f"play: masks must hold 0 and 1, got {masks.max()}"
    yield from _mask_problems(spec, masks, trial.lineups[running])
    for name, ids, bound in (
        ("hero_ids", views.hero_ids[running], len(spec.heroes)),
        ("critic_hero_ids", views.critic_hero_ids[running], len(spec.heroes)),
        ("target_rows", views.target_rows[running], _target_bound(spec)),
    ):
        if ids.size and (ids.min() < -1 or ids.max() >= bound):
            yield f"play: {name} must lie in [-1, {bound}), got {ids.min()} to {ids.max()}"


def _target_bound(spec: GameSpec) -> int:
    return sum(spec.observation.block(name).rows for name in spec.action.target_blocks)


def _mask_problems(spec: GameSpec, masks: NDArray[np.uint8], heroes: NDArray[np.int16]) -> Iterator[str]:
    action = spec.action
    blocks = head_masks(action, masks)
    buttons = blocks[0][..., 0, :] != 0
    if not buttons.any(axis=-1).all():
        yield f"play: every agent needs a legal button, none for agent {_where(~buttons.any(axis=-1))}"
    for head in range(1, len(action.heads)):
        for button in range(action.heads[0].size):
            row = int(action.mask_rows[head, button])
            if row < 0:
                continue
            needed = buttons[..., button] & action.uses[heroes, button, head]
            empty = needed & ~blocks[head][..., row, :].any(axis=-1)
            if empty.any():
                yield (
                    f"play: button {button} is legal but head {action.heads[head].name!r} has no legal choice, "
                    f"for agent {_where(empty)}"
                )


def _where(wrong: NDArray[np.bool_]) -> tuple[int, ...]:
    return tuple(int(i) for i in np.argwhere(wrong)[0])


def _reward_problems(trial: _Trial, result: StepResult, running: NDArray[np.bool_]) -> Iterator[str]:
    rewards = result.rewards
    if not np.isfinite(rewards).all():
        yield f"play: rewards must be finite, got nan or inf at {_where(~np.isfinite(rewards))}"
    if trial.spec.zero_sum:
        sums = np.abs(rewards.sum(axis=(1, 2), dtype=np.float64))
        if sums.max() > ZERO_SUM_TOLERANCE:
            game, head = _where(sums > ZERO_SUM_TOLERANCE)
            name = trial.spec.reward_heads[head]
            yield f"play: zero_sum is set but head {name!r} sums to {sums[game, head]:.3g} over the agents"
    if rewards[~running].any():
        yield "play: a finished match must pay nothing until it is reset"
    if (result.terminated & ~running).any():
        yield "play: a match ended twice"
    if ((result.winner == RUNNING) != (running & ~result.terminated)).any():
        yield "play: winner must be RUNNING exactly while the match runs"


def _play_problems(trial: _Trial, generator: np.random.Generator, *, complete: bool) -> Iterator[str]:
    trial.start()
    before = {part.name: getattr(trial.views, part.name) for part in fields(trial.views)}
    running = np.ones(trial.game.num_games, np.bool_)
    for _ in range(trial.decisions):
        trial.look()
        yield from _view_problems(trial, running)
        result = trial.game.step(trial.act(generator))
        yield from _reward_problems(trial, result, running)
        running &= ~result.terminated
        if not running.any():
            break
    if any(getattr(trial.views, name) is not array for name, array in before.items()):
        yield "play: observe must write into the caller's arrays, not replace them"
    if complete and running.any():
        yield f"play: {running.sum()} matches did not end within max_decisions = {trial.spec.max_decisions}"


def _record(trial: _Trial, seed: int, decisions: int) -> list[NDArray[Any]]:
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


def _determinism_problems(trial: _Trial, seed: int) -> Iterator[str]:
    decisions = min(trial.decisions, 40)
    trial.start()
    first = _record(trial, seed, decisions)
    trial.start()
    second = _record(trial, seed, decisions)
    arrays = len(fields(BatchViews)) + 3
    index = _same(first, second)
    if index >= 0:
        yield f"determinism: same seeds, line-ups and actions differ after a reset, first at step {index // arrays}"


def _saving_problems(trial: _Trial, generator: np.random.Generator) -> Iterator[str]:
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


def _illegal_problems(trial: _Trial, generator: np.random.Generator) -> Iterator[str]:
    """Illegal actions must act as nothing, not fail: libraries without masks send them."""
    trial.start()
    sizes = [head.size for head in trial.spec.action.heads]
    running = np.ones(trial.game.num_games, np.bool_)
    for _ in range(min(trial.decisions, 40)):
        shape = (*trial.lineups.shape, len(sizes))
        result = trial.game.step(generator.integers(0, sizes, shape).astype(np.int32))
        yield from _reward_problems(trial, result, running)
        running &= ~result.terminated
        trial.look()
        if not np.isfinite(trial.views.observation[running]).all():
            yield "illegal actions: they led to observations that are not finite"


def _bot_problems(trial: _Trial) -> Iterator[str]:
    n = trial.game.num_games
    nothing = np.zeros((*trial.lineups.shape, len(trial.spec.action.heads)), np.int32)
    for number, name in enumerate(trial.spec.bots):
        trial.start(number)
        for _ in range(min(trial.decisions, 40)):
            result = trial.game.step(nothing)
        if result.winner.shape != (n,):
            yield f"bots: winner must be [N] = {(n,)} when {name!r} plays, got {result.winner.shape}"


def _mirror_problems(trial: _Trial, mirror: Mirror, generator: np.random.Generator) -> Iterator[str]:
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


def _leak_problems(trial: _Trial, disturb: Disturb, generator: np.random.Generator) -> Iterator[str]:
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


def _speed(trial: _Trial, generator: np.random.Generator) -> float:
    """Agents' decisions a second, drawing of actions not counted."""
    trial.start()
    trial.look()
    actions = trial.act(generator)
    decisions = max(1, min(trial.decisions, 10))
    begin = time.perf_counter()
    for _ in range(decisions):
        trial.game.step(actions)
        trial.game.observe(trial.views)
    return decisions * trial.lineups.size / max(time.perf_counter() - begin, 1e-9)
