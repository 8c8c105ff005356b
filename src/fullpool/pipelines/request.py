"""What a run asks for: whether the stages before it are there, and whose settings belong to it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from fullpool.pipelines.calling import run_command

if TYPE_CHECKING:
    from kedro.io import DataCatalog
    from kedro.pipeline import Pipeline

WHOLE = ("cspl", "__default__")
"""Pipelines that others are a part of."""

OUTPUT = ".models.generations"
"""Behind a stage's name in the name of the dataset that it makes."""


def all_settings(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Makes the settings objects of all stages, as Kedro does for those of the run.

    Args:
        parameters: all parameters by name: settings objects and plain values.

    Returns:
        The same with settings objects wherever some pipeline takes them.

    Raises:
        ParameterValidationError: if one cannot be made.
    """
    from kedro.framework.project import pipelines
    from kedro.validation.parameter_validator import ParameterValidator

    return ParameterValidator(dict(pipelines)).validate_raw_params(dict(parameters))


def related(pipeline: Pipeline, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Picks the settings of the stages that will follow sooner or later: those of `cspl`, if the run is a part of it.

    Args:
        pipeline: what is run.
        settings: of all stages, by name.

    Returns:
        Settings by name; none for a pipeline that stands alone.
    """
    from kedro.framework.project import pipelines

    whole = pipelines.get(WHOLE[0])
    if whole is None or not set(whole.nodes) & set(pipeline.nodes):
        return {}
    return {name: value for name, value in settings.items() if f"params:{name}" in whole.inputs()}


def check_inputs(pipeline: Pipeline, catalog: DataCatalog, *, env: str, campaign: str) -> None:
    """Refuses a run whose earlier stages are not finished.

    Args:
        pipeline: what is run.
        catalog: knows what is there.
        env: environment of the run.
        campaign: name of the campaign.

    Raises:
        ValueError: naming all stages that are missing, and the command that makes them and what was asked for.
    """
    from kedro.framework.project import pipelines

    needed = {name for name in pipeline.inputs() if name.endswith(OUTPUT) and not catalog.exists(name)}
    if not needed:
        return
    asked = _last_nodes(pipeline)
    for name in (*WHOLE, *pipelines):
        whole = pipelines.get(name)
        if whole is None or not (set(pipeline.nodes) <= set(whole.nodes) and needed <= whole.all_outputs()):
            continue
        outputs = [output for node in whole.to_outputs(*needed).nodes for output in node.outputs]
        missing = ", ".join(output.removesuffix(OUTPUT) for output in outputs if not catalog.exists(output))
        command = run_command(
            name, env=env, campaign=campaign, to_nodes=asked if asked != _last_nodes(whole) else ()
        )
        raise ValueError(
            f"campaign {campaign!r} has not finished {missing}, without which there is no {', '.join(asked)}; this "
            f"makes what is missing and goes on: {command}"
        )


def _last_nodes(pipeline: Pipeline) -> list[str]:
    """Names the nodes whose outputs no other node takes."""
    return [node.name for node in pipeline.nodes if not set(node.outputs) & pipeline.all_inputs()]
