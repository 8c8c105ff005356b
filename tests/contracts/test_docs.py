"""What the pages show holds: links, settings in YAML blocks, names of commands, one folder of pictures."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from kedro.config import OmegaConfigLoader
from omegaconf import OmegaConf
from pydantic import BaseModel

from fullpool.cli.app import COMMANDS
from fullpool.curriculum.settings import BaselineSettings, MergedSettings, StudentSettings, TeacherSettings
from fullpool.games.moba.rewards import ITEM_NAMES, REWARD_HEADS, reward_presets
from fullpool.games.registry import make_game
from fullpool.pipelines.game import GameSettings
from fullpool.pipelines.stages import STAGES
from fullpool.settings import CONFIG_LOADER_ARGS

ROOT = Path(__file__).parents[2]
PAGES = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), ROOT / "conf" / "README.md"]
GUIDES = ROOT / "docs" / "guides"
CLASSES: dict[str, type[BaseModel]] = {
    "game": GameSettings,
    "teachers": TeacherSettings,
    "student": StudentSettings,
    "merged": MergedSettings,
    "baseline": BaselineSettings,
}


def settings_of(env: str = "base") -> dict[str, Any]:
    loader = OmegaConfigLoader(
        conf_source=str(ROOT / "conf"),
        env=env,
        runtime_params={"campaign": "local"},
        **CONFIG_LOADER_ARGS,
    )
    parameters: dict[str, Any] = loader["parameters"]
    return parameters


def blocks(page: str) -> list[dict[str, Any]]:
    """Settings that a guide shows."""
    found = re.findall(r"```yaml\n(.*?)```", (GUIDES / page).read_text("utf-8"), re.DOTALL)
    return [yaml.safe_load(text) for text in found]


def merged(page: str, number: int) -> dict[str, Any]:
    """The base settings with those of a guide's block, each checked."""
    block = blocks(page)[number]
    plain: Any = OmegaConf.to_container(OmegaConf.merge(settings_of(), block))
    return {name: CLASSES[name].model_validate(plain[name]) for name in block}


def test_links_lead_somewhere() -> None:
    done = subprocess.run([sys.executable, "docs/check_links.py"], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def test_pictures_lie_in_one_folder_and_are_shown() -> None:
    pictures = [p for p in (ROOT / "docs").rglob("*") if p.suffix in (".png", ".svg", ".jpg")]
    assert {picture.parent.name for picture in pictures} == {"images"}
    shown = "".join(page.read_text("utf-8") for page in PAGES)
    assert all(f"images/{picture.name}" in shown for picture in pictures)


def test_rewards_as_the_guide_changes_them() -> None:
    game = merged("rewards.md", 0)["game"]
    made: Any = make_game(game.name, game.preset, 1, game.options)
    assert made._weights.item[ITEM_NAMES.index("kill")] == pytest.approx(0.5)
    assert made._weights.item[ITEM_NAMES.index("gold")] == pytest.approx(0.005)
    assert made._weights.numbers[0] == 0.5
    stages = merged("rewards.md", 1)
    for stage in ("teachers", "merged"):
        heads = stages[stage].ppo.reward_heads
        assert (heads["win"].discount, heads["kda"].weight) == (0.99, 0.0)
        assert heads["kda"].discount == settings_of()[stage]["ppo"]["reward_heads"]["kda"]["discount"]


def test_the_guide_to_rewards_names_every_item_head_and_preset() -> None:
    text = (GUIDES / "rewards.md").read_text("utf-8")
    for name in (*ITEM_NAMES, *REWARD_HEADS, *reward_presets()):
        assert re.search(rf"\b{name}\b", text), name


def test_the_baseline_of_the_comparison_has_what_the_curriculum_has() -> None:
    settings = merged("compare_baseline.md", 0)
    groups, teachers, baseline = 4, settings["teachers"], settings["baseline"]
    phases = groups * teachers.budget_agent_steps
    phases += settings["student"].budget_agent_steps + settings["merged"].budget_agent_steps
    assert baseline.budget_agent_steps == phases
    assert baseline.imitation.agent_steps == groups * teachers.imitation.agent_steps
    same = {"agent_steps": 0}
    assert baseline.imitation.model_copy(update=same) == teachers.imitation.model_copy(update=same)
    assert baseline.ppo.schedule_agent_steps == phases - baseline.imitation.agent_steps
    assert baseline.league == settings["merged"].league
    assert baseline.network == settings["student"].network


@pytest.mark.parametrize("env", ["base", "evening", "workstation", "paper"])
def test_the_baseline_gets_as_many_samples_as_the_phases_together(env: str) -> None:
    settings = settings_of(env)
    budget = {
        stage: settings[stage]["budget_agent_steps"]
        for stage in ("teachers", "student", "merged", "baseline")
    }
    assert budget["baseline"] == 4 * budget["teachers"] + budget["student"] + budget["merged"]
    assert settings["baseline"]["network"] == settings["student"]["network"]


def test_commands_in_the_pages_exist() -> None:
    for page in PAGES:
        text = page.read_text("utf-8")
        for command in re.findall(r"(?:bin/|`)fullpool ([a-z][a-z-]*)", text):
            assert command in COMMANDS, f"{page.name}: fullpool {command}"
        for pipeline in re.findall(r"--pipeline=([a-z]+)", text):
            assert pipeline in (*STAGES, "cspl", "baseline"), f"{page.name}: {pipeline}"
