"""Nothing that a team must not know reaches what its agents see."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fullpool.games.moba import columns as c
from fullpool.games.moba import state as s
from fullpool.games.moba.probes import PlayedStates, play_states, scramble_hidden, view_match
from fullpool.games.moba.vision import remember


@pytest.fixture(scope="module")
def played() -> PlayedStates:
    return play_states("blitz")


@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(number=st.integers(0, 10_000), team=st.integers(0, 1), seed=st.integers(0, 2**32 - 1))
def test_hidden_state_changes_no_byte_of_what_agents_see(
    played: PlayedStates, number: int, team: int, seed: int
) -> None:
    n = number % len(played.f)
    before = view_match(played.f[n], played.k[n], played.tables, image=True)
    f, k = scramble_hidden(played.f[n], played.k[n], team, np.random.default_rng(seed))
    after = view_match(f, k, played.tables, image=True)
    for name in ("observation", "hero_ids", "masks", "target_rows"):
        old, new = getattr(before, name)[team], getattr(after, name)[team]
        assert old.tobytes() == new.tobytes(), f"{name} changed at {np.argwhere(old != new)[:5].tolist()}"


def test_the_noise_reaches_the_critic(played: PlayedStates) -> None:
    f, k = scramble_hidden(played.f[20], played.k[20], 0, np.random.default_rng(0))
    assert np.any(f != played.f[20])
    old = view_match(played.f[20], played.k[20], played.tables).critic[0]
    assert np.any(old != view_match(f, k, played.tables).critic[0])


def test_a_leak_would_be_seen(played: PlayedStates) -> None:
    unseen = [
        (n, h)
        for n in range(len(played.f))
        for h in range(s.TEAM_SIZE, s.NUM_HEROES)
        if played.k[n, s.VISIBLE + h] == 2 and played.f[n, s.HP + h] > 0
    ]
    n, h = unseen[0]
    f, k = played.f[n].copy(), played.k[n].copy()
    before = view_match(f, k, played.tables).observation[0]
    f[s.X + h] += 3
    assert view_match(f, k, played.tables).observation[0].tobytes() == before.tobytes()
    remember(f, k, played.tables, h)
    rows = view_match(f, k, played.tables).observation[0, :, : c.AT_MINIONS].reshape(5, 10, c.HERO_COLUMNS)
    assert np.any(rows[:, h, c.C_X] != before[:, : c.AT_MINIONS].reshape(5, 10, c.HERO_COLUMNS)[:, h, c.C_X])
