"""Networks inside checkpoints: fresh ones from a seed, frozen ones as arrays and back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from fullpool.games.contract import GameSpec
from fullpool.networks.actor_critic import ActorCritic
from fullpool.networks.settings import NetworkSettings

Arrays = dict[str, NDArray[Any]]


def make_network(spec: GameSpec, settings: NetworkSettings, seed: int) -> ActorCritic:
    """Builds a network whose first weights depend on the seed alone.

    Args:
        spec: the game.
        settings: sizes and switches.
        seed: of the weights.

    Returns:
        The network, ready to be trained.
    """
    return ActorCritic(spec, settings, seed=seed)


def networks_to_arrays(networks: Mapping[str, ActorCritic], prefix: str) -> Arrays:
    """Copies the weights of frozen networks, named `prefix/network/parameter`."""
    return {
        f"{prefix}/{name}/{key}": value.detach().cpu().numpy().copy()
        for name, network in networks.items()
        for key, value in network.state_dict().items()
    }


def networks_from_arrays(
    arrays: Mapping[str, NDArray[Any]], prefix: str, spec: GameSpec, settings: NetworkSettings
) -> dict[str, ActorCritic]:
    """Rebuilds what `networks_to_arrays` wrote.

    Args:
        arrays: of a checkpoint.
        prefix: as it was written.
        spec: the game.
        settings: sizes and switches of all of them.

    Returns:
        Frozen networks by name.
    """
    weights: dict[str, dict[str, torch.Tensor]] = {}
    for path, array in arrays.items():
        kind, _, rest = path.partition("/")
        if kind == prefix:
            name, _, key = rest.partition("/")
            weights.setdefault(name, {})[key] = torch.from_numpy(np.array(array))
    networks = {}
    for name, state in weights.items():
        network = ActorCritic(spec, settings)
        network.load_state_dict(state)
        networks[name] = network.requires_grad_(False).eval()
    return networks


def with_prefix(arrays: Mapping[str, NDArray[Any]], prefix: str) -> Arrays:
    """Puts `prefix/` before every name."""
    return {f"{prefix}/{name}": array for name, array in arrays.items()}


def without_prefix(arrays: Mapping[str, NDArray[Any]], prefix: str) -> Arrays:
    """Picks the arrays under `prefix/` and strips it."""
    start = f"{prefix}/"
    return {name.removeprefix(start): array for name, array in arrays.items() if name.startswith(start)}
