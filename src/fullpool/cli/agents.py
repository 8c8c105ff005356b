"""Agents by name: a scripted bot, a policy's folder, or `campaign/stage` such as `local/merged`."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

MARK = "policy.json"
"""File that a policy's folder is known by."""


def policy_folder(name: str) -> Path | None:
    """Finds the policy that a name means.

    Args:
        name: a folder, `campaign/stage`, `campaign/stage/part`, or a plain word.

    Returns:
        The policy's folder; None for a plain word, which is a bot's name.

    Raises:
        ValueError: if there is no such folder, campaign, stage or part.
    """
    from fullpool.cli.project import campaigns, find_project
    from fullpool.drafting.formats import closest

    folder = Path(name)
    if (folder / MARK).is_file():
        return folder
    words = name.split("/")
    if len(words) == 1 and not folder.exists():
        return None
    known = campaigns() if find_project() else []
    if words[0] in known and len(words) > 1:
        return _of_campaign(name)
    hint = ""
    if not folder.is_absolute() and len(words) in (2, 3):
        hint = (
            f", and no campaign {words[0]!r} ({closest(words[0], known) if known else 'there is none yet'})"
        )
    raise ValueError(
        f"no policy folder at {name!r}{hint}: expected a folder with {MARK}, or campaign/stage such as local/merged"
    )


def _of_campaign(name: str) -> Path:
    from fullpool.drafting.formats import closest

    campaign, stage, *_ = name.split("/")
    agents = campaign_agents(campaign)
    if name in agents:
        return agents[name]
    parts = [folder for agent, folder in agents.items() if agent.split("/")[1] == stage]
    if len(parts) == 1 and name.count("/") == 1:
        return parts[0]
    known = closest(name, agents) if agents else "it has none yet"
    raise ValueError(f"campaign {campaign!r} has no agent {name!r}; {known}")


def campaign_agents(campaign: str) -> dict[str, Path]:
    """Lists the agents of a campaign: the latest generation of every part that has a policy.

    Args:
        campaign: its name.

    Returns:
        Policy folders by `campaign/stage`, or `campaign/stage/part` where the part has a name of its own.

    Raises:
        ValueError: outside a project, or if there is no such campaign.
    """
    from fullpool.cli.project import stage_folders
    from fullpool.datasets.folder import generation_folder, read_commit

    found = {}
    for folder in stage_folders(campaign):
        commit = read_commit(folder)
        for part, number in commit.latest().items() if commit else ():
            policy = generation_folder(folder, part, number) / "policy"
            own = "" if part == folder.name else f"/{part}"
            if policy.is_dir():
                found[f"{campaign}/{folder.name}{own}"] = policy
    return found


def unknown(name: str, bots: Iterable[str]) -> ValueError:
    """The error about a plain word that is no bot."""
    from fullpool.cli.project import campaigns
    from fullpool.drafting.formats import closest

    if name in campaigns():
        agents = ", ".join(campaign_agents(name)) or "it has none yet"
        return ValueError(f"{name!r} is a campaign; name one of its agents: {agents}")
    known = [*bots, *(f"{campaign}/merged" for campaign in campaigns())]
    return ValueError(
        f"unknown bot {name!r}; {closest(name, known)} Expected a bot, a policy's folder or campaign/stage"
    )
