"""What `make` would run, and what it says of itself."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def make(*arguments: str) -> str:
    """Runs make with the variables unset that a user may have in the environment."""
    command = ["env", "-u", "CAMPAIGN", "-u", "ENV", "-u", "PARAMS", "-u", "MAKEFLAGS"]
    command += ["make", "--no-print-directory", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize(
    ("arguments", "env", "parameters", "campaign"),
    [
        (["smoke"], "smoke", "campaign=smoke", "smoke"),
        (
            ["smoke", "PARAMS=seed=2,game.preset=arena"],
            "smoke",
            "campaign=smoke,seed=2,game.preset=arena",
            "smoke",
        ),
        (["smoke", "CAMPAIGN=other"], "smoke", "campaign=other", "other"),
        (["cspl"], "base", "campaign=local", "local"),
        (
            ["cspl", "CAMPAIGN=mine", "ENV=evening", "PARAMS=seed=2"],
            "evening",
            "campaign=mine,seed=2",
            "mine",
        ),
    ],
)
def test_a_run_takes_campaign_environment_and_settings(
    arguments: list[str], env: str, parameters: str, campaign: str
) -> None:
    lines = make("-n", *arguments).splitlines()
    assert f".venv/bin/kedro run --pipeline=cspl --env={env} --params {parameters}" in lines
    assert lines[-1] == f".venv/bin/fullpool summary {campaign}"


def test_the_help_lists_targets_and_variables() -> None:
    lines = make("help").splitlines()
    for name in ("cspl", "smoke", "ui", "setup"):
        assert any(line.split()[:2] == ["make", name] for line in lines)
    for name in ("CAMPAIGN", "ENV", "PARAMS", "PYTHON", "PIP_ARGS"):
        (line,) = [line for line in lines if line.split()[:1] == [name]]
        assert len(line.split()) > 3
