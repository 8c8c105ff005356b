"""Columns of every row that agents and the critic see, with their scales.

All rows are in the frame of the team that looks: team B's world is mirrored, (x, y) to (-y, -x), so that one policy
plays both sides. Times are shares of a fixed span and 0 when over; every value lies in [-1, 1], and a row of zeros
means "absent". The tuples of names are the documentation; the numbers are positions in them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fullpool.games.moba import state as s

# --- heroes ---
HERO_NAMES = (
    # by agent
    *("self", "relative_x", "relative_y", "distance"),
    # public
    *("present", "visible", "alive", "ally"),
    # what a team knows of enemies as last seen, and always of its own
    *("x", "y", "hp", "hp_absolute", "shield", "level"),
    *("attack_damage", "ability_power", "armor", "magic_resist", "attack_speed", "attack_range", "speed"),
    *("stunned", "rooted", "silenced", "disarmed", "slowed", "hasted", "stealth", "taunted", "burning"),
    *("reflecting", "invulnerable", "shredded", "in_brush", "turret_target", "recalling", "experience"),
    # public again
    *("last_seen_age", "respawn"),
    # own team's only; the critic sees everybody's
    *(
        "mana",
        "gold",
        "ready_1",
        "ready_2",
        "ready_3",
        "cooldown_1",
        "cooldown_2",
        "cooldown_3",
        "heal_cooldown",
    ),
)
HERO_COLUMNS = len(HERO_NAMES)
C_SELF, C_REL_X, C_REL_Y, C_DISTANCE, C_PRESENT, C_VISIBLE, C_ALIVE, C_ALLY, C_X, C_Y = range(10)
C_HP, C_HP_ABSOLUTE, C_SHIELD, C_LEVEL, C_AD, C_AP, C_ARMOR, C_MR, C_ASPD, C_RANGE, C_SPEED = range(10, 21)
C_STUN, C_ROOT, C_SILENCE, C_DISARM, C_SLOW, C_HASTE, C_STEALTH, C_TAUNT, C_DOT = range(21, 30)
C_REFLECT, C_INVULN, C_SHRED, C_IN_BRUSH, C_TURRET_TARGET, C_RECALL, C_XP, C_AGE, C_RESPAWN = range(30, 39)
C_MANA, C_GOLD, C_READY, C_COOLDOWN, C_HEAL_COOLDOWN = 39, 40, 41, 44, 47
C_KNOWN, C_KNOWN_END = C_X, C_AGE
"""First and last column + 1 of what `SEEN` holds of a hero, in the same order and scales, except that its first two are
x and y as in the state: map units in the absolute frame."""
SEEN_X, SEEN_Y, SEEN_HP, SEEN_HP_ABSOLUTE, SEEN_SHIELD, SEEN_LEVEL = range(6)

CRITIC_HERO_NAMES = (
    *HERO_NAMES,
    *("items", "kills", "deaths", "assists", "seen_by_opponents"),
    *(
        "order_move",
        "order_attack",
        "order_skill_1",
        "order_skill_2",
        "order_skill_3",
        "order_heal",
        "order_recall",
    ),
    *("has_target", "target_x", "target_y", "target_is_hero"),
)
CRITIC_HERO_COLUMNS = len(CRITIC_HERO_NAMES)
C_ITEMS, C_KILLS, C_DEATHS, C_ASSISTS, C_SEEN_BY, C_ORDER = range(48, 54)
C_HAS_TARGET, C_TARGET_X, C_TARGET_Y, C_TARGET_HERO = range(60, 64)

# --- other units ---
MINION_NAMES = (
    *("present", "ally", "melee", "ranged", "siege", "super", "relative_x", "relative_y", "distance"),
    *("hp", "last_hittable", "attacks_me"),
)
MINION_COLUMNS = len(MINION_NAMES)
M_PRESENT, M_ALLY, M_TYPE, M_REL_X, M_REL_Y, M_DISTANCE, M_HP, M_LAST_HIT, M_ATTACKS_ME = (
    0,
    1,
    2,
    6,
    7,
    8,
    9,
    10,
    11,
)

STRUCTURE_NAMES = (
    *("alive", "ally", "outer", "inner", "base", "crystal", "relative_x", "relative_y", "distance"),
    *("hp", "vulnerable", "attacks_me", "minions_near"),
)
STRUCTURE_COLUMNS = len(STRUCTURE_NAMES)
B_ALIVE, B_ALLY, B_TIER, B_REL_X, B_REL_Y, B_DISTANCE, B_HP, B_VULNERABLE, B_ATTACKS_ME, B_NEAR = (
    0,
    1,
    2,
    6,
    7,
    8,
    9,
    10,
    11,
    12,
)

SUMMON_NAMES = ("present", "ally", "ward", "relative_x", "relative_y", "distance", "hp", "time_left")
SUMMON_COLUMNS = len(SUMMON_NAMES)
U_PRESENT, U_ALLY, U_WARD, U_REL_X, U_REL_Y, U_DISTANCE, U_HP, U_LEFT = range(8)

GLOBAL_NAMES = (
    *(
        "time",
        "phase_1",
        "phase_2",
        "phase_3",
        "phase_4",
        "phase_5",
        "sudden_death",
        "next_wave",
        "kill_difference",
    ),
    *("own_gold", "own_level", "own_turrets_top", "own_turrets_middle", "own_turrets_bottom"),
    *("enemy_turrets_top", "enemy_turrets_middle", "enemy_turrets_bottom", "own_crystal", "enemy_crystal"),
    *("visible_enemies", "dead_allies", "dead_enemies", "next_own_respawn", "next_enemy_respawn"),
)
GLOBAL_COLUMNS = len(GLOBAL_NAMES)
CRITIC_GLOBAL_NAMES = (
    *GLOBAL_NAMES,
    *("gold_difference", "level_difference", "item_difference", "enemy_gold", "enemy_level"),
    *("own_minions", "enemy_minions", "own_heroes_seen"),
)
CRITIC_GLOBAL_COLUMNS = len(CRITIC_GLOBAL_NAMES)
PREVIOUS_COLUMNS = s.NUM_WHAT + s.NUM_WHO + s.NUM_DIR + s.NUM_DIST

# --- rows and where the blocks lie ---
ENEMY_MINIONS, ALLY_MINIONS = s.SLOT_TURRET - s.SLOT_MINION, 4
MINION_ROWS = ENEMY_MINIONS + ALLY_MINIONS
TEAM_STRUCTURES = 4  # turrets in order of lane and tier, the crystal in the last row
STRUCTURE_ROWS = 2 * TEAM_STRUCTURES
TEAM_SUMMONS = s.NUM_WHO - s.SLOT_SUMMON
SUMMON_ROWS = 2 * TEAM_SUMMONS
ROW_MINION = s.NUM_HEROES
ROW_STRUCTURE = ROW_MINION + MINION_ROWS
ROW_SUMMON = ROW_STRUCTURE + STRUCTURE_ROWS
"""Rows with a place on the map, as `target_rows` counts them."""

AT_MINIONS = s.NUM_HEROES * HERO_COLUMNS
AT_STRUCTURES = AT_MINIONS + MINION_ROWS * MINION_COLUMNS
AT_SUMMONS = AT_STRUCTURES + STRUCTURE_ROWS * STRUCTURE_COLUMNS
AT_GLOBAL = AT_SUMMONS + SUMMON_ROWS * SUMMON_COLUMNS
AT_PREVIOUS = AT_GLOBAL + GLOBAL_COLUMNS
OBSERVATION_SIZE = AT_PREVIOUS + PREVIOUS_COLUMNS
"""Floats an agent sees, without the image: 813."""
CRITIC_AT_MINIONS = s.NUM_HEROES * CRITIC_HERO_COLUMNS
CRITIC_AT_STRUCTURES = CRITIC_AT_MINIONS + MINION_ROWS * MINION_COLUMNS
CRITIC_AT_SUMMONS = CRITIC_AT_STRUCTURES + STRUCTURE_ROWS * STRUCTURE_COLUMNS
CRITIC_AT_GLOBAL = CRITIC_AT_SUMMONS + SUMMON_ROWS * SUMMON_COLUMNS
CRITIC_SIZE = CRITIC_AT_GLOBAL + CRITIC_GLOBAL_COLUMNS


Scalar = Any
"""A float32 or integer as kernels pass it on."""


def _float32(value: float) -> Any:
    """A constant that kernels keep in single precision."""
    return np.float32(value)


# --- scales: a value is multiplied by its scale and cut to [-1, 1] or [0, 1] ---
ZERO, ONE = _float32(0), _float32(1)
PER_REACH = _float32(1 / 20)  # relative positions and distances; farther units stand at the edge
PER_HP = _float32(1 / 4000)
PER_SHIELD = _float32(1 / 1000)
PER_LEVEL = _float32(1 / 12)
PER_AD = _float32(1 / 400)
PER_AP = _float32(1 / 400)
PER_RESIST = _float32(1 / 250)
PER_ATTACKS = _float32(1 / 3)  # attacks a second
PER_RANGE = _float32(1 / 10)
PER_SPEED = _float32(1 / 8)  # units a second
PER_STATUS = _float32(1 / 30)  # ticks: 3 s
PER_UNSEEN = _float32(1 / 600)  # ticks: 60 s
PER_RESPAWN = _float32(1 / 200)  # ticks: 20 s
PER_COOLDOWN = _float32(1 / 480)  # ticks: 48 s
PER_HEAL = _float32(1 / 600)  # ticks: 60 s
PER_GOLD = _float32(1 / 1000)  # unspent
PER_GOLD_TOTAL = _float32(1 / 4000)
PER_COUNT = _float32(1 / 10)  # kills, deaths, assists
PER_ITEM = _float32(1 / 6)
PER_NEAR = _float32(1 / 6)  # minions near a structure
PER_SUMMON = _float32(1 / 100)  # ticks: 10 s
PER_TEAM = _float32(1 / s.TEAM_SIZE)
PER_MINIONS = _float32(1 / s.MINIONS_PER_TEAM)
