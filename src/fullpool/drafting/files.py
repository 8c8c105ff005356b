"""Arrays and facts on disk: a folder with `arrays.safetensors` and `meta.json`, swapped in as a whole."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fullpool.learning.damage import Damaged

Arrays = dict[str, NDArray[Any]]


def save_folder(path: Path, arrays: Mapping[str, NDArray[Any]], meta: Mapping[str, Any]) -> None:
    """Writes a folder; one that is already there is replaced only once the new one is complete.

    Args:
        path: the folder.
        arrays: arrays by name.
        meta: plain data; must hold `kind` and `format_version`.
    """
    from safetensors.numpy import save_file

    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = Path(tempfile.mkdtemp(prefix=f".{path.name}.", dir=path.parent))
    try:
        # `ascontiguousarray` would turn a single number into a row of one.
        save_file(
            {name: np.asarray(a, order="C") for name, a in arrays.items()}, fresh / "arrays.safetensors"
        )
        facts = {**meta, "arrays_sha256": _hash(fresh / "arrays.safetensors")}
        (fresh / "meta.json").write_text(json.dumps(facts, indent=1, sort_keys=True), "utf-8")
        if path.exists():
            old = Path(tempfile.mkdtemp(prefix=f".{path.name}.old.", dir=path.parent))
            os.replace(path, old / "old")
            os.replace(fresh, path)
            shutil.rmtree(old)
        else:
            os.replace(fresh, path)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)


def _hash(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def load_folder(path: Path, kind: str, format_version: int) -> tuple[Arrays, dict[str, Any]]:
    """Reads a folder written by `save_folder`.

    Args:
        path: the folder.
        kind: what it must hold, such as `win_rate_predictor`.
        format_version: the version that the caller reads.

    Returns:
        Arrays by name, and the facts.

    Raises:
        ValueError: if the folder is absent, damaged, or holds something else.
    """
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    if not (path / "meta.json").is_file() or not (path / "arrays.safetensors").is_file():
        raise Damaged(
            path,
            f"{path}: expected a folder with meta.json and arrays.safetensors; restore it",
        )
    try:
        meta = json.loads((path / "meta.json").read_text("utf-8"))
        arrays = load_file(path / "arrays.safetensors")
    except (SafetensorError, json.JSONDecodeError, UnicodeDecodeError) as error:
        raise Damaged(path, f"{path}: damaged ({error}); restore it") from error
    if not isinstance(meta, dict):
        raise Damaged(path, f"{path}: damaged (meta.json holds no mapping); restore it")
    # Folders of earlier versions have no hash.
    if meta.get("arrays_sha256", found := _hash(path / "arrays.safetensors")) != found:
        raise Damaged(path, f"{path}: damaged (arrays.safetensors has another hash); restore it")
    if meta.get("kind") != kind:
        raise ValueError(f"{path}: expected {kind!r}, found {meta.get('kind')!r}")
    if meta.get("format_version") != format_version:
        raise ValueError(
            f"{path}: format version {meta.get('format_version')!r} cannot be read, this version reads "
            f"{format_version}; read it with the version that wrote it, or start a new campaign"
        )
    return arrays, meta
