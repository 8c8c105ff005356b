"""The agent's network: unit rows, trunk, LSTM, masked factored heads, and value heads on a privileged view.

Ye et al. 2020 (https://arxiv.org/abs/2011.12692), section 3.1 and figure 1. It reads nothing of a game but its spec.
"""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import torch
from torch import Tensor, nn

from fullpool.games.contract import GameSpec
from fullpool.networks.critic import MemoryCritic, TeamCritic
from fullpool.networks.encoders import Dense, ObservationEncoder, RowEncoder, dense_layers
from fullpool.networks.heads import ActionHeads
from fullpool.networks.layout import build_tables
from fullpool.networks.settings import NetworkSettings
from fullpool.networks.types import ActorInputs, ActorStep, CriticInputs, Evaluation, LstmState
from fullpool.numerics.distributions import (
    choice_log_probs,
    choice_statistics,
    extend_masks,
    greedy_choices,
    legal_choices,
    masked_log_probs,
    masked_probabilities,
    sample_choices,
    used_heads,
)


class PolicyOutput(NamedTuple):
    """Logits of a window and the memory behind them.

    Attributes:
        logits: `[T, G, P, H, A]` float32, not masked.
        memory: `[T, G, P, L]`.
        state: recurrent state after the window.
    """

    logits: Tensor
    memory: Tensor
    state: LstmState


def compute_dtype(device: torch.device) -> torch.dtype:
    """Type of the large products: that of autocast where it is on, else float32."""
    if torch.is_autocast_enabled(device.type):
        return torch.get_autocast_dtype(device.type)
    return torch.float32


