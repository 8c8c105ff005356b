"""Phase 7 of a tick: all deaths of the tick together, who gets what for them, and whether they end the match.

Credit goes by the damage of that very tick; if no hero dealt any, a hero's death goes to the enemy hero that hurt it
last. Everything is paid by the streaks and positions before the tick's deaths, so that no order of units shows.
"""

from __future__ import annotations

import numpy as np

from fullpool.games.contract import DRAW
from fullpool.games.moba import state as s
from fullpool.games.moba import tables as tb
from fullpool.games.moba.casts import on_kill
from fullpool.games.moba.columns import Scalar
from fullpool.games.moba.economy import grant_gold, grant_xp, respawn_ticks
from fullpool.games.moba.events import HURT, NUM_HURT, Events, Row
from fullpool.games.moba.status import place_in_team
from fullpool.games.moba.structures import distance2
from fullpool.games.moba.tables import Tables
from fullpool.games.moba.zones import forget_unit
from fullpool.numerics.hashing import hash_u32
from fullpool.numerics.kernels import kernel

ZERO: Scalar = np.float32(0.0)
ONE: Scalar = np.float32(1.0)
FOREVER = 1 << 30
PURPOSE_KILL = 12


@kernel
def has_just_died(f: Row, k: Row, h: int) -> Scalar:
    """Whether a hero has no hit points left and its death is not settled yet."""
    return f[s.HP + h] <= ZERO and k[s.RESPAWN_AT + h] == 0


@kernel
def find_killer(f: Row, k: Row, t: Tables, ev: Events, victim: int) -> Scalar:
    """Enemy hero that a death is credited to: most damage in this tick, else the last to hurt it; -1: nobody.

    Ties go to the nearer hero, then to the draw of the victim's stream.
    """
    team = victim // s.TEAM_SIZE
    first, best, best_score, best_d2 = (1 - team) * s.TEAM_SIZE, -1, ZERO, ZERO
    since = k[s.TICK] - np.int64(t.preset[tb.P_ASSIST_TICKS])
    none_now = True
    for h in range(first, first + s.TEAM_SIZE):
        none_now &= ev.credit[victim, h] <= ZERO
    for place in range(s.TEAM_SIZE):
        h = first + place
        score = ev.credit[victim, h]
        if none_now:
            score = np.float32(k[s.DAMAGED_AT + victim * s.TEAM_SIZE + place] - since + 1)
        if score <= ZERO or score < best_score:
            continue
        d2 = distance2(f, victim, h)
        wins = score > best_score or d2 < best_d2
        if score == best_score and d2 == best_d2:
            stream, tick = k[s.SEED + 2 * team], k[s.TICK]
            wins = hash_u32(stream, place, tick, PURPOSE_KILL) < hash_u32(
                stream, place_in_team(best), tick, PURPOSE_KILL
            )
        if wins:
            best, best_score, best_d2 = h, score, d2
    return best


@kernel
def bounty(k: Row, t: Tables, victim: int) -> Scalar:
    """Gold for killing a hero: more for its streak, less for each of its deaths in a row."""
    gold = t.preset[tb.P_KILL_GOLD] + t.preset[tb.P_KILL_STREAK] * np.float32(k[s.KILL_STREAK + victim])
    gold = gold * max(ZERO, ONE - t.preset[tb.P_KILL_DEATH_STREAK] * np.float32(k[s.DEATH_STREAK + victim]))
    return max(gold, t.preset[tb.P_KILL_GOLD_MIN])


@kernel
def has_assisted(f: Row, k: Row, t: Tables, victim: int, killer: int, h: int) -> Scalar:
    """Whether a hero lately hurt the victim, or healed or shielded the killer."""
    since = k[s.TICK] - np.int64(t.preset[tb.P_ASSIST_TICKS])
    place = h % s.TEAM_SIZE
    hurt = k[s.DAMAGED_AT + victim * s.TEAM_SIZE + place] >= since
    return hurt or k[s.HELPED_AT + killer * s.TEAM_SIZE + place] >= since


