"""Value heads on the privileged view of a team: the team is encoded once a step, then one small head an agent."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from fullpool.games.contract import ObservationSpec
from fullpool.networks.encoders import Dense, ObservationEncoder, dense_layers
from fullpool.networks.settings import NetworkSettings


class TeamCritic(nn.Module):
    """Values of every agent of a team from the team's block.

    The first rows of the critic's hero block are the own team in seat order: an agent's value is read from the
    team's embedding and its own encoded row.
    """

    def __init__(
        self,
        spec: ObservationSpec,
        settings: NetworkSettings,
        *,
        num_heroes: int,
        team_size: int,
        num_values: int,
    ) -> None:
        """Builds the team encoder and the value heads."""
        super().__init__()
        self.hero_block = spec.hero_block
        self.team_size = team_size
        self.encoder = ObservationEncoder(
            spec,
            num_heroes=num_heroes,
            row_units=settings.critic_row_units,
            hero_embedding=settings.hero_embedding,
            image_channels=settings.image_channels,
            use_image=settings.image,
        )
        self.team = dense_layers(self.encoder.features, settings.critic_units)
        # One layer over [team, own row], split so that the team's part is computed once a team.
        self.from_team = Dense(settings.critic_units[-1], settings.value_units, gain=1.0)
        self.from_row = Dense(settings.critic_row_units[-1], settings.value_units, gain=1.0, bias=False)
        self.values = Dense(settings.value_units, num_values, gain=0.01)

    def forward(self, observation: Tensor, hero_ids: Tensor, dtype: torch.dtype) -> Tensor:
        """Computes values.

        Args:
            observation: `[B, Dc]` float32, one row a team and step.
            hero_ids: `[B, rows]` int16.
            dtype: type in which the rows are computed.

        Returns:
            `[B, P, K]` float32, normalised.
        """
        encoded = self.encoder(observation, hero_ids, dtype)
        team = self.from_team(self.team(encoded.features))
        own = encoded.rows[self.hero_block][: self.team_size].transpose(0, 1)
        hidden = torch.relu_(self.from_row(own) + team.unsqueeze(1))
        values: Tensor = self.values(hidden)
        return values.float()


class MemoryCritic(nn.Module):
    """Values from the actor's own memory, for a critic without the opponents' information."""

    def __init__(self, memory_units: int, settings: NetworkSettings, *, num_values: int) -> None:
        """Builds one hidden layer and the value heads."""
        super().__init__()
        self.hidden = dense_layers(memory_units, (settings.value_units,))
        self.values = Dense(settings.value_units, num_values, gain=0.01)

    def forward(self, memory: Tensor) -> Tensor:
        """Computes `[..., K]` float32 normalised values from `[..., L]`."""
        values: Tensor = self.values(self.hidden(memory))
        return values.float()
