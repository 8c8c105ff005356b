"""`fullpool draft suggest [CAMPAIGN]`: what to pick next."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fullpool.cli.options import AsJson, Campaign, CampaignOption, Seed, one_campaign

if TYPE_CHECKING:
    from fullpool.datasets import StageProgress
    from fullpool.drafting.settings import SearchSettings
    from fullpool.drafting.state import DraftRules
    from fullpool.drafting.strategies import DraftKit

app = typer.Typer(no_args_is_help=True, add_completion=False)

VALUE_STRATEGY, ROLLOUT_STRATEGY = "uct_value", "uct_rollout"


@app.callback()
def _group() -> None:
    """Drafts with the networks of a campaign."""


@app.command("suggest")
def suggest_command(
    campaign: Campaign = None,
    named: CampaignOption = None,
    draft_format: Annotated[
        str,
        typer.Option(
            "--format", help="Draft format, such as juewu or kpl.", show_default="the campaign's own"
        ),
    ] = "",
    bans: Annotated[
        int | None, typer.Option(min=0, help="Bans a side, for formats that leave it open.")
    ] = None,
    state: Annotated[
        str,
        typer.Option(
            help="Heroes picked and banned so far by both teams, with commas, in the order of the format's steps.",
            show_default="an empty draft",
        ),
    ] = "",
    strategy: Annotated[
        str,
        typer.Option(
            help="How to draft: uct_value (search with the value network), uct_rollout (search with random ends), "
            "highest_win_rate, minimax or random.",
            show_default="uct_value, uct_rollout for formats without a value network",
        ),
    ] = "",
    top: Annotated[int, typer.Option(min=1, help="Heroes to list.")] = 5,
    seed: Seed = 0,
    as_json: AsJson = False,
) -> None:
    """Ranks the next step of a draft: hero, chance to win after it, visits, and the expected line.

    For example: fullpool draft suggest local --state "Ramhorn, Mossback"
    """
    chosen = one_campaign(campaign, named)
    facts = suggest(chosen, draft_format, bans, state, strategy=strategy, top=top, seed=seed)
    if as_json:
        typer.echo(json.dumps(facts))
        return
    from rich.console import Console
    from rich.table import Table

    title = f"step {facts['step']}: team {facts['team']} {facts['action']}s ({facts['strategy']})"
    table = Table("hero", "chance to win", "visits", title=title)
    for pick in facts["picks"]:
        table.add_row(pick["hero"], f"{pick['value']:.3f}", str(pick["visits"]))
    console = Console()
    console.print(table)
    console.print("expected line: " + ", ".join(facts["line"]))


def suggest(
    campaign: str,
    draft_format: str,
    bans: int | None,
    history: str,
    *,
    strategy: str,
    top: int,
    seed: int,
) -> dict[str, Any]:
    """Ranks the next step of a draft.

    Args:
        campaign: whose networks are used.
        draft_format: name of the format; empty: the campaign's.
        bans: bans a side, for formats that leave it open.
        history: heroes so far, with commas.
        strategy: how to draft; empty: the best that fits the format.
        top: heroes to list.
        seed: of the search.

    Returns:
        Format, step, team, action, strategy, picks with value and visits, expected line, seconds.

    Raises:
        ValueError: if campaign, format, hero or strategy is unknown, a step is not legal, or the draft is over.
    """
    from fullpool.cli.waiting import prepare_drafting
    from fullpool.drafting.state import replay
    from fullpool.drafting.strategies import make_strategy
    from fullpool.drafting.strategies import suggest as ask

    kit, own = load_kit(campaign, draft_format, bans)
    prepare_drafting()
    rules = kit.rules
    heroes = [rules.hero_id(name.strip()) for name in history.split(",") if name.strip()]
    state = replay(rules, heroes)
    if state.step == rules.num_steps:
        raise ValueError(f"the draft is over after {rules.num_steps} steps; give fewer heroes in --state")
    started = time.perf_counter()
    name = strategy or own
    found = ask(make_strategy(name, kit), state, seed=seed, with_line=True)
    picks = zip(found.heroes.tolist(), found.values.tolist(), found.visits.tolist())
    return {
        "campaign": campaign,
        "format": rules.format.name,
        "step": state.step + 1,
        "team": int(rules.team[state.step]) + 1,
        "action": "pick" if rules.is_pick[state.step] else "ban",
        "strategy": name,
        "picks": [
            {"hero": rules.heroes[hero], "value": value, "visits": visits} for hero, value, visits in picks
        ][:top],
        "line": [rules.heroes[hero] for hero in found.line],
        "seconds": time.perf_counter() - started,
    }


def load_kit(campaign: str, draft_format: str, bans: int | None) -> tuple[DraftKit, str]:
    """Gathers what strategies are made from.

    Args:
        campaign: whose networks are used.
        draft_format: name of the format; empty: the campaign's.
        bans: bans a side, for formats that leave it open.

    Returns:
        The kit, and the best strategy that can be made from it.

    Raises:
        ValueError: if the campaign has no predictor or no drafting settings yet.
    """
    import pandas as pd

    from fullpool.cli.project import command_for
    from fullpool.drafting.predictor import load_predictor
    from fullpool.drafting.strategies import DraftKit

    winrate, drafting = _stage(campaign, "winrate"), _stage(campaign, "drafting")
    parameters = dict(drafting.parameters or {})
    folder = next(iter(winrate.latest.values()))
    for name in ("predictor", "heroes.csv"):
        if not (folder / name).exists():
            raise ValueError(
                f"{folder / name} is missing; make the predictor anew: "
                f"rm -r {winrate.folder} && {command_for(campaign, 'winrate')}"
            )
    predictor = load_predictor(folder / "predictor")
    name = draft_format or parameters["drafting.format"]
    if not draft_format and bans is None:
        bans = parameters["drafting.bans"]
    rules = _rules(name, bans, predictor.heroes, predictor.team_size)
    value = _value(drafting, rules, name == parameters["drafting.format"])
    rates = pd.read_csv(folder / "heroes.csv")["win_rate"].to_numpy(float)
    kit = DraftKit(
        rules,
        predictor.predict_owners,
        rates,
        value,
        _search(parameters, "drafting.rollout_search."),
        _search(parameters, "drafting.value_search."),
    )
    return kit, ROLLOUT_STRATEGY if value is None else VALUE_STRATEGY


def _rules(name: str, bans: int | None, heroes: tuple[str, ...], team_size: int) -> DraftRules:
    from fullpool.drafting.formats import load_format
    from fullpool.drafting.state import make_rules

    chosen = load_format(name, bans=bans)
    if chosen.team_size != team_size:
        raise ValueError(
            f"format {name!r} picks {chosen.team_size} heroes a team, the campaign's teams have {team_size}; "
            "choose a format with as many picks"
        )
    return make_rules(chosen, heroes)


def _value(drafting: StageProgress, rules: DraftRules, fits: bool) -> Any:
    """The value network, or None where it was trained for another format or is not trained yet."""
    from fullpool.drafting.value import load_value

    path = drafting.latest["value"] / "value" if "value" in drafting.latest else Path()
    return load_value(path, rules) if fits and (path / "meta.json").is_file() else None


def _search(parameters: dict[str, Any], prefix: str) -> SearchSettings:
    from fullpool.drafting.settings import SearchSettings

    plain = {
        name.removeprefix(prefix): value for name, value in parameters.items() if name.startswith(prefix)
    }
    return SearchSettings.model_validate(plain)


def _stage(campaign: str, stage: str) -> StageProgress:
    from fullpool.cli.project import command_for, stage_folders
    from fullpool.datasets import StageProgressDataset

    folders = {folder.name: folder for folder in stage_folders(campaign)}
    progress = StageProgressDataset(path=str(folders[stage])).load() if stage in folders else None
    if progress is None or (stage == "winrate" and not progress.finished):
        raise ValueError(f"campaign {campaign!r} has not come to its {stage} yet: {command_for(campaign)}")
    return progress
