from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import yaml

from fullpool.games.contract import Floats
from fullpool.games.moba import state as s
from fullpool.games.moba import tables as tb
from fullpool.games.moba.heroes import CASTS, KINDS, ROLES, load_heroes
from fullpool.games.moba.presets import load_preset, preset_names

PRESETS = preset_names()


def mirrored(points: Floats) -> Floats:
    return -points[..., ::-1]


def test_column_constants_are_the_places_of_their_names() -> None:
    assert [getattr(tb, f"P_{name.upper()}") for name in tb.PRESET_FIELDS] == list(range(tb.PRESET_COLUMNS))
    assert [getattr(tb, f"KIND_{name.upper()}") for name in KINDS] == list(range(tb.NUM_KINDS))
    assert [getattr(tb, f"CAST_{name.upper()}") for name in CASTS] == list(range(len(CASTS)))
    assert [getattr(tb, f"ROLE_{name.upper()}") for name in ROLES] == list(range(len(ROLES)))


def test_pool_has_forty_heroes_whose_skills_use_every_kind_but_blink() -> None:
    pool = load_heroes()
    kinds = {effect.kind for hero in pool.heroes for skill in hero.skills for effect in skill.effects}
    assert len(pool.heroes) == 40
    assert set(KINDS) - kinds == {"blink"}


@pytest.mark.parametrize("preset", PRESETS)
def test_map_is_its_own_mirror_image(preset: str) -> None:
    tables, _, _ = tb.load_tables(preset)
    turn = (12 - np.arange(16)) % 16
    assert np.array_equal(tables.direction[turn], mirrored(tables.direction))
    assert np.array_equal(tables.spawn[1], mirrored(tables.spawn[0]))
    assert np.array_equal(tables.lane[:, ::-1], mirrored(tables.lane))
    half = s.STRUCTURES_PER_TEAM
    present = tables.structure[:half, 2] > 0
    assert np.array_equal(
        tables.structure[half:, :2][present], mirrored(tables.structure[:half, :2][present])
    )
    assert np.array_equal(tables.structure[half:, 2:], tables.structure[:half, 2:])
    walls, brush = tables.tile & tb.WALL, tables.tile & tb.BRUSH_MASK
    assert np.array_equal(walls, walls[::-1, ::-1].T)
    assert np.array_equal(tables.brush_mirror[brush], brush[::-1, ::-1].T)


def test_directions_are_unit_vectors_a_sixteenth_apart() -> None:
    direction = tb.load_tables("arena")[0].direction.astype(np.float64)
    angles = np.arctan2(direction[:, 1], direction[:, 0]) % (2 * np.pi)
    assert np.allclose(angles, np.arange(16) * np.pi / 8, atol=1e-6)
    assert np.allclose(np.hypot(direction[:, 0], direction[:, 1]), 1.0, atol=1e-6)


def test_blitz_is_the_full_map_times_three_fifths() -> None:
    tables, _, preset = tb.load_tables("blitz")
    standing = {index: row for index, row in enumerate(tables.structure) if row[2] > 0}
    assert sorted(standing) == [2, 5, 8, 9, 12, 15, 18, 19]
    assert np.allclose(standing[s.CRYSTAL][:2], 4.8 - 24, atol=1e-5)
    assert np.allclose(standing[5][:2], 24 * 0.6 - 24, atol=1e-5)
    assert preset.cap == 250
    assert tables.preset[tb.P_SUDDEN_FROM] == 938


def test_lanes_structures_and_spawns_stand_free_of_walls() -> None:
    for preset in PRESETS:
        tables, _, chosen = tb.load_tables(preset)
        points = [tuple(point) for point in tables.spawn.reshape(-1, 2)]
        if chosen.has_structures:
            for lane in tables.lane:
                for a, b in pairwise(lane):
                    points += [tuple(a + (b - a) * share) for share in np.linspace(0, 1, 60)]
        for x, y in points:
            column, row = int(np.floor(x)) + tb.HALF_TILES, int(np.floor(y)) + tb.HALF_TILES
            assert tables.tile[row, column] & tb.WALL == 0, (preset, x, y)


