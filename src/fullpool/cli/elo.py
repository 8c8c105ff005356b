"""`fullpool elo [CAMPAIGN]`: ratings of all agents of a campaign."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from fullpool.league.game_log import GameLog

app = typer.Typer()


@app.command()
def elo(
    campaign: Annotated[str, typer.Argument(help="Campaign to rate.")] = "local",
    lineups: Annotated[str, typer.Option(help="'all', or a teacher's group: that one's line-ups only.")] = "",
    resamples: Annotated[int, typer.Option(min=1, help="Bootstrap resamples of the intervals.")] = 200,
    confidence: Annotated[float, typer.Option(min=0.5, max=0.999, help="Of the intervals.")] = 0.95,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the bootstrap.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Prints JSON; it is the last line.")] = False,
) -> None:
    """Rates every agent from all recorded games; the no-op bot is 0."""
    rows = rate_campaign(campaign, lineups, num_resamples=resamples, confidence=confidence, seed=seed)
    if as_json:
        typer.echo(json.dumps({"campaign": campaign, "ratings": rows}))
        return
    from rich.console import Console
    from rich.table import Table

    table = Table(
        "line-ups", "agent", "Elo", f"{confidence:.0%} interval", "games", title=f"campaign {campaign}"
    )
    for row in rows:
        interval = f"{row['low']:.0f} to {row['high']:.0f}"
        table.add_row(row["lineup_set"], row["agent"], f"{row['elo']:.0f}", interval, str(row["games"]))
    Console().print(table)


def rate_campaign(
    campaign: str, lineup_set: str, *, num_resamples: int, confidence: float, seed: int
) -> list[dict[str, Any]]:
    """Rates the agents of a campaign.

    Args:
        campaign: its name.
        lineup_set: a set of line-ups; empty: all sets.
        num_resamples: bootstrap resamples.
        confidence: of the intervals.
        seed: of the bootstrap.

    Returns:
        One row an agent and line-up set, the best first.

    Raises:
        ValueError: if there is no such campaign, set, or no recorded game.
    """
    import numpy as np

    from fullpool.league.game_log import ZERO_BOT, rate

    log = load_log(campaign)
    if lineup_set and lineup_set not in log.lineup_sets:
        raise ValueError(f"no games on line-ups {lineup_set!r}; there are: {', '.join(log.lineup_sets)}")
    names = {name for _, *pair in log.counts for name in pair}
    anchors = sorted(name for name in names if "@" not in name and name != ZERO_BOT)
    rows = []
    for chosen in [lineup_set] if lineup_set else log.lineup_sets:
        generator = np.random.default_rng(seed)
        rated = rate(log, chosen, anchors=anchors, generator=generator, num_resamples=num_resamples)
        rows += rated.rows(confidence)
    return rows


def load_log(campaign: str) -> GameLog:
    """Gathers the rating games of a campaign: the evaluation's, which hold the phases' too, or the phases' own.

    Raises:
        ValueError: if there is no such campaign or no stage with games.
    """
    from fullpool.cli.project import stage_folders
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
        raise ValueError(f"campaign {campaign!r} has no rating games yet: run its teachers first")
    return log
