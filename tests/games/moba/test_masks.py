"""Masks against the printed rules in plain Python, and their promises over played matches."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import pytest

from fullpool.games.moba import state as s
from fullpool.games.moba import tables as tb
from fullpool.games.moba.masks import (
    AT_DIR,
    AT_WHO,
    MASK_SIZE,
    dir_mask,
    is_legal,
    what_mask,
    who_mask,
    write_masks,
)
from fullpool.games.moba.movement import is_wall
from fullpool.games.moba.probes import PlayedStates, play_states
from fullpool.games.moba.structures import is_vulnerable

KINDS = (
    ["self"]
    + ["ally"] * 4
    + ["hero"] * 5
    + ["minion"] * 6
    + ["structure"] * 2
    + ["monster"] * 4
    + ["summon"] * 2
)
FOES = {"hero", "minion", "monster", "summon"}
CASES: list[tuple[str, Literal["manual", "assist"]]] = [
    ("blitz", "assist"),
    ("blitz", "manual"),
    ("arena", "assist"),
]


@pytest.fixture(scope="module", params=CASES, ids=["blitz-assist", "blitz-manual", "arena-assist"])
def played(request: pytest.FixtureRequest) -> PlayedStates:
    return play_states(request.param[0], request.param[1], num_games=4)


def flat_mask(f: Any, k: Any, t: Any, h: int) -> Any:
    out = np.full(MASK_SIZE, 9, np.uint8)
    write_masks(f, k, t, h, np.zeros(s.NUM_WHO, np.float32), out)
    return out


def rule(t: Any, hero: int, what: int) -> tuple[set[str], float] | None:
    """What a button may target and how far; None: it takes no target."""
    if what == s.ATTACK:
        return FOES | {"structure"}, 10.0
    if not s.SKILL1 <= what <= s.SKILL3:
        return None
    skill = t.skill[hero, what - s.SKILL1]
    if not skill[tb.SKILL_USES_WHO]:
        return None
    cast = int(skill[tb.SKILL_CAST])
    if cast == tb.CAST_ALLY:
        return {"self", "ally"}, float(skill[tb.SKILL_RANGE])
    if cast == tb.CAST_GGROUND:
        return {"hero"}, float(skill[tb.SKILL_RANGE])
    if cast == tb.CAST_DASH and not skill[tb.SKILL_WIDTH]:
        return FOES | {"ally", "structure"}, 10.0
    return FOES, float(skill[tb.SKILL_RANGE])


def targets(f: Any, k: Any, t: Any, h: int, what: int) -> list[bool] | None:
    wanted = rule(t, k[s.HERO_ID + h], what)
    if wanted is None:
        return None
    legal = []
    for slot, kind in enumerate(KINDS):
        u = k[s.SLOTS + h * s.NUM_WHO + slot]
        fits = u >= 0 and kind in wanted[0] and f[s.HP + u] > 0 and bool(k[s.VISIBLE + u] >> (h // 5) & 1)
        if fits and kind == "structure":
            fits = is_vulnerable(f, t, u)
        if fits:
            dx, dy = f[s.X + u] - f[s.X + h], f[s.Y + u] - f[s.Y + h]
            fits = dx * dx + dy * dy <= np.float32(wanted[1]) * np.float32(wanted[1])
        legal.append(bool(fits))
    return legal


def directions(f: Any, t: Any, h: int) -> list[bool]:
    legal = []
    for i in range(s.NUM_DIR):
        dx, dy = t.direction[i if h < 5 else (12 - i) % 16]
        legal.append(not is_wall(t, f[s.X + h] + dx * np.float32(0.5), f[s.Y + h] + dy * np.float32(0.5)))
    return legal


def buttons(f: Any, k: Any, t: Any, h: int) -> list[bool]:
    tick = k[s.TICK]

    def holds(field: int) -> bool:
        return bool(k[field + h] > tick)

    legal = [True] + [False] * 8
    if f[s.HP + h] <= 0 or holds(s.STUN_UNTIL) or holds(s.AIR_UNTIL) or holds(s.TAUNT_UNTIL):
        return legal
    rooted = holds(s.ROOT_UNTIL)
    legal[s.MOVE] = not rooted and not holds(s.FORCE_UNTIL) and any(directions(f, t, h))
    legal[s.ATTACK] = not holds(s.DISARM_UNTIL) and any(targets(f, k, t, h, s.ATTACK) or [])
    for skill, level in enumerate((1, 2, 4)):
        row = t.skill[k[s.HERO_ID + h], skill]
        dashes = row[tb.SKILL_CAST] == tb.CAST_DASH or row[tb.SKILL_BLOCKED_BY_ROOT]
        who = targets(f, k, t, h, s.SKILL1 + skill)
        legal[s.SKILL1 + skill] = (
            not holds(s.SILENCE_UNTIL)
            and k[s.LEVEL + h] >= level
            and k[s.SKILL_READY + 3 * h + skill] <= tick
            and f[s.MANA + h] >= row[tb.SKILL_MANA]
            and not (rooted and dashes)
            and (who is None or any(who))
        )
    legal[s.HEAL] = k[s.HEAL_READY + h] <= tick
    legal[s.RECALL] = bool(t.preset[tb.P_RESPAWNS])
    return [bool(value) for value in legal]


def vary(f: Any, k: Any, generator: np.random.Generator) -> tuple[Any, Any]:
    """Gives heroes statuses, cooldowns, mana and levels that are rare in play."""
    f, k = f.copy(), k.copy()
    tick = k[s.TICK]
    fields = (
        s.STUN_UNTIL,
        s.AIR_UNTIL,
        s.ROOT_UNTIL,
        s.SILENCE_UNTIL,
        s.DISARM_UNTIL,
        s.TAUNT_UNTIL,
        s.FORCE_UNTIL,
    )
    for h in range(s.NUM_HEROES):
        for field in fields:
            if generator.random() < 0.12:
                k[field + h] = tick + generator.integers(0, 4)
        k[s.LEVEL + h] = generator.integers(1, 8)
        k[s.SKILL_READY + 3 * h : s.SKILL_READY + 3 * h + 3] = tick + generator.integers(-2, 3, 3)
        k[s.HEAL_READY + h] = tick + generator.integers(-2, 3)
        f[s.MANA + h] = generator.uniform(0, 150)
    return f, k


def test_masks_equal_the_rules(played: PlayedStates) -> None:
    generator = np.random.default_rng(5)
    chosen = np.zeros(s.NUM_WHAT, np.int64)
    for n in range(0, len(played.f), 3):
        for f, k in ((played.f[n], played.k[n]), vary(played.f[n], played.k[n], generator)):
            for h in range(s.NUM_HEROES):
                mask, whats = flat_mask(f, k, played.tables, h), buttons(f, k, played.tables, h)
                assert mask[: s.NUM_WHAT].tolist() == whats
                chosen += whats
                for what in range(s.ATTACK, s.SKILL3 + 1):
                    at = AT_WHO + (what - s.ATTACK) * s.NUM_WHO
                    who = targets(f, k, played.tables, h, what)
                    if whats[what] and who is not None:
                        assert mask[at : at + s.NUM_WHO].tolist() == who
                    else:
                        assert mask[at : at + s.NUM_WHO].all()
                if whats[s.MOVE]:
                    assert mask[AT_DIR:].tolist() == directions(f, played.tables, h)
                else:
                    assert mask[AT_DIR:].all()
    assert chosen[: s.HEAL].all()
    assert not chosen[s.WARD]


def test_single_masks_and_is_legal_agree_with_the_flat_mask(played: PlayedStates) -> None:
    generator = np.random.default_rng(6)
    t, what_row, who_row, dir_row = played.tables, *(np.zeros(n, np.uint8) for n in (9, 24, 16))
    for n in range(1, len(played.f), 11):
        f, k = vary(played.f[n], played.k[n], generator)
        for h in range(s.NUM_HEROES):
            mask = flat_mask(f, k, t, h)
            what_mask(f, k, t, h, what_row)
            assert what_row.tolist() == mask[:9].tolist()
            for what in np.flatnonzero(what_row).tolist():
                who_mask(f, k, t, h, what, who_row)
                if s.ATTACK <= what <= s.SKILL3:
                    at = AT_WHO + (what - s.ATTACK) * s.NUM_WHO
                    assert who_row.tolist() == mask[at : at + s.NUM_WHO].tolist()
                else:
                    assert who_row.all()
            if what_row[s.MOVE]:
                dir_mask(f, k, t, h, dir_row)
                assert dir_row.tolist() == mask[AT_DIR:].tolist()
            for _ in range(40):
                what, who, direction, dist = (int(generator.integers(m)) for m in (9, 24, 16, 4))
                legal = bool(mask[what])
                if s.ATTACK <= what <= s.SKILL3:
                    legal = legal and bool(mask[AT_WHO + (what - s.ATTACK) * s.NUM_WHO + who])
                if what == s.MOVE:
                    legal = legal and bool(mask[AT_DIR + direction])
                assert is_legal(f, k, t, h, what, who, direction, dist) == legal


@pytest.mark.parametrize(
    "action", [(-1, 0, 0, 0), (9, 0, 0, 0), (0, 24, 0, 0), (0, -1, 0, 0), (1, 0, 16, 0), (0, 0, 0, 4)]
)
def test_numbers_of_no_head_are_illegal(action: tuple[int, int, int, int]) -> None:
    played = play_states("blitz", "assist", num_games=4)
    assert not is_legal(played.f[0], played.k[0], played.tables, 0, *action)
    assert is_legal(played.f[0], played.k[0], played.tables, 0, 0, 0, 0, 0)


def test_a_hero_between_walls_cannot_move() -> None:
    played = play_states("blitz", "assist", num_games=4)
    f = played.f[0].copy()
    f[s.X], f[s.Y] = 39.5, 39.5
    mask = flat_mask(f, played.k[0], played.tables, 0)
    assert not mask[s.MOVE]
    assert mask[AT_DIR:].all()
