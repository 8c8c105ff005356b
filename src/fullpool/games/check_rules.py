"""Checks of what a game shows and pays while it is played: spec, views, masks, rewards, actions, bots.

Each is a generator of problems, one line each, for `check.check_game`.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, fields

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
)
from fullpool.games.sampling import head_masks, sample_actions

ZERO_SUM_TOLERANCE = 1e-4
LARGE = 100.0
"""Observations are scaled to about [-1, 1]; a value beyond this is a forgotten scale."""


@dataclass(frozen=True, eq=False)
class Trial:
    """What the checks share.

    Attributes:
        game: the game that is checked.
        views: of its batch.
        lineups: `[N, 2, P]` hero ids of every match.
        seeds: `[N]` of the matches.
        decisions: played a check at most.
    """

    game: BatchGame
    views: BatchViews
    lineups: NDArray[np.int16]
    seeds: NDArray[np.uint64]
    decisions: int

    @property
    def spec(self) -> GameSpec:
        """The game's description."""
        return self.game.spec

    def start(self, seat: int = EXTERNAL) -> None:
        """Starts every match with the trial's line-ups and seeds."""
        n = self.game.num_games
        self.game.reset(
            np.arange(n, dtype=np.int32), self.lineups, self.seeds, np.full((n, 2), seat, np.int8)
        )

    def look(self) -> BatchViews:
        """Writes and returns the views."""
        self.game.observe(self.views)
        return self.views

    def act(self, generator: np.random.Generator) -> Ints:
        """Draws legal actions by the views' masks."""
        return sample_actions(self.spec.action, self.lineups, self.views.masks, generator)


def spec_problems(spec: GameSpec) -> Iterator[str]:
    """The spec must not contradict itself."""
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


def _view_problems(trial: Trial, running: NDArray[np.bool_]) -> Iterator[str]:
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


def _reward_problems(trial: Trial, result: StepResult, running: NDArray[np.bool_]) -> Iterator[str]:
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


def _reported_problems(
    check: str, trial: Trial, result: StepResult, running: NDArray[np.bool_]
) -> Iterator[str]:
    """Reported actions must have their form, and be choices that there are."""
    action, taken = trial.spec.action, result.actions
    shape = (*trial.lineups.shape, len(action.heads))
    if taken.shape != shape or taken.dtype != np.int32:
        yield f"{check}: actions of a step must be int32 {shape}, got {taken.dtype} {taken.shape}"
        return
    beyond = (taken < 0) | (taken >= [head.size for head in action.heads])
    button = np.where(beyond[..., 0], 0, taken[..., 0])
    # Heads that the button does not use may hold anything.
    wrong = running[:, None, None, None] & beyond & action.uses[trial.lineups.astype(np.int64), button]
    if wrong.any():
        game, team, player, head = _where(wrong)
        yield (
            f"{check}: reported actions must be choices of their head, got {taken[game, team, player, head]} of "
            f"{action.heads[head].size} for head {action.heads[head].name!r}, agent {(game, team, player)}"
        )


def _echo_problems(
    trial: Trial, actions: Ints, result: StepResult, running: NDArray[np.bool_]
) -> Iterator[str]:
    """A legal action must be reported as it was given; learning from what was done rests on it."""
    action = trial.spec.action
    if result.actions.shape != actions.shape:
        return
    # An agent with a single legal button, such as a dead one, does nothing, whatever that is called.
    has_choice = (head_masks(action, trial.views.masks)[0][..., 0, :] != 0).sum(axis=-1) > 1
    used = action.uses[trial.lineups.astype(np.int64), actions[..., 0]]
    wrong = running[:, None, None, None] & has_choice[..., None] & used & (result.actions != actions)
    if wrong.any():
        game, team, player, head = _where(wrong)
        yield (
            f"play: a legal action must be reported as it was given, head {action.heads[head].name!r} differs "
            f"for agent {(game, team, player)}"
        )


def play_problems(trial: Trial, generator: np.random.Generator, *, complete: bool) -> Iterator[str]:
    """Views, masks, rewards and reported actions must be sound at every decision of legal random play.

    Args:
        trial: what is played.
        generator: of the actions.
        complete: whether every match must have ended.

    Yields:
        Problems.
    """
    trial.start()
    before = {part.name: getattr(trial.views, part.name) for part in fields(trial.views)}
    running = np.ones(trial.game.num_games, np.bool_)
    for _ in range(trial.decisions):
        trial.look()
        yield from _view_problems(trial, running)
        actions = trial.act(generator)
        result = trial.game.step(actions.copy())
        yield from _reward_problems(trial, result, running)
        yield from _reported_problems("play", trial, result, running)
        yield from _echo_problems(trial, actions, result, running)
        running &= ~result.terminated
        if not running.any():
            break
    if any(getattr(trial.views, name) is not array for name, array in before.items()):
        yield "play: observe must write into the caller's arrays, not replace them"
    if complete and running.any():
        yield f"play: {running.sum()} matches did not end within max_decisions = {trial.spec.max_decisions}"


def illegal_problems(trial: Trial, generator: np.random.Generator) -> Iterator[str]:
    """Illegal actions must act as nothing, not fail: libraries without masks send them."""
    trial.start()
    sizes = [head.size for head in trial.spec.action.heads]
    running = np.ones(trial.game.num_games, np.bool_)
    for _ in range(min(trial.decisions, 40)):
        shape = (*trial.lineups.shape, len(sizes))
        result = trial.game.step(generator.integers(0, sizes, shape).astype(np.int32))
        yield from _reward_problems(trial, result, running)
        yield from _reported_problems("illegal actions", trial, result, running)
        running &= ~result.terminated
        trial.look()
        if not np.isfinite(trial.views.observation[running]).all():
            yield "illegal actions: they led to observations that are not finite"


def bot_problems(trial: Trial) -> Iterator[str]:
    """Every bot must play, and its actions must be reported."""
    n = trial.game.num_games
    nothing = np.zeros((*trial.lineups.shape, len(trial.spec.action.heads)), np.int32)
    for number, name in enumerate(trial.spec.bots):
        trial.start(number)
        running = np.ones(n, np.bool_)
        for _ in range(min(trial.decisions, 40)):
            result = trial.game.step(nothing)
            yield from _reported_problems("bots", trial, result, running)
            running &= ~result.terminated
        if result.winner.shape != (n,):
            yield f"bots: winner must be [N] = {(n,)} when {name!r} plays, got {result.winner.shape}"


def measure_speed(trial: Trial, generator: np.random.Generator) -> float:
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
