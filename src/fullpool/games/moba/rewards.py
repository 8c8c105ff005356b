"""What agents are paid: items in five heads, made zero-sum a head, with team spirit.

Items and heads follow Ye et al. 2020 (https://arxiv.org/abs/2011.12692), table 4; `rewards.yaml` holds the weights. The
rules know none of this: they count what happened in a decision (`EV_` fields), and this module pays for it.
"""

from __future__ import annotations

from importlib import resources
from typing import Any, Literal, NamedTuple

import numpy as np
import yaml
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from fullpool.games.contract import DRAW, RUNNING, Floats, Shorts
from fullpool.games.moba import state as s
from fullpool.games.moba.columns import Scalar
from fullpool.games.moba.events import Row
from fullpool.games.moba.presets import closest, one_line
from fullpool.games.moba.tables import Tables
from fullpool.numerics.kernels import kernel

REWARD_HEADS = ("farming", "kda", "damage", "pushing", "win")
FARMING, KDA, DAMAGE, PUSHING, WIN = range(5)
NUM_REWARD_HEADS = len(REWARD_HEADS)

ITEM_NAMES = (
    *("gold", "experience", "mana", "monster", "idle"),
    *("kill", "death", "assist", "tyrant", "overlord", "first_sight", "last_hit"),
    *("health", "hurt", "turret", "crystal", "win"),
)
R_GOLD, R_XP, R_MANA, R_MONSTER, R_IDLE, R_KILL, R_DEATH, R_ASSIST, R_TYRANT, R_OVERLORD = range(10)
R_FIRST_SIGHT, R_LAST_HIT, R_HEALTH, R_HURT, R_TURRET, R_CRYSTAL, R_WIN = range(10, 17)
NUM_ITEMS = len(ITEM_NAMES)

SHAPES = ("concave", "fourth_root", "fourth_power")
CONCAVE, FOURTH_ROOT, FOURTH_POWER = range(3)

MEMORY_COLUMNS = 2
MEMORY_HP, MEMORY_MANA = 0, 1
PUSH_RADIUS2 = np.float32(144.0)  # who is within 12 of a structure is paid in full
PUSH_AFAR = np.float32(0.4)


