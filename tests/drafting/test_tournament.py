from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError

from fullpool.drafting.baselines import hero_win_rates
from fullpool.drafting.formats import load_format
from fullpool.drafting.predictor import WinRatePredictor
from fullpool.drafting.records import MatchTable
from fullpool.drafting.settings import STRATEGIES, SearchSettings, TournamentSettings
from fullpool.drafting.state import DraftRules, initial_state, legal_heroes, make_rules, replay
from fullpool.drafting.strategies import DraftKit, Strategy, make_strategy, suggest
from fullpool.drafting.synthetic import MadeUpGame
from fullpool.drafting.tournament import draw_closed, play_drafts, result_table, run_tournament

SEARCH = SearchSettings(simulations=60, leaves=2, exploration=0.1, first_play=0.0)


def _kit(rules: DraftRules, predictor: WinRatePredictor, matches: MatchTable) -> DraftKit:
    def leaf_fn(owners: np.ndarray, steps: np.ndarray) -> np.ndarray:
        return np.full(len(owners), 0.5, np.float32)

    rates = hero_win_rates(matches, prior_games=20)
    return DraftKit(rules, predictor.predict_owners, rates, leaf_fn, SEARCH, SEARCH)


@pytest.fixture
def kit(rules: DraftRules, predictor: WinRatePredictor, matches: MatchTable) -> DraftKit:
    return _kit(rules, predictor, matches)


def _settings(*names: str, num_drafts: int = 60) -> TournamentSettings:
    return TournamentSettings(
        strategies=names, num_drafts=num_drafts, batch_drafts=16, closed_heroes=2, confidence=0.95
    )


@pytest.mark.parametrize("name", STRATEGIES)
def test_every_strategy_proposes_only_what_can_be_fielded(
    name: str, predictor: WinRatePredictor, matches: MatchTable
) -> None:
    from fullpool.drafting.roles import RoleRules

    format_name = "snake2" if name == "minimax" else "snake3"
    heroes = matches.heroes[:8] if name == "minimax" else matches.heroes
    roles = {hero: ["front" if number % 2 else "back"] for number, hero in enumerate(heroes)}
    slots = (("front",), ("back",)) if name == "minimax" else (("front",), ("back",), ("any",))
    rules = make_rules(load_format(format_name), heroes, role_rules=RoleRules(slots=slots), roles=roles)
    kit = _kit(rules, predictor, matches)
    if name == "minimax":

        def end_fn(owners: np.ndarray) -> np.ndarray:
            return np.asarray(0.5 + 0.01 * ((owners == 1) @ np.arange(owners.shape[1])), np.float32)

        kit = DraftKit(rules, end_fn)
    strategy = make_strategy(name, kit)
    drafted = play_drafts(rules, (strategy, strategy), np.zeros((3, 2, len(heroes)), bool), seed=1)
    for owner in drafted.owners:
        for team in (1, 2):
            sides = [number % 2 for number in np.flatnonzero(owner == team)]
            assert 0 in sides
            assert 1 in sides
    found = suggest(strategy, initial_state(rules), seed=0, with_line=True)
    assert legal_heroes(rules, initial_state(rules))[found.heroes].all()
    assert found.line[0] == found.heroes[0]
    replay(rules, found.line)


def test_unknown_strategies_name_close_matches_and_missing_parts_are_named(kit: DraftKit) -> None:
    with pytest.raises(ValueError, match="no draft strategy 'uct_valeu'; did you mean 'uct_value'"):
        make_strategy("uct_valeu", kit)
    with pytest.raises(ValueError, match="'uct_value' needs leaf_fn"):
        make_strategy("uct_value", DraftKit(kit.rules, kit.end_fn))
    with pytest.raises(ValueError, match="'highest_win_rate' needs win_rates"):
        make_strategy("highest_win_rate", DraftKit(kit.rules))
    with pytest.raises(ValidationError, match="did you mean 'random'"):
        _settings("randon", "uct_value")
    with pytest.raises(ValidationError, match="named once"):
        _settings("random", "random")
    with pytest.raises(ValidationError, match="multiple of 2"):
        _settings("random", "uct_value", num_drafts=3)


