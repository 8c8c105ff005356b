"""Agents by name: bots, folders, and a campaign's stages."""

from __future__ import annotations

from pathlib import Path

import pytest

from fullpool.cli.agents import campaign_agents, policy_folder, unknown
from fullpool.datasets import folder as stage_folder


def put(project: Path, campaign: str, stage: str, part: str, number: int, *, policy: bool = True) -> None:
    def save(folder: Path) -> None:
        if policy:
            (folder / "policy").mkdir()
            (folder / "policy" / "policy.json").touch()

    place = project / "data" / "06_models" / campaign / stage
    stage_folder.append(place, part, number, save, [], parameters={}, num_kept=2)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "pyproject.toml").write_text(
        '[tool.kedro]\npackage_name = "x"\nproject_name = "x"\nkedro_init_version = "1.7.0"\n'
    )
    monkeypatch.chdir(tmp_path)
    put(tmp_path, "mine", "lineups", "result", 1, policy=False)
    for part in ("g1", "g2"):
        put(tmp_path, "mine", "teachers", part, 1)
    for number in (1, 2):
        put(tmp_path, "mine", "merged", "merged", number)
    put(tmp_path, "young", "teachers", "g1", 1)
    return tmp_path


def test_the_latest_generation_of_a_stage_is_its_agent(project: Path) -> None:
    merged = project / "data" / "06_models" / "mine" / "merged" / "generations" / "merged@000002" / "policy"
    assert policy_folder("mine/merged") == merged
    teachers = project / "data" / "06_models" / "mine" / "teachers" / "generations"
    assert policy_folder("mine/teachers/g2") == teachers / "g2@000001" / "policy"
    assert list(campaign_agents("mine")) == ["mine/teachers/g1", "mine/teachers/g2", "mine/merged"]


@pytest.mark.usefixtures("project")
def test_a_stage_with_one_part_needs_no_part() -> None:
    assert policy_folder("young/teachers") == policy_folder("young/teachers/g1")


def test_a_folder_and_a_bot_are_what_they_are(project: Path) -> None:
    folder = project / "data" / "06_models" / "mine" / "merged" / "generations" / "merged@000001" / "policy"
    assert policy_folder(str(folder)) == folder
    assert policy_folder("laner") is None


@pytest.mark.usefixtures("project")
@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("mien/merged", "no campaign 'mien' (did you mean 'mine'?)"),
        ("mine/mergd", "campaign 'mine' has no agent 'mine/mergd'; did you mean 'mine/merged'"),
        ("mine/teachers", "has no agent 'mine/teachers'; did you mean 'mine/teachers/g"),
        ("mine/teachers/g7", "did you mean 'mine/teachers/g"),
        ("mine/lineups", "campaign 'mine' has no agent 'mine/lineups'"),
        ("mine/merged/merged/merged", "campaign 'mine' has no agent"),
        ("/nowhere/policy", "no policy folder at '/nowhere/policy': expected a folder with policy.json"),
        ("data", "no policy folder at 'data'"),
    ],
)
def test_what_is_not_there_gets_the_close_names(name: str, words: str) -> None:
    with pytest.raises(ValueError, match=r".") as caught:
        policy_folder(name)
    assert words in str(caught.value)


@pytest.mark.usefixtures("project")
def test_a_word_that_is_no_bot_gets_the_close_names() -> None:
    assert "did you mean 'laner'?" in str(unknown("lanner", ["noop", "laner"]))
    said = str(unknown("mine", ["noop", "laner"]))
    assert said.startswith("'mine' is a campaign; name one of its agents: mine/teachers/g1")


def test_outside_a_project_bots_and_folders_still_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert policy_folder("laner") is None
    with pytest.raises(ValueError, match="there is none yet"):
        policy_folder("mine/merged")
    assert "'laner'" in str(unknown("lanner", ["laner"]))
