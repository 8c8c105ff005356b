"""Items, heads and the zero-sum step of the rewards."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from fullpool.games.moba import rewards as r
from fullpool.games.moba import state as s
from fullpool.games.moba.probes import play_states

SETTINGS: dict[str, Any] = {
    "preset": "sim",
    "team_spirit": None,
    "decay": 1.0,
    "decay_seconds": 150.0,
    "items": {},
}
FLOAT_EVENTS = (s.EV_GOLD, s.EV_XP, s.EV_HURT, s.EV_MONSTER)
COUNT_EVENTS = (s.EV_KILL, s.EV_DEATH, s.EV_ASSIST, s.EV_LAST_HIT, s.EV_FIRST_SIGHT, s.EV_IDLE, s.EV_RESPAWN)


def weights(**changes: Any) -> r.RewardWeights:
    return r.load_rewards(r.RewardSettings.model_validate({**SETTINGS, **changes}))


def quiet_match() -> tuple[Any, Any, Any]:
    played = play_states("blitz", "assist", num_games=4)
    f, k = played.f[40].copy(), played.k[40].copy()
    f[s.F_EVENTS : s.F_EVENTS_END] = 0
    k[s.K_EVENTS : s.K_EVENTS_END] = 0
    f[s.HP : s.HP + 10] = f[s.MAX_HP : s.MAX_HP + 10]
    k[s.WINNER] = -1
    return f, k, played.tables


def pay(f: Any, k: Any, t: Any, w: r.RewardWeights, memory: Any = None) -> Any:
    if memory is None:
        memory = r.new_memory(1)[0]
        r.begin_rewards(f, k, w, memory)
    out = np.full((10, 5), np.nan, np.float32)
    r.write_rewards(f, k, t, w, memory, out)
    return out


def balanced(raw: Any, spirit: float) -> Any:
    """The printed zero-sum step."""
    teams = raw.reshape(2, 5, 5)
    mean = teams.mean(axis=1)
    return ((1 - spirit) * teams + spirit * mean[:, None] - mean[::-1, None]).reshape(10, 5)


@settings(max_examples=150, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    spirit=st.floats(0, 1),
    preset=st.sampled_from(["paper", "sim", "laptop"]),
    decay=st.sampled_from([1.0, 0.6]),
    winner=st.sampled_from([-1, 0, 1, 2]),
)
def test_every_head_sums_to_zero(seed: int, spirit: float, preset: str, decay: float, winner: int) -> None:
    f, k, t = quiet_match()
    generator = np.random.default_rng(seed)
    w = weights(preset=preset, team_spirit=spirit, decay=decay)
    memory = r.new_memory(1)[0]
    r.begin_rewards(f, k, w, memory)
    for at in FLOAT_EVENTS:
        f[at : at + 10] = generator.uniform(0, 300, 10)
    for at in COUNT_EVENTS:
        k[at : at + 10] = generator.integers(0, 4, 10)
    f[s.EV_TURRET + s.STRUCTURE0 : s.EV_TURRET + s.SUMMON0] = generator.uniform(0, 1, 20)
    f[s.HP : s.HP + 10] *= generator.uniform(0, 1, 10)
    f[s.MANA : s.MANA + 10] = f[s.MAX_MANA : s.MAX_MANA + 10] * generator.uniform(0, 1, 10)
    k[s.WINNER] = winner
    out = pay(f, k, t, w, memory)
    assert np.isfinite(out).all()
    assert np.abs(out.astype(np.float64).sum(axis=0)).max() < 1e-5


@pytest.mark.parametrize(
    ("event", "amount", "head", "item"),
    [
        (s.EV_GOLD, 100.0, r.FARMING, "gold"),
        (s.EV_XP, 50.0, r.FARMING, "experience"),
        (s.EV_MONSTER, 0.5, r.FARMING, "monster"),
        (s.EV_HURT, 0.25, r.DAMAGE, "hurt"),
    ],
)
def test_items_of_amounts(event: int, amount: float, head: int, item: str) -> None:
    f, k, t = quiet_match()
    f[event + 2] = amount
    raw = np.zeros((10, 5))
    raw[2, head] = amount * weights().item[r.ITEM_NAMES.index(item)]
    np.testing.assert_allclose(pay(f, k, t, weights()), balanced(raw, 0.2), atol=1e-6)


@pytest.mark.parametrize(
    ("event", "head", "value"),
    [
        (s.EV_KILL, r.KDA, 1.0),
        (s.EV_DEATH, r.KDA, -1.0),
        (s.EV_ASSIST, r.KDA, 0.5),
        (s.EV_LAST_HIT, r.KDA, 0.03),
        (s.EV_FIRST_SIGHT, r.KDA, 0.05),
        (s.EV_IDLE, r.FARMING, -0.0001),
    ],
)
def test_items_of_counts(event: int, head: int, value: float) -> None:
    f, k, t = quiet_match()
    k[event + 7] = 2
    raw = np.zeros((10, 5))
    raw[7, head] = 2 * value
    np.testing.assert_allclose(pay(f, k, t, weights()), balanced(raw, 0.2), atol=1e-6)


def test_a_win_is_worth_ten_to_each_winner() -> None:
    f, k, t = quiet_match()
    k[s.WINNER] = 1
    out = pay(f, k, t, weights())
    assert out[:, r.WIN].tolist() == [-10.0] * 5 + [10.0] * 5
    k[s.WINNER] = 2
    assert not pay(f, k, t, weights()).any()


def test_structures_pay_everybody_and_those_near_in_full() -> None:
    f, k, t = quiet_match()
    turret, crystal = s.STRUCTURE0 + 10 + 5, s.STRUCTURE0 + 10 + 9
    f[s.X : s.X + 5], f[s.Y : s.Y + 5] = -20.0, -20.0
    f[s.X + 3], f[s.Y + 3] = f[s.X + turret] - 11.9, f[s.Y + turret]
    f[s.EV_TURRET + turret] = 0.5
    raw = np.zeros((10, 5))
    raw[:5, r.PUSHING] = [0.2, 0.2, 0.2, 0.5, 0.2]
    np.testing.assert_allclose(pay(f, k, t, weights()), balanced(raw, 0.2), atol=1e-6)
    f[s.EV_TURRET + turret], f[s.EV_TURRET + crystal] = 0, 0.5
    far = [np.hypot(f[s.X + h] - f[s.X + crystal], f[s.Y + h] - f[s.Y + crystal]) > 12 for h in range(5)]
    raw[:5, r.PUSHING] = [0.4 if away else 1.0 for away in far]
    np.testing.assert_allclose(pay(f, k, t, weights()), balanced(raw, 0.2), atol=1e-6)


SHAPES = {
    "concave": lambda x: (x + 1 - (1 - x) ** 4) / 2,
    "fourth_root": lambda x: x**0.25,
    "fourth_power": lambda x: x**4,
}


@pytest.mark.parametrize("name", list(SHAPES))
def test_shapes(name: str) -> None:
    for x in np.linspace(0, 1, 11):
        assert r.shaped(np.float32(x), r.SHAPES.index(name)) == pytest.approx(SHAPES[name](x), abs=1e-6)


def test_change_of_health_is_paid_and_not_on_death_or_respawn() -> None:
    f, k, t = quiet_match()
    w, memory = weights(), r.new_memory(1)[0]
    r.begin_rewards(f, k, w, memory)
    f[s.HP + 1], f[s.HP + 4] = f[s.MAX_HP + 1] * np.float32(0.5), 0
    k[s.EV_RESPAWN + 4] = 1
    raw = np.zeros((10, 5))
    raw[1, r.DAMAGE] = 2 * (SHAPES["concave"](0.5) - 1)
    np.testing.assert_allclose(pay(f, k, t, w, memory), balanced(raw, 0.2), atol=1e-5)
    # Nothing more happens: nothing more is paid, and the way back is paid from where it ended.
    k[s.EV_RESPAWN + 4] = 0
    np.testing.assert_allclose(pay(f, k, t, w, memory), 0, atol=1e-6)
    f[s.HP + 1] = f[s.MAX_HP + 1]
    raw[1, r.DAMAGE] *= -1
    np.testing.assert_allclose(pay(f, k, t, w, memory), balanced(raw, 0.2), atol=1e-5)


def test_change_of_mana_is_paid() -> None:
    f, k, t = quiet_match()
    w, memory = weights(team_spirit=0.0), r.new_memory(1)[0]
    f[s.MANA + 6] = f[s.MAX_MANA + 6]
    r.begin_rewards(f, k, w, memory)
    f[s.MANA + 6] = 0
    raw = np.zeros((10, 5))
    raw[6, r.FARMING] = -0.05
    np.testing.assert_allclose(pay(f, k, t, w, memory), balanced(raw, 0.0), atol=1e-6)


def test_team_spirit_of_one_pays_the_mean() -> None:
    f, k, t = quiet_match()
    k[s.EV_KILL] = 1
    out = pay(f, k, t, weights(team_spirit=1.0))[:, r.KDA]
    np.testing.assert_allclose(out, [0.2] * 5 + [-0.2] * 5, atol=1e-6)


def test_decay_spares_the_win() -> None:
    f, k, t = quiet_match()
    k[s.TICK], k[s.EV_KILL], k[s.WINNER] = 750, 1, 0
    out = pay(f, k, t, weights(team_spirit=1.0, decay=0.6))
    assert out[0, r.KDA] == pytest.approx(0.2 * 0.6**0.5, abs=1e-6)
    assert out[0, r.WIN] == 10.0


def test_empty_seats_get_nothing_and_do_not_thin_the_mean() -> None:
    f, k, t = quiet_match()
    k[s.HERO_ID + 4], k[s.HERO_ID + 9], k[s.EV_KILL] = -1, -1, 1
    out = pay(f, k, t, weights(team_spirit=1.0))
    np.testing.assert_allclose(out[:, r.KDA], [0.25] * 4 + [0] + [-0.25] * 4 + [0], atol=1e-6)


def test_sets_of_weights_hold_the_published_numbers() -> None:
    assert set(r.reward_presets()) == {"paper", "sim", "laptop"}
    paper, sim = weights(preset="paper").item, weights().item
    wanted = {"gold": (0.005, 0.003), "kill": (1, 1), "assist": (1, 0.5), "health": (3, 2), "win": (2.5, 5)}
    for name, numbers in wanted.items():
        at = r.ITEM_NAMES.index(name)
        assert (paper[at], sim[at]) == pytest.approx(numbers)
    assert weights(items={"kill": 3.0}).item[r.R_KILL] == 3.0


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"preset": "smi"}, "unknown reward preset 'smi'.*did you mean 'sim'"),
        ({"items": {"kil": 1.0}}, "unknown reward item 'kil'.*did you mean 'kill'"),
    ],
)
def test_unknown_names_are_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        weights(**changes)


@pytest.mark.parametrize(
    "changes", [{"team_spirit": 1.5}, {"decay": 0.0}, {"decay_seconds": 0.0}, {"spirit": 0.1}]
)
def test_settings_out_of_range_are_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        r.RewardSettings.model_validate({**SETTINGS, **changes})


def test_teams_of_different_size_are_refused() -> None:
    r.check_team_sizes(np.array([[[0, 1, -1, -1, -1], [5, -1, 2, -1, -1]]], np.int16))
    with pytest.raises(ValueError, match="line-up 0 has 2 v 1"):
        r.check_team_sizes(np.array([[[0, 1, -1, -1, -1], [5, -1, -1, -1, -1]]], np.int16))