class RewardSettings(BaseModel):
    """Knobs of the rewards; `rewards.yaml` holds named sets of item weights."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    preset: str = Field(description="set of item weights in rewards.yaml: paper, sim, laptop")
    team_spirit: float | None = Field(
        ge=0, le=1, description="share of the team's mean in a reward; null: the set's"
    )
    decay: float = Field(
        gt=0, le=1, description="factor on all heads but win after decay_seconds; 1: no decay"
    )
    decay_seconds: float = Field(gt=0, description="game time after which rewards have decayed by `decay`")
    items: dict[str, float] = Field(description="weights that replace the set's, by item")


class _ItemWeights(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    shape: Literal["concave", "fourth_root", "fourth_power"]
    team_spirit: float = Field(ge=0, le=1)
    gold: float
    experience: float
    mana: float
    monster: float
    idle: float
    kill: float
    death: float
    assist: float
    tyrant: float
    overlord: float
    first_sight: float
    last_hit: float
    health: float
    hurt: float
    turret: float
    crystal: float
    win: float


class RewardWeights(NamedTuple):
    """What the reward kernel reads.

    Attributes:
        item: `[NUM_ITEMS]` float32 weights, see `ITEM_NAMES`.
        head: `[NUM_REWARD_HEADS]` int64, 1 where time decay applies.
        numbers: `[4]` float64: team spirit, decay factor, decay time in ticks, number of the shape.
    """

    item: Floats
    head: NDArray[np.int64]
    numbers: NDArray[np.float64]


SPIRIT, DECAY, DECAY_TICKS, SHAPE = range(4)


def reward_presets() -> tuple[str, ...]:
    """Names of the sets of item weights."""
    return tuple(_read()["presets"])


def _read() -> dict[str, Any]:
    text = resources.files("fullpool.games.moba").joinpath("rewards.yaml").read_text("utf-8")
    data: dict[str, Any] = yaml.safe_load(text)
    return data


def load_rewards(settings: RewardSettings) -> RewardWeights:
    """Lays the weights out for the kernel.

    Args:
        settings: which set, and what to change in it.

    Returns:
        The weights.

    Raises:
        ValueError: if the set or an item is unknown.
    """
    presets = _read()["presets"]
    if settings.preset not in presets:
        raise ValueError(
            f"unknown reward preset {settings.preset!r}; {closest(settings.preset, list(presets))}"
        )
    unknown = [name for name in settings.items if name not in ITEM_NAMES]
    if unknown:
        raise ValueError(f"unknown reward item {unknown[0]!r}; {closest(unknown[0], list(ITEM_NAMES))}")
    try:
        chosen = _ItemWeights.model_validate({**presets[settings.preset], **settings.items})
    except ValidationError as error:
        raise ValueError(one_line(error, f"rewards {settings.preset}")) from error
    spirit = chosen.team_spirit if settings.team_spirit is None else settings.team_spirit
    decays = [0 if head == "win" else 1 for head in REWARD_HEADS]
    ticks = settings.decay_seconds * s.TICKS_PER_SECOND
    return RewardWeights(
        item=np.array([getattr(chosen, name) for name in ITEM_NAMES], np.float32),
        head=np.array(decays, np.int64),
        numbers=np.array([spirit, settings.decay, ticks, SHAPES.index(chosen.shape)], np.float64),
    )


def new_memory(num_games: int) -> Floats:
    """Allocates what the kernel remembers of the decision before: `[N, 10, MEMORY_COLUMNS]`."""
    return np.zeros((num_games, s.NUM_HEROES, MEMORY_COLUMNS), np.float32)


def check_team_sizes(lineups: Shorts) -> None:
    """Refuses line-ups whose rewards could not sum to zero.

    Args:
        lineups: `[n, 2, P]` hero ids, -1 for an empty seat.

    Raises:
        ValueError: if the teams of a match differ in size.
    """
    sizes = (np.asarray(lineups) >= 0).sum(axis=2)
    wrong = np.flatnonzero(sizes[:, 0] != sizes[:, 1])
    if len(wrong):
        first, second = sizes[wrong[0]]
        raise ValueError(
            f"zero-sum rewards need teams of one size, line-up {wrong[0]} has {first} v {second}; fill the seats"
        )


@kernel
def shaped(value: Scalar, shape: Scalar) -> Scalar:
    """Value of a share of hit points or mana: the first points lost count less (concave) or more than the last."""
    x: Scalar = min(max(value, np.float32(0.0)), np.float32(1.0))
    if shape == FOURTH_ROOT:
        return np.sqrt(np.sqrt(x))
    if shape == FOURTH_POWER:
        return x * x * x * x
    rest = np.float32(1.0) - x
    return np.float32(0.5) * (x + np.float32(1.0) - rest * rest * rest * rest)


@kernel
def begin_rewards(f: Row, k: Row, weights: RewardWeights, memory: Row) -> None:
    """Remembers hit points and mana, so that the next decision pays their change; call after a reset.

    Args:
        f: `[F_SIZE]` floats of the match.
        k: `[K_SIZE]` integers of the match.
        weights: see `load_rewards`.
        memory: `[10, MEMORY_COLUMNS]` of the match, written.
    """
    shape = np.int64(weights.numbers[SHAPE])
    for h in range(s.NUM_HEROES):
        memory[h, MEMORY_HP] = shaped(f[s.HP + h] / max(f[s.MAX_HP + h], np.float32(1.0)), shape)
        memory[h, MEMORY_MANA] = shaped(f[s.MANA + h] / max(f[s.MAX_MANA + h], np.float32(1.0)), shape)


@kernel
def _write_items(f: Row, k: Row, h: int, w: Row, out: Row) -> None:
    """Writes the items of farming, KDA and damage that are counted as events."""
    team = h // s.TEAM_SIZE
    out[FARMING] = (
        w[R_GOLD] * f[s.EV_GOLD + h]
        + w[R_XP] * f[s.EV_XP + h]
        + w[R_MONSTER] * f[s.EV_MONSTER + h]
        + w[R_IDLE] * np.float32(k[s.EV_IDLE + h])
    )
    out[KDA] = (
        w[R_KILL] * np.float32(k[s.EV_KILL + h])
        + w[R_DEATH] * np.float32(k[s.EV_DEATH + h])
        + w[R_ASSIST] * np.float32(k[s.EV_ASSIST + h])
        + w[R_TYRANT] * np.float32(k[s.EV_TYRANT + team])
        + w[R_OVERLORD] * np.float32(k[s.EV_OVERLORD + team])
        + w[R_FIRST_SIGHT] * np.float32(k[s.EV_FIRST_SIGHT + h])
        + w[R_LAST_HIT] * np.float32(k[s.EV_LAST_HIT + h])
    )
    out[DAMAGE] = w[R_HURT] * f[s.EV_HURT + h]
    out[PUSHING] = np.float32(0.0)
    out[WIN] = np.float32(0.0)


@kernel
def _pay_structures(f: Row, w: Row, out: Row) -> None:
    """Pays every member of a team for the enemy structures' losses, those near in full."""
    for u in range(s.STRUCTURE0, s.SUMMON0):
        lost = f[s.EV_TURRET + u]
        if lost <= np.float32(0.0):
            continue
        owner = (u - s.STRUCTURE0) // s.STRUCTURES_PER_TEAM
        crystal = (u - s.STRUCTURE0) % s.STRUCTURES_PER_TEAM == s.CRYSTAL
        pay = lost * (w[R_CRYSTAL] if crystal else w[R_TURRET])
        for h in range((1 - owner) * s.TEAM_SIZE, (2 - owner) * s.TEAM_SIZE):
            dx, dy = f[s.X + h] - f[s.X + u], f[s.Y + h] - f[s.Y + u]
            near = dx * dx + dy * dy <= PUSH_RADIUS2 and f[s.HP + h] > np.float32(0.0)
            out[h, PUSHING] += pay if near else pay * PUSH_AFAR