@kernel
def _pay_kill(f: Row, k: Row, t: Tables, ev: Events, victim: int) -> None:
    killer = find_killer(f, k, t, ev, victim)
    k[s.KILLER + victim] = killer
    if killer < 0:
        return
    grant_gold(f, killer, bounty(k, t, victim))
    xp = t.preset[tb.P_KILL_XP] + t.preset[tb.P_KILL_XP_LEVEL] * np.float32(k[s.LEVEL + victim])
    grant_xp(f, t, killer, xp)
    k[s.KILLS + killer] += 1
    k[s.EV_KILL + killer] += 1
    first = killer - killer % s.TEAM_SIZE
    helpers = 0
    for h in range(first, first + s.TEAM_SIZE):
        if h != killer and has_assisted(f, k, t, victim, killer, h):
            helpers += 1
    radius2 = t.preset[tb.P_KILL_XP_RADIUS] * t.preset[tb.P_KILL_XP_RADIUS]
    for h in range(first, first + s.TEAM_SIZE):
        if h == killer:
            continue
        if has_assisted(f, k, t, victim, killer, h):
            k[s.ASSISTS + h] += 1
            k[s.EV_ASSIST + h] += 1
            grant_gold(f, h, t.preset[tb.P_ASSIST_GOLD] / np.float32(helpers))
        if f[s.HP + h] > ZERO and distance2(f, h, victim) <= radius2:
            grant_xp(f, t, h, xp * t.preset[tb.P_KILL_XP_SHARE])


@kernel
def clear_hero(f: Row, k: Row, h: int) -> None:
    """Ends every status and order of a hero. The blocks from `SILENCE_UNTIL` to `INVULN_UNTIL` lie together."""
    for base in range(s.SILENCE_UNTIL, s.INVULN_UNTIL + 1, s.NUM_HEROES):
        k[base + h] = 0
    for base in range(s.STUN_UNTIL, s.SLOW_UNTIL + 1, s.NUM_UNITS):
        k[base + h] = 0
    k[s.TAUNT_BY + h] = -1
    k[s.HOT_BY + h] = -1
    f[s.SHIELD + h] = ZERO
    k[s.EMPOWER_COUNT + h] = 0
    k[s.RESET_SKILL + h] = -1
    k[s.REVEALED_UNTIL + h] = 0
    k[s.EXPOSED_UNTIL + h] = 0
    k[s.RECALL_DONE + h] = 0
    k[s.ORDER + h] = s.NONE
    k[s.ORDER_TARGET + h] = -1
    k[s.TARGET + h] = -1


@kernel
def _bury_hero(f: Row, k: Row, t: Tables, h: int) -> None:
    f[s.HP + h] = ZERO
    k[s.DEATHS + h] += 1
    k[s.EV_DEATH + h] += 1
    k[s.EV_RESPAWN + h] = 1
    k[s.KILL_STREAK + h] = 0
    k[s.DEATH_STREAK + h] += 1
    k[s.RESPAWN_AT + h] = FOREVER
    if t.preset[tb.P_RESPAWNS] > ZERO:
        k[s.RESPAWN_AT + h] = k[s.TICK] + respawn_ticks(k, t, h)
    forget_unit(k, h)
    clear_hero(f, k, h)


@kernel
def _hero_deaths(f: Row, k: Row, t: Tables, ev: Events) -> None:
    """Pays for all deaths, then updates the streaks of killers, then those of the dead."""
    for h in range(s.NUM_HEROES):
        if has_just_died(f, k, h):
            _pay_kill(f, k, t, ev, h)
    for h in range(s.NUM_HEROES):
        if has_just_died(f, k, h) and k[s.KILLER + h] >= 0:
            killer = k[s.KILLER + h]
            k[s.KILL_STREAK + killer] += 1
            k[s.DEATH_STREAK + killer] = 0
            on_kill(f, k, t, killer)
    for h in range(s.NUM_HEROES):
        if has_just_died(f, k, h):
            _bury_hero(f, k, t, h)


