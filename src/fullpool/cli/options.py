"""Arguments and options that several commands share."""

from __future__ import annotations

from typing import Annotated

import typer

DEFAULT_CAMPAIGN = "local"

Campaign = Annotated[
    str | None,
    typer.Argument(help="Campaign: a folder in data/06_models.", show_default=DEFAULT_CAMPAIGN),
]
CampaignOption = Annotated[str | None, typer.Option("--campaign", help="The same, as an option.")]
AsJson = Annotated[bool, typer.Option("--json", help="Prints JSON; it is the last line.")]
Seed = Annotated[int, typer.Option(min=0, max=2**31 - 1, help="Seed; the same seed gives the same result.")]


def one_campaign(argument: str | None, option: str | None) -> str:
    """Takes the campaign from where it was given.

    Raises:
        ValueError: if it was given twice, and differently.
    """
    if argument and option and argument != option:
        raise ValueError(f"two campaigns are named, {argument!r} and --campaign {option!r}; name one")
    return argument or option or DEFAULT_CAMPAIGN
