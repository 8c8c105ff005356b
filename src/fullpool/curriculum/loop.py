"""The loop of every phase: updates, metrics rows, ratings, checkpoints, and the end."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from threading import Event
from typing import Any, Protocol

from fullpool.curriculum.generation import Generation
from fullpool.curriculum.metrics import Meter, MetricsRow
from fullpool.curriculum.rating import Arena, PhaseRating
from fullpool.curriculum.settings import PhaseSettings
from fullpool.curriculum.weights import networks_from_arrays, networks_to_arrays
from fullpool.league.game_log import ALL_LINEUPS
from fullpool.learning.checkpoint import Checkpoint
from fullpool.learning.divergence import check_figures, check_tensors
from fullpool.learning.matches import MatchRecord
from fullpool.learning.policy import Policy, freeze_policy
from fullpool.networks.actor_critic import ActorCritic


class Halted(RuntimeError):
    """Training was given up between two updates, because the program is about to end."""


class Trainer(Protocol):
    """What a phase does between two ratings."""

    network: ActorCritic

    @property
    def num_agent_steps(self) -> int:
        """Agent-steps learnt from so far."""

    @property
    def num_updates(self) -> int:
        """Updates so far."""

    def update(self) -> tuple[dict[str, float], list[MatchRecord]]:
        """Learns once; returns metrics and matches that ended."""

    def save(self) -> Checkpoint:
        """Copies everything; its meta has the single key `trainer`."""

    def load(self, checkpoint: Checkpoint) -> None:
        """Puts a saved state back."""


@dataclass(frozen=True)
class Label:
    """How a phase and its agent are called.

    Attributes:
        stage: of the pipeline.
        name: of the agent: a teacher's group, else the stage.
    """

    stage: str
    name: str

    @property
    def suffix(self) -> str:
        """Behind metric names: the group of a teacher, else nothing."""
        return "" if self.name == self.stage else f"_{self.name}"

    def state_name(self, number: int) -> str:
        """Name of the agent's state after a generation, unique in a run."""
        agent = self.stage if self.name == self.stage else f"teacher_{self.name}"
        return f"{agent}@{number}"


def check_resume(checkpoint: Checkpoint, label: Label, settings: PhaseSettings) -> None:
    """Refuses to go on from a checkpoint of another agent or of other settings.

    Raises:
        ValueError: naming the keys that differ.
    """
    meta = checkpoint.meta
    if (meta["stage"], meta["name"]) != (label.stage, label.name):
        raise ValueError(
            f"the checkpoint belongs to {meta['name']!r} of stage {meta['stage']!r}, expected {label.name!r} of "
            f"{label.stage!r}"
        )
    differing = _differences(meta["settings"], settings.plain(), label.stage)
    if differing:
        raise ValueError(
            f"the checkpoint was made with other settings: {'; '.join(differing)}; restore them or start a new campaign"
        )


def _differences(found: Any, expected: Any, path: str) -> list[str]:
    if isinstance(found, dict) and isinstance(expected, dict):
        keys = sorted(set(found) | set(expected))
        return [
            text for key in keys for text in _differences(found.get(key), expected.get(key), f"{path}.{key}")
        ]
    return [] if found == expected else [f"{path} was {found}, is {expected}"]


def run_phase(
    label: Label,
    trainer: Trainer,
    arena: Arena,
    settings: PhaseSettings,
    *,
    resume: Checkpoint | None = None,
    halt: Event | None = None,
) -> Iterator[Generation]:
    """Trains until the convergence rule or the budget ends the phase.

    Args:
        label: how phase and agent are called.
        trainer: what learns.
        arena: where it is rated.
        settings: of the phase.
        resume: the last checkpoint; the loop goes on as if it had never stopped.
        halt: gives up before the next update once it is set.

    Yields:
        The agent after each `generation_updates` updates, the last with `done`. Nothing if the checkpoint is
        of a finished phase.

    Raises:
        ValueError: if the checkpoint is of another agent or other settings.
        Diverged: if losses or weights are no longer finite.
        Halted: once `halt` is set.
    """
    phase = _Phase(label, trainer, arena, settings, halt or Event())
    if resume is not None:
        check_resume(resume, label, settings)
        phase.load(resume)
    while not phase.done:
        yield phase.advance()


def skip_phase(
    label: Label,
    trainer: Trainer,
    arena: Arena,
    settings: PhaseSettings,
    *,
    resume: Checkpoint | None = None,
) -> Iterator[Generation]:
    """Leaves a phase out: hands on the untrained agent as its only generation.

    Args:
        label: how phase and agent are called.
        trainer: holds the agent.
        arena: where it would be rated.
        settings: of the phase.
        resume: checkpoint of the phase, which then is over.

    Yields:
        The agent, done, unless there is a checkpoint.
    """
    phase = _Phase(label, trainer, arena, settings, Event())
    if resume is not None:
        check_resume(resume, label, settings)
        return
    yield phase.skip()


