"""Knobs of the distillation learner."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator

from fullpool.networks.precision import Precision
from fullpool.strict import Settings


class DistillationSettings(Settings):
    """Knobs of the distillation stage; values live in that stage's parameters."""

    driver: Literal["student-driven", "teacher-driven", "none"] = Field(
        description="who acts in the teachers' matches; none: the stage is left out"
    )
    at: Literal["exact", "sampled"] = Field(
        description="cross-entropy over every What of the teacher, or at the played What only"
    )
    value_weight: float = Field(ge=0, description="weight of the squared distance of the values")
    replay_agent_steps: int = Field(gt=0, le=100_000, description="agent-steps that the replay holds")
    warmup_agent_steps: int = Field(
        ge=0, description="agent-steps in the replay before the first gradient step"
    )
    replay_ratio: float = Field(gt=0, description="agent-steps learnt from for each agent-step collected")
    statistics_memory: float = Field(gt=1, description="agent-steps after which running statistics forget")
    learning_rate: float = Field(gt=0, description="Adam's step at the first update")
    final_learning_rate: float = Field(ge=0, description="Adam's step when the schedule ends")
    schedule_agent_steps: int = Field(
        gt=0, description="collected agent-steps over which the rate falls linearly"
    )
    adam_epsilon: float = Field(gt=0, description="Adam's epsilon")
    gradient_norm: float = Field(gt=0, description="gradients are scaled down to this global norm")
    minibatch_size: int = Field(gt=0, description="agent-steps a gradient step, in whole sequences")
    precision: Precision = Field(description="number type of the large products")

    @model_validator(mode="after")
    def _warmup_fits(self) -> DistillationSettings:
        if self.warmup_agent_steps > self.replay_agent_steps:
            raise ValueError(
                f"warmup_agent_steps {self.warmup_agent_steps} must not exceed "
                f"replay_agent_steps {self.replay_agent_steps}"
            )
        return self
