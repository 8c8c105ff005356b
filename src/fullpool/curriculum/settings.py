"""Settings of the line-up search and of the three phases; values live in conf/base/parameters_<stage>.yml."""

from __future__ import annotations

from typing import Any, Self

from pydantic import Field, model_validator

from fullpool.league.settings import LeagueSettings
from fullpool.learning.distillation.settings import DistillationSettings
from fullpool.learning.imitation.settings import ImitationSettings
from fullpool.learning.ppo.settings import PpoSettings
from fullpool.networks.settings import NetworkSettings
from fullpool.strict import Settings


class LineupSettings(Settings):
    """Settings of the line-up stage."""

    bot: str = Field(description="scripted bot that plays both seats of all matches of this stage")
    batch_games: int = Field(gt=0, description="matches under way at once, over all threads")
    num_threads: int = Field(gt=0, description="threads that share them")
    num_matches: int = Field(
        ge=0,
        description="bot matches on random line-ups that the model is fitted on when no records are given",
    )
    regularization: float = Field(
        gt=0, description="C of the model's L2 penalty; smaller pulls harder to zero"
    )
    role_weight: float = Field(
        ge=0, description="cost of a doubled role in a team, in units of win probability away from one half"
    )
    search_restarts: int = Field(gt=0, description="random partitions that the search starts from")
    search_steps: int = Field(gt=0, description="rounds of 64 proposed swaps a start")
    candidates: int = Field(gt=0, description="splits of each group that are played at first")
    halving_games: int = Field(
        gt=0, description="matches a split in the first round; doubled in every next one"
    )
    confirm_games: int = Field(gt=0, description="matches of the chosen split that its reported p rests on")
    confidence: float = Field(gt=0, lt=1, description="of the Wilson interval of p")


class ConvergenceSettings(Settings):
    """When a phase counts as converged and how its agent is rated on the way."""

    every_generations: int = Field(gt=0, description="generations between two ratings")
    window: int = Field(gt=0, description="ratings between the two that are compared")
    delta: float = Field(description="Elo points; a gain surely below this counts as none")
    patience: int = Field(gt=0, description="ratings running that must say so")
    confidence: float = Field(gt=0, lt=1, description="of the bootstrap interval of the gain")
    num_resamples: int = Field(gt=0, description="bootstrap resamples")
    anchors: tuple[str, ...] = Field(
        min_length=1, description="scripted bots that the agent is rated against, the strongest last"
    )
    bot_games: int = Field(
        gt=0, description="matches of each pair of anchors, and of each with noop, once a phase"
    )
    anchor_games: int = Field(gt=0, description="matches against each anchor a rating")
    past_games: int = Field(gt=0, description="matches against each of its own last `window` rated states")
    num_lineups: int = Field(gt=0, description="reserved line-ups that a rating of all heroes goes through")
    batch_games: int = Field(gt=0, description="matches of a rating under way at once")


class RolloutSettings(Settings):
    """How training matches are played."""

    num_games: int = Field(gt=0, description="matches under way at once, over all threads")
    window: int = Field(
        gt=0, description="decisions a window, T; also the length of truncated backpropagation"
    )
    num_threads: int = Field(
        gt=0, description="threads that play and learn; results are the same for the same number"
    )

    @model_validator(mode="after")
    def _threads_share_games(self) -> Self:
        if self.num_games % self.num_threads:
            raise ValueError(
                f"num_games must be a multiple of num_threads, got {self.num_games} games for {self.num_threads}"
            )
        return self


class PhaseSettings(Settings):
    """What all phases have in common."""

    budget_agent_steps: int = Field(gt=0, description="the phase ends here if it has not converged before")
    generation_updates: int = Field(gt=0, description="updates between two checkpoints")
    log_updates: int = Field(gt=0, description="updates that one metrics row averages over")
    rollout: RolloutSettings
    convergence: ConvergenceSettings

    def plain(self) -> dict[str, Any]:
        """JSON data, as checkpoints keep it."""
        return self.model_dump(mode="json")


class SelfPlaySettings(PhaseSettings):
    """A phase of PPO self-play: the merged phase, and what teachers and the baseline build on."""

    ppo: PpoSettings
    league: LeagueSettings


class TeacherSettings(SelfPlaySettings):
    """Phase 1: self-play of one teacher on each fixed line-up. Budgets are a teacher's."""

    network: NetworkSettings
    imitation: ImitationSettings | None = Field(
        description="how each teacher first imitates scripted bots; null: not at all"
    )
    parallel_teachers: int = Field(
        gt=0, description="teachers trained side by side, each with its own threads"
    )


class StudentSettings(PhaseSettings):
    """Phase 2: distillation of all teachers into one student; its network is also that of the merged phase."""

    network: NetworkSettings
    distillation: DistillationSettings


class MergedSettings(SelfPlaySettings):
    """Phase 3: self-play from the student on random line-ups of the whole pool."""


class BaselineSettings(SelfPlaySettings):
    """No curriculum: self-play from a fresh network on random line-ups of the whole pool."""

    network: NetworkSettings
    imitation: ImitationSettings | None = Field(
        description="how it first imitates scripted bots; null: not at all"
    )
