"""What each effect primitive of a skill does to one receiver, as events and as things laid on the map.

Parameters in their order are listed in `heroes.yaml`; the level factor is level - 1; statistics are the caster's when
the skill lands.
"""

from __future__ import annotations

import numpy as np

from fullpool.games.moba import events as e
from fullpool.games.moba import state as s
from fullpool.games.moba import tables as tb
from fullpool.games.moba.displacement import BLINK, CONTACT, dash_ticks, hook_vector, knock_vector
from fullpool.games.moba.events import (
    ONE,
    ZERO,
    Events,
    Number,
    Row,
    f32,
    i64,
    push_damage,
    push_help,
    push_status,
)
from fullpool.games.moba.status import ticks_of
from fullpool.games.moba.tables import Tables
from fullpool.games.moba.zones import add_dot, add_reveal, add_zone
from fullpool.numerics.kernels import kernel


@kernel
def scaled(f: Row, k: Row, h: int, base: float, level: float, ad: float, ap: float, hp: float) -> Number:
    """Sum of a hero's terms: base + level factor + attack damage + ability power + own maximum hit points."""
    steps = f32(k[s.LEVEL + h] - 1)
    return base + level * steps + ad * f[s.AD + h] + ap * f[s.AP + h] + hp * f[s.MAX_HP + h]


@kernel
def queue_help(f: Row, k: Row, h: int, u: int, kind: int, p: Row, ev: Events) -> None:
    """Heals at once or over time, or shields: base, level, AP, own maximum hit points, seconds."""
    if u >= s.NUM_HEROES:
        return
    amount, ticks = scaled(f, k, h, p[0], p[1], ZERO, p[2], p[3]), ticks_of(p[4])
    if kind == tb.KIND_SHIELD:
        push_help(ev, e.HELP_SHIELD, h, u, amount, ticks)
    elif ticks > 0:
        push_help(ev, e.HELP_OVER_TIME, h, u, amount / f32(ticks), ticks)
    else:
        push_help(ev, e.HELP_HEAL, h, u, amount, 0)


@kernel
def apply_push(
    f: Row, t: Tables, h: int, u: int, kind: int, cast: int, x: float, y: float, p: Row, ev: Events
) -> None:
    """Knocks, pulls and hooks away from or towards the caster; ground skills: the middle of their circle."""
    if cast != tb.CAST_GROUND and cast != tb.CAST_GGROUND:
        x, y = f[s.X + h], f[s.Y + h]
    if kind == tb.KIND_HOOK:
        dx, dy = hook_vector(f, u, x, y, t.preset[tb.P_HOOK_DISTANCE])
        ticks = i64(t.preset[tb.P_HOOK_AIR_TICKS])
    else:
        dx, dy = knock_vector(f, u, x, y, p[0])
        ticks = ticks_of(p[1])
    push_status(ev, tb.KIND_KNOCK, h, u, max(ticks, 1), dx, dy)


@kernel
def apply_leap(f: Row, h: int, kind: int, x: float, y: float, bound: bool, ev: Events) -> None:
    """Sends the caster to the skill's point; short of it by `CONTACT` where that is a unit."""
    dx, dy = x - f[s.X + h], y - f[s.Y + h]
    length = np.sqrt(dx * dx + dy * dy)
    if length <= ZERO:
        return
    share = max(length - CONTACT, ZERO) / length if bound else ONE
    dx, dy = dx * share, dy * share
    ticks = BLINK if kind == tb.KIND_BLINK else dash_ticks(dx, dy)
    push_status(ev, kind, h, h, ticks, dx, dy)


