"""Matches set by hand."""

from __future__ import annotations

import pytest

from fullpool.games.moba import state as s
from fullpool.games.moba.scene import DEFAULT_LINEUP, START_TICK, Scene


def test_teams_are_filled_up_with_different_heroes_at_their_level() -> None:
    scene = Scene(["Cindervane"], ["Hexmarrow", "Bulwarden"], level=12, items=6)
    names = [scene.pool.names[int(hero)] for hero in scene.k[s.HERO_ID : s.HERO_ID + 10]]
    assert names[0] == "Cindervane"
    assert names[5:7] == ["Hexmarrow", "Bulwarden"]
    assert len(set(names[:5])) == len(set(names[5:])) == 5
    assert set(names[1:5]) == set(DEFAULT_LINEUP) - {"Cindervane"}
    assert (scene.k[s.LEVEL : s.LEVEL + 10] == 12).all()
    assert scene.f[s.AP] == 315.0, "six items of a mage"
    assert (scene.f[s.HP : s.HP + 10] == scene.f[s.MAX_HP : s.MAX_HP + 10]).all()


def test_nothing_happens_by_itself() -> None:
    scene = Scene(preset="blitz")
    before_f, before_k = scene.f.copy(), scene.k.copy()
    scene.tick(30)
    assert scene.k[s.TICK] == START_TICK + 30
    before_k[s.TICK] += 30
    assert (scene.f == before_f).all()
    assert (scene.k == before_k).all()


def test_two_scenes_do_not_share_their_structures() -> None:
    one, two = Scene(preset="blitz"), Scene(preset="blitz")
    u = one.add_structure(0, 2, 1.0, 2.0, 500.0)
    assert one.t.structure[u - s.STRUCTURE0].tolist() == [1.0, 2.0, 500.0, 0.0]
    assert not two.t.structure.any()


def test_statuses_count_down_to_none() -> None:
    scene = Scene(["Cindervane"])
    scene.put(0, 0.0, 0.0)
    scene.put(5, 3.0, 0.0)
    scene.cast(0, 1, 5)
    left = [scene.left(s.STUN_UNTIL, 5)]
    for _ in range(10):
        scene.tick()
        left.append(scene.left(s.STUN_UNTIL, 5))
    assert left == [9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 0]


def test_unknown_presets_are_refused() -> None:
    with pytest.raises(ValueError, match="unknown moba preset 'blits'"):
        Scene(preset="blits")
