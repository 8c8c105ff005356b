"""Sizes and switches of the actor-critic network."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from fullpool.strict import Settings

Units = Annotated[int, Field(gt=0, le=16384)]


class NetworkSettings(Settings):
    """Sizes and switches of one actor-critic network; values live in the `network` part of a stage's parameters."""

    hero_embedding: Units = Field(
        description="width of the hero id embedding, projected onto the first row layer"
    )
    row_units: tuple[Units, ...] = Field(
        min_length=1,
        description="layers of the shared encoder of a unit row; the last is also the target key",
    )
    trunk_units: tuple[Units, ...] = Field(
        min_length=1, description="layers between the pooled rows and the LSTM"
    )
    lstm_units: Units = Field(
        description="units of the LSTM, or of the layer in its place when `use_lstm` is off"
    )
    use_lstm: bool = Field(
        description="off: a feed-forward layer of the same width; the policy has no memory"
    )
    critic_row_units: tuple[Units, ...] = Field(min_length=1, description="row encoder layers of the critic")
    critic_units: tuple[Units, ...] = Field(min_length=1, description="layers of the critic's team encoder")
    value_units: Units = Field(description="hidden layer of the value heads, one pass an agent")
    opponent_information: bool = Field(
        description="on: values see the privileged team block; off: they come from the actor's own memory"
    )
    value_heads: Literal["per_reward", "single"] = Field(
        description="one value head a reward head, or a single one on their weighted sum"
    )
    image: bool = Field(description="encode the observation's image when the game has one")
    image_channels: tuple[Units, ...] = Field(description="channels of the 3x3 convolutions over the image")
