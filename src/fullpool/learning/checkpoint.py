"""Checkpoints: directories that appear whole or not at all.

A checkpoint holds safetensors (weights, optimiser, arrays) and one JSON file with counters, settings, random states
and the hash of every other file. It is written beside its place, flushed to disk and renamed.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load_file as load_arrays
from safetensors.numpy import save_file as save_arrays
from safetensors.torch import load_file as load_tensors
from safetensors.torch import save_file as save_tensors
from torch import Tensor

from fullpool.games.contract import GameSpec
from fullpool.learning.damage import Damaged

FORMAT = 1
FILES = ("weights.safetensors", "optimizer.safetensors", "arrays.safetensors")


@dataclass(frozen=True, eq=False)
class Checkpoint:
    """Everything that a run needs to go on.

    Attributes:
        weights: of the network, by parameter name.
        optimizer: state of the optimiser.
        arrays: games under way, recurrent states, buffers, statistics.
        meta: JSON data: counters, settings, random states.
    """

    weights: dict[str, Tensor]
    optimizer: dict[str, Tensor]
    arrays: dict[str, NDArray[Any]]
    meta: dict[str, Any] = field(default_factory=dict)


def file_hash(path: Path) -> str:
    """SHA-256 of a file."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def describe_difference(found: dict[str, Any], expected: dict[str, Any]) -> str | None:
    """Names the first difference between two descriptions of a game, or None.

    Args:
        found: `GameSpec.describe()` as it was saved.
        expected: that of the game at hand.
    """
    found, expected = json.loads(json.dumps(found)), json.loads(json.dumps(expected))
    for key in sorted(set(found) | set(expected)):
        ours, theirs = expected.get(key), found.get(key)
        if ours == theirs:
            continue
        if key == "heroes" and isinstance(theirs, list) and isinstance(ours, list):
            extra = sorted(set(theirs) ^ set(ours))
            detail = (
                f"{len(theirs)} heroes against {len(ours)}, differing in {extra[:5]}"
                if extra
                else "another order"
            )
            return f"it knows another hero pool ({detail})"
        if isinstance(theirs, dict) and isinstance(ours, dict):
            return describe_difference(_within(key, theirs), _within(key, ours))
        return f"its {key} is {_short(theirs)}, expected {_short(ours)}"
    return None


def _within(key: str, values: dict[str, Any]) -> dict[str, Any]:
    return {f"{key}.{name}": value for name, value in values.items()}


