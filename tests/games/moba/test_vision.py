"""Who sees whom, and what is remembered."""

from __future__ import annotations

import numpy as np
import pytest

from fullpool.games.moba import columns as c
from fullpool.games.moba import state as s
from fullpool.games.moba import tables as tb
from fullpool.games.moba.probes import play_states
from fullpool.games.moba.scene import Scene
from fullpool.games.moba.slots import refresh_slots
from fullpool.games.moba.vision import update_vision

SEER, SEEN = 0, 5


class Sight:
    """One hero of each team on the blitz map; everybody else stands in a far corner of its own."""

    def __init__(self) -> None:
        self.scene = Scene(preset="blitz")
        self.f, self.k, self.t = self.scene.f, self.scene.k, self.scene.t
        for h in range(s.NUM_HEROES):
            self.f[s.HP + h] = 0.0
        for h, x in ((SEER, 0.0), (SEEN, 9.0)):
            self.f[s.HP + h] = self.f[s.MAX_HP + h]
            self.scene.put(h, x, 0.0)
        self.k[s.VISIBLE : s.VISIBLE + s.NUM_HEROES] = [1] * 5 + [2] * 5
        self.f[s.HP + s.STRUCTURE0 : s.HP + s.SUMMON0] = 0.0

    def sees(self, team: int = 0, h: int = SEEN) -> bool:
        update_vision(self.f, self.k, self.t)
        return bool(self.k[s.VISIBLE + h] >> team & 1)

    def in_brush(self, h: int, patch: int) -> None:
        """Puts a hero on a tile of a patch."""
        row, column = np.argwhere(self.t.tile & tb.BRUSH_MASK == patch)[0]
        self.scene.put(h, column - 40 + 0.5, row - 40 + 0.5)

    def beside(self, h: int, other: int, distance: float) -> None:
        self.scene.put(h, float(self.f[s.X + other]) + distance, float(self.f[s.Y + other]))


@pytest.mark.parametrize(("distance", "seen"), [(9.9, True), (10.0, True), (10.1, False)])
def test_heroes_see_ten_far(distance: float, seen: bool) -> None:
    sight = Sight()
    sight.beside(SEEN, SEER, distance)
    assert sight.sees() is seen
    assert bool(sight.k[s.VISIBLE + SEER] >> 1 & 1) is seen


@pytest.mark.parametrize(
    ("kind", "reach"), [("minion", 7.0), ("turret", 9.0), ("crystal", 10.0), ("summon", 5.0)]
)
def test_other_units_see_for_their_team(kind: str, reach: float) -> None:
    sight = Sight()
    sight.scene.put(SEER, -23.0, -23.0)
    sight.scene.put(SEEN, reach - 0.1, 0.0)
    assert not sight.sees()
    if kind == "minion":
        sight.scene.add_minion(0, 3, 0.0, 0.0)
    elif kind == "summon":
        u = s.SUMMON0 + 1
        sight.f[s.HP + u] = 10.0
        sight.scene.put(u, 0.0, 0.0)
    else:
        sight.scene.add_structure(0, s.CRYSTAL if kind == "crystal" else 2, 0.0, 0.0)
    assert sight.sees()
    sight.scene.put(SEEN, reach + 0.1, 0.0)
    assert not sight.sees()


def test_brush_hides_but_not_from_the_same_patch_or_from_near() -> None:
    sight = Sight()
    sight.in_brush(SEEN, 1)
    sight.beside(SEER, SEEN, 5.0)
    assert not sight.sees()
    assert sight.k[s.BRUSH + SEEN] == 1
    sight.beside(SEER, SEEN, 1.9)
    assert sight.sees()
    inside = np.argwhere(sight.t.tile & tb.BRUSH_MASK == 1)
    sight.scene.put(SEER, inside[-1][1] - 40 + 0.5, inside[-1][0] - 40 + 0.5)
    assert np.hypot(*(sight.f[[s.X + SEER, s.Y + SEER]] - sight.f[[s.X + SEEN, s.Y + SEEN]])) > 2
    assert sight.sees()
    sight.beside(SEER, SEEN, 5.0)
    sight.scene.add_structure(0, 2, float(sight.f[s.X + SEEN]) + 6.0, float(sight.f[s.Y + SEEN]))
    assert not sight.sees()


