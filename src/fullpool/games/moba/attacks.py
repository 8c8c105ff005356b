"""Basic attacks of heroes: no wind-up, the hit lands in the tick it is made."""

from __future__ import annotations

from fullpool.games.moba import events as e
from fullpool.games.moba import state as s
from fullpool.games.moba import tables as tb
from fullpool.games.moba.events import ZERO, Events, Number, Row, i64, push_damage, push_status
from fullpool.games.moba.status import (
    attack_range,
    attack_ticks,
    can_attack,
    is_alive,
    is_seen_by,
    is_taunted,
    team_of,
    ticks_of,
)
from fullpool.games.moba.tables import Tables
from fullpool.numerics.kernels import kernel


@kernel
def expose(k: Row, t: Tables, h: int) -> None:
    """What every attack and cast does to its hero: stealth and recall end, brush hides it no more for a while."""
    k[s.STEALTH_UNTIL + h] = 0
    k[s.RECALL_DONE + h] = 0
    k[s.EXPOSED_UNTIL + h] = k[s.TICK] + i64(t.preset[tb.P_EXPOSED_TICKS]) + 1


@kernel
def attack_target(f: Row, k: Row, h: int) -> Number:
    """Unit that a hero attacks in this tick, in reach or not: the one that taunted it, else its order's; -1: none."""
    if is_taunted(k, h) and is_alive(f, k[s.TAUNT_BY + h]):
        return i64(k[s.TAUNT_BY + h])
    if k[s.ORDER + h] != s.ATTACK or is_taunted(k, h):
        return -1
    return i64(k[s.ORDER_TARGET + h])


@kernel
def in_reach(f: Row, k: Row, h: int, u: int) -> bool:
    """Whether an enemy is alive, seen and within the reach of a hero's basic attack."""
    team = h // s.TEAM_SIZE
    if not is_alive(f, u) or team_of(u) == team or not is_seen_by(k, u, team):
        return False
    dx, dy = f[s.X + u] - f[s.X + h], f[s.Y + u] - f[s.Y + h]
    reach = attack_range(f, k, h)
    return bool(dx * dx + dy * dy <= reach * reach)


@kernel
def strike(f: Row, k: Row, t: Tables, h: int, u: int, ev: Events) -> None:
    """Makes one basic attack: damage, empowered damage and stun, a share of the target's hit points."""
    tick = k[s.TICK]
    k[s.ATTACK_AT + h] = tick + attack_ticks(f, k, t, h)
    expose(k, t, h)
    is_structure = s.STRUCTURE0 <= u < s.SUMMON0
    k[s.EV_ATTACKS + h] += 1
    k[s.SUM_ATTACKS + h] += 1
    if is_structure:
        k[s.EV_STRUCTURE_ATTACKS + h] += 1
        k[s.SUM_STRUCTURE_ATTACKS + h] += 1
    amount = f[s.AD + h]
    if k[s.EMPOWER_COUNT + h] > 0:
        k[s.EMPOWER_COUNT + h] -= 1
        amount = amount + f[s.EMPOWER_DAMAGE + h]
        if f[s.EMPOWER_STUN + h] > ZERO and not is_structure:
            push_status(ev, tb.KIND_STUN, h, u, ticks_of(f[s.EMPOWER_STUN + h]), ZERO, ZERO)
    push_damage(ev, h, u, amount, s.PHYSICAL, e.FLAG_ATTACK, ZERO, ZERO)
    if k[s.ONHIT_UNTIL + h] > tick and not is_structure:
        extra = f[s.ONHIT + h] * f[s.MAX_HP + u]
        push_damage(ev, h, u, extra, s.TRUE, e.FLAG_ATTACK, ZERO, ZERO)


@kernel
def hero_attacks(f: Row, k: Row, t: Tables, ev: Events) -> None:
    """Collects the basic attacks of all heroes that have a target in reach and are free and ready to strike."""
    tick = k[s.TICK]
    for h in range(s.NUM_HEROES):
        if k[s.ATTACK_AT + h] > tick or f[s.HP + h] <= ZERO:
            continue
        if k[s.ORDER + h] != s.ATTACK and k[s.TAUNT_UNTIL + h] <= tick:
            continue
        u = attack_target(f, k, h)
        if u >= 0 and can_attack(k, h) and in_reach(f, k, h, u):
            strike(f, k, t, h, u, ev)
