"""Bots obey masks and fog, repeat themselves by seed, and stand in the order noop, random, laner, fighter."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from fullpool.games.contract import DRAW, TEAM_A_WON
from fullpool.games.lineups import draw_lineup
from fullpool.games.moba import state as s
from fullpool.games.moba.bots import BOT_FIGHTER, BOT_LANER, BOT_NAMES, BOT_NOOP, BOT_RANDOM, bot_actions
from fullpool.games.moba.game import MobaGame
from fullpool.games.moba.masks import is_legal
from fullpool.games.moba.probes import PlayedStates, play_states, scramble_hidden

BOTS = (BOT_NOOP, BOT_RANDOM, BOT_LANER, BOT_FIGHTER)


@pytest.fixture(scope="module")
def played() -> PlayedStates:
    return play_states("blitz")


def play(a: int, b: int, num_pairs: int, seed: int = 0, preset: str = "blitz") -> dict[str, float]:
    """Plays every line-up from both sides; win rate of `a`, of side A, and share ended by a fallen crystal."""
    generator = np.random.default_rng(seed)
    game = MobaGame(preset, 2 * num_pairs)
    spec = game.spec
    drawn = [draw_lineup(generator, spec.heroes, 5, reserved=False) for _ in range(num_pairs)]
    lineups = np.repeat(np.stack(drawn), 2, axis=0)
    seats = np.tile(np.array([[a, b], [b, a]], np.int8), (num_pairs, 1))
    seeds = generator.integers(0, 2**63, 2 * num_pairs, np.uint64)
    game.reset(np.arange(2 * num_pairs, dtype=np.int32), lineups, seeds, seats)
    nothing = np.zeros((2 * num_pairs, 2, 5, 4), np.int32)
    for _ in range(spec.max_decisions):
        winner = game.step(nothing).winner
    points = np.where(winner == DRAW, 0.5, winner == TEAM_A_WON)
    own = np.where(np.arange(2 * num_pairs) % 2 == 0, points, 1 - points)
    figures = game.statistics()
    return {
        "win": float(own.mean()),
        "side_a": float(points.mean()),
        "crystal": float(figures["ended_by_crystal"].mean()),
        "decisions": float(figures["decisions"].mean()),
        "illegal": float(figures["illegal"].sum()),
    }


def test_numbers_are_places_in_the_names() -> None:
    assert [BOT_NAMES[number] for number in BOTS] == ["noop", "random", "laner", "fighter"]
    assert MobaGame("blitz", 1).spec.bots == BOT_NAMES


@pytest.mark.parametrize("aim", ["manual", "assist"])
@pytest.mark.parametrize("bot", BOTS)
def test_every_action_is_legal(bot: int, aim: str) -> None:
    states = play_states("blitz", aim=aim)
    out = np.zeros((5, 4), np.int32)
    for f, k in zip(states.f, states.k, strict=True):
        for team in range(2):
            bot_actions(f, k.copy(), states.tables, bot, team, out)
            for place, (what, who, direction, dist) in enumerate(out.tolist()):
                h = team * 5 + place
                assert is_legal(f, k, states.tables, h, what, who, direction, dist), (bot, what, who)


@pytest.mark.parametrize("bot", BOTS)
def test_what_a_team_cannot_know_changes_no_action(played: PlayedStates, bot: int) -> None:
    before, after = np.zeros((5, 4), np.int32), np.zeros((5, 4), np.int32)
    for n in range(len(played.f)):
        for team in range(2):
            bot_actions(played.f[n], played.k[n].copy(), played.tables, bot, team, before)
            f, k = scramble_hidden(played.f[n], played.k[n], team, np.random.default_rng(n))
            bot_actions(f, k, played.tables, bot, team, after)
            assert np.array_equal(before, after), (n, team)


@pytest.mark.parametrize("bot", BOTS)
def test_a_bot_writes_nothing_but_its_memory(played: PlayedStates, bot: int) -> None:
    f, k = played.f[15].copy(), played.k[15].copy()
    bot_actions(f, k, played.tables, bot, 1, np.zeros((5, 4), np.int32))
    assert np.array_equal(f, played.f[15])
    changed = np.flatnonzero(k != played.k[15])
    own = s.BOT_STATE + 5 * 8
    assert ((changed >= own) & (changed < own + 5 * 8)).all()


def test_noop_does_nothing(played: PlayedStates) -> None:
    out = np.ones((5, 4), np.int32)
    bot_actions(played.f[10], played.k[10].copy(), played.tables, BOT_NOOP, 0, out)
    assert not out.any()


def test_random_keeps_a_direction_for_four_decisions() -> None:
    game = MobaGame("blitz", 8)
    lineups = np.stack(
        [draw_lineup(np.random.default_rng(n), game.spec.heroes, 5, reserved=False) for n in range(8)]
    )
    seats = np.full((8, 2), BOT_RANDOM, np.int8)
    game.reset(np.arange(8, dtype=np.int32), lineups, np.arange(8, dtype=np.uint64), seats)
    runs: list[int] = []
    taken = np.stack([game.step(np.zeros((8, 2, 5, 4), np.int32)).actions for _ in range(40)])
    for column in taken.reshape(40, 80, 4).transpose(1, 0, 2):
        length = 0
        for now, following in itertools.pairwise(column):
            length += int(now[s.HEAD_WHAT] == s.MOVE)
            same = following[s.HEAD_WHAT] == s.MOVE and following[s.HEAD_DIR] == now[s.HEAD_DIR]
            if length and not same:
                runs.append(length)
                length = 0
    # A wall, a stun or death may cut a run short; a new move may go on in the same direction by chance.
    assert np.mean(np.array(runs) >= 4) > 0.6
    assert set(taken[..., s.HEAD_WHAT].ravel().tolist()) >= {s.NONE, s.MOVE, s.SKILL1, s.HEAL, s.RECALL}


def test_same_seed_same_match() -> None:
    assert play(BOT_FIGHTER, BOT_LANER, 4, seed=3) == play(BOT_FIGHTER, BOT_LANER, 4, seed=3)


def test_laner_beats_random_and_ends_the_match() -> None:
    result = play(BOT_LANER, BOT_RANDOM, 60)
    assert result["win"] >= 0.95
    assert result["crystal"] >= 0.95
    assert 90 <= result["decisions"] <= 150
    assert result["illegal"] == 0


def test_fighter_beats_laner() -> None:
    result = play(BOT_FIGHTER, BOT_LANER, 150)
    assert result["win"] >= 0.65
    assert result["illegal"] == 0


def test_equal_bots_end_their_matches_by_the_crystal() -> None:
    assert play(BOT_FIGHTER, BOT_FIGHTER, 150)["crystal"] >= 0.6
    assert play(BOT_LANER, BOT_LANER, 60)["decisions"] < 230


def test_neither_side_is_favoured() -> None:
    # 2,000 matches: four standard errors are 4.5 points.
    assert abs(play(BOT_RANDOM, BOT_RANDOM, 1000)["side_a"] - 0.5) < 0.045


@pytest.mark.parametrize("preset", ["mid3", "arena"])
def test_bots_play_the_small_presets(preset: str) -> None:
    for bot in (BOT_LANER, BOT_FIGHTER):
        result = play(bot, BOT_RANDOM, 15, preset=preset)
        assert result["win"] >= 0.9
        assert result["illegal"] == 0
