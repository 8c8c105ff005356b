"""What a stage yields: agents between two updates, with all that is needed to go on, and how they lie on disk.

<folder>/generation.json            stage, number, names of the agents
<folder>/<agent>/policy/            the agent, frozen
<folder>/<agent>/checkpoint/        everything that its training needs to go on
<folder>/<agent>/games.json         its rating games so far
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from fullpool.curriculum.metrics import MetricsRow
from fullpool.games.contract import GameSpec
from fullpool.league.game_log import GameLog
from fullpool.learning.checkpoint import Checkpoint, load_checkpoint, save_checkpoint
from fullpool.learning.policy import Policy, load_policy, save_policy


@dataclass(frozen=True, eq=False)
class AgentState:
    """One agent between two updates.

    Attributes:
        name: a teacher's group, else the stage.
        state_name: what its latest rated state is called among its games.
        num_agent_steps: agent-steps learnt from so far.
        policy: the agent, frozen.
        rows: metrics since its last generation; not on disk.
        checkpoint: everything that its training needs to go on.
        games: rating games of its phase so far.
        verdict: what the convergence rule said last, in words.
        done: whether its training has ended.
    """

    name: str
    state_name: str
    num_agent_steps: int
    policy: Policy
    rows: tuple[MetricsRow, ...]
    checkpoint: Checkpoint
    games: GameLog
    verdict: str
    done: bool

    def save(self, folder: Path, spec: GameSpec) -> None:
        """Writes the agent."""
        folder.mkdir()
        save_policy(folder / "policy", self.policy, spec)
        save_checkpoint(folder / "checkpoint", self.checkpoint, spec)
        (folder / "games.json").write_text(json.dumps(self.games.to_rows()), encoding="utf-8")


@dataclass(frozen=True, eq=False)
class Generation:
    """All agents of a stage between two updates; what came before can be forgotten once this is on disk.

    Attributes:
        stage: `teachers`, `student`, `merged` or `baseline`.
        number: of the generation, from 1.
        agents: those that ended and those under way; agents that have not begun are not among them.
        finished: whether the stage ends with this generation.
        spec: the game.
    """

    stage: str
    number: int
    agents: tuple[AgentState, ...]
    finished: bool
    spec: GameSpec

    @property
    def name(self) -> str:
        """Name that is new to the stage and sorts by age."""
        return f"{self.number:06d}"

    @property
    def rows(self) -> tuple[MetricsRow, ...]:
        """Metrics of all agents since the last generation."""
        return tuple(row for agent in self.agents for row in agent.rows)

    def agent(self, name: str) -> AgentState:
        """Finds an agent.

        Raises:
            ValueError: if there is none of that name.
        """
        for agent in self.agents:
            if agent.name == name:
                return agent
        raise ValueError(
            f"no agent {name!r} in stage {self.stage!r}; there are {[a.name for a in self.agents]}"
        )

    def save(self, folder: Path) -> None:
        """Writes everything into an empty folder."""
        for agent in self.agents:
            agent.save(folder / agent.name, self.spec)
        plain = {
            "stage": self.stage,
            "number": self.number,
            "finished": self.finished,
            "agents": [agent.name for agent in self.agents],
        }
        (folder / "generation.json").write_text(json.dumps(plain, indent=1), encoding="utf-8")


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
    path = folder / "generation.json"
    try:
        plain = json.loads(path.read_text(encoding="utf-8"))
        names = [str(name) for name in plain["agents"]]
        generation = Generation(str(plain["stage"]), int(plain["number"]), (), bool(plain["finished"]), spec)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ValueError(
            f"{path} cannot be read as a generation ({error}); restore it or train anew"
        ) from None
    return replace(generation, agents=tuple(_load_agent(folder / name, name, spec) for name in names))


def _load_agent(folder: Path, name: str, spec: GameSpec) -> AgentState:
    checkpoint = load_checkpoint(folder / "checkpoint", spec)
    return AgentState(
        name=name,
        state_name=str(checkpoint.meta["state_name"]),
        num_agent_steps=int(checkpoint.meta["num_agent_steps"]),
        policy=load_policy(folder / "policy", spec),
        rows=(),
        checkpoint=checkpoint,
        games=load_games(folder),
        verdict=str(checkpoint.meta["verdict"]),
        done=bool(checkpoint.meta["done"]),
    )


def load_games(folder: Path) -> GameLog:
    """Reads an agent's rating games from its folder.

    Raises:
        ValueError: if they are missing or damaged.
    """
    path = folder / "games.json"
    try:
        return GameLog.from_rows(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, IndexError, TypeError) as error:
        raise ValueError(
            f"{path} cannot be read as rating games ({error}); restore it or train anew"
        ) from None


@dataclass(frozen=True, eq=False)
class Result:
    """The only generation of a stage that does not train: a value and how it is written.

    Attributes:
        write: writes it into an empty folder.
        rows: metrics.
    """

    write: Callable[[Path], None]
    rows: Sequence[MetricsRow] = ()
    name: str = "000001"
    finished: bool = True

    def save(self, folder: Path) -> None:
        """Writes the value into an empty folder."""
        self.write(folder)
