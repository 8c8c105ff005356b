"""The local image: ground, and units in sight, around one hero."""

from __future__ import annotations

import numpy as np

from fullpool.games.moba import state as s
from fullpool.games.moba.image import IMAGE_SIZE
from fullpool.games.moba.movement import brush_at, is_wall
from fullpool.games.moba.probes import play_states, view_match
from fullpool.games.moba.status import team_of


def test_cells_show_the_ground_and_the_units_in_sight() -> None:
    played = play_states("blitz")
    t, walls, brush = played.tables, 0, 0
    for f, k in zip(played.f[::20], played.k[::20], strict=True):
        images = view_match(f, k, t, image=True).observation[:, :, -IMAGE_SIZE:].reshape(2, 5, 6, 17, 17)
        for h in (1, 8):
            team, image = h // 5, images[h // 5, h % 5]
            counts = np.zeros((2, 17, 17))
            for u in range(s.MONSTER0):
                if u == h or f[s.HP + u] <= 0 or not k[s.VISIBLE + u] >> team & 1:
                    continue
                dx, dy = f[s.X + u] - f[s.X + h], f[s.Y + u] - f[s.Y + h]
                dx, dy = (dx, dy) if team == 0 else (-dy, -dx)
                column, row = int(np.rint(dx)) + 8, int(np.rint(dy)) + 8
                if 0 <= column < 17 and 0 <= row < 17:
                    counts[int(team_of(u) != team), row, column] += 1
            np.testing.assert_allclose(image[2:4], np.minimum(counts / 4, 1))
            assert not image[4:].any()
            for row in range(17):
                for column in range(17):
                    dx, dy = np.float32(column - 8), np.float32(row - 8)
                    dx, dy = (dx, dy) if team == 0 else (-dy, -dx)
                    x, y = f[s.X + h] + dx, f[s.Y + h] + dy
                    assert image[0, row, column] == is_wall(t, x, y)
                    assert image[1, row, column] == (brush_at(t, x, y) > 0)
            walls, brush = walls + image[0].sum(), brush + image[1].sum()
    assert walls
    assert brush


def test_the_image_comes_after_the_same_rows() -> None:
    played = play_states("blitz")
    plain = view_match(played.f[25], played.k[25], played.tables)
    with_image = view_match(played.f[25], played.k[25], played.tables, image=True)
    assert with_image.observation[..., :-IMAGE_SIZE].tobytes() == plain.observation.tobytes()
