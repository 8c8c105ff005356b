"""One decision, or one reset, of many matches in one call."""

from __future__ import annotations

import numpy as np

from fullpool.games.moba import state as s
from fullpool.games.moba.bots import bot_actions
from fullpool.games.moba.events import Events, Row
from fullpool.games.moba.rewards import RewardWeights, begin_rewards, write_rewards
from fullpool.games.moba.tables import Tables
from fullpool.games.moba.tick import reset_game, step_game
from fullpool.numerics.kernels import kernel

ZERO = np.float32(0.0)


@kernel
def _gather(f: Row, k: Row, t: Tables, actions: Row, own: Row) -> None:
    """Collects the actions of all seats: the bots' own choice, else the caller's."""
    for team in range(2):
        first = team * s.TEAM_SIZE
        if k[s.BOT + team] >= 0:
            bot_actions(f, k, t, k[s.BOT + team], team, own[first : first + s.TEAM_SIZE])
            continue
        for h in range(first, first + s.TEAM_SIZE):
            for head in range(s.NUM_HEADS):
                own[h, head] = actions[h, head]


@kernel
def step_batch(
    f: Row,
    k: Row,
    t: Tables,
    actions: Row,
    own: Row,
    ev: Events,
    weights: RewardWeights,
    memory: Row,
    rewards: Row,
    terminated: Row,
) -> None:
    """Plays one decision of every match that is not over; bots choose the actions of their teams.

    Args:
        f: `[N, F_SIZE]` floats.
        k: `[N, K_SIZE]` integers.
        t: tables.
        actions: `[N, 10, 4]` int32 actions of the teams that no bot plays.
        own: `[10, 4]` int32 scratch.
        ev: scratch of the calling thread.
        weights: what is paid.
        memory: `[N, 10, MEMORY_COLUMNS]` of the rewards.
        rewards: `[N, 10, 5]` float32, written; zero for matches that were over.
        terminated: `[N]` bool, written: whether the match ended now.
    """
    for n in range(f.shape[0]):
        terminated[n] = False
        if k[n, s.OVER] == 1:
            rewards[n] = ZERO
            continue
        _gather(f[n], k[n], t, actions[n], own)
        step_game(f[n], k[n], t, own, ev)
        write_rewards(f[n], k[n], t, weights, memory[n], rewards[n])
        terminated[n] = k[n, s.OVER] == 1


@kernel
def reset_batch(
    f: Row,
    k: Row,
    t: Tables,
    games: Row,
    lineups: Row,
    seeds: Row,
    seats: Row,
    weights: RewardWeights,
    memory: Row,
) -> None:
    """Starts matches anew.

    Args:
        f: `[N, F_SIZE]` floats.
        k: `[N, K_SIZE]` integers.
        t: tables.
        games: `[n]` int32 matches to start.
        lineups: `[n, 2, 5]` int16 hero ids.
        seeds: `[n, 2]` int64 seeds of the two teams' streams.
        seats: `[n, 2]` int8 bots, -1: external.
        weights: what is paid.
        memory: `[N, 10, MEMORY_COLUMNS]` of the rewards.
    """
    for i in range(games.shape[0]):
        n = games[i]
        reset_game(f[n], k[n], t, lineups[i], seeds[i, 0], seeds[i, 1], seats[i, 0], seats[i, 1])
        begin_rewards(f[n], k[n], weights, memory[n])
