"""The presets: every number of a size of the game, read from `presets.yaml` and checked at the door."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from fullpool.games.moba.state import NUM_LANES, NUM_SKILLS

_Settings = TypeVar("_Settings", bound=BaseModel)

LANES = ("top", "mid", "bottom")
SCHEMA_VERSION = 1

Positive = Annotated[float, Field(gt=0)]
NotNegative = Annotated[float, Field(ge=0)]
Share = Annotated[float, Field(ge=0, le=1)]
Count = Annotated[int, Field(ge=0)]
PerTier = Annotated[tuple[Positive, ...], Field(min_length=3, max_length=3)]
PerMinion = Annotated[tuple[NotNegative, ...], Field(min_length=5, max_length=5)]


class Preset(BaseModel):
    """All numbers of one size of the game; `presets.yaml` explains them and holds the values."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    map_half: float = Field(gt=4, le=40)
    map_scale: float = Field(gt=0, le=1)
    lanes: tuple[Literal["top", "mid", "bottom"], ...]
    turret_tiers: tuple[Literal[0, 1, 2], ...]
    single_tier: bool
    respawns: bool
    camps: bool
    wards: bool
    cap: int = Field(gt=0, le=100_000)
    start_level: int = Field(ge=1, le=12)
    start_items: int = Field(ge=0, le=6)
    start_gold: NotNegative
    sudden_from: Share
    sudden_step_s: Positive
    sudden_drop: Share
    turret_hp: PerTier
    turret_damage: PerTier
    turret_damage_minute: NotNegative
    turret_range: Positive
    turret_interval_s: Positive
    turret_armor: NotNegative
    turret_ramp: NotNegative
    turret_ramp_max: NotNegative
    turret_aggro_s: NotNegative
    turret_first_gold: NotNegative
    crystal_hp: Positive
    crystal_damage: NotNegative
    crystal_range: Positive
    grace_s: NotNegative
    grace_factor: Share
    backdoor_radius: NotNegative
    backdoor_factor: Share
    minion_structure: NotNegative
    wave_first_s: NotNegative
    wave_every_s: Positive
    wave_melee: int = Field(ge=0, le=6)
    wave_ranged: int = Field(ge=0, le=6)
    wave_siege_every: int = Field(ge=1)
    minion_hp: PerMinion
    minion_hp_minute: PerMinion
    minion_damage: PerMinion
    minion_range: PerMinion
    minion_siege_factor: PerMinion
    minion_gold: PerMinion
    minion_xp: PerMinion
    minion_speed: Positive
    minion_interval_s: Positive
    minion_sight: Positive
    minion_call: NotNegative
    minion_call_s: NotNegative
    level_xp: Annotated[tuple[NotNegative, ...], Field(min_length=12, max_length=12)]
    skill_levels: Annotated[tuple[Count, ...], Field(min_length=NUM_SKILLS, max_length=NUM_SKILLS)]
    passive_gold: NotNegative
    kill_gold: NotNegative
    kill_streak: NotNegative
    kill_death_streak: Share
    kill_gold_min: NotNegative
    assist_gold: NotNegative
    kill_xp: NotNegative
    kill_xp_level: NotNegative
    kill_xp_share: Share
    kill_xp_radius: NotNegative
    assist_s: NotNegative
    last_hit_share: Share
    last_hit_radius: NotNegative
    xp_radius: NotNegative
    xp_shared: Positive
    hp_regen: Share
    hp_regen_delay_s: NotNegative
    mana_regen: Share
    fountain_radius: NotNegative
    fountain_heal: Share
    fountain_damage: NotNegative
    recall_s: Positive
    respawn_base: NotNegative
    respawn_level: NotNegative
    respawn_minute: NotNegative
    cdr_cap: float = Field(ge=0, lt=1)
    aspd_level: NotNegative
    skill_lifesteal: Share
    heal_share: Share
    heal_radius: NotNegative
    heal_haste: NotNegative
    heal_haste_s: NotNegative
    heal_cooldown_s: NotNegative
    heal_repeat_s: NotNegative
    heal_repeat_factor: Share
    hook_distance: NotNegative
    hook_air_s: NotNegative
    sight_hero: Positive
    sight_minion: Positive
    sight_turret: Positive
    sight_crystal: Positive
    sight_ward: Positive
    sight_summon: Positive
    near: NotNegative
    exposed_s: NotNegative
    ward_s: NotNegative
    first_sight_s: NotNegative

    @model_validator(mode="after")
    def _consistent(self) -> Preset:
        if list(self.level_xp) != sorted(self.level_xp) or self.level_xp[0] != 0:
            raise ValueError(f"level_xp must rise from 0, got {self.level_xp}")
        if self.single_tier and len(self.turret_tiers) > 1:
            raise ValueError(f"single_tier allows one turret tier, got {self.turret_tiers}")
        if bool(self.turret_tiers) != bool(self.lanes):
            raise ValueError(
                f"lanes {self.lanes} and turret_tiers {self.turret_tiers} must both be empty or neither"
            )
        return self

    @property
    def has_structures(self) -> bool:
        """Whether there are turrets and crystals."""
        return bool(self.turret_tiers)

    @property
    def lane_mask(self) -> int:
        """Bit of each lane that exists: top 1, mid 2, bottom 4."""
        return sum(1 << index for index in range(NUM_LANES) if LANES[index] in self.lanes)