class ActorCritic(nn.Module):
    """Policy and value heads of one agent that plays any hero of the pool."""

    def __init__(self, spec: GameSpec, settings: NetworkSettings, *, seed: int = 0) -> None:
        """Builds the network for a game.

        Args:
            spec: the game's spec.
            settings: sizes and switches.
            seed: from which the weights are drawn; it matters not where weights are loaded afterwards.

        Raises:
            ValueError: if the settings ask for what the game does not give.
        """
        super().__init__()
        if settings.opponent_information and spec.critic is None:
            raise ValueError(
                f"opponent_information is on but game {spec.name!r} has no critic view: switch it off for this game"
            )
        self.settings = settings
        self.num_values = spec.num_reward_heads if settings.value_heads == "per_reward" else 1
        self.tables = build_tables(spec.action)
        num_heroes = len(spec.heroes)
        self.encoder = ObservationEncoder(
            spec.observation,
            num_heroes=num_heroes,
            row_units=settings.row_units,
            hero_embedding=settings.hero_embedding,
            image_channels=settings.image_channels,
            use_image=settings.image,
        )
        self.trunk = dense_layers(self.encoder.features, settings.trunk_units)
        self.lstm: nn.LSTM | None = None
        if settings.use_lstm:
            self.lstm = nn.LSTM(settings.trunk_units[-1], settings.lstm_units)
        else:
            self.feed_forward = dense_layers(settings.trunk_units[-1], (settings.lstm_units,))
        self.heads = ActionHeads(spec.action, settings.lstm_units, settings.row_units[-1])
        self.team_critic: TeamCritic | None = None
        self.memory_critic: MemoryCritic | None = None
        if settings.opponent_information and spec.critic is not None:
            self.team_critic = TeamCritic(
                spec.critic,
                settings,
                num_heroes=num_heroes,
                team_size=spec.team_size,
                num_values=self.num_values,
            )
        else:
            self.memory_critic = MemoryCritic(settings.lstm_units, settings, num_values=self.num_values)
        self.team_size = spec.team_size
        self.value_mean: Tensor
        self.value_std: Tensor
        self.register_buffer("value_mean", torch.zeros(self.num_values))
        self.register_buffer("value_std", torch.ones(self.num_values))
        draw_weights(self, seed)

    @property
    def value_layer(self) -> nn.Linear:
        """Last layer of the value heads."""
        critic = self.team_critic if self.team_critic is not None else self.memory_critic
        assert critic is not None
        return critic.values

    @property
    def device(self) -> torch.device:
        """Device of the weights."""
        return next(self.parameters()).device

    def critic_parameters(self) -> list[nn.Parameter]:
        """Parameters that only the values use."""
        return [p for critic in (self.team_critic, self.memory_critic) if critic for p in critic.parameters()]

    def policy_parameters(self) -> list[nn.Parameter]:
        """All other parameters."""
        own = {id(parameter) for parameter in self.critic_parameters()}
        return [parameter for parameter in self.parameters() if id(parameter) not in own]

    def initial_state(self, num_groups: int) -> LstmState:
        """Recurrent state of `num_groups` teams at a game's start."""
        shape = (num_groups, self.team_size, self.settings.lstm_units)
        return LstmState(torch.zeros(shape, device=self.device), torch.zeros(shape, device=self.device))

    def forward(self, inputs: ActorInputs, state: LstmState) -> PolicyOutput:
        """Runs the policy over a window of one game or its part.

        Args:
            inputs: `[T, G, P, ...]`.
            state: recurrent state before the window, `[G, P, L]`.

        Returns:
            Logits, memory and the state after the window.
        """
        steps, groups, players = inputs.observation.shape[:3]
        lanes = groups * players
        encoded = self.encoder(
            inputs.observation.flatten(0, 2), inputs.hero_ids.flatten(0, 2), compute_dtype(self.device)
        )
        hidden = self.trunk(encoded.features)
        after = state
        if self.lstm is not None:
            before = (state.hidden.reshape(1, lanes, -1), state.cell.reshape(1, lanes, -1))
            memory, (last_hidden, last_cell) = self.lstm(hidden.view(steps, lanes, -1), before)
            memory = memory.flatten(0, 1)
            shape = (groups, players, -1)
            after = LstmState(last_hidden.float().view(shape), last_cell.float().view(shape))
        else:
            memory = self.feed_forward(hidden)
        logits = self.heads(memory, encoded.rows, inputs.target_rows.flatten(0, 2))
        leading = (steps, groups, players)
        return PolicyOutput(logits.view(*leading, *logits.shape[1:]), memory.view(*leading, -1), after)

    @torch.no_grad()
    def act(
        self,
        inputs: ActorInputs,
        state: LstmState,
        generator: torch.Generator,
        *,
        deterministic: bool = False,
    ) -> ActorStep:
        """Decides once for every agent.

        Args:
            inputs: `[G, P, ...]`.
            state: recurrent state before the decision.
            generator: source of the samples.
            deterministic: take the most probable choice of each head instead of sampling.

        Returns:
            Choices, their log-probabilities and the next state.
        """
        window = ActorInputs(*(part.unsqueeze(0) for part in inputs))
        output = self(window, state)
        return self.choose(output, window, generator, deterministic=deterministic)

    @torch.no_grad()
    def choose(
        self,
        output: PolicyOutput,
        window: ActorInputs,
        generator: torch.Generator,
        *,
        deterministic: bool = False,
    ) -> ActorStep:
        """Samples the choices of a window of one step: What first, then the others under the masks What selects.

        Args:
            output: what `forward` returned for the window.
            window: `[1, G, P, ...]`.
            generator: source of the samples.
            deterministic: take the most probable choices.

        Returns:
            Choices, their log-probabilities and the next state.
        """
        groups, players = window.heroes.shape[1:]
        logits = output.logits.flatten(0, 2)
        extended = extend_masks(window.masks.flatten(0, 2))
        width = self.tables.num_choices
        first_legal = extended[:, self.tables.mask_index[0, :width]].bool()
        pick = greedy_choices if deterministic else partial(sample_choices, generator=generator)
        first = pick(masked_probabilities(logits[:, 0], first_legal))
        legal = legal_choices(extended, first, self.tables)
        choices = pick(masked_probabilities(logits, legal))
        choices[:, 0] = first
        used = used_heads(window.heroes.flatten().long(), first, self.tables)
        chosen = choice_log_probs(masked_log_probs(logits, legal), choices) * used
        shape = (groups, players, -1)
        return ActorStep(choices.int().view(shape), chosen.view(shape), output.state)

    def evaluate(self, inputs: ActorInputs, state: LstmState, actions: Tensor) -> Evaluation:
        """Judges decisions that were taken, with gradients.

        Args:
            inputs: `[T, G, P, ...]`; a window never crosses a game's end.
            state: recurrent state before the window.
            actions: `[T, G, P, H]` int32.

        Returns:
            Log-probabilities, entropies and use of every head.
        """
        output = self(inputs, state)
        leading = actions.shape
        choices = actions.flatten(0, 2).long()
        extended = extend_masks(inputs.masks.flatten(0, 2))
        legal = legal_choices(extended, choices[:, 0], self.tables)
        log_probs, entropies = choice_statistics(output.logits.flatten(0, 2), legal, choices)
        used = used_heads(inputs.heroes.flatten().long(), choices[:, 0], self.tables)
        return Evaluation(
            (log_probs * used).view(leading),
            (entropies * used).view(leading),
            used.view(leading),
            output.memory,
        )

    def values(self, critic: CriticInputs, memory: Tensor | None = None) -> Tensor:
        """Computes normalised values; the team's block is encoded once a team and step.

        Args:
            critic: `[T, G, ...]` privileged views.
            memory: `[T, G, P, L]` output of the LSTM; needed (and used) only without opponent information.

        Returns:
            `[T, G, P, K]` float32.

        Raises:
            ValueError: if the critic is not privileged and no memory is given.
        """
        if self.team_critic is not None:
            values: Tensor = self.team_critic(
                critic.observation.flatten(0, 1), critic.hero_ids.flatten(0, 1), compute_dtype(self.device)
            )
            return values.view(*critic.observation.shape[:2], *values.shape[1:])
        if memory is None or self.memory_critic is None:
            raise ValueError(
                "values without opponent information come from the LSTM's output: pass its memory"
            )
        of_memory: Tensor = self.memory_critic(memory)
        return of_memory

    def denormalise_values(self, values: Tensor) -> Tensor:
        """Brings normalised `[..., K]` values to the scale of the rewards."""
        return values * self.value_std + self.value_mean

    @torch.no_grad()
    def rescale_values(self, mean: Tensor, std: Tensor) -> None:
        """Changes the scale of the value heads while their de-normalised outputs stay the same.

        van Hasselt et al. 2016 (https://arxiv.org/abs/1602.07714), eq. 9 (Pop-Art).

        Args:
            mean: `[K]` new mean of the returns.
            std: `[K]` new standard deviation, above 0.
        """
        layer = self.value_layer
        fresh = bool((self.value_std == 1.0).all() and (self.value_mean == 0.0).all())
        if not fresh:  # what a head puts out before it was ever scaled means nothing
            layer.weight.mul_((self.value_std / std).unsqueeze(1))
            layer.bias.copy_((self.value_std * layer.bias + self.value_mean - mean) / std)
        self.value_mean.copy_(mean)
        self.value_std.copy_(std)


