"""Tests of fullpool.league.evaluation."""

from __future__ import annotations

import numpy as np
import pytest

from fullpool.games.lineups import is_reserved
from fullpool.games.testing import ToyGame, toy_spec
from fullpool.league.evaluation import EvaluationResult, evaluate, reserved_lineups
from fullpool.league.game_log import ALL_LINEUPS, GameLog
from fullpool.league.play import MatchList, play_matches

SPEC = toy_spec()


def run(pairs: list[tuple[str, str]], num_games: int = 24, seed: int = 5) -> list[EvaluationResult]:
    lineups = reserved_lineups(SPEC, 4, seed)
    return evaluate(ToyGame, SPEC, pairs, {}, lineups, num_games=num_games, batch_games=8, seed=seed)


def test_reserved_lineups_are_reserved_and_seeded() -> None:
    lineups = reserved_lineups(SPEC, 6, 3)
    for lineup in lineups:
        assert is_reserved(*[[SPEC.heroes[i] for i in team] for team in lineup])
    np.testing.assert_array_equal(lineups, reserved_lineups(SPEC, 6, 3))
    assert not np.array_equal(lineups, reserved_lineups(SPEC, 6, 4))


def test_results_of_a_lopsided_pairing() -> None:
    (result,) = run([("perfect", "random")])
    assert (result.win_rate, result.draws, result.counts) == (1.0, 0.0, (24, 0, 0))
    assert result.interval[0] > 0.85
    assert result.interval[1] == 1.0
    assert sum(games for _, games in result.by_lineup) == 24
    assert all(rate == 1.0 for rate, _ in result.by_lineup)
    assert sum(games for _, games in result.by_hero.values()) == 24 * 2
    assert all(rate == 1.0 for rate, games in result.by_hero.values() if games)
    assert result.statistics["points"] > 0.5
    assert result.row()["points"] == result.statistics["points"]
    assert result.games_per_s > 0
    assert 12 <= result.mean_decisions <= 24


def test_pairings_played_together_keep_their_own_results_and_order() -> None:
    pairs = [("random", "perfect"), ("random", "noop"), ("perfect", "noop")]
    together = run(pairs)
    assert [(r.agent, r.opponent) for r in together] == pairs
    for pair, result in zip(pairs, together, strict=True):
        (alone,) = run([pair])
        assert (alone.counts, alone.by_hero) == (result.counts, result.by_hero)
    assert together[0].win_rate == 0.0
    assert together[2].win_rate == 1.0


def test_swapping_a_pairing_mirrors_its_points_by_side() -> None:
    (result,) = run([("random", "noop")], num_games=200)
    assert 0.3 < result.win_rate < 0.7
    assert result.draws > 0
    assert result.counts[0] + result.counts[1] / 2 == pytest.approx(result.win_rate * 200)


def test_both_agents_play_both_teams_of_every_lineup(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[MatchList] = []

    def spy(game_fn, matches, *args, **kwargs):  # type: ignore[no-untyped-def]
        seen.append(matches)
        return play_matches(game_fn, matches, *args, **kwargs)

    monkeypatch.setattr("fullpool.league.evaluation.play_matches", spy)
    run([("perfect", "random")], num_games=16)
    (matches,) = seen
    np.testing.assert_array_equal(matches.lineups[0::2], matches.lineups[1::2])
    assert matches.agents[:2] == [("perfect", "random"), ("random", "perfect")]
    assert len(np.unique(matches.seeds)) == 16


def test_results_go_into_a_log() -> None:
    log = GameLog()
    (result,) = run([("perfect", "random")])
    result.add_to(log)
    assert log.counts == {(ALL_LINEUPS, "perfect", "random"): [24, 0, 0]}
