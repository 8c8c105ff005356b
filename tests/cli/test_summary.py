"""The table of a campaign."""

from __future__ import annotations

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
        rows = [{"step": s, "time": 0.0, "values": {"elo_g1": 10.0 * s, "zeta": 1.0}} for s in (1, 2)]
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


@pytest.mark.usefixtures("project")
def test_stages_come_in_the_order_of_the_pipeline_with_their_last_figures() -> None:
    result = CliRunner().invoke(app, ["summary", "--campaign", "mine"])
    assert result.exit_code == 0, result.output
    assert result.output.index("teachers") < result.output.index("student")
    assert "finished" in result.output
    assert "under way" in result.output
    assert "elo_g1 20" in result.output
    assert "make ui" in result.output


@pytest.mark.usefixtures("project")
def test_an_unknown_campaign_names_those_there_are() -> None:
    result = CliRunner().invoke(app, ["summary", "--campaign", "yours"])
    assert "known: mine" in str(result.exception)
