"""The MOBA's `GameSpec`: blocks of the observation and of the critic's view, action heads, sub-heads, reward heads."""

from __future__ import annotations

from typing import Literal

import numpy as np

from fullpool.games.contract import ActionHead, ActionSpec, GameSpec, ObservationSpec, UnitBlock
from fullpool.games.moba import columns as c
from fullpool.games.moba import state as s
from fullpool.games.moba import tables as tb
from fullpool.games.moba.bots import BOT_NAMES
from fullpool.games.moba.heroes import HeroPool
from fullpool.games.moba.image import CHANNELS, EDGE
from fullpool.games.moba.masks import WHO_ROWS
from fullpool.games.moba.presets import Preset
from fullpool.games.moba.rewards import REWARD_HEADS
from fullpool.games.moba.tables import Tables

VERSION = "1"
"""Changes whenever rules, data, observation or rewards behave differently."""
TARGET_BLOCKS = ("heroes", "minions", "structures", "summons")


def _unit_blocks() -> tuple[UnitBlock, ...]:
    minions, structures, summons = c.ENEMY_MINIONS, c.TEAM_STRUCTURES, c.TEAM_SUMMONS
    return (
        UnitBlock(
            "minions",
            c.MINION_ROWS,
            c.MINION_COLUMNS,
            (("enemies", 0, minions), ("allies", minions, c.MINION_ROWS)),
        ),
        UnitBlock(
            "structures",
            c.STRUCTURE_ROWS,
            c.STRUCTURE_COLUMNS,
            (("own", 0, structures), ("enemies", structures, c.STRUCTURE_ROWS)),
        ),
        UnitBlock(
            "summons",
            c.SUMMON_ROWS,
            c.SUMMON_COLUMNS,
            (("allies", 0, summons), ("enemies", summons, c.SUMMON_ROWS)),
        ),
    )


def observation_spec(*, image: bool) -> ObservationSpec:
    """What an agent sees; every preset has the same blocks, so that one network plays them all."""
    groups = (("self", 0, 1), ("allies", 1, s.TEAM_SIZE), ("enemies", s.TEAM_SIZE, s.NUM_HEROES))
    blocks = (
        UnitBlock("heroes", s.NUM_HEROES, c.HERO_COLUMNS, groups),
        *_unit_blocks(),
        UnitBlock("global", 1, c.GLOBAL_COLUMNS),
        UnitBlock("previous_action", 1, c.PREVIOUS_COLUMNS),
    )
    return ObservationSpec(blocks, "heroes", (CHANNELS, EDGE, EDGE) if image else None)


def critic_spec() -> ObservationSpec:
    """What the critic sees of a team's match, without fog."""
    groups = (("own", 0, s.TEAM_SIZE), ("enemies", s.TEAM_SIZE, s.NUM_HEROES))
    blocks = (
        UnitBlock("heroes", s.NUM_HEROES, c.CRITIC_HERO_COLUMNS, groups),
        *_unit_blocks(),
        UnitBlock("global", 1, c.CRITIC_GLOBAL_COLUMNS),
    )
    return ObservationSpec(blocks, "heroes")


def action_spec(tables: Tables) -> ActionSpec:
    """The four heads, which of them each What of each hero uses, and where their masks lie.

    Args:
        tables: of the preset and the aim; with assisted aim skills use Who where they otherwise use Dir and Dist.

    Returns:
        The action's description.
    """
    heads = (
        ActionHead("what", s.NUM_WHAT),
        ActionHead("who", s.NUM_WHO),
        ActionHead("dir", s.NUM_DIR),
        ActionHead("dist", s.NUM_DIST),
    )
    uses = np.zeros((tables.hero.shape[0], s.NUM_WHAT, s.NUM_HEADS), np.bool_)
    uses[:, :, s.HEAD_WHAT] = True
    uses[:, s.MOVE, s.HEAD_DIR] = True
    uses[:, s.ATTACK, s.HEAD_WHO] = True
    columns = (
        (s.HEAD_WHO, tb.SKILL_USES_WHO),
        (s.HEAD_DIR, tb.SKILL_USES_DIR),
        (s.HEAD_DIST, tb.SKILL_USES_DIST),
    )
    for head, column in columns:
        uses[:, s.SKILL1 : s.SKILL3 + 1, head] = tables.skill[:, :, column] != 0
    mask_rows = np.full((s.NUM_HEADS, s.NUM_WHAT), -1, np.int32)
    mask_rows[s.HEAD_WHAT] = 0
    mask_rows[s.HEAD_WHO, s.ATTACK : s.SKILL3 + 1] = np.arange(WHO_ROWS)
    mask_rows[s.HEAD_DIR, s.MOVE] = 0
    return ActionSpec(heads, uses, mask_rows, "who", TARGET_BLOCKS)


def moba_spec(
    tables: Tables, pool: HeroPool, preset: Preset, *, aim: Literal["manual", "assist"], image: bool = False
) -> GameSpec:
    """Describes the game that `load_tables` laid out.

    Args:
        tables: of the preset and the aim.
        pool: the heroes.
        preset: the size of the game.
        aim: `manual` or `assist`, as the tables were loaded.
        image: whether agents also get the local image.

    Returns:
        The spec.

    Raises:
        ValueError: if the preset has more structures than the layout has rows, or the aim is not the tables'.
    """
    if (aim == "assist") != bool(tables.preset[tb.P_ASSIST]):
        raise ValueError(f"aim {aim!r} does not fit the tables, which were loaded with the other one")
    turrets = int((tables.structure[: s.CRYSTAL, 2] > 0).sum())
    if turrets >= c.TEAM_STRUCTURES:
        raise ValueError(
            f"preset {preset.name!r} has {turrets} turrets a team, the observation has rows for {c.TEAM_STRUCTURES - 1}"
        )
    return GameSpec(
        name="moba",
        version=VERSION,
        preset=preset.name,
        team_size=s.TEAM_SIZE,
        heroes=tuple(pool.names),
        roles=tuple(hero.role for hero in pool.heroes),
        observation=observation_spec(image=image),
        critic=critic_spec(),
        action=action_spec(tables),
        reward_heads=REWARD_HEADS,
        zero_sum=True,
        max_decisions=preset.cap,
        decisions_per_second=s.TICKS_PER_SECOND / s.TICKS_PER_DECISION,
        bots=BOT_NAMES,
        options={"aim": aim, "image": image},
    )


def written_sizes(spec: GameSpec) -> dict[str, int]:
    """Floats and bytes written for one match and decision when both teams are external.

    Args:
        spec: the game's spec.

    Returns:
        `floats` (observations, critic, rewards) and `bytes` (these, masks, hero ids and target rows).
    """
    agents = 2 * spec.team_size
    critic, critic_rows = (spec.critic.size, spec.critic.hero_rows) if spec.critic else (0, 0)
    slots = next((head.size for head in spec.action.heads if head.name == spec.action.target_head), 0)
    floats = agents * (spec.observation.size + spec.num_reward_heads) + 2 * critic
    shorts = agents * (spec.observation.hero_rows + slots) + 2 * critic_rows
    return {"floats": floats, "bytes": 4 * floats + 2 * shorts + agents * spec.action.mask_size}
