"""The actor-critic: shapes, memory, target attention, values, sizes."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
import torch

from fullpool.games.contract import GameSpec, allocate_views
from fullpool.games.testing import ToyGame, blitz_like_spec, toy_spec
from fullpool.networks.actor_critic import ActorCritic
from fullpool.networks.precision import precision_context, resolve_precision
from fullpool.networks.settings import NetworkSettings
from fullpool.networks.types import ActorInputs, CriticInputs

VALUES = {
    "hero_embedding": 4,
    "row_units": (16,),
    "trunk_units": (32,),
    "lstm_units": 24,
    "use_lstm": True,
    "critic_row_units": (8,),
    "critic_units": (16,),
    "value_units": 16,
    "opponent_information": True,
    "value_heads": "per_reward",
    "image": False,
    "image_channels": (),
}


def make_network(spec: GameSpec, **changes: object) -> ActorCritic:
    return ActorCritic(spec, NetworkSettings.model_validate({**VALUES, **changes}))


def make_inputs(spec: GameSpec, steps: int = 3, games: int = 2) -> tuple[ActorInputs, CriticInputs]:
    """What a running toy game shows, `[T, G, ...]`."""
    game = ToyGame(games, spec)
    lineups = np.stack([np.arange(2 * spec.team_size).reshape(2, -1)] * games).astype(np.int16)
    game.reset(
        np.arange(games, dtype=np.int32),
        lineups,
        np.arange(games, dtype=np.uint64),
        np.full((games, 2), -1, np.int8),
    )
    shown = []
    for _ in range(steps):
        views = allocate_views(spec, games)
        game.observe(views)
        game.step(np.zeros((games, 2, spec.team_size, len(spec.action.heads)), np.int32))
        shown.append(views)

    def stack(name: str) -> torch.Tensor:
        return torch.from_numpy(np.stack([getattr(views, name) for views in shown])).flatten(1, 2)

    heroes = torch.from_numpy(lineups).flatten(0, 1).expand(steps, -1, -1).contiguous()
    names = ("observation", "hero_ids", "masks", "target_rows")
    inputs = ActorInputs(*(*(stack(name) for name in names), heroes))
    return inputs, CriticInputs(stack("critic"), stack("critic_hero_ids"))


@pytest.mark.parametrize("use_lstm", [True, False])
@pytest.mark.parametrize("opponent_information", [True, False])
@pytest.mark.parametrize("value_heads", ["per_reward", "single"])
def test_shapes_and_gradients(use_lstm: bool, opponent_information: bool, value_heads: str) -> None:
    spec = toy_spec()
    network = make_network(
        spec, use_lstm=use_lstm, opponent_information=opponent_information, value_heads=value_heads
    )
    inputs, critic = make_inputs(spec)
    state = network.initial_state(4)
    step = network.act(ActorInputs(*(x[0] for x in inputs)), state, torch.Generator().manual_seed(0))
    assert step.actions.shape == (4, 2, 3)
    assert step.actions.dtype == torch.int32
    actions = step.actions.expand(3, 4, 2, 3)
    judged = network.evaluate(inputs, state, actions)
    values = network.values(critic, judged.memory)
    assert values.shape == (3, 4, 2, 2 if value_heads == "per_reward" else 1)
    loss = judged.log_probs.sum() + judged.entropies.sum() + values.square().sum()
    torch.autograd.backward(loss)
    for name, parameter in network.named_parameters():
        assert parameter.grad is not None, name
        assert torch.isfinite(parameter.grad).all(), name


def test_acting_step_by_step_equals_evaluating_the_window() -> None:
    spec = toy_spec()
    network = make_network(spec)
    inputs, _ = make_inputs(spec, steps=5)
    state, generator = network.initial_state(4), torch.Generator().manual_seed(0)
    steps = []
    for t in range(5):
        steps.append(network.act(ActorInputs(*(x[t] for x in inputs)), state, generator))
        state = steps[-1].state
    judged = network.evaluate(inputs, network.initial_state(4), torch.stack([s.actions for s in steps]))
    torch.testing.assert_close(
        judged.log_probs, torch.stack([s.log_probs for s in steps]), atol=1e-5, rtol=1e-5
    )
    whole = network(inputs, network.initial_state(4))
    torch.testing.assert_close(whole.state.hidden, state.hidden, atol=1e-5, rtol=1e-5)


def test_actions_are_legal_and_unused_heads_do_not_count() -> None:
    spec = toy_spec()
    network = make_network(spec)
    inputs, _ = make_inputs(spec, steps=1, games=50)
    masks = inputs.masks.clone()
    masks[..., 1] = 0  # no moving
    masks[..., 4:7] = 0  # button 2 may not aim at the first three slots
    inputs = inputs._replace(masks=masks)
    step = network.act(
        ActorInputs(*(x[0] for x in inputs)), network.initial_state(100), torch.Generator().manual_seed(1)
    )
    what, who = step.actions[..., 0], step.actions[..., 1]
    assert (what != 1).all()
    assert (who[what == 2] >= 3).all()
    judged = network.evaluate(inputs, network.initial_state(100), step.actions.unsqueeze(0))
    unused = ~judged.used
    assert unused.any()
    assert (judged.log_probs[unused] == 0).all()
    assert (judged.entropies[unused] == 0).all()
    assert (step.log_probs[unused[0]] == 0).all()


def test_deterministic_choices_are_the_most_probable() -> None:
    spec = toy_spec()
    network = make_network(spec)
    inputs, _ = make_inputs(spec, steps=1)
    now = ActorInputs(*(x[0] for x in inputs))
    first = network.act(now, network.initial_state(4), torch.Generator().manual_seed(0), deterministic=True)
    second = network.act(now, network.initial_state(4), torch.Generator().manual_seed(9), deterministic=True)
    assert torch.equal(first.actions, second.actions)


def test_a_slot_follows_the_row_that_it_points_at() -> None:
    spec = toy_spec()
    network = make_network(spec)
    with torch.no_grad():
        network.heads.linear.weight.mul_(50)
    inputs, _ = make_inputs(spec, steps=1)
    logits = network(inputs, network.initial_state(4)).logits[..., 1, :6]
    keys = network.heads.linear(network(inputs, network.initial_state(4)).memory)[..., 6:12]
    moved = inputs._replace(target_rows=inputs.target_rows.roll(1, dims=-1))
    rolled = network(moved, network.initial_state(4)).logits[..., 1, :6]
    torch.testing.assert_close((rolled - keys), (logits - keys).roll(1, dims=-1))
    missing = inputs._replace(target_rows=torch.full_like(inputs.target_rows, -1))
    torch.testing.assert_close(network(missing, network.initial_state(4)).logits[..., 1, :6], keys)


def test_heads_fall_back_to_a_linear_layer_without_a_target() -> None:
    spec = toy_spec()
    plain = dataclasses.replace(
        spec, action=dataclasses.replace(spec.action, target_head=None, target_blocks=())
    )
    network = make_network(plain)
    inputs, _ = make_inputs(spec)
    assert network(inputs, network.initial_state(4)).logits.shape == (3, 4, 2, 3, 6)


def test_rescaling_keeps_the_values() -> None:
    spec = toy_spec()
    network = make_network(spec)
    _, critic = make_inputs(spec)
    network.rescale_values(torch.tensor([1.0, -2.0]), torch.tensor([3.0, 0.5]))
    before = network.denormalise_values(network.values(critic))
    network.rescale_values(torch.tensor([5.0, 0.0]), torch.tensor([0.1, 7.0]))
    torch.testing.assert_close(
        network.denormalise_values(network.values(critic)), before, atol=1e-4, rtol=1e-4
    )


def test_an_agents_value_depends_on_its_own_row_and_on_the_enemies() -> None:
    spec = toy_spec()
    network = make_network(spec)
    _, critic = make_inputs(spec)
    values = network.values(critic)
    assert not torch.allclose(values[..., 0, :], values[..., 1, :])
    changed = critic.observation.clone()
    changed[..., 3 * 6 + 2] += 1.0  # the last enemy's row
    assert not torch.allclose(network.values(critic._replace(observation=changed)), values)


def test_what_does_not_fit_is_refused() -> None:
    spec = dataclasses.replace(toy_spec(), critic=None)
    with pytest.raises(ValueError, match="no critic view"):
        make_network(spec)
    blind = make_network(spec, opponent_information=False)
    _, critic = make_inputs(toy_spec())
    with pytest.raises(ValueError, match="pass its memory"):
        blind.values(critic)
    with pytest.raises(ValueError, match="lstm_units"):
        NetworkSettings.model_validate({**VALUES, "lstm_units": 0})
    with pytest.raises(ValueError, match="lstm_unit\n"):
        NetworkSettings.model_validate({**VALUES, "lstm_unit": 3})


def test_bfloat16_stays_close_to_float32() -> None:
    spec = toy_spec()
    network = make_network(spec)
    inputs, critic = make_inputs(spec)
    plain = network(inputs, network.initial_state(4)).logits
    with precision_context(torch.bfloat16, network.device):
        half = network(inputs, network.initial_state(4))
        values = network.values(critic)
    assert half.logits.dtype == torch.float32
    assert values.dtype == torch.float32
    torch.testing.assert_close(half.logits, plain, atol=0.02, rtol=0.05)
    assert resolve_precision("float32", network.device) == torch.float32
    assert resolve_precision("bfloat16", network.device) == torch.bfloat16
    assert resolve_precision("auto", network.device) in (torch.float32, torch.bfloat16)


@pytest.mark.parametrize(("lstm", "trunk", "millions"), [(512, (768, 768), 9.0), (1024, (1024, 1024), 17.0)])
def test_the_papers_sizes_build(lstm: int, trunk: tuple[int, ...], millions: float) -> None:
    network = make_network(
        blitz_like_spec(),
        hero_embedding=64,
        row_units=(256, 256),
        trunk_units=trunk,
        lstm_units=lstm,
        critic_row_units=(256, 256),
        critic_units=(512, 512),
        value_units=256,
    )
    number = sum(parameter.numel() for parameter in network.parameters())
    assert number == pytest.approx(millions * 1e6, rel=0.15)
