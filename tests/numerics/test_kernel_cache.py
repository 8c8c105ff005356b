"""The folder of compiled kernels follows the sources."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from fullpool.numerics import kernel_cache


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A tiny package in a checkout, and no choice made yet."""
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    monkeypatch.delenv("FULLPOOL_KERNEL_CACHE", raising=False)
    package = tmp_path / "checkout" / "src" / "fullpool"
    for room, text in {
        "games": "A = 1\n",
        "numerics": "B = 2\n",
        "drafting": "from numba import njit\n",
        "cli": "def f():\n    import numba\n",
    }.items():
        (package / room).mkdir(parents=True)
        (package / room / "code.py").write_text(text)
    (package.parents[1] / "pyproject.toml").touch()
    return package


@pytest.mark.parametrize(("file", "changes"), [
    ("games/code.py", True),
    ("games/heroes.yaml", True),
    ("numerics/code.py", True),
    ("drafting/code.py", True),
    ("cli/code.py", False),
    ("games/README.md", False),
])  # fmt: skip
def test_the_fingerprint_follows_what_kernels_are_made_of(package: Path, file: str, changes: bool) -> None:
    before = kernel_cache.fingerprint(package)
    assert before == kernel_cache.fingerprint(package)
    with (package / file).open("a") as handle:
        handle.write("# edited\n")
    assert (kernel_cache.fingerprint(package) != before) is changes


def test_a_checkout_keeps_its_kernels_to_itself_and_prunes_old_ones(package: Path) -> None:
    folders = []
    for index in range(6):
        (package / "games" / "code.py").write_text(f"A = {index}\n")
        folder = kernel_cache.activate(package)
        now = time.time() - 100 + index
        os.utime(folder, (now, now))
        folders.append(folder)
    root = package.parents[1] / ".cache" / "numba"
    assert set(root.iterdir()) == set(folders[-kernel_cache.NUM_KEPT :])
    assert os.environ["NUMBA_CACHE_DIR"] == str(folders[-1])


def test_the_users_own_folder_is_left_alone(
    package: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    assert kernel_cache.activate(package) == tmp_path
    assert os.environ["NUMBA_CACHE_DIR"] == str(tmp_path)


def test_an_installed_package_uses_the_users_cache(
    package: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (package.parents[1] / "pyproject.toml").unlink()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home"))
    folder = kernel_cache.activate(package)
    assert folder.is_relative_to(tmp_path / "home" / "fullpool")


def test_ready_is_a_property_of_the_folder(package: Path) -> None:
    kernel_cache.activate(package)
    assert not kernel_cache.is_ready()
    kernel_cache.mark_ready()
    assert kernel_cache.is_ready()
    (package / "games" / "code.py").write_text("A = 77\n")
    kernel_cache.activate(package)
    assert not kernel_cache.is_ready()


def test_the_folder_is_set_before_numba_is_imported() -> None:
    code = """
import builtins, os, sys
real = builtins.__import__
def watched(name, *args, **kwargs):
    if name.split(".")[0] == "numba" and "numba" not in sys.modules:
        print("cache", os.environ.get("NUMBA_CACHE_DIR"))
    return real(name, *args, **kwargs)
builtins.__import__ = watched
import fullpool.numerics.kernels
import numba
print("numba", numba.config.CACHE_DIR)
"""
    plain = {k: v for k, v in os.environ.items() if k not in ("NUMBA_CACHE_DIR", "FULLPOOL_KERNEL_CACHE")}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=plain)
    seen = dict(line.split(" ", 1) for line in done.stdout.splitlines())
    assert seen["cache"] == seen["numba"] != "None"
    assert Path(seen["numba"]).parent.name == "numba"
