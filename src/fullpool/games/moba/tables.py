"""All constants of the rules as arrays that kernels read: columns, and how they are filled from the data files.

Kernels import the column numbers (module-level integers are compile-time constants) and receive one `Tables`.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np

from fullpool.games.contract import Bytes, Floats
from fullpool.games.moba import layout
from fullpool.games.moba.heroes import (
    CASTS,
    KINDS,
    RECEIVERS,
    ROLES,
    TYPES,
    EffectData,
    HeroData,
    HeroPool,
    SkillData,
    load_heroes,
)
from fullpool.games.moba.presets import Preset, load_preset
from fullpool.games.moba.state import MAX_EFFECTS, NUM_SKILLS, TICKS_PER_SECOND

# --- numbers of roles, casts, receivers and kinds, as in the hero file ---
ROLE_TANK, ROLE_WARRIOR, ROLE_ASSASSIN, ROLE_MAGE, ROLE_MARKSMAN, ROLE_SUPPORT = range(6)
(
    CAST_SELF,
    CAST_UNIT,
    CAST_ALLY,
    CAST_LINE,
    CAST_GROUND,
    CAST_DASH,
    CAST_CONE,
    CAST_BUFF,
    CAST_GALLY,
    CAST_GGROUND,
    CAST_SKYLINE,
) = range(11)
WHO_ENEMIES, WHO_SELF, WHO_ALLIES = 0, 1, 2
(
    KIND_DMG,
    KIND_DOT,
    KIND_HEAL,
    KIND_SHIELD,
    KIND_STUN,
    KIND_ROOT,
    KIND_SLOW,
    KIND_SILENCE,
    KIND_DISARM,
    KIND_KNOCK,
    KIND_HOOK,
    KIND_HASTE,
    KIND_ASPD,
    KIND_STEALTH,
    KIND_LIFESTEAL,
    KIND_TAUNT,
    KIND_SHRED,
    KIND_REFLECT,
    KIND_UNSTOP,
    KIND_INVULN,
    KIND_CLEANSE,
    KIND_EMPOWER,
    KIND_GRIEV,
    KIND_GAPCLOSE,
    KIND_ZONE,
    KIND_SUMMON,
    KIND_RESET,
    KIND_DRAIN,
    KIND_REVEAL,
    KIND_STRUCT,
    KIND_RANGEUP,
    KIND_ONHITPCT,
    KIND_CHAIN,
    KIND_DMGRED,
    KIND_BLINK,
) = range(35)
NUM_KINDS = 35

# --- hero [H, HERO_COLUMNS] ---
HERO_HP, HERO_HP_PER_LEVEL, HERO_AD, HERO_AD_PER_LEVEL, HERO_ARMOR, HERO_ARMOR_PER_LEVEL = range(6)
HERO_MR, HERO_MR_PER_LEVEL, HERO_INTERVAL, HERO_RANGE, HERO_SPEED = range(6, 11)
HERO_MANA, HERO_MANA_PER_LEVEL, HERO_ROLE = range(11, 14)
HERO_COLUMNS = 14
_STATS = "hp hp_level ad ad_level armor armor_level mr mr_level interval range speed mana mana_level".split()

# --- item [H, 6, ITEM_COLUMNS] ---
ITEM_COST, ITEM_HP, ITEM_MANA, ITEM_AD, ITEM_AP, ITEM_ARMOR, ITEM_MR = range(7)
ITEM_ASPD, ITEM_CDR, ITEM_LIFESTEAL, ITEM_PEN = range(7, 11)
ITEM_COLUMNS, NUM_ITEMS = 11, 6
_ITEM = "cost hp mana ad ap armor mr aspd cdr lifesteal pen".split()

# --- skill [H, 3, SKILL_COLUMNS]; uses: 1 where that head counts, by the aim ---
SKILL_CAST, SKILL_COOLDOWN_TICKS, SKILL_MANA, SKILL_RANGE, SKILL_WIDTH, SKILL_RADIUS = range(6)
SKILL_DELAY_TICKS, SKILL_PIERCE, SKILL_NUM_EFFECTS = range(6, 9)
SKILL_USES_WHO, SKILL_USES_DIR, SKILL_USES_DIST = range(9, 12)
SKILL_COS_HALF = 12  # cosine of half of a cone's angle
SKILL_BLOCKED_BY_ROOT = 13  # dash, gapclose or blink
SKILL_COLUMNS = 14
INFINITE_RANGE = 200.0

# --- effect [H, 3, 5, EFFECT_COLUMNS] ---
EFFECT_KIND, EFFECT_WHO, EFFECT_TYPE = range(3)
EFFECT_P0, EFFECT_P1, EFFECT_P2, EFFECT_P3, EFFECT_P4, EFFECT_P5 = range(3, 9)
EFFECT_FOLLOW, EFFECT_ZHEAL, EFFECT_COUNT, EFFECT_AP = range(9, 13)
EFFECT_COLUMNS = 13

# --- minion [5, MINION_COLUMNS]: melee, ranged, siege, super, vanguard ---
MINION_HP, MINION_HP_MINUTE, MINION_DAMAGE, MINION_RANGE, MINION_STRUCTURE, MINION_GOLD, MINION_XP = range(7)
MINION_COLUMNS = 7
_MINION = "hp hp_minute damage range siege_factor gold xp".split()

# --- preset [PRESET_COLUMNS]: one number each of a Preset, times in ticks ---
PRESET_FIELDS = tuple(
    "has_structures assist lane_mask map_half respawns camps wards cap start_level start_items start_gold "
    "sudden_from sudden_step_ticks sudden_drop turret_damage_minute turret_range turret_interval_ticks turret_armor "
    "turret_ramp turret_ramp_max turret_aggro_ticks turret_first_gold crystal_range grace_ticks grace_factor "
    "backdoor_radius backdoor_factor minion_structure wave_first_ticks wave_every_ticks wave_melee wave_ranged "
    "wave_siege_every minion_speed minion_interval_ticks minion_sight minion_call minion_call_ticks "
    "passive_gold kill_gold kill_streak kill_death_streak kill_gold_min assist_gold kill_xp kill_xp_level "
    "kill_xp_share kill_xp_radius assist_ticks last_hit_share last_hit_radius xp_radius xp_shared hp_regen "
    "hp_regen_delay_ticks mana_regen fountain_radius fountain_heal fountain_damage recall_ticks respawn_base "
    "respawn_level respawn_minute cdr_cap aspd_level skill_lifesteal heal_share heal_radius heal_haste "
    "heal_haste_ticks heal_cooldown_ticks heal_repeat_ticks heal_repeat_factor hook_distance hook_air_ticks "
    "sight_hero sight_minion sight_turret sight_crystal sight_ward sight_summon near exposed_ticks ward_ticks "
    "first_sight_ticks skill_level1 skill_level2 skill_level3".split()
)
PRESET_COLUMNS = len(PRESET_FIELDS)
P_HAS_STRUCTURES, P_ASSIST, P_LANE_MASK, P_MAP_HALF, P_RESPAWNS, P_CAMPS, P_WARDS, P_CAP = range(8)
P_LANES = P_LANE_MASK
P_START_LEVEL, P_START_ITEMS, P_START_GOLD = range(8, 11)
P_SUDDEN_FROM, P_SUDDEN_STEP_TICKS, P_SUDDEN_DROP = range(11, 14)  # from: the tick
P_TURRET_DAMAGE_MINUTE, P_TURRET_RANGE, P_TURRET_INTERVAL_TICKS, P_TURRET_ARMOR = range(14, 18)
P_TURRET_RAMP, P_TURRET_RAMP_MAX, P_TURRET_AGGRO_TICKS, P_TURRET_FIRST_GOLD, P_CRYSTAL_RANGE = range(18, 23)
P_GRACE_TICKS, P_GRACE_FACTOR, P_BACKDOOR_RADIUS, P_BACKDOOR_FACTOR, P_MINION_STRUCTURE = range(23, 28)
P_WAVE_FIRST_TICKS, P_WAVE_EVERY_TICKS, P_WAVE_MELEE, P_WAVE_RANGED, P_WAVE_SIEGE_EVERY = range(28, 33)
P_MINION_SPEED, P_MINION_INTERVAL_TICKS, P_MINION_SIGHT, P_MINION_CALL, P_MINION_CALL_TICKS = range(33, 38)
P_PASSIVE_GOLD, P_KILL_GOLD, P_KILL_STREAK, P_KILL_DEATH_STREAK, P_KILL_GOLD_MIN, P_ASSIST_GOLD = range(
    38, 44
)
P_KILL_XP, P_KILL_XP_LEVEL, P_KILL_XP_SHARE, P_KILL_XP_RADIUS, P_ASSIST_TICKS = range(44, 49)
P_LAST_HIT_SHARE, P_LAST_HIT_RADIUS, P_XP_RADIUS, P_XP_SHARED = range(49, 53)
P_HP_REGEN, P_HP_REGEN_DELAY_TICKS, P_MANA_REGEN = range(53, 56)
P_FOUNTAIN_RADIUS, P_FOUNTAIN_HEAL, P_FOUNTAIN_DAMAGE, P_RECALL_TICKS = range(56, 60)
P_RESPAWN_BASE, P_RESPAWN_LEVEL, P_RESPAWN_MINUTE = range(60, 63)
P_CDR_CAP, P_ASPD_LEVEL, P_SKILL_LIFESTEAL = range(63, 66)
P_HEAL_SHARE, P_HEAL_RADIUS, P_HEAL_HASTE, P_HEAL_HASTE_TICKS, P_HEAL_COOLDOWN_TICKS = range(66, 71)
P_HEAL_REPEAT_TICKS, P_HEAL_REPEAT_FACTOR, P_HOOK_DISTANCE, P_HOOK_AIR_TICKS = range(71, 75)
P_SIGHT_HERO, P_SIGHT_MINION, P_SIGHT_TURRET, P_SIGHT_CRYSTAL, P_SIGHT_WARD, P_SIGHT_SUMMON = range(75, 81)
P_NEAR, P_EXPOSED_TICKS, P_WARD_TICKS, P_FIRST_SIGHT_TICKS = range(81, 85)
P_SKILL_LEVEL1, P_SKILL_LEVEL2, P_SKILL_LEVEL3 = range(85, 88)

# --- tile values ---
TILES, HALF_TILES, WALL, BRUSH_MASK = 80, 40, 0x80, 0x1F
LANE_LENGTH = 4


class Tables(NamedTuple):
    """Everything that the kernels read and never write.

    Attributes:
        hero: `[H, HERO_COLUMNS]` statistics at level 1 and their growth.
        skill: `[H, 3, SKILL_COLUMNS]`.
        effect: `[H, 3, 5, EFFECT_COLUMNS]`.
        item: `[H, 6, ITEM_COLUMNS]` each hero's build.
        level_xp: `[12]` experience that each level needs.
        preset: `[PRESET_COLUMNS]` numbers of the preset.
        minion: `[5, MINION_COLUMNS]`.
        structure: `[20, 4]` x, y, max hp (0: absent), damage.
        spawn: `[2, 5, 2]` where heroes start.
        lane: `[3, 4, 2]` way points from A's base to B's.
        direction: `[16, 2]` unit vectors; direction i mirrors to (12 - i) mod 16.
        tile: `[80, 80]` by row (y) and column (x), see `layout.tiles`.
        brush_mirror: `[32]` patch that each brush patch mirrors to.
    """

    hero: Floats
    skill: Floats
    effect: Floats
    item: Floats
    level_xp: Floats
    preset: Floats
    minion: Floats
    structure: Floats
    spawn: Floats
    lane: Floats
    direction: Floats
    tile: Bytes
    brush_mirror: Bytes


def to_ticks(seconds: float) -> int:
    """Rounds a time up to ticks."""
    return math.ceil(seconds * TICKS_PER_SECOND - 1e-6)


def _preset_row(preset: Preset, aim: str) -> Floats:
    row = np.zeros(PRESET_COLUMNS, np.float32)
    special = {
        "assist": aim == "assist",
        "sudden_from": math.ceil(preset.sudden_from * preset.cap * 5 - 1e-6),
        "skill_level1": preset.skill_levels[0],
        "skill_level2": preset.skill_levels[1],
        "skill_level3": preset.skill_levels[2],
    }
    for index, name in enumerate(PRESET_FIELDS):
        if name in special:
            row[index] = special[name]
        elif name.endswith("_ticks"):
            row[index] = to_ticks(getattr(preset, name.removesuffix("_ticks") + "_s"))
        else:
            row[index] = getattr(preset, name)
    return row


def _skill_row(skill: SkillData, aim: str) -> list[float]:
    cast = CASTS.index(skill.cast)
    aimed = cast in (CAST_LINE, CAST_GROUND, CAST_DASH, CAST_CONE, CAST_SKYLINE)
    who = cast in (CAST_UNIT, CAST_ALLY, CAST_GGROUND) or (aimed and aim == "assist")
    direction = aimed and aim == "manual"
    reach = min(skill.range, INFINITE_RANGE)
    rooted = cast == CAST_DASH or any(effect.kind in ("gapclose", "blink") for effect in skill.effects)
    return [
        cast,
        to_ticks(skill.cooldown),
        skill.mana,
        INFINITE_RANGE if cast == CAST_SKYLINE else reach,
        skill.width,
        skill.radius,
        to_ticks(skill.delay),
        skill.pierce,
        len(skill.effects),
        who,
        direction,
        direction and cast == CAST_GROUND,
        math.cos(math.radians(skill.width) / 2) if cast == CAST_CONE else 0.0,
        rooted,
    ]


def _effect_row(effect: EffectData) -> list[float]:
    head = [KINDS.index(effect.kind), RECEIVERS.index(effect.who), TYPES.index(effect.type)]
    return [*head, *effect.p, effect.follow, effect.drain, effect.count, effect.ap]


def _fill_hero(index: int, hero: HeroData, pool: HeroPool, tables: tuple[Floats, ...], aim: str) -> None:
    stats, skills, effects, items = tables
    stats[index] = [*(getattr(hero.stats, name) for name in _STATS), ROLES.index(hero.role)]
    for step, item in enumerate(pool.builds[hero.build]):
        items[index, step] = [getattr(item, name) for name in _ITEM]
    for number, skill in enumerate(hero.skills):
        skills[index, number] = _skill_row(skill, aim)
        for place, effect in enumerate(skill.effects):
            effects[index, number, place] = _effect_row(effect)


def load_tables(
    preset: str,
    heroes_file: Path | None = None,
    overrides: dict[str, Any] | None = None,
    *,
    aim: Literal["manual", "assist"] = "manual",
) -> tuple[Tables, HeroPool, Preset]:
    """Reads the data files and lays them out for the kernels.

    Args:
        preset: name of the preset, such as `blitz`.
        heroes_file: another hero file; None: the package's own.
        overrides: numbers of the preset to change.
        aim: `manual`: line, cone, dash and ground skills take a direction; `assist`: they take a target.

    Returns:
        The tables, the pool and the preset.

    Raises:
        ValueError: if a name is unknown or a value out of range.
    """
    if aim not in ("manual", "assist"):
        raise ValueError(f"aim must be 'manual' or 'assist', got {aim!r}")
    chosen, pool = load_preset(preset, overrides), load_heroes(heroes_file)
    number = len(pool.heroes)
    stats = np.zeros((number, HERO_COLUMNS), np.float32)
    skills = np.zeros((number, NUM_SKILLS, SKILL_COLUMNS), np.float32)
    effects = np.zeros((number, NUM_SKILLS, MAX_EFFECTS, EFFECT_COLUMNS), np.float32)
    items = np.zeros((number, NUM_ITEMS, ITEM_COLUMNS), np.float32)
    for index, hero in enumerate(pool.heroes):
        _fill_hero(index, hero, pool, (stats, skills, effects, items), aim)
    tile = layout.tiles(chosen)
    tables = Tables(
        hero=stats,
        skill=skills,
        effect=effects,
        item=items,
        level_xp=np.array(chosen.level_xp, np.float32),
        preset=_preset_row(chosen, aim),
        minion=np.array([getattr(chosen, f"minion_{name}") for name in _MINION], np.float32).T.copy(),
        structure=layout.structures(chosen),
        spawn=layout.spawns(chosen),
        lane=layout.lanes(chosen),
        direction=layout.directions(),
        tile=tile,
        brush_mirror=layout.brush_mirror(tile),
    )
    return tables, pool, chosen