@kernel
def apply_placed(
    f: Row, k: Row, h: int, kind: int, mark: int, x: float, y: float, row: Row, ev: Events
) -> None:
    """Lays a zone or a reveal at the skill's place, or calls summons to the caster."""
    p = row[tb.EFFECT_P0 :]
    if kind == tb.KIND_ZONE:
        dps = scaled(f, k, h, p[2], p[3], ZERO, p[4], ZERO)
        add_zone(f, k, h, x, y, p[0], ticks_of(p[1]), dps, p[5], row)
    elif kind == tb.KIND_REVEAL:
        add_reveal(f, k, h // s.TEAM_SIZE, x, y, p[0], ticks_of(p[1]))
    else:
        hp = scaled(f, k, h, p[0], p[1], ZERO, ZERO, ZERO)
        damage = scaled(f, k, h, p[2], p[3], ZERO, row[tb.EFFECT_AP], ZERO)
        push_status(ev, tb.KIND_SUMMON, h, mark, ticks_of(p[5]), hp, damage)


@kernel
def apply_effect(
    f: Row,
    k: Row,
    t: Tables,
    h: int,
    u: int,
    skill: int,
    i: int,
    cast: int,
    x: float,
    y: float,
    drain: float,
    ev: Events,
) -> None:
    """Applies one effect of a landing skill to one receiver.

    Args:
        f: the match.
        k: the match.
        t: tables.
        h: the caster.
        u: the receiver.
        skill: of the caster.
        i: effect of the skill.
        cast: the skill's cast type.
        x: where the skill lands.
        y: the same.
        drain: share of the skill's damage that heals the caster.
        ev: the scratch.
    """
    row = t.effect[k[s.HERO_ID + h], skill, i]
    kind, p = i64(row[tb.EFFECT_KIND]), row[tb.EFFECT_P0 :]
    if kind == tb.KIND_DMG:
        amount = scaled(f, k, h, p[0], p[1], p[2], p[3], p[4])
        push_damage(ev, h, u, amount, i64(row[tb.EFFECT_TYPE]), e.FLAG_SKILL, p[5], drain)
    elif kind == tb.KIND_DOT:
        dps = scaled(f, k, h, p[0], p[1], p[2], p[3], ZERO)
        add_dot(f, k, h, u, dps, i64(row[tb.EFFECT_TYPE]), ticks_of(p[4]))
    elif kind == tb.KIND_HEAL or kind == tb.KIND_SHIELD:
        queue_help(f, k, h, u, kind, p, ev)
    elif kind == tb.KIND_KNOCK or kind == tb.KIND_HOOK:
        apply_push(f, t, h, u, kind, cast, x, y, p, ev)
    elif kind == tb.KIND_GAPCLOSE or kind == tb.KIND_BLINK:
        apply_leap(f, h, kind, x, y, cast == tb.CAST_UNIT or cast == tb.CAST_ALLY, ev)
    elif kind == tb.KIND_ZONE or kind == tb.KIND_REVEAL or kind == tb.KIND_SUMMON:
        apply_placed(f, k, h, kind, skill * s.MAX_EFFECTS + i, x, y, row, ev)
    elif kind == tb.KIND_EMPOWER:
        damage = scaled(f, k, h, p[1], p[2], p[3], ZERO, ZERO)
        push_status(ev, kind, h, u, i64(p[0]), damage, p[4])
    elif kind == tb.KIND_SHRED:
        push_status(ev, kind, h, u, ticks_of(p[2]), p[0], p[1])
    elif is_timed_magnitude(kind):
        push_status(ev, kind, h, u, ticks_of(p[1]), p[0], ZERO)
    elif kind != tb.KIND_RESET and kind != tb.KIND_DRAIN and kind != tb.KIND_CHAIN:
        push_status(ev, kind, h, u, ticks_of(p[0]), ZERO, ZERO)


@kernel
def is_timed_magnitude(kind: int) -> bool:
    """Whether a kind's parameters are a magnitude and seconds."""
    if kind == tb.KIND_SLOW or kind == tb.KIND_HASTE or kind == tb.KIND_ASPD or kind == tb.KIND_LIFESTEAL:
        return True
    if kind == tb.KIND_REFLECT or kind == tb.KIND_GRIEV or kind == tb.KIND_STRUCT or kind == tb.KIND_RANGEUP:
        return True
    return kind == tb.KIND_ONHITPCT or kind == tb.KIND_DMGRED
