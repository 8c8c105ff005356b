"""The search for the nearest minions, against a sorted list."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from fullpool.games.moba import state as s
from fullpool.games.moba.nearby import list_minions, new_nearby, take_nearest


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(-20, 20), st.integers(-20, 20)), max_size=36), st.integers(1, 8))
def test_nearest_minions_come_first_and_equals_in_order(points: list[tuple[int, int]], places: int) -> None:
    f, k = np.zeros(s.F_SIZE, np.float32), np.zeros(s.K_SIZE, np.int32)
    first = s.MINION0 + s.MINIONS_PER_TEAM
    for i, (x, y) in enumerate(points):
        f[s.X + first + i], f[s.Y + first + i], f[s.HP + first + i] = x, y, 1.0
        k[s.VISIBLE + first + i] = 2 if x == 7 else 3
    out = np.full(12, -9, np.int32)
    near = new_nearby()
    near.place[:], near.number[:] = -3.0, 77  # what a search before left behind
    count = list_minions(f, k, 1, 0, near)
    take_nearest(near, 1, count, np.float32(1), np.float32(-2), places, out, 2)
    squares = [(x - 1) ** 2 + (y + 2) ** 2 for x, y in points]
    assert count == sum(x != 7 for x, _ in points)
    seen = [i for i, (x, _) in enumerate(points) if x != 7]
    wanted = [first + i for i in sorted(seen, key=lambda i: (squares[i], i))]
    assert out[2 : 2 + places].tolist() == (wanted + [-1] * places)[:places]
    assert (np.delete(out, np.arange(2, 2 + places)) == -9).all()
