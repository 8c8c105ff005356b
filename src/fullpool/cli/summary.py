"""`fullpool summary`: a campaign's stages and their latest figures, as a short table."""

from __future__ import annotations

from typing import Annotated, Any

import typer

app = typer.Typer()


@app.command()
def summary(
    campaign: Annotated[str, typer.Option(help="Campaign to show.")] = "local",
) -> None:
    """Prints how far each stage of a campaign has come, its latest figures, and what the campaign came to."""
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    from fullpool.cli.project import stage_folders
    from fullpool.datasets import StageProgressDataset
    from fullpool.pipelines.headlines import headline, results

    table = Table("stage", "state", "step", "latest figures", title=f"campaign {campaign}")
    figures: dict[str, dict[str, float]] = {}
    for folder in stage_folders(campaign):
        progress = StageProgressDataset(path=str(folder)).load()
        latest = figures[progress.stage] = latest_figures(progress.rows)
        shown = "  ".join(f"{name} {value:.4g}" for name, value in headline(latest).items())
        step = str(progress.rows[-1]["step"]) if progress.rows else "-"
        table.add_row(progress.stage, "finished" if progress.finished else "under way", step, shown)
    console = Console()
    console.print(table)
    lines = results(figures)
    if lines:
        found = Table(title="results, with their intervals", show_header=False)
        for line in lines:
            found.add_row(line.subject, escape(line.text))
        console.print(found)
    console.print("Compare runs and see their curves: make ui")


def latest_figures(rows: tuple[Any, ...]) -> dict[str, float]:
    """Takes each figure's last value."""
    return {name: value for row in rows for name, value in row["values"].items()}
