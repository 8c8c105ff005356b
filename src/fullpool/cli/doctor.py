"""`fullpool doctor`: what this machine and this project have, and what is missing."""

from __future__ import annotations

import json
import os
import platform
import sqlite3
from contextlib import closing
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import typer

from fullpool.cli.options import AsJson

app = typer.Typer(add_completion=False)

PACKAGES = (
    "fullpool",
    "kedro",
    "kedro-mlflow",
    "mlflow",
    "torch",
    "numba",
    "numpy",
    "pandas",
    "scikit-learn",
)
OPTIONAL = {"ray": "several machines", "kedro_viz": "a picture of the pipelines (pip install kedro-viz)"}


@app.command()
def doctor(as_json: AsJson = False) -> None:
    """Says what is there and what is missing; exit code 1 if something needed is missing."""
    facts = examine()
    if as_json:
        typer.echo(json.dumps(facts))
    else:
        _print(facts)
    raise typer.Exit(1 if facts["missing"] else 0)


def examine() -> dict[str, Any]:
    """Collects the facts."""
    from fullpool.cli.project import find_project
    from fullpool.numerics import kernel_cache
    from fullpool.pipelines.stages import STAGES, built

    project = find_project()
    versions = {name: _version(name) for name in PACKAGES}
    database = _database(project)
    missing = [f"package {name}" for name, version in versions.items() if version is None]
    if project is None:
        missing.append("a fullpool project around the working directory")
    if not kernel_cache.is_ready():
        missing.append("compiled kernels (fullpool compile)")
    if database.startswith("unreadable"):
        missing.append(f"a readable database: {database}")
    return {
        "python": platform.python_version(),
        "packages": versions,
        "cores": os.cpu_count(),
        "usable_cores": len(os.sched_getaffinity(0)),
        "omp_num_threads": os.environ.get("OMP_NUM_THREADS"),
        "bf16": _bf16(),
        "gpu": _gpu(),
        "kernel_cache": str(kernel_cache.current()),
        "kernels_ready": kernel_cache.is_ready(),
        "project": str(project) if project else None,
        "database": database,
        "optional_absent": {name: use for name, use in OPTIONAL.items() if find_spec(name) is None},
        "stages_absent": [stage for stage in STAGES if stage not in built()],
        "missing": missing,
    }


def _print(facts: dict[str, Any]) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table(show_header=False)
    for name, value in facts.items():
        if isinstance(value, dict):
            value = ", ".join(f"{key} {part}" for key, part in value.items())
        if isinstance(value, list):
            value = ", ".join(value)
        table.add_row(name.replace("_", " "), "-" if value in (None, "") else str(value))
    console = Console()
    console.print(table)
    console.print("nothing is missing" if not facts["missing"] else "something is missing: see the last line")


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _bf16() -> str:
    """Says whether the processor multiplies bfloat16 itself: training is faster with it."""
    info = Path("/proc/cpuinfo")
    text = info.read_text(errors="replace") if info.is_file() else ""
    flags = next((line.split() for line in text.splitlines() if line.startswith(("flags", "Features"))), [])
    found = [flag for flag in ("avx512_bf16", "amx_bf16", "bf16") if flag in flags]
    return ", ".join(found) or "no"


def _gpu() -> str | None:
    import torch

    return torch.cuda.get_device_name(0) if torch.cuda.is_available() else None


def _database(project: Path | None) -> str:
    """Looks at the tracking database without MLflow, which takes seconds."""
    if project is None:
        return "no project"
    path = project / "mlflow.db"
    if not path.exists():
        return "not there yet: the first run makes it"
    try:
        with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as connection:
            (runs,) = connection.execute("select count(*) from runs").fetchone()
        return f"{path} ({runs} runs)"
    except sqlite3.Error as error:
        return f"unreadable: {path}: {error}"
