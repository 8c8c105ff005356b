"""The line-up stage: match records in, even fixed line-ups for the teachers out.

Ye et al. 2020, section 3.2 ("Multi-teacher"): the pool is split into groups, each group into two teams that
win about half of their matches against each other. Here the split is searched with a model of the records and
confirmed by games.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fullpool.curriculum.lineup_model import LineupModel, fit_pair_model
from fullpool.curriculum.lineup_search import SearchRules, doubled_roles, search_partition, splits
from fullpool.curriculum.settings import LineupSettings
from fullpool.games.contract import GameSpec, Shorts
from fullpool.games.lineups import draw_lineup
from fullpool.league.play import GameFn, MatchList, play_matches
from fullpool.learning.damage import Damaged
from fullpool.numerics.intervals import Doubles, wilson_interval

PlayFn = Callable[[Shorts, int], Doubles]
"""Plays one match on each of `[n, 2, P]` line-ups from a seed; returns the first team's scores `[n]`."""


@dataclass(frozen=True)
class GroupLineup:
    """A teacher's fixed line-up and what speaks for it.

    Attributes:
        name: `g1`, `g2`, ...
        lineup: hero ids of both teams.
        heroes: hero names of both teams.
        guests: names of those that fill up the group and also stand in another.
        predicted: the model's probability that the first team wins.
        win_rate: the first team's share of the confirming matches, a draw as half.
        interval: Wilson interval of `win_rate`.
        games: confirming matches.
        doubled_roles: heroes whose role their team already had.
    """

    name: str
    lineup: tuple[tuple[int, ...], tuple[int, ...]]
    heroes: tuple[tuple[str, ...], tuple[str, ...]]
    guests: tuple[str, ...]
    predicted: float
    win_rate: float
    interval: tuple[float, float]
    games: int
    doubled_roles: int

    @property
    def array(self) -> Shorts:
        """The line-up as `[2, P]` hero ids."""
        return np.asarray(self.lineup, np.int16)


@dataclass(frozen=True)
class LineupPlan:
    """Result of the line-up stage.

    Attributes:
        groups: one line-up a teacher.
        num_records: match records that the model was fitted on.
        generated: whether bots played them.
        num_games: matches played to choose and confirm.
    """

    groups: tuple[GroupLineup, ...]
    num_records: int
    generated: bool
    num_games: int

    def save(self, folder: Path) -> None:
        """Writes the plan into an existing folder."""
        (folder / "lineups.json").write_text(json.dumps(asdict(self), indent=1), encoding="utf-8")

    def rows(self) -> list[dict[str, Any]]:
        """One flat row a group, for tables."""
        return [
            {
                "group": group.name,
                "team_a": ", ".join(group.heroes[0]),
                "team_b": ", ".join(group.heroes[1]),
                "guests": ", ".join(group.guests),
                "predicted": group.predicted,
                "win_rate": group.win_rate,
                "low": group.interval[0],
                "high": group.interval[1],
                "games": group.games,
                "doubled_roles": group.doubled_roles,
            }
            for group in self.groups
        ]


def load_plan(folder: Path, spec: GameSpec) -> LineupPlan:
    """Reads what `LineupPlan.save` wrote.

    Args:
        folder: as it was saved to.
        spec: the game at hand.

    Returns:
        The plan.

    Raises:
        ValueError: in one line, if it is missing, damaged or of another pool.
    """
    path = folder / "lineups.json"
    try:
        plain = json.loads(path.read_text(encoding="utf-8"))
        groups = [_read_group(group) for group in plain.pop("groups")]
        plan = LineupPlan(groups=tuple(groups), **plain)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise Damaged(
            path, f"{path} cannot be read as line-ups ({error}); restore it or search them anew"
        ) from None
    for group in plan.groups:
        for ids, names in zip(group.lineup, group.heroes, strict=True):
            if tuple(spec.heroes[i] if 0 <= i < len(spec.heroes) else None for i in ids) != names:
                raise ValueError(
                    f"{path}: group {group.name} holds {list(names)}, which this pool of {len(spec.heroes)} heroes "
                    "numbers differently; search line-ups for this pool"
                )
    return plan


def _read_group(plain: dict[str, Any]) -> GroupLineup:
    first, second = (tuple(int(hero) for hero in team) for team in plain["lineup"])
    names_a, names_b = (tuple(str(name) for name in team) for team in plain["heroes"])
    low, high = plain["interval"]
    changed = {"lineup": (first, second), "heroes": (names_a, names_b), "interval": (low, high)}
    return GroupLineup(**(plain | changed | {"guests": tuple(plain["guests"])}))


def bot_play(game_fn: GameFn, bot: str, *, batch_games: int, num_threads: int = 1) -> PlayFn:
    """Makes a play function in which one scripted bot plays both seats.

    Args:
        game_fn: makes the games.
        bot: its name.
        batch_games: matches under way at once, over all threads.
        num_threads: threads that share them.

    Returns:
        The function.
    """

    def play(lineups: Shorts, seed: int) -> Doubles:
        generator = np.random.default_rng(seed)
        seeds = generator.integers(0, 2**63, len(lineups), dtype=np.uint64)
        # Bots may be deterministic: on one line-up with fixed places every match would be the same (seen: thousands
        # of matches, all with one result). Shuffled places of a team's heroes make them differ.
        shuffled = generator.permuted(lineups, axis=2).astype(np.int16)
        matches = MatchList(shuffled, [(bot, bot)] * len(lineups), seeds)
        results = play_matches(
            game_fn, matches, {}, batch_games=batch_games, seed=seed, num_threads=num_threads
        )
        return results.scores

    return play


