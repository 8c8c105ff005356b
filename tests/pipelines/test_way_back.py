"""A stage on the toy game whose last generation was damaged: the error says the way back, and it leads to the end."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from kedro.io import DatasetError

from fullpool.curriculum.phases import train_merged, train_teachers
from fullpool.curriculum.testing import SPEC, make_groups, make_setting, merged_settings, teacher_settings
from fullpool.curriculum.weights import make_network
from fullpool.datasets import StageDataset, StageProgressDataset
from fullpool.learning.damage import Damaged
from fullpool.learning.policy import freeze_policy, load_policy, weights_hash
from fullpool.pipelines import stages
from fullpool.pipelines.failures import explain

SHORT = {"budget_agent_steps": 1800, "convergence.anchor_games": 4, "convergence.past_games": 4}


def merged_loop(latest: Mapping[str, Path]) -> Any:
    student = freeze_policy(make_network(SPEC, teacher_settings().network, 3), SPEC)
    return train_merged(make_setting(), student, merged_settings(**SHORT), resume=latest)


def teachers_loop(latest: Mapping[str, Path]) -> Any:
    return train_teachers(make_setting(), make_groups(), teacher_settings(**SHORT), resume=latest)


def run(folder: Path, loop: stages.Loop) -> int:
    """Runs a stage as Kedro does; says how many generations it made."""
    dataset, made = StageDataset(path=str(folder)), -1
    for item in stages.run(StageProgressDataset(path=str(folder)).load(), {"seed": 1}, loop):
        dataset.save(item)
        made += 1
    return max(made, 0)


def result(folder: Path) -> tuple[dict[str, str], list[Any]]:
    """Weights by part, and all figures but the clock's, in the order of the parts."""
    output = StageDataset(path=str(folder)).load()
    weights = {
        part: weights_hash(load_policy(place / "policy", SPEC).network)
        for part, place in output.parts.items()
    }
    rows = [
        (
            row["part"],
            row["generation"],
            row["step"],
            {n: v for n, v in row["values"].items() if "_per_s" not in n},
        )
        for row in output.rows
    ]
    return weights, sorted(rows, key=lambda row: row[:3])


def last(folder: Path, part: str) -> Path:
    return StageDataset(path=str(folder)).load().parts[part]


@pytest.mark.parametrize(
    ("loop", "part"), [(merged_loop, "merged"), (teachers_loop, "g1")], ids=["merged", "teachers"]
)
def test_a_stage_without_its_last_generation_ends_with_the_same_weights_and_rows(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, loop: stages.Loop, part: str
) -> None:
    folder = tmp_path / "mine" / "stage"
    assert run(folder, loop) > 2
    whole = result(folder)
    gone = last(folder, part)
    shutil.rmtree(gone)
    with pytest.raises(DatasetError, match="not finished; run it first"):
        StageDataset(path=str(folder)).load()
    number = stages.number_of(gone)
    assert run(folder, loop) == 1
    assert f"generation {number} of {part!r} is gone; it goes on from generation {number - 1}" in caplog.text
    assert result(folder) == whole
    assert run(folder, loop) == 0


def test_a_damaged_checkpoint_is_named_with_the_way_back(tmp_path: Path) -> None:
    folder = tmp_path / "mine" / "stage"
    run(folder, merged_loop)
    whole = result(folder)
    # As killed before the end was committed.
    place = last(folder, "merged")
    file = place / "checkpoint" / "weights.safetensors"
    file.write_bytes(file.read_bytes()[:-8])
    with pytest.raises(Damaged) as caught:
        list(merged_loop({"merged": place}))
    line = explain(caught.value)
    number = stages.number_of(place)
    assert line == (
        f"{file} is corrupt: its hash is not the recorded one; restore it or train anew; generation {number - 1} of "
        f"'merged' is kept: delete {place} and start again to go on from there"
    )
    shutil.rmtree(place)
    run(folder, merged_loop)
    assert result(folder) == whole


def test_lost_figures_do_not_lose_the_weights(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    folder = tmp_path / "mine" / "stage"
    run(folder, merged_loop)
    whole, _ = result(folder)
    shutil.rmtree(last(folder, "merged"))
    (folder / "metrics.jsonl").write_bytes(b"")
    assert run(folder, merged_loop) == 1
    assert "figures are lost" in caplog.text
    assert result(folder)[0] == whole


def test_policies_of_several_parts_lie_in_folders_of_their_own(tmp_path: Path, recorder: Any) -> None:
    parts = {}
    for name in ("g1", "g2"):
        parts[name] = tmp_path / f"{name}@000002"
        (parts[name] / "policy").mkdir(parents=True)
    stages.log_policies(parts)
    assert recorder.artifacts == ["g1/policy", "g2/policy"]
    recorder.artifacts.clear()
    stages.log_policy({"merged": parts["g1"]})
    assert recorder.artifacts == ["policy"]
