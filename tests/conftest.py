"""What all tests share: one torch thread, and a toy Kedro project that uses fullpool's hooks and datasets."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

# Before torch or numba are imported: two spinning threads on two busy cores are ten times slower.
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("MLFLOW_DISABLE_TELEMETRY", "true")
os.environ.setdefault("MPLBACKEND", "agg")

TOY = Path(__file__).parent / "toy"


@pytest.fixture(scope="session")
def empty_database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tracking database with its tables and nothing in them: making them takes seconds."""
    from mlflow import MlflowClient

    path = tmp_path_factory.mktemp("database") / "mlflow.db"
    MlflowClient(f"sqlite:///{path}").search_experiments()
    return path


@pytest.fixture
def toy_project(tmp_path: Path, empty_database: Path) -> Path:
    """A copy of the toy project: two stages, a few generations each."""
    project = tmp_path / "project"
    shutil.copytree(TOY, project, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(empty_database, project / "mlflow.db")
    return project