@kernel
def write_rewards(f: Row, k: Row, t: Tables, weights: RewardWeights, memory: Row, out: Row) -> None:
    """Pays one decision of one match.

    `r'[i] = (1 - spirit) * r[i] + spirit * mean(own team) - mean(enemy team)` a head, so that all ten sum to zero.

    Args:
        f: `[F_SIZE]` floats of the match, its `EV_` fields those of the decision.
        k: `[K_SIZE]` integers of the match.
        t: tables of the game.
        weights: see `load_rewards`; its team spirit may be changed between decisions.
        memory: `[10, MEMORY_COLUMNS]` of the match, read and written.
        out: `[10, 5]` float32 rewards by seat and head, written.
    """
    w, shape = weights.item, np.int64(weights.numbers[SHAPE])
    for h in range(s.NUM_HEROES):
        row = out[h]
        _write_items(f, k, h, w, row)
        hp = shaped(f[s.HP + h] / max(f[s.MAX_HP + h], np.float32(1.0)), shape)
        mana = shaped(f[s.MANA + h] / max(f[s.MAX_MANA + h], np.float32(1.0)), shape)
        if k[s.EV_RESPAWN + h] == 0:
            row[DAMAGE] += w[R_HEALTH] * (hp - memory[h, MEMORY_HP])
            row[FARMING] += w[R_MANA] * (mana - memory[h, MEMORY_MANA])
        memory[h, MEMORY_HP], memory[h, MEMORY_MANA] = hp, mana
    _pay_structures(f, w, out)
    if k[s.WINNER] != RUNNING and k[s.WINNER] != DRAW:
        for h in range(s.NUM_HEROES):
            out[h, WIN] = w[R_WIN] if h // s.TEAM_SIZE == k[s.WINNER] else -w[R_WIN]
    _balance(k, weights, out)


@kernel
def _balance(k: Row, weights: RewardWeights, out: Row) -> None:
    """Applies time decay, team spirit and the zero-sum step in float64, empty seats left out."""
    spirit, ticks = weights.numbers[SPIRIT], weights.numbers[DECAY_TICKS]
    decay = weights.numbers[DECAY] ** (np.float64(k[s.TICK]) / ticks)
    for head in range(NUM_REWARD_HEADS):
        factor = decay if weights.head[head] == 1 else 1.0
        total_a, total_b, size_a, size_b = 0.0, 0.0, 0, 0
        for i in range(s.TEAM_SIZE):
            if k[s.HERO_ID + i] >= 0:
                total_a += np.float64(out[i, head])
                size_a += 1
            if k[s.HERO_ID + s.TEAM_SIZE + i] >= 0:
                total_b += np.float64(out[s.TEAM_SIZE + i, head])
                size_b += 1
        mean_a, mean_b = total_a / max(size_a, 1), total_b / max(size_b, 1)
        for h in range(s.NUM_HEROES):
            own, enemy = (mean_a, mean_b) if h < s.TEAM_SIZE else (mean_b, mean_a)
            paid = ((1.0 - spirit) * np.float64(out[h, head]) + spirit * own - enemy) * factor
            out[h, head] = np.float32(paid) if k[s.HERO_ID + h] >= 0 else np.float32(0.0)
