"""What a tick's events do: statuses first, then shields and heals, then all damage from one snapshot, then pushes.

Nothing depends on the order of the two teams' events: buffs come before controls, the stronger of two statuses wins,
sums run over events of one team in that team's own order, and what damage brings back (life steal, reflection) is
summed apart and added at the end.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fullpool.games.moba import events as e
from fullpool.games.moba import state as s
from fullpool.games.moba import tables as tb
from fullpool.games.moba.casts import land_all
from fullpool.games.moba.controls import apply_buff, apply_control, is_control
from fullpool.games.moba.displacement import apply_forces
from fullpool.games.moba.events import ONE, ZERO, Events, Number, Row, i64, touch_damage
from fullpool.games.moba.status import healing_factor, is_invulnerable, lifesteal
from fullpool.games.moba.structures import structure_armor, structure_factor
from fullpool.games.moba.summons import spawn_called
from fullpool.games.moba.tables import Tables
from fullpool.numerics.kernels import kernel

HUNDRED: Any = np.float32(100.0)


@kernel
def apply_statuses(f: Row, k: Row, ev: Events) -> None:
    """Applies the tick's statuses: everything that helps first, so that it counters what comes with it."""
    for controls in range(2):
        for n in range(ev.k[e.NUM_STATUS]):
            i, j = e.STATUS_K + 4 * n, e.STATUS_F + 2 * n
            kind, source, u = i64(ev.k[i]), i64(ev.k[i + 1]), i64(ev.k[i + 2])
            ticks, a, b = i64(ev.k[i + 3]), ev.f[j], ev.f[j + 1]
            if kind == tb.KIND_SUMMON or f[s.HP + u] <= ZERO or is_control(kind) != (controls == 1):
                continue
            if controls == 1:
                apply_control(f, k, kind, source, u, ticks, a, b, ev)
            else:
                apply_buff(f, k, kind, source, u, ticks, a, b, ev)


@kernel
def give_hp(f: Row, k: Row, source: int, u: int, amount: float) -> Number:
    """Heals a living hero by what grievous wounds leave, up to its maximum; returns the hit points given."""
    given = min(amount * healing_factor(f, k, u), f[s.MAX_HP + u] - f[s.HP + u])
    if given <= ZERO:
        return ZERO
    f[s.HP + u] += given
    f[s.EV_HEALED + source] += given
    return given


@kernel
def apply_help(f: Row, k: Row, t: Tables, ev: Events) -> None:
    """Applies the tick's heals and shields; the largest shield and the strongest heal over time win."""
    tick = k[s.TICK]
    for n in range(ev.k[e.NUM_HELP]):
        i = e.HELP_K + 4 * n
        kind, source, u = i64(ev.k[i]), i64(ev.k[i + 1]), i64(ev.k[i + 2])
        until, amount = tick + ev.k[i + 3] + 1, ev.f[e.HELP_F + n]
        if f[s.HP + u] <= ZERO:
            continue
        if source != u:
            k[s.HELPED_AT + u * s.TEAM_SIZE + source % s.TEAM_SIZE] = tick
        if kind == e.HELP_SHIELD:
            left = f[s.SHIELD + u] if k[s.SHIELD_UNTIL + u] > tick else ZERO
            if amount > left or (amount == left and until > k[s.SHIELD_UNTIL + u]):
                f[s.SHIELD + u], k[s.SHIELD_UNTIL + u] = amount, until
        elif kind == e.HELP_OVER_TIME:
            left = f[s.HOT + u] if k[s.HOT_UNTIL + u] > tick else ZERO
            if amount > left or (amount == left and until > k[s.HOT_UNTIL + u]):
                f[s.HOT + u], k[s.HOT_UNTIL + u], k[s.HOT_BY + u] = amount, until, source
        else:
            if kind == e.HELP_SUMMONER:
                if k[s.HEALED_AT + u] + i64(t.preset[tb.P_HEAL_REPEAT_TICKS]) > tick:
                    amount = amount * t.preset[tb.P_HEAL_REPEAT_FACTOR]
                k[s.HEALED_AT + u] = tick
            give_hp(f, k, source, u, amount)


