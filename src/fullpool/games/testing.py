"""A fast toy game that follows the contract, for tests and for benches of the learner without a simulator.

Every agent sees a cue: the button that pays now, in the `global` block, and the unit to target, marked in its row.
The cued button pays half a point on head 0 and the right target the other half; the team with more points when the
match ends wins one point a player on the last head. Numbers are hashes of (seed, agent, step), so that a match is
the same in a batch of any size.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fullpool.games.contract import (
    DRAW,
    EXTERNAL,
    RUNNING,
    TEAM_A_WON,
    TEAM_B_WON,
    ActionHead,
    ActionSpec,
    BatchViews,
    GameSpec,
    Ints,
    ObservationSpec,
    Seeds,
    Shorts,
    StepResult,
    UnitBlock,
)

RANDOM_BOT, PERFECT_BOT = 1, 2
MARK = 1
"""Column of the hero rows that marks the unit to target; column 0 is the presence flag."""


def toy_spec(*, team_size: int = 2, slots: int = 6, num_heroes: int = 8, max_decisions: int = 24) -> GameSpec:
    """A small spec: four buttons, one target head, one direction head, two reward heads."""
    rows = 2 * team_size
    groups = (("self", 0, 1), ("allies", 1, team_size), ("enemies", team_size, rows))
    action = _action(4, slots, 4, 0, num_heroes, target_buttons=(2, 3), target_mask_rows=(0, 1), rows=rows)
    blocks = (UnitBlock("heroes", rows, 6, groups), UnitBlock("global", 1, 8))
    return GameSpec(
        name="toy",
        version="1",
        preset="small",
        team_size=team_size,
        heroes=tuple(f"hero{i}" for i in range(num_heroes)),
        roles=("any",) * num_heroes,
        observation=ObservationSpec((*blocks, UnitBlock("previous_action", 1, 8 + slots)), "heroes"),
        critic=ObservationSpec(blocks, "heroes"),
        action=action,
        reward_heads=("points", "win"),
        zero_sum=False,
        max_decisions=max_decisions,
        decisions_per_second=2.0,
        bots=("noop", "random", "perfect"),
    )


def blitz_like_spec(*, num_heroes: int = 40, max_decisions: int = 240) -> GameSpec:
    """A spec of the sizes of the MOBA's `blitz` preset, to bench a learner without the simulator."""
    hero_groups = (("self", 0, 1), ("allies", 1, 5), ("enemies", 5, 10))
    units = (
        UnitBlock("minions", 10, 12, (("enemies", 0, 6), ("allies", 6, 10))),
        UnitBlock("structures", 8, 13, (("own", 0, 4), ("enemies", 4, 8))),
        UnitBlock("summons", 4, 8, (("allies", 0, 2), ("enemies", 2, 4))),
        UnitBlock("global", 1, 24),
    )
    blocks = (UnitBlock("heroes", 10, 48, hero_groups), *units, UnitBlock("previous_action", 1, 53))
    critic_groups = (("own", 0, 5), ("enemies", 5, 10))
    action = _action(
        9, 24, 16, 4, num_heroes, target_buttons=(2, 3, 4, 5), target_mask_rows=(0, 1, 2, 3), rows=32
    )
    return GameSpec(
        name="toy",
        version="1",
        preset="blitz-like",
        team_size=5,
        heroes=tuple(f"hero{i}" for i in range(num_heroes)),
        roles=("any",) * num_heroes,
        observation=ObservationSpec(blocks, "heroes"),
        critic=ObservationSpec((UnitBlock("heroes", 10, 62, critic_groups), *units), "heroes"),
        action=action,
        reward_heads=("points", "kda", "damage", "pushing", "win"),
        zero_sum=False,
        max_decisions=max_decisions,
        decisions_per_second=2.0,
        bots=("noop", "random", "perfect"),
    )


def _action(
    buttons: int,
    slots: int,
    directions: int,
    distances: int,
    num_heroes: int,
    *,
    target_buttons: tuple[int, ...],
    target_mask_rows: tuple[int, ...],
    rows: int,
) -> ActionSpec:
    """Heads in the MOBA's manner: button 1 uses a direction, the target buttons use a slot."""
    heads = [ActionHead("what", buttons), ActionHead("who", slots), ActionHead("dir", directions)]
    if distances:
        heads.append(ActionHead("dist", distances))
    uses = np.zeros((num_heroes, buttons, len(heads)), np.bool_)
    mask_rows = np.full((len(heads), buttons), -1, np.int32)
    uses[:, :, 0] = True
    mask_rows[0] = 0
    uses[:, 1, 2] = True
    mask_rows[2, 1] = 0
    for button, row in zip(target_buttons, target_mask_rows, strict=True):
        uses[:, button, 1] = True
        mask_rows[1, button] = row
    if distances:
        uses[::2, target_buttons[-1], 2:] = True
    blocks = ("heroes",) if rows <= 10 else ("heroes", "minions", "structures", "summons")
    return ActionSpec(tuple(heads), uses, mask_rows, "who", blocks)


