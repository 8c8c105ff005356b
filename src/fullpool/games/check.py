"""Checks that a game keeps its contract: `check_game` for batches, `check_parallel_env` for PettingZoo games.

Each problem found is one line that says what was expected, what came and where. Checks go on after a problem as far
as they can, so that one run shows all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

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


@dataclass(frozen=True)
class CheckReport:
    """What a check found.

    Attributes:
        problems: one line each; empty when the game keeps the contract.
        checks: names of the checks that ran.
        agent_steps_per_s: agents' decisions a second with observations, in this process; 0 if a check raised.
    """

    problems: tuple[str, ...]
    checks: tuple[str, ...]
    agent_steps_per_s: float

    @property
    def passed(self) -> bool:
        """Whether nothing was found."""
        return not self.problems


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
    generator = np.random.default_rng(seed)
    spec = game.spec
    problems = list(spec_problems(spec))
    if problems:
        return CheckReport(tuple(problems), ("spec",), 0.0)
    size = spec.team_size
    lineups = np.stack(
        [draw_lineup(generator, spec.heroes, size, reserved=False) for _ in range(game.num_games)]
    )
    seeds = generator.integers(0, 2**63, game.num_games, np.uint64)
    trial = Trial(game, allocate_views(spec, game.num_games), lineups, seeds, decisions or spec.max_decisions)
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
        try:
            problems += list(dict.fromkeys(run()))
        except Exception as error:
            problems.append(f"{name}: raised {type(error).__name__}: {error}")
    raised = any(": raised " in problem for problem in problems)
    speed = 0.0 if raised else measure_speed(trial, np.random.default_rng(seed + 7))
    return CheckReport(tuple(problems), ("spec", *checks), speed)
