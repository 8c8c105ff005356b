from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from fullpool.games.contract import DRAW, RUNNING
from fullpool.games.moba import state as s
from fullpool.games.moba.tick import TURN, winner_at_cap, world_direction

Start = Callable[..., Any]
CRYSTAL = s.STRUCTURE0 + s.CRYSTAL


def act(table: Any, seat: int, *action: int) -> None:
    table.actions[0].reshape(10, 4)[seat] = action


def test_own_directions_become_directions_of_the_map(table: Start) -> None:
    assert [world_direction(0, i) for i in range(16)] == list(range(16))
    assert [world_direction(5, i) for i in range(16)] == [(TURN - i) % 16 for i in range(16)]
    playing = table("blitz")
    before = playing.game.f[0, [s.X, s.Y, s.X + 5, s.Y + 5]].copy()
    act(playing, 0, s.MOVE, 0, 1, 0)
    act(playing, 5, s.MOVE, 0, 1, 0)
    playing.game.step(playing.actions)
    moved = playing.game.f[0, [s.X, s.Y, s.X + 5, s.Y + 5]] - before
    speeds = playing.game.f[0, [s.SPEED, s.SPEED + 5]]
    assert moved[0] > moved[1] > 0
    assert moved[2:] / speeds[1] == pytest.approx(-moved[1::-1] / speeds[0], abs=1e-5)


def test_illegal_action_acts_as_none_and_is_counted(table: Start) -> None:
    playing = table("blitz")
    before = playing.game.f[0, [s.X, s.Y]].copy()
    for action in (
        (s.SKILL3, 0, 0, 0),
        (s.WARD, 0, 0, 0),
        (9, 0, 0, 0),
        (s.MOVE, 0, 16, 0),
        (s.ATTACK, 24, 0, 0),
    ):
        act(playing, 0, *action)
        playing.game.step(playing.actions)
    assert playing.game.k[0, s.ILLEGAL : s.ILLEGAL + 10].tolist() == [5] + [0] * 9
    assert playing.game.f[0, [s.X, s.Y]].tolist() == before.tolist()
    assert playing.game.k[0, s.LAST_WHAT] == s.NONE


def test_time_runs_five_ticks_a_decision_and_events_are_of_the_last_one(table: Start) -> None:
    playing = table("blitz")
    for decision in range(1, 4):
        playing.game.step(playing.actions)
        assert playing.game.k[0, [s.TICK, s.DECISION]].tolist() == [5 * decision, decision]
        assert playing.game.f[0, s.EV_GOLD : s.EV_GOLD + 10].tolist() == [1.0] * 10
        assert playing.game.k[0, s.EV_IDLE : s.EV_IDLE + 10].tolist() == [1] * 10


def test_recall_goes_on_with_none_and_ends_with_a_move(table: Start) -> None:
    playing = table("blitz")
    for seat in (0, 1):
        playing.game.f[0, [s.X + seat, s.Y + seat]] = -10.0
        act(playing, seat, s.RECALL, 0, 0, 0)
    playing.game.step(playing.actions)
    act(playing, 0, s.NONE, 0, 0, 0)
    act(playing, 1, s.MOVE, 0, 0, 0)
    for _ in range(5):
        playing.game.step(playing.actions)
    assert playing.game.f[0, s.X] == playing.game.tables.spawn[0, 0, 0]
    assert playing.game.f[0, s.X + 1] > -10.0


def test_the_cap_ends_the_match(table: Start) -> None:
    playing = table("blitz", overrides={"cap": 3})
    results = [playing.game.step(playing.actions) for _ in range(2)]
    assert [int(result.winner[0]) for result in results] == [RUNNING, RUNNING]
    last = playing.game.step(playing.actions)
    assert last.terminated.tolist() == [True]
    assert last.winner.tolist() == [DRAW]
    after = playing.game.step(playing.actions)
    assert (after.terminated.tolist(), after.winner.tolist()) == ([False], [DRAW])
    assert not after.rewards.any()
    assert playing.game.k[0, s.DECISION] == 3


def test_the_order_of_tie_breaks_at_the_cap(table: Start) -> None:
    playing = table("blitz")
    f, tables = playing.game.f[0].copy(), playing.game.tables
    assert winner_at_cap(f, tables) == DRAW
    f[s.GOLD_TOTAL + 7] += 1.0
    assert winner_at_cap(f, tables) == s.TEAM_B
    f[s.HP + s.STRUCTURE0 + s.STRUCTURES_PER_TEAM + 2] = 0.0
    assert winner_at_cap(f, tables) == s.TEAM_A
    f[s.HP + CRYSTAL] -= 1.0
    assert winner_at_cap(f, tables) == s.TEAM_B


def test_an_arena_at_the_cap_goes_by_hit_points(table: Start) -> None:
    playing = table("arena", overrides={"cap": 1})
    playing.game.k[0, s.LAST_COMBAT : s.LAST_COMBAT + 10] = 0
    playing.game.f[0, s.HP : s.HP + 10] = [400, 0, 0, 0, 0, 100, 100, 100, 100, 101]
    playing.game.k[0, s.RESPAWN_AT + 1 : s.RESPAWN_AT + 5] = 10**9
    assert playing.game.step(playing.actions).winner.tolist() == [s.TEAM_B]


def test_a_new_match_starts_clean(table: Start) -> None:
    playing = table("blitz")
    first = playing.game.state_hash(0)
    playing.play(40)
    assert playing.game.state_hash(0) != first
    playing.start()
    assert playing.game.state_hash(0) == first


def test_empty_seats_take_no_part(table: Start) -> None:
    playing = table("mid3")
    playing.lineups[:, :, 3:] = -1
    playing.start()
    for _ in range(30):
        playing.game.observe(playing.views)
        playing.game.step(playing.actions)
    k, f = playing.game.k[0], playing.game.f[0]
    empty = np.array([3, 4, 8, 9])
    assert not f[s.HP + empty].any()
    assert not f[s.GOLD_TOTAL + empty].any()
    assert not k[s.DEATHS + empty].any()
    assert (f[s.HP : s.HP + 3] > 0).all()
    assert (playing.views.hero_ids[0, 0, 0] == -1).sum() == 4
