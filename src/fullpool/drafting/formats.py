"""Draft formats as data: who picks or bans when.

Formats ship in `data/formats.yaml`; a user adds more in a YAML file of the same shape. Team 0 is always the first
team to act ("F" in the file), team 1 the second ("S"). Captain's Mode of an older patch is a format of its own.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Literal, NamedTuple, Self

import yaml
from pydantic import Field, model_validator

from fullpool.strict import Settings

MAX_REPEATS = 20


class Step(NamedTuple):
    """One step of a draft: which team acts (0 is the first to act) and whether it picks or bans."""

    team: Literal[0, 1]
    action: Literal["pick", "ban"]


class DraftFormat(Settings):
    """A sequence of picks and bans.

    Attributes:
        name: name under which it is loaded.
        steps: the steps in order.
    """

    name: Annotated[str, Field(min_length=1)]
    steps: Annotated[tuple[Step, ...], Field(min_length=2)]

    @model_validator(mode="after")
    def _same_picks(self) -> Self:
        picks = [sum(s.team == team and s.action == "pick" for s in self.steps) for team in (0, 1)]
        if picks[0] != picks[1] or picks[0] == 0:
            raise ValueError(
                f"format {self.name!r}: both teams must pick the same number of heroes, at least one; "
                f"the first team picks {picks[0]}, the second {picks[1]}"
            )
        return self

    @property
    def team_size(self) -> int:
        """Heroes that each team picks, P."""
        return sum(step.team == 0 and step.action == "pick" for step in self.steps)

    @property
    def num_bans(self) -> int:
        """Bans of both teams together."""
        return sum(step.action == "ban" for step in self.steps)

    def check_pool(self, pool_size: int) -> None:
        """Refuses a pool that is too small for one draft.

        Raises:
            ValueError: if the draft takes more heroes than the pool holds.
        """
        if len(self.steps) > pool_size:
            raise ValueError(
                f"format {self.name!r} takes {len(self.steps)} heroes ({2 * self.team_size} picks, "
                f"{self.num_bans} bans), the pool holds {pool_size}; choose a shorter format or a bigger pool"
            )


def closest(name: str, known: Iterable[str]) -> str:
    """Ends an error line about an unknown name: the closest known ones, or all if none is close."""
    names = sorted(known)
    close = difflib.get_close_matches(name, names, n=3, cutoff=0.6)
    return f"did you mean {' or '.join(repr(c) for c in close)}?" if close else f"known: {', '.join(names)}"


def parse_steps(text: str, *, bans: int | None = None) -> tuple[Step, ...]:
    """Reads steps such as `(Fb Sb)x3 | Fp Sp Sp Fp`.

    Args:
        text: blank-separated steps; `( ... )xN` repeats N times, `xk` repeats `bans` times, `|` is ignored.
        bans: bans a side, for formats that leave it open.

    Returns:
        The steps in order.

    Raises:
        ValueError: if the text is not understood or its number of bans is missing or not asked for.
    """
    open_bans = ")xk" in text.replace(" ", "")
    if open_bans and bans is None:
        raise ValueError(f"the format leaves the bans a side open ({text!r}); give bans=...")
    if not open_bans and bans is not None:
        raise ValueError(f"bans={bans} was given, but the format fixes its own bans ({text!r}); leave it out")
    if bans is not None and not 0 <= bans <= MAX_REPEATS:
        raise ValueError(f"bans a side must lie in [0, {MAX_REPEATS}], got {bans}")

    def repeat(match: re.Match[str]) -> str:
        times = bans if match[2] == "k" else int(match[2])
        if times is None or times > MAX_REPEATS:
            raise ValueError(f"at most {MAX_REPEATS} repeats, got {match[0]!r}")
        return f" {match[1]} " * times

    flat = re.sub(r"\(([^()]*)\)\s*x\s*(\d+|k)", repeat, text)
    steps = []
    for token in flat.replace("|", " ").split():
        if not re.fullmatch("[FS][pb]", token):
            raise ValueError(f"a step must be one of Fp, Sp, Fb, Sb, got {token!r} in {text!r}")
        steps.append(Step(0 if token[0] == "F" else 1, "pick" if token[1] == "p" else "ban"))
    return tuple(steps)


def _read_formats(extra: Path | None) -> dict[str, str]:
    texts = [
        ("the shipped formats", files("fullpool.drafting").joinpath("data/formats.yaml").read_text("utf-8"))
    ]
    if extra is not None:
        texts.append((str(extra), extra.read_text("utf-8")))
    found: dict[str, str] = {}
    for where, text in texts:
        table = yaml.safe_load(text)
        if not isinstance(table, dict):
            raise ValueError(f"{where}: expected a mapping of format names, got {type(table).__name__}")
        for name, entry in table.items():
            if not isinstance(entry, dict) or not isinstance(entry.get("steps"), str):
                raise ValueError(f"{where}: format {name!r} must be a mapping with a text 'steps'")
            unknown = set(entry) - {"description", "steps"}
            if unknown:
                raise ValueError(
                    f"{where}: format {name!r} has unknown keys {sorted(unknown)}; allowed: description, steps"
                )
            found[str(name)] = entry["steps"]
    return found


def format_names(extra: Path | None = None) -> Sequence[str]:
    """Names of the shipped formats and of those in the user's file."""
    return sorted(_read_formats(extra))


def load_format(name: str, *, bans: int | None = None, extra: Path | None = None) -> DraftFormat:
    """Loads a format by its name.

    Args:
        name: such as `juewu` or `dota2_cm_7.40`.
        bans: bans a side, for `hok_ranked` and other formats that leave it open.
        extra: YAML file with the user's own formats; they win over shipped ones of the same name.

    Returns:
        The format.

    Raises:
        ValueError: if the name is unknown (with close matches) or the format is not well formed.
    """
    texts = _read_formats(extra)
    if name not in texts:
        raise ValueError(f"no draft format {name!r}; {closest(name, texts)}")
    return DraftFormat(name=name, steps=parse_steps(texts[name], bans=bans))
