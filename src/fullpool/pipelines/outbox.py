"""What waits to be written to a campaign's MLflow run: a database that cannot be written costs figures, never work.

Metrics are written in batches. Where MLflow fails, everything waits here and is tried again, without any hurry: sqlite
makes each try on a database that another process holds wait for many seconds.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from fullpool.pipelines.database import explained, trouble
from fullpool.pipelines.stopping import is_stop, shielded

if TYPE_CHECKING:
    from mlflow import MlflowClient
    from mlflow.entities import Metric

    from fullpool.pipelines.runs import CampaignRun

logger = logging.getLogger(__name__)

PERIOD_S = 2.0
"""Seconds between two writes of buffered metrics."""

RETRY_S = 60.0
"""Seconds between two tries while MLflow cannot be written."""

MAX_BATCH = 1_000
"""Metrics that MLflow takes in one call."""

Call = Callable[["MlflowClient", str], None]
"""Writes a picture, a file or a tag to the run of the given id."""


class Outbox:
    """Metrics and files on their way to a run."""

    def __init__(self, run: CampaignRun, uri: str, *, clock: Callable[[], float] = time.monotonic) -> None:
        """Starts empty.

        Args:
            run: run to write to; opened by the first write.
            uri: address of MLflow, for messages.
            clock: seconds.
        """
        self._run, self._uri, self._clock = run, uri, clock
        self._metrics: list[Metric] = []
        self._calls: list[Call] = []
        self._tried_at = clock()
        self._is_failing = False

    def open(self) -> None:
        """Opens the run before there is anything to write.

        Raises:
            TrackingError: if MLflow cannot be written.
        """
        with explained(self._uri):
            self._run.open()

    def metrics(self, metrics: Iterable[Metric]) -> None:
        """Takes metrics; writes them once `PERIOD_S` has passed since the last write."""
        self._metrics.extend(metrics)
        if self._clock() - self._tried_at >= (RETRY_S if self._is_failing else PERIOD_S):
            self.flush()

    def call(self, call: Call) -> None:
        """Takes a picture, file or tag, and writes it at once unless MLflow is failing."""
        self._calls.append(call)
        if not self._is_failing or self._clock() - self._tried_at >= RETRY_S:
            self.flush()

    def logged_steps(self, names: Iterable[str]) -> dict[str, set[int]] | None:
        """Reads which steps of metrics the run has.

        Args:
            names: metrics, as `stage/name`.

        Returns:
            Steps by name; None if MLflow cannot be read.
        """
        from mlflow.exceptions import MlflowException

        run_id, names = self._run.run_id, list(names)
        if run_id is None:
            return {name: set() for name in names}
        try:
            return {
                name: {metric.step for metric in self._run.client.get_metric_history(run_id, name)}
                for name in names
            }
        except MlflowException as error:
            self._put_off(error)
            return None

    def flush(self) -> None:
        """Writes what waits; what cannot be written goes on waiting."""
        from mlflow.exceptions import MlflowException

        if not self._metrics and not self._calls:
            return
        try:
            self._write(self._run.open())
        except (MlflowException, OSError) as error:
            self._put_off(error)
        else:
            if self._is_failing:
                logger.info("MLflow can be written again; what waited is written")
            self._is_failing = False
        finally:
            self._tried_at = self._clock()

    def close(self) -> None:
        """Tries a last time, and says what could not be written."""
        if not self._is_failing or self._clock() - self._tried_at >= PERIOD_S:
            self.flush()
        if self._metrics:
            logger.warning(
                "MLflow lacks %d figures; the next start of the campaign writes them", len(self._metrics)
            )
        if self._calls:
            logger.warning(
                "MLflow lacks %d pictures, files or tags that could not be written", len(self._calls)
            )
        self._metrics, self._calls = [], []

    def _write(self, run_id: str) -> None:
        while self._metrics:
            # Lest a signal in between makes a step be written twice.
            with shielded():
                self._run.client.log_batch(run_id, metrics=self._metrics[:MAX_BATCH])
                del self._metrics[:MAX_BATCH]
        while self._calls:
            self._calls[0](self._run.client, run_id)
            del self._calls[0]

    def _put_off(self, error: Exception) -> None:
        """Says once what is wrong; MLflow wraps a request to stop too, which goes on its way."""
        if is_stop(error):
            raise error
        if not self._is_failing:
            logger.warning("%s; the work goes on, and figures wait to be written", trouble(error, self._uri))
        self._is_failing = True
