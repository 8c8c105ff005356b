"""`fullpool match A B`: plays two agents against each other and says who is better.

An agent is a scripted bot by its name or a policy by its folder.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from fullpool.games.contract import GameSpec, Shorts
    from fullpool.league.evaluation import EvaluationResult
    from fullpool.networks.actor_critic import ActorCritic

app = typer.Typer()

BATCH_GAMES = 64
"""Matches under way at once: more gains nothing on a few cores."""
CONFIDENCE = 0.95
OPTIONS = ("aim", "image", "overrides")
"""Options of the game that a policy depends on; its other facts, such as the patch, are checked when it is loaded."""


@app.command()
def match(
    agent_a: Annotated[str, typer.Argument(metavar="A", help="A bot's name or a policy's folder.")],
    agent_b: Annotated[str, typer.Argument(metavar="B", help="Its opponent.")],
    games: Annotated[int, typer.Option(min=1, help="Matches; each line-up is played from both sides.")] = 200,
    preset: Annotated[str, typer.Option(help="Size of the game.")] = "blitz",
    lineups: Annotated[
        str, typer.Option(help="'training', 'reserved' or a JSON file of line-ups.")
    ] = "training",
    seed: Annotated[int, typer.Option(min=0, help="Seed of line-ups, matches and choices.")] = 0,
    aim: Annotated[str, typer.Option(help="'manual' or 'assist'; a policy's own if it says so.")] = "",
    threads: Annotated[int, typer.Option(min=1, help="Threads that share the matches.")] = 1,
    as_json: Annotated[bool, typer.Option("--json", help="Prints JSON; it is the last line.")] = False,
) -> None:
    """Plays A against B and prints A's win rate with its interval."""
    result = play_match(
        agent_a, agent_b, games=games, preset=preset, lineups=lineups, seed=seed, aim=aim, threads=threads
    )
    facts = summary(result, preset=preset, seed=seed)
    if as_json:
        typer.echo(json.dumps(facts))
    else:
        _print(facts)


def play_match(
    agent_a: str, agent_b: str, *, games: int, preset: str, lineups: str, seed: int, aim: str, threads: int
) -> EvaluationResult:
    """Plays the pairing.

    Args:
        agent_a: a bot's name or a policy's folder.
        agent_b: its opponent.
        games: matches.
        preset: size of the game.
        lineups: `training`, `reserved` or the path of a JSON file `[[names, names], ...]`.
        seed: of line-ups, matches and choices.
        aim: `manual`, `assist`, or empty: as the policies say, else manual.
        threads: threads that share the matches.

    Returns:
        The result from A's side.

    Raises:
        ValueError: if an agent, preset or line-up is unknown, or a policy does not fit the game.
    """
    from fullpool.games.registry import make_game
    from fullpool.league.evaluation import evaluate

    options = _options((agent_a, agent_b), aim)
    spec = make_game("moba", preset, 1, options).spec
    names, networks = _agents((agent_a, agent_b), spec)
    return evaluate(
        lambda num_games: make_game("moba", preset, num_games, options),
        spec,
        [names],
        networks,
        load_lineups(lineups, spec, games, seed),
        num_games=games,
        batch_games=min(BATCH_GAMES, games),
        seed=seed,
        confidence=CONFIDENCE,
        num_threads=threads,
    )[0]


def _options(agents: tuple[str, ...], aim: str) -> dict[str, Any]:
    """Options of the game: those that the first policy was trained with, and the aim if it is given."""
    from fullpool.learning.checkpoint import read_meta
    from fullpool.learning.policy import FORMAT

    options: dict[str, Any] = {}
    for folder in [Path(agent) for agent in agents if Path(agent).is_dir()][:1]:
        saved = read_meta(folder, "policy.json", FORMAT)["game"]["options"]
        options = {name: saved[name] for name in OPTIONS if name in saved}
    if aim:
        options["aim"] = aim
    return options


def _agents(agents: tuple[str, str], spec: GameSpec) -> tuple[tuple[str, str], dict[str, ActorCritic]]:
    """Names of both agents, different from each other for policies, and the networks by name."""
    from fullpool.games.registry import bot_number
    from fullpool.learning.policy import load_policy

    names: list[str] = []
    networks: dict[str, ActorCritic] = {}
    for agent in agents:
        if agent in spec.bots:
            names.append(agent)
            continue
        folder = Path(agent)
        if not folder.is_dir():
            if folder.exists() or len(folder.parts) > 1:
                raise ValueError(f"no policy folder at {agent!r}: expected a folder with policy.json")
            bot_number(spec, agent)
        networks[str(folder)] = load_policy(folder, spec).network
        names.append(str(folder))
    return (names[0], names[1]), networks


def load_lineups(source: str, spec: GameSpec, games: int, seed: int) -> Shorts:
    """Draws line-ups of a kind, or reads them from a file.

    Args:
        source: `training`, `reserved` or the path of a JSON file `[[names, names], ...]`.
        spec: the game.
        games: matches; a drawn line-up serves two of them.
        seed: of the draw.

    Returns:
        `[L, 2, P]` hero ids.

    Raises:
        ValueError: if the file is missing or a line-up in it is not two teams of different known heroes.
    """
    import numpy as np

    from fullpool.games.lineups import draw_lineup

    if source in ("training", "reserved"):
        generator = np.random.default_rng([seed, 1])
        drawn = [
            draw_lineup(generator, spec.heroes, spec.team_size, reserved=source == "reserved")
            for _ in range((games + 1) // 2)
        ]
        return np.stack(drawn)
    path = Path(source)
    if not path.is_file():
        raise ValueError(f"--lineups must be 'training', 'reserved' or a JSON file, got {source!r}")
    try:
        rows = json.loads(path.read_text("utf-8"))
        teams = [[[str(name) for name in team] for team in row] for row in rows]
    except (ValueError, TypeError) as error:
        raise ValueError(
            f"{source}: expected JSON [[names of team A, names of team B], ...]: {error}"
        ) from None
    return np.array([_lineup_ids(row, spec, f"{source}, row {i}") for i, row in enumerate(teams)], np.int16)


def _lineup_ids(row: list[list[str]], spec: GameSpec, where: str) -> list[list[int]]:
    names = [name for team in row for name in team]
    unknown = [name for name in names if name not in spec.heroes]
    if unknown:
        raise ValueError(f"{where}: unknown hero {unknown[0]!r}; the pool is {list(spec.heroes)}")
    if len(row) != 2 or any(len(team) != spec.team_size for team in row) or len(set(names)) != len(names):
        raise ValueError(f"{where}: expected two teams of {spec.team_size} different heroes, got {row}")
    return [[spec.heroes.index(name) for name in team] for team in row]


def summary(result: EvaluationResult, *, preset: str, seed: int) -> dict[str, Any]:
    """Puts a result into plain data, A's side."""
    low, high = result.interval
    facts = {
        "a": result.agent,
        "b": result.opponent,
        "preset": preset,
        "games": result.num_games,
        "seed": seed,
        "win_rate": result.win_rate,
        "low": low,
        "high": high,
        "confidence": CONFIDENCE,
        "draws": result.draws,
        "mean_decisions": result.mean_decisions,
        "games_per_s": result.games_per_s,
    }
    return facts | {name: value for name, value in result.statistics.items() if name not in facts}


def _print(facts: dict[str, Any]) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table(show_header=False, title=f"{facts['a']} v {facts['b']}")
    for name, value in facts.items():
        if name not in ("a", "b"):
            table.add_row(name.replace("_", " "), f"{value:.3f}" if isinstance(value, float) else str(value))
    Console().print(table)
