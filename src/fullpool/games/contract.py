"""The contract between a game and whoever learns it.

A game is described by one frozen `GameSpec` and played through one `BatchGame`: a batch of matches between two
teams that steps in one call and writes into arrays that the caller owns. Axes are always games `N`, teams `2`,
players of a team `P`, then features. Seats (who decides for a team) and time limits of a trainer are not the
game's business; scripted bots are, since they run inside the game's kernels.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Bytes = NDArray[np.uint8]
Shorts = NDArray[np.int16]
Ints = NDArray[np.int32]
Seeds = NDArray[np.uint64]

RUNNING, TEAM_A_WON, TEAM_B_WON, DRAW = -1, 0, 1, 2
EXTERNAL = -1
"""Value of a seat that is not played by one of the game's own bots."""


@dataclass(frozen=True)
class UnitBlock:
    """One block of rows in a flat observation.

    Attributes:
        name: unique name inside its observation, such as `heroes`.
        rows: number of rows; a plain vector is a block of one row.
        columns: features a row, each scaled to about [0, 1] or [-1, 1]; a row of zeros means "absent".
        groups: row ranges that an encoder pools apart, such as self, allies, enemies: `(name, first, last + 1)`.
            Empty for a block that is used as it is.
    """

    name: str
    rows: int
    columns: int
    groups: tuple[tuple[str, int, int], ...] = ()

    @property
    def size(self) -> int:
        """Number of floats that the block takes."""
        return self.rows * self.columns


@dataclass(frozen=True)
class ObservationSpec:
    """Blocks of a flat observation, one after another, row-major.

    Attributes:
        blocks: the blocks in the order in which they lie in the vector.
        hero_block: name of the block whose rows are heroes and carry an integer hero id.
        image: channels, height and width of an optional image that follows the blocks, or None.
    """

    blocks: tuple[UnitBlock, ...]
    hero_block: str
    image: tuple[int, int, int] | None = None

    @property
    def size(self) -> int:
        """Number of floats in the vector, the image included."""
        image = int(np.prod(self.image)) if self.image else 0
        return sum(block.size for block in self.blocks) + image

    @property
    def hero_rows(self) -> int:
        """Number of rows that carry a hero id."""
        return self.block(self.hero_block).rows

    def block(self, name: str) -> UnitBlock:
        """Finds a block by its name.

        Raises:
            ValueError: if there is no such block.
        """
        for block in self.blocks:
            if block.name == name:
                return block
        raise ValueError(f"no observation block {name!r}; there are {[b.name for b in self.blocks]}")

    def offset(self, name: str) -> int:
        """First float of a block in the vector."""
        start = 0
        for block in self.blocks:
            if block.name == name:
                return start
            start += block.size
        raise ValueError(f"no observation block {name!r}; there are {[b.name for b in self.blocks]}")


@dataclass(frozen=True)
class ActionHead:
    """One discrete head of a factored action: its name and its number of choices."""

    name: str
    size: int


@dataclass(frozen=True, eq=False)
class ActionSpec:
    """Factored discrete actions whose first head decides which of the others count.

    Attributes:
        heads: the heads; the first one is the button (What).
        uses: `[heroes, A0, H]` bool; whether choice `a` of head 0 uses head `h` when this hero plays. Column 0 is true.
        mask_rows: `[H, A0]` int; row of head `h`'s mask that choice `a` of head 0 selects; -1: all choices are legal.
            Head 0 always has the single row 0.
        target_head: name of the head whose slots point at observed units through `BatchViews.target_rows`, or None.
        target_blocks: names of the unit blocks that `target_rows` counts through, in order (row index runs on
            from one block to the next).
    """

    heads: tuple[ActionHead, ...]
    uses: NDArray[np.bool_]
    mask_rows: Ints
    target_head: str | None = None
    target_blocks: tuple[str, ...] = ()

    @property
    def mask_shapes(self) -> tuple[tuple[int, int], ...]:
        """Rows and columns of each head's mask as they lie in the flat mask, one after another."""
        shapes = []
        for index, head in enumerate(self.heads):
            rows = 1 if index == 0 else int(self.mask_rows[index].max()) + 1
            shapes.append((rows, head.size))
        return tuple(shapes)

    @property
    def mask_size(self) -> int:
        """Number of bytes in the flat mask of one agent."""
        return sum(rows * columns for rows, columns in self.mask_shapes)


