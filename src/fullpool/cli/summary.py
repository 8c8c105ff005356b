"""`fullpool summary [CAMPAIGN]`: a campaign's stages and their latest figures, and what it came to."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import typer

from fullpool.cli.options import AsJson, Campaign, CampaignOption, one_campaign

if TYPE_CHECKING:
    from fullpool.datasets import StageProgress

app = typer.Typer(add_completion=False)

Figures = Mapping[str, Mapping[str, float]]
"""Latest figures by stage and name."""


@app.command()
def summary(campaign: Campaign = None, named: CampaignOption = None, as_json: AsJson = False) -> None:
    """Prints how far each stage of a campaign has come, its latest figures, and what the campaign came to.

    Elo is 0 for the no-op bot. Numbers in brackets are the ends of an interval, of 95 % unless the settings say
    otherwise. docs/metrics.md tells what figures mean.
    """
    from fullpool.cli.project import stage_folders
    from fullpool.datasets import StageProgressDataset

    chosen = one_campaign(campaign, named)
    stages = [StageProgressDataset(path=str(folder)).load() for folder in stage_folders(chosen)]
    figures = {progress.stage: latest_figures(progress.rows) for progress in stages}
    if as_json:
        typer.echo(json.dumps(_facts(chosen, stages, figures)))
    else:
        _print(chosen, stages, figures)


def latest_figures(rows: tuple[Any, ...]) -> dict[str, float]:
    """Takes each figure's last value."""
    return {name: value for row in rows for name, value in row["values"].items()}


def _facts(campaign: str, stages: list[StageProgress], figures: Figures) -> dict[str, Any]:
    from fullpool.pipelines.headlines import TOY_AGENT_STEPS, agent_steps

    steps = agent_steps(figures)
    return {
        "campaign": campaign,
        "agent_steps": steps,
        "toy_size": steps < TOY_AGENT_STEPS,
        "stages": [
            {"stage": progress.stage, "finished": progress.finished, "figures": figures[progress.stage]}
            for progress in stages
        ],
    }


def _print(campaign: str, stages: list[StageProgress], figures: Figures) -> None:
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    from fullpool.pipelines.headlines import agent_steps, by_group, headline, results, size_note
    from fullpool.pipelines.progress import STEPS

    table = Table("stage", "state", "step", "latest figures", title=f"campaign {campaign}")
    for progress in stages:
        state = "finished" if progress.finished else "under way"
        last = progress.rows[-1]["step"] if progress.rows else "-"
        for group, values in by_group(figures[progress.stage]).items():
            shown = "  ".join(f"{name} {value:.4g}" for name, value in headline(values).items())
            step = f"{values[STEPS]:.0f}" if group else str(last)
            table.add_row(f"{progress.stage} {group}".strip(), state, step, shown)
    console = Console()
    console.print(table)
    note = size_note(agent_steps(figures))
    lines = results(figures)
    if lines:
        found = Table(title="results, with their intervals", show_header=False, caption=note)
        for line in lines:
            found.add_row(line.subject, escape(line.text))
        console.print(found)
    elif note:
        console.print(note)
    console.print("Compare runs and see their curves: make ui")
