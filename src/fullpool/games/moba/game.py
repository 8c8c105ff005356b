"""The MOBA as a `BatchGame`: state of many matches, and the doors to the kernels."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from fullpool.games.contract import (
    EXTERNAL,
    BatchViews,
    Floats,
    GameSpec,
    Ints,
    Seeds,
    Shorts,
    StepResult,
)
from fullpool.games.moba import state as s
from fullpool.games.moba.batch import reset_batch, step_batch
from fullpool.games.moba.events import new_events
from fullpool.games.moba.mirror import mirror_match
from fullpool.games.moba.observation import observe_batch
from fullpool.games.moba.rewards import (
    NUM_REWARD_HEADS,
    SPIRIT,
    RewardSettings,
    check_team_sizes,
    load_rewards,
    new_memory,
)
from fullpool.games.moba.spec import moba_spec
from fullpool.games.moba.tables import load_tables
from fullpool.games.moba.work import new_work

DEFAULT_REWARDS: Mapping[str, Any] = {
    "preset": "laptop",
    "team_spirit": None,
    "decay": 1.0,
    "decay_seconds": 150.0,
    "items": {},
}
STREAM_STEP = np.uint64(0x9E3779B97F4A7C15)
SEATS = (2, s.TEAM_SIZE)
COUNTERS = {
    "kills": s.KILLS,
    "deaths": s.DEATHS,
    "assists": s.ASSISTS,
    "last_hits": s.LAST_HITS,
    "levels": s.LEVEL,
    "attacks": s.SUM_ATTACKS,
    "structure_attacks": s.SUM_STRUCTURE_ATTACKS,
    "illegal": s.ILLEGAL,
}
"""Statistics a seat, `[N, 2, 5]`."""


def spread_seeds(seeds: Seeds) -> NDArray[np.int64]:
    """Makes the seeds of the two teams' streams from a match's seed: splitmix64, Steele et al. 2014.

    Args:
        seeds: `[n]` seeds.

    Returns:
        `[n, 2]` seeds of team A's and team B's stream.
    """
    with np.errstate(over="ignore"):
        words = seeds[:, None] + STREAM_STEP * np.array([1, 2], np.uint64)
        words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(words ^ (words >> np.uint64(31))).view(np.int64)


class MobaGame:
    """A batch of MOBA matches.

    Several batches may be used in several threads at once: the kernels run without the GIL and share only tables.
    """

    def __init__(
        self,
        preset: str,
        num_games: int,
        *,
        aim: Literal["manual", "assist"] = "manual",
        image: bool = False,
        rewards: Mapping[str, Any] | None = None,
        heroes_file: str | Path | None = None,
        overrides: Mapping[str, Any] | None = None,
        debug: bool = False,
    ) -> None:
        """Loads the data and allocates the matches; `reset` starts them.

        Args:
            preset: such as `blitz`.
            num_games: matches in the batch, N.
            aim: `manual`: skills take a direction and distance; `assist`: a target.
            image: whether agents also see the local image.
            rewards: fields of `RewardSettings` that differ from `DEFAULT_REWARDS`.
            heroes_file: another hero file; None: the package's.
            overrides: numbers of the preset to change.
            debug: whether an illegal action of an external team raises instead of acting as none.

        Raises:
            ValueError: if a name is unknown or a value out of range.
        """
        if num_games < 1:
            raise ValueError(f"num_games must be at least 1, got {num_games}")
        file = Path(heroes_file) if heroes_file is not None else None
        changes = dict(overrides or {})
        self.tables, self.pool, self.preset = load_tables(preset, file, changes, aim=aim)
        spec = moba_spec(self.tables, self.pool, self.preset, aim=aim, image=image)
        options = {**spec.options, "patch": self.pool.patch, "overrides": changes}
        self._spec = replace(spec, options=options)
        self._weights = load_rewards(RewardSettings.model_validate({**DEFAULT_REWARDS, **(rewards or {})}))
        self._debug = debug
        self.f: Floats = np.zeros((num_games, s.F_SIZE), np.float32)
        self.k: Ints = np.zeros((num_games, s.K_SIZE), np.int32)
        self.k[:, s.OVER] = 1
        self.k[:, s.BOT : s.BOT + 2] = EXTERNAL
        self._memory = new_memory(num_games)
        self._rewards = np.zeros((num_games, s.NUM_HEROES, NUM_REWARD_HEADS), np.float32)
        self._terminated = np.zeros(num_games, np.bool_)
        self._own = np.zeros((s.NUM_HEROES, s.NUM_HEADS), np.int32)
        self._events, self._work = new_events(), new_work()

    @property
    def spec(self) -> GameSpec:
        """The game's description."""
        return self._spec

    @property
    def num_games(self) -> int:
        """Number of matches in the batch, N."""
        return len(self.f)

    def reset(self, games: Ints, lineups: Shorts, seeds: Seeds, seats: NDArray[np.int8]) -> None:
        """Starts matches anew; see `BatchGame.reset`. A hero id of -1 leaves a seat empty.

        Raises:
            ValueError: if an index, hero, bot or team size is impossible.
        """
        self.reset_streams(games, lineups, spread_seeds(np.asarray(seeds, np.uint64)), seats)

    def reset_streams(
        self, games: Ints, lineups: Shorts, streams: NDArray[np.int64], seats: NDArray[np.int8]
    ) -> None:
        """Starts matches anew with a seed a team, `[n, 2]`: swapping sides swaps them."""
        games, lineups = np.asarray(games, np.int32), np.asarray(lineups, np.int16)
        streams, seats = np.asarray(streams, np.int64), np.asarray(seats, np.int8)
        self._check_start(games, lineups, streams, seats)
        reset_batch(
            self.f,
            self.k,
            self.tables,
            games,
            np.ascontiguousarray(lineups),
            np.ascontiguousarray(streams),
            np.ascontiguousarray(seats),
            self._weights,
            self._memory,
        )
        self._rewards[games] = 0.0
        self._terminated[games] = False

    def _check_start(
        self, games: Ints, lineups: Shorts, streams: NDArray[np.int64], seats: NDArray[np.int8]
    ) -> None:
        n = len(games)
        if (
            games.shape != (n,)
            or lineups.shape != (n, *SEATS)
            or streams.shape != (n, 2)
            or seats.shape != (n, 2)
        ):
            raise ValueError(
                f"reset expects games [n], lineups [n, 2, {s.TEAM_SIZE}], seeds [n] and seats [n, 2], "
                f"got {games.shape}, {lineups.shape}, {streams.shape}, {seats.shape}"
            )
        if n and (games.min() < 0 or games.max() >= self.num_games or len(np.unique(games)) != n):
            raise ValueError(
                f"games must be different indices in [0, {self.num_games}), got {games.tolist()}"
            )
        if n and (lineups.min() < -1 or lineups.max() >= len(self.pool.heroes)):
            raise ValueError(f"hero ids must lie in [-1, {len(self.pool.heroes)}), got {lineups.tolist()}")
        for lineup in lineups:
            chosen = lineup[lineup >= 0]
            if len(np.unique(chosen)) != len(chosen):
                raise ValueError(f"a line-up must not repeat a hero, got {lineup.tolist()}")
        if n and (seats.min() < EXTERNAL or seats.max() >= len(self._spec.bots)):
            raise ValueError(
                f"seats must be -1 or a bot in [0, {len(self._spec.bots)}), got {seats.tolist()}"
            )
        check_team_sizes(lineups)

    def observe(self, views: BatchViews, *, bots: bool = False) -> None:
        """Writes what every external agent sees, its masks and the critic's view; see `BatchGame.observe`."""
        observe_batch(
            self.f,
            self.k,
            self.tables,
            self._work,
            0,
            self.num_games,
            views.observation,
            views.hero_ids,
            views.masks,
            views.target_rows,
            views.critic,
            views.critic_hero_ids,
            bots,
        )

    def step(self, actions: Ints) -> StepResult:
        """Plays one decision; see `BatchGame.step`.

        Raises:
            ValueError: if the actions have another shape; in debug mode also if one is illegal.
        """
        expected = (self.num_games, *SEATS, s.NUM_HEADS)
        if actions.shape != expected:
            raise ValueError(f"actions must be {list(expected)}, got {list(actions.shape)}")
        flat = np.ascontiguousarray(actions, np.int32).reshape(self.num_games, s.NUM_HEROES, s.NUM_HEADS)
        before = self.k[:, s.ILLEGAL : s.ILLEGAL + s.NUM_HEROES].copy() if self._debug else None
        step_batch(
            self.f,
            self.k,
            self.tables,
            flat,
            self._own,
            self._events,
            self._weights,
            self._memory,
            self._rewards,
            self._terminated,
        )
        if before is not None:
            self._assert_legal(before, flat)
        rewards = self._rewards.reshape(self.num_games, *SEATS, NUM_REWARD_HEADS)
        return StepResult(rewards, self._terminated, self.k[:, s.WINNER].astype(np.int8), self._taken())

    def _taken(self) -> Ints:
        """What every seat did in the last decision; an illegal action as none."""
        size = s.NUM_HEROES * s.NUM_HEADS
        taken = (
            self.k[:, s.ACTION : s.ACTION + size].reshape(self.num_games, s.NUM_HEROES, s.NUM_HEADS).copy()
        )
        taken[self.k[:, s.LAST_WHAT : s.LAST_WHAT + s.NUM_HEROES] == s.NONE] = 0
        return taken.reshape(self.num_games, *SEATS, s.NUM_HEADS)

    def _assert_legal(self, before: Ints, flat: Ints) -> None:
        wrong = np.argwhere(self.k[:, s.ILLEGAL : s.ILLEGAL + s.NUM_HEROES] > before)
        if len(wrong):
            game, seat = (int(index) for index in wrong[0])
            raise ValueError(
                f"illegal action {flat[game, seat].tolist()} (What, Who, Dir, Dist) of game {game}, seat {seat}, "
                f"decision {int(self.k[game, s.DECISION]) - 1}; take actions that the masks allow"
            )

    def set_team_spirit(self, share: float) -> None:
        """Changes the team spirit of the rewards from the next decision on; a schedule is the caller's.

        Raises:
            ValueError: if the share lies outside of [0, 1].
        """
        if not 0.0 <= share <= 1.0:
            raise ValueError(f"team spirit must lie in [0, 1], got {share}")
        self._weights.numbers[SPIRIT] = share

    def save_state(self) -> dict[str, NDArray[Any]]:
        """Copies everything that the matches under way consist of."""
        return {"floats": self.f.copy(), "integers": self.k.copy(), "reward_memory": self._memory.copy()}

    def load_state(self, state: dict[str, NDArray[Any]]) -> None:
        """Puts a saved state back.

        Raises:
            ValueError: if it is not a state of a batch of this size and version.
        """
        own = {"floats": self.f, "integers": self.k, "reward_memory": self._memory}
        if set(state) != set(own):
            raise ValueError(f"a saved moba state has {sorted(own)}, got {sorted(state)}")
        for name, array in own.items():
            if state[name].shape != array.shape or state[name].dtype != array.dtype:
                raise ValueError(
                    f"saved moba state {name}: expected {array.dtype} {list(array.shape)}, "
                    f"got {state[name].dtype} {list(state[name].shape)}; it comes from another batch size or version"
                )
        for name, array in own.items():
            array[...] = state[name]

    def clone(self, source: int, target: int) -> None:
        """Copies one match of the batch over another; what-if tools keep spare matches for it."""
        self.f[target], self.k[target] = self.f[source], self.k[source]
        self._memory[target] = self._memory[source]

    def mirror(self) -> None:
        """Turns every match into its mirror image: sides swapped, map turned over at the river."""
        for game in range(self.num_games):
            self.f[game], self.k[game] = mirror_match(self.f[game], self.k[game], self.tables.brush_mirror)
            self._memory[game] = np.roll(self._memory[game], s.TEAM_SIZE, axis=0)

    def state_hash(self, game: int) -> str:
        """Hash of a match's whole state."""
        digest = hashlib.sha256()
        for row in (self.f[game], self.k[game], self._memory[game]):
            digest.update(row.tobytes())
        return digest.hexdigest()[:16]

    def statistics(self) -> dict[str, NDArray[Any]]:
        """Figures of every match since its reset: a match, or a seat `[N, 2, 5]`."""
        n = self.num_games
        figures: dict[str, NDArray[Any]] = {
            "decisions": self.k[:, s.DECISION].copy(),
            "ended_by_crystal": self.k[:, s.ENDED_BY_CRYSTAL].astype(np.bool_),
        }
        for name, field in COUNTERS.items():
            figures[name] = self.k[:, field : field + s.NUM_HEROES].reshape(n, *SEATS).copy()
        attacks = np.maximum(figures["attacks"].sum(axis=(1, 2)), 1)
        figures["structure_attack_share"] = figures["structure_attacks"].sum(axis=(1, 2)) / attacks
        figures["gold"] = self.f[:, s.GOLD_TOTAL : s.GOLD_TOTAL + s.NUM_HEROES].reshape(n, *SEATS).copy()
        fallen = self.k[:, s.EXPIRES + s.STRUCTURE0 : s.EXPIRES + s.SUMMON0] > 0
        figures["structures_lost"] = fallen.reshape(n, 2, s.STRUCTURES_PER_TEAM).sum(axis=2)
        return figures
