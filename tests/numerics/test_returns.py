"""Advantages and returns against the printed sums, in plain loops."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from fullpool.numerics.returns import align_flags, gae_advantages, lambda_returns

DISCOUNTS = torch.tensor([0.9, 0.5], dtype=torch.float64)


def make_window(seed: int, steps: int = 7, lanes: int = 3) -> dict[str, Tensor]:
    """A random window: some lanes end, some are cut short, and idle afterwards."""
    generator = np.random.default_rng(seed)
    shape = (steps, lanes, 2)
    terminated = np.zeros((steps, lanes), bool)
    truncated = np.zeros((steps, lanes), bool)
    valid = np.ones((steps, lanes), bool)
    for lane in range(lanes):
        end = int(generator.integers(0, 2 * steps))
        if end < steps:
            (terminated if generator.random() < 0.5 else truncated)[end, lane] = True
            # A lane that was cut short may go on with another game; one that ended idles.
            valid[end + 1 :, lane] = bool(truncated[end, lane]) and generator.random() < 0.5
    arrays = {
        name: torch.from_numpy(generator.normal(size=shape)) for name in ("rewards", "values", "next_values")
    }
    flags = {"terminated": terminated, "truncated": truncated, "valid": valid}
    return {**arrays, **{name: torch.from_numpy(flag) for name, flag in flags.items()}}


def slow_advantage(window: dict[str, Tensor], t: int, lane: int, head: int, trace_decay: float) -> float:
    """GAE as the printed sum `sum_l (gamma lambda)^l delta_{t+l}` up to the game's end or the window's."""
    discount = float(DISCOUNTS[head])
    total, weight = 0.0, 1.0
    for step in range(t, window["rewards"].shape[0]):
        if not window["valid"][step, lane]:
            break
        ended = bool(window["terminated"][step, lane])
        following = 0.0 if ended else float(window["next_values"][step, lane, head])
        reward, value = (float(window[name][step, lane, head]) for name in ("rewards", "values"))
        total += weight * (reward + discount * following - value)
        if ended or window["truncated"][step, lane]:
            break
        weight *= discount * trace_decay
    return total


def slow_lambda_return(window: dict[str, Tensor], t: int, lane: int, head: int, trace_decay: float) -> float:
    """Lambda-return by its recursion, Sutton and Barto 2018, eq. 12.20."""
    if t == window["rewards"].shape[0] or not window["valid"][t, lane]:
        raise AssertionError("asked for a return beyond the game")
    discount, reward = float(DISCOUNTS[head]), float(window["rewards"][t, lane, head])
    following = float(window["next_values"][t, lane, head])
    if window["terminated"][t, lane]:
        return reward
    last = t + 1 == window["rewards"].shape[0] or not window["valid"][t + 1, lane]
    if last or window["truncated"][t, lane]:
        return reward + discount * following
    # Within a game the next value is the value of the next state, as the recursion wants it.
    later = slow_lambda_return(window, t + 1, lane, head, trace_decay)
    return reward + discount * ((1.0 - trace_decay) * following + trace_decay * later)


@given(seed=st.integers(0, 10_000), trace_decay=st.sampled_from([0.0, 0.5, 0.95, 1.0]))
@settings(max_examples=30, deadline=None)
def test_advantages_equal_the_printed_sum(seed: int, trace_decay: float) -> None:
    window = make_window(seed)
    advantages = gae_advantages(**window, discounts=DISCOUNTS, trace_decay=trace_decay)
    for t, lane, head in np.ndindex(*advantages.shape):
        assert float(advantages[t, lane, head]) == pytest.approx(
            slow_advantage(window, t, lane, head, trace_decay), abs=1e-9
        )


@given(seed=st.integers(0, 10_000), trace_decay=st.sampled_from([0.0, 0.7, 1.0]))
@settings(max_examples=30, deadline=None)
def test_lambda_returns_equal_their_recursion(seed: int, trace_decay: float) -> None:
    window = make_window(seed)
    window["next_values"][:-1] = torch.where(
        window["truncated"][:-1].unsqueeze(-1), window["next_values"][:-1], window["values"][1:]
    )
    returns = lambda_returns(**window, discounts=DISCOUNTS, trace_decay=trace_decay)
    for t, lane, head in np.ndindex(*returns.shape):
        if window["valid"][t, lane]:
            expected = slow_lambda_return(window, t, lane, head, trace_decay)
        else:
            expected = float(window["values"][t, lane, head])
        assert float(returns[t, lane, head]) == pytest.approx(expected, abs=1e-9)


def test_an_end_forgets_the_next_value_and_a_cut_keeps_it() -> None:
    one = torch.ones(1, 1, 1, dtype=torch.float64)
    flag, no = torch.ones(1, 1, dtype=torch.bool), torch.zeros(1, 1, dtype=torch.bool)
    discounts = torch.tensor([0.5], dtype=torch.float64)
    ended = gae_advantages(one, 2 * one, 8 * one, flag, no, flag, discounts=discounts, trace_decay=0.9)
    cut = gae_advantages(one, 2 * one, 8 * one, no, flag, flag, discounts=discounts, trace_decay=0.9)
    assert float(ended) == -1.0
    assert float(cut) == 3.0


def test_idle_steps_leak_nothing_backwards() -> None:
    window = make_window(1)
    window["terminated"][...], window["truncated"][...], window["valid"][...] = False, False, True
    window["terminated"][2, 0] = True
    window["valid"][3:, 0] = False
    before = gae_advantages(**window, discounts=DISCOUNTS, trace_decay=0.9)
    for name in ("rewards", "values", "next_values"):
        window[name][3:, 0] = 1e6
    window["next_values"][2, 0] = -1e6
    after = gae_advantages(**window, discounts=DISCOUNTS, trace_decay=0.9)
    torch.testing.assert_close(before, after)
    assert (after[3:, 0] == 0).all()


def test_shapes_are_checked() -> None:
    window = make_window(0)
    with pytest.raises(ValueError, match="share one shape"):
        gae_advantages(**{**window, "values": window["values"][1:]}, discounts=DISCOUNTS, trace_decay=0.9)
    with pytest.raises(ValueError, match="leading axes"):
        align_flags(window["valid"][:, :2], window["rewards"])
