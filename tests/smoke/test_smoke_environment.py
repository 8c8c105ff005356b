"""The whole pipeline `cspl` of the real game in the environment `smoke`, with the real settings and catalog."""

from __future__ import annotations

import json
import re
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from fullpool.pipelines.stages import STAGES

ROOT = Path(__file__).parents[2]
TIMEOUT_S = 540
"""Two minutes with compiled kernels; the rest is for compiling them on a busy machine."""


@pytest.fixture
def project(tmp_path: Path, empty_database: Path) -> Path:
    """A project with the real settings of `base` and `smoke`."""
    project = tmp_path / "project"
    shutil.copytree(ROOT / "tests" / "toy_cspl", project, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(empty_database, project / "mlflow.db")
    for env in ("base", "smoke"):
        shutil.copytree(ROOT / "conf" / env, project / "conf" / env)
    shutil.copy(ROOT / "conf" / "logging.yml", project / "conf")
    return project


def undocumented(keys: set[str]) -> list[str]:
    """Lists the metrics, as `stage/name`, that the page of metrics does not explain."""
    page = (ROOT / "docs" / "metrics.md").read_text(encoding="utf-8")
    names = [
        n
        for row in page.splitlines()
        if row.startswith("| `")
        for n in re.findall("`(.+?)`", row.split("|")[1])
    ]
    anything = [r"\w+".join(re.split("<.*?>", name)) for name in names]
    stages = [name if "/" in name else f"(?:teachers|student|merged|baseline)/{name}" for name in anything]
    known = re.compile("|".join(f"(?:{name}(_low|_high)?(_g[0-9]+)?)" for name in stages))
    return sorted(key for key in keys if not known.fullmatch(key))


def run(project: Path, *command: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", *command], cwd=project, capture_output=True, text=True, timeout=TIMEOUT_S
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    return done.stdout


@pytest.mark.slow
def test_the_whole_graph_runs_and_ends_with_a_table(project: Path) -> None:
    run(project, "kedro", "run", "--pipeline=cspl", "--env=smoke", "--params", "campaign=smoke")
    folder = project / "data" / "06_models" / "smoke"
    states = {stage: json.loads((folder / stage / "stage.json").read_text()) for stage in STAGES}
    assert all(state["finished"] for state in states.values())
    assert {part for part, _ in states["teachers"]["generations"]} == {"g1", "g2", "g3", "g4"}
    with closing(sqlite3.connect(project / "mlflow.db")) as connection:
        assert connection.execute("select name, status from runs").fetchall() == [("smoke", "FINISHED")]
        keys = {key for (key,) in connection.execute("select distinct key from metrics")}
    assert all(key.count("/") == 1 for key in keys)
    assert {key.partition("/")[0] for key in keys} == set(STAGES)
    assert undocumented(keys) == []
    shown = run(project, "fullpool", "summary", "smoke")
    for subject in (
        "Elo gained, merged",
        "merged v random",
        "predictor",
        "draft, uct_value v random",
        "toy size",
    ):
        assert subject in shown
