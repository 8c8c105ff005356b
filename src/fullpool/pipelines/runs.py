"""One MLflow run a campaign: found again after a crash, never left RUNNING."""

from __future__ import annotations

import json
import logging
import socket
from collections.abc import Callable, Mapping
from typing import Any

from mlflow import MlflowClient
from mlflow.entities import Param, Run, RunTag
from mlflow.exceptions import MlflowException
from mlflow.utils.validation import MAX_PARAM_VAL_LENGTH

from fullpool.pipelines.parameters import CAMPAIGN

logger = logging.getLogger(__name__)

HOST = "host"
_MAX_BATCH = 100


def as_logged(parameters: Mapping[str, Any]) -> dict[str, str]:
    """Turns flattened parameters into MLflow's strings, long ones cut."""
    return {name: _cut(_text(value)) for name, value in parameters.items()}


def find_run(
    client: MlflowClient, experiment_id: str, campaign: str, params: Mapping[str, str]
) -> Run | None:
    """Finds the campaign's latest run with the same parameters, as far as both name them.

    Args:
        client: MLflow client.
        experiment_id: experiment to look in.
        campaign: name of the campaign.
        params: parameters of the run to be, as logged.

    Returns:
        The run to write on in, or None.
    """
    runs = client.search_runs(
        [experiment_id], f"tags.{CAMPAIGN} = '{campaign}'", order_by=["attributes.start_time DESC"]
    )
    for run in runs:
        shared = run.data.params.keys() & params.keys()
        if all(run.data.params[name] == params[name] for name in shared):
            return run
    return None


def open_run(
    client: MlflowClient,
    experiment_id: str,
    campaign: str,
    parameters: Mapping[str, Any],
    tags: Mapping[str, str],
    *,
    run_id: str | None = None,
    run_name: str | None = None,
) -> Run:
    """Opens the campaign's run: the given one, the one it has, or a new one.

    Args:
        client: MLflow client.
        experiment_id: experiment that the run belongs to.
        campaign: name of the campaign.
        parameters: flattened parameters of every node that will run.
        tags: tags of the run.
        run_id: run to write on in, as an orchestrator hands it on.
        run_name: its name; the campaign's by default.

    Returns:
        The run, RUNNING, with parameters and tags logged.

    Raises:
        ValueError: if there is no run of the given id, or it has other parameters.
    """
    params = as_logged(parameters)
    run = _given_run(client, run_id) if run_id else find_run(client, experiment_id, campaign, params)
    if run is None:
        run = client.create_run(experiment_id, run_name=run_name or campaign)
    else:
        changed = [n for n in params if run.data.params.get(n, params[n]) != params[n]]
        if changed:
            raise ValueError(
                f"MLflow run {run.info.run_id} was started with other values of {', '.join(sorted(changed))}; "
                "start a new campaign (--params campaign=name)"
            )
        client.update_run(run.info.run_id, status="RUNNING", name=run_name or run.info.run_name)
        logger.info("MLflow: writing on in run %s (%s)", run.info.run_name, run.info.run_id)
    new = [Param(n, v) for n, v in params.items() if n not in run.data.params]
    for start in range(0, len(new), _MAX_BATCH):
        client.log_batch(run.info.run_id, params=new[start : start + _MAX_BATCH])
    all_tags = {**tags, CAMPAIGN: campaign, HOST: socket.gethostname()}
    client.log_batch(run.info.run_id, tags=[RunTag(n, v) for n, v in all_tags.items()])
    return client.get_run(run.info.run_id)


def _given_run(client: MlflowClient, run_id: str) -> Run:
    try:
        return client.get_run(run_id)
    except MlflowException as error:
        raise ValueError(
            f"mlflow_run_id {run_id!r} cannot be written on in ({error.message}); leave it away, or give a run's id"
        ) from error


def close_dead_runs(
    client: MlflowClient, experiment_id: str, is_dead: Callable[[str], bool], *, keep: str
) -> list[str]:
    """Marks runs KILLED whose process is gone.

    Args:
        client: MLflow client.
        experiment_id: experiment to look in.
        is_dead: tells of a campaign whether no process runs it.
        keep: id of our own run.

    Returns:
        Ids of the runs that were marked.
    """
    closed = []
    for run in client.search_runs([experiment_id], "attributes.status = 'RUNNING'"):
        campaign = run.data.tags.get(CAMPAIGN)
        ours = run.data.tags.get(HOST) == socket.gethostname()
        if run.info.run_id != keep and campaign is not None and ours and is_dead(campaign):
            client.set_terminated(run.info.run_id, "KILLED")
            logger.info("MLflow: run %s was left by a process that is gone; marked KILLED", run.info.run_name)
            closed.append(run.info.run_id)
    return closed


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _cut(text: str) -> str:
    limit = int(MAX_PARAM_VAL_LENGTH)
    return text if len(text) <= limit else text[: limit - 1] + "…"
