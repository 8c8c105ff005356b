"""Tests of fullpool.curriculum.convergence."""

from __future__ import annotations

import numpy as np

from fullpool.curriculum.convergence import ConvergenceRule, Verdict
from fullpool.curriculum.settings import ConvergenceSettings
from fullpool.curriculum.testing import PHASE
from fullpool.league.game_log import Ratings


def settings_with(**changes: float) -> ConvergenceSettings:
    values: dict[str, object] = {"window": 2, "delta": 30.0, "patience": 2, "confidence": 0.9}
    return ConvergenceSettings.model_validate(PHASE["convergence"] | values | changes)


def judge_curve(elos: list[float], spread: float = 5.0) -> list[Verdict]:
    """Feeds a rating curve with independent normal errors to the rule."""
    rule = ConvergenceRule(settings_with())
    generator = np.random.default_rng(0)
    samples = np.array(elos) + generator.normal(scale=spread, size=(4000, len(elos)))
    verdicts = []
    for num in range(1, len(elos) + 1):
        names = tuple(f"s{i}" for i in range(num))
        games = np.full(num, 10, np.int64)
        ratings = Ratings("all", names, np.array(elos[:num]), samples[:, :num], games)
        verdicts.append(rule.judge(names[-1], ratings))
    return verdicts


def test_a_rising_agent_never_converges() -> None:
    assert not any(verdict.converged for verdict in judge_curve([0, 100, 200, 300, 400, 500]))


def test_a_flat_agent_converges_after_patience() -> None:
    verdicts = judge_curve([0, 100, 200, 200, 200, 200, 200])
    assert [verdict.quiet for verdict in verdicts] == [0, 0, 0, 0, 1, 2, 3]
    assert [verdict.converged for verdict in verdicts] == [False] * 5 + [True] * 2
    assert verdicts[-1].gain == 0


def test_one_lucky_rating_does_not_end_a_phase() -> None:
    verdicts = judge_curve([0, 100, 200, 90, 300, 400, 390])
    assert [verdict.quiet for verdict in verdicts] == [0, 0, 0, 1, 0, 0, 0]
    assert not any(verdict.converged for verdict in verdicts)


def test_a_wide_interval_does_not_count_as_quiet() -> None:
    assert not any(verdict.converged for verdict in judge_curve([200] * 6, spread=60.0))


def test_upper_end_is_that_of_the_two_sided_interval() -> None:
    upper = judge_curve([50, 50, 50], spread=10.0)[-1].upper
    assert upper is not None
    assert abs(upper - 1.645 * 10 * np.sqrt(2)) < 1.5


def test_verdict_in_words_and_state() -> None:
    settings = settings_with()
    assert "fewer than 3 ratings" in Verdict(None, None, 0, False).text(settings)
    text = Verdict(4.0, 21.0, 2, True).text(settings)
    assert text == "converged: gain over 2 ratings +4 Elo, upper end +21 against 30, 2 of 2 running"
    rule = ConvergenceRule(settings, ["a", "b"], 1)
    other = ConvergenceRule(settings)
    other.load_state(["a", "b"], 1)
    assert other.state() == rule.state()
