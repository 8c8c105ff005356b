"""Kedro hooks: campaign, tracker, signals. kedro-mlflow reads `mlflow.yml`; the run is ours, one a campaign.

kedro-mlflow's own hook starts one run a session, logs a settings object as one string and knows no resume; so it
is switched off in `settings.py`, and its configuration (address, experiment, `kedro mlflow ui`) is used from here.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kedro.framework.hooks import hook_impl

from fullpool.datasets import Generation, MetricsRow, StageItem
from fullpool.pipelines import calling, database, doors, failures, logs, progress, request, stages, tracking
from fullpool.pipelines.headlines import headline
from fullpool.pipelines.parameters import CAMPAIGN, RUNTIME_ONLY, flatten
from fullpool.pipelines.provenance import version_tags
from fullpool.pipelines.stopping import is_stop

if TYPE_CHECKING:
    from kedro.framework.context import KedroContext
    from kedro.io import DataCatalog
    from kedro.pipeline import Pipeline
    from kedro.pipeline.node import Node

    from fullpool.pipelines.campaign import Campaign
    from fullpool.pipelines.runs import CampaignRun

logger = logging.getLogger(__name__)


class CampaignHooks:
    """Holds what must survive between the hooks of one session: project, configuration and campaign."""

    def __init__(self) -> None:
        self._project = Path()
        self._env = ""
        self._name = ""
        self._uri = ""
        self._config: Any = None
        self._campaign: Campaign | None = None

    @hook_impl
    def after_context_created(self, context: KedroContext) -> None:
        """Reads `mlflow.yml` through kedro-mlflow, with a database path that no working directory changes."""
        # Of an earlier session in this process, as in a notebook: Kedro tells of no KeyboardInterrupt.
        self._end(None)
        self._project = Path(context.project_path)
        self._env = context.env or "local"
        failures.install(self._project / ".cache" / "last_error.txt")
        logs.install()
        loader = context.config_loader
        doors.check_environment(Path(loader.conf_source), self._env)
        self._name = stages.check_campaign((context._runtime_params or {}).get(CAMPAIGN, "local"))
        os.environ.setdefault("MLFLOW_DISABLE_TELEMETRY", "true")
        from kedro_mlflow.framework.hooks.mlflow_hook import MlflowHook

        # Both set their own level at import; how tables are made is no news, and trouble is told in one line.
        for name in ("mlflow", "kedro_mlflow"):
            logging.getLogger(name).setLevel(logging.WARNING)
        logging.getLogger("mlflow.store.db.utils").setLevel(logging.CRITICAL)
        loader["mlflow"] = _absolute(loader["mlflow"], self._project)
        self._uri = str(loader["mlflow"]["server"].get("mlflow_tracking_uri") or "")
        database.prepare(self._uri)
        with database.explained(self._uri):
            MlflowHook().after_context_created(context)
        self._config = context.mlflow  # type: ignore[attr-defined]

    @hook_impl
    def before_pipeline_run(
        self, run_params: dict[str, Any], pipeline: Pipeline, catalog: DataCatalog
    ) -> None:
        """Checks how it is run and with what, takes signals and campaign, and looks its MLflow run up."""
        _check_runner(str(run_params["runner"]))
        parameters = {
            name.removeprefix("params:"): catalog.load(name)
            for name in sorted(pipeline.inputs())
            if name.startswith("params:")
        }
        settings = request.all_settings(catalog.load("parameters"))
        doors.check_names(settings, _known_parameters())
        followed = request.related(pipeline, settings) | parameters
        spec = doors.check_run(followed)
        request.check_inputs(pipeline, catalog, env=self._env, campaign=self._name)
        order = [node.name.partition(".")[0] for node in pipeline.nodes]
        progress.plan(order, doors.training_budgets(followed, spec))
        _tell_missing(run_params["pipeline_names"])
        from fullpool.pipelines.campaign import Campaign

        self._campaign = Campaign(self._project, self._name, self._uri)
        experiment = self._config.tracking.experiment._experiment.experiment_id
        self._campaign.begin(partial(self._look_up, experiment, parameters), experiment)

    @hook_impl
    def before_node_run(self, node: Node) -> None:
        """Puts the stage's tracker in place; a node is named after its stage, as `winrate` or `winrate.report`."""
        if self._campaign is not None:
            self._campaign.put_tracker(node.name.split(".")[0])

    @hook_impl
    def after_dataset_saved(self, dataset_name: str, data: Any) -> None:
        """Logs a generation's rows, now that it is on disk."""
        if not isinstance(data, StageItem) or data.generation is None:
            return
        if self._campaign is not None:
            self._campaign.has_saved()
        rows = data.generation.rows
        for row in rows:
            tracking.current().metrics(row.values, row.step)
        stage = dataset_name.split(".")[0]
        logger.info("%s %s: %s", stage, _number(stage, data.generation), _figures(rows))

    @hook_impl
    def after_pipeline_run(self) -> None:
        """Closes the run as FINISHED."""
        campaign, self._campaign = self._campaign, None
        if campaign is not None:
            campaign.finish()

    @hook_impl
    def on_pipeline_error(self, error: Exception) -> None:
        """Closes the run: KILLED when someone stopped it, FAILED when it broke; says how to go on."""
        if is_stop(error):
            logger.warning(
                "stopped; what was finished is kept, and the same command goes on: %s", calling.again()
            )
        self._end(error)

    def _end(self, error: BaseException | None) -> None:
        campaign, self._campaign = self._campaign, None
        if campaign is not None:
            campaign.end(error)

    def _look_up(self, experiment: str, parameters: Mapping[str, Any]) -> CampaignRun:
        from fullpool.pipelines.runs import CampaignRun

        flat, wanted = flatten(parameters), self._config.tracking.run
        return CampaignRun(
            self._config.server._mlflow_client,
            experiment,
            self._name,
            flat,
            version_tags(self._project, self._env, flat),
            run_id=wanted.id,
            run_name=wanted.name,
        )


def _number(stage: str, generation: Generation) -> str:
    """Names a generation within its stage; the only part of a stage has nothing to say."""
    part = "" if generation.part in (stage, stages.RESULT) else f"{generation.part} "
    return f"{part}generation {generation.number}"


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


def _tell_missing(pipeline_names: list[str] | None) -> None:
    missing = [stage for stage in stages.STAGES if stage not in stages.built()]
    if missing and set(pipeline_names or ["cspl"]) & {"cspl", "__default__"}:
        logger.warning("cspl: this version has no %s yet", ", ".join(missing))
