"""Tests of fullpool.league.matchmaker and its settings."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from pydantic import ValidationError

from fullpool.games.contract import DRAW, TEAM_A_WON, TEAM_B_WON
from fullpool.games.lineups import is_reserved
from fullpool.games.testing import toy_spec
from fullpool.league.matchmaker import LineupFn, Matchmaker, fixed_lineups, imitated_bots, random_lineups
from fullpool.league.population import Population
from fullpool.league.settings import LeagueSettings
from fullpool.learning.matches import Learner, Match, MatchRecord, Snapshot, seat_to_text

SPEC = toy_spec()


def settings_with(**changes: object) -> LeagueSettings:
    values: dict[str, object] = {
        "latest_share": 0.5,
        "bot_shares": {"perfect": 0.2},
        "capacity": 3,
        "snapshot_updates": 10,
        "priority_power": 1.0,
        "priority_floor": 0.01,
        "payoff_memory": 50,
    }
    return LeagueSettings.model_validate(values | changes)


def matchmaker(
    settings: LeagueSettings, snapshots: int = 2, lineup_fn: LineupFn | None = None
) -> tuple[Matchmaker, Population[str]]:
    population: Population[str] = Population(settings.capacity, settings.payoff_memory)
    for age in range(snapshots):
        population.add(f"s{age}", f"weights {age}", age)
    return Matchmaker(SPEC, settings, population, lineup_fn or random_lineups(SPEC)), population


def record(match: Match, winner: int) -> MatchRecord:
    return MatchRecord(match.lineup, match.seats, winner, 9, {}, "", np.zeros((2, 2, 2), np.float32))


def draw(maker: Matchmaker, num: int, seed: int = 0) -> list[Match]:
    generator = np.random.default_rng(seed)
    return [maker(generator) for _ in range(num)]


def test_opponents_come_in_their_shares_on_both_sides_and_never_on_reserved_lineups() -> None:
    maker, _ = matchmaker(settings_with())
    matches = draw(maker, 3000)
    kinds = Counter(seat_to_text(seat) for match in matches for seat in match.seats)
    assert kinds["bot:perfect"] == pytest.approx(600, abs=90)
    assert kinds["snapshot:s0"] + kinds["snapshot:s1"] == pytest.approx(900, abs=100)
    on_a = sum(isinstance(match.seats[1], Learner) for match in matches if match.seats[0] != match.seats[1])
    assert on_a == pytest.approx(750, abs=90)
    assert not any(is_reserved(*[[SPEC.heroes[i] for i in team] for team in m.lineup]) for m in matches)
    assert len({match.seed for match in matches}) == 3000


def test_without_snapshots_the_latest_plays_itself() -> None:
    maker, _ = matchmaker(settings_with(latest_share=0.0, bot_shares={}), snapshots=0)
    assert all(match.seats == (Learner(), Learner()) for match in draw(maker, 20))


def test_past_opponents_that_beat_us_come_more_often() -> None:
    maker, population = matchmaker(settings_with(latest_share=0.0, bot_shares={}))
    for _ in range(50):
        population.record("s0", 1.0)
        population.record("s1", 0.0)
    kinds = Counter(seat_to_text(seat) for match in draw(maker, 500) for seat in match.seats)
    assert kinds["snapshot:s0"] > 10 * kinds["snapshot:s1"] > 0


def test_records_credit_the_snapshot_on_its_side() -> None:
    maker, population = matchmaker(settings_with(latest_share=0.0, bot_shares={}), snapshots=1)
    matches = draw(maker, 30)
    for match in matches:
        side = 0 if isinstance(match.seats[0], Snapshot) else 1
        maker.record([record(match, (TEAM_A_WON, TEAM_B_WON)[side])])
    assert population.win_rate("s0") == pytest.approx(30.5 / 31)
    assert maker.state() == {}
    other, _ = matchmaker(settings_with(latest_share=0.0, bot_shares={}), snapshots=1)
    other.record([record(match, DRAW) for match in draw(other, 4)])


def test_a_snapshot_in_play_is_kept_until_its_last_match_ends() -> None:
    maker, population = matchmaker(settings_with(latest_share=0.0, bot_shares={}, capacity=1), snapshots=1)
    first, second = draw(maker, 2)
    population.add("s9", "weights 9", 9)
    maker.record([record(first, DRAW)])
    assert set(population.policies) == {"s0", "s9"}
    copy, _ = matchmaker(settings_with(), snapshots=0)
    copy.load_state(maker.state())
    assert copy.state() == {"s0": 1}
    maker.record([record(second, DRAW)])
    assert set(population.policies) == {"s9"}


def test_same_generator_same_matches() -> None:
    first, second = (draw(matchmaker(settings_with())[0], 40, seed=3) for _ in range(2))
    assert [m.seats for m in first] == [m.seats for m in second]
    assert [m.seed for m in first] == [m.seed for m in second]
    np.testing.assert_array_equal([m.lineup for m in first], [m.lineup for m in second])


def test_fixed_lineups_come_in_both_orders_and_reserved_ones_are_refused() -> None:
    fixed = random_lineups(SPEC)(np.random.default_rng(0))
    maker, _ = matchmaker(settings_with(), lineup_fn=fixed_lineups(fixed[None]))
    seen = {tuple(match.lineup.reshape(-1).tolist()) for match in draw(maker, 20)}
    assert seen == {tuple(fixed.reshape(-1).tolist()), tuple(fixed[::-1].reshape(-1).tolist())}
    generator = np.random.default_rng(1)
    while True:
        lineup = generator.permutation(8)[:4].reshape(2, 2).astype(np.int16)
        if is_reserved(*[[SPEC.heroes[i] for i in team] for team in lineup]):
            break
    maker, _ = matchmaker(settings_with(), lineup_fn=fixed_lineups(lineup[None]))
    with pytest.raises(ValueError, match="reserved for evaluation"):
        draw(maker, 1)


def test_bad_settings_are_refused() -> None:
    with pytest.raises(ValueError, match="did you mean 'perfect'"):
        matchmaker(settings_with(bot_shares={"perfekt": 0.1}))
    with pytest.raises(ValidationError, match=r"must sum to at most 1, got 1\.100"):
        settings_with(latest_share=0.9)
    with pytest.raises(ValidationError, match="Extra inputs"):
        settings_with(capacitie=3)


def test_imitated_bots_play_both_teams_in_their_shares_and_never_reserved_lineups() -> None:
    match_fn = imitated_bots(SPEC, {"perfect": 0.8, "random": 0.2, "noop": 0.0}, random_lineups(SPEC))
    generator = np.random.default_rng(0)
    matches = [match_fn(generator) for _ in range(1000)]
    assert all(match is not None for match in matches)
    drawn = [match for match in matches if match is not None]
    kinds = Counter(seat_to_text(seat) for match in drawn for seat in match.seats)
    assert set(kinds) == {"imitated:perfect", "imitated:random"}
    assert kinds["imitated:perfect"] == pytest.approx(1600, abs=70)
    for match in drawn:
        assert not is_reserved(*[[SPEC.heroes[hero] for hero in team] for team in match.lineup])
    reserved = next(
        lineup
        for lineup in (generator.permutation(8)[:4].reshape(2, 2).astype(np.int16) for _ in range(1000))
        if is_reserved(*[[SPEC.heroes[hero] for hero in team] for team in lineup])
    )
    with pytest.raises(ValueError, match="reserved for evaluation"):
        imitated_bots(SPEC, {"perfect": 1.0}, fixed_lineups(reserved[None]))(generator)
    with pytest.raises(ValueError, match="did you mean 'perfect'"):
        imitated_bots(SPEC, {"perfekt": 1.0}, random_lineups(SPEC))


def test_imitated_matches_on_a_fixed_lineup_differ_in_places_only() -> None:
    lineup = random_lineups(SPEC)(np.random.default_rng(0))
    match_fn = imitated_bots(SPEC, {"perfect": 1.0}, fixed_lineups(lineup[None]))
    generator = np.random.default_rng(1)
    drawn = [match for match in (match_fn(generator) for _ in range(200)) if match is not None]
    assert len({match.lineup.tobytes() for match in drawn}) == 8  # two orders a team, two of the teams
    teams = {frozenset(team) for team in lineup.tolist()}
    assert all({frozenset(team) for team in match.lineup.tolist()} == teams for match in drawn)