def test_searching_beats_drawing_on_both_scales(
    kit: DraftKit, predictor: WinRatePredictor, game: MadeUpGame
) -> None:
    generator, told = np.random.default_rng(0), []
    settings = _settings("uct_rollout", "highest_win_rate", "random")
    strategies = [make_strategy(name, kit) for name in settings.strategies]
    results = list(
        run_tournament(
            kit.rules, strategies, predictor.predict_owners, settings, seed=0,
            play_fn=lambda lineups: generator.random(len(lineups)) < game.win_probability(lineups),
            progress_fn=lambda done, total: told.append((done, total)),
        )
    )  # fmt: skip
    rows: dict[Any, Any] = {
        (row["strategy"], row["opponent"]): row
        for row in result_table(results, confidence=0.95).to_dict("records")
    }
    assert rows["uct_rollout", "random"]["predicted_low"] > 0.5
    assert rows["uct_rollout", "random"]["played_low"] > 0.5
    for one, other in (("uct_rollout", "random"), ("highest_win_rate", "random")):
        for column in ("predicted", "predicted_ahead", "played"):
            total = rows[one, other][column] + rows[other, one][column]
            assert total == pytest.approx(1.0, abs=1e-6)
    assert told[-1] == (180, 180)
    assert [done for done, _ in told] == sorted(done for done, _ in told)


def test_the_same_seed_gives_the_same_tournament(kit: DraftKit, predictor: WinRatePredictor) -> None:
    settings = _settings("uct_rollout", "random", num_drafts=8)
    strategies = [make_strategy(name, kit) for name in settings.strategies]
    runs = [
        next(run_tournament(kit.rules, strategies, predictor.predict_owners, settings, seed=s))
        for s in (1, 1, 2)
    ]
    np.testing.assert_array_equal(runs[0].lineups, runs[1].lineups)
    assert not np.array_equal(runs[0].lineups, runs[2].lineups)
    assert runs[0].points is None
    assert result_table(runs[:1], confidence=0.9)["played"].isna().all()


def test_line_ups_are_reported_with_the_first_strategy_first(
    kit: DraftKit, predictor: WinRatePredictor
) -> None:
    settings = _settings("highest_win_rate", "random", num_drafts=40)
    strategies = [make_strategy(name, kit) for name in settings.strategies]
    result = next(run_tournament(kit.rules, strategies, predictor.predict_owners, settings, seed=0))
    rates = kit.win_rates
    assert rates is not None
    assert rates[result.lineups[:, 0]].mean() > rates[result.lineups[:, 1]].mean() + 0.02
    np.testing.assert_allclose(predictor.predict(result.lineups), result.predicted, atol=1e-5)


def test_a_player_that_answers_in_another_shape_is_refused(
    kit: DraftKit, predictor: WinRatePredictor
) -> None:
    settings = _settings("highest_win_rate", "random", num_drafts=4)
    strategies = [make_strategy(name, kit) for name in settings.strategies]
    run = run_tournament(
        kit.rules,
        strategies,
        predictor.predict_owners,
        settings,
        seed=0,
        play_fn=lambda lineups: np.zeros((4, 2)),
    )
    with pytest.raises(ValueError, match=r"shape \(4,\), got \(4, 2\)"):
        next(run)


def _twins(kit: DraftKit) -> tuple[Strategy, Strategy]:
    """One way to draft that draws no lots, under two names."""
    one = make_strategy("highest_win_rate", kit)
    return one, Strategy("twin", one.start)


@pytest.mark.parametrize(("closed", "least", "most"), [(0, 1, 2), (4, 10, 40)])
def test_closed_heroes_make_every_draft_another_one(
    kit: DraftKit, predictor: WinRatePredictor, closed: int, least: int, most: int
) -> None:
    settings = _settings("highest_win_rate", "random", num_drafts=40)
    settings = settings.model_copy(update={"closed_heroes": closed})
    result = next(run_tournament(kit.rules, _twins(kit), predictor.predict_owners, settings, seed=3))
    assert least <= result_table([result], confidence=0.95)["num_distinct"][0] <= most


def test_closed_heroes_are_never_taken(kit: DraftKit) -> None:
    locked = draw_closed(kit.rules, num_drafts=5, num_closed=4, seed=1)
    assert (locked.sum(2) == 4).all()
    pair = make_strategy("uct_rollout", kit), make_strategy("highest_win_rate", kit)
    owners = play_drafts(kit.rules, pair, locked, seed=1).owners
    assert not np.isin(owners[locked[:, 0]], (1, 2)).any()


def test_both_sides_of_a_situation_are_one_observation(kit: DraftKit, predictor: WinRatePredictor) -> None:
    settings = _settings("highest_win_rate", "random", num_drafts=20)
    result = next(run_tournament(kit.rules, _twins(kit), predictor.predict_owners, settings, seed=0))
    row = result_table([result], confidence=0.95).iloc[0]
    # The same way to draft on both sides: each situation comes out even, whatever acting first is worth.
    assert result.predicted.std() > 0
    assert row["predicted_low"] == pytest.approx(0.5, abs=1e-6)
    assert row["predicted_high"] == pytest.approx(0.5, abs=1e-6)
