"""Who may import whom, and that the gate which holds it can fail."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TRACKERS = ("kedro", "mlflow", "kedro_mlflow", "kedro_datasets")
ROOMS = ("numerics", "games", "networks", "learning", "league", "drafting", "runtime", "curriculum")


def modules_of(room: str) -> list[str]:
    folder = ROOT / "src" / "fullpool" / room
    files = [p for p in folder.rglob("*.py") if p.name != "__main__.py"]
    return [
        ".".join(p.relative_to(ROOT / "src").with_suffix("").parts).removesuffix(".__init__") for p in files
    ]


@pytest.mark.parametrize("room", ROOMS)
def test_the_library_runs_without_kedro_and_mlflow(room: str) -> None:
    modules = modules_of(room)
    assert modules
    code = (
        f"import sys\nfor m in {modules}: __import__(m)\nprint([t for t in {TRACKERS} if t in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_command_lines_files_import_nothing_heavy_when_loaded() -> None:
    heavy = (*TRACKERS, "torch", "numba", "pandas", "sklearn")
    code = f"import sys\nfor m in {modules_of('cli')}: __import__(m)\nprint([t for t in {heavy} if t in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_listing_the_pipelines_imports_nothing_heavy() -> None:
    heavy = ("torch", "numba", "pandas", "sklearn", "mlflow", "matplotlib")
    code = (
        "import sys, fullpool.settings\n"
        "from fullpool.pipeline_registry import register_pipelines\n"
        "from typing import get_type_hints\n"
        "for p in register_pipelines().values():\n"
        "    for n in p.nodes: get_type_hints(n.func)\n"
        f"print([t for t in {heavy} if t in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The package's sources and settings, free to be spoilt."""
    shutil.copytree(
        ROOT / "src", tmp_path / "src", ignore=shutil.ignore_patterns("__pycache__", "*.egg-info")
    )
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


def lint(copy: Path) -> subprocess.CompletedProcess[str]:
    code = (
        "import sys; sys.path.insert(0, 'src'); from importlinter.cli import lint_imports_command as c; c()"
    )
    command = [sys.executable, "-c", code, "--no-cache", "--no-logo"]
    return subprocess.run(command, cwd=copy, capture_output=True, text=True)


def spoil(copy: Path, file: str, line: str) -> None:
    with (copy / "src" / "fullpool" / file).open("a") as handle:
        handle.write(f"\n{line}\n")


def test_the_contracts_hold(copy: Path) -> None:
    done = lint(copy)
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"Contracts: \d+ kept, 0 broken", done.stdout)


@pytest.mark.parametrize(
    ("file", "line", "said"),
    [
        (
            "numerics/returns.py",
            "import fullpool.games.contract",
            "fullpool.numerics is not allowed to import",
        ),
        (
            "league/population.py",
            "import fullpool.drafting.formats",
            "fullpool.league is not allowed to import",
        ),
        ("runtime/__init__.py", "def f():\n    import mlflow", "fullpool is not allowed to import mlflow"),
        (
            "curriculum/phases.py",
            "from kedro.io import AbstractDataset",
            "fullpool is not allowed to import kedro",
        ),
    ],
)
def test_a_forbidden_import_is_found(copy: Path, file: str, line: str, said: str) -> None:
    spoil(copy, file, line)
    done = lint(copy)
    assert done.returncode != 0
    assert said in done.stdout


def test_a_room_without_a_place_is_found(copy: Path) -> None:
    (copy / "src" / "fullpool" / "cellar").mkdir()
    (copy / "src" / "fullpool" / "cellar" / "__init__.py").touch()
    done = lint(copy)
    assert done.returncode != 0
    assert "cellar" in done.stdout + done.stderr
