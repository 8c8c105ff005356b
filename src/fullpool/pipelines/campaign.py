"""A campaign in this process, from start to end: its signals, lock, MLflow run, and how the run ends."""

from __future__ import annotations

import atexit
import logging
from collections.abc import Callable
from pathlib import Path

from fullpool.pipelines import failures, tracking
from fullpool.pipelines.database import explained, trouble
from fullpool.pipelines.locks import CampaignLock
from fullpool.pipelines.outbox import Outbox
from fullpool.pipelines.runs import CampaignRun, close_dead_runs
from fullpool.pipelines.stopping import SignalGuard, is_stop, shielded

logger = logging.getLogger(__name__)


class Campaign:
    """What a process holds of a campaign between `begin` and `end`."""

    def __init__(self, project: Path, name: str, uri: str) -> None:
        """Names it.

        Args:
            project: the project's root.
            name: name of the campaign.
            uri: address of MLflow, for messages.
        """
        self._project, self._name, self._uri = project, name, uri
        self._lock = CampaignLock(project, name)
        self._signals = SignalGuard()
        self._run: CampaignRun | None = None
        self._outbox: Outbox | None = None
        self._has_saved = False

    def begin(self, look_up: Callable[[], CampaignRun], experiment_id: str) -> None:
        """Takes signals and lock, looks the run up, and marks runs whose process is gone.

        Args:
            look_up: finds the campaign's run.
            experiment_id: experiment in which runs of dead processes are looked for.

        Raises:
            ValueError: if another process runs the campaign, or MLflow cannot be read.
            StopRequested: if a signal came; the lock is free then.
        """
        self._signals.install()
        # After MLflow's own, so that it comes before it: that one calls every run FINISHED.
        atexit.register(self.end, None)
        try:
            self._lock.acquire()
            with explained(self._uri):
                run = look_up()
                close_dead_runs(run.client, experiment_id, self._is_dead, keep=run.run_id)
            self._run, self._outbox = run, Outbox(run, self._uri)
        except BaseException as error:
            self.end(error)
            raise

    def put_tracker(self, stage: str) -> None:
        """Puts a stage's tracker in place."""
        if self._outbox is not None:
            tracking.put(tracking.MlflowTracker(self._outbox, stage))

    def has_saved(self) -> None:
        """Says that there is a new generation on disk: what comes now is no refused start any more."""
        self._has_saved = True

    def finish(self) -> None:
        """Ends the run as FINISHED."""
        self._close(lambda run: run.end("FINISHED"))

    def end(self, error: BaseException | None) -> None:
        """Ends the run after an error; does nothing the second time.

        A run that someone stopped is KILLED. A start that was refused before it did anything leaves the run as it
        was. Everything else is FAILED.

        Args:
            error: what was raised; None: the process ends without saying why.
        """
        if is_stop(error) or self._signals.stopped:
            self._close(lambda run: run.end("KILLED"))
        elif error is not None and failures.is_refusal(error) and not self._has_saved:
            self._close(lambda run: run.withdraw())
        else:
            self._close(lambda run: run.end("FAILED"))

    def _is_dead(self, campaign: str) -> bool:
        return campaign == self._name or CampaignLock(self._project, campaign).is_free()

    def _close(self, end: Callable[[CampaignRun], None]) -> None:
        """Writes what waits, ends the run and gives lock and signals back; a signal waits until all is done."""
        from mlflow.exceptions import MlflowException

        atexit.unregister(self.end)
        run, outbox, self._run, self._outbox = self._run, self._outbox, None, None
        with shielded():
            try:
                tracking.put(None)
                if outbox is not None:
                    outbox.close()
            finally:
                try:
                    if run is not None:
                        end(run)
                except MlflowException as error:
                    logger.warning(
                        "%s; the next start puts the run's status right", trouble(error, self._uri)
                    )
                finally:
                    self._lock.release()
                    self._signals.remove()