class _Phase:
    """A phase between two generations."""

    def __init__(
        self, label: Label, trainer: Trainer, arena: Arena, settings: PhaseSettings, halt: Event
    ) -> None:
        self.halt = halt
        self.label, self.trainer, self.settings = label, trainer, settings
        self.spec = arena.spec
        self.rating = PhaseRating(arena, settings.convergence)
        self.meter = Meter(label.suffix)
        self.number, self.done, self.verdict = 0, False, "not rated yet"
        self.state_name = label.state_name(0)

    def advance(self) -> Generation:
        """Runs one generation."""
        rows: list[MetricsRow] = []
        if self.number == 0:
            rows.append(self._rate())
        self.number += 1
        self.meter.start(self.trainer.num_agent_steps)
        for _ in range(self.settings.generation_updates):
            if self.halt.is_set():
                raise Halted(f"{self.label.stage} of {self.label.name} was given up between two updates")
            metrics, matches = self.trainer.update()
            check_figures(metrics, self._where())
            self.meter.add(metrics, matches)
            if self.meter.num_updates >= self.settings.log_updates:
                rows.append(self.meter.row(self.trainer.num_agent_steps))
            if self._spent():
                break
        check_tensors(self.trainer.network.state_dict(), self._where())
        # A generation's last row must not wait for the next one: a resume would count its updates twice.
        if self.meter.num_updates:
            rows.append(self.meter.row(self.trainer.num_agent_steps))
        if self._spent() or self.number % self.settings.convergence.every_generations == 0:
            rating = self._rate()
            rows[-1] = replace(rows[-1], values=rows[-1].values | rating.values)
        return self._generation(tuple(rows))

    def skip(self) -> Generation:
        """Ends the phase before it begins."""
        self.number, self.done, self.verdict = 1, True, "left out"
        return self._generation(())

    def _where(self) -> str:
        of = f" of {self.label.name}" if self.label.suffix else ""
        return f"{self.label.stage}{of} after {self.trainer.num_agent_steps:,} agent-steps"

    def _spent(self) -> bool:
        return self.trainer.num_agent_steps >= self.settings.budget_agent_steps

    def _rate(self) -> MetricsRow:
        network = freeze_policy(self.trainer.network, self.spec).network
        self.state_name = self.label.state_name(self.number)
        metrics, verdict = self.rating.rate(self.state_name, network)
        self.verdict = verdict.text(self.settings.convergence)
        self.done = verdict.converged or self._spent()
        if self.done:
            self.verdict += "" if verdict.converged else "; ended at its budget"
            metrics |= self.rating.progress()
        return MetricsRow(self.trainer.num_agent_steps, self.meter.named(metrics))

    def _generation(self, rows: tuple[MetricsRow, ...]) -> Generation:
        provenance = {
            "stage": self.label.stage,
            "agent": self.label.name,
            "generation": self.number,
            "agent_steps": self.trainer.num_agent_steps,
        }
        policy: Policy = freeze_policy(self.trainer.network, self.spec, provenance)
        return Generation(
            part=self.label.name,
            number=self.number,
            state_name=self.state_name,
            num_agent_steps=self.trainer.num_agent_steps,
            policy=policy,
            rows=rows,
            checkpoint=self._save(),
            games=self.rating.log.copy(),
            verdict=self.verdict,
            done=self.done,
            spec=self.spec,
        )

    def _save(self) -> Checkpoint:
        saved = self.trainer.save()
        check_tensors(
            {f"the optimiser's state {name}": value for name, value in saved.optimizer.items()}, self._where()
        )
        meta = {
            **saved.meta,
            "stage": self.label.stage,
            "name": self.label.name,
            "number": self.number,
            "num_agent_steps": self.trainer.num_agent_steps,
            "done": self.done,
            "verdict": self.verdict,
            "state_name": self.state_name,
            "rating": self.rating.state(),
            "settings": self.settings.plain(),
        }
        arrays = saved.arrays | networks_to_arrays(self.rating.recent, "rated")
        return Checkpoint(saved.weights, saved.optimizer, arrays, meta)

    def load(self, checkpoint: Checkpoint) -> None:
        """Puts the state of a generation back."""
        meta = checkpoint.meta
        self.number, self.done = int(meta["number"]), bool(meta["done"])
        self.verdict, self.state_name = str(meta["verdict"]), str(meta["state_name"])
        network = self.trainer.network
        rated = networks_from_arrays(checkpoint.arrays, "rated", self.spec, network.settings)
        self.rating.load_state(meta["rating"], rated)
        self.trainer.load(checkpoint)


def lineup_set_of(label: Label) -> str:
    """Name of the line-ups that an agent is rated on: a teacher's group, else all."""
    return label.name if label.suffix else ALL_LINEUPS
