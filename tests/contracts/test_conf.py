"""Every environment's settings are accepted, and every dataset has its place."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, get_type_hints

import pytest
from kedro.config import OmegaConfigLoader
from kedro.pipeline import Pipeline
from pydantic import BaseModel

from fullpool.curriculum.weights import make_network
from fullpool.networks.settings import NetworkSettings
from fullpool.pipeline_registry import register_pipelines
from fullpool.pipelines import stages
from fullpool.pipelines.game import GameSettings, make_setting
from fullpool.pipelines.parameters import RUNTIME_ONLY
from fullpool.settings import CONFIG_LOADER_ARGS

ROOT = Path(__file__).parents[2]
ENVIRONMENTS = ("base", "evening", "smoke", "workstation", "paper")
LAYERS = ("raw", "intermediate", "primary", "feature", "model_input", "models", "model_output", "reporting")


def loader(env: str) -> OmegaConfigLoader:
    return OmegaConfigLoader(
        conf_source=str(ROOT / "conf"), env=env, runtime_params={"campaign": "local"}, **CONFIG_LOADER_ARGS
    )


def settings_classes() -> dict[str, type[BaseModel]]:
    """The settings class of every parameter that some node takes."""
    found: dict[str, type[BaseModel]] = {}
    for node in register_pipelines()["__default__"].nodes + register_pipelines()["baseline"].nodes:
        hints = get_type_hints(node.func)
        names = list(node.func.__code__.co_varnames)
        for dataset, argument in zip(node.inputs, names, strict=False):
            hint: Any = hints[argument]
            if dataset.startswith("params:") and isinstance(hint, type) and issubclass(hint, BaseModel):
                name = dataset.removeprefix("params:")
                assert found.setdefault(name, hint) is hint, f"two classes for {name}"
    return found


@pytest.fixture(scope="module")
def pipelines() -> dict[str, Pipeline]:
    return register_pipelines()


@pytest.mark.parametrize("env", ENVIRONMENTS)
def test_every_settings_class_accepts_its_values(env: str) -> None:
    parameters = loader(env)["parameters"]
    classes = settings_classes()
    assert {"game", "teachers", "merged"} <= classes.keys()
    for name, settings in classes.items():
        settings.model_validate(parameters[name])
    assert set(parameters) - set(RUNTIME_ONLY) == {*classes, "seed"}


def test_a_misspelt_setting_is_refused() -> None:
    values = {**loader("base")["parameters"]["game"], "prest": "blitz"}
    with pytest.raises(ValueError, match="prest"):
        settings_classes()["game"].model_validate(values)


def test_every_dataset_is_in_the_catalog_under_a_name_that_says_where(pipelines: dict[str, Pipeline]) -> None:
    catalog = loader("base")["catalog"]
    used = {name for p in pipelines.values() for name in p.datasets() if not name.startswith("params:")}
    assert used == catalog.keys()
    for name, entry in catalog.items():
        stage, layer, _ = name.split(".")
        assert stage in (*stages.STAGES, "baseline")
        assert layer in LAYERS
        number = LAYERS.index(layer) + 1
        assert re.fullmatch(rf"data/0{number}_[a-z_]+/local/{stage}", entry["path"]), name


def test_nodes_are_generator_functions_with_one_output_and_their_stages_name(
    pipelines: dict[str, Pipeline],
) -> None:
    for name, pipeline in pipelines.items():
        for node in pipeline.nodes:
            assert node.func.__code__.co_flags & 0x20, f"{node.name} is no generator function"
            assert len(node.outputs) == 1
            if name not in ("cspl", "__default__"):
                assert node.name.split(".")[0] == name


def test_cspl_is_the_sum_of_the_stages_that_exist(pipelines: dict[str, Pipeline]) -> None:
    names = {node.name.split(".")[0] for node in pipelines["cspl"].nodes}
    assert names == set(stages.built())
    assert not any("baseline" in node.name for node in pipelines["cspl"].nodes)


@pytest.mark.parametrize(
    ("env", "teacher_millions", "final_millions"),
    [("base", 0.27, 0.5), ("workstation", 2.0, 3.5), ("paper", 9.0, 17.0)],
)
def test_the_networks_have_the_sizes_that_are_told(
    env: str, teacher_millions: float, final_millions: float
) -> None:
    parameters = loader(env)["parameters"]
    spec = make_setting(GameSettings.model_validate(parameters["game"]), 0).spec
    sizes = []
    for stage, millions in (("teachers", teacher_millions), ("student", final_millions)):
        settings = NetworkSettings.model_validate(parameters[stage]["network"])
        sizes.append(sum(weights.numel() for weights in make_network(spec, settings, 0).parameters()))
        assert sizes[-1] == pytest.approx(1e6 * millions, rel=0.1)
    # The paper's teacher is about half of the final agent.
    assert 0.45 < sizes[0] / sizes[1] < 0.6
