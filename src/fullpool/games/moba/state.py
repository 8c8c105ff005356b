"""Where everything of one match lies: two flat rows, `f` (float32) and `k` (int32), and the offsets into them.

A match is `f[F_SIZE]` and `k[K_SIZE]`; a batch stacks them. Flat rows with constant offsets make cloning, saving,
hashing and mirroring trivial, and compile fast. Fields of units are indexed by unit (`f[X + u]`), fields of heroes
by seat (`f[MANA + h]`, seats 0-4 are team A, 5-9 team B). Positions are relative to the map's centre. Times are
ticks: a status lasts while `k[STATUS_UNTIL + h] > k[TICK]`, a timer is ready when `k[READY + h] <= k[TICK]`.
Within every table team A comes first and team B in the same inner order, so that a mirrored match visits
everything in the mirrored order.
"""

from __future__ import annotations

# --- sizes -----------------------------------------------------------------------------------------------------
TICKS_PER_DECISION = 5
TICKS_PER_SECOND = 10
TEAM_SIZE = 5
NUM_HEROES = 10
NUM_LANES = 3
NUM_SKILLS = 3
MAX_EFFECTS = 5
STRUCTURES_PER_TEAM = 10  # lane * 3 + tier (0 is the outermost), then the crystal
SUMMONS_PER_TEAM = 6
MINIONS_PER_LANE = 12
MINIONS_PER_TEAM = NUM_LANES * MINIONS_PER_LANE
NUM_MONSTERS = 16

# --- units: heroes, structures, summons (and wards), minions, monsters -----------------------------------------------
HERO0 = 0
STRUCTURE0 = HERO0 + NUM_HEROES
SUMMON0 = STRUCTURE0 + 2 * STRUCTURES_PER_TEAM
MINION0 = SUMMON0 + 2 * SUMMONS_PER_TEAM  # team, lane, slot
MONSTER0 = MINION0 + 2 * MINIONS_PER_TEAM
NUM_UNITS = MONSTER0 + NUM_MONSTERS
CRYSTAL = STRUCTURES_PER_TEAM - 1

# --- action heads (the numbers are the action's) ---------------------------------------------------------------------
NUM_HEADS = 4
NUM_WHAT, NUM_WHO, NUM_DIR, NUM_DIST = 9, 24, 16, 4
HEAD_WHAT, HEAD_WHO, HEAD_DIR, HEAD_DIST = 0, 1, 2, 3
NONE, MOVE, ATTACK, SKILL1, SKILL2, SKILL3, HEAL, RECALL, WARD = range(9)
SLOT_SELF, SLOT_ALLY, SLOT_ENEMY, SLOT_MINION, SLOT_TURRET, SLOT_CRYSTAL, SLOT_MONSTER, SLOT_SUMMON = (
    0,
    1,
    5,
    10,
    16,
    17,
    18,
    22,
)

# --- unit types, `k[TYPE + u]` -------------------------------------------------------------------------------
TYPE_NONE, TYPE_HERO, TYPE_TURRET, TYPE_CRYSTAL, TYPE_SUMMON, TYPE_WARD = range(6)
TYPE_MELEE, TYPE_RANGED, TYPE_SIEGE, TYPE_SUPER, TYPE_VANGUARD = 6, 7, 8, 9, 10
TYPE_SMALL_CAMP, TYPE_RED_CAMP, TYPE_BLUE_CAMP, TYPE_SPRITE, TYPE_TYRANT, TYPE_OVERLORD = (
    11,
    12,
    13,
    14,
    15,
    16,
)

# --- damage types and teams ----------------------------------------------------------------------------------------
PHYSICAL, MAGIC, TRUE = 0, 1, 2
TEAM_A, TEAM_B, NEUTRAL = 0, 1, 2

ZONES_PER_TEAM = 12
CASTS_PER_TEAM = 8  # delayed ground skills under way
DOTS_PER_TEAM = 32  # damage over time dealt by a team
REVEALS_PER_TEAM = 4
SEEN_COLUMNS = 32  # see columns.py
NEVER = -1_000_000
"""A tick long before the first: "this never happened"."""


class _Layout:
    """Hands out consecutive offsets; only used while this module is imported."""

    def __init__(self) -> None:
        self.size = 0

    def take(self, count: int) -> int:
        start = self.size
        self.size += count
        return start


_f, _k = _Layout(), _Layout()

