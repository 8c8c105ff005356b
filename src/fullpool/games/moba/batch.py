"""One decision, or one reset, of many matches in one call."""

from __future__ import annotations

from fullpool.games.moba import state as s
from fullpool.games.moba.bots import bot_actions
from fullpool.games.moba.events import Events, Row
from fullpool.games.moba.tables import Tables
from fullpool.games.moba.tick import reset_game, step_game
from fullpool.numerics.kernels import kernel


@kernel
def step_batch(f: Row, k: Row, t: Tables, actions: Row, first: int, last: int, own: Row, ev: Events) -> None:
    """Plays one decision of every match in a range that is not over; bots choose the actions of their teams.

    Args:
        f: `[N, F_SIZE]` floats.
        k: `[N, K_SIZE]` integers.
        t: tables.
        actions: `[N, 10, 4]` int32 actions of the teams that no bot plays.
        first: first match.
        last: one past the last.
        own: `[10, 4]` int32 scratch.
        ev: scratch of the calling thread.
    """
    for n in range(first, last):
        if k[n, s.OVER] == 1:
            continue
        for team in range(2):
            if k[n, s.BOT + team] >= 0:
                bot_actions(f[n], k[n], t, k[n, s.BOT + team], team, own[team * s.TEAM_SIZE : (team + 1) * s.TEAM_SIZE])
            else:
                for h in range(team * s.TEAM_SIZE, (team + 1) * s.TEAM_SIZE):
                    for head in range(s.NUM_HEADS):
                        own[h, head] = actions[n, h, head]
        step_game(f[n], k[n], t, own, ev)


@kernel
def reset_batch(f: Row, k: Row, t: Tables, games: Row, lineups: Row, seeds: Row, seats: Row) -> None:
    """Starts matches anew.

    Args:
        f: `[N, F_SIZE]` floats.
        k: `[N, K_SIZE]` integers.
        t: tables.
        games: `[n]` int32 matches to start.
        lineups: `[n, 2, 5]` int16 hero ids.
        seeds: `[n, 2]` int64 seeds of the two teams' streams.
        seats: `[n, 2]` int8 bots, -1: external.
    """
    for i in range(games.shape[0]):
        n = games[i]
        reset_game(f[n], k[n], t, lineups[i], seeds[i, 0], seeds[i, 1], seats[i, 0], seats[i, 1])
