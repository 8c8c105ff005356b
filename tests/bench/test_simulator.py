from __future__ import annotations

import json

import numpy as np
import pytest

from fullpool.bench import compilation
from fullpool.bench.simulator import bench_simulator, written_a_step
from fullpool.games.moba.game import MobaGame


def test_figures_of_every_batch_size() -> None:
    told: list[float] = []
    facts = bench_simulator(preset="blitz", batch_sizes=[2, 8], seconds=0.4, seed=0, notify=told.append)
    assert told == [0.0, 0.5]
    assert [row["num_games"] for row in facts["batches"]] == [2, 8]
    for row in facts["batches"]:
        agent_steps = row["decisions"] * 10 * row["num_games"]
        assert row["agent_steps_per_s"] == pytest.approx(agent_steps / row["seconds"])
        assert 0 < row["step_share"] + row["observe_share"] <= 1
    best = max(facts["batches"], key=lambda row: row["agent_steps_per_s"])
    assert (facts["agent_steps_per_s"], facts["num_games"]) == (best["agent_steps_per_s"], best["num_games"])
    assert facts["peak_memory_mib"] > 10
    assert {"python", "numpy", "numba"} <= set(facts["versions"])
    json.dumps(facts)


def test_matches_end_and_start_anew_while_it_measures() -> None:
    facts = bench_simulator(
        preset="arena", batch_sizes=[16], seconds=0.5, seed=0, options={"overrides": {"cap": 10}}
    )
    assert facts["batches"][0]["games_per_s"] > 0


def test_what_is_written_a_step() -> None:
    game = MobaGame("blitz", 1)
    spec = game.spec
    written = written_a_step(game)
    assert spec.critic is not None
    floats = spec.observation.size + spec.critic.size / 5 + 5
    assert written["floats_per_agent_step"] == pytest.approx(floats)
    shorts = spec.observation.hero_rows + 24 + spec.critic.hero_rows / 5
    assert written["bytes_per_agent_step"] == pytest.approx(4 * floats + spec.action.mask_size + 2 * shorts)


def test_no_batch_size_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one size"):
        bench_simulator(preset="blitz", batch_sizes=[], seconds=0.1, seed=0)


def test_compilation_runs_cold_then_warm_in_a_cache_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    # The real program takes a minute; this one reports, in the same form, how often one kernel had to be compiled.
    program = """
import json
from fullpool.numerics.hashing import uniform
uniform(1, 2, 3, 4)
misses = float(sum(uniform.stats.cache_misses.values()))
print(json.dumps({"import_s": 0.0, "entries": [["uniform", misses]], "total_s": misses}))
"""
    monkeypatch.setattr(compilation, "_PROGRAM", program)
    facts = compilation.bench_compile()
    assert (facts["cold_s"], facts["warm_s"]) == (1.0, 0.0)
    assert facts["slowest_entry_s"] == facts["entries_s"]["uniform"] == facts["cold_s"]


def test_a_failed_compilation_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compilation, "_PROGRAM", "raise SystemError('no compiler')")
    with pytest.raises(ValueError, match="compiling failed: SystemError: no compiler"):
        compilation.bench_compile()


def test_the_drawn_line_ups_differ_between_matches() -> None:
    from fullpool.bench.simulator import _Runner

    runner = _Runner(MobaGame("blitz", 4), seed=3)
    assert len(np.unique(runner.lineups.reshape(4, -1), axis=0)) == 4
