"""The game's description fits what the kernels write."""

from __future__ import annotations

import numpy as np
import pytest

from fullpool.games.contract import allocate_views
from fullpool.games.moba import columns as c
from fullpool.games.moba import state as s
from fullpool.games.moba import tables as tb
from fullpool.games.moba.image import IMAGE_SIZE
from fullpool.games.moba.masks import MASK_SIZE
from fullpool.games.moba.spec import critic_spec, moba_spec, observation_spec, written_sizes
from fullpool.games.moba.tables import load_tables


def test_blitz_layout() -> None:
    spec = moba_spec(*load_tables("blitz"), aim="manual")
    assert [(b.name, b.rows, b.columns) for b in spec.observation.blocks] == [
        ("heroes", 10, 48),
        ("minions", 10, 12),
        ("structures", 8, 13),
        ("summons", 4, 8),
        ("global", 1, 24),
        ("previous_action", 1, 53),
    ]
    assert spec.observation.size == c.OBSERVATION_SIZE == 813
    assert spec.critic is not None
    assert spec.critic.size == c.CRITIC_SIZE
    assert spec.critic.offset("global") == c.CRITIC_AT_GLOBAL
    assert spec.action.mask_shapes == ((1, 9), (4, 24), (1, 16), (0, 4))
    assert spec.action.mask_size == MASK_SIZE == 121
    assert spec.decisions_per_second == 2.0
    assert spec.zero_sum
    assert len(spec.heroes) == 40


def test_groups_cover_every_row_once() -> None:
    for block in (*observation_spec(image=False).blocks, *critic_spec().blocks):
        if block.groups:
            rows = [row for _, first, last in block.groups for row in range(first, last)]
            assert rows == list(range(block.rows))


@pytest.mark.parametrize(
    ("names", "columns"),
    [
        (c.HERO_NAMES, c.HERO_COLUMNS),
        (c.CRITIC_HERO_NAMES, c.CRITIC_HERO_COLUMNS),
        (c.GLOBAL_NAMES, 24),
        (c.CRITIC_GLOBAL_NAMES, c.CRITIC_GLOBAL_COLUMNS),
    ],
)
def test_names_of_columns_are_unique(names: tuple[str, ...], columns: int) -> None:
    assert len(names) == len(set(names)) == columns


def test_numbers_of_columns_are_the_places_of_their_names() -> None:
    for number, name in (
        (c.C_PRESENT, "present"),
        (c.C_HP, "hp"),
        (c.C_AD, "attack_damage"),
        (c.C_STUN, "stunned"),
        (c.C_DOT, "burning"),
        (c.C_XP, "experience"),
        (c.C_AGE, "last_seen_age"),
        (c.C_MANA, "mana"),
        (c.C_HEAL_COOLDOWN, "heal_cooldown"),
        (c.C_ITEMS, "items"),
        (c.C_ORDER, "order_move"),
        (c.C_TARGET_HERO, "target_is_hero"),
    ):
        assert c.CRITIC_HERO_NAMES[number] == name
    assert c.C_KNOWN_END - c.C_KNOWN <= s.SEEN_COLUMNS


def test_heads_used_by_buttons_follow_the_aim() -> None:
    manual = moba_spec(*load_tables("blitz", aim="manual"), aim="manual").action
    assisted = moba_spec(*load_tables("blitz", aim="assist"), aim="assist").action
    assert manual.uses[:, :, s.HEAD_WHAT].all()
    assert manual.uses[:, s.MOVE, s.HEAD_DIR].all()
    for what in (s.NONE, s.HEAL, s.RECALL):
        assert not manual.uses[:, what, 1:].any()
    skills = load_tables("blitz")[0].skill
    for hero in range(40):
        for skill in range(3):
            cast = int(skills[hero, skill, tb.SKILL_CAST])
            aimed = cast in (tb.CAST_LINE, tb.CAST_CONE, tb.CAST_DASH, tb.CAST_GROUND, tb.CAST_SKYLINE)
            named = cast in (tb.CAST_UNIT, tb.CAST_ALLY, tb.CAST_GGROUND)
            uses = manual.uses[hero, s.SKILL1 + skill, 1:].tolist()
            assert uses == [named, aimed, cast == tb.CAST_GROUND]
            assert assisted.uses[hero, s.SKILL1 + skill, 1:].tolist() == [named or aimed, False, False]


def test_views_have_room_for_the_image() -> None:
    plain = moba_spec(*load_tables("arena"), aim="manual")
    spec = moba_spec(*load_tables("arena"), aim="manual", image=True)
    assert spec.observation.size == plain.observation.size + IMAGE_SIZE == 813 + 6 * 17 * 17
    assert spec.fingerprint() != plain.fingerprint()
    views = allocate_views(spec, 3)
    assert views.observation.shape == (3, 2, 5, 813 + IMAGE_SIZE)
    assert views.critic.shape == (3, 2, c.CRITIC_SIZE)


def test_written_sizes_count_the_views() -> None:
    spec = moba_spec(*load_tables("blitz"), aim="manual")
    views = allocate_views(spec)
    sizes = written_sizes(spec)
    rewards = 2 * 5 * 5
    assert sizes["floats"] == views.observation.size + views.critic.size + rewards
    arrays = (
        views.observation,
        views.hero_ids,
        views.masks,
        views.target_rows,
        views.critic,
        views.critic_hero_ids,
    )
    assert sizes["bytes"] == sum(array.nbytes for array in arrays) + 4 * rewards


def test_other_aim_and_too_many_turrets_are_refused() -> None:
    tables, pool, preset = load_tables("blitz", aim="assist")
    with pytest.raises(ValueError, match="aim 'manual' does not fit the tables"):
        moba_spec(tables, pool, preset, aim="manual")
    crowded = tables._replace(structure=np.ones_like(tables.structure))
    with pytest.raises(ValueError, match="has 9 turrets a team, the observation has rows for 3"):
        moba_spec(crowded, pool, preset, aim="assist")
