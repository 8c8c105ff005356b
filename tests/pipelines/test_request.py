"""What a run asks for: earlier stages that are missing, settings of stages that will follow."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
from kedro.config import OmegaConfigLoader
from kedro.io import DataCatalog
from kedro.pipeline import Pipeline
from kedro.validation.exceptions import ParameterValidationError

from fullpool.curriculum import testing
from fullpool.datasets import StageDataset
from fullpool.datasets.folder import append, finish
from fullpool.pipeline_registry import register_pipelines
from fullpool.pipelines import doors, request, stages
from fullpool.settings import CONFIG_LOADER_ARGS


@pytest.fixture
def pipelines(monkeypatch: pytest.MonkeyPatch) -> dict[str, Pipeline]:
    """The project's pipelines, as a run finds them."""
    found = register_pipelines()
    monkeypatch.setattr("kedro.framework.project.pipelines", found)
    monkeypatch.setattr(sys, "argv", ["kedro", "run", "--env=smoke", "--params", "campaign=mine,seed=2"])
    return found


def catalog(folder: Path, *finished: str) -> DataCatalog:
    for stage in finished:
        append(folder / stage, stage, 1, lambda place: None, [], parameters={}, num_kept=1)
        finish(folder / stage, {})
    return DataCatalog(
        {f"{stage}{request.OUTPUT}": StageDataset(path=str(folder / stage)) for stage in stages.STAGES}
    )


def refusal(pipeline: Pipeline, found: DataCatalog) -> str:
    with pytest.raises(ValueError) as caught:
        request.check_inputs(pipeline, found, env="smoke", campaign="mine")
    return str(caught.value)


def test_all_missing_stages_and_one_command_for_them_are_named(
    tmp_path: Path, pipelines: dict[str, Pipeline]
) -> None:
    assert refusal(pipelines["drafting"], catalog(tmp_path, "lineups")) == (
        "campaign 'mine' has not finished teachers, student, merged, matches, winrate, without which there is no "
        "drafting; this makes what is missing and goes on: kedro run --pipeline=cspl --to-nodes=drafting --env=smoke "
        "--params campaign=mine,seed=2"
    )
    assert "has not finished student," in refusal(pipelines["merged"], catalog(tmp_path, "teachers"))


def test_a_run_to_the_end_of_the_whole_is_the_whole(tmp_path: Path, pipelines: dict[str, Pipeline]) -> None:
    rest = pipelines["cspl"].from_nodes("student")
    line = refusal(rest, catalog(tmp_path, "lineups"))
    assert "has not finished teachers, without which there is no" in line
    assert line.endswith("kedro run --pipeline=cspl --env=smoke --params campaign=mine,seed=2")


def test_what_is_there_is_not_missed(tmp_path: Path, pipelines: dict[str, Pipeline]) -> None:
    for name, finished in {"teachers": ["lineups"], "baseline": [], "cspl": []}.items():
        found = catalog(tmp_path / name, *finished)
        request.check_inputs(pipelines[name], found, env="smoke", campaign="mine")


def test_settings_of_all_stages_are_made_and_checked(pipelines: dict[str, Pipeline]) -> None:
    plain: dict[str, Any] = {"campaign": "x", "seed": 1, "merged": testing.merged_settings().plain()}
    made = request.all_settings(plain)
    assert made == {"campaign": "x", "seed": 1, "merged": testing.merged_settings()}
    assert request.all_settings(made) == made
    plain["merged"]["ppo"]["clip_ratoi"] = 0.3
    with pytest.raises(ParameterValidationError, match="clip_ratoi"):
        request.all_settings(plain)


def test_stages_that_follow_belong_to_a_run_and_a_pipeline_alone_has_its_own(
    pipelines: dict[str, Pipeline],
) -> None:
    settings = {"seed": 1, "teachers": 2, "drafting": 3, "baseline": 4, "campaign": "x"}
    assert request.related(pipelines["lineups"], settings) == {"seed": 1, "teachers": 2, "drafting": 3}
    assert request.related(pipelines["baseline"], settings) == {}


@pytest.mark.parametrize("env", ["base", "evening", "smoke", "workstation", "paper"])
def test_every_environment_passes_the_door(pipelines: dict[str, Pipeline], env: str) -> None:
    conf = Path(__file__).parents[2] / "conf"
    loader = OmegaConfigLoader(
        conf_source=str(conf), env=env, runtime_params={"campaign": "x"}, **CONFIG_LOADER_ARGS
    )
    settings = request.all_settings(loader["parameters"])
    assert doors.check_run(request.related(pipelines["lineups"], settings)) is not None
