"""A campaign in a process: how its run ends, whatever happens when."""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import mlflow
import pytest
from mlflow import MlflowClient
from mlflow.exceptions import MlflowException

from fullpool.pipelines import stopping, tracking
from fullpool.pipelines.campaign import Campaign
from fullpool.pipelines.locks import CampaignLock
from fullpool.pipelines.runs import CampaignRun
from fullpool.pipelines.stages import ParametersChanged
from fullpool.pipelines.stopping import StopRequested


@dataclass
class Store:
    """A project's database, and the campaigns that were begun on it."""

    project: Path
    client: MlflowClient
    experiment: str
    begun: list[Campaign] = field(default_factory=list)

    def begin(self, name: str = "a", **params: Any) -> Campaign:
        campaign = Campaign(self.project, name, f"sqlite:///{self.project / 'mlflow.db'}")
        self.begun.append(campaign)
        campaign.begin(lambda: CampaignRun(self.client, self.experiment, name, params, {}), self.experiment)
        campaign.put_tracker("walk")
        return campaign

    def statuses(self) -> list[str]:
        with closing(sqlite3.connect(self.project / "mlflow.db")) as connection:
            rows = connection.execute("select status, lifecycle_stage from runs order by start_time")
            return [status if stage == "active" else stage for status, stage in rows]

    def times(self) -> list[tuple[int, int]]:
        return [
            (run.info.start_time, run.info.end_time) for run in self.client.search_runs([self.experiment])
        ]

    def steps(self) -> list[int]:
        with closing(sqlite3.connect(self.project / "mlflow.db")) as connection:
            return [step for (step,) in connection.execute("select step from metrics order by step")]


@pytest.fixture
def store(empty_database: Path, tmp_path: Path) -> Iterator[Store]:
    uri = f"sqlite:///{shutil.copy(empty_database, tmp_path / 'mlflow.db')}"
    mlflow.set_tracking_uri(uri)
    # A shell starts background jobs with SIGINT ignored, and Python leaves it so: the usual way is set here.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    client = MlflowClient(uri)
    made = Store(tmp_path, client, client.create_experiment("e", artifact_location=tmp_path.as_uri()))
    yield made
    for campaign in made.begun:
        campaign.end(None)
    signal.signal(signal.SIGINT, before)
    mlflow.end_run()
    mlflow.set_tracking_uri(None)  # type: ignore[arg-type]


def is_free(store: Store) -> bool:
    return CampaignLock(store.project, "a").is_free()


def work(campaign: Campaign, *steps: int) -> None:
    tracking.current().start()
    for step in steps:
        campaign.has_saved()
        tracking.current().metrics({"position": 1.0}, step)


def test_work_is_running_and_then_finished(store: Store) -> None:
    campaign = store.begin()
    assert store.statuses() == []
    work(campaign, 1, 2)
    assert store.statuses() == ["RUNNING"]
    assert not is_free(store)
    campaign.finish()
    campaign.end(None)
    assert store.statuses() == ["FINISHED"]
    assert store.steps() == [1, 2]
    assert is_free(store)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (StopRequested("stopped by SIGTERM"), "KILLED"),
        (ZeroDivisionError("ours"), "FAILED"),
        (OSError(28, "No space left on device"), "FAILED"),
        (ValueError("after a generation"), "FAILED"),
        (None, "FAILED"),
    ],
)
def test_how_a_run_ends_after_work(store: Store, error: BaseException | None, said: str) -> None:
    campaign = store.begin()
    work(campaign, 1)
    campaign.end(error)
    assert store.statuses() == [said]
    assert mlflow.active_run() is None


def test_a_refused_start_and_one_with_nothing_to_do_leave_no_trace(store: Store) -> None:
    refusal = ParametersChanged("walk was made with other parameters")
    store.begin().end(refusal)
    opened = store.begin()
    work(opened)
    opened.end(refusal)
    assert store.statuses() == ["deleted"]
    done = store.begin(x=1)
    work(done, 1)
    done.finish()
    before = store.times()
    store.begin(x=1).end(refusal)
    store.begin(x=2).end(refusal)
    store.begin(x=1).finish()
    opened = store.begin(x=1)
    work(opened)
    opened.end(refusal)
    assert store.statuses() == ["deleted", "FINISHED"]
    assert store.times() == before


