"""How single statuses are put on a unit, and what counters them.

Buffs (and cleansing) are applied before controls, so that an unstoppable or freshly cleansed hero meets the same
tick's controls as such: unstoppable ones ignore them, cleansed ones catch the new ones.
"""

from __future__ import annotations

from fullpool.games.moba import events as e
from fullpool.games.moba import state as s
from fullpool.games.moba import tables as tb
from fullpool.games.moba.displacement import add_push, set_dash
from fullpool.games.moba.events import ZERO, Events, Number, Row
from fullpool.games.moba.shapes import tie
from fullpool.games.moba.zones import interrupt_casts
from fullpool.numerics.kernels import kernel


@kernel
def is_control(kind: int) -> bool:
    """Whether a status is meant for enemies: applied after buffs."""
    if kind == tb.KIND_STUN or kind == tb.KIND_ROOT or kind == tb.KIND_SLOW or kind == tb.KIND_SILENCE:
        return True
    if kind == tb.KIND_DISARM or kind == tb.KIND_KNOCK or kind == tb.KIND_TAUNT:
        return True
    return kind == tb.KIND_SHRED or kind == tb.KIND_GRIEV


@kernel
def is_structure(u: int) -> bool:
    """Whether a unit is a turret or crystal: no status holds on it."""
    return s.STRUCTURE0 <= u < s.SUMMON0


@kernel
def lengthen(k: Row, field: int, u: int, until: int) -> None:
    """Keeps the later end of two."""
    k[field + u] = max(k[field + u], until)


@kernel
def strongest(f: Row, k: Row, magnitude: int, until: int, u: int, amount: float, end: int) -> None:
    """Puts a magnitude with its end on a unit unless a stronger one, or an equal and longer one, still holds."""
    holds = k[until + u] > k[s.TICK]
    if holds and (f[magnitude + u] > amount or (f[magnitude + u] == amount and k[until + u] >= end)):
        return
    f[magnitude + u], k[until + u] = amount, end


@kernel
def cleanse(k: Row, u: int) -> None:
    """Takes controls and weakenings that began in earlier ticks off a hero."""
    k[s.STUN_UNTIL + u], k[s.ROOT_UNTIL + u], k[s.SLOW_UNTIL + u] = 0, 0, 0
    k[s.SILENCE_UNTIL + u], k[s.DISARM_UNTIL + u], k[s.TAUNT_UNTIL + u] = 0, 0, 0
    k[s.GRIEVOUS_UNTIL + u], k[s.SHRED_UNTIL + u] = 0, 0


@kernel
def magnitude_fields(kind: int) -> tuple[Number, Number]:
    """Where a buff with a magnitude keeps it and its end; (-1, -1) for other kinds."""
    if kind == tb.KIND_HASTE:
        return s.HASTE, s.HASTE_UNTIL
    if kind == tb.KIND_ASPD:
        return s.ASPD_BUFF, s.ASPD_UNTIL
    if kind == tb.KIND_LIFESTEAL:
        return s.LIFESTEAL_BUFF, s.LIFESTEAL_UNTIL
    if kind == tb.KIND_REFLECT:
        return s.REFLECT, s.REFLECT_UNTIL
    if kind == tb.KIND_STRUCT:
        return s.SIEGE, s.SIEGE_UNTIL
    if kind == tb.KIND_RANGEUP:
        return s.RANGEUP, s.RANGEUP_UNTIL
    if kind == tb.KIND_ONHITPCT:
        return s.ONHIT, s.ONHIT_UNTIL
    if kind == tb.KIND_DMGRED:
        return s.DMGRED, s.DMGRED_UNTIL
    return -1, -1


@kernel
def apply_buff(
    f: Row, k: Row, kind: int, source: int, u: int, ticks: int, a: float, b: float, ev: Events
) -> None:
    """Puts a status that helps on a hero, or queues its dash or blink; arguments as in `push_status`."""
    if u >= s.NUM_HEROES:
        return
    end = k[s.TICK] + ticks + 1
    magnitude, until = magnitude_fields(kind)
    if magnitude >= 0:
        strongest(f, k, magnitude, until, u, a, end)
    elif kind == tb.KIND_GAPCLOSE or kind == tb.KIND_BLINK:
        set_dash(ev, u, a, b, ticks)
    elif kind == tb.KIND_STEALTH:
        lengthen(k, s.STEALTH_UNTIL, u, end)
    elif kind == tb.KIND_UNSTOP:
        lengthen(k, s.UNSTOP_UNTIL, u, end)
    elif kind == tb.KIND_INVULN:
        lengthen(k, s.INVULN_UNTIL, u, end)
    elif kind == tb.KIND_CLEANSE:
        cleanse(k, u)
    elif kind == tb.KIND_EMPOWER:
        k[s.EMPOWER_COUNT + u] = ticks
        f[s.EMPOWER_DAMAGE + u], f[s.EMPOWER_STUN + u] = a, b


