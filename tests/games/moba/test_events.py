"""The scratch of one tick."""

from __future__ import annotations

import numpy as np

from fullpool.games.moba import events as e
from fullpool.games.moba.state import NUM_UNITS, TRUE


def test_a_new_scratch_is_empty_and_clearing_brings_that_back() -> None:
    ev, fresh = e.new_events(), e.new_events()
    e.touch_damage(ev, 7, 12.5, 2)
    e.touch_damage(ev, 7, 2.5, -1)
    e.touch_damage(ev, NUM_UNITS - 1, 1.0, 9)
    assert list(ev.k[e.HURT : e.HURT + 2]) == [7, NUM_UNITS - 1]
    assert ev.k[e.NUM_HURT] == 2
    assert ev.damage[7] == 15.0
    assert ev.credit[7, 2] == 12.5
    assert ev.k[e.CREDITED + 7] == 1 << 2
    e.clear_events(ev)
    for name in ("damage", "credit"):
        np.testing.assert_array_equal(getattr(ev, name), getattr(fresh, name))
    assert not ev.k[: e.HURT].any()
    assert not ev.k[e.CREDITED : e.CREDITED + NUM_UNITS].any()


def test_pushes_keep_their_order_and_fields() -> None:
    ev = e.new_events()
    e.push_damage(ev, 3, 8, 50.0, TRUE, e.FLAG_SKILL, 0.5, 0.25)
    e.push_help(ev, e.HELP_SHIELD, 1, 2, 30.0, 20)
    e.push_status(ev, 4, 5, 6, 7, 0.5, 1.5)
    e.push_landing(ev, 9, 2, -1, 1.0, 2.0, 3.0, 4.0)
    assert list(ev.k[e.DAMAGE_K : e.DAMAGE_K + 4]) == [3, 8, TRUE, e.FLAG_SKILL]
    assert list(ev.f[e.DAMAGE_F : e.DAMAGE_F + 3]) == [50.0, 0.5, 0.25]
    assert list(ev.k[e.HELP_K : e.HELP_K + 4]) == [e.HELP_SHIELD, 1, 2, 20]
    assert list(ev.k[e.STATUS_K : e.STATUS_K + 4]) == [4, 5, 6, 7]
    assert list(ev.f[e.STATUS_F : e.STATUS_F + 2]) == [0.5, 1.5]
    assert list(ev.k[e.LANDING_K : e.LANDING_K + 3]) == [9, 2, -1]
    assert list(ev.f[e.LANDING_F : e.LANDING_F + 4]) == [1.0, 2.0, 3.0, 4.0]


def test_full_queues_drop_and_count_what_finds_no_room() -> None:
    ev = e.new_events()
    for _ in range(e.MAX_DAMAGE + 2):
        e.push_damage(ev, 0, 5, 1.0, TRUE, 0, 0.0, 0.0)
    for _ in range(e.MAX_HELP + 1):
        e.push_help(ev, e.HELP_HEAL, 0, 0, 1.0, 0)
    for _ in range(e.MAX_STATUS + 1):
        e.push_status(ev, 4, 0, 5, 1, 0.0, 0.0)
    for _ in range(e.MAX_LANDINGS + 1):
        e.push_landing(ev, 0, 0, -1, 0.0, 0.0, 0.0, 0.0)
    assert ev.k[e.NUM_DROPPED] == 5
    assert list(ev.k[e.NUM_DAMAGE : e.NUM_LANDINGS + 1]) == [
        e.MAX_DAMAGE,
        e.MAX_HELP,
        e.MAX_STATUS,
        e.MAX_LANDINGS,
    ]


def test_regions_of_the_scratch_do_not_overlap() -> None:
    integers = [
        e.HURT,
        e.CREDITED,
        e.HITS,
        e.FORCED,
        e.FORCE_TICKS,
        e.DASH_TICKS,
        e.DAMAGE_K,
        e.HELP_K,
        e.STATUS_K,
    ]
    floats = [
        e.LEECH,
        e.FORCE_X,
        e.FORCE_Y,
        e.DASH_X,
        e.DASH_Y,
        e.DAMAGE_F,
        e.HELP_F,
        e.STATUS_F,
        e.LANDING_F,
    ]
    assert integers == sorted(set(integers))
    assert floats == sorted(set(floats))
    assert e.NUM_DROPPED < e.HURT
    assert e.EVENTS_K - e.LANDING_K == 3 * e.MAX_LANDINGS
    assert e.EVENTS_F - e.LANDING_F == 4 * e.MAX_LANDINGS
