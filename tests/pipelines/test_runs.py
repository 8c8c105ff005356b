"""One MLflow run a campaign, against a real sqlite store."""

from __future__ import annotations

import shutil
import socket
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import mlflow
import pytest
from mlflow import MlflowClient
from mlflow.entities import Run
from mlflow.exceptions import MlflowException

from fullpool.pipelines import runs


@pytest.fixture
def client(empty_database: Path, tmp_path: Path) -> Iterator[MlflowClient]:
    uri = f"sqlite:///{shutil.copy(empty_database, tmp_path)}"
    mlflow.set_tracking_uri(uri)
    yield MlflowClient(uri)
    mlflow.end_run()
    mlflow.set_tracking_uri(None)  # type: ignore[arg-type]


@pytest.fixture
def experiment(client: MlflowClient, request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return str(client.create_experiment(request.node.name, artifact_location=tmp_path.as_uri()))


def look_up(
    client: MlflowClient, experiment: str, campaign: str, params: Mapping[str, Any], **more: Any
) -> runs.CampaignRun:
    tags = more.pop("tags", {})
    return runs.CampaignRun(client, experiment, campaign, params, tags, **more)


def run_once(
    client: MlflowClient, experiment: str, campaign: str, params: Mapping[str, Any], **more: Any
) -> Run:
    """Opens a campaign's run as one process does, and ends it."""
    run = look_up(client, experiment, campaign, params, **more)
    opened = client.get_run(run.open())
    assert opened.info.status == "RUNNING"
    run.end("FINISHED")
    return opened


def status(client: MlflowClient, run_id: str) -> str:
    return str(client.get_run(run_id).info.status)


def test_a_campaign_with_the_same_parameters_writes_on_in_its_run(
    client: MlflowClient, experiment: str
) -> None:
    first = run_once(client, experiment, "a", {"x": 1, "y": [1, 2]}, tags={"seed": "3"})
    assert first.data.params == {"x": "1", "y": "[1, 2]"}
    assert first.data.tags["campaign"] == "a"
    assert first.data.tags["seed"] == "3"
    again = run_once(client, experiment, "a", {"x": 1, "z": 5}, tags={"env": "b"})
    assert again.info.run_id == first.info.run_id
    assert again.info.run_name == first.info.run_name == "a"
    assert again.data.params["z"] == "5"
    assert again.data.tags["env"] == "b"


def test_other_parameters_or_campaigns_get_a_run_of_their_own(client: MlflowClient, experiment: str) -> None:
    opened = [
        run_once(client, experiment, campaign, {"x": x}).info.run_id
        for campaign, x in (("a", 1), ("a", 2), ("b", 1), ("a", 1))
    ]
    assert len(set(opened)) == 3
    assert opened[0] == opened[3]


def test_a_given_run_is_kept_with_its_name_unless_parameters_differ(
    client: MlflowClient, experiment: str
) -> None:
    given = client.create_run(experiment, run_name="mine").info.run_id
    opened = run_once(client, experiment, "a", {"x": 1}, run_id=given)
    assert (opened.info.run_id, opened.info.run_name) == (given, "mine")
    with pytest.raises(
        ValueError, match=r"mlflow_run_id 'nobody' cannot be written on in \(Run with id=nobody"
    ):
        look_up(client, experiment, "a", {"x": 1}, run_id="nobody")
    with pytest.raises(ValueError, match=f"run {given} was started with other values of x"):
        look_up(client, experiment, "a", {"x": 2}, run_id=given)


def test_long_values_are_cut(client: MlflowClient, experiment: str) -> None:
    opened = run_once(client, experiment, "a", {"x": "y" * 100_000})
    again = run_once(client, experiment, "a", {"x": "y" * 100_000})
    assert opened.data.params["x"].endswith("…")
    assert again.info.run_id == opened.info.run_id


def test_a_run_that_is_only_looked_up_is_not_changed(client: MlflowClient, experiment: str) -> None:
    look_up(client, experiment, "a", {"x": 1}).end("KILLED")
    look_up(client, experiment, "a", {"x": 1}).withdraw()
    assert client.search_runs([experiment]) == []
    run_id = run_once(client, experiment, "a", {"x": 1}).info.run_id
    before = client.get_run(run_id).to_dictionary()
    for end in ("FINISHED", "KILLED"):
        look_up(client, experiment, "a", {"x": 1, "z": 5}, tags={"env": "b"}).end(end)
    look_up(client, experiment, "a", {"x": 1}).withdraw()
    assert client.get_run(run_id).to_dictionary() == before
    look_up(client, experiment, "a", {"x": 1}).end("FAILED")
    assert status(client, run_id) == "FAILED"


def test_a_run_left_running_is_put_right_by_a_start_with_nothing_to_do(
    client: MlflowClient, experiment: str
) -> None:
    left = client.create_run(experiment, tags={"campaign": "a"}).info.run_id
    look_up(client, experiment, "a", {}).end("FINISHED")
    assert status(client, left) == "FINISHED"
    client.update_run(left, status="RUNNING")
    look_up(client, experiment, "a", {}).withdraw()
    assert status(client, left) == "KILLED"


def test_an_opening_can_be_taken_back(client: MlflowClient, experiment: str) -> None:
    run = look_up(client, experiment, "a", {"x": 1})
    run.open()
    run.withdraw()
    assert client.search_runs([experiment]) == []
    run_id = run_once(client, experiment, "a", {"x": 1}).info.run_id
    client.set_terminated(run_id, "FINISHED", end_time=1234)
    run = look_up(client, experiment, "a", {"x": 1})
    run.open()
    assert status(client, run_id) == "RUNNING"
    run.withdraw()
    info = client.get_run(run_id).info
    assert (info.status, info.end_time) == ("FINISHED", 1234)
    assert mlflow.active_run() is None


def test_a_process_killed_at_the_opening_leaves_a_run_that_is_found(
    client: MlflowClient, experiment: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(*arguments: Any, **more: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(client, "log_batch", killed)
        with pytest.raises(KeyboardInterrupt):
            look_up(client, experiment, "a", {"x": 1}).open()
    again = run_once(client, experiment, "a", {"x": 1})
    assert again.data.params == {"x": "1"}
    assert len(client.search_runs([experiment])) == 1


def test_an_opening_that_failed_half_way_is_finished_by_the_next_try(
    client: MlflowClient, experiment: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def locked(*arguments: Any, **more: Any) -> None:
        raise MlflowException("database is locked")

    run = look_up(client, experiment, "a", {"x": 1})
    with monkeypatch.context() as patched:
        patched.setattr(client, "log_batch", locked)
        with pytest.raises(MlflowException):
            run.open()
    assert client.get_run(run.open()).data.params == {"x": "1"}
    run.end("FINISHED")
    assert [run.info.status for run in client.search_runs([experiment])] == ["FINISHED"]


def test_runs_of_processes_that_are_gone_are_closed(client: MlflowClient, experiment: str) -> None:
    def left(campaign: str, host: str = socket.gethostname()) -> str:
        tags = {"campaign": campaign, runs.HOST: host}
        return str(client.create_run(experiment, tags=tags).info.run_id)

    dead, others = left("dead"), [left("alive"), left("ours"), left("elsewhere", "another.machine")]
    others.append(client.create_run(experiment).info.run_id)
    closed = runs.close_dead_runs(client, experiment, lambda campaign: campaign != "alive", keep=others[1])
    assert closed == [dead]
    assert status(client, dead) == "KILLED"
    assert [status(client, run_id) for run_id in others] == ["RUNNING"] * 4
