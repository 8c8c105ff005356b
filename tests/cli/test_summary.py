"""The table of a campaign."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from fullpool.cli.app import app
from fullpool.datasets import folder as stage_folder


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "pyproject.toml").write_text(
        '[tool.kedro]\npackage_name = "x"\nproject_name = "x"\nkedro_init_version = "1.7.0"\n'
    )
    monkeypatch.chdir(tmp_path)
    for stage, finished in (("student", False), ("teachers", True)):
        rows = [
            {"step": s, "time": 0.0, "values": {"agent_steps_g1": 8.0, "elo_g1": 10.0 * s}} for s in (1, 2)
        ]
        rows.append({"step": 9, "time": 0.0, "values": {"agent_steps_g2": 9.0, "elo_g2": 7.0}})
        stage_folder.append(
            tmp_path / "data" / "06_models" / "mine" / stage,
            "part",
            1,
            lambda folder: None,
            rows,
            parameters={},
            num_kept=1,
        )
        if finished:
            stage_folder.finish(tmp_path / "data" / "06_models" / "mine" / stage, {})
    return tmp_path


@pytest.mark.parametrize("named", [["mine"], ["--campaign", "mine"], ["mine", "--campaign", "mine"]])
@pytest.mark.usefixtures("project")
def test_stages_come_in_the_order_of_the_pipeline_with_their_last_figures(named: list[str]) -> None:
    result = CliRunner().invoke(app, ["summary", *named])
    assert result.exit_code == 0, result.output
    assert result.output.index("teachers") < result.output.index("student")
    assert "finished" in result.output
    assert "under way" in result.output
    assert "make ui" in result.output


@pytest.mark.usefixtures("project")
def test_every_teacher_has_a_line_and_toy_sizes_are_called_so() -> None:
    lines = CliRunner().invoke(app, ["summary", "mine"]).output.splitlines()
    for group, steps, elo in (("g1", "8", "elo 20"), ("g2", "9", "elo 7")):
        (line,) = [line for line in lines if f"teachers {group}" in line]
        assert steps in line.split()
        assert elo in line
    assert any("34 agent-steps in all; toy size" in line for line in lines)


@pytest.mark.usefixtures("project")
def test_the_json_holds_all_latest_figures() -> None:
    result = CliRunner().invoke(app, ["summary", "mine", "--json"])
    facts = json.loads(result.stdout)
    assert (facts["campaign"], facts["agent_steps"], facts["toy_size"]) == ("mine", 34.0, True)
    assert [(stage["stage"], stage["finished"]) for stage in facts["stages"]] == [
        ("teachers", True),
        ("student", False),
    ]
    figures = {"agent_steps_g1": 8.0, "elo_g1": 20.0, "agent_steps_g2": 9.0, "elo_g2": 7.0}
    assert facts["stages"][0]["figures"] == figures


@pytest.mark.usefixtures("project")
def test_an_unknown_campaign_names_those_there_are() -> None:
    for arguments in (["yours"], ["--campaign", "yours"]):
        assert "known: mine" in str(CliRunner().invoke(app, ["summary", *arguments]).exception)
    two = CliRunner().invoke(app, ["summary", "mine", "--campaign", "yours"])
    assert "two campaigns are named, 'mine' and --campaign 'yours'" in str(two.exception)
