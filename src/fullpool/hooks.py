"""Kedro hooks: campaign, tracker, signals. kedro-mlflow reads `mlflow.yml`; the run is ours, one a campaign.

kedro-mlflow's own hook starts one run a session, logs a settings object as one string and knows no resume; so it
is switched off in `settings.py`, and its configuration (address, experiment, `kedro mlflow ui`) is used from here.
"""

from __future__ import annotations

import atexit
import logging
import os
import shlex
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kedro.framework.hooks import hook_impl

from fullpool.datasets import Generation, MetricsRow, StageItem
from fullpool.pipelines import doors, failures, stages, tracking
from fullpool.pipelines.headlines import headline
from fullpool.pipelines.locks import CampaignLock
from fullpool.pipelines.parameters import CAMPAIGN, RUNTIME_ONLY, flatten
from fullpool.pipelines.provenance import version_tags
from fullpool.pipelines.stopping import SignalGuard, is_stop, shielded

if TYPE_CHECKING:
    from kedro.framework.context import KedroContext
    from kedro.io import DataCatalog
    from kedro.pipeline import Pipeline
    from kedro.pipeline.node import Node
    from mlflow import MlflowClient

logger = logging.getLogger(__name__)


class CampaignHooks:
    """Holds what must survive between the hooks of one session: configuration, lock, run, signal handlers."""

    def __init__(self) -> None:
        self._project = Path()
        self._env = ""
        self._campaign = ""
        self._config: Any = None
        self._client: MlflowClient | None = None
        self._run_id: str | None = None
        self._is_new = True
        self._lock: CampaignLock | None = None
        self._signals = SignalGuard()

    @hook_impl
    def after_context_created(self, context: KedroContext) -> None:
        """Reads `mlflow.yml` through kedro-mlflow, with a database path that no working directory changes."""
        self._project = Path(context.project_path)
        self._env = context.env or "local"
        failures.install(self._project / ".cache" / "last_error.txt")
        loader = context.config_loader
        doors.check_environment(Path(loader.conf_source), self._env)
        self._campaign = stages.check_campaign((context._runtime_params or {}).get(CAMPAIGN, "local"))
        os.environ.setdefault("MLFLOW_DISABLE_TELEMETRY", "true")
        from kedro_mlflow.framework.hooks.mlflow_hook import MlflowHook

        # Both set their own level at import; how tables are made is no news.
        for name in ("mlflow", "kedro_mlflow"):
            logging.getLogger(name).setLevel(logging.WARNING)
        loader["mlflow"] = _absolute(loader["mlflow"], self._project)
        MlflowHook().after_context_created(context)
        self._config = context.mlflow  # type: ignore[attr-defined]

    @hook_impl
    def before_pipeline_run(
        self, run_params: dict[str, Any], pipeline: Pipeline, catalog: DataCatalog
    ) -> None:
        """Checks how it is run and with what, takes the campaign, opens its MLflow run and the signals."""
        _check_runner(str(run_params["runner"]))
        parameters = {
            name.removeprefix("params:"): catalog.load(name)
            for name in sorted(pipeline.inputs())
            if name.startswith("params:")
        }
        doors.check_names(catalog.load("parameters"), _known_parameters())
        doors.check_run(parameters)
        _tell_missing(run_params["pipeline_names"])
        self._lock = CampaignLock(self._project, self._campaign)
        self._lock.acquire()
        try:
            self._open_run(parameters)
        except BaseException:
            self._close("FAILED")
            raise
        atexit.register(self._close, "FAILED")
        self._signals.install()

    @hook_impl
    def before_node_run(self, node: Node) -> None:
        """Puts the stage's tracker in place; a node is named after its stage, as `winrate` or `winrate.report`."""
        if self._client is not None and self._run_id is not None:
            stage = node.name.split(".")[0]
            tracking.put(tracking.MlflowTracker(self._client, self._run_id, stage))

    @hook_impl
    def after_dataset_saved(self, dataset_name: str, data: Any) -> None:
        """Logs a generation's rows, now that it is on disk."""
        if not isinstance(data, StageItem) or data.generation is None:
            return
        rows = data.generation.rows
        for row in rows:
            tracking.current().metrics(row.values, row.step)
        stage = dataset_name.split(".")[0]
        logger.info("%s %s: %s", stage, _number(data.generation), _figures(rows))

    @hook_impl
    def after_pipeline_run(self) -> None:
        """Closes the run as FINISHED."""
        self._close("FINISHED")

    @hook_impl
    def on_pipeline_error(self, error: Exception) -> None:
        """Closes the run: KILLED when someone stopped it, FAILED otherwise; says how to go on."""
        stopped = is_stop(error)
        client, run_id = self._client, self._run_id
        self._close("KILLED" if stopped else "FAILED")
        if client and run_id and self._is_new and not stopped and failures.explain(error):
            _forget_empty_run(client, run_id)
        if stopped:
            command = shlex.join(["kedro", *sys.argv[1:]])
            logger.warning("stopped; what was finished is kept, and the same command goes on: %s", command)

    def _open_run(self, params: Mapping[str, Any]) -> None:
        import mlflow

        from fullpool.pipelines import runs

        self._client = self._config.server._mlflow_client
        experiment = self._config.tracking.experiment._experiment.experiment_id
        wanted = self._config.tracking.run
        parameters = flatten(params)
        tags = version_tags(self._project, self._env, parameters)
        run = runs.open_run(
            self._client, experiment, self._campaign, parameters, tags, run_id=wanted.id, run_name=wanted.name
        )
        self._run_id = run.info.run_id
        # A run whose id was handed on belongs to others too.
        self._is_new = not run.data.metrics and wanted.id is None
        # Datasets of kedro-mlflow and model logging look for MLflow's active run.
        mlflow.start_run(run_id=self._run_id)
        runs.close_dead_runs(self._client, experiment, self._is_dead, keep=self._run_id)

    def _is_dead(self, campaign: str) -> bool:
        return campaign == self._campaign or CampaignLock(self._project, campaign).is_free()

    def _close(self, status: str) -> None:
        """Flushes, ends the run and gives lock and signals back; does nothing the second time."""
        atexit.unregister(self._close)
        try:
            with shielded():
                tracking.put(None)
                if self._run_id is not None:
                    import mlflow

                    mlflow.end_run(status)
        finally:
            self._signals.remove()
            self._run_id = self._client = None
            if self._lock is not None:
                self._lock.release()