def plan_lineups(
    spec: GameSpec,
    settings: LineupSettings,
    play: PlayFn,
    *,
    seed: int,
    records: tuple[Shorts, NDArray[Any]] | None = None,
    model: LineupModel | None = None,
    pool: Sequence[int] | None = None,
) -> LineupPlan:
    """Chooses the teachers' line-ups.

    Args:
        spec: the game.
        settings: of this stage.
        play: plays matches between equal bots.
        seed: decides everything that is drawn here.
        records: line-ups `[n, 2, P]` and first team's scores `[n]`; None: bots play `num_matches`.
        model: predicts a line-up's evenness; None: fitted on the records.
        pool: hero ids to divide; None: all.

    Returns:
        The groups with their confirmed win rates.

    Raises:
        ValueError: if records are wrong, the pool is too small, or no allowed line-up was found.
    """
    ids = list(range(len(spec.heroes))) if pool is None else list(pool)
    generator = np.random.default_rng(np.random.SeedSequence([seed, 1]))
    generated = records is None and model is None
    if generated:
        records = _generate(spec, settings, play, generator, ids)
    if model is None:
        assert records is not None
        model = fit_pair_model(*records, len(spec.heroes), regularization=settings.regularization)
    rules = SearchRules(spec.heroes, spec.roles, model, settings.role_weight)
    partition = search_partition(
        rules,
        ids,
        spec.team_size,
        generator=generator,
        num_restarts=settings.search_restarts,
        num_steps=settings.search_steps,
    )
    groups, num_games = [], 0
    for index, group in enumerate(partition.groups):
        candidates, _ = splits(group, rules, settings.candidates)
        lineup, halving_games = _halve(candidates, settings, play, generator)
        guests = [int(hero) for hero in np.sort(group[partition.guests[index]])]
        scores = _play_both_sides(lineup, settings.confirm_games, play, generator)
        groups.append(_describe(f"g{index + 1}", lineup, guests, scores, rules, settings))
        num_games += halving_games + settings.confirm_games
    return LineupPlan(tuple(groups), 0 if records is None else len(records[0]), generated, num_games)


def planned_matches(spec: GameSpec, settings: LineupSettings, *, generated: bool) -> int:
    """Counts the matches of the stage; fewer are played if a group has fewer splits than candidates.

    Args:
        spec: the game.
        settings: of this stage.
        generated: whether bots play the records.

    Returns:
        Matches at most.
    """
    left, games, halving = settings.candidates, settings.halving_games, 0
    while left > 1:
        halving += left * games
        left, games = (left + 1) // 2, 2 * games
    own = settings.num_matches if generated else 0
    return own + num_groups(spec) * (halving + settings.confirm_games)


def num_groups(spec: GameSpec) -> int:
    """Counts the groups, and teachers, that the pool of a game makes."""
    return -(-len(spec.heroes) // (2 * spec.team_size))


def _generate(
    spec: GameSpec,
    settings: LineupSettings,
    play: PlayFn,
    generator: np.random.Generator,
    pool: Sequence[int],
) -> tuple[Shorts, Doubles]:
    if settings.num_matches == 0:
        raise ValueError(
            "no match records are given and lineups.num_matches is 0; name a table in records.path, or let bots play"
        )
    drawn = [
        draw_lineup(generator, spec.heroes, spec.team_size, reserved=False, pool=pool)
        for _ in range(settings.num_matches)
    ]
    lineups = np.stack(drawn)
    return lineups, play(lineups, _draw_seed(generator))


def _draw_seed(generator: np.random.Generator) -> int:
    return int(generator.integers(0, 2**62))


def _play_both_sides(lineup: Shorts, num_games: int, play: PlayFn, generator: np.random.Generator) -> Doubles:
    lineups = np.repeat(lineup[None], num_games, axis=0)
    swapped = np.arange(num_games) % 2 == 1
    lineups[swapped] = lineups[swapped][:, ::-1]
    scores = play(lineups, _draw_seed(generator))
    return np.where(swapped, 1.0 - scores, scores)


def _halve(
    candidates: Shorts, settings: LineupSettings, play: PlayFn, generator: np.random.Generator
) -> tuple[Shorts, int]:
    """Plays all, keeps the more even half, plays those longer (Jamieson and Talwalkar 2016)."""
    left, games = candidates, settings.halving_games
    points, played, total = np.zeros(len(left)), 0, 0
    while len(left) > 1:
        points = points + [_play_both_sides(lineup, games, play, generator).sum() for lineup in left]
        played += games
        total += games * len(left)
        order = np.argsort(np.abs(points / played - 0.5), kind="stable")[: (len(left) + 1) // 2]
        left, points, games = left[order], points[order], 2 * games
    return left[0], total


def _describe(
    name: str,
    lineup: Shorts,
    guests: Sequence[int],
    scores: Doubles,
    rules: SearchRules,
    settings: LineupSettings,
) -> GroupLineup:
    first, second = (tuple(int(hero) for hero in team) for team in lineup)
    points = float(scores.sum())
    return GroupLineup(
        name=name,
        lineup=(first, second),
        heroes=(tuple(rules.heroes[i] for i in first), tuple(rules.heroes[i] for i in second)),
        guests=tuple(rules.heroes[i] for i in guests),
        predicted=float(rules.model(lineup[None])[0]),
        win_rate=points / len(scores),
        interval=wilson_interval(points, len(scores), settings.confidence),
        games=len(scores),
        doubled_roles=int(doubled_roles(lineup[None], rules.roles)[0]),
    )