# === f: floats =====================================================================================================
# Units, [NUM_UNITS] each. Alive means hp > 0; an empty slot has hp 0 and max hp 0.
X = _f.take(NUM_UNITS)
Y = _f.take(NUM_UNITS)
HP = _f.take(NUM_UNITS)
MAX_HP = _f.take(NUM_UNITS)
SLOW = _f.take(NUM_UNITS)  # share of speed lost while SLOW_UNTIL runs
FORCE_X = _f.take(NUM_UNITS)  # forced movement a tick while FORCE_UNTIL runs
FORCE_Y = _f.take(NUM_UNITS)
WALK_X = _f.take(NUM_UNITS)  # step of this tick; minions keep theirs until they think again
WALK_Y = _f.take(NUM_UNITS)
POWER = _f.take(NUM_UNITS)  # damage of one hit of a non-hero, minutes and level already in it

# Heroes, [NUM_HEROES] each: current statistics, recomputed from level and items when these change
MANA = _f.take(NUM_HEROES)
MAX_MANA = _f.take(NUM_HEROES)
AD = _f.take(NUM_HEROES)
AP = _f.take(NUM_HEROES)
ARMOR = _f.take(NUM_HEROES)
MR = _f.take(NUM_HEROES)
INTERVAL = _f.take(NUM_HEROES)  # base attack interval, seconds
ASPD = _f.take(NUM_HEROES)  # attack speed of items and level
RANGE = _f.take(NUM_HEROES)
SPEED = _f.take(NUM_HEROES)  # units a second
LIFESTEAL = _f.take(NUM_HEROES)
CDR = _f.take(NUM_HEROES)  # in [0, 0.4]
PEN = _f.take(NUM_HEROES)
XP = _f.take(NUM_HEROES)
GOLD = _f.take(NUM_HEROES)  # not yet spent
GOLD_TOTAL = _f.take(NUM_HEROES)
# Magnitudes of statuses that run until the tick of the same name in `k`
SHIELD = _f.take(NUM_HEROES)
HOT = _f.take(NUM_HEROES)  # heal a tick
HASTE = _f.take(NUM_HEROES)
ASPD_BUFF = _f.take(NUM_HEROES)
LIFESTEAL_BUFF = _f.take(NUM_HEROES)
SHRED_ARMOR = _f.take(NUM_HEROES)
SHRED_MR = _f.take(NUM_HEROES)
REFLECT = _f.take(NUM_HEROES)
GRIEVOUS = _f.take(NUM_HEROES)
DMGRED = _f.take(NUM_HEROES)
RANGEUP = _f.take(NUM_HEROES)
ONHIT = _f.take(NUM_HEROES)
SIEGE = _f.take(NUM_HEROES)
EMPOWER_DAMAGE = _f.take(NUM_HEROES)  # raw physical damage added to each empowered attack
EMPOWER_STUN = _f.take(NUM_HEROES)  # seconds
RESET_SHARE = _f.take(NUM_HEROES)
ORDER_X = _f.take(NUM_HEROES)  # point or unit direction of the order, whichever it needs
ORDER_Y = _f.take(NUM_HEROES)
LAST_X = _f.take(
    NUM_HEROES
)  # where the hero stood when the tick before ended: assisted aim leads targets by it
LAST_Y = _f.take(NUM_HEROES)
# What the enemy team knew of each hero when it last saw it, [NUM_HEROES, SEEN_COLUMNS]; vision.py owns the columns
SEEN = _f.take(NUM_HEROES * SEEN_COLUMNS)
# What is to be known of each hero at the end of the last decision, in the same columns but for the position
KNOWN = _f.take(NUM_HEROES * SEEN_COLUMNS)

# Zones, [2 * ZONES_PER_TEAM] each
ZONE_X = _f.take(2 * ZONES_PER_TEAM)
ZONE_Y = _f.take(2 * ZONES_PER_TEAM)
ZONE_RADIUS = _f.take(2 * ZONES_PER_TEAM)
ZONE_DPS = _f.take(2 * ZONES_PER_TEAM)  # raw damage a second
ZONE_SLOW = _f.take(2 * ZONES_PER_TEAM)
ZONE_DRAIN = _f.take(2 * ZONES_PER_TEAM)
# Delayed casts, [2 * CASTS_PER_TEAM]
CAST_X = _f.take(2 * CASTS_PER_TEAM)
CAST_Y = _f.take(2 * CASTS_PER_TEAM)
# Damage over time, [2 * DOTS_PER_TEAM]
DOT_DPS = _f.take(2 * DOTS_PER_TEAM)  # raw damage a second
# Revealed circles, [2 * REVEALS_PER_TEAM]
REVEAL_X = _f.take(2 * REVEALS_PER_TEAM)
REVEAL_Y = _f.take(2 * REVEALS_PER_TEAM)
REVEAL_RADIUS = _f.take(2 * REVEALS_PER_TEAM)