@dataclass(frozen=True, eq=False)
class GameSpec:
    """Everything that a learner may know of a game before it plays.

    Attributes:
        name: registered name, such as `moba`.
        version: changes when behaviour changes; a checkpoint of another version is refused.
        preset: which size or scenario of the game.
        team_size: players in a team, `P`; there are always two teams.
        heroes: the pool by name; hero ids are indices into it.
        roles: role of each hero, same length.
        observation: what an agent sees.
        critic: what the critic sees of a whole team's state, one vector a team and step; None: nothing is privileged.
        action: the heads, their masks and their use.
        reward_heads: names of the reward heads, `K`.
        zero_sum: whether each head sums to zero over all agents at every step.
        max_decisions: no match takes more decisions than this.
        decisions_per_second: of game time.
        bots: names of the scripted bots, by their number.
    """

    name: str
    version: str
    preset: str
    team_size: int
    heroes: tuple[str, ...]
    roles: tuple[str, ...]
    observation: ObservationSpec
    critic: ObservationSpec | None
    action: ActionSpec
    reward_heads: tuple[str, ...]
    zero_sum: bool
    max_decisions: int
    decisions_per_second: float
    bots: tuple[str, ...] = ()
    options: dict[str, Any] = field(default_factory=dict)

    @property
    def num_reward_heads(self) -> int:
        """Number of reward heads, K."""
        return len(self.reward_heads)

    def describe(self) -> dict[str, Any]:
        """Plain data that pins what a checkpoint was trained on: names, sizes, versions."""
        return {
            "name": self.name,
            "version": self.version,
            "preset": self.preset,
            "team_size": self.team_size,
            "heroes": list(self.heroes),
            "observation": [[b.name, b.rows, b.columns] for b in self.observation.blocks],
            "critic": [[b.name, b.rows, b.columns] for b in self.critic.blocks] if self.critic else None,
            "heads": [[h.name, h.size] for h in self.action.heads],
            "reward_heads": list(self.reward_heads),
            "options": self.options,
        }

    def fingerprint(self) -> str:
        """Short hash of `describe()`."""
        text = json.dumps(self.describe(), sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:16]


@dataclass(frozen=True, eq=False)
class BatchViews:
    """Arrays of the caller that a game writes into; leading axes are games, teams, players.

    Attributes:
        observation: `[N, 2, P, D]` float32.
        hero_ids: `[N, 2, P, rows]` int16; hero of each row of the hero block, -1 where the row is absent.
        masks: `[N, 2, P, M]` uint8; 1 is legal.
        target_rows: `[N, 2, P, slots]` int16; row that each slot of the target head points to, -1: none.
        critic: `[N, 2, Dc]` float32.
        critic_hero_ids: `[N, 2, critic rows]` int16.
    """

    observation: Floats
    hero_ids: Shorts
    masks: Bytes
    target_rows: Shorts
    critic: Floats
    critic_hero_ids: Shorts


def allocate_views(spec: GameSpec, *leading: int) -> BatchViews:
    """Allocates zeroed views; `leading` are the axes before teams, such as time and games.

    Args:
        spec: the game's spec.
        leading: sizes of the leading axes.

    Returns:
        Views whose arrays have the axes `[*leading, 2, P, ...]`.
    """
    team, players = (*leading, 2), (*leading, 2, spec.team_size)
    slots = 0
    if spec.action.target_head is not None:
        slots = next(h.size for h in spec.action.heads if h.name == spec.action.target_head)
    critic_size = spec.critic.size if spec.critic else 0
    critic_rows = spec.critic.hero_rows if spec.critic else 0
    return BatchViews(
        observation=np.zeros((*players, spec.observation.size), np.float32),
        hero_ids=np.full((*players, spec.observation.hero_rows), -1, np.int16),
        masks=np.zeros((*players, spec.action.mask_size), np.uint8),
        target_rows=np.full((*players, slots), -1, np.int16),
        critic=np.zeros((*team, critic_size), np.float32),
        critic_hero_ids=np.full((*team, critic_rows), -1, np.int16),
    )


@dataclass(frozen=True, eq=False)
class StepResult:
    """What one decision of the whole batch led to. Arrays are the game's own and valid until the next call.

    Attributes:
        rewards: `[N, 2, P, K]` float32.
        terminated: `[N]` bool; the match ended with this decision (value 0). A finished match stands still
            and pays nothing until it is reset.
        winner: `[N]` int8; RUNNING, TEAM_A_WON, TEAM_B_WON or DRAW.
        actions: `[N, 2, P, H]` int32; what every seat did in this decision, bots included, as an external agent would
            have had to say it; an illegal action counts as nothing. Without meaning in a match that was over.
    """

    rewards: Floats
    terminated: NDArray[np.bool_]
    winner: NDArray[np.int8]
    actions: Ints


class BatchGame(Protocol):
    """A batch of matches that steps in one call."""

    @property
    def spec(self) -> GameSpec:
        """The game's description."""

    @property
    def num_games(self) -> int:
        """Number of matches in the batch, N."""

    def reset(self, games: Ints, lineups: Shorts, seeds: Seeds, seats: NDArray[np.int8]) -> None:
        """Starts matches anew.

        Args:
            games: `[n]` indices of the matches to start.
            lineups: `[n, 2, P]` hero ids.
            seeds: `[n]` seeds, one a match.
            seats: `[n, 2]` number of the bot that plays each team, or EXTERNAL.
        """

    def observe(self, views: BatchViews, *, bots: bool = False) -> None:
        """Writes what every external agent sees, its masks and the critic's view.

        Args:
            views: written.
            bots: whether what bot-played agents see is written too; else it may be left as it is.
        """

    def step(self, actions: Ints) -> StepResult:
        """Plays one decision; `actions` is `[N, 2, P, H]`; rows of bots and of finished matches are ignored."""

    def save_state(self) -> dict[str, NDArray[Any]]:
        """Copies everything that the matches under way consist of."""

    def load_state(self, state: dict[str, NDArray[Any]]) -> None:
        """Puts a saved state back."""

    def statistics(self) -> dict[str, NDArray[Any]]:
        """Per-match figures worth logging since each reset, by name; first axis N."""