@pytest.mark.parametrize("field", [s.EXPOSED_UNTIL, s.REVEALED_UNTIL])
def test_attacks_and_marks_give_away_who_is_in_brush(field: int) -> None:
    sight = Sight()
    sight.in_brush(SEEN, 1)
    sight.beside(SEER, SEEN, 5.0)
    sight.k[field + SEEN] = sight.k[s.TICK] + 1
    assert sight.sees()
    sight.k[s.TICK] += 1
    assert not sight.sees()


def test_stealth_is_seen_from_near_by_structures_and_reveals_only() -> None:
    sight = Sight()
    sight.k[s.STEALTH_UNTIL + SEEN] = sight.k[s.TICK] + 50
    sight.beside(SEEN, SEER, 2.1)
    assert not sight.sees()
    sight.beside(SEEN, SEER, 1.9)
    assert sight.sees()
    sight.beside(SEEN, SEER, 5.0)
    assert not sight.sees()
    sight.scene.add_structure(0, 2, 0.0, 8.0)
    assert not sight.sees()
    sight.scene.put(SEEN, 0.0, 5.0)
    assert sight.sees()
    sight.f[s.HP + s.STRUCTURE0 + 2] = 0.0
    assert not sight.sees()
    sight.k[s.REVEALED_UNTIL + SEEN] = sight.k[s.TICK] + 1
    assert sight.sees()


def test_revealed_circles_show_everything_in_them() -> None:
    sight = Sight()
    sight.scene.put(SEER, -23.0, -23.0)
    sight.in_brush(SEEN, 1)
    sight.k[s.STEALTH_UNTIL + SEEN] = sight.k[s.TICK] + 50
    u = sight.scene.add_minion(1, 0, float(sight.f[s.X + SEEN]), float(sight.f[s.Y + SEEN]))
    sight.f[s.REVEAL_X], sight.f[s.REVEAL_Y] = sight.f[s.X + SEEN] + 2.9, sight.f[s.Y + SEEN]
    sight.f[s.REVEAL_RADIUS] = 3.0
    assert not sight.sees()
    sight.k[s.REVEAL_UNTIL] = sight.k[s.TICK] + 1
    assert sight.sees()
    refresh_slots(sight.f, sight.k, sight.t)
    assert sight.k[s.VISIBLE + u] == 3


def test_minions_and_summons_are_seen_at_the_end_of_a_decision() -> None:
    sight = Sight()
    near, far = sight.scene.add_minion(1, 0, 9.9, 0.0), sight.scene.add_minion(1, 1, 0.0, 10.1)
    own = sight.scene.add_minion(0, 0, -15.0, 0.0)
    sight.scene.put(SEEN, 20.0, 20.0)
    update_vision(sight.f, sight.k, sight.t)
    refresh_slots(sight.f, sight.k, sight.t)
    assert [sight.k[s.VISIBLE + u] for u in (near, far, own)] == [3, 2, 1]
    assert sight.k[s.SLOTS + SEER * s.NUM_WHO + s.SLOT_MINION :][:2].tolist() == [near, -1]


def test_the_last_sight_is_remembered() -> None:
    sight = Sight()
    at = s.SEEN + SEEN * s.SEEN_COLUMNS
    sight.f[s.HP + SEEN] = sight.f[s.MAX_HP + SEEN] * np.float32(0.5)
    assert sight.sees()
    place = sight.f[[s.X + SEEN, s.Y + SEEN]].copy()
    tick = int(sight.k[s.TICK])
    sight.k[s.TICK] += 30
    sight.scene.put(SEEN, 20.0, 20.0)
    sight.f[s.HP + SEEN] = sight.f[s.MAX_HP + SEEN]
    assert not sight.sees()
    assert sight.f[[at + c.SEEN_X, at + c.SEEN_Y]].tolist() == place.tolist()
    assert sight.f[at + c.SEEN_HP] == 0.5
    assert sight.k[s.SEEN_TICK + SEEN] == tick


