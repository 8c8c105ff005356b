"""One MLflow run a campaign, against a real sqlite store."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from mlflow import MlflowClient

from fullpool.pipelines import runs


@pytest.fixture
def client(empty_database: Path, tmp_path: Path) -> MlflowClient:
    return MlflowClient(f"sqlite:///{shutil.copy(empty_database, tmp_path)}")


@pytest.fixture
def experiment(client: MlflowClient, request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return str(client.create_experiment(request.node.name, artifact_location=tmp_path.as_uri()))


def status(client: MlflowClient, run_id: str) -> str:
    return str(client.get_run(run_id).info.status)


def test_a_campaign_with_the_same_parameters_writes_on_in_its_run(
    client: MlflowClient, experiment: str
) -> None:
    first = runs.open_run(client, experiment, "a", {"x": 1, "y": [1, 2]}, {"seed": "3"})
    assert first.data.params == {"x": "1", "y": "[1, 2]"}
    assert first.data.tags["campaign"] == "a"
    assert first.data.tags["seed"] == "3"
    client.set_terminated(first.info.run_id, "KILLED")
    again = runs.open_run(client, experiment, "a", {"x": 1, "z": 5}, {})
    assert again.info.run_id == first.info.run_id
    assert again.info.run_name == first.info.run_name == "a"
    assert again.info.status == "RUNNING"
    assert again.data.params["z"] == "5"


def test_other_parameters_or_campaigns_get_a_run_of_their_own(client: MlflowClient, experiment: str) -> None:
    opened = [
        runs.open_run(client, experiment, campaign, {"x": x}, {}).info.run_id
        for campaign, x in (("a", 1), ("a", 2), ("b", 1), ("a", 1))
    ]
    assert len(set(opened)) == 3
    assert opened[0] == opened[3]


def test_a_given_run_is_kept_with_its_name_unless_parameters_differ(
    client: MlflowClient, experiment: str
) -> None:
    given = client.create_run(experiment, run_name="mine").info.run_id
    opened = runs.open_run(client, experiment, "a", {"x": 1}, {}, run_id=given)
    assert (opened.info.run_id, opened.info.run_name) == (given, "mine")
    with pytest.raises(
        ValueError, match=r"mlflow_run_id 'nobody' cannot be written on in \(Run with id=nobody"
    ):
        runs.open_run(client, experiment, "a", {"x": 1}, {}, run_id="nobody")
    with pytest.raises(ValueError, match=f"run {given} was started with other values of x"):
        runs.open_run(client, experiment, "a", {"x": 2}, {}, run_id=given)


def test_long_values_are_cut(client: MlflowClient, experiment: str) -> None:
    opened = runs.open_run(client, experiment, "a", {"x": "y" * 100_000}, {})
    again = runs.open_run(client, experiment, "a", {"x": "y" * 100_000}, {})
    assert opened.data.params["x"].endswith("…")
    assert again.info.run_id == opened.info.run_id


def test_runs_of_processes_that_are_gone_are_closed(client: MlflowClient, experiment: str) -> None:
    names = ("dead", "alive", "ours", "elsewhere")
    opened = {name: runs.open_run(client, experiment, name, {}, {}).info.run_id for name in names}
    client.set_tag(opened["elsewhere"], runs.HOST, "another.machine")
    foreign = client.create_run(experiment).info.run_id
    closed = runs.close_dead_runs(
        client, experiment, lambda campaign: campaign != "alive", keep=opened["ours"]
    )
    assert closed == [opened["dead"]]
    assert status(client, opened["dead"]) == "KILLED"
    others = [opened["alive"], opened["ours"], opened["elsewhere"], foreign]
    assert [status(client, run_id) for run_id in others] == ["RUNNING"] * 4
