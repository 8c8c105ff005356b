from __future__ import annotations

import numpy as np
import pytest

from fullpool.drafting.formats import load_format
from fullpool.drafting.series import SeriesRule, record_game, start_series

GAME = ((0, 1, 2, 3, 4), (5, 6, 7, 8, 9))


@pytest.mark.parametrize(
    ("rule", "own", "others"), [("none", 0, 0), ("own_locked", 5, 0), ("fearless", 5, 5)]
)
def test_rules_lock_own_all_or_no_picks(rule: SeriesRule, own: int, others: int) -> None:
    series = record_game(start_series(load_format("juewu"), 40, best_of=3, rule=rule), GAME, 0)
    locks = series.locks(first=1)
    assert locks[1, list(GAME[0])].sum() == own
    assert locks[0, list(GAME[0])].sum() == others
    assert series.locked.sum() == 2 * (own + others)


def test_a_series_ends_with_the_majority_of_its_games() -> None:
    series = start_series(load_format("juewu"), 40, best_of=3, rule="none")
    series = record_game(record_game(series, GAME, 1), GAME, 0)
    assert series.winner is None
    series = record_game(series, GAME, 1)
    assert series.winner == 1
    with pytest.raises(ValueError, match="the series is decided, 1:2"):
        record_game(series, GAME, 1)


def test_a_locked_hero_cannot_be_used_again() -> None:
    series = record_game(start_series(load_format("juewu"), 40, best_of=5, rule="own_locked"), GAME, 0)
    record_game(series, GAME[::-1], 0)
    with pytest.raises(ValueError, match=r"side 0 picked heroes \[0, 1, 2, 3, 4\] that rule 'own_locked'"):
        record_game(series, GAME, 0)


@pytest.mark.parametrize(("rule", "needed"), [("none", 10), ("own_locked", 20), ("fearless", 30)])
def test_a_pool_must_last_for_the_whole_series(rule: SeriesRule, needed: int) -> None:
    start_series(load_format("juewu"), needed, best_of=3, rule=rule)
    with pytest.raises(ValueError, match=r"heroes.*the pool holds"):
        start_series(load_format("juewu"), needed - 1, best_of=3, rule=rule)


def test_bad_series_are_refused() -> None:
    with pytest.raises(ValueError, match="did you mean 'fearless'"):
        start_series(load_format("juewu"), 40, best_of=3, rule="fearles")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="best_of must be odd and positive, got 2"):
        start_series(load_format("juewu"), 40, best_of=2, rule="none")
    with pytest.raises(ValueError, match="must be 0 or 1, got 2"):
        record_game(start_series(load_format("juewu"), 40, best_of=3, rule="none"), GAME, 2)


def test_locks_are_copies() -> None:
    series = start_series(load_format("juewu"), 40, best_of=3, rule="fearless")
    series.locks(0)[:] = True
    assert not np.any(series.locked)
