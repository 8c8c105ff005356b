"""`fullpool elo [CAMPAIGN]`: ratings of all agents of a campaign."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fullpool.cli.options import AsJson, Campaign, CampaignOption, one_campaign

if TYPE_CHECKING:
    from fullpool.league.game_log import GameLog

app = typer.Typer(add_completion=False)

AS_EVALUATED = "as the campaign's evaluation"


@app.command()
def elo(
    campaign: Campaign = None,
    named: CampaignOption = None,
    lineups: Annotated[
        str,
        typer.Option(
            help="'all': games on line-ups of the whole pool; a teacher's group such as g1: games on its line-up.",
            show_default="every set, one after another",
        ),
    ] = "",
    resamples: Annotated[
        int | None,
        typer.Option(
            min=1, max=100_000, help="Bootstrap resamples of the intervals.", show_default=AS_EVALUATED
        ),
    ] = None,
    confidence: Annotated[
        float | None, typer.Option(min=0.5, max=0.999, help="Of the intervals.", show_default=AS_EVALUATED)
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(min=0, max=2**31 - 1, help="Seed of the bootstrap.", show_default=AS_EVALUATED),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Rates every agent of a campaign from all its recorded games; the no-op bot is 0.

    An agent such as merged@30 is the state of `merged` after 30 generations; names without @ are scripted bots.
    With the defaults the ratings are those of the evaluation stage.
    """
    chosen = one_campaign(campaign, named)
    given = {"num_resamples": resamples, "confidence": confidence, "seed": seed}
    settings = rating_settings(chosen) | {name: value for name, value in given.items() if value is not None}
    rows = rate_campaign(chosen, lineups, settings)
    if as_json:
        typer.echo(json.dumps({"campaign": chosen, **settings, "ratings": rows}))
        return
    from rich.console import Console
    from rich.table import Table

    title = f"campaign {chosen}"
    table = Table("line-ups", "agent", "Elo", f"{settings['confidence']:.0%} interval", "games", title=title)
    for row in rows:
        interval = f"{row['low']:.0f} to {row['high']:.0f}"
        table.add_row(row["lineup_set"], row["agent"], f"{row['elo']:.0f}", interval, str(row["games"]))
    Console().print(table)


def rating_settings(campaign: str) -> dict[str, Any]:
    """Finds how a campaign's evaluation rates: its own settings, or those of the campaign's environment before it.

    Args:
        campaign: its name.

    Returns:
        `anchors`, `num_resamples`, `confidence` and `seed`.

    Raises:
        ValueError: if there is no such campaign.
    """
    from fullpool.cli.project import environment_of, load_parameters, stage_folders
    from fullpool.datasets.folder import read_commit
    from fullpool.pipelines.parameters import flatten

    names = ("anchors", "num_resamples", "confidence")
    folder = next((f for f in stage_folders(campaign) if f.name == "evaluation"), None)
    commit = read_commit(folder) if folder else None
    if commit is not None:
        saved = commit.parameters
    else:
        parameters = load_parameters(environment_of(campaign), campaign=campaign)
        saved = flatten({name: parameters[name] for name in ("evaluation", "seed")})
    return {name: saved[f"evaluation.{name}"] for name in names} | {"seed": saved["seed"]}


def rate_campaign(campaign: str, lineup_set: str, settings: dict[str, Any]) -> list[dict[str, Any]]:
    """Rates the agents of a campaign.

    Args:
        campaign: its name.
        lineup_set: a set of line-ups; empty: all sets.
        settings: as `rating_settings` finds them.

    Returns:
        One row an agent and line-up set, the best first.

    Raises:
        ValueError: if there is no such campaign, set, or no recorded game.
    """
    from fullpool.league.game_log import rating_rows

    log = load_log(campaign)
    if lineup_set and lineup_set not in log.lineup_sets:
        raise ValueError(f"no games on line-ups {lineup_set!r}; there are: {', '.join(log.lineup_sets)}")
    return rating_rows(log, lineup_sets=[lineup_set] if lineup_set else [], **settings)


def load_log(campaign: str) -> GameLog:
    """Gathers the rating games of a campaign: the evaluation's, which hold the phases' too, or the phases' own.

    Raises:
        ValueError: if there is no such campaign or no stage with games.
    """
    from fullpool.cli.project import command_for, stage_folders
    from fullpool.curriculum.generation import load_games
    from fullpool.datasets import StageProgressDataset
    from fullpool.league.game_log import GameLog

    progress = {
        folder.name: StageProgressDataset(path=str(folder)).load() for folder in stage_folders(campaign)
    }
    log = GameLog()
    phases = ["evaluation"] if "evaluation" in progress else ["teachers", "student", "merged"]
    for stage in (*phases, "baseline"):
        for folder in progress[stage].latest.values() if stage in progress else ():
            log.merge(load_games(folder))
    if not log.counts:
        raise ValueError(f"campaign {campaign!r} has no rating games yet: {command_for(campaign)}")
    return log
