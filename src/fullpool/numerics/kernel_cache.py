"""Where numba keeps compiled kernels: one folder for each state of the sources.

Numba looks at the file of a kernel only, not at the files of the kernels and constants that it uses, so a shared
folder serves stale code after an edit. Here the folder's name is a hash of every source that a kernel can be made
of, of the compiler's versions and of the processor. `activate` runs when `fullpool` is imported, hence before
numba. A folder that the user names in `NUMBA_CACHE_DIR` is left alone.
"""

from __future__ import annotations

import hashlib
import os
import platform
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1]

NUM_KEPT = 3
"""Folders that survive a pruning: the current one and the most recently used others."""

READY = "ready"
"""File inside a folder that says that every kernel is compiled."""

_ALWAYS = ("numerics", "games")
_SUFFIXES = (".py", ".yaml", ".json")
_COMPILERS = ("numba", "llvmlite", "numpy")
_HAS_KERNELS = re.compile(rb"^(import|from) numba\b", re.MULTILINE)


def activate(package: Path = PACKAGE) -> Path:
    """Points numba at the folder for the present sources, and prunes old folders when that one is new.

    Args:
        package: folder of the package whose kernels are compiled.

    Returns:
        The folder that numba will use.
    """
    named = os.environ.get("NUMBA_CACHE_DIR")
    if named and named != os.environ.get("FULLPOOL_KERNEL_CACHE"):
        return Path(named)
    folder = _writable_root(package) / fingerprint(package)
    if not folder.is_dir():
        folder.mkdir(parents=True, exist_ok=True)
        prune(folder.parent, keep=folder)
    else:
        os.utime(folder)
    # The second name tells child processes that this choice was ours and may be made anew.
    os.environ["NUMBA_CACHE_DIR"] = os.environ["FULLPOOL_KERNEL_CACHE"] = str(folder)
    if "numba" in sys.modules:
        sys.modules["numba"].config.CACHE_DIR = str(folder)
    return folder


def current() -> Path:
    """Finds the folder that numba uses in this process."""
    return Path(os.environ["NUMBA_CACHE_DIR"])


def is_ready() -> bool:
    """Whether every kernel has been compiled into the current folder."""
    return (current() / READY).is_file()


def mark_ready() -> None:
    """Notes that every kernel has been compiled into the current folder."""
    current().mkdir(parents=True, exist_ok=True)
    (current() / READY).touch()


def fingerprint(package: Path = PACKAGE) -> str:
    """Hashes what compiled kernels depend on: sources, compiler versions, Python and processor."""
    digest = hashlib.sha256()
    for path in sorted(_sources(package)):
        digest.update(path.relative_to(package).as_posix().encode())
        digest.update(path.read_bytes())
    for name in _COMPILERS:
        digest.update(f"{name}={_version(name)}".encode())
    digest.update(f"{sys.version_info[:3]}{platform.machine()}{_processor()}".encode())
    return digest.hexdigest()[:20]


def prune(root: Path, keep: Path) -> None:
    """Deletes all but the most recently used folders.

    Args:
        root: folder that holds one folder a fingerprint.
        keep: folder that stays whatever its age.
    """
    others = sorted((p for p in root.iterdir() if p.is_dir() and p != keep), key=_age)
    for folder in others[: max(0, len(others) - (NUM_KEPT - 1))]:
        shutil.rmtree(folder, ignore_errors=True)


def _sources(package: Path) -> Iterator[Path]:
    """Finds the files of every room that has kernels, and of those below that constants come from."""
    for room in sorted(p for p in package.iterdir() if p.is_dir()):
        files = [p for p in room.rglob("*") if p.suffix in _SUFFIXES]
        if room.name in _ALWAYS or any(
            _HAS_KERNELS.search(p.read_bytes()) for p in files if p.suffix == ".py"
        ):
            yield from files


def _writable_root(package: Path) -> Path:
    """Chooses the project's own folder for a checkout, the user's for an installed package."""
    project = package.parents[1]
    if (project / "pyproject.toml").is_file() and package.parent.name == "src":
        root = project / ".cache" / "numba"
    else:
        base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
        root = Path(base) / "fullpool" / "numba"
    try:
        root.mkdir(parents=True, exist_ok=True)
        if os.access(root, os.W_OK):
            return root
    except OSError:
        pass
    return Path(tempfile.gettempdir()) / f"fullpool-{os.getuid()}" / "numba"


def _version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return "absent"


def _processor() -> str:
    """Names the processor and its instruction sets, since kernels are compiled for them."""
    info = Path("/proc/cpuinfo")
    if not info.is_file():
        return platform.processor()
    lines = info.read_text(errors="replace").splitlines()
    wanted = ("model name", "flags", "Features")
    return "|".join(next((line for line in lines if line.startswith(key)), "") for key in wanted)


def _age(folder: Path) -> float:
    try:
        return folder.stat().st_mtime
    except OSError:
        return 0.0
