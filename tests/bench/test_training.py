"""The training bench on the toy game."""

from __future__ import annotations

import dataclasses

import pytest

from fullpool.bench.training import BenchSize, bench_training
from fullpool.games.testing import ToyGame, toy_spec
from fullpool.learning.testing import make_network_settings, make_ppo_settings

SIZE = BenchSize(num_games=4, window=4, num_threads=2, num_updates=2, num_warmup=1, seed=0)


def test_it_reports_speed_split_and_share() -> None:
    told: list[float] = []
    settings = make_ppo_settings(toy_spec())
    result = bench_training(ToyGame, make_network_settings(), settings, SIZE, notify=told.append)
    assert told == pytest.approx([number / 9 for number in range(9)])
    for name in ("agent_steps_per_s", "agent_steps_per_s_two_passes", "agent_steps_per_s_lstm_96"):
        assert result[name] > 0
    shares = [result[f"{name}_share"] for name in ("simulate", "infer", "learn")]
    assert all(share > 0 for share in shares)
    assert sum(shares) == pytest.approx(1.0)
    assert 0 < result["flops_share"] < 1
    assert result["peak_memory_mib"] > 10
    assert result["precision"] == "float32"


def test_operations_are_counted() -> None:
    result = bench_training(ToyGame, make_network_settings(), make_ppo_settings(toy_spec()), SIZE)
    wider = bench_training(ToyGame, make_network_settings(lstm_units=64), make_ppo_settings(toy_spec()), SIZE)
    lstm = 4 * 2 * 4 * (64 * (32 + 64) - 32 * (32 + 32))
    grown = wider["flops_per_agent_step"] - result["flops_per_agent_step"]
    assert lstm < grown < 1.3 * lstm


def test_games_must_share_out() -> None:
    with pytest.raises(ValueError, match="multiple of num_threads"):
        bench_training(
            ToyGame,
            make_network_settings(),
            make_ppo_settings(toy_spec()),
            dataclasses.replace(SIZE, num_games=5),
        )
