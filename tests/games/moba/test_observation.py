"""The agents' view: values in range, the mirror, rows of single units, ids and target rows."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import pytest

from fullpool.games.contract import EXTERNAL
from fullpool.games.moba import columns as c
from fullpool.games.moba import state as s
from fullpool.games.moba import tables as tb
from fullpool.games.moba.game import MobaGame
from fullpool.games.moba.mirror import mirror_match
from fullpool.games.moba.probes import PlayedStates, play_states, view_match

CASES: list[tuple[str, Literal["manual", "assist"]]] = [
    ("blitz", "assist"),
    ("mid3", "manual"),
    ("arena", "assist"),
]


@pytest.fixture(scope="module", params=CASES, ids=["blitz", "mid3", "arena"])
def played(request: pytest.FixtureRequest) -> PlayedStates:
    return play_states(request.param[0], request.param[1], num_games=4)


def blocks(vector: Any) -> dict[str, Any]:
    """Cuts one agent's vector by hand-written sizes."""
    sizes = {"heroes": (10, 48), "minions": (10, 12), "structures": (8, 13), "summons": (4, 8)}
    parts, start = {}, 0
    for name, (rows, columns) in {**sizes, "global": (1, 24), "previous": (1, 53)}.items():
        parts[name] = vector[start : start + rows * columns].reshape(rows, columns)
        start += rows * columns
    assert start == 813
    return parts


def column(name: str) -> int:
    return c.HERO_NAMES.index(name)


def place(f: Any, u: int, team: int) -> tuple[float, float]:
    x, y = float(f[s.X + u]), float(f[s.Y + u])
    return (x, y) if team == 0 else (-y, -x)


def nearness(f: Any, u: int, me: int) -> int:
    """Squared distance in steps of 1/1024."""
    dx, dy = f[s.X + u] - f[s.X + me], f[s.Y + u] - f[s.Y + me]
    return int((dx * dx + dy * dy) * np.float32(1024))


def test_values_are_finite_and_in_range(played: PlayedStates) -> None:
    for f, k in zip(played.f, played.k, strict=True):
        views = view_match(f, k, played.tables, image=True)
        for array in (views.observation, views.critic):
            assert np.isfinite(array).all()
            assert np.abs(array).max() <= 1.0
        parts = blocks(views.observation[0, 0])
        signed = {"relative_x", "relative_y", "x", "y"}
        positive = [i for i, name in enumerate(c.HERO_NAMES) if name not in signed]
        assert parts["heroes"][:, positive].min() >= 0.0


def test_mirrored_state_is_seen_as_the_same_to_the_byte(played: PlayedStates) -> None:
    for f, k in zip(played.f[::2], played.k[::2], strict=True):
        straight = view_match(f, k, played.tables, image=True)
        turned = view_match(*mirror_match(f, k, played.tables.brush_mirror), played.tables, image=True)
        for name in ("observation", "hero_ids", "masks", "target_rows", "critic", "critic_hero_ids"):
            a, b = getattr(straight, name), getattr(turned, name)[::-1]
            assert a.tobytes() == b.tobytes(), f"{name} differs at {np.argwhere(a != b)[:5].tolist()}"


def test_hero_rows_of_own_team_and_of_enemies_in_sight(played: PlayedStates) -> None:
    half, checked = float(played.tables.preset[tb.P_MAP_HALF]), 0
    for f, k in zip(played.f[::5], played.k[::5], strict=True):
        views = view_match(f, k, played.tables)
        for team in range(2):
            for p in range(s.TEAM_SIZE):
                rows = blocks(views.observation[team, p])["heroes"]
                me = team * s.TEAM_SIZE + p
                order = [
                    me,
                    *(h for h in range(team * 5, team * 5 + 5) if h != me),
                    *range(5 - team * 5, 10 - team * 5),
                ]
                assert rows[:, column("self")].tolist() == [1] + [0] * 9
                assert rows[:, column("ally")].tolist() == [1] * 5 + [0] * 5
                assert views.hero_ids[team, p].tolist() == k[[s.HERO_ID + h for h in order]].tolist()
                for row, h in zip(rows, order, strict=True):
                    alive = f[s.HP + h] > 0
                    assert row[column("alive")] == alive
                    own = h // s.TEAM_SIZE == team
                    if not own:
                        visible = alive and bool(k[s.VISIBLE + h] >> team & 1)
                        assert row[column("visible")] == visible
                        assert not row[column("mana") :].any()
                        if not visible:
                            continue
                    checked += 1
                    (x, y), (mx, my) = place(f, h, team), place(f, me, team)
                    assert row[column("x")] == pytest.approx(x / half, abs=1e-6)
                    assert row[column("y")] == pytest.approx(y / half, abs=1e-6)
                    assert row[column("relative_x")] == pytest.approx(np.clip((x - mx) / 20, -1, 1), abs=1e-6)
                    assert row[column("distance")] == pytest.approx(
                        min(np.hypot(x - mx, y - my) / 20, 1), abs=1e-5
                    )
                    if alive:
                        assert row[column("hp")] == pytest.approx(f[s.HP + h] / f[s.MAX_HP + h], abs=1e-6)
                    if own:
                        assert row[column("mana")] == pytest.approx(
                            f[s.MANA + h] / f[s.MAX_MANA + h], abs=1e-6
                        )
    assert checked > 300


