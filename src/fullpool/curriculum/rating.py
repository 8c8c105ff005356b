"""Rates an agent in the course of a phase: games against anchors and against its own past, ratings, the verdict."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from fullpool.curriculum.convergence import ConvergenceRule, Verdict
from fullpool.curriculum.settings import ConvergenceSettings
from fullpool.games.contract import GameSpec, Shorts
from fullpool.league.evaluation import EvaluationResult, evaluate
from fullpool.league.game_log import ZERO_BOT, GameLog, Ratings, rate
from fullpool.league.play import GameFn
from fullpool.league.seeds import derive_seed
from fullpool.networks.actor_critic import ActorCritic


@dataclass(frozen=True, eq=False)
class Arena:
    """Where the agents of a phase are measured.

    Attributes:
        game_fn: makes the games.
        spec: the game.
        lineup_set: name of the line-ups.
        lineups: `[L, 2, P]`: reserved ones, or a teacher's own.
        batch_games: matches under way at once.
        num_threads: threads that play them.
        seed: of the phase.
    """

    game_fn: GameFn
    spec: GameSpec
    lineup_set: str
    lineups: Shorts
    batch_games: int
    num_threads: int
    seed: int


class PhaseRating:
    """Everything that is known of an agent's strength since its phase began."""

    def __init__(self, arena: Arena, settings: ConvergenceSettings) -> None:
        """Starts without games.

        Raises:
            ValueError: if an anchor is no bot of the game.
        """
        unknown = [name for name in (ZERO_BOT, *settings.anchors) if name not in arena.spec.bots]
        if unknown:
            raise ValueError(
                f"anchors: no bot {unknown[0]!r} in this game, there are {list(arena.spec.bots)}"
            )
        self.arena, self.settings = arena, settings
        self.rule = ConvergenceRule(settings)
        self.log = GameLog()
        self.recent: dict[str, ActorCritic] = {}

    def rate(self, name: str, network: ActorCritic) -> tuple[dict[str, float], Verdict]:
        """Plays the agent's latest state and rates it.

        Args:
            name: unique name of this state.
            network: the state, frozen.

        Returns:
            Metrics by plain name and the convergence rule's verdict.
        """
        anchors = self.settings.anchors
        plan = {(name, bot): self.settings.anchor_games for bot in anchors}
        plan |= {(name, old): self.settings.past_games for old in self.recent}
        if self.log.num_games() == 0:
            # These tie the anchors to the zero of the scale; the agent itself need not play it.
            bots = dict.fromkeys((ZERO_BOT, *anchors))
            plan |= dict.fromkeys(combinations(bots, 2), self.settings.bot_games)
        results = [r for r in self._play(plan, {name: network, **self.recent}) if r.agent == name]
        metrics = {f"win_rate_vs_{r.opponent}": r.win_rate for r in results if r.opponent in anchors}
        strongest = next(r for r in results if r.opponent == anchors[-1])
        metrics |= {f"eval_{key}": value for key, value in strongest.statistics.items()}
        past = [r.win_rate for r in results if r.opponent in self.recent]
        if past:
            metrics["win_rate_vs_past"] = float(np.mean(past))
        ratings = self.ratings(name)
        verdict = self.rule.judge(name, ratings)
        low, high = ratings.interval(name, self.settings.confidence)
        metrics |= {"elo": ratings.of(name), "elo_low": low, "elo_high": high}
        if verdict.gain is not None and verdict.upper is not None:
            metrics |= {"elo_gain": verdict.gain, "elo_gain_upper": verdict.upper}
        self.recent[name] = network
        while len(self.recent) > self.settings.window:
            del self.recent[next(iter(self.recent))]
        return metrics, verdict

    def progress(self) -> dict[str, float]:
        """Last minus first rating of the phase with its 95 % bootstrap interval."""
        first, last = self.rule.rated[0], self.rule.rated[-1]
        difference, low, high = self.ratings("progress").difference(last, first, 0.95)
        return {"elo_phase_gain": difference, "elo_phase_gain_low": low, "elo_phase_gain_high": high}

    def ratings(self, purpose: str) -> Ratings:
        """Refits all ratings; `purpose` names the bootstrap's seed."""
        return rate(
            self.log,
            self.arena.lineup_set,
            anchors=self.settings.anchors,
            generator=np.random.default_rng(derive_seed(self.arena.seed, "bootstrap", purpose)),
            num_resamples=self.settings.num_resamples,
        )

    def _play(
        self, plan: Mapping[tuple[str, str], int], networks: Mapping[str, ActorCritic]
    ) -> list[EvaluationResult]:
        """Plays the planned number of matches of every pairing, all together."""
        arena = self.arena
        results = evaluate(
            arena.game_fn,
            arena.spec,
            list(plan),
            networks,
            arena.lineups,
            num_games=list(plan.values()),
            batch_games=arena.batch_games,
            seed=arena.seed,
            lineup_set=arena.lineup_set,
            num_threads=arena.num_threads,
        )
        for result in results:
            result.add_to(self.log)
        return results

    def state(self) -> dict[str, Any]:
        """Plain data for a checkpoint; the networks of `recent` travel beside it."""
        return {"games": self.log.to_rows(), "rule": self.rule.state(), "recent": list(self.recent)}

    def load_state(self, state: Mapping[str, Any], networks: Mapping[str, ActorCritic]) -> None:
        """Puts a saved state back."""
        self.log = GameLog.from_rows(state["games"])
        self.rule.load_state(state["rule"]["rated"], int(state["rule"]["quiet"]))
        self.recent = {name: networks[name] for name in state["recent"]}
