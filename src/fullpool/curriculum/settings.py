"""Settings of the line-up search and of the three phases; values live in conf/base/parameters_<stage>.yml."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class LineupSettings(BaseModel):
    """Settings of the line-up stage."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    bot: str = Field(description="scripted bot that plays both seats of all matches of this stage")
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


class ConvergenceSettings(BaseModel):
    """When a phase counts as converged and how its agent is rated on the way."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    every_generations: int = Field(gt=0, description="generations between two ratings")
    window: int = Field(gt=0, description="ratings between the two that are compared")
    delta: float = Field(description="Elo points; a gain surely below this counts as none")
    patience: int = Field(gt=0, description="ratings running that must say so")
    confidence: float = Field(gt=0, lt=1, description="of the bootstrap interval of the gain")
    num_resamples: int = Field(gt=0, description="bootstrap resamples")
    anchors: tuple[str, ...] = Field(
        min_length=1, description="scripted bots that the agent is rated against"
    )
    anchor_games: int = Field(gt=0, description="matches against each anchor a rating")
    past_games: int = Field(
        gt=0, description="matches against each of its own last `window` rated states a rating"
    )
