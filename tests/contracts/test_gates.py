"""The other gates can fail: lint, format, types, and warnings in tests."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """An almost empty project under the real settings."""
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    package = tmp_path / "src" / "fullpool"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text('"""A package."""\n')
    (tmp_path / "tests" / "toy" / "src").mkdir(parents=True)
    return tmp_path


def run(project: Path, *command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", *command], cwd=project, capture_output=True, text=True)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('"""M."""\n\nimport pickle\n\n__all__ = ["pickle"]\n', "TID251"),
        ('"""M."""\n\nimport torch\n\nX = torch.load("x")\n', "TID251"),
        ("X = 1\n", "D100"),
        ('"""M."""\n\nimport os\n', "F401"),
        ('"""M."""\n\nX = eval("1")\n', "S307"),
    ],
)
def test_ruff_finds_it(project: Path, text: str, said: str) -> None:
    (project / "src" / "fullpool" / "bad.py").write_text(text)
    done = run(project, "ruff", "check", ".")
    assert done.returncode == 1
    assert said in done.stdout


def test_ruff_and_its_format_are_content_with_a_clean_project(project: Path) -> None:
    assert run(project, "ruff", "check", ".").returncode == 0
    assert run(project, "ruff", "format", "--check", ".").returncode == 0
    (project / "src" / "fullpool" / "bad.py").write_text('"""M."""\n\nX = {  "a":1}\n')
    assert run(project, "ruff", "format", "--check", ".").returncode == 1


def test_mypy_is_strict(project: Path) -> None:
    assert run(project, "mypy", "src").returncode == 0
    (project / "src" / "fullpool" / "bad.py").write_text(
        '"""M."""\n\n\ndef f(x):\n    """F."""\n    return x\n'
    )
    done = run(project, "mypy", "src")
    assert done.returncode == 1
    assert "no-untyped-def" in done.stdout


@pytest.mark.parametrize(
    ("body", "passes"),
    [("assert True", True), ("import warnings; warnings.warn('x', DeprecationWarning)", False)],
)
def test_a_warning_fails_a_test(project: Path, body: str, passes: bool) -> None:
    (project / "tests" / "test_it.py").write_text(f"def test_it() -> None:\n    {body}\n")
    assert (run(project, "pytest", "-q", "-p", "no:cacheprovider", "tests").returncode == 0) is passes
