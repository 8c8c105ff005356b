"""Knobs of the PPO learner."""

from __future__ import annotations

import difflib
from typing import Literal

from pydantic import Field

from fullpool.games.contract import GameSpec
from fullpool.networks.precision import Precision
from fullpool.strict import Settings


class RewardHeadSettings(Settings):
    """Discount and weight of one reward head."""

    discount: float = Field(ge=0, le=1, description="gamma of this head, a decision")
    weight: float = Field(
        ge=0, le=1e6, description="weight of this head's advantage in the policy's; not in the value loss"
    )


class PpoSettings(Settings):
    """Knobs of one PPO stage; values live in that stage's parameters."""

    reward_heads: dict[str, RewardHeadSettings] = Field(
        description="every reward head of the game by its name"
    )
    trace_decay: float = Field(ge=0, le=1, description="lambda of GAE and of the value targets")
    clip_ratio: float = Field(gt=0, lt=1, description="epsilon of the clipped objective")
    dual_clip: float | None = Field(
        gt=1, description="c of the second clip for negative advantages; null: off"
    )
    ratio: Literal["per_head", "joint"] = Field(description="one ratio an action head, or their product")
    advantage: Literal["weighted_sum", "mean"] = Field(description="how the value heads' advantages combine")
    scale_advantages: bool = Field(
        description="divide each head's advantages by their running std before weighting"
    )
    statistics_memory: float = Field(gt=1, description="agent-steps after which running statistics forget")
    entropy_weight: float = Field(ge=0, description="weight of the summed entropy of the used heads")
    value_weight: float = Field(ge=0, description="weight of the value loss")
    learning_rate: float = Field(gt=0, description="Adam's step at the first update")
    final_learning_rate: float = Field(ge=0, description="Adam's step when the schedule ends")
    schedule_agent_steps: int = Field(gt=0, description="agent-steps over which the rate falls linearly")
    adam_epsilon: float = Field(gt=0, description="Adam's epsilon")
    gradient_norm: float = Field(gt=0, description="gradients are scaled down to this global norm")
    num_epochs: int = Field(gt=0, description="passes over each batch of windows")
    minibatch_size: int = Field(gt=0, description="agent-steps a gradient step, in whole sequences")
    precision: Precision = Field(description="number type of the large products")


def check_reward_heads(settings: PpoSettings, spec: GameSpec) -> None:
    """Compares the settings' reward heads with the game's.

    Raises:
        ValueError: naming the head that is unknown or missing.
    """
    for name in settings.reward_heads:
        if name not in spec.reward_heads:
            close = difflib.get_close_matches(name, spec.reward_heads, 1)
            hint = f"did you mean {close[0]!r}?" if close else f"it has {list(spec.reward_heads)}"
            raise ValueError(f"reward_heads: game {spec.name!r} has no reward head {name!r}; {hint}")
    for name in spec.reward_heads:
        if name not in settings.reward_heads:
            raise ValueError(
                f"reward_heads: {name!r} of game {spec.name!r} is missing; give its discount and weight"
            )