def test_an_enemy_out_of_sight_keeps_its_last_values_and_ages() -> None:
    played = play_states("blitz", "assist", num_games=4)
    found = 0
    for f, k in zip(played.f, played.k, strict=True):
        for h in range(5, 10):
            if k[s.VISIBLE + h] != 2 or f[s.HP + h] <= 0:
                continue
            row = blocks(view_match(f, k, played.tables).observation[0, 0])["heroes"][h]
            at = s.SEEN + h * s.SEEN_COLUMNS
            age = min((k[s.TICK] - k[s.SEEN_TICK + h]) / 600, 1)
            assert row[column("last_seen_age")] == pytest.approx(age, abs=1e-6)
            assert row[column("hp")] == f[at + 2]
            assert row[column("x")] == pytest.approx(f[at] / 24, abs=1e-6)
            found += age > 0
    assert found > 10


def test_target_rows_point_at_the_units_of_the_slots(played: PlayedStates) -> None:
    seen = set()
    for f, k in zip(played.f[::3], played.k[::3], strict=True):
        views = view_match(f, k, played.tables)
        for h in range(s.NUM_HEROES):
            team = h // s.TEAM_SIZE
            parts = blocks(views.observation[team, h % s.TEAM_SIZE])
            layout = (
                ("heroes", 1, 2, 3),
                ("minions", 6, 7, 8),
                ("structures", 6, 7, 8),
                ("summons", 3, 4, 5),
            )
            places = np.concatenate([parts[name][:, [x, y, d]] for name, x, y, d in layout])
            rows = views.target_rows[team, h % s.TEAM_SIZE]
            for slot in range(s.NUM_WHO):
                u = k[s.SLOTS + h * s.NUM_WHO + slot]
                assert (rows[slot] >= 0) == (u >= 0)
                if u < 0 or (s.SLOT_ENEMY <= slot < s.SLOT_MINION and not k[s.VISIBLE + u] >> team & 1):
                    continue
                (x, y), (mx, my) = place(f, u, team), place(f, h, team)
                wanted = np.clip([(x - mx) / 20, (y - my) / 20, np.hypot(x - mx, y - my) / 20], -1, 1)
                if f[s.HP + u] > 0:
                    np.testing.assert_allclose(places[rows[slot]], wanted, atol=1e-5)
                    seen.add(slot)
    if played.tables.preset[tb.P_HAS_STRUCTURES]:
        assert {0, 1, 5, 10, 15, 16, 17} <= seen


def test_minion_rows() -> None:
    played = play_states("blitz", "assist", num_games=4)
    hittable = attacked = 0
    for f, k in zip(played.f[::3], played.k[::3], strict=True):
        rows = blocks(view_match(f, k, played.tables).observation[1, 2])["minions"]
        me, (mx, my) = 7, place(f, 7, 1)
        own = [u for u in range(s.MINION0 + 36, s.MINION0 + 72) if f[s.HP + u] > 0]
        own.sort(key=lambda u: (nearness(f, u, me), u))
        enemies = [u for u in k[s.SLOTS + me * 24 + 10 : s.SLOTS + me * 24 + 16] if u >= 0]
        for start, units, ally in ((0, enemies, 0.0), (6, own[:4], 1.0)):
            for row, u in zip(rows[start:], units, strict=False):
                assert row[:2].tolist() == [1.0, ally]
                assert row[2:6].tolist() == [float(k[s.TYPE + u] == kind) for kind in (6, 7, 8, 9)]
                distance = min(np.hypot(place(f, u, 1)[0] - mx, place(f, u, 1)[1] - my) / 20, 1)
                assert row[8] == pytest.approx(distance, abs=2e-3 if ally else 1e-5)
                hit = not ally and f[s.HP + u] <= f[s.AD + me]
                assert row[10] == hit
                assert row[11] == (k[s.TARGET + u] == me)
                hittable, attacked = hittable + hit, attacked + (k[s.TARGET + u] == me)
        assert not rows[len(enemies) : 6].any()
        assert not rows[6 + len(own) :].any()
    assert hittable
    assert attacked