def _number(generation: Generation) -> str:
    return f"{generation.part} generation {generation.number}"


def _figures(rows: Sequence[MetricsRow]) -> str:
    """Says the last figures of a generation in a line."""
    if not rows:
        return "no figures"
    figures = {name: value for row in rows for name, value in row.values.items()}
    return f"step {rows[-1].step}  " + "  ".join(f"{n} {v:.4g}" for n, v in headline(figures).items())


def _absolute(config: Mapping[str, Any], project: Path) -> dict[str, Any]:
    """Makes an sqlite path absolute to the project."""
    server = dict(config.get("server") or {})
    uri = str(server.get("mlflow_tracking_uri") or "")
    prefix = "sqlite:///"
    if uri.startswith(prefix) and not uri.startswith(prefix + "/"):
        server["mlflow_tracking_uri"] = f"{prefix}{project / uri.removeprefix(prefix)}"
    return {**config, "server": server}


def _check_runner(runner: str) -> None:
    if "SequentialRunner" not in runner and runner != "None":
        raise ValueError(
            f"fullpool runs with Kedro's SequentialRunner only, got {runner.split(' ')[0].lstrip('<')}; "
            "leave --runner away: stages use several cores inside, by their own settings"
        )


def _known_parameters() -> set[str]:
    """Names of the parameters that some pipeline takes, and of those that none does."""
    from kedro.framework.project import pipelines

    taken = {name for pipeline in pipelines.values() for name in pipeline.inputs()}
    sections = {name.removeprefix("params:").split(".")[0] for name in taken if name.startswith("params:")}
    return sections | set(RUNTIME_ONLY)


def _forget_empty_run(client: MlflowClient, run_id: str) -> None:
    """Deletes a run that was refused at its first stage: nothing was run with its parameters."""
    if not client.get_run(run_id).data.metrics:
        client.delete_run(run_id)


def _tell_missing(pipeline_names: list[str] | None) -> None:
    missing = [stage for stage in stages.STAGES if stage not in stages.built()]
    if missing and set(pipeline_names or ["cspl"]) & {"cspl", "__default__"}:
        logger.warning("cspl: this version has no %s yet", ", ".join(missing))
