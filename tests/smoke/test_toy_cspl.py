"""The real pipelines on the toy game: the whole curriculum, killed and gone on with, to the same weights."""

from __future__ import annotations

import hashlib
import json
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
import yaml

from fullpool.curriculum import testing
from fullpool.datasets.folder import generation_folder

ROOT = Path(__file__).parents[2]
STAGES = ("lineups", "teachers", "student", "merged", "matches", "winrate", "drafting", "evaluation")
SEARCH = {"simulations": 8, "leaves": 2, "exploration": 0.1, "first_play": 0.0}
FIT = {
    "hidden": [8, 4], "members": 1, "learning_rate": 0.001, "weight_decay": 0.1, "dropout": 0.1, "batch_size": 64,
    "max_epochs": 3, "patience": 3,
}  # fmt: skip
TIMEOUT_S = 240


@pytest.fixture
def project(tmp_path: Path, empty_database: Path) -> Path:
    """The toy project with the real catalog and tiny settings."""
    project = tmp_path / "project"
    shutil.copytree(ROOT / "tests" / "toy_cspl", project, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(empty_database, project / "mlflow.db")
    base = project / "conf" / "base"
    base.mkdir()
    for file in [ROOT / "conf" / "base" / "mlflow.yml", *(ROOT / "conf" / "base").glob("catalog_*.yml")]:
        shutil.copy(file, base)
    shutil.copy(ROOT / "conf" / "logging.yml", project / "conf")
    (base / "parameters.yml").write_text(yaml.safe_dump(parameters()))
    return project


def parameters() -> dict[str, Any]:
    lineups = {
        "bot": "random",
        "batch_games": 16,
        "num_threads": 1,
        "num_matches": 200,
        "regularization": 1.0,
        "role_weight": 0.0,
        "search_restarts": 2,
        "search_steps": 2,
        "candidates": 2,
        "halving_games": 10,
        "confirm_games": 20,
        "confidence": 0.9,
    }
    evaluation = {
        "num_games": 16,
        "side_games": 8,
        "num_lineups": 4,
        "batch_games": 8,
        "anchors": ["random", "perfect"],
        "num_resamples": 20,
        "confidence": 0.9,
    }
    return {
        "seed": 5,
        "game": {"name": "toy", "preset": "small", "options": {}},
        "playing": {"batch_games": 16, "num_threads": 1},
        "lineups": lineups,
        "records": {"path": None, "columns": {}, "max_rejected": 0.0},
        "teachers": testing.teacher_settings().plain(),
        "student": testing.student_settings().plain(),
        "merged": testing.merged_settings().plain(),
        "baseline": testing.baseline_settings().plain(),
        "evaluation": evaluation,
        "matches": {"num_matches": 120, "chunk_matches": 50, "bot_shares": {"random": 0.2}},
        "winrate": winrate_parameters(),
        "drafting": drafting_parameters(),
    }


def winrate_parameters() -> dict[str, Any]:
    return {
        "split": {"order": "random", "validation": 0.2, "test": 0.2},
        "head_start": {"steps": 5, "batch_size": 32, "learning_rate": 0.003},
        "fit": FIT,
        "side_offset": False,
        "baseline_c": [0.1, 1.0],
        "baseline_folds": 2,
        "boosting_iterations": 5,
        "calibration_bins": 5,
        "num_resamples": 100,
        "confidence": 0.9,
    }


def drafting_parameters() -> dict[str, Any]:
    return {
        "format": "snake2",
        "bans": None,
        "self_drafts": {
            "search": SEARCH,
            "num_drafts": 30,
            "chunk_drafts": 10,
            "random_share": 0.1,
            "temperature": 0.3,
        },
        "value": FIT,
        "value_validation": 0.2,
        "rollout_search": SEARCH,
        "value_search": SEARCH,
        "prior_games": 5,
        "tournament": {
            "strategies": ["uct_value", "highest_win_rate", "random"],
            "num_drafts": 8,
            "batch_drafts": 4,
            "closed_heroes": 1,
            "confidence": 0.9,
        },
    }


def command(campaign: str, pipeline: str) -> list[str]:
    run = [sys.executable, "-m", "kedro", "run", f"--pipeline={pipeline}"]
    return [*run, "--params", f"campaign={campaign}"]


def kedro(project: Path, campaign: str, pipeline: str = "cspl") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command(campaign, pipeline), cwd=project, capture_output=True, text=True, timeout=TIMEOUT_S
    )


