"""Which code, data and settings made a run."""

from __future__ import annotations

import hashlib
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import fullpool

_PACKAGE = Path(fullpool.__file__).parent


def version_tags(project: Path, env: str, parameters: Mapping[str, Any]) -> dict[str, str]:
    """Collects a run's tags.

    Args:
        project: the project's root.
        env: Kedro environment.
        parameters: flattened parameters of the run.

    Returns:
        Text by tag name: code and data versions, environment, and where the parameters name them, seed and preset.
    """
    tags = {
        "git_commit": git_commit(project),
        "version": fullpool.__version__,
        "env": env,
        "data_version": data_version(),
    }
    for tag, name in {"seed": "seed", "game": "game.name", "preset": "game.preset"}.items():
        if name in parameters:
            tags[tag] = str(parameters[name])
    return tags


def git_commit(project: Path) -> str:
    """Names the checked-out commit, with `+` behind it if files differ from it; `unknown` outside git."""
    try:
        commit = _git(project, "rev-parse", "--short=12", "HEAD")
        return commit + ("+" if _git(project, "status", "--porcelain", "--untracked-files=no") else "")
    except (OSError, subprocess.SubprocessError):
        return "unknown"


def data_version() -> str:
    """Hashes the game data that ships with the package: heroes, presets, formats."""
    digest = hashlib.sha256()
    for path in sorted(_PACKAGE.rglob("*.yaml")):
        digest.update(path.relative_to(_PACKAGE).as_posix().encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


def _git(project: Path, *arguments: str) -> str:
    command = ["git", "-C", str(project), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=10).stdout.strip()