@kernel
def stop_dash(k: Row, u: int, ev: Events) -> None:
    """Ends a unit's own dash, under way or queued; pushes by others go on."""
    if k[s.AIR_UNTIL + u] <= k[s.TICK]:
        k[s.FORCE_UNTIL + u] = min(k[s.FORCE_UNTIL + u], k[s.TICK])
    if u < s.NUM_HEROES and ev.k[e.DASH_TICKS + u] != 0:
        set_dash(ev, u, ZERO, ZERO, 1)


@kernel
def interrupt(k: Row, u: int, ev: Events) -> None:
    """What stuns and pushes break off: dash, recall, casts that have not landed."""
    stop_dash(k, u, ev)
    if u < s.NUM_HEROES:
        k[s.RECALL_DONE + u] = 0
        interrupt_casts(k, u)


@kernel
def weaken(f: Row, k: Row, kind: int, u: int, end: int, a: float, b: float) -> None:
    """Grievous wounds and shredded resistances: not controls, unstoppable heroes suffer them too."""
    if kind == tb.KIND_GRIEV:
        strongest(f, k, s.GRIEVOUS, s.GRIEVOUS_UNTIL, u, a, end)
        return
    held = f[s.SHRED_ARMOR + u] + f[s.SHRED_MR + u]
    holds = k[s.SHRED_UNTIL + u] > k[s.TICK]
    if holds and (held > a + b or (held == a + b and k[s.SHRED_UNTIL + u] >= end)):
        return
    f[s.SHRED_ARMOR + u], f[s.SHRED_MR + u], k[s.SHRED_UNTIL + u] = a, b, end


@kernel
def taunt(f: Row, k: Row, source: int, u: int, end: int) -> None:
    """Forces a hero to attack the source; of two taunts the longer counts, then the nearer."""
    k[s.RECALL_DONE + u] = 0
    old = k[s.TAUNT_BY + u]
    if k[s.TAUNT_UNTIL + u] > end:
        return
    if k[s.TAUNT_UNTIL + u] == end:
        dx, dy = f[s.X + source] - f[s.X + u], f[s.Y + source] - f[s.Y + u]
        ox, oy = f[s.X + old] - f[s.X + u], f[s.Y + old] - f[s.Y + u]
        new_d2, old_d2 = dx * dx + dy * dy, ox * ox + oy * oy
        team = u // s.TEAM_SIZE
        if old_d2 < new_d2 or (old_d2 == new_d2 and tie(k, team, old) < tie(k, team, source)):
            return
    k[s.TAUNT_UNTIL + u], k[s.TAUNT_BY + u] = end, source


@kernel
def control_hero(f: Row, k: Row, kind: int, source: int, u: int, end: int, a: float, b: float) -> None:
    """Statuses that only heroes feel."""
    if kind == tb.KIND_SILENCE:
        lengthen(k, s.SILENCE_UNTIL, u, end)
    elif kind == tb.KIND_DISARM:
        lengthen(k, s.DISARM_UNTIL, u, end)
    elif kind == tb.KIND_TAUNT and source < s.NUM_HEROES:
        taunt(f, k, source, u, end)


@kernel
def apply_control(
    f: Row, k: Row, kind: int, source: int, u: int, ticks: int, a: float, b: float, ev: Events
) -> None:
    """Puts a status that harms on a unit; arguments as in `push_status`."""
    if is_structure(u):
        return
    end = k[s.TICK] + ticks + 1
    if kind == tb.KIND_SHRED or kind == tb.KIND_GRIEV:
        if u < s.NUM_HEROES:
            weaken(f, k, kind, u, end, a, b)
        return
    if u < s.NUM_HEROES and k[s.UNSTOP_UNTIL + u] > k[s.TICK]:
        return
    if kind == tb.KIND_STUN:
        lengthen(k, s.STUN_UNTIL, u, end)
        interrupt(k, u, ev)
    elif kind == tb.KIND_KNOCK:
        interrupt(k, u, ev)
        lengthen(k, s.AIR_UNTIL, u, end)
        add_push(ev, u, a, b, ticks)
    elif kind == tb.KIND_ROOT:
        lengthen(k, s.ROOT_UNTIL, u, end)
        stop_dash(k, u, ev)
    elif kind == tb.KIND_SLOW:
        strongest(f, k, s.SLOW, s.SLOW_UNTIL, u, a, end)
    elif u < s.NUM_HEROES:
        control_hero(f, k, kind, source, u, end, a, b)
