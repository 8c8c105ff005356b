"""The optimiser: policy and critic are clipped apart."""

from __future__ import annotations

import torch

from fullpool.games.contract import GameSpec
from fullpool.learning.optimiser import ShardedAdam
from fullpool.learning.testing import make_network


def stepped(spec: GameSpec, value_scale: float, gradient_norm: float = 0.5) -> list[torch.Tensor]:
    """Change of the policy's parameters by one step on given gradients; the critic's are scaled."""
    network = make_network(spec)
    own = {id(parameter) for parameter in network.policy_parameters()}
    adam = ShardedAdam(network, learning_rate=1e-2, epsilon=1e-3, gradient_norm=gradient_norm)
    generator = torch.Generator().manual_seed(0)
    gradients = tuple(
        torch.randn(parameter.shape, generator=generator) * (1e-3 if id(parameter) in own else value_scale)
        for parameter in adam.parameters
    )
    before = [parameter.detach().clone() for parameter in network.policy_parameters()]
    adam.step([gradients], learning_rate=1e-2)
    return [new.detach() - old for new, old in zip(network.policy_parameters(), before, strict=True)]


def test_a_huge_value_loss_does_not_shrink_the_policys_step(spec: GameSpec) -> None:
    small, huge = stepped(spec, 1e-3), stepped(spec, 1e6)
    assert all(torch.equal(one, other) for one, other in zip(small, huge, strict=True))
    assert max(float(change.abs().max()) for change in huge) > 1e-3


def test_every_parameter_belongs_to_policy_or_critic_once(spec: GameSpec) -> None:
    for opponent_information in (True, False):
        network = make_network(spec, opponent_information=opponent_information)
        parts = [*network.policy_parameters(), *network.critic_parameters()]
        assert sorted(map(id, parts)) == sorted(map(id, network.parameters()))


def test_each_part_is_clipped_to_the_norm_and_the_policys_is_returned(spec: GameSpec) -> None:
    network = make_network(spec)
    adam = ShardedAdam(network, learning_rate=0.0, epsilon=1e-5, gradient_norm=0.5)
    gradients = tuple(torch.ones_like(parameter) for parameter in adam.parameters)
    number = sum(parameter.numel() for parameter in network.policy_parameters())
    norm = adam.step([gradients, tuple(2 * gradient for gradient in gradients)], learning_rate=0.0)
    assert abs(norm - 3 * number**0.5) < 1e-2
    # The first moment of Adam after one step is a tenth of the clipped gradient.
    state = adam.state()
    index = {id(parameter): i for i, parameter in enumerate(adam.parameters)}
    for part in (network.policy_parameters(), network.critic_parameters()):
        squares = sum(float(state[f"{index[id(p)]}.exp_avg"].square().sum()) for p in part)
        assert abs(squares**0.5 * 10 - 0.5) < 1e-3
