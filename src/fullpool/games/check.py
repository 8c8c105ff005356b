"""Checks that a game keeps its contract: `check_game` for batches, `check_parallel_env` for PettingZoo games.

Each kind of problem is one line that says what was expected, what came and where, for its first case, with a count.
Checks go on after a problem as far as they can, so that one run shows all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from fullpool.games.check_problems import CheckReport, Problems
from fullpool.games.check_repeats import (
    Disturb,
    Mirror,
    determinism_problems,
    leak_problems,
    mirror_problems,
    saving_problems,
)
from fullpool.games.check_rules import (
    Trial,
    bot_problems,
    illegal_problems,
    measure_speed,
    play_problems,
    spec_problems,
)
from fullpool.games.contract import BatchGame, allocate_views
from fullpool.games.lineups import draw_lineup

__all__ = ["CheckReport", "check_game"]


def check_game(
    game: BatchGame,
    *,
    seed: int = 0,
    decisions: int | None = None,
    mirror: Mirror | None = None,
    disturb_hidden: Disturb | None = None,
) -> CheckReport:
    """Plays a game with random actions and checks what a learner relies on.

    Args:
        game: the batch; its matches are lost. Two matches or more also show that matches do not touch each other.
        seed: seed of line-ups, matches and actions.
        decisions: decisions played a check; None: until every match must have ended.
        mirror: turns the matches under way into their mirror images, sides swapped; checks that each side then sees
            and gains what the other did.
        disturb_hidden: changes everything that a team (its second argument) cannot know; checks that this team's
            observations stay the same to the bit.

    Returns:
        The problems and the speed.
    """
    problems = Problems()
    problems.run("spec", lambda: spec_problems(game.spec))
    report = problems.report(("spec",), 0.0)
    if not report.passed:
        return report
    trial = problems.attempt("line-ups", lambda: _new_trial(game, seed, decisions))
    if trial is None:
        return problems.report(("spec", "line-ups"), 0.0)
    checks: dict[str, Callable[[], Iterator[str]]] = {
        "play": lambda: play_problems(trial, np.random.default_rng(seed + 1), complete=decisions is None),
        "determinism": lambda: determinism_problems(trial, seed + 2),
        "saving": lambda: saving_problems(trial, np.random.default_rng(seed + 3)),
        "illegal actions": lambda: illegal_problems(trial, np.random.default_rng(seed + 4)),
        "bots": lambda: bot_problems(trial),
    }
    if mirror is not None:
        checks["mirror"] = lambda: mirror_problems(trial, mirror, np.random.default_rng(seed + 5))
    if disturb_hidden is not None:
        checks["hidden state"] = lambda: leak_problems(trial, disturb_hidden, np.random.default_rng(seed + 6))
    for name, run in checks.items():
        problems.run(name, run)
    speed = 0.0 if problems.raised else measure_speed(trial, np.random.default_rng(seed + 7))
    return problems.report(("spec", *checks), speed)


def _new_trial(game: BatchGame, seed: int, decisions: int | None) -> Trial:
    generator, spec, n = np.random.default_rng(seed), game.spec, game.num_games
    lineups = np.stack(
        [draw_lineup(generator, spec.heroes, spec.team_size, reserved=False) for _ in range(n)]
    )
    seeds = generator.integers(0, 2**63, n, np.uint64)
    return Trial(game, allocate_views(spec, n), lineups, seeds, decisions or spec.max_decisions)