def test_finding_a_hero_after_ten_seconds_is_credited_to_the_nearest_who_sees_it() -> None:
    sight = Sight()
    sight.f[s.HP + 1] = sight.f[s.MAX_HP + 1]
    sight.scene.put(SEEN, 20.0, 20.0)
    sight.k[s.SEEN_TICK + SEEN] = sight.k[s.TICK]
    sight.k[s.SEEN_TICK + SEER] = sight.k[s.SEEN_TICK + 1] = sight.k[s.TICK]
    for waited, credited in ((99, 0), (100, 1)):
        sight.scene.put(SEEN, 20.0, 20.0)
        sight.scene.put(1, -23.0, 0.0)
        assert not sight.sees()
        sight.k[s.SEEN_TICK + SEEN] = sight.k[s.TICK] - waited
        sight.beside(SEEN, SEER, 8.0)
        sight.beside(1, SEER, 3.0)
        assert sight.sees()
        assert sight.k[s.EV_FIRST_SIGHT : s.EV_FIRST_SIGHT + 5].tolist() == [0, credited, 0, 0, 0]


def test_a_dead_hero_is_known_and_unseen() -> None:
    sight = Sight()
    sight.k[s.SEEN_TICK + SEEN] = s.NEVER
    sight.f[s.HP + SEEN] = 0.0
    assert not sight.sees()
    assert sight.k[s.SEEN_TICK + SEEN] == sight.k[s.TICK]


def test_played_matches_agree_with_a_plain_search() -> None:
    played = play_states("blitz")
    t, seen_total = played.tables, 0
    for f, k in zip(played.f[1::6], played.k[1::6], strict=True):
        for h in range(s.NUM_HEROES):
            if f[s.HP + h] <= 0:
                continue
            enemy = 1 - h // 5
            covered = k[s.BRUSH + h] > 0 and max(k[s.EXPOSED_UNTIL + h], k[s.REVEALED_UNTIL + h]) <= k[s.TICK]
            stealthy = k[s.STEALTH_UNTIL + h] > k[s.TICK] >= k[s.REVEALED_UNTIL + h]
            seen = False
            for first, size, reach in (
                (enemy * 5, 5, 10.0),
                (s.STRUCTURE0 + enemy * 10, 9, 9.0),
                (s.STRUCTURE0 + enemy * 10 + 9, 1, 10.0),
                (s.SUMMON0 + enemy * 6, 6, 5.0),
                (s.MINION0 + enemy * 36, 36, 7.0),
            ):
                for u in range(first, first + size):
                    distance = np.hypot(f[s.X + u] - f[s.X + h], f[s.Y + u] - f[s.Y + h])
                    structure = s.STRUCTURE0 <= u < s.SUMMON0
                    hides = covered and not (u < 10 and k[s.BRUSH + u] == k[s.BRUSH + h])
                    hides = hides or (stealthy and not structure)
                    seen |= bool(f[s.HP + u] > 0 and distance <= (2.0 if hides else reach))
            for i in range(enemy * 4, enemy * 4 + 4):
                distance = np.hypot(f[s.REVEAL_X + i] - f[s.X + h], f[s.REVEAL_Y + i] - f[s.Y + h])
                seen |= bool(k[s.REVEAL_UNTIL + i] > k[s.TICK] and distance <= f[s.REVEAL_RADIUS + i])
            assert bool(k[s.VISIBLE + h] >> enemy & 1) == seen, (h, k[s.TICK])
            seen_total += seen
    assert t.tile.any()
    assert seen_total > 50