# What happened in the current decision; zeroed when it begins. Rewards and logs read it, rules never do.
F_EVENTS = _f.size
EV_GOLD = _f.take(NUM_HEROES)  # gold gained
EV_XP = _f.take(NUM_HEROES)  # experience gained
EV_HURT = _f.take(NUM_HEROES)  # sum of damage dealt to heroes / victim's max hp
EV_HEALED = _f.take(NUM_HEROES)  # hp given to self and allies
EV_TURRET = _f.take(NUM_UNITS)  # share of each structure's max hp lost
EV_TAKEN = _f.take(NUM_HEROES)  # damage taken / own max hp
EV_MONSTER = _f.take(NUM_HEROES)  # share of killed monsters' hp that this hero dealt
EV_STRUCTURE_DAMAGE = _f.take(NUM_HEROES)  # share of structures' max hp that this hero dealt
F_EVENTS_END = _f.size
F_SIZE = _f.size

# === k: integers =====================================================================================================
TICK = _k.take(1)
DECISION = _k.take(1)
OVER = _k.take(1)  # 1 once the match has ended
WINNER = _k.take(1)  # games.contract: RUNNING, TEAM_A_WON, TEAM_B_WON, DRAW
ENDED_BY_CRYSTAL = _k.take(1)
FIRST_TURRET = _k.take(1)  # 1 once the first turret of the match fell
SEED = _k.take(4)  # two words of team A's random stream, two of team B's
NEXT_WAVE = _k.take(1)  # tick of the next wave
WAVE = _k.take(1)  # number of waves sent
BOT = _k.take(2)  # bot that plays each team, -1: external
BOT_STATE = _k.take(NUM_HEROES * 8)  # memory of bots, theirs alone

# Units, [NUM_UNITS]
TYPE = _k.take(NUM_UNITS)
ATTACK_AT = _k.take(NUM_UNITS)  # tick from which the unit may attack again
TARGET = _k.take(NUM_UNITS)  # unit that it attacks or chases, -1: none
TARGET_HITS = _k.take(NUM_UNITS)  # consecutive hits on the same hero (turrets), lock ticks (minions)
STUN_UNTIL = _k.take(NUM_UNITS)
AIR_UNTIL = _k.take(NUM_UNITS)
FORCE_UNTIL = _k.take(NUM_UNITS)
ROOT_UNTIL = _k.take(NUM_UNITS)
SLOW_UNTIL = _k.take(NUM_UNITS)
VISIBLE = _k.take(NUM_UNITS)  # bit 0: team A sees it, bit 1: team B sees it (own units always)
EXPIRES = _k.take(
    NUM_UNITS
)  # tick at which a summon or ward vanishes; of structures: at which it fell + 1, or 0
OWNER = _k.take(NUM_UNITS)  # seat that summoned it, -1
STEP = _k.take(NUM_UNITS)  # way point index of a minion, free for other units

