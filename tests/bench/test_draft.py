from __future__ import annotations

import json

from fullpool.bench.draft import bench_draft


def test_the_bench_reports_speed_memory_and_versions() -> None:
    told: list[float] = []
    figures = bench_draft(
        draft_format="snake2",
        num_heroes=10,
        num_drafts=2,
        simulations=20,
        predictor_members=1,
        value_hidden=(8, 4),
        notify=told.append,
    )
    assert told == sorted(told)
    assert len(set(told)) == 2 * 4
    for name in ("simulations_per_s", "seconds_per_pick", "rollout_simulations_per_s", "peak_memory_mib"):
        assert figures[name] > 0
    assert "numba" in figures["versions"]
    json.dumps(figures)