def closest(name: str, known: list[str]) -> str:
    """Ends an error message about an unknown name: what is known and what was perhaps meant."""
    matches = difflib.get_close_matches(name, known, n=1)
    hint = f"; did you mean {matches[0]!r}?" if matches else ""
    return f"expected one of {known}{hint}"


def one_line(error: ValidationError, where: str) -> str:
    """Turns pydantic's report into one line that names the key, the value and what is allowed."""
    first = error.errors()[0]
    key = ".".join(str(part) for part in first["loc"])
    value = first.get("input")
    shown = repr(value) if not isinstance(value, dict) else "a mapping"
    return f"{where}: {key or 'values'}: {first['msg']}, got {shown}"


def read_yaml(name: str, path: Path | None = None) -> dict[str, Any]:
    """Reads one of the package's own YAML files, or a user's in its place.

    Args:
        name: of the package's file.
        path: of the user's file; None: the package's.

    Returns:
        What it maps.

    Raises:
        ValueError: if it is not a mapping.
    """
    file = path if path is not None else resources.files("fullpool.games.moba").joinpath(name)
    data: Any = yaml.safe_load(file.read_text("utf-8"))
    if not isinstance(data, dict):
        raise ValueError(f"{path or name}: expected a mapping, got {type(data).__name__}")
    return data


def checked(kind: type[_Settings], values: Mapping[str, Any], where: str) -> _Settings:
    """Checks values at the door.

    Args:
        kind: class that they must fit.
        values: by key.
        where: they come from, for the message.

    Returns:
        The record.

    Raises:
        ValueError: in one line, if they do not fit.
    """
    try:
        return kind.model_validate(values)
    except ValidationError as error:
        raise ValueError(one_line(error, where)) from error


def read_presets() -> dict[str, Any]:
    """Reads the package's preset file."""
    return read_yaml("presets.yaml")


def preset_names() -> tuple[str, ...]:
    """Names of all presets."""
    return tuple(read_presets()["presets"])


def load_preset(name: str, overrides: dict[str, Any] | None = None) -> Preset:
    """Loads one preset.

    Args:
        name: such as `blitz`.
        overrides: numbers to change, by their names in `presets.yaml`.

    Returns:
        The checked preset.

    Raises:
        ValueError: if the preset or an override is unknown or out of range.
    """
    data = read_presets()
    if name not in data["presets"]:
        raise ValueError(f"unknown moba preset {name!r}; {closest(name, list(data['presets']))}")
    unknown = [key for key in overrides or {} if key not in Preset.model_fields or key == "name"]
    if unknown:
        raise ValueError(
            f"unknown moba preset value {unknown[0]!r}; {closest(unknown[0], sorted(data['common']))}"
        )
    values = {**data["common"], **data["presets"][name], **(overrides or {}), "name": name}
    return checked(Preset, values, f"moba preset {name}")
