"""Checkpoints: whole or absent, verified, of the right game."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import numpy as np
import pytest
import torch

from fullpool.games.contract import GameSpec
from fullpool.learning import checkpoint as module
from fullpool.learning.checkpoint import Checkpoint, CheckpointStore, load_checkpoint, save_checkpoint


def make_checkpoint(value: float = 1.0) -> Checkpoint:
    weights = torch.full((2, 3), value)
    return Checkpoint(
        weights={"a": weights, "view": weights[:1]},
        optimizer={"0.step": torch.tensor(3.0)},
        arrays={"x": np.arange(6, dtype=np.int16).reshape(2, 3)[:, ::2], "flags": np.array([True, False])},
        meta={"updates": 7, "state": {"big": 2**100}},
    )


def test_what_is_saved_is_loaded(tmp_path: Path, spec: GameSpec) -> None:
    save_checkpoint(tmp_path / "c", make_checkpoint(), spec)
    found, wanted = load_checkpoint(tmp_path / "c", spec), make_checkpoint()
    assert found.meta == wanted.meta
    assert all(torch.equal(found.weights[name], wanted.weights[name]) for name in wanted.weights)
    assert torch.equal(found.optimizer["0.step"], wanted.optimizer["0.step"])
    for name, array in wanted.arrays.items():
        np.testing.assert_array_equal(found.arrays[name], array)
    assert [path.name for path in tmp_path.iterdir()] == ["c"]


@pytest.mark.parametrize("name", ["weights.safetensors", "arrays.safetensors", "meta.json"])
@pytest.mark.parametrize("damage", ["flip", "cut", "remove"])
def test_damage_is_one_line(tmp_path: Path, spec: GameSpec, name: str, damage: str) -> None:
    save_checkpoint(tmp_path / "c", make_checkpoint(), spec)
    file = tmp_path / "c" / name
    content = bytearray(file.read_bytes())
    if damage == "remove":
        file.unlink()
    elif damage == "cut":
        file.write_bytes(content[: len(content) // 2])
    else:
        content[len(content) // 3] ^= 0xFF
        file.write_bytes(content)
    with pytest.raises(ValueError, match=r"corrupt|holds no meta.json") as caught:
        load_checkpoint(tmp_path / "c", spec)
    assert "\n" not in str(caught.value)
    assert str(tmp_path) in str(caught.value)


def test_another_game_is_refused_by_name(tmp_path: Path, spec: GameSpec) -> None:
    save_checkpoint(tmp_path / "c", make_checkpoint(), spec)
    for change, text in (
        ({"version": "2"}, 'its version is "1", expected "2"'),
        ({"preset": "big"}, "its preset is"),
        ({"heroes": (*spec.heroes[:-1], "stranger")}, "another hero pool .*stranger"),
        ({"heroes": spec.heroes[::-1]}, "another order"),
        ({"options": {**spec.options, "patch": "2"}}, r'its options\.patch is null, expected "2"'),
    ):
        with pytest.raises(ValueError, match=text) as caught:
            load_checkpoint(tmp_path / "c", dataclasses.replace(spec, **change))
        assert "\n" not in str(caught.value)
    meta = json.loads((tmp_path / "c" / "meta.json").read_text())
    (tmp_path / "c" / "meta.json").write_text(json.dumps({**meta, "format": 99}))
    with pytest.raises(ValueError, match="has format 99, this program reads format"):
        load_checkpoint(tmp_path / "c", spec)


def test_an_interrupted_write_leaves_the_old_one(
    tmp_path: Path, spec: GameSpec, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = CheckpointStore(tmp_path / "s", spec, keep=2)
    store.save(1, make_checkpoint(1.0))

    def die(path: Path) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(module, "_flush", die)
    with pytest.raises(KeyboardInterrupt):
        store.save(2, make_checkpoint(2.0))
    monkeypatch.undo()
    again = CheckpointStore(tmp_path / "s", spec, keep=2)
    latest = again.load_latest()
    assert latest is not None
    assert latest[0] == 1
    assert float(latest[1].weights["a"][0, 0]) == 1.0
    assert [path.name for path in (tmp_path / "s").iterdir()] == ["step-0000000001"]


def test_an_interrupted_replacement_leaves_one_of_both(
    tmp_path: Path, spec: GameSpec, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = CheckpointStore(tmp_path / "s", spec, keep=2)
    store.save(1, make_checkpoint(1.0))
    rename = Path.rename

    def die(self: Path, target: Path) -> Path:
        if self.name.endswith(".partial"):
            raise KeyboardInterrupt
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", die)
    with pytest.raises(KeyboardInterrupt):
        store.save(1, make_checkpoint(2.0))
    monkeypatch.undo()
    latest = CheckpointStore(tmp_path / "s", spec, keep=2).load_latest()
    assert latest is not None
    assert float(latest[1].weights["a"][0, 0]) == 1.0


def test_the_store_keeps_the_last_few(tmp_path: Path, spec: GameSpec) -> None:
    store = CheckpointStore(tmp_path / "s", spec, keep=2)
    assert store.load_latest() is None
    for number in (1, 5, 12):
        store.save(number, make_checkpoint(number))
    assert store.numbers() == [5, 12]
    latest = store.load_latest()
    assert latest is not None
    assert latest[0] == 12
    with pytest.raises(ValueError, match="keep must be at least 1"):
        CheckpointStore(tmp_path, spec, keep=0)
