"""Settings of matchmaking and evaluation; values live in the stages' parameters."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import Field, model_validator

from fullpool.strict import Settings

Share = Annotated[float, Field(ge=0, le=1)]


class LeagueSettings(Settings):
    """Whom a learner meets."""

    latest_share: Share = Field(description="share of matches in which the learner plays both teams")
    bot_shares: dict[str, Share] = Field(description="share of matches against each scripted bot, by name")
    capacity: int = Field(gt=0, description="past snapshots kept in memory")
    snapshot_updates: int = Field(gt=0, description="updates between two snapshots")
    priority_power: float = Field(
        ge=0,
        description="past opponents are drawn in proportion to (their win rate against us) to this power",
    )
    priority_floor: float = Field(
        gt=0, le=1, description="added to that weight, so that beaten snapshots are met now and then"
    )
    payoff_memory: int = Field(gt=0, description="games after which older results against a snapshot fade")

    @model_validator(mode="after")
    def _shares_fit(self) -> Self:
        total = self.latest_share + sum(self.bot_shares.values())
        if total > 1 + 1e-9:
            raise ValueError(
                f"latest_share and bot_shares must sum to at most 1, got {total:.3f}; "
                "past snapshots get the rest"
            )
        return self


class EvaluationSettings(Settings):
    """How pairings are played when agents are measured."""

    num_games: int = Field(
        gt=1, description="matches of the final agent a pairing, half of them on each side"
    )
    side_games: int = Field(gt=1, description="matches a pairing of the other agents and of the bots")
    num_lineups: int = Field(gt=0, description="reserved line-ups that the matches are spread over")
    batch_games: int = Field(gt=0, description="matches under way at once, over all threads")
    anchors: tuple[str, ...] = Field(
        min_length=1, description="scripted bots that every agent is rated against"
    )
    num_resamples: int = Field(gt=0, description="bootstrap resamples of the ratings")
    confidence: float = Field(gt=0, lt=1, description="of Wilson and bootstrap intervals")