def draw_lstm(lstm: nn.LSTM, generator: torch.Generator) -> None:
    """Draws an LSTM's weights orthogonally a gate, with a forget gate bias of 1 (Jozefowicz et al. 2015)."""
    units = lstm.hidden_size
    for name, parameter in lstm.named_parameters():
        if "weight" in name:
            for gate in range(4):
                nn.init.orthogonal_(parameter.data[gate * units : (gate + 1) * units], 1.0, generator)
        else:
            nn.init.zeros_(parameter)
        if name == "bias_ih_l0":
            parameter.data[units : 2 * units] = 1.0


def draw_weights(network: nn.Module, seed: int) -> None:
    """Draws all weights of a network from a seed, module by module; parents draw after their children.

    Args:
        network: the network, changed in place.
        seed: the same seed gives the same weights.
    """
    generator = torch.Generator().manual_seed(seed)
    for module in reversed(list(network.modules())):
        if isinstance(module, Dense | RowEncoder | ActionHeads):
            module.draw(generator)
        elif isinstance(module, nn.LSTM):
            draw_lstm(module, generator)
        elif isinstance(module, nn.Conv2d):
            nn.init.kaiming_uniform_(module.weight, nonlinearity="relu", generator=generator)
            if module.bias is not None:
                nn.init.zeros_(module.bias)