def _short(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 80 else f"{text[:77]}..."


def check_description(found: dict[str, Any], spec: GameSpec, path: Path) -> None:
    """Refuses what was trained on another game.

    Raises:
        ValueError: one line that names the difference.
    """
    difference = describe_difference(found, spec.describe())
    if difference is not None:
        raise ValueError(
            f"{path} was trained on another game: {difference}; use that game's settings or train anew"
        )


def write_directory(path: Path, writers: dict[str, Any], meta_name: str, meta: dict[str, Any]) -> None:
    """Writes files beside `path`, flushes them and puts the directory in place with one rename.

    Args:
        path: the directory to create or replace.
        writers: callables by file name, each given the path to write.
        meta_name: name of the JSON file, which also holds the other files' hashes.
        meta: JSON data.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f".{path.name}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir()
    for name, write in writers.items():
        write(partial / name)
    hashes = {name: file_hash(partial / name) for name in writers}
    text = json.dumps({**meta, "files": hashes}, indent=1, sort_keys=True)
    (partial / meta_name).write_text(text, encoding="utf-8")
    for entry in (*partial.iterdir(), partial):
        _flush(entry)
    if path.exists():
        replaced = path.with_name(f".{path.name}.replaced")
        shutil.rmtree(replaced, ignore_errors=True)
        path.rename(replaced)
        partial.rename(path)
        shutil.rmtree(replaced, ignore_errors=True)
    else:
        partial.rename(path)
    _flush(path.parent)


def _flush(path: Path) -> None:
    """Makes the kernel write a file or directory to disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def recover_directory(path: Path) -> None:
    """Puts the old directory back if a replacement was interrupted between its two renames."""
    replaced = path.with_name(f".{path.name}.replaced")
    if replaced.is_dir() and not path.exists():
        replaced.rename(path)


def read_meta(path: Path, meta_name: str, version: int) -> dict[str, Any]:
    """Reads the JSON file of a directory and verifies the other files.

    Raises:
        Damaged: one line, if something is missing or altered.
        ValueError: if it is of another format.
    """
    recover_directory(path)
    file = path / meta_name
    try:
        meta: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
        hashes, found = dict(meta["files"]), int(meta["format"])
    except FileNotFoundError:
        raise Damaged(path, f"{path} holds no {meta_name}: not a directory that fullpool wrote") from None
    except (json.JSONDecodeError, UnicodeDecodeError, KeyError, TypeError, ValueError):
        raise Damaged(
            file, f"{file} is corrupt: it is no JSON of the expected form; restore it or train anew"
        ) from None
    if found != version:
        raise ValueError(f"{file} has format {found}, this program reads format {version}")
    for name, digest in hashes.items():
        if not (path / name).is_file():
            raise Damaged(path, f"{path} is corrupt: {name} is missing; restore it or train anew")
        if file_hash(path / name) != digest:
            raise Damaged(
                path, f"{path / name} is corrupt: its hash is not the recorded one; restore it or train anew"
            )
    return meta


def save_checkpoint(path: Path, checkpoint: Checkpoint, spec: GameSpec) -> None:
    """Writes a checkpoint atomically.

    Args:
        path: directory to create or replace.
        checkpoint: what to write.
        spec: the game it belongs to.
    """
    arrays = {name: np.ascontiguousarray(value) for name, value in checkpoint.arrays.items()}
    writers = {
        FILES[0]: lambda file: save_tensors(_owned(checkpoint.weights), file),
        FILES[1]: lambda file: save_tensors(_owned(checkpoint.optimizer), file),
        FILES[2]: lambda file: save_arrays(arrays, file),
    }
    meta = {
        "format": FORMAT,
        "game": spec.describe(),
        "meta": checkpoint.meta,
        "threads": torch.get_num_threads(),
    }
    write_directory(path, writers, "meta.json", meta)


def _owned(tensors: dict[str, Tensor]) -> dict[str, Tensor]:
    """Contiguous copies on the CPU that share no memory, as safetensors wants them."""
    return {name: tensor.detach().cpu().contiguous().clone() for name, tensor in tensors.items()}


def load_checkpoint(path: Path, spec: GameSpec) -> Checkpoint:
    """Reads a checkpoint.

    Args:
        path: the directory.
        spec: the game at hand.

    Returns:
        The checkpoint.

    Raises:
        ValueError: one line, if it is missing, corrupt, of another format or of another game.
    """
    meta = read_meta(path, "meta.json", FORMAT)
    check_description(meta["game"], spec, path)
    try:
        return Checkpoint(
            weights=load_tensors(path / FILES[0]),
            optimizer=load_tensors(path / FILES[1]),
            arrays=load_arrays(path / FILES[2]),
            meta=meta["meta"],
        )
    except SafetensorError as error:
        raise Damaged(path, f"{path} is corrupt: {error}; restore it or train anew") from None


class CheckpointStore:
    """The last few checkpoints of a run, by a growing number."""

    def __init__(self, directory: Path, spec: GameSpec, *, keep: int) -> None:
        """Opens a directory; leftovers of an interrupted write are removed.

        Args:
            directory: where the checkpoints lie.
            spec: the game they belong to.
            keep: how many to keep, at least 1.

        Raises:
            ValueError: if `keep` is below 1.
        """
        if keep < 1:
            raise ValueError(f"keep must be at least 1, got {keep}")
        self._directory, self._spec, self._keep = directory, spec, keep
        directory.mkdir(parents=True, exist_ok=True)
        for replaced in directory.glob(".*.replaced"):
            recover_directory(directory / replaced.name[1:].removesuffix(".replaced"))
        for leftover in (*directory.glob(".*.partial"), *directory.glob(".*.replaced")):
            shutil.rmtree(leftover)

    def numbers(self) -> list[int]:
        """Numbers of the checkpoints on disk, in order."""
        return sorted(int(path.name.removeprefix("step-")) for path in self._directory.glob("step-*"))

    def save(self, number: int, checkpoint: Checkpoint) -> Path:
        """Writes a checkpoint and removes those beyond the last `keep`.

        Args:
            number: such as the update count.
            checkpoint: what to write.

        Returns:
            Its directory.
        """
        path = self._path(number)
        save_checkpoint(path, checkpoint, self._spec)
        for old in self.numbers()[: -self._keep]:
            shutil.rmtree(self._path(old))
        return path

    def load_latest(self) -> tuple[int, Checkpoint] | None:
        """Reads the newest checkpoint.

        Returns:
            Its number and content, or None if there is none.

        Raises:
            ValueError: if it is corrupt or of another game.
        """
        numbers = self.numbers()
        if not numbers:
            return None
        return numbers[-1], load_checkpoint(self._path(numbers[-1]), self._spec)

    def _path(self, number: int) -> Path:
        return self._directory / f"step-{number:010d}"
