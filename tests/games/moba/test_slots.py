"""Which unit each slot of the Who head means."""

from __future__ import annotations

from typing import Any

import numpy as np

from fullpool.games.moba import state as s
from fullpool.games.moba.probes import play_states, view_match
from fullpool.games.moba.slots import refresh_slots


def expected(f: Any, k: Any, h: int) -> list[int]:
    """Slots by the printed rule, in plain Python."""
    team, enemy = h // 5, 1 - h // 5

    def seen(first: int, size: int, places: int) -> list[int]:
        units = [u for u in range(first, first + size) if f[s.HP + u] > 0 and k[s.VISIBLE + u] >> team & 1]
        steps = {
            u: float(np.float32((f[s.X + u] - f[s.X + h]) ** 2 + (f[s.Y + u] - f[s.Y + h]) ** 2))
            for u in units
        }
        units.sort(key=lambda u: (int(steps[u] * 1024), u))
        return (units + [-1] * places)[:places]

    first = s.STRUCTURE0 + enemy * 10
    turrets = [u for u in range(first, first + 9) if f[s.HP + u] > 0]
    turrets.sort(key=lambda u: (f[s.X + u] - f[s.X + h]) ** 2 + (f[s.Y + u] - f[s.Y + h]) ** 2)
    return [
        h,
        *(u for u in range(team * 5, team * 5 + 5) if u != h),
        *range(enemy * 5, enemy * 5 + 5),
        *seen(s.MINION0 + enemy * 36, 36, 6),
        turrets[0] if turrets else -1,
        first + 9 if f[s.HP + first + 9] > 0 else -1,
        *[-1] * 4,
        *seen(s.SUMMON0 + enemy * 6, 6, 2),
    ]


def test_slots_follow_the_rule_in_played_matches() -> None:
    played = play_states("blitz")
    filled = np.zeros(s.NUM_WHO, np.int64)
    for f, k in zip(played.f[::3], played.k[::3], strict=True):
        for h in range(s.NUM_HEROES):
            slots = k[s.SLOTS + h * s.NUM_WHO : s.SLOTS + (h + 1) * s.NUM_WHO].tolist()
            assert slots == expected(f, k, h)
            filled += np.array(slots) >= 0
    assert filled[[0, 4, 9, 10, 15, 16, 17]].all()


def test_summons_in_sight_are_the_last_slots() -> None:
    played = play_states("blitz")
    f, k, first = played.f[30].copy(), played.k[30].copy(), s.SUMMON0 + s.SUMMONS_PER_TEAM
    h = next(h for h in range(5) if f[s.HP + h] > 0)
    f[s.HP + s.SUMMON0 : s.HP + s.MINION0] = 0
    for place, distance in ((0, 3.0), (2, 1.0), (3, 2.0), (5, 90.0)):
        f[s.HP + first + place] = 50.0
        f[s.X + first + place], f[s.Y + first + place] = f[s.X + h] + distance, f[s.Y + h]
    refresh_slots(f, k, played.tables)
    slots = k[s.SLOTS + h * s.NUM_WHO : s.SLOTS + (h + 1) * s.NUM_WHO].tolist()
    assert slots[s.SLOT_SUMMON :] == [first + 2, first + 3]
    assert [int(k[s.VISIBLE + first + place]) for place in (0, 2, 3, 5)] == [3, 3, 3, 2]
    assert slots == expected(f, k, h)
    rows = view_match(f, k, played.tables).observation[0, h, 704:736].reshape(4, 8)
    np.testing.assert_allclose(rows[2:, [0, 1, 5]], [[1, 0, 0.05], [1, 0, 0.1]], atol=1e-5)


def test_refreshing_twice_changes_nothing() -> None:
    played = play_states("blitz")
    for f, k in zip(played.f[::9], played.k[::9], strict=True):
        again_f, again_k = f.copy(), k.copy()
        refresh_slots(again_f, again_k, played.tables)
        assert again_f.tobytes() == f.tobytes()
        assert again_k.tobytes() == k.tobytes()
