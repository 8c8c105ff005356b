"""Frozen policies on disk."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest
import torch

from fullpool.games.contract import GameSpec
from fullpool.learning.policy import freeze_policy, load_policy, save_policy, weights_hash
from fullpool.learning.testing import make_network


def test_a_policy_survives_the_disk(tmp_path: Path, spec: GameSpec) -> None:
    network = make_network(spec)
    network.rescale_values(torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0]))
    policy = freeze_policy(network, spec, {"stage": "teachers"})
    save_policy(tmp_path / "p", policy, spec)
    found = load_policy(tmp_path / "p", spec)
    assert weights_hash(found.network) == weights_hash(network)
    assert found.settings == network.settings
    assert found.provenance == {"stage": "teachers"}
    assert not any(parameter.requires_grad for parameter in found.network.parameters())


def test_a_frozen_policy_does_not_follow_the_learner(spec: GameSpec) -> None:
    network = make_network(spec)
    policy = freeze_policy(network, spec)
    before = weights_hash(policy.network)
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.add_(1.0)
    assert weights_hash(policy.network) == before != weights_hash(network)


def test_a_policy_of_another_pool_is_refused(tmp_path: Path, spec: GameSpec) -> None:
    save_policy(tmp_path / "p", freeze_policy(make_network(spec), spec), spec)
    other = dataclasses.replace(spec, heroes=(*spec.heroes, "ninth"), roles=(*spec.roles, "any"))
    with pytest.raises(ValueError, match=r"another hero pool .*8 heroes against 9.*ninth") as caught:
        load_policy(tmp_path / "p", other)
    assert "\n" not in str(caught.value)


def test_what_is_no_policy_is_refused(tmp_path: Path, spec: GameSpec) -> None:
    with pytest.raises(ValueError, match=r"holds no policy.json"):
        load_policy(tmp_path, spec)
    save_policy(tmp_path / "p", freeze_policy(make_network(spec), spec), spec)
    weights = tmp_path / "p" / "weights.safetensors"
    weights.write_bytes(weights.read_bytes()[:-10])
    with pytest.raises(ValueError, match=r"weights.safetensors is corrupt"):
        load_policy(tmp_path / "p", spec)
