"""The hero pool: `heroes.yaml` read and checked at the door."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from fullpool.games.moba.presets import checked, read_yaml
from fullpool.games.moba.state import MAX_EFFECTS, NUM_SKILLS

KINDS = (
    "dmg dot heal shield stun root slow silence disarm knock hook haste aspd stealth lifesteal taunt shred reflect "
    "unstop invuln cleanse empower griev gapclose zone summon reset drain reveal struct rangeup onhitpct chain "
    "dmgred blink"
).split()
CASTS = "self unit ally line ground dash cone buff gally gground skyline".split()
ROLES = "tank warrior assassin mage marksman support".split()
RECEIVERS = ("enemies", "self", "allies")
TYPES = ("physical", "magic", "pure")
HERO_SCHEMA_VERSION = 1

NotNegative = Annotated[float, Field(ge=0)]


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class EffectData(_Record):
    """One primitive of a skill: kind, receiver and six parameters whose meaning depends on the kind."""

    kind: str
    who: Literal["enemies", "self", "allies"]
    p: Annotated[tuple[float, ...], Field(min_length=6, max_length=6)]
    type: Literal["physical", "magic", "pure"] = "physical"
    follow: bool = False
    drain: float = Field(default=0.0, ge=0, le=2)
    count: int = Field(default=1, ge=1, le=6)
    ap: NotNegative = 0.0

    @model_validator(mode="after")
    def _known(self) -> EffectData:
        if self.kind not in KINDS:
            raise ValueError(f"unknown effect kind {self.kind!r}, expected one of {KINDS}")
        if any(value < 0 for value in self.p) and self.kind != "knock":
            raise ValueError(f"parameters of {self.kind} must not be negative, got {self.p}")
        return self


class SkillData(_Record):
    """One skill: how it is cast, what it costs and what it does."""

    cast: str
    cooldown: float = Field(gt=0, le=300)
    mana: NotNegative
    range: NotNegative
    width: NotNegative
    radius: NotNegative
    delay: NotNegative
    pierce: bool
    effects: Annotated[tuple[EffectData, ...], Field(min_length=1, max_length=MAX_EFFECTS)]

    @model_validator(mode="after")
    def _known(self) -> SkillData:
        if self.cast not in CASTS:
            raise ValueError(f"unknown cast type {self.cast!r}, expected one of {CASTS}")
        return self


class HeroStats(_Record):
    """Statistics at level 1 and their growth a level."""

    hp: float = Field(gt=0)
    hp_level: NotNegative
    ad: NotNegative
    ad_level: NotNegative
    armor: NotNegative
    armor_level: NotNegative
    mr: NotNegative
    mr_level: NotNegative
    interval: float = Field(gt=0, le=10)
    range: float = Field(gt=0, le=20)
    speed: float = Field(gt=0, le=10)
    mana: NotNegative
    mana_level: NotNegative


class ItemData(_Record):
    """One step of a build: its cost and what it adds."""

    cost: float = Field(gt=0)
    hp: NotNegative = 0.0
    mana: NotNegative = 0.0
    ad: NotNegative = 0.0
    ap: NotNegative = 0.0
    armor: NotNegative = 0.0
    mr: NotNegative = 0.0
    aspd: NotNegative = 0.0
    cdr: NotNegative = 0.0
    lifesteal: NotNegative = 0.0
    pen: NotNegative = 0.0


class HeroData(_Record):
    """One hero."""

    name: str = Field(min_length=1)
    role: str
    tag: str
    build: str
    stats: HeroStats
    skills: Annotated[tuple[SkillData, ...], Field(min_length=NUM_SKILLS, max_length=NUM_SKILLS)]


class HeroPool(_Record):
    """The whole pool; a hero's id is its place in it."""

    schema_version: Literal[1]
    patch: str
    roles: tuple[str, ...]
    casts: tuple[str, ...]
    kinds: tuple[str, ...]
    builds: dict[str, Annotated[tuple[ItemData, ...], Field(min_length=6, max_length=6)]]
    heroes: Annotated[tuple[HeroData, ...], Field(min_length=10)]

    @model_validator(mode="after")
    def _consistent(self) -> HeroPool:
        closed = (("roles", self.roles, ROLES), ("casts", self.casts, CASTS), ("kinds", self.kinds, KINDS))
        for name, given, expected in closed:
            if list(given) != expected:
                raise ValueError(f"{name} must be {expected}, in this order, got {list(given)}")
        seen: set[str] = set()
        for hero in self.heroes:
            if hero.name in seen:
                raise ValueError(f"hero {hero.name!r} appears twice")
            seen.add(hero.name)
            if hero.role not in self.roles:
                raise ValueError(
                    f"hero {hero.name!r} has unknown role {hero.role!r}, expected one of {self.roles}"
                )
            if hero.build not in self.builds:
                builds = list(self.builds)
                raise ValueError(
                    f"hero {hero.name!r} has unknown build {hero.build!r}, expected one of {builds}"
                )
        return self

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the heroes by id."""
        return tuple(hero.name for hero in self.heroes)

    @property
    def hero_roles(self) -> tuple[str, ...]:
        """Role of each hero by id."""
        return tuple(hero.role for hero in self.heroes)


def load_heroes(path: Path | None = None) -> HeroPool:
    """Loads and checks a hero file.

    Args:
        path: a YAML file in the package file's format; None: the package's own forty heroes.

    Returns:
        The pool.

    Raises:
        ValueError: if the file breaks a rule; the message names the key and the value.
    """
    file = "heroes.yaml"
    return checked(HeroPool, read_yaml(file, path), str(path or file))
