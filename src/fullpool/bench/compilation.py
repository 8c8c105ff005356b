"""Cold compilation of every kernel, in a process and a cache folder of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from typing import Any

from fullpool.bench.facts import machine, versions

_PROGRAM = """
import json, time
begin = time.perf_counter()
from fullpool.games import moba
imported = time.perf_counter() - begin
rows, last = [], time.perf_counter()
def note(line):
    global last
    now = time.perf_counter()
    rows.append([line, now - last])
    last = now
moba.compile_all(note)
print(json.dumps({"import_s": imported, "entries": rows, "total_s": time.perf_counter() - begin}))
"""


def _run(cache: str) -> dict[str, Any]:
    environment = {**os.environ, "NUMBA_CACHE_DIR": cache}
    environment.pop("FULLPOOL_KERNEL_CACHE", None)
    command = [sys.executable, "-c", _PROGRAM]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise ValueError(
            f"compiling failed: {done.stderr.strip().splitlines()[-1] if done.stderr else 'no message'}"
        )
    facts: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    return facts


def bench_compile() -> dict[str, Any]:
    """Compiles everything cold, then loads it warm.

    Returns:
        Plain data: `cold_s` and `warm_s` in all, and the seconds of each entry point (what `compile_all` reports).
    """
    with tempfile.TemporaryDirectory(prefix="fullpool-compile-") as cache:
        cold = _run(cache)
        warm = _run(cache)
    entries = dict(cold["entries"])
    return {
        "cold_s": cold["total_s"],
        "warm_s": warm["total_s"],
        "slowest_entry_s": max(entries.values(), default=0.0),
        "entries_s": entries,
        "versions": versions(),
        **machine(),
    }
