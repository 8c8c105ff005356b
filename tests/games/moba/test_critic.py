"""The critic's view: no fog, hidden columns, the team's own frame."""

from __future__ import annotations

import numpy as np
import pytest

from fullpool.games.moba import columns as c
from fullpool.games.moba import state as s
from fullpool.games.moba.critic import write_state
from fullpool.games.moba.probes import play_states, view_match
from fullpool.games.moba.work import new_work


def test_rows_show_what_is_hidden_from_agents() -> None:
    played = play_states("blitz")
    hidden = targets = 0
    for f, k in zip(played.f[::4], played.k[::4], strict=True):
        views = view_match(f, k, played.tables)
        for team in range(2):
            rows = views.critic[team, : c.CRITIC_AT_MINIONS].reshape(10, c.CRITIC_HERO_COLUMNS)
            seats = [(r + 5 * team) % 10 for r in range(10)]
            assert views.critic_hero_ids[team].tolist() == [k[s.HERO_ID + h] for h in seats]
            for row, h in zip(rows, seats, strict=True):
                x, y = f[s.X + h], f[s.Y + h]
                x, y = (x, y) if team == 0 else (-y, -x)
                np.testing.assert_allclose(row[[c.C_X, c.C_Y]], [x / 24, y / 24], atol=1e-6)
                assert row[c.C_ALLY] == (h // 5 == team)
                assert row[c.C_MANA] == pytest.approx(f[s.MANA + h] / f[s.MAX_MANA + h], abs=1e-6)
                assert row[c.C_GOLD] == pytest.approx(min(f[s.GOLD + h] / 1000, 1), abs=1e-6)
                assert row[c.C_ITEMS] == pytest.approx(k[s.ITEM_STEP + h] / 6, abs=1e-6)
                assert row[c.C_SEEN_BY] == (k[s.VISIBLE + h] == 3)
                for skill in range(3):
                    left = np.clip((k[s.SKILL_READY + 3 * h + skill] - k[s.TICK]) / 480, 0, 1)
                    assert row[c.C_COOLDOWN + skill] == pytest.approx(left, abs=1e-6)
                orders = row[c.C_ORDER : c.C_ORDER + 7]
                assert orders.tolist() == [float(k[s.ORDER + h] == what) for what in range(1, 8)]
                hidden += h // 5 != team and f[s.HP + h] > 0 and not row[c.C_VISIBLE]
                u = k[s.ORDER_TARGET + h]
                if k[s.ORDER + h] >= s.ATTACK and u >= 0:
                    dx, dy = f[s.X + u] - f[s.X + h], f[s.Y + u] - f[s.Y + h]
                    dx, dy = (dx, dy) if team == 0 else (-dy, -dx)
                    wanted = np.clip([dx / 20, dy / 20], -1, 1)
                    np.testing.assert_allclose(row[[c.C_TARGET_X, c.C_TARGET_Y]], wanted, atol=1e-6)
                    assert row[c.C_TARGET_HERO] == (u < 10)
                    targets += 1
    assert hidden > 20
    assert targets > 20


def test_minions_are_those_deepest_in_the_other_half() -> None:
    played = play_states("blitz")
    spawn = played.tables.spawn[0, 2]
    for f, k in zip(played.f[::5], played.k[::5], strict=True):
        rows = (
            view_match(f, k, played.tables)
            .critic[0, c.CRITIC_AT_MINIONS : c.CRITIC_AT_STRUCTURES]
            .reshape(10, 12)
        )
        enemies = [u for u in range(s.MINION0 + 36, s.MINION0 + 72) if f[s.HP + u] > 0]
        near = sorted(((f[s.X + u] - spawn[0]) ** 2 + (f[s.Y + u] - spawn[1]) ** 2, u) for u in enemies)
        assert int(rows[:6, 0].sum()) == min(len(enemies), 6)
        if enemies:
            u = near[0][1]
            assert rows[0, 6] == pytest.approx(np.clip(f[s.X + u] / 20, -1, 1), abs=0.02)
        assert not rows[:, 11].any()


def test_global_row_compares_the_teams() -> None:
    played = play_states("blitz")
    at = c.CRITIC_AT_GLOBAL + c.GLOBAL_COLUMNS
    for f, k in zip(played.f[::6], played.k[::6], strict=True):
        views = view_match(f, k, played.tables)
        gold = f[s.GOLD_TOTAL : s.GOLD_TOTAL + 10].reshape(2, 5).mean(axis=1)
        difference = np.clip((gold[0] - gold[1]) / 1000, -1, 1)
        np.testing.assert_allclose(views.critic[:, at], [difference, -difference], atol=1e-6)
        alive = (f[s.HP + s.MINION0 : s.HP + s.MONSTER0] > 0).reshape(2, 36).sum(axis=1)
        np.testing.assert_allclose(views.critic[0, at + 5 : at + 7], alive / 36, atol=1e-6)


def test_state_is_team_a_s_view() -> None:
    played = play_states("blitz")
    f, k = played.f[30], played.k[30]
    out, ids = np.full(c.CRITIC_SIZE, np.nan, np.float32), np.zeros(10, np.int16)
    write_state(f, k, played.tables, new_work(), out, ids)
    views = view_match(f, k, played.tables)
    assert out.tobytes() == views.critic[0].tobytes()
    assert ids.tolist() == views.critic_hero_ids[0].tolist()
