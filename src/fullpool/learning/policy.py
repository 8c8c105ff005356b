"""Frozen policies on disk: what a snapshot, a teacher and an opponent are."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file

from fullpool.games.contract import GameSpec
from fullpool.learning.checkpoint import check_description, read_meta, write_directory
from fullpool.learning.damage import Damaged
from fullpool.networks.actor_critic import ActorCritic
from fullpool.networks.settings import NetworkSettings

FORMAT = 1


@dataclass(frozen=True, eq=False)
class Policy:
    """A network that no longer learns.

    Attributes:
        network: in evaluation mode, without gradients.
        settings: its sizes.
        provenance: JSON data: where it comes from.
    """

    network: ActorCritic
    settings: NetworkSettings
    provenance: dict[str, Any] = field(default_factory=dict)


def freeze_policy(network: ActorCritic, spec: GameSpec, provenance: dict[str, Any] | None = None) -> Policy:
    """Copies a network's present weights into a frozen policy.

    Args:
        network: the network, which goes on learning.
        spec: the game's spec.
        provenance: JSON data to keep with it.

    Returns:
        A policy that shares no memory with the network.
    """
    copy = ActorCritic(spec, network.settings)
    copy.load_state_dict(network.state_dict())
    copy.to(network.device).requires_grad_(False).eval()
    return Policy(copy, network.settings, dict(provenance or {}))


def save_policy(path: Path, policy: Policy, spec: GameSpec) -> None:
    """Writes a policy atomically.

    Args:
        path: directory to create or replace.
        policy: what to write.
        spec: the game it plays.
    """
    weights = {
        name: value.detach().cpu().contiguous().clone() for name, value in policy.network.state_dict().items()
    }
    meta = {
        "format": FORMAT,
        "game": spec.describe(),
        "network": policy.settings.model_dump(mode="json"),
        "provenance": policy.provenance,
    }
    write_directory(path, {"weights.safetensors": lambda file: save_file(weights, file)}, "policy.json", meta)


def load_policy(path: Path, spec: GameSpec) -> Policy:
    """Reads a policy.

    Args:
        path: the directory.
        spec: the game at hand.

    Returns:
        The policy, frozen.

    Raises:
        ValueError: one line, if it is missing, corrupt, of another pool, version or preset.
    """
    meta = read_meta(path, "policy.json", FORMAT)
    check_description(meta["game"], spec, path)
    settings = NetworkSettings.model_validate(meta["network"])
    network = ActorCritic(spec, settings)
    try:
        network.load_state_dict(load_file(path / "weights.safetensors"))
    except (SafetensorError, RuntimeError) as error:
        line = str(error).splitlines()[0]
        raise Damaged(path, f"{path} is corrupt: {line} restore it or train anew") from None
    network.requires_grad_(False).eval()
    return Policy(network, settings, meta["provenance"])


def weights_hash(network: torch.nn.Module) -> str:
    """SHA-256 over all weights, to tell whether two runs ended the same."""
    digest = hashlib.sha256()
    for name, value in sorted(network.state_dict().items()):
        digest.update(name.encode())
        digest.update(value.detach().cpu().contiguous().numpy().tobytes())
    return digest.hexdigest()
