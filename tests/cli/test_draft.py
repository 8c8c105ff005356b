"""`fullpool draft suggest`: a state in, ranked picks out, with the networks of a campaign."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import torch
from typer.testing import CliRunner

from fullpool.cli.app import app
from fullpool.datasets import folder as stage_folder
from fullpool.drafting.formats import load_format
from fullpool.drafting.network import Mlp
from fullpool.drafting.predictor import WinRatePredictor, save_predictor
from fullpool.drafting.state import make_rules
from fullpool.drafting.value import ValueNetwork, num_value_inputs, save_value

HEROES = tuple(f"hero{number}" for number in range(8))
SEARCH = {"simulations": 12, "leaves": 2, "exploration": 0.1, "first_play": 0.0}
PARAMETERS = {"drafting.format": "snake2", "drafting.bans": None} | {
    f"drafting.{kind}_search.{name}": value for kind in ("rollout", "value") for name, value in SEARCH.items()
}


@pytest.fixture
def campaign(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "pyproject.toml").write_text(
        '[tool.kedro]\npackage_name = "x"\nproject_name = "x"\nkedro_init_version = "1.7.0"\n'
    )
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "data" / "06_models" / "mine"
    generator = torch.Generator().manual_seed(0)
    predictor = WinRatePredictor(HEROES, 2, Mlp(16, (4, 3), 1, generator).arrays(), 0.0, 1.0)
    rules = make_rules(load_format("snake2"), HEROES)
    network = ValueNetwork(rules, Mlp(num_value_inputs(8), (4, 3), 1, generator).arrays())

    def save_winrate(place: Path) -> None:
        save_predictor(place / "predictor", predictor)
        rates = [0.4 + 0.02 * number for number in range(8)]
        pd.DataFrame({"hero": HEROES, "win_rate": rates}).to_csv(place / "heroes.csv", index=False)

    stage_folder.append(folder / "winrate", "winrate", 3, save_winrate, [], parameters={}, num_kept=1)
    stage_folder.finish(folder / "winrate", {})
    stage_folder.append(
        folder / "drafting",
        "value",
        2,
        lambda place: save_value(place / "value", network),
        [],
        parameters=PARAMETERS,
        num_kept=1,
    )
    return folder


def ask(*arguments: str) -> dict[str, Any]:
    result = CliRunner().invoke(app, ["draft", "suggest", "--campaign", "mine", "--json", *arguments])
    assert result.exit_code == 0, (result.output, result.exception)
    facts: dict[str, Any] = json.loads(result.output.splitlines()[-1])
    return facts


@pytest.mark.usefixtures("campaign")
def test_picks_are_ranked_with_value_visits_and_line() -> None:
    facts = ask("--state", "hero1, hero2")
    assert (facts["format"], facts["step"], facts["team"], facts["action"]) == ("snake2", 3, 2, "pick")
    assert facts["strategy"] == "uct_value"
    assert len(facts["picks"]) == 5
    assert not {"hero1", "hero2"} & {pick["hero"] for pick in facts["picks"]}
    assert facts["picks"][0]["hero"] == facts["line"][0]
    assert all(0 <= pick["value"] <= 1 and pick["visits"] >= 0 for pick in facts["picks"])
    again = ask("--state", "hero1, hero2")
    assert {**again, "seconds": 0} == {**facts, "seconds": 0}


@pytest.mark.usefixtures("campaign")
def test_other_strategies_and_formats() -> None:
    facts = ask("--strategy", "highest_win_rate", "--top", "2")
    assert [pick["hero"] for pick in facts["picks"]] == ["hero7", "hero6"]
    with_line = CliRunner().invoke(app, ["draft", "suggest", "--campaign", "mine"])
    assert with_line.exit_code == 0
    assert "expected line: " in with_line.output
    assert "step 1: team 1 picks" in with_line.output


def test_without_a_value_network_drafts_are_played_to_random_ends(campaign: Path) -> None:
    stage_folder.append(
        campaign / "drafting", "value", 3, lambda place: None, [], parameters=PARAMETERS, num_kept=1
    )
    assert ask()["strategy"] == "uct_rollout"


@pytest.mark.usefixtures("campaign")
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--state", "hero1,heroo2"), "no hero 'heroo2' in the pool; did you mean 'hero"),
        (("--state", "hero1,hero1"), "step 2: 'hero1' is already picked"),
        (("--state", "hero1,hero2,hero3,hero4"), "the draft is over after 4 steps"),
        (("--format", "snak2"), "no draft format 'snak2'"),
        (("--format", "snake3"), "picks 3 heroes a team, the campaign's teams have 2"),
        (("--strategy", "uct"), "no draft strategy 'uct'"),
    ],
)
def test_bad_input_is_named(arguments: tuple[str, ...], said: str) -> None:
    result = CliRunner().invoke(app, ["draft", "suggest", "--campaign", "mine", *arguments])
    assert result.exit_code != 0
    assert said in str(result.exception)


def test_a_campaign_that_has_not_drafted_says_what_to_run(campaign: Path) -> None:
    (campaign / "drafting").rename(campaign / "elsewhere")
    result = CliRunner().invoke(app, ["draft", "suggest", "--campaign", "mine"])
    assert "has not come to its drafting yet: kedro run --pipeline=cspl --params campaign=mine" in str(
        result.exception
    )


@pytest.mark.parametrize("name", ["heroes.csv", "predictor"])
def test_a_predictor_with_files_lost_says_how_to_make_it_anew(campaign: Path, name: str) -> None:
    lost = campaign / "winrate" / "generations" / "winrate@000003" / name
    lost.rename(campaign / "elsewhere")
    said = str(CliRunner().invoke(app, ["draft", "suggest", "mine"]).exception)
    assert f"{lost} is missing" in said
    assert f"rm -r {campaign / 'winrate'} && kedro run --pipeline=winrate --params campaign=mine" in said


@pytest.mark.usefixtures("campaign")
def test_the_campaign_may_be_an_argument() -> None:
    result = CliRunner().invoke(app, ["draft", "suggest", "mine", "--json"])
    assert json.loads(result.output.splitlines()[-1])["campaign"] == "mine"
