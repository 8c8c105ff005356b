"""Skills: who may cast, where at, what it costs, and how a landing skill becomes events.

`cast_orders` aims, pays and queues: a skill without delay lands in the same tick, another waits as a delayed cast.
`land_all` then turns every landing into events, from the state after movement; the first phase of `resolve` calls it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fullpool.games.moba import events as e
from fullpool.games.moba import state as s
from fullpool.games.moba import tables as tb
from fullpool.games.moba.attacks import expose
from fullpool.games.moba.displacement import dash_ticks
from fullpool.games.moba.effects import apply_effect
from fullpool.games.moba.events import (
    ONE,
    ZERO,
    Events,
    Number,
    Row,
    f32,
    i64,
    push_help,
    push_landing,
    push_status,
)
from fullpool.games.moba.shapes import SHAPE_CIRCLE, SHAPE_CONE, SHAPE_LINE, extend_chain, find_hits
from fullpool.games.moba.status import (
    can_cast,
    cooldown_ticks,
    heal_is_ready,
    is_alive,
    is_seen_by,
    skill_is_ready,
    team_of,
)
from fullpool.games.moba.tables import Tables
from fullpool.games.moba.zones import add_cast
from fullpool.numerics.kernels import kernel

QUARTER: Any = np.float32(0.25)
LEAP: Any = np.float32(1.0)  # whoever moved farther in a tick did not walk: its way is not led


@kernel
def is_target(f: Row, k: Row, h: int, u: int, cast: int) -> bool:
    """Whether a unit may be the target of a cast type: alive, of the right side, seen; structures only for dashes."""
    if u < 0 or not is_alive(f, u) or (s.STRUCTURE0 <= u < s.SUMMON0 and cast != tb.CAST_DASH):
        return False
    team = h // s.TEAM_SIZE
    if cast == tb.CAST_ALLY:
        return u < s.NUM_HEROES and team_of(u) == team
    if cast == tb.CAST_GGROUND:
        return u < s.NUM_HEROES and team_of(u) != team and is_seen_by(k, u, team)
    if cast == tb.CAST_UNIT and team_of(u) == team:
        return False
    return is_seen_by(k, u, team)


@kernel
def predicted(f: Row, u: int, ticks: float) -> tuple[Number, Number]:
    """Where a unit will be after some ticks if it goes on as in this one; minions and others are taken to stand."""
    x, y = f[s.X + u], f[s.Y + u]
    if u < s.NUM_HEROES:
        dx, dy = x - f[s.LAST_X + u], y - f[s.LAST_Y + u]
        if dx * dx + dy * dy < LEAP * LEAP:
            return x + dx * ticks, y + dy * ticks
    return x, y


@kernel
def aim_direction(f: Row, k: Row, t: Tables, h: int, x: float, y: float) -> tuple[Number, Number]:
    """Unit vector to a point; the order's direction where the hero stands on it."""
    dx, dy = x - f[s.X + h], y - f[s.Y + h]
    length = np.sqrt(dx * dx + dy * dy)
    if length > ZERO:
        return dx / length, dy / length
    way = k[s.ORDER_DIR + h]
    return t.direction[way, 0], t.direction[way, 1]


@kernel
def aim(f: Row, k: Row, t: Tables, h: int, skill: int) -> tuple[bool, Number, Number, Number, Number, Number]:
    """Works out where an ordered skill goes.

    Returns:
        Whether it can go there now; the unit that it is bound to (-1: none); the point; the unit direction.
    """
    hero = k[s.HERO_ID + h]
    cast, reach = i64(t.skill[hero, skill, tb.SKILL_CAST]), t.skill[hero, skill, tb.SKILL_RANGE]
    hx, hy = f[s.X + h], f[s.Y + h]
    if cast == tb.CAST_SELF or cast == tb.CAST_BUFF or cast == tb.CAST_GALLY:
        return True, -1, hx, hy, ZERO, ZERO
    if t.skill[hero, skill, tb.SKILL_USES_WHO] != ZERO:
        u = i64(k[s.ORDER_TARGET + h])
        if not is_target(f, k, h, u, cast):
            return False, -1, hx, hy, ZERO, ZERO
        bound = cast == tb.CAST_UNIT or cast == tb.CAST_ALLY
        lead = ZERO if bound else t.skill[hero, skill, tb.SKILL_DELAY_TICKS]
        x, y = predicted(f, u, lead)
        ux, uy = aim_direction(f, k, t, h, x, y)
        dx, dy = x - hx, y - hy
        near = dx * dx + dy * dy <= reach * reach
        if bound:
            return near, u, x, y, ux, uy
        if cast == tb.CAST_GGROUND or (cast == tb.CAST_GROUND and near):
            return True, -1, x, y, ux, uy
        return True, -1, hx + ux * reach, hy + uy * reach, ux, uy
    way = k[s.ORDER_DIR + h]
    ux, uy = t.direction[way, 0], t.direction[way, 1]
    if cast == tb.CAST_GROUND:
        reach = reach * (QUARTER * f32(k[s.ORDER_DIST + h] + 1))
    return True, -1, hx + ux * reach, hy + uy * reach, ux, uy