@kernel
def _pay_minion(f: Row, k: Row, t: Tables, ev: Events, u: int) -> None:
    """Pays for a minion: the last hitters share its gold, heroes near get a part, all near share experience."""
    row = t.minion[k[s.TYPE + u] - s.TYPE_MELEE]
    first = (1 - (u - s.MINION0) // s.MINIONS_PER_TEAM) * s.TEAM_SIZE
    hitters, near = 0, 0
    gold_radius2 = t.preset[tb.P_LAST_HIT_RADIUS] * t.preset[tb.P_LAST_HIT_RADIUS]
    xp_radius2 = t.preset[tb.P_XP_RADIUS] * t.preset[tb.P_XP_RADIUS]
    for h in range(first, first + s.TEAM_SIZE):
        hitters += 1 if ev.credit[u, h] > ZERO else 0
        near += 1 if f[s.HP + h] > ZERO and distance2(f, u, h) <= xp_radius2 else 0
    xp = row[tb.MINION_XP]
    if near > 1:
        xp = xp * t.preset[tb.P_XP_SHARED] / np.float32(near)
    for h in range(first, first + s.TEAM_SIZE):
        alive, d2 = f[s.HP + h] > ZERO, distance2(f, u, h)
        if ev.credit[u, h] > ZERO:
            grant_gold(f, h, row[tb.MINION_GOLD] / np.float32(hitters))
            k[s.LAST_HITS + h] += 1
            k[s.EV_LAST_HIT + h] += 1
        elif alive and d2 <= gold_radius2:
            grant_gold(f, h, row[tb.MINION_GOLD] * t.preset[tb.P_LAST_HIT_SHARE])
        if alive and d2 <= xp_radius2:
            grant_xp(f, t, h, xp)


@kernel
def _fall(f: Row, k: Row, t: Tables) -> None:
    """Marks fallen structures; the first turret of the match pays the team that felled it (both, in one tick)."""
    first_fell = k[s.FIRST_TURRET]
    for index in range(2 * s.STRUCTURES_PER_TEAM):
        u = s.STRUCTURE0 + index
        if f[s.HP + u] > ZERO or f[s.MAX_HP + u] <= ZERO or k[s.EXPIRES + u] > 0:
            continue
        k[s.EXPIRES + u] = k[s.TICK] + 1
        k[s.TARGET + u] = -1
        if index % s.STRUCTURES_PER_TEAM == s.CRYSTAL:
            k[s.OVER] = 1
            k[s.ENDED_BY_CRYSTAL] = 1
        elif first_fell == 0:
            k[s.FIRST_TURRET] = 1
            winner = 1 - index // s.STRUCTURES_PER_TEAM
            for h in range(winner * s.TEAM_SIZE, (winner + 1) * s.TEAM_SIZE):
                grant_gold(f, h, t.preset[tb.P_TURRET_FIRST_GOLD])
    if k[s.OVER] == 1:
        a = f[s.HP + s.STRUCTURE0 + s.CRYSTAL] > ZERO
        b = f[s.HP + s.STRUCTURE0 + s.STRUCTURES_PER_TEAM + s.CRYSTAL] > ZERO
        k[s.WINNER] = s.TEAM_A if a else (s.TEAM_B if b else DRAW)


@kernel
def _bury_others(f: Row, k: Row, t: Tables, ev: Events) -> None:
    for u in range(s.SUMMON0, s.MONSTER0):
        if f[s.HP + u] <= ZERO and f[s.MAX_HP + u] > ZERO:
            if u >= s.MINION0:
                _pay_minion(f, k, t, ev, u)
            f[s.HP + u] = ZERO
            f[s.MAX_HP + u] = ZERO
            k[s.TYPE + u] = s.TYPE_NONE
            k[s.STEP + u] = 0
            k[s.TARGET + u] = -1
            k[s.VISIBLE + u] = 0
            forget_unit(k, u)


@kernel
def _last_team_standing(f: Row, k: Row) -> None:
    alive_a = alive_b = 0
    for h in range(s.TEAM_SIZE):
        alive_a += 1 if f[s.HP + h] > ZERO else 0
        alive_b += 1 if f[s.HP + s.TEAM_SIZE + h] > ZERO else 0
    if alive_a == 0 or alive_b == 0:
        k[s.OVER] = 1
        k[s.WINNER] = s.TEAM_A if alive_a > 0 else (s.TEAM_B if alive_b > 0 else DRAW)


@kernel
def someone_died(f: Row, ev: Events) -> Scalar:
    """Whether a unit that was hurt in this tick has no hit points left."""
    dead = 0
    for i in range(ev.k[NUM_HURT]):
        dead += 1 if f[s.HP + ev.k[HURT + i]] <= ZERO else 0
    return dead > 0


@kernel
def settle_deaths(f: Row, k: Row, t: Tables, ev: Events) -> None:
    """Settles every death of the tick; ends the match if a crystal fell or, without structures, a team is dead."""
    _hero_deaths(f, k, t, ev)
    _bury_others(f, k, t, ev)
    if t.preset[tb.P_HAS_STRUCTURES] > ZERO:
        _fall(f, k, t)
    else:
        _last_team_standing(f, k)
