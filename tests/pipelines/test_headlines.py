"""The figures that are shown first."""

from __future__ import annotations

from fullpool.pipelines.headlines import NUM_SHOWN, headline


def test_one_of_each_kind_comes_before_the_second_of_one() -> None:
    figures = {"zeta": 1.0, "elo_g1": 2.0, "elo_low_g1": 2.5, "win_rate_vs_random": 3.0, "entropy": 4.0}
    assert list(headline(figures)) == ["elo_g1", "win_rate_vs_random", "entropy", "elo_low_g1"]


def test_without_headlines_the_first_figures_are_shown() -> None:
    assert list(headline({f"x{i}": 1.0 for i in range(20)})) == [f"x{i}" for i in range(NUM_SHOWN)]
    assert headline({}) == {}
