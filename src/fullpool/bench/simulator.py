"""Speed of a game: random legal actions, with observation, masks, rewards and the critic's block written each step."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

import numpy as np

from fullpool.bench.facts import Notify, machine, peak_memory_mib, unheard, versions
from fullpool.games.contract import EXTERNAL, BatchGame, BatchViews, Ints, allocate_views
from fullpool.games.lineups import draw_lineup
from fullpool.games.random_actions import RandomActions
from fullpool.games.registry import make_game


@dataclass(frozen=True)
class SimulatorFigures:
    """One batch size's figures, of one thread.

    Attributes:
        num_games: matches in the batch.
        agent_steps_per_s: decisions of agents a second, everything written.
        games_per_s: matches that ended, a second.
        decisions: decisions of the whole batch that were timed.
        seconds: time that they took.
        step_share: share of the time in `step`.
        observe_share: share of the time in `observe`.
    """

    num_games: int
    agent_steps_per_s: float
    games_per_s: float
    decisions: int
    seconds: float
    step_share: float
    observe_share: float


class _Runner:
    """A batch that plays itself: draws actions, steps, starts ended matches anew, observes."""

    def __init__(self, game: BatchGame, seed: int) -> None:
        spec, n = game.spec, game.num_games
        self.game, self.views = game, allocate_views(spec, n)
        self.generator = np.random.default_rng(seed)
        self.random = RandomActions(spec.action, seed)
        self.lineups = np.zeros((n, 2, spec.team_size), np.int16)
        self.actions: Ints = np.zeros((n, 2, spec.team_size, len(spec.action.heads)), np.int32)
        self.decision = self.ended = 0
        self.step_s = self.observe_s = 0.0
        self._start(np.arange(n, dtype=np.int32))
        game.observe(self.views)

    def _start(self, games: Ints) -> None:
        spec = self.game.spec
        for game in games:
            self.lineups[game] = draw_lineup(self.generator, spec.heroes, spec.team_size, reserved=False)
        seeds = self.generator.integers(0, 2**63, len(games), np.uint64)
        self.game.reset(games, self.lineups[games], seeds, np.full((len(games), 2), EXTERNAL, np.int8))

    def run(self, seconds: float) -> float:
        """Plays for about that long and returns the time that it took."""
        begin = time.perf_counter()
        while (now := time.perf_counter()) - begin < seconds:
            self.random.write(self.views.masks, self.lineups, self.decision, self.actions)
            started = time.perf_counter()
            result = self.game.step(self.actions)
            self.step_s += time.perf_counter() - started
            self.decision += 1
            ended = np.flatnonzero(result.terminated).astype(np.int32)
            if len(ended):
                self.ended += len(ended)
                self._start(ended)
            started = time.perf_counter()
            self.game.observe(self.views)
            self.observe_s += time.perf_counter() - started
        return now - begin


def measure(game: BatchGame, *, seconds: float, seed: int) -> SimulatorFigures:
    """Measures one batch.

    Args:
        game: the batch; its matches are lost.
        seconds: time to measure for, after a warm-up that spreads the matches over their length.
        seed: of line-ups and actions.

    Returns:
        The figures.
    """
    runner = _Runner(game, seed)
    runner.run(min(1.0, seconds / 2))
    runner.decision = runner.ended = 0
    runner.step_s = runner.observe_s = 0.0
    taken = runner.run(seconds)
    agents = 2 * game.spec.team_size * game.num_games
    return SimulatorFigures(
        num_games=game.num_games,
        agent_steps_per_s=runner.decision * agents / taken,
        games_per_s=runner.ended / taken,
        decisions=runner.decision,
        seconds=taken,
        step_share=runner.step_s / taken,
        observe_share=runner.observe_s / taken,
    )


def written_a_step(game: BatchGame) -> dict[str, float]:
    """Floats and bytes that the game writes an agent and step, the team's critic block shared out over its players."""
    views = allocate_views(game.spec, 1)
    agents = 2 * game.spec.team_size
    arrays = [getattr(views, part.name) for part in fields(BatchViews)]
    heads = agents * game.spec.num_reward_heads
    floats = sum(array.size for array in arrays if array.dtype == np.float32) + heads
    size = sum(array.nbytes for array in arrays) + 4 * heads
    return {"floats_per_agent_step": floats / agents, "bytes_per_agent_step": size / agents}


def bench_simulator(
    *,
    preset: str,
    batch_sizes: Sequence[int],
    seconds: float,
    seed: int,
    options: Mapping[str, Any] | None = None,
    game: str = "moba",
    notify: Notify = unheard,
) -> dict[str, Any]:
    """Measures several batch sizes in one thread.

    Args:
        preset: size of the game.
        batch_sizes: matches side by side, one measurement each.
        seconds: time a measurement.
        seed: of line-ups and actions.
        options: of the game.
        game: registered name.
        notify: told how much is done.

    Returns:
        Plain data: `agent_steps_per_s` is that of the fastest batch size, `num_games`.
    """
    figures, built = [], None
    for number, size in enumerate(batch_sizes):
        notify(number / len(batch_sizes))
        built = make_game(game, preset, size, options)
        figures.append(measure(built, seconds=seconds, seed=seed))
    if built is None:
        raise ValueError("batch_sizes must name at least one size, got none")
    best = max(figures, key=lambda row: row.agent_steps_per_s)
    return {
        "game": game,
        "preset": preset,
        "agent_steps_per_s": best.agent_steps_per_s,
        "num_games": best.num_games,
        **written_a_step(built),
        "batches": [asdict(row) for row in figures],
        "peak_memory_mib": peak_memory_mib(),
        "versions": versions(),
        **machine(),
    }
