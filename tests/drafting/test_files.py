from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from fullpool.datasets.folder import append, finish
from fullpool.drafting.files import load_folder, save_folder
from fullpool.learning.damage import Damaged
from fullpool.pipelines.failures import explain


def _save(path: Path, value: float) -> None:
    save_folder(
        path, {"x": np.full(3, value, np.float32)}, {"kind": "thing", "format_version": 1, "note": value}
    )


def test_a_folder_is_written_replaced_and_read(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "thing"
    for value in (1.0, 2.0):
        _save(path, value)
        arrays, meta = load_folder(path, "thing", 1)
        assert arrays["x"].tolist() == [value] * 3
        assert meta["note"] == value
    assert [p.name for p in path.parent.iterdir()] == ["thing"]


def test_a_failed_write_leaves_the_old_folder(tmp_path: Path) -> None:
    path = tmp_path / "thing"
    _save(path, 1.0)
    with pytest.raises(TypeError):
        save_folder(path, {"x": np.zeros(3)}, {"kind": "thing", "format_version": 1, "note": object()})
    assert load_folder(path, "thing", 1)[1]["note"] == 1.0
    assert [p.name for p in tmp_path.iterdir()] == ["thing"]


def test_what_cannot_be_read_is_refused_in_one_line(tmp_path: Path) -> None:
    path = tmp_path / "thing"
    with pytest.raises(ValueError, match="expected a folder"):
        load_folder(path, "thing", 1)
    _save(path, 1.0)
    with pytest.raises(ValueError, match="expected 'other', found 'thing'"):
        load_folder(path, "other", 1)
    with pytest.raises(ValueError, match="format version 1 cannot be read"):
        load_folder(path, "thing", 2)
    (path / "arrays.safetensors").write_bytes(b"\x00" * 20)
    with pytest.raises(ValueError, match="damaged"):
        load_folder(path, "thing", 1)


def test_damage_in_a_stages_folder_is_told_with_the_one_way_that_helps(tmp_path: Path) -> None:
    stage = tmp_path / "mine" / "winrate"

    def save(folder: Path) -> None:
        _save(folder / "thing", 1.0)

    append(stage, "winrate", 1, save, [], parameters={}, num_kept=2)
    finish(stage, {})
    thing = stage / "generations" / "winrate@000001" / "thing"
    for name, text in {"meta.json": "[]", "arrays.safetensors": "x"}.items():
        content = (thing / name).read_bytes()
        (thing / name).write_text(text)
        with pytest.raises(Damaged, match=r"damaged .*; restore it$") as caught:
            load_folder(thing, "thing", 1)
        (thing / name).write_bytes(content)
    (thing / "meta.json").unlink()
    with pytest.raises(Damaged, match="expected a folder with meta") as caught:
        load_folder(thing, "thing", 1)
    assert (explain(caught.value) or "").endswith(
        f"; restore it; nothing before it is kept: delete {stage} to do the stage anew"
    )


def test_a_single_altered_number_is_found(tmp_path: Path) -> None:
    path = tmp_path / "thing"
    _save(path, 1.0)
    file = path / "arrays.safetensors"
    content = bytearray(file.read_bytes())
    content[-1] ^= 1
    file.write_bytes(content)
    with pytest.raises(ValueError, match=r"damaged \(arrays\.safetensors has another hash\)"):
        load_folder(path, "thing", 1)
