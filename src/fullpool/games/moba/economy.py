"""Gold, experience, levels, items, regeneration, fountain, recall and respawn.

All of it happens once a decision (half a second), not in every tick: recalls and respawns end with one, too.
"""

from __future__ import annotations

import numpy as np

from fullpool.games.moba import state as s
from fullpool.games.moba import tables as tb
from fullpool.games.moba.columns import Scalar
from fullpool.games.moba.events import Events, Row, push_damage
from fullpool.games.moba.status import can_act
from fullpool.games.moba.tables import Tables
from fullpool.numerics.kernels import kernel

ZERO: Scalar = np.float32(0.0)
ONE: Scalar = np.float32(1.0)
PERIOD = s.TICKS_PER_DECISION
PERIOD_SECONDS = np.float32(PERIOD / s.TICKS_PER_SECOND)
MAX_LEVEL = 12
NOBODY = -1


@kernel
def grant_gold(f: Row, h: int, amount: Scalar) -> None:
    """Gives a hero gold."""
    f[s.GOLD + h] += amount
    f[s.GOLD_TOTAL + h] += amount
    f[s.EV_GOLD + h] += amount


@kernel
def grant_xp(f: Row, t: Tables, h: int, amount: Scalar) -> None:
    """Gives a hero experience, up to what the last level needs."""
    gain = min(amount, t.level_xp[MAX_LEVEL - 1] - f[s.XP + h])
    f[s.XP + h] += gain
    f[s.EV_XP + h] += gain


@kernel
def refresh_stats(f: Row, k: Row, t: Tables, h: int) -> None:
    """Recomputes a hero's statistics from level and items; a living hero gains what its maxima grew by."""
    hero, levels = t.hero[k[s.HERO_ID + h]], np.float32(k[s.LEVEL + h] - 1)
    max_hp = hero[tb.HERO_HP] + hero[tb.HERO_HP_PER_LEVEL] * levels
    max_mana = hero[tb.HERO_MANA] + hero[tb.HERO_MANA_PER_LEVEL] * levels
    f[s.AD + h] = hero[tb.HERO_AD] + hero[tb.HERO_AD_PER_LEVEL] * levels
    f[s.AP + h] = ZERO
    f[s.ARMOR + h] = hero[tb.HERO_ARMOR] + hero[tb.HERO_ARMOR_PER_LEVEL] * levels
    f[s.MR + h] = hero[tb.HERO_MR] + hero[tb.HERO_MR_PER_LEVEL] * levels
    f[s.INTERVAL + h] = hero[tb.HERO_INTERVAL]
    f[s.ASPD + h] = t.preset[tb.P_ASPD_LEVEL] * levels
    f[s.RANGE + h] = hero[tb.HERO_RANGE]
    f[s.SPEED + h] = hero[tb.HERO_SPEED]
    f[s.LIFESTEAL + h] = ZERO
    f[s.CDR + h] = ZERO
    f[s.PEN + h] = ZERO
    for step in range(k[s.ITEM_STEP + h]):
        item = t.item[k[s.HERO_ID + h], step]
        max_hp += item[tb.ITEM_HP]
        max_mana += item[tb.ITEM_MANA]
        f[s.AD + h] += item[tb.ITEM_AD]
        f[s.AP + h] += item[tb.ITEM_AP]
        f[s.ARMOR + h] += item[tb.ITEM_ARMOR]
        f[s.MR + h] += item[tb.ITEM_MR]
        f[s.ASPD + h] += item[tb.ITEM_ASPD]
        f[s.LIFESTEAL + h] += item[tb.ITEM_LIFESTEAL]
        f[s.CDR + h] += item[tb.ITEM_CDR]
        f[s.PEN + h] += item[tb.ITEM_PEN]
    f[s.CDR + h] = min(f[s.CDR + h], t.preset[tb.P_CDR_CAP])
    if f[s.HP + h] > ZERO:
        f[s.HP + h] += max_hp - f[s.MAX_HP + h]
        f[s.MANA + h] += max_mana - f[s.MAX_MANA + h]
    f[s.MAX_HP + h] = max_hp
    f[s.MAX_MANA + h] = max_mana


@kernel
def level_and_buy(f: Row, k: Row, t: Tables, h: int) -> None:
    """Raises a hero's level by its experience and buys the next items of its build, wherever it is."""
    changed = False
    while k[s.LEVEL + h] < MAX_LEVEL and f[s.XP + h] >= t.level_xp[k[s.LEVEL + h]]:
        k[s.LEVEL + h] += 1
        changed = True
    while k[s.ITEM_STEP + h] < tb.NUM_ITEMS:
        cost = t.item[k[s.HERO_ID + h], k[s.ITEM_STEP + h], tb.ITEM_COST]
        if f[s.GOLD + h] < cost:
            break
        f[s.GOLD + h] -= cost
        k[s.ITEM_STEP + h] += 1
        changed = True
    if changed:
        refresh_stats(f, k, t, h)