@kernel
def resistance(f: Row, k: Row, t: Tables, source: int, u: int, damage_type: int) -> Number:
    """What resists: armour or magic resistance, less shred, less penetration; never below 0."""
    if damage_type == s.TRUE:
        return ZERO
    resist = ZERO
    if u < s.NUM_HEROES:
        shredded = k[s.SHRED_UNTIL + u] > k[s.TICK]
        if damage_type == s.PHYSICAL:
            resist = f[s.ARMOR + u] * (ONE - f[s.SHRED_ARMOR + u]) if shredded else f[s.ARMOR + u]
        else:
            resist = f[s.MR + u] * (ONE - f[s.SHRED_MR + u]) if shredded else f[s.MR + u]
    elif u < s.SUMMON0:
        resist = structure_armor(k, t)
    if source >= 0 and source < s.NUM_HEROES:
        resist = resist - f[s.PEN + source]
    return max(resist, ZERO)


@kernel
def dealt(f: Row, k: Row, t: Tables, source: int, u: int, n: int, ev: Events) -> Number:
    """Damage of one event after everything that reduces it, before shields."""
    i, j = e.DAMAGE_K + 4 * n, e.DAMAGE_F + 3 * n
    amount, missing = ev.f[j], ev.f[j + 1]
    if missing > ZERO:
        amount = amount * (ONE + missing * (ONE - f[s.HP + u] / f[s.MAX_HP + u]))
    resist = resistance(f, k, t, source, u, i64(ev.k[i + 2]))
    amount = amount * HUNDRED / (HUNDRED + resist)
    if u < s.NUM_HEROES:
        if is_invulnerable(k, u):
            return ZERO
        if k[s.DMGRED_UNTIL + u] > k[s.TICK]:
            amount = amount * (ONE - f[s.DMGRED + u])
    elif u < s.SUMMON0:
        amount = amount * structure_factor(f, k, t, source, u)
        if source < s.NUM_HEROES and source >= 0 and k[s.SIEGE_UNTIL + source] > k[s.TICK]:
            amount = amount * (ONE + f[s.SIEGE + source])
    return amount


@kernel
def credited_hero(k: Row, source: int) -> Number:
    """Hero whose damage it is: the source, or the owner of a summon; -1: nobody."""
    if source < s.NUM_HEROES:
        return source
    if s.SUMMON0 <= source < s.MINION0:
        return i64(k[s.OWNER + source])
    return -1


@kernel
def sum_damage(f: Row, k: Row, t: Tables, ev: Events) -> bool:
    """Works out every damage event from the same state and sums them by target; returns whether any is reflected."""
    tick = k[s.TICK]
    reflected = False
    for n in range(ev.k[e.NUM_DAMAGE]):
        i, j = e.DAMAGE_K + 4 * n, e.DAMAGE_F + 3 * n
        source, u = i64(ev.k[i]), i64(ev.k[i + 1])
        amount = ZERO
        if f[s.HP + u] > ZERO:
            amount = dealt(f, k, t, source, u, n, ev)
        ev.f[j] = amount
        if amount <= ZERO:
            continue
        touch_damage(ev, u, amount, credited_hero(k, source))
        flags = ev.k[i + 3]
        if u < s.NUM_HEROES and k[s.REFLECT_UNTIL + u] > tick and flags & e.FLAG_ATTACK:
            reflected = True
        if source >= 0 and source < s.NUM_HEROES and not (s.STRUCTURE0 <= u < s.SUMMON0):
            share = lifesteal(f, k, source)
            if flags & e.FLAG_SKILL:
                share = share * t.preset[tb.P_SKILL_LIFESTEAL]
            ev.f[e.LEECH + source] += amount * (share + ev.f[j + 2])
    return reflected


