"""Who plays whom: matches as a matchmaker hands them out, and records of finished ones."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from fullpool.games.contract import Shorts


@dataclass(frozen=True)
class Learner:
    """Seat of the policy that is being trained."""


@dataclass(frozen=True)
class Snapshot:
    """Seat of a frozen policy, by its name in the population."""

    name: str


@dataclass(frozen=True)
class Bot:
    """Seat of one of the game's scripted bots.

    Attributes:
        name: the bot's.
        imitated: whether the learner learns from what the bot does here.
    """

    name: str
    imitated: bool = False


Seat = Learner | Snapshot | Bot


@dataclass(frozen=True, eq=False)
class Match:
    """One match to be played.

    Attributes:
        lineup: `[2, P]` int16 hero ids.
        seats: who plays each team.
        seed: the game's seed.
        teacher: name of the frozen policy that comments on this match (distillation), or None.
        label: free text that the record carries on, such as the line-up's group.
    """

    lineup: Shorts
    seats: tuple[Seat, Seat]
    seed: int
    teacher: str | None = None
    label: str = ""


@dataclass(frozen=True, eq=False)
class MatchRecord:
    """A finished match.

    Attributes:
        lineup: `[2, P]` int16 hero ids.
        seats: who played each team.
        winner: TEAM_A_WON, TEAM_B_WON or DRAW of the contract.
        decisions: length of the match.
        stats: the game's figures of the match by name.
        label: the match's label.
        returns: `[2, P, K]` undiscounted sum of the rewards.
    """

    lineup: Shorts
    seats: tuple[Seat, Seat]
    winner: int
    decisions: int
    stats: dict[str, Any]
    label: str
    returns: np.ndarray[Any, np.dtype[np.float32]]


MatchFn = Callable[[np.random.Generator], Match | None]
"""A matchmaker: called only when a game is free; None leaves the game idle."""


def seat_to_text(seat: Seat) -> str:
    """Writes a seat as `learner`, `snapshot:NAME`, `bot:NAME` or `imitated:NAME`."""
    if isinstance(seat, Learner):
        return "learner"
    if isinstance(seat, Snapshot):
        return f"snapshot:{seat.name}"
    return f"{'imitated' if seat.imitated else 'bot'}:{seat.name}"


def seat_from_text(text: str) -> Seat:
    """Reads what `seat_to_text` wrote.

    Raises:
        ValueError: if the text names no seat.
    """
    kind, _, name = text.partition(":")
    if text == "learner":
        return Learner()
    if kind == "snapshot" and name:
        return Snapshot(name)
    if kind in ("bot", "imitated") and name:
        return Bot(name, imitated=kind == "imitated")
    raise ValueError(f"a seat is `learner`, `snapshot:NAME`, `bot:NAME` or `imitated:NAME`, got {text!r}")


def match_to_plain(match: Match | None) -> dict[str, Any] | None:
    """Turns a match into JSON data."""
    if match is None:
        return None
    return {
        "lineup": np.asarray(match.lineup).tolist(),
        "seats": [seat_to_text(seat) for seat in match.seats],
        "seed": match.seed,
        "teacher": match.teacher,
        "label": match.label,
    }


def match_from_plain(plain: dict[str, Any] | None) -> Match | None:
    """Reads what `match_to_plain` wrote."""
    if plain is None:
        return None
    first, second = plain["seats"]
    return Match(
        lineup=np.array(plain["lineup"], np.int16),
        seats=(seat_from_text(first), seat_from_text(second)),
        seed=int(plain["seed"]),
        teacher=plain["teacher"],
        label=plain["label"],
    )
