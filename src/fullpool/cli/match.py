"""`fullpool match A B`: plays two agents against each other and says who is better.

An agent is a scripted bot by its name, a campaign's agent such as `local/merged`, or a policy by its folder.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fullpool.cli.options import AsJson, Seed

if TYPE_CHECKING:
    from fullpool.cli.waiting import Notify
    from fullpool.games.contract import GameSpec, Shorts
    from fullpool.league.evaluation import EvaluationResult
    from fullpool.networks.actor_critic import ActorCritic

app = typer.Typer(add_completion=False)

BATCH_GAMES = 64
"""Matches under way at once: more gains nothing on a few cores."""
MAX_GAMES = 100_000
"""An interval of less than a percent; more only takes time."""
CONFIDENCE = 0.95
PRESET = "blitz"
OPTIONS = ("aim", "image", "overrides")
"""Options of the game that a policy depends on; its other facts, such as the patch, are checked when it is loaded."""
_SHAPE = "expected JSON [[names of team 1, names of team 2], ...] with one line-up or more"


@app.command()
def match(
    agent_a: Annotated[
        str,
        typer.Argument(
            metavar="A",
            help="A bot (noop, random, laner, fighter), a campaign's agent (local/merged, local/teachers/g2), "
            "or a policy's folder.",
        ),
    ],
    agent_b: Annotated[str, typer.Argument(metavar="B", help="Its opponent, named the same ways.")],
    games: Annotated[
        int, typer.Option(min=1, max=MAX_GAMES, help="Matches; each line-up is played from both sides.")
    ] = 200,
    preset: Annotated[
        str,
        typer.Option(
            help="Size of the game: arena, mid3 or blitz.", show_default=f"a policy's own, else {PRESET}"
        ),
    ] = "",
    lineups: Annotated[
        str,
        typer.Option(
            help="'training' (drawn from those that training may draw), 'reserved' (from those that it never draws), "
            "or a JSON file: a list of line-ups, each a pair of lists of hero names."
        ),
    ] = "training",
    seed: Seed = 0,
    aim: Annotated[
        str,
        typer.Option(
            help="How abilities are aimed: 'manual' or 'assist'.", show_default="a policy's own, else manual"
        ),
    ] = "",
    threads: Annotated[int, typer.Option(min=1, max=256, help="Threads that share the matches.")] = 1,
    as_json: AsJson = False,
) -> None:
    """Plays A against B and prints A's win rate with its interval.

    For example: fullpool match local/merged fighter --lineups reserved
    """
    from fullpool.cli.waiting import bar, prepare_game

    played, play = plan_match(
        agent_a, agent_b, games=games, preset=preset, lineups=lineups, seed=seed, aim=aim, threads=threads
    )
    prepare_game()
    with bar(f"{agent_a} v {agent_b}") as notify:
        result = play(notify)
    facts = summary(result, preset=played, seed=seed)
    if as_json:
        typer.echo(json.dumps(facts))
    else:
        _print(facts)


def plan_match(
    agent_a: str, agent_b: str, *, games: int, preset: str, lineups: str, seed: int, aim: str, threads: int
) -> tuple[str, Callable[[Notify], EvaluationResult]]:
    """Checks a pairing before anything is compiled or played.

    Args:
        agent_a: a bot's name, `campaign/stage` or a policy's folder.
        agent_b: its opponent.
        games: matches.
        preset: size of the game; empty: as the policies say, else blitz.
        lineups: `training`, `reserved` or the path of a JSON file `[[names, names], ...]`.
        seed: of line-ups, matches and choices.
        aim: `manual`, `assist`, or empty: as the policies say, else manual.
        threads: threads that share the matches.

    Returns:
        The preset, and what plays the pairing: it tells its argument how much has been played, and returns the result
        from A's side.

    Raises:
        ValueError: if an agent, preset or line-up is unknown, or a policy does not fit the game.
    """
    from fullpool.cli.agents import policy_folder
    from fullpool.games.registry import make_game
    from fullpool.league.evaluation import evaluate
    from fullpool.pipelines.counted import CountedGame

    folders = {name: folder for name in (agent_a, agent_b) if (folder := policy_folder(name)) is not None}
    preset, options = _game(folders, preset, aim)
    spec = make_game("moba", preset, 1, options).spec
    networks = _networks((agent_a, agent_b), folders, spec)
    drawn = load_lineups(lineups, spec, games, seed)

    def play(notify: Notify) -> EvaluationResult:
        counter = _share_counter(games, notify)
        return evaluate(
            lambda num_games: CountedGame(make_game("moba", preset, num_games, options), counter),
            spec,
            [(agent_a, agent_b)],
            networks,
            drawn,
            num_games=games,
            batch_games=min(BATCH_GAMES, games),
            seed=seed,
            confidence=CONFIDENCE,
            num_threads=threads,
        )[0]

    return preset, play


def _share_counter(games: int, notify: Notify) -> Any:
    """A counter of ended matches that tells which share of them has ended."""
    from fullpool.pipelines.counted import MatchCounter

    class ShareCounter(MatchCounter):
        def add(self, number: int) -> None:
            super().add(number)
            notify(self.ended / games)

    return ShareCounter()


def _game(folders: Mapping[str, Path], preset: str, aim: str) -> tuple[str, dict[str, Any]]:
    """Preset and options of the game: those that the first policy was trained with, where none are given."""
    from fullpool.learning.checkpoint import read_meta
    from fullpool.learning.policy import FORMAT

    options: dict[str, Any] = {}
    for folder in list(folders.values())[:1]:
        saved = read_meta(folder, "policy.json", FORMAT)["game"]
        preset = preset or saved["preset"]
        options = {name: saved["options"][name] for name in OPTIONS if name in saved["options"]}
    if aim:
        options["aim"] = aim
    return preset or PRESET, options


def _networks(agents: tuple[str, str], folders: Mapping[str, Path], spec: GameSpec) -> dict[str, ActorCritic]:
    """The policies' networks by the agents' names; other agents must be bots."""
    from fullpool.cli.agents import unknown
    from fullpool.learning.policy import load_policy

    for agent in agents:
        if agent not in folders and agent not in spec.bots:
            raise unknown(agent, spec.bots)
    return {name: load_policy(folder, spec).network for name, folder in folders.items()}


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
    except ValueError as error:
        raise ValueError(f"{source}: {_SHAPE}: {error}") from None
    if not isinstance(rows, list) or not rows:
        raise ValueError(f"{source}: {_SHAPE}, got {_short(rows)}")
    return np.array([_lineup_ids(row, spec, f"{source}, row {i}") for i, row in enumerate(rows)], np.int16)


def _lineup_ids(row: Any, spec: GameSpec, where: str) -> list[list[int]]:
    from fullpool.drafting.formats import closest

    two = f"{where}: expected two teams of {spec.team_size} different heroes"
    if not isinstance(row, list) or len(row) != 2 or not all(isinstance(team, list) for team in row):
        raise ValueError(f"{two}, got {_short(row)}")
    names = [str(name) for team in row for name in team]
    for name in names:
        if name not in spec.heroes:
            raise ValueError(f"{where}: unknown hero {_short(name)}; {closest(name, spec.heroes)}")
    if any(len(team) != spec.team_size for team in row) or len(set(names)) != len(names):
        raise ValueError(f"{two}, got {_short(row)}")
    return [[spec.heroes.index(name) for name in team] for team in row]


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 120 else f"{text[:119]}…"


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
    interval = f"{facts['low']:.3f} to {facts['high']:.3f} ({facts['confidence']:.0%} interval)"
    table.add_row("win rate of the first", f"{facts['win_rate']:.3f}, {interval}")
    for name, value in facts.items():
        if name not in ("a", "b", "win_rate", "low", "high", "confidence"):
            table.add_row(name.replace("_", " "), f"{value:.3f}" if isinstance(value, float) else str(value))
    Console().print(table)
