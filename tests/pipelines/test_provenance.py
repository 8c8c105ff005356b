"""Which code, data and settings made a run."""

from __future__ import annotations

import subprocess
from pathlib import Path

import fullpool
from fullpool.pipelines import provenance


def git(folder: Path, *arguments: str) -> None:
    identity = ["-c", "user.name=x", "-c", "user.email=x@example.org"]
    subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, capture_output=True)


def test_the_commit_and_whether_files_differ_from_it(tmp_path: Path) -> None:
    assert provenance.git_commit(tmp_path) == "unknown"
    (tmp_path / "a.txt").write_text("a")
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-q", "-m", "a")
    clean = provenance.git_commit(tmp_path)
    assert len(clean) == 12
    (tmp_path / "a.txt").write_text("b")
    assert provenance.git_commit(tmp_path) == clean + "+"


def test_tags_name_what_the_parameters_know(tmp_path: Path) -> None:
    tags = provenance.version_tags(
        tmp_path, "smoke", {"seed": 7, "game.name": "moba", "game.preset": "blitz"}
    )
    assert {"seed": "7", "game": "moba", "preset": "blitz", "env": "smoke"}.items() <= tags.items()
    assert tags["version"] == fullpool.__version__
    assert tags["data_version"] == provenance.data_version()
    assert "seed" not in provenance.version_tags(tmp_path, "smoke", {})
