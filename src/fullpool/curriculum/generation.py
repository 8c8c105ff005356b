"""What a phase yields: an agent between two updates, with all that is needed to go on, and how it lies on disk.

<folder>/policy/            the agent, frozen
<folder>/checkpoint/        everything that its training needs to go on
<folder>/games.json         its rating games so far
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from fullpool.curriculum.metrics import MetricsRow
from fullpool.games.contract import GameSpec
from fullpool.league.game_log import GameLog
from fullpool.learning.checkpoint import Checkpoint, load_checkpoint, save_checkpoint
from fullpool.learning.damage import Damaged
from fullpool.learning.policy import Policy, load_policy, save_policy


@dataclass(frozen=True, eq=False)
class Generation:
    """An agent between two updates; what came before can be forgotten once this is on disk.

    Attributes:
        part: name of the agent: a teacher's group, else the stage.
        number: of the generation, from 1.
        state_name: what its latest rated state is called among its games.
        num_agent_steps: agent-steps learnt from so far.
        policy: the agent, frozen.
        rows: metrics since its last generation; not on disk.
        checkpoint: everything that its training needs to go on.
        games: rating games of its phase so far.
        verdict: what the convergence rule said last, in words.
        done: whether its training has ended.
        spec: the game.
    """

    part: str
    number: int
    state_name: str
    num_agent_steps: int
    policy: Policy
    rows: tuple[MetricsRow, ...]
    checkpoint: Checkpoint
    games: GameLog
    verdict: str
    done: bool
    spec: GameSpec

    def save(self, folder: Path) -> None:
        """Writes everything but the rows into an empty folder."""
        save_policy(folder / "policy", self.policy, self.spec)
        save_checkpoint(folder / "checkpoint", self.checkpoint, self.spec)
        (folder / "games.json").write_text(json.dumps(self.games.to_rows()), encoding="utf-8")


def load_generation(folder: Path, spec: GameSpec) -> Generation:
    """Reads what a generation wrote; its rows are not on disk.

    Args:
        folder: as it was saved to.
        spec: the game at hand.

    Returns:
        The generation.

    Raises:
        ValueError: in one line, if something is missing, damaged or of another game.
    """
    checkpoint = load_checkpoint(folder / "checkpoint", spec)
    meta = checkpoint.meta
    return Generation(
        part=str(meta["name"]),
        number=int(meta["number"]),
        state_name=str(meta["state_name"]),
        num_agent_steps=int(meta["num_agent_steps"]),
        policy=load_policy(folder / "policy", spec),
        rows=(),
        checkpoint=checkpoint,
        games=load_games(folder),
        verdict=str(meta["verdict"]),
        done=bool(meta["done"]),
        spec=spec,
    )


def load_games(folder: Path) -> GameLog:
    """Reads rating games from a generation's or an evaluation's folder.

    Raises:
        ValueError: if they are missing or damaged.
    """
    path = folder / "games.json"
    try:
        return GameLog.from_rows(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, IndexError, TypeError) as error:
        raise Damaged(
            path, f"{path} cannot be read as rating games ({error}); restore it or train anew"
        ) from None