@kernel
def in_fountain(f: Row, t: Tables, u: int, team: int) -> Scalar:
    """Whether a unit stands in a team's fountain, around the middle of its spawn."""
    middle = t.spawn[team, s.TEAM_SIZE // 2]
    dx, dy = f[s.X + u] - middle[0], f[s.Y + u] - middle[1]
    return dx * dx + dy * dy <= t.preset[tb.P_FOUNTAIN_RADIUS] * t.preset[tb.P_FOUNTAIN_RADIUS]


@kernel
def fountain_attacks(f: Row, t: Tables, ev: Events) -> None:
    """Collects, once a decision, what the fountains do to enemy heroes inside them."""
    if t.preset[tb.P_FOUNTAIN_DAMAGE] <= ZERO:
        return
    amount = t.preset[tb.P_FOUNTAIN_DAMAGE] * PERIOD_SECONDS
    for h in range(s.NUM_HEROES):
        if f[s.HP + h] > ZERO and in_fountain(f, t, h, 1 - h // s.TEAM_SIZE):
            push_damage(ev, NOBODY, h, amount, s.TRUE, 0, ZERO, ZERO)


@kernel
def _regenerate(f: Row, k: Row, t: Tables, h: int) -> None:
    hp_share, mana_share = ZERO, t.preset[tb.P_MANA_REGEN]
    if k[s.TICK] - k[s.LAST_COMBAT + h] >= np.int64(t.preset[tb.P_HP_REGEN_DELAY_TICKS]):
        hp_share = t.preset[tb.P_HP_REGEN]
    if in_fountain(f, t, h, h // s.TEAM_SIZE):
        hp_share = hp_share + t.preset[tb.P_FOUNTAIN_HEAL]
        mana_share = mana_share + t.preset[tb.P_FOUNTAIN_HEAL]
    hp = f[s.HP + h] + f[s.MAX_HP + h] * (hp_share * PERIOD_SECONDS)
    f[s.HP + h] = min(hp, f[s.MAX_HP + h])
    mana = f[s.MANA + h] + f[s.MAX_MANA + h] * (mana_share * PERIOD_SECONDS)
    f[s.MANA + h] = min(mana, f[s.MAX_MANA + h])


@kernel
def place_at_spawn(f: Row, t: Tables, h: int) -> None:
    """Puts a hero on its place in its base."""
    f[s.X + h] = t.spawn[h // s.TEAM_SIZE, h % s.TEAM_SIZE, 0]
    f[s.Y + h] = t.spawn[h // s.TEAM_SIZE, h % s.TEAM_SIZE, 1]
    f[s.LAST_X + h] = f[s.X + h]
    f[s.LAST_Y + h] = f[s.Y + h]


@kernel
def respawn_ticks(k: Row, t: Tables, h: int) -> Scalar:
    """How long a hero that dies now stays dead."""
    seconds = t.preset[tb.P_RESPAWN_BASE] + t.preset[tb.P_RESPAWN_LEVEL] * np.float32(k[s.LEVEL + h])
    later = ONE + t.preset[tb.P_RESPAWN_MINUTE] * np.float32(k[s.TICK]) / np.float32(600.0)
    return np.int64(np.ceil(seconds * later * np.float32(s.TICKS_PER_SECOND) - np.float32(1.0e-3)))


@kernel
def _respawn(f: Row, k: Row, t: Tables, h: int) -> None:
    place_at_spawn(f, t, h)
    f[s.HP + h] = f[s.MAX_HP + h]
    f[s.MANA + h] = f[s.MAX_MANA + h]
    k[s.RESPAWN_AT + h] = 0
    k[s.EV_RESPAWN + h] = 1


@kernel
def start_recall(k: Row, t: Tables, h: int) -> None:
    """Begins a recall unless one is under way."""
    if k[s.RECALL_DONE + h] == 0 and can_act(k, h):
        k[s.RECALL_DONE + h] = k[s.TICK] + np.int64(t.preset[tb.P_RECALL_TICKS])


@kernel
def _recall(f: Row, k: Row, t: Tables, h: int) -> None:
    """Breaks a recall by damage or control; ends it at the base when its time has come."""
    began = k[s.RECALL_DONE + h] - np.int64(t.preset[tb.P_RECALL_TICKS])
    forced = k[s.FORCE_UNTIL + h] > k[s.TICK]
    if k[s.LAST_HURT + h] >= began or forced or not can_act(k, h):
        k[s.RECALL_DONE + h] = 0
    elif k[s.TICK] + 1 >= k[s.RECALL_DONE + h]:
        k[s.RECALL_DONE + h] = 0
        place_at_spawn(f, t, h)


@kernel
def run_economy(f: Row, k: Row, t: Tables) -> None:
    """Phase 9 of a decision's last tick: recall, respawn, income, regeneration, levels and items."""
    income = t.preset[tb.P_PASSIVE_GOLD] * PERIOD_SECONDS
    for h in range(s.NUM_HEROES):
        if k[s.HERO_ID + h] < 0:
            continue
        if k[s.RECALL_DONE + h] > 0:
            _recall(f, k, t, h)
        if f[s.HP + h] <= ZERO and k[s.RESPAWN_AT + h] <= k[s.TICK] + 1:
            _respawn(f, k, t, h)
        if income > ZERO:
            grant_gold(f, h, income)
        if f[s.HP + h] > ZERO:
            _regenerate(f, k, t, h)
        level_and_buy(f, k, t, h)