@kernel
def sum_reflected(f: Row, k: Row, ev: Events) -> None:
    """Throws back a share of basic attacks, as true damage that is not reflected again."""
    for n in range(ev.k[e.NUM_DAMAGE]):
        i = e.DAMAGE_K + 4 * n
        source, u = i64(ev.k[i]), i64(ev.k[i + 1])
        amount = ev.f[e.DAMAGE_F + 3 * n]
        if amount <= ZERO or u >= s.NUM_HEROES or not ev.k[i + 3] & e.FLAG_ATTACK:
            continue
        if k[s.REFLECT_UNTIL + u] > k[s.TICK] and f[s.HP + source] > ZERO and not is_invulnerable(k, source):
            touch_damage(ev, source, amount * f[s.REFLECT + u], u)


@kernel
def credit_damage(f: Row, k: Row, u: int, share: float, ev: Events) -> None:
    """Books a unit's lost hit points on the heroes that hurt it, by their parts in the damage."""
    tick = k[s.TICK]
    for h in range(s.NUM_HEROES):
        if not (ev.k[e.CREDITED + u] >> h) & 1:
            continue
        part = ev.credit[u, h] * share
        k[s.LAST_COMBAT + h] = tick
        if u < s.NUM_HEROES and h // s.TEAM_SIZE != u // s.TEAM_SIZE:
            f[s.EV_HURT + h] += part
            k[s.LAST_HERO_HIT + h] = tick
            k[s.DAMAGED_AT + u * s.TEAM_SIZE + h % s.TEAM_SIZE] = tick
        elif s.STRUCTURE0 <= u < s.SUMMON0:
            f[s.EV_STRUCTURE_DAMAGE + h] += part


@kernel
def apply_damage(f: Row, k: Row, t: Tables, ev: Events) -> None:
    """Takes the tick's damage from shields, then from hit points, books it, then gives what life steal brings."""
    tick = k[s.TICK]
    for h in range(s.NUM_HEROES):
        ev.f[e.LEECH + h] = ZERO
    if sum_damage(f, k, t, ev):
        sum_reflected(f, k, ev)
    for n in range(ev.k[e.NUM_HURT]):
        u = i64(ev.k[e.HURT + n])
        damage = ev.damage[u]
        lost = damage
        if u < s.NUM_HEROES:
            if k[s.SHIELD_UNTIL + u] > tick and f[s.SHIELD + u] > ZERO:
                absorbed = min(f[s.SHIELD + u], damage)
                f[s.SHIELD + u] -= absorbed
                lost = damage - absorbed
            k[s.LAST_HURT + u], k[s.LAST_COMBAT + u], k[s.RECALL_DONE + u] = tick, tick, 0
        lost = min(lost, f[s.HP + u])
        f[s.HP + u] -= lost
        part = lost / f[s.MAX_HP + u]
        if u < s.NUM_HEROES:
            f[s.EV_TAKEN + u] += part
        elif u < s.SUMMON0:
            f[s.EV_TURRET + u] += part
        if ev.k[e.CREDITED + u] != 0:
            credit_damage(f, k, u, part / damage, ev)
    for h in range(s.NUM_HEROES):
        if ev.f[e.LEECH + h] > ZERO and f[s.HP + h] > ZERO:
            give_hp(f, k, h, h, ev.f[e.LEECH + h])


@kernel
def resolve(f: Row, k: Row, t: Tables, ev: Events) -> None:
    """Resolves everything that was collected in this tick, except deaths.

    Call after all of `tick_zones_dots`, `land_delayed`, `cast_orders`, `hero_attacks`, `tick_summons` and the
    attacks of minions and structures. `ev.k[HURT]` then lists the units that took damage, `ev.damage` and
    `ev.credit` how much and from whom; a unit without hit points among them has died.
    """
    if ev.k[e.NUM_LANDINGS] > 0:
        land_all(f, k, t, ev)
    if ev.k[e.NUM_STATUS] > 0:
        apply_statuses(f, k, ev)
    if ev.k[e.NUM_HELP] > 0:
        apply_help(f, k, t, ev)
    if ev.k[e.NUM_DAMAGE] > 0:
        apply_damage(f, k, t, ev)
    if ev.k[e.NUM_FORCED] > 0:
        apply_forces(f, k, t, ev)
    if ev.k[e.NUM_STATUS] > 0:
        spawn_called(f, k, t, ev)