def test_structure_rows_name_the_standing_ones(played: PlayedStates) -> None:
    for f, k in zip(played.f[::4], played.k[::4], strict=True):
        rows = blocks(view_match(f, k, played.tables).observation[0, 0])["structures"]
        for side in range(2):
            present = [i for i in range(10) if played.tables.structure[side * 10 + i, 2] > 0]
            slots = {i: r for r, i in enumerate(present[:-1])} | ({present[-1]: 3} if present else {})
            used = set()
            for i, r in slots.items():
                u = s.STRUCTURE0 + side * 10 + i
                if f[s.HP + u] > 0:
                    row = rows[side * 4 + r]
                    assert row[:2].tolist() == [1.0, 1.0 - side]
                    assert row[9] == pytest.approx(f[s.HP + u] / f[s.MAX_HP + u], abs=1e-6)
                    assert row[11] == (k[s.TARGET + u] == 0)
                    used.add(r)
            for r in set(range(4)) - used:
                assert not rows[side * 4 + r].any()


def test_previous_action_marks_the_heads_that_it_used() -> None:
    played = play_states("mid3", "manual", num_games=4)
    kinds = set()
    for f, k in zip(played.f, played.k, strict=True):
        views = view_match(f, k, played.tables)
        for h in range(s.NUM_HEROES):
            previous = blocks(views.observation[h // 5, h % 5])["previous"][0]
            parts = np.split(previous, [9, 33, 49])
            what, who, direction, dist = k[s.ACTION + h * 4 : s.ACTION + h * 4 + 4]
            if k[s.DECISION] == 0:
                assert not previous.any()
                continue
            used = [True, what == s.ATTACK, what == s.MOVE, False]
            if s.SKILL1 <= what <= s.SKILL3:
                used[1:] = list(
                    played.tables.skill[k[s.HERO_ID + h], what - s.SKILL1, tb.SKILL_USES_WHO :][:3] != 0
                )
            for part, choice, counts in zip(parts, (what, who, direction, dist), used, strict=True):
                assert part.tolist() == [float(counts and i == choice) for i in range(len(part))]
            kinds.add((int(what), *used))
    assert len(kinds) > 5


def test_numbers_of_no_head_are_left_out_of_the_previous_action() -> None:
    played = play_states("blitz", "assist", num_games=4)
    k = played.k[10].copy()
    k[s.ACTION : s.ACTION + 4] = s.ATTACK, 99, -3, 8
    k[s.ACTION + 4 : s.ACTION + 8] = 40, 0, 0, 0
    views = view_match(played.f[10], k, played.tables)
    assert blocks(views.observation[0, 0])["previous"].sum() == 1
    assert blocks(views.observation[0, 1])["previous"].sum() == 0


def test_teams_of_bots_are_not_observed() -> None:
    played = play_states("blitz", "assist", num_games=4)
    k = played.k[3].copy()
    k[s.BOT + 1] = 2
    views = view_match(played.f[3], k, played.tables)
    assert np.isfinite(views.observation[0]).all()
    assert np.isnan(views.observation[1]).all()
    assert np.isnan(views.critic[1]).all()


def test_empty_seats_are_rows_of_zeros() -> None:
    game = MobaGame("mid3", 1, aim="assist")
    lineup = np.array([[[3, 4, 5, -1, -1], [-1, 6, 7, 8, -1]]], np.int16)
    game.reset(np.zeros(1, np.int32), lineup, np.array([5], np.uint64), np.full((1, 2), EXTERNAL, np.int8))
    for _ in range(12):
        game.step(np.zeros((1, 2, 5, 4), np.int32))
    views = view_match(game.f[0], game.k[0], game.tables)
    for team, empty in ((0, [3, 4, 5, 9]), (1, [1, 4, 8, 9])):
        agent = 1
        rows = blocks(views.observation[team, agent])["heroes"]
        ids, target_rows = views.hero_ids[team, agent], views.target_rows[team, agent]
        assert np.flatnonzero(ids < 0).tolist() == empty
        assert np.flatnonzero(~rows.any(axis=1)).tolist() == empty
        assert np.flatnonzero(target_rows[:10] < 0).tolist() == empty
        assert np.flatnonzero(views.critic_hero_ids[team] < 0).tolist() == (
            [3, 4, 5, 9] if team == 0 else [0, 4, 8, 9]
        )
    assert views.masks[0, 3, : s.NUM_WHAT].tolist() == [1] + [0] * 8
    critic = views.critic[1][: 10 * c.CRITIC_HERO_COLUMNS].reshape(10, -1)
    assert np.flatnonzero(~critic.any(axis=1)).tolist() == [0, 4, 8, 9]
