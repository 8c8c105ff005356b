"""One MLflow run a campaign: found again after a crash, opened by the first work, never left RUNNING."""

from __future__ import annotations

import json
import logging
import socket
from collections.abc import Callable, Mapping
from typing import Any

import mlflow
from mlflow import MlflowClient
from mlflow.entities import Param, Run, RunTag
from mlflow.exceptions import MlflowException
from mlflow.utils.validation import MAX_PARAM_VAL_LENGTH

from fullpool.pipelines.parameters import CAMPAIGN
from fullpool.pipelines.stopping import shielded

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


class CampaignRun:
    """A campaign's run: looked up at the start, opened by the first work that there is, ended once.

    A start that finds nothing to do, or is refused, so leaves the run as it was, and none where there was none.

    Attributes:
        client: MLflow client.
        run_id: the run's id; None: there is none before it is opened.
        is_open: whether this process has opened it.
    """

    def __init__(
        self,
        client: MlflowClient,
        experiment_id: str,
        campaign: str,
        parameters: Mapping[str, Any],
        tags: Mapping[str, str],
        *,
        run_id: str | None = None,
        run_name: str | None = None,
    ) -> None:
        """Looks the run up: the given one, or the one that the campaign has.

        Args:
            client: MLflow client.
            experiment_id: experiment that the run belongs to.
            campaign: name of the campaign.
            parameters: flattened parameters of every node that will run.
            tags: tags of the run.
            run_id: run to write on in, as an orchestrator hands it on.
            run_name: its name; the campaign's by default.

        Raises:
            ValueError: if there is no run of the given id, or it has other parameters.
        """
        self.client, self._experiment_id, self._name = client, experiment_id, run_name
        self._campaign, self._params = campaign, as_logged(parameters)
        self._tags = {**tags, CAMPAIGN: campaign, HOST: socket.gethostname()}
        self._is_given = run_id is not None
        found = (
            _given_run(client, run_id) if run_id else find_run(client, experiment_id, campaign, self._params)
        )
        changed = [
            n for n, value in self._params.items() if found and found.data.params.get(n, value) != value
        ]
        if found and changed:
            raise ValueError(
                f"MLflow run {found.info.run_id} was started with other values of {', '.join(sorted(changed))}; "
                "start a new campaign (--params campaign=name)"
            )
        self._before = found
        self.run_id: str | None = found.info.run_id if found else None
        self.is_open = self._is_complete = False

    def open(self) -> str:
        """Makes the run RUNNING and MLflow's active one, with parameters and tags; once, a signal waits for it.

        Returns:
            The run's id.
        """
        with shielded():
            if self.run_id is None:
                # In one call: a process killed after it leaves a run that the next start finds.
                run = self.client.create_run(
                    self._experiment_id, tags=self._tags, run_name=self._name or self._campaign
                )
                self.run_id, self.is_open = str(run.info.run_id), True
            elif self._before is not None and not self.is_open:
                name = self._before.info.run_name
                self.is_open = True
                self.client.update_run(self.run_id, status="RUNNING", name=self._name or name)
                logger.info("MLflow: writing on in run %s (%s)", name, self.run_id)
            if not self._is_complete:
                self._complete(self.run_id)
            return self.run_id

    def end(self, status: str) -> None:
        """Ends the run; one that was not opened is changed only where its status would be wrong.

        Args:
            status: FINISHED; KILLED, if someone stopped it or the start was refused; or FAILED.
        """
        if self.run_id is None:
            return
        before = self._before.info.status if self._before else None
        if not self.is_open:
            is_left_over = before == "RUNNING" and not self._is_given
            if before == status or (status == "KILLED" and not is_left_over):
                return
        self._terminate(self.run_id, status)

    def withdraw(self) -> None:
        """Takes the opening back."""
        run_id = self.run_id
        if not self.is_open or run_id is None:
            self.end("KILLED")
        elif self._before is None:
            self._terminate(run_id, "FAILED")
            self.client.delete_run(run_id)
        else:
            info = self._before.info
            self._terminate(run_id, "KILLED" if info.status == "RUNNING" else info.status, info.end_time)

    def _complete(self, run_id: str) -> None:
        logged = self._before.data.params if self._before else {}
        new = [Param(n, v) for n, v in self._params.items() if n not in logged]
        for start in range(0, len(new), _MAX_BATCH):
            self.client.log_batch(run_id, params=new[start : start + _MAX_BATCH])
        self.client.log_batch(run_id, tags=[RunTag(n, v) for n, v in self._tags.items()])
        # Datasets of kedro-mlflow and model logging look for MLflow's active run.
        if mlflow.active_run() is None:
            mlflow.start_run(run_id=run_id)
        self._is_complete = True

    def _terminate(self, run_id: str, status: str, end_time: int | None = None) -> None:
        """Writes the status; tried once, and MLflow then has no active run that it would call FINISHED at exit."""
        self.run_id, self.is_open = None, False
        active = mlflow.active_run()
        if active is not None and active.info.run_id == run_id:
            mlflow.end_run(status)
        self.client.set_terminated(run_id, status, end_time)


def _given_run(client: MlflowClient, run_id: str) -> Run:
    try:
        return client.get_run(run_id)
    except MlflowException as error:
        raise ValueError(
            f"mlflow_run_id {run_id!r} cannot be written on in ({error.message}); leave it away, or give a run's id"
        ) from error


def close_dead_runs(
    client: MlflowClient, experiment_id: str, is_dead: Callable[[str], bool], *, keep: str | None
) -> list[str]:
    """Marks runs KILLED whose process is gone.

    Args:
        client: MLflow client.
        experiment_id: experiment to look in.
        is_dead: tells of a campaign whether no process runs it.
        keep: id of our own run, if it has one.

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