def test_assisted_aim_turns_directions_into_targets() -> None:
    manual, assist = tb.load_tables("blitz")[0], tb.load_tables("blitz", aim="assist")[0]
    aimed = manual.skill[:, :, tb.SKILL_USES_DIR] == 1
    assert aimed.sum() == 16 + 14 + 7 + 5 + 1
    assert (assist.skill[:, :, tb.SKILL_USES_WHO][aimed] == 1).all()
    assert (assist.skill[:, :, [tb.SKILL_USES_DIR, tb.SKILL_USES_DIST]] == 0).all()
    assert np.array_equal(manual.skill[:, :, : tb.SKILL_USES_WHO], assist.skill[:, :, : tb.SKILL_USES_WHO])


def test_builds_follow_the_hero_not_its_role() -> None:
    tables, pool, _ = tb.load_tables("blitz")
    ashflicker = pool.names.index("Ashflicker")
    cindervane = pool.names.index("Cindervane")
    assert np.array_equal(tables.item[ashflicker], tables.item[cindervane])
    assert tables.item[:, :, tb.ITEM_COST].sum(axis=1).tolist() == [3800.0] * 40


def test_times_are_rounded_up_to_ticks() -> None:
    assert [tb.to_ticks(value) for value in (0.0, 0.1, 0.25, 1.2, 0.3)] == [0, 1, 3, 12, 3]


@pytest.mark.parametrize(
    ("preset", "overrides", "message"),
    [
        ("blits", {}, "did you mean 'blitz'"),
        ("blitz", {"turret_hpp": 3}, "did you mean 'turret_hp'"),
        ("blitz", {"cap": 0}, "cap"),
        ("blitz", {"turret_hp": [1, 2]}, "turret_hp"),
        ("blitz", {"level_xp": [0, 5, 4] + [9] * 9}, "level_xp must rise"),
        ("blitz", {"turret_tiers": [1, 2]}, "single_tier"),
        ("blitz", {"name": "x"}, "unknown moba preset value"),
    ],
)
def test_impossible_presets_are_refused_in_one_line(
    preset: str, overrides: dict[str, object], message: str
) -> None:
    with pytest.raises(ValueError, match=message) as error:
        load_preset(preset, overrides)
    assert "\n" not in str(error.value)


def _hero_file() -> dict[str, object]:
    import fullpool.games.moba

    path = Path(fullpool.games.moba.__file__).parent / "heroes.yaml"
    data: dict[str, object] = yaml.safe_load(path.read_text("utf-8"))
    return data


@pytest.mark.parametrize(
    ("where", "value", "message"),
    [
        (("heroes", 3, "name"), "Bulwarden", "appears twice"),
        (("heroes", 3, "role"), "wizard", "unknown role 'wizard'"),
        (("heroes", 3, "build"), "wizard", "unknown build"),
        (("heroes", 3, "skills", 0, "cooldown"), -1, "heroes.3.skills.0.cooldown"),
        (("heroes", 3, "skills", 0, "effects", 0, "kind"), "dmgg", "unknown effect kind 'dmgg'"),
        (("heroes", 3, "skills", 0, "cast"), "throw", "unknown cast type"),
        (("heroes", 3, "colour"), "red", "heroes.3.colour"),
        (("schema_version",), 2, "schema_version"),
    ],
)
def test_broken_hero_files_are_refused_in_one_line(
    tmp_path: Path, where: tuple[str | int, ...], value: object, message: str
) -> None:
    data = _hero_file()
    target: object = data
    for key in where[:-1]:
        target = target[key]  # type: ignore[index]
    target[where[-1]] = value  # type: ignore[index]
    path = tmp_path / "heroes.yaml"
    path.write_text(yaml.safe_dump(data))
    with pytest.raises(ValueError, match=message) as error:
        load_heroes(path)
    assert "\n" not in str(error.value)


def test_a_hero_file_that_maps_nothing_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text("- a list\n")
    with pytest.raises(ValueError, match=r"mine\.yaml: expected a mapping, got list"):
        load_heroes(path)


def test_unknown_aim_is_refused() -> None:
    with pytest.raises(ValueError, match="aim must be"):
        tb.load_tables("blitz", aim="auto")  # type: ignore[arg-type]