def test_a_crash_before_any_work_is_not_finished(store: Store) -> None:
    done = store.begin()
    work(done, 1)
    done.finish()
    store.begin().end(ZeroDivisionError("ours"))
    assert store.statuses() == ["FAILED"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_while_the_run_is_opened_waits_and_kills_it(
    store: Store, monkeypatch: pytest.MonkeyPatch, number: signal.Signals
) -> None:
    create_run = store.client.create_run

    def interrupted(*arguments: Any, **more: Any) -> Any:
        run = create_run(*arguments, **more)
        os.kill(os.getpid(), number)
        return run

    monkeypatch.setattr(store.client, "create_run", interrupted)
    campaign = store.begin(x=1)
    with pytest.raises(StopRequested, match=f"stopped by {number.name}") as caught:
        tracking.current().start()
    campaign.end(caught.value)
    assert store.statuses() == ["KILLED"]
    assert store.client.search_runs([store.experiment])[0].data.params == {"x": "1"}


def test_a_signal_while_the_run_is_looked_up_frees_the_campaign(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*arguments: Any, **more: Any) -> Any:
        os.kill(os.getpid(), signal.SIGTERM)

    monkeypatch.setattr(store.client, "search_runs", interrupted)
    with pytest.raises(StopRequested):
        store.begin()
    assert is_free(store)
    assert store.statuses() == []
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_second_signal_at_the_end_does_not_cut_it_short(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stopping, "SAME_S", 0.0)
    campaign = store.begin()
    work(campaign, 1)
    log_batch = store.client.log_batch

    def interrupted(*arguments: Any, **more: Any) -> None:
        os.kill(os.getpid(), signal.SIGINT)
        log_batch(*arguments, **more)

    with pytest.raises(StopRequested) as caught:
        os.kill(os.getpid(), signal.SIGINT)
    monkeypatch.setattr(store.client, "log_batch", interrupted)
    campaign.end(caught.value)
    assert store.statuses() == ["KILLED"]
    assert store.steps() == [1]
    assert is_free(store)


def test_a_process_that_ends_without_a_word_after_a_signal_was_killed(store: Store) -> None:
    campaign = store.begin()
    work(campaign, 1)
    with pytest.raises(StopRequested):
        os.kill(os.getpid(), signal.SIGTERM)
    campaign.end(None)
    assert store.statuses() == ["KILLED"]


def locked(*arguments: Any, **more: Any) -> Any:
    raise MlflowException("(sqlite3.OperationalError) database is locked")


def test_figures_that_could_not_be_written_are_caught_up_by_the_next_start(
    store: Store, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    campaign = store.begin()
    tracking.current().start()
    with monkeypatch.context() as patched:
        patched.setattr(store.client, "log_batch", locked)
        work(campaign, 1, 2)
        campaign.finish()
    assert "MLflow lacks 2 figures; the next start of the campaign writes them" in caplog.messages
    assert store.statuses() == ["FINISHED"]
    campaign = store.begin()
    rows = [{"step": step, "time": 1.0, "values": {"position": 1.0}} for step in (1, 2)]
    assert tracking.current().catch_up(rows) == 2
    campaign.finish()
    assert store.steps() == [1, 2]
    assert store.statuses() == ["FINISHED"]


@pytest.mark.parametrize("end", [Campaign.finish, lambda campaign: campaign.end(ValueError("x"))])
def test_an_end_that_cannot_be_written_is_told_and_never_called_finished(
    store: Store,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    end: Callable[[Campaign], None],
) -> None:
    campaign = store.begin()
    work(campaign, 1)
    with monkeypatch.context() as patched:
        patched.setattr(MlflowClient, "set_terminated", locked)
        end(campaign)
    assert caplog.messages[-1].endswith("the next start puts the run's status right")
    assert mlflow.active_run() is None
    assert store.statuses() == ["RUNNING"]
    assert is_free(store)
    store.begin().finish()
    assert store.statuses() == ["FINISHED"]
