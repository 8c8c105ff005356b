"""Knobs of the imitation start."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import Field, model_validator

from fullpool.strict import Settings

Share = Annotated[float, Field(ge=0, le=1)]


class ImitationSettings(Settings):
    """Knobs of the imitation that a stage starts with; everything else is as in that stage's PPO."""

    bot_shares: dict[str, Share] = Field(
        description="share of teams that each scripted bot plays, by name; they sum to 1"
    )
    agent_steps: int = Field(
        gt=0, description="agent-steps of bots to learn from before PPO starts; they count in the budget"
    )
    learning_rate: float = Field(gt=0, description="Adam's step, the same throughout")
    value_weight: float = Field(ge=0, description="weight of the value loss, which warms the critic")
    num_epochs: int = Field(gt=0, description="passes over each batch of windows")
    minibatch_size: int = Field(gt=0, description="agent-steps a gradient step, in whole sequences")

    @model_validator(mode="after")
    def _shares_fit(self) -> Self:
        total = sum(self.bot_shares.values())
        if abs(total - 1) > 1e-6:
            raise ValueError(f"bot_shares must sum to 1, got {total:.3f} of {self.bot_shares}")
        return self