@kernel
def try_cast(f: Row, k: Row, t: Tables, h: int, skill: int, ev: Events) -> None:
    """Casts an ordered skill if the hero can: pays, and queues the landing or the delayed cast."""
    if not can_cast(k, h) or not skill_is_ready(f, k, t, h, skill):
        return
    possible, target, x, y, ux, uy = aim(f, k, t, h, skill)
    if not possible:
        return
    hero = k[s.HERO_ID + h]
    f[s.MANA + h] -= t.skill[hero, skill, tb.SKILL_MANA]
    wait = cooldown_ticks(f, t, h, t.skill[hero, skill, tb.SKILL_COOLDOWN_TICKS])
    k[s.SKILL_READY + h * s.NUM_SKILLS + skill] = k[s.TICK] + wait
    k[s.ORDER + h] = s.NONE
    expose(k, t, h)
    if i64(t.skill[hero, skill, tb.SKILL_CAST]) == tb.CAST_DASH:
        reach = t.skill[hero, skill, tb.SKILL_RANGE]
        dx, dy = ux * reach, uy * reach
        push_status(ev, tb.KIND_GAPCLOSE, h, h, dash_ticks(dx, dy), dx, dy)
    delay = i64(t.skill[hero, skill, tb.SKILL_DELAY_TICKS])
    if delay > 0:
        add_cast(f, k, h, skill, target, x, y, delay)
    else:
        push_landing(ev, h, skill, target, x, y, ux, uy)


