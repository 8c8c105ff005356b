"""The evaluation stage: every agent of a run measured by games, as tables.

All pairings but one kind are played on reserved line-ups, which no training has seen; there a teacher controls heroes
that it never trained with. The exception is the student against each teacher on that teacher's own line-up.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from fullpool.curriculum.generation import load_games
from fullpool.games.contract import GameSpec, Shorts
from fullpool.league.evaluation import EvaluationResult, evaluate, reserved_lineups
from fullpool.league.game_log import ALL_LINEUPS, ZERO_BOT, GameLog, rating_rows
from fullpool.league.payoff import payoff_matrix
from fullpool.league.play import GameFn
from fullpool.league.seeds import derive_seed
from fullpool.league.settings import EvaluationSettings
from fullpool.learning.damage import Damaged
from fullpool.networks.actor_critic import ActorCritic

if TYPE_CHECKING:
    import pandas as pd

TABLES = ("pairings", "ratings", "payoff", "minimum", "heroes", "lineups")


@dataclass(frozen=True, eq=False)
class Contestants:
    """Who takes part.

    Attributes:
        final: name of the run's final agent.
        networks: all agents by name.
        student: name of the distilled agent, or None.
        teachers: names of the teachers by their group.
        lineups: `[2, P]` fixed line-up of every group.
    """

    final: str
    networks: Mapping[str, ActorCritic]
    student: str | None
    teachers: Mapping[str, str]
    lineups: Mapping[str, Shorts]

    def __post_init__(self) -> None:
        """Refuses names without a network and teachers without a line-up."""
        named = [self.final, *([self.student] if self.student else []), *self.teachers.values()]
        missing = [name for name in named if name not in self.networks]
        if missing:
            raise ValueError(f"no network for agent {missing[0]!r}; there are {sorted(self.networks)}")
        without = [group for group in self.teachers if group not in self.lineups]
        if without:
            raise ValueError(f"no line-up for group {without[0]!r}; there are {sorted(self.lineups)}")


def load_table(folder: Path) -> LeagueTable:
    """Reads what `LeagueTable.save` wrote.

    Raises:
        Damaged: if a table is missing or unreadable.
    """
    import pandas as pd

    try:
        tables = {name: pd.read_csv(folder / f"{name}.csv") for name in TABLES}
        return LeagueTable(**tables, log=load_games(folder))
    except (OSError, pd.errors.ParserError, pd.errors.EmptyDataError) as error:
        raise Damaged(folder, f"{folder} cannot be read as an evaluation ({error}); restore it") from None


@dataclass(frozen=True, eq=False)
class LeagueTable:
    """Tables of an evaluation.

    Attributes:
        pairings: one row a pairing: win rate, draws, interval, length, the game's figures.
        ratings: one row an agent and line-up set: Elo with its bootstrap interval.
        payoff: one row an ordered pair that met on reserved line-ups.
        minimum: one row an agent: its lowest win rate and against whom.
        heroes: one row a hero: the final agent's win rate with it, over all its pairings.
        lineups: one row a pairing and line-up.
        log: all games that the ratings rest on.
    """

    pairings: pd.DataFrame
    ratings: pd.DataFrame
    payoff: pd.DataFrame
    minimum: pd.DataFrame
    heroes: pd.DataFrame
    lineups: pd.DataFrame
    log: GameLog

    def save(self, folder: Path) -> None:
        """Writes every table as CSV and the games as JSON into an existing folder."""
        for name in TABLES:
            getattr(self, name).to_csv(folder / f"{name}.csv", index=False)
        (folder / "games.json").write_text(json.dumps(self.log.to_rows()), encoding="utf-8")

    def win_rate(self, agent: str, opponent: str, lineup_set: str = ALL_LINEUPS) -> float:
        """Win rate of one pairing.

        Raises:
            ValueError: if it was not played.
        """
        table = self.pairings
        chosen = table[
            (table["agent"] == agent) & (table["opponent"] == opponent) & (table["lineup_set"] == lineup_set)
        ]
        if chosen.empty:
            raise ValueError(f"{agent!r} did not meet {opponent!r} on line-up set {lineup_set!r}")
        return float(chosen["win_rate"].iloc[0])


def evaluate_run(
    game_fn: GameFn,
    spec: GameSpec,
    contestants: Contestants,
    settings: EvaluationSettings,
    *,
    seed: int,
    logs: Sequence[GameLog] = (),
    num_threads: int = 1,
) -> LeagueTable:
    """Plays and rates all agents of a run.

    Args:
        game_fn: makes the games.
        spec: the game.
        contestants: who takes part.
        settings: how much is played.
        seed: of the run.
        logs: games of the phases, rated along.
        num_threads: threads that play.

    Returns:
        The tables.
    """
    results: list[EvaluationResult] = []
    reserved = reserved_lineups(spec, settings.num_lineups, seed)

    def play(pairs: list[tuple[str, str]], lineup_set: str, lineups: Shorts, num_games: int) -> None:
        if pairs:
            results.extend(
                evaluate(
                    game_fn,
                    spec,
                    pairs,
                    contestants.networks,
                    lineups,
                    num_games=num_games,
                    batch_games=settings.batch_games,
                    seed=derive_seed(seed, lineup_set),
                    confidence=settings.confidence,
                    lineup_set=lineup_set,
                    num_threads=num_threads,
                )
            )

    main, side = _pairings(contestants, settings.anchors)
    play(main, ALL_LINEUPS, reserved, settings.num_games)
    play(side, ALL_LINEUPS, reserved, settings.side_games)
    if contestants.student is not None:
        for group, teacher in contestants.teachers.items():
            own = np.asarray(contestants.lineups[group])[None]
            pairs = [(contestants.student, teacher), (contestants.student, ZERO_BOT), (teacher, ZERO_BOT)]
            play(pairs[:1], group, own, settings.num_games)
            play(pairs[1:], group, own, settings.side_games)
    log = GameLog()
    for games in logs:
        log.merge(games)
    for result in results:
        result.add_to(log)
    return _tables(contestants, settings, results, log, seed)


def planned_matches(num_others: int, num_teachers: int, settings: EvaluationSettings) -> int:
    """Counts the matches of an evaluation.

    Args:
        num_others: agents beside the final one, student and teachers among them.
        num_teachers: teachers whom the student meets on their own line-ups.
        settings: how much is played.

    Returns:
        Matches in all.
    """
    anchors = len({ZERO_BOT, *settings.anchors})
    main = anchors + num_others + num_teachers
    side = num_others * anchors + anchors * (anchors - 1) // 2 + 2 * num_teachers
    return main * settings.num_games + side * settings.side_games


def _pairings(
    contestants: Contestants, anchors: Sequence[str]
) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """The final agent against everybody; the others against anchors; anchors against one another."""
    every_anchor = list(dict.fromkeys((ZERO_BOT, *anchors)))
    others = [name for name in contestants.networks if name != contestants.final]
    main = [(contestants.final, name) for name in (*every_anchor, *others)]
    side = [(name, anchor) for name in others for anchor in every_anchor]
    return main, side + list(combinations(every_anchor, 2))


def _tables(
    contestants: Contestants,
    settings: EvaluationSettings,
    results: Sequence[EvaluationResult],
    log: GameLog,
    seed: int,
) -> LeagueTable:
    import pandas as pd

    ratings = rating_rows(
        log,
        anchors=settings.anchors,
        seed=seed,
        num_resamples=settings.num_resamples,
        confidence=settings.confidence,
    )
    own = GameLog()
    for result in results:
        result.add_to(own)
    payoff = payoff_matrix(own, ALL_LINEUPS)
    minimum = []
    for name in contestants.networks:
        lowest, opponent = payoff.minimum(name)
        minimum.append({"agent": name, "minimum_win_rate": lowest, "opponent": opponent})
    lineups = [
        {"agent": r.agent, "opponent": r.opponent, "lineup_set": r.lineup_set, "lineup": index}
        | {"win_rate": win_rate, "games": games}
        for r in results
        for index, (win_rate, games) in enumerate(r.by_lineup)
    ]
    return LeagueTable(
        pairings=pd.DataFrame([result.row() for result in results]),
        ratings=pd.DataFrame(ratings),
        payoff=pd.DataFrame(payoff.rows(settings.confidence)),
        minimum=pd.DataFrame(minimum),
        heroes=pd.DataFrame(_hero_rows(contestants.final, results)),
        lineups=pd.DataFrame(lineups),
        log=log,
    )


def _hero_rows(final: str, results: Sequence[EvaluationResult]) -> list[dict[str, Any]]:
    points: dict[str, float] = {}
    games: dict[str, int] = {}
    for result in results:
        if result.agent == final and result.lineup_set == ALL_LINEUPS:
            for hero, (win_rate, played) in result.by_hero.items():
                points[hero] = points.get(hero, 0.0) + win_rate * played
                games[hero] = games.get(hero, 0) + played
    return [
        {"hero": hero, "win_rate": points[hero] / games[hero], "games": games[hero]} for hero in sorted(games)
    ]