def commit(project: Path, campaign: str, stage: str) -> dict[str, Any]:
    path = project / "data" / "06_models" / campaign / stage / "stage.json"
    loaded: dict[str, Any] = json.loads(path.read_text()) if path.is_file() else {"generations": []}
    return loaded


def kill_in(project: Path, campaign: str, stage: str) -> None:
    """Starts a run and kills it once the stage has its first generation, before it is finished."""
    with subprocess.Popen(
        command(campaign, "cspl"), cwd=project, stdout=subprocess.DEVNULL, stderr=subprocess.STDOUT
    ) as process:
        deadline = time.monotonic() + TIMEOUT_S
        while not commit(project, campaign, stage)["generations"]:
            assert process.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.005)
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert not commit(project, campaign, stage)["finished"]


def weights(project: Path, campaign: str) -> dict[str, str]:
    """Hash of every agent's last weights, and of what is drafted with, by stage and part."""
    campaign_folder = project / "data" / "06_models" / campaign
    found = {}
    for stage in ("teachers", "student", "merged", "winrate", "drafting"):
        for part, number in dict(commit(project, campaign, stage)["generations"]).items():
            folder = generation_folder(campaign_folder / stage, part, number)
            # A checkpoint holds the clock's figures too.
            files = [
                file for file in sorted(folder.rglob("*.safetensors")) if file.parent.name != "checkpoint"
            ]
            assert files
            digest = hashlib.sha256(b"".join(file.read_bytes() for file in files))
            found[f"{stage}/{part}"] = digest.hexdigest()
    return found


def artifacts(project: Path) -> dict[str, list[str]]:
    """Hashes of all artifacts of all runs, by their names below the run's folder."""
    found: dict[str, list[str]] = {}
    for file in (project / "mlartifacts").rglob("*"):
        if file.is_file():
            name = file.as_posix().partition("/artifacts/")[2]
            found.setdefault(name, []).append(hashlib.sha256(file.read_bytes()).hexdigest())
    return found


def test_kills_in_every_long_stage_lead_to_the_same_weights(project: Path) -> None:
    whole = kedro(project, "whole")
    assert whole.returncode == 0, whole.stderr
    for stage in ("teachers", "student", "merged", "drafting"):
        kill_in(project, "cut", stage)
    finished = kedro(project, "cut")
    assert finished.returncode == 0, finished.stderr
    assert all(commit(project, "cut", stage)["finished"] for stage in STAGES)
    assert len(weights(project, "whole")) == 8
    assert weights(project, "cut") == weights(project, "whole")
    logged = artifacts(project)
    assert logged.keys() >= {
        "evaluation/elo.png",
        "evaluation/payoff.png",
        "evaluation/learning_merged.png",
        "evaluation/win_rate_by_hero.png",
        "winrate/calibration.png",
        "drafting/tournament.png",
        "teachers/g1/policy/weights.safetensors",
        "teachers/g2/policy/weights.safetensors",
        "student/policy/weights.safetensors",
        "merged/policy/weights.safetensors",
        "winrate/predictor/arrays.safetensors",
        "drafting/value/arrays.safetensors",
    }
    # Curves are made of committed rows, and show nothing that a kill can change.
    curves = {name: set(hashes) for name, hashes in logged.items() if "/learning_" in name}
    assert len(curves) == 3
    assert all(len(logged[name]) == 2 and len(hashes) == 1 for name, hashes in curves.items())