@kernel
def try_heal(f: Row, k: Row, t: Tables, h: int, ev: Events) -> None:
    """Uses the summoner heal on the hero and the allies near it."""
    if not heal_is_ready(k, h):
        return
    k[s.HEAL_READY + h] = k[s.TICK] + i64(t.preset[tb.P_HEAL_COOLDOWN_TICKS])
    k[s.ORDER + h] = s.NONE
    expose(k, t, h)
    radius, ticks = t.preset[tb.P_HEAL_RADIUS], i64(t.preset[tb.P_HEAL_HASTE_TICKS])
    first = (h // s.TEAM_SIZE) * s.TEAM_SIZE
    for u in range(first, first + s.TEAM_SIZE):
        dx, dy = f[s.X + u] - f[s.X + h], f[s.Y + u] - f[s.Y + h]
        if is_alive(f, u) and dx * dx + dy * dy <= radius * radius:
            push_help(ev, e.HELP_SUMMONER, h, u, t.preset[tb.P_HEAL_SHARE] * f[s.MAX_HP + u], 0)
            push_status(ev, tb.KIND_HASTE, h, u, ticks, t.preset[tb.P_HEAL_HASTE], ZERO)


@kernel
def cast_orders(f: Row, k: Row, t: Tables, ev: Events) -> None:
    """Lets every hero that was ordered to use a skill or the summoner heal do so if it is free to."""
    for h in range(s.NUM_HEROES):
        order = i64(k[s.ORDER + h])
        if order < s.SKILL1 or order > s.HEAL or f[s.HP + h] <= ZERO:
            continue
        if order == s.HEAL:
            try_heal(f, k, t, h, ev)
        else:
            try_cast(f, k, t, h, order - s.SKILL1, ev)


@kernel
def hit_enemies(
    f: Row,
    k: Row,
    t: Tables,
    h: int,
    skill: int,
    target: int,
    x: float,
    y: float,
    ux: float,
    uy: float,
    ev: Events,
) -> Number:
    """Lists the enemies that a landing skill hits in `ev.k[HITS]`; returns their number."""
    row = t.skill[k[s.HERO_ID + h], skill]
    cast, length, width = i64(row[tb.SKILL_CAST]), row[tb.SKILL_RANGE], row[tb.SKILL_WIDTH]
    ev.k[e.NUM_HITS] = 0
    if cast == tb.CAST_UNIT:
        ev.k[e.HITS], ev.k[e.NUM_HITS] = target, 1
        return 1
    if cast == tb.CAST_ALLY or cast == tb.CAST_BUFF or cast == tb.CAST_GALLY:
        return 0
    shape = SHAPE_CIRCLE
    if cast == tb.CAST_CONE:
        shape = SHAPE_CONE
    elif cast == tb.CAST_LINE or cast == tb.CAST_DASH or cast == tb.CAST_SKYLINE:
        shape = SHAPE_LINE
        if width <= ZERO:
            return 0
    if shape == SHAPE_CIRCLE:
        length = row[tb.SKILL_RADIUS]
    else:
        x, y = f[s.X + h], f[s.Y + h]
    only_first = row[tb.SKILL_PIERCE] == ZERO
    return find_hits(
        f, k, h // s.TEAM_SIZE, shape, x, y, ux, uy, length, width, row[tb.SKILL_COS_HALF], only_first, ev
    )


@kernel
def is_helped(f: Row, h: int, u: int, cast: int, target: int, x: float, y: float, radius: float) -> bool:
    """Whether a landing skill reaches an ally (the hero itself included)."""
    if not is_alive(f, u):
        return False
    if cast == tb.CAST_ALLY:
        return u == target
    dx, dy = f[s.X + u] - x, f[s.Y + u] - y
    return cast == tb.CAST_GALLY or dx * dx + dy * dy <= radius * radius or (radius == ZERO and u == h)


@kernel
def land(
    f: Row,
    k: Row,
    t: Tables,
    h: int,
    skill: int,
    target: int,
    x: float,
    y: float,
    ux: float,
    uy: float,
    ev: Events,
) -> None:
    """Turns one landing skill into events: every effect on everybody whom it reaches."""
    hero, team = i64(k[s.HERO_ID + h]), h // s.TEAM_SIZE
    cast, radius = i64(t.skill[hero, skill, tb.SKILL_CAST]), t.skill[hero, skill, tb.SKILL_RADIUS]
    num_effects = i64(t.skill[hero, skill, tb.SKILL_NUM_EFFECTS])
    num_hits = hit_enemies(f, k, t, h, skill, target, x, y, ux, uy, ev)
    drain = ZERO
    for i in range(num_effects):
        kind, p0 = i64(t.effect[hero, skill, i, tb.EFFECT_KIND]), t.effect[hero, skill, i, tb.EFFECT_P0]
        if kind == tb.KIND_DRAIN:
            drain = drain + p0
        elif kind == tb.KIND_CHAIN:
            num_hits = extend_chain(f, k, team, i64(p0), t.effect[hero, skill, i, tb.EFFECT_P1], ev)
        elif kind == tb.KIND_RESET:
            f[s.RESET_SHARE + h] = p0
            k[s.RESET_SKILL + h], k[s.RESET_TICK + h] = skill, k[s.TICK]
    for i in range(num_effects):
        who = i64(t.effect[hero, skill, i, tb.EFFECT_WHO])
        first, number = h, 1
        if who == tb.WHO_ENEMIES:
            first, number = 0, num_hits
        elif who == tb.WHO_ALLIES:
            first, number = team * s.TEAM_SIZE, s.TEAM_SIZE
        for j in range(number):
            u = first + j
            if who == tb.WHO_ENEMIES:
                u = i64(ev.k[e.HITS + j])
            elif who == tb.WHO_ALLIES and not is_helped(f, h, u, cast, target, x, y, radius):
                continue
            apply_effect(f, k, t, h, u, skill, i, cast, x, y, drain, ev)


@kernel
def land_all(f: Row, k: Row, t: Tables, ev: Events) -> None:
    """Turns the tick's landings into events."""
    for n in range(ev.k[e.NUM_LANDINGS]):
        i, j = e.LANDING_K + 3 * n, e.LANDING_F + 4 * n
        h, skill, target = i64(ev.k[i]), i64(ev.k[i + 1]), i64(ev.k[i + 2])
        land(f, k, t, h, skill, target, ev.f[j], ev.f[j + 1], ev.f[j + 2], ev.f[j + 3], ev)


@kernel
def on_kill(f: Row, k: Row, t: Tables, killer: int) -> None:
    """Gives back a share of a skill's cooldown to a hero whose skill hit in the tick of its kill."""
    skill = k[s.RESET_SKILL + killer]
    if skill < 0 or k[s.RESET_TICK + killer] != k[s.TICK]:
        return
    i = s.SKILL_READY + killer * s.NUM_SKILLS + skill
    left = f32(k[i] - k[s.TICK]) * (ONE - f[s.RESET_SHARE + killer])
    k[i] = k[s.TICK] + i64(np.ceil(left - f32(1.0e-3)))
    k[s.RESET_SKILL + killer] = -1