def _hash(*parts: NDArray[Any] | int) -> Seeds:
    """Mixes integers into 64 bits (splitmix64's finaliser), elementwise."""
    state: NDArray[Any] = np.asarray(0x9E3779B97F4A7C15, np.uint64)
    with np.errstate(over="ignore"):
        for part in parts:
            state = (np.asarray(part).astype(np.uint64) ^ state) * np.uint64(0xBF58476D1CE4E5B9)
            state = (state ^ (state >> np.uint64(29))) * np.uint64(0x94D049BB133111EB)
            state = state ^ (state >> np.uint64(32))
    return np.asarray(state, np.uint64)


class ToyGame:
    """A batch of toy matches."""

    def __init__(self, num_games: int, spec: GameSpec | None = None, *, delay: int = 0) -> None:
        """Allocates the batch; `delay` 1 shows each cue one step early only, so that it must be remembered."""
        self._spec = spec or toy_spec()
        self._num_games, self._delay = num_games, delay
        n, p = num_games, self._spec.team_size
        self._seeds = np.zeros(n, np.uint64)
        self._steps = np.zeros(n, np.int32)
        self._lengths = np.ones(n, np.int32)
        self._lineups = np.zeros((n, 2, p), np.int16)
        self._seats = np.full((n, 2), EXTERNAL, np.int8)
        self._scores = np.zeros((n, 2), np.float32)
        self._winner = np.full(n, DRAW, np.int8)
        self._hits = np.zeros(n, np.float32)
        self._base = np.zeros((n, 2, p, self._spec.observation.size), np.float32)
        self._agents = np.arange(2 * p).reshape(1, 2, p)
        self._sizes = {head.name: head.size for head in self._spec.action.heads}
        self._target_rows = np.full((n, 2, p, self._sizes["who"]), -1, np.int16)

    @property
    def spec(self) -> GameSpec:
        """The game's description."""
        return self._spec

    @property
    def num_games(self) -> int:
        """Number of matches in the batch, N."""
        return self._num_games

    def reset(self, games: Ints, lineups: Shorts, seeds: Seeds, seats: NDArray[np.int8]) -> None:
        """Starts matches anew."""
        self._seeds[games], self._lineups[games], self._seats[games] = seeds, lineups, seats
        self._steps[games], self._scores[games], self._winner[games], self._hits[games] = 0, 0, RUNNING, 0
        longest = self._spec.max_decisions
        self._lengths[games] = longest // 2 + (_hash(seeds, 7) % np.uint64(longest // 2 + 1)).astype(np.int32)
        self._paint(games)

    def _paint(self, games: Ints) -> None:
        """Writes what stays the same through a match: noise in the rows, and which slot points at which row."""
        seeds, agents = self._seeds[games, None, None, None], self._agents[..., None]
        noise = _hash(seeds, agents, 11, np.arange(self._base.shape[-1]))
        self._base[games] = (noise >> np.uint64(40)).astype(np.float32) * np.float32(2.0**-25)
        offset, block = self._spec.observation.offset("heroes"), self._spec.observation.block("heroes")
        rows = self._base[games, :, :, offset : offset + block.size].reshape(
            len(games), 2, -1, block.rows, block.columns
        )
        rows[..., 0], rows[..., MARK] = 1.0, 0.0
        self._base[games, :, :, offset : offset + block.size] = rows.reshape(len(games), 2, -1, block.size)
        slots = self._sizes["who"]
        order = np.argsort(_hash(seeds, agents, 13, np.arange(block.rows)), axis=-1).astype(np.int16)
        known = min(slots, block.rows)
        self._target_rows[games, :, :, :known] = order[..., :known]

    def _cues(self, steps: NDArray[np.int32]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Cued button and slot of every agent at the given steps, `[N, 2, P]` each."""
        drawn = _hash(self._seeds[:, None, None], self._agents, 17, steps[:, None, None])
        known = min(self._sizes["who"], self._spec.observation.block("heroes").rows)
        return (drawn % np.uint64(4)).astype(np.int64), ((drawn >> np.uint64(32)) % np.uint64(known)).astype(
            np.int64
        )

    def observe(self, views: BatchViews, *, bots: bool = False) -> None:
        """Writes what every agent sees, that of bots anyway."""
        button, slot = self._cues(self._steps + self._delay)
        spec = self._spec.observation
        views.observation[...] = self._base
        offset = spec.offset("global")
        views.observation[..., offset : offset + 4] = np.arange(4) == button[..., None]
        marked = np.take_along_axis(self._target_rows, slot[..., None], axis=-1).astype(np.int64)
        column = spec.offset("heroes") + marked * spec.block("heroes").columns + MARK
        np.put_along_axis(views.observation, column, 1.0, axis=-1)
        views.hero_ids[...] = np.resize(np.arange(len(self._spec.heroes)), spec.hero_rows)
        views.hero_ids[..., 0] = self._lineups
        views.target_rows[...] = self._target_rows
        views.masks[...] = 1
        what, who = self._sizes["what"], self._sizes["who"]
        views.masks[..., 4:what] = 0
        for row in range(self._spec.action.mask_shapes[1][0]):
            views.masks[..., what + row * who : what + (row + 1) * who] = self._target_rows >= 0
        self._observe_teams(views, button)

    def _observe_teams(self, views: BatchViews, button: NDArray[np.int64]) -> None:
        """Writes the critic's view: noise, the clock, the scores and how many of the own team have which cue."""
        critic = self._spec.critic
        assert critic is not None
        views.critic[...] = self._base[:, :, 0, :1] * 0.1
        start = critic.offset("global")
        views.critic[..., start] = ((self._lengths - self._steps) / self._spec.max_decisions)[:, None]
        views.critic[..., start + 1] = (self._scores - self._scores[:, ::-1]) * 0.1
        views.critic[..., start + 2 : start + 6] = (button[..., None] == np.arange(4)).mean(axis=2)
        views.critic_hero_ids[...] = 0
        views.critic_hero_ids[..., : self._spec.team_size] = self._lineups

    def step(self, actions: Ints) -> StepResult:
        """Plays one decision."""
        button, slot = self._cues(self._steps)
        played = self._with_bots(actions, button, slot)
        right = played[..., 0] == button
        aimed = ~np.isin(button, (2, 3)) | (played[..., 1] == slot)
        running = (self._winner == RUNNING)[:, None, None]
        points = np.where(running, 0.5 * right + 0.5 * (right & aimed), 0.0).astype(np.float32)
        rewards = np.zeros((*points.shape, self._spec.num_reward_heads), np.float32)
        rewards[..., 0] = points
        self._scores += points.sum(axis=2)
        self._hits += points.sum(axis=(1, 2))
        self._steps += running[:, 0, 0]
        terminated = running[:, 0, 0] & (self._steps >= self._lengths)
        lead = np.sign(self._scores[:, 0] - self._scores[:, 1])
        outcome = np.where(lead > 0, TEAM_A_WON, np.where(lead < 0, TEAM_B_WON, DRAW)).astype(np.int8)
        self._winner = np.where(terminated, outcome, self._winner)
        rewards[..., -1] += (terminated * lead)[:, None, None] * np.array([1.0, -1.0])[None, :, None]
        return StepResult(rewards, terminated, self._winner.copy(), played)

    def _with_bots(self, actions: Ints, button: NDArray[np.int64], slot: NDArray[np.int64]) -> Ints:
        """Replaces the rows of bots by what they choose."""
        played = np.array(actions)
        seat = self._seats[:, :, None]
        drawn = _hash(self._seeds[:, None, None], self._agents, 19, self._steps[:, None, None])
        known = np.uint64(min(self._sizes["who"], self._spec.observation.block("heroes").rows))
        played[self._seats != EXTERNAL] = 0
        for number, what, who in (
            (RANDOM_BOT, drawn % np.uint64(4), (drawn >> np.uint64(32)) % known),
            (PERFECT_BOT, button, slot),
        ):
            played[..., 0] = np.where(seat == number, what, played[..., 0])
            played[..., 1] = np.where(seat == number, who, played[..., 1])
        return played

    def save_state(self) -> dict[str, NDArray[Any]]:
        """Copies everything that the matches under way consist of."""
        return {name: value.copy() for name, value in self._arrays().items()}

    def load_state(self, state: dict[str, NDArray[Any]]) -> None:
        """Puts a saved state back."""
        for name, value in self._arrays().items():
            value[...] = state[name]

    def _arrays(self) -> dict[str, NDArray[Any]]:
        names = (
            "seeds",
            "steps",
            "lengths",
            "lineups",
            "seats",
            "scores",
            "winner",
            "hits",
            "base",
            "target_rows",
        )
        return {name: getattr(self, f"_{name}") for name in names}

    def statistics(self) -> dict[str, NDArray[Any]]:
        """Points a decision and agent since each match's start."""
        return {"points": self._hits / np.maximum(self._steps, 1) / (2 * self._spec.team_size)}