# Heroes, [NUM_HEROES]
HERO_ID = _k.take(NUM_HEROES)
LEVEL = _k.take(NUM_HEROES)  # 1 to 12
ITEM_STEP = _k.take(NUM_HEROES)  # items bought, 0 to 6
SKILL_READY = _k.take(NUM_HEROES * NUM_SKILLS)  # seat * 3 + skill
HEAL_READY = _k.take(NUM_HEROES)
HEALED_AT = _k.take(NUM_HEROES)  # last summoner heal received
RECALL_DONE = _k.take(NUM_HEROES)  # tick at which the channel ends, 0: none
RESPAWN_AT = _k.take(NUM_HEROES)
SILENCE_UNTIL = _k.take(NUM_HEROES)
DISARM_UNTIL = _k.take(NUM_HEROES)
TAUNT_UNTIL = _k.take(NUM_HEROES)
TAUNT_BY = _k.take(NUM_HEROES)
STEALTH_UNTIL = _k.take(NUM_HEROES)
SHIELD_UNTIL = _k.take(NUM_HEROES)
HOT_UNTIL = _k.take(NUM_HEROES)
HOT_BY = _k.take(NUM_HEROES)  # seat that the heal over time came from
HASTE_UNTIL = _k.take(NUM_HEROES)
ASPD_UNTIL = _k.take(NUM_HEROES)
LIFESTEAL_UNTIL = _k.take(NUM_HEROES)
SHRED_UNTIL = _k.take(NUM_HEROES)
REFLECT_UNTIL = _k.take(NUM_HEROES)
GRIEVOUS_UNTIL = _k.take(NUM_HEROES)
DMGRED_UNTIL = _k.take(NUM_HEROES)
RANGEUP_UNTIL = _k.take(NUM_HEROES)
ONHIT_UNTIL = _k.take(NUM_HEROES)
SIEGE_UNTIL = _k.take(NUM_HEROES)
UNSTOP_UNTIL = _k.take(NUM_HEROES)
INVULN_UNTIL = _k.take(NUM_HEROES)
EMPOWER_COUNT = _k.take(NUM_HEROES)
RESET_SKILL = _k.take(NUM_HEROES)  # skill whose kill gives cooldown back, -1
RESET_TICK = _k.take(NUM_HEROES)  # tick in which that skill hit
REVEALED_UNTIL = _k.take(NUM_HEROES)  # marked by a reveal: brush and stealth do not hide
EXPOSED_UNTIL = _k.take(NUM_HEROES)  # attacked or cast from brush
BRUSH = _k.take(NUM_HEROES)  # patch that the hero stands in, 0: none
LAST_COMBAT = _k.take(NUM_HEROES)  # last tick of dealing or taking damage
LAST_HERO_HIT = _k.take(NUM_HEROES)  # last tick of damaging an enemy hero
LAST_HURT = _k.take(NUM_HEROES)  # last tick of taking damage
SEEN_TICK = _k.take(NUM_HEROES)  # last tick the enemy team saw this hero
DAMAGED_AT = _k.take(NUM_HEROES * TEAM_SIZE)  # victim * 5 + attacker's place in its team
HELPED_AT = _k.take(NUM_HEROES * TEAM_SIZE)  # helped hero * 5 + helper's place in its team
KILLER = _k.take(NUM_HEROES)  # seat that got the hero's last death credited, -1: nobody
KILLS = _k.take(NUM_HEROES)
DEATHS = _k.take(NUM_HEROES)
ASSISTS = _k.take(NUM_HEROES)
LAST_HITS = _k.take(NUM_HEROES)
KILL_STREAK = _k.take(NUM_HEROES)  # kills since the last death
DEATH_STREAK = _k.take(NUM_HEROES)  # deaths since the last kill
LAST_WHAT = _k.take(NUM_HEROES)
ACTION = _k.take(NUM_HEROES * NUM_HEADS)  # last action as given: seat * 4 + head
ORDER = _k.take(NUM_HEROES)  # What of the order that is being carried out
ORDER_TARGET = _k.take(NUM_HEROES)  # unit, -1: none
ORDER_DIR = _k.take(NUM_HEROES)
ORDER_DIST = _k.take(NUM_HEROES)
ILLEGAL = _k.take(NUM_HEROES)  # illegal actions so far; each acted as none
# Unit behind every slot of the Who head, written after vision: seat * 24 + slot; -1: none
SLOTS = _k.take(NUM_HEROES * NUM_WHO)

ZONE_UNTIL = _k.take(2 * ZONES_PER_TEAM)
ZONE_OWNER = _k.take(2 * ZONES_PER_TEAM)
ZONE_TYPE = _k.take(2 * ZONES_PER_TEAM)
ZONE_FOLLOW = _k.take(2 * ZONES_PER_TEAM)
CAST_AT = _k.take(2 * CASTS_PER_TEAM)  # tick at which the delayed cast lands, 0: free slot
CAST_OWNER = _k.take(2 * CASTS_PER_TEAM)
CAST_SKILL = _k.take(2 * CASTS_PER_TEAM)
CAST_TARGET = _k.take(2 * CASTS_PER_TEAM)  # unit that the cast follows, -1: it lands on its point
DOT_UNTIL = _k.take(2 * DOTS_PER_TEAM)
DOT_TARGET = _k.take(2 * DOTS_PER_TEAM)
DOT_SOURCE = _k.take(2 * DOTS_PER_TEAM)
DOT_TYPE = _k.take(2 * DOTS_PER_TEAM)
REVEAL_UNTIL = _k.take(2 * REVEALS_PER_TEAM)
# Tick from which a team has no more of them: nothing is searched before one is made
ZONES_END = _k.take(2)
CASTS_END = _k.take(2)
DOTS_END = _k.take(2)
REVEALS_END = _k.take(2)

K_EVENTS = _k.size
EV_KILL = _k.take(NUM_HEROES)
EV_DEATH = _k.take(NUM_HEROES)
EV_ASSIST = _k.take(NUM_HEROES)
EV_LAST_HIT = _k.take(NUM_HEROES)
EV_FIRST_SIGHT = _k.take(
    NUM_HEROES
)  # enemy heroes that this hero's team saw first after 10 s hidden, credited to it
EV_IDLE = _k.take(NUM_HEROES)  # chose none while alive and free
EV_RESPAWN = _k.take(NUM_HEROES)  # died or respawned in this decision
EV_ATTACKS = _k.take(NUM_HEROES)  # basic attacks made
EV_STRUCTURE_ATTACKS = _k.take(NUM_HEROES)  # of these, on structures
EV_TYRANT = _k.take(2)
EV_OVERLORD = _k.take(2)
K_EVENTS_END = _k.size
# Counts since the match began, for statistics
SUM_ATTACKS = _k.take(NUM_HEROES)
SUM_STRUCTURE_ATTACKS = _k.take(NUM_HEROES)
K_SIZE = _k.size
