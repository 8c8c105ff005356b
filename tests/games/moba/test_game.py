from __future__ import annotations

from collections.abc import Callable
from threading import Thread
from typing import Any

import numpy as np
import pytest

from fullpool.games.contract import EXTERNAL
from fullpool.games.moba import state as s
from fullpool.games.moba.game import MobaGame, spread_seeds
from fullpool.games.sampling import is_legal_action

Start = Callable[..., Any]


def test_statistics_have_one_row_a_match(table: Start) -> None:
    playing = table("blitz", 3, bots=(2, 1))
    for _ in range(120):
        playing.game.step(playing.actions)
    figures = playing.game.statistics()
    assert {len(values) for values in figures.values()} == {3}
    assert (figures["attacks"] >= figures["structure_attacks"]).all()
    assert figures["attacks"][:, 0].sum() > 0
    assert (figures["kills"].sum(axis=(1, 2)) <= figures["deaths"].sum(axis=(1, 2))).all()
    assert ((figures["structure_attack_share"] >= 0) & (figures["structure_attack_share"] <= 1)).all()
    assert figures["decisions"].max() <= 120
    assert (figures["illegal"] == 0).all()


def test_saved_state_goes_on_the_same(table: Start) -> None:
    playing = table("blitz", 2)
    playing.play(60)
    saved = playing.game.save_state()
    rewards, hashes = [], []
    for _ in range(2):
        playing.game.load_state(saved)
        playing.decision = 60
        playing.play(30)
        rewards.append(playing.game.step(playing.draw()).rewards.copy())
        hashes.append([playing.game.state_hash(game) for game in range(2)])
    assert hashes[0] == hashes[1]
    assert np.array_equal(rewards[0], rewards[1])


def test_state_of_another_batch_is_refused(table: Start) -> None:
    playing = table("blitz", 2)
    saved = playing.game.save_state()
    with pytest.raises(ValueError, match="another batch size or version"):
        playing.game.load_state({name: array[:1] for name, array in saved.items()})
    with pytest.raises(ValueError, match="a saved moba state has"):
        playing.game.load_state({"floats": saved["floats"]})


def test_a_clone_plays_on_like_its_original(table: Start) -> None:
    playing = table("blitz", 2)
    playing.play(50)
    playing.game.clone(0, 1)
    playing.seats[:] = EXTERNAL
    for decision in range(20):
        playing.lineups[1] = playing.lineups[0]
        actions = playing.draw().copy()
        actions[1] = actions[0]
        result = playing.game.step(actions)
        playing.decision += 1
        assert np.array_equal(result.rewards[0], result.rewards[1]), decision
    assert playing.game.state_hash(0) == playing.game.state_hash(1)


def test_batches_in_two_threads_do_not_disturb_each_other(table: Start) -> None:
    tables = [table("blitz", 4, seed=3) for _ in range(3)]
    threads = [Thread(target=playing.play, args=(60,)) for playing in tables[:2]]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    tables[2].play(60)
    hashes = [[playing.game.state_hash(game) for game in range(4)] for playing in tables]
    assert hashes[0] == hashes[1] == hashes[2]


def test_debug_mode_raises_at_an_illegal_action(table: Start) -> None:
    playing = table("blitz", 2, debug=True)
    playing.play(3)
    playing.actions[:] = 0
    playing.actions[1, 0, 2] = s.WARD, 0, 0, 0
    with pytest.raises(ValueError, match=r"illegal action \[8, 0, 0, 0\].* game 1, seat 2"):
        playing.game.step(playing.actions)


def test_team_spirit_moves_rewards_towards_the_mean(table: Start) -> None:
    spreads = []
    for share in (0.0, 1.0):
        playing = table("blitz", 1, bots=(2, 2))
        playing.game.set_team_spirit(share)
        total = sum(playing.game.step(playing.actions).rewards.copy() for _ in range(80))
        spreads.append(float(total[0, 0, :, 0].std()))
    assert spreads[0] > 0.01
    assert spreads[1] == pytest.approx(0.0, abs=1e-5)
    with pytest.raises(ValueError, match="team spirit"):
        playing.game.set_team_spirit(1.5)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"games": [0, 0]}, "different indices"),
        ({"games": [0, 7]}, "different indices"),
        ({"hero": 40}, "hero ids"),
        ({"hero": -1}, "teams of one size"),
        ({"repeat": True}, "must not repeat"),
        ({"seat": 9}, "seats must be"),
        ({"lineups": (1, 2, 5)}, "reset expects"),
    ],
)
def test_impossible_starts_are_refused(change: dict[str, Any], message: str) -> None:
    game = MobaGame("blitz", 2)
    lineups = np.tile(np.arange(10, dtype=np.int16).reshape(1, 2, 5), (2, 1, 1))
    seats = np.full((2, 2), EXTERNAL, np.int8)
    lineups[1, 1, 4] = change.get("hero", 9)
    if change.get("repeat"):
        lineups[1, 1, 4] = 0
    seats[0, 1] = change.get("seat", EXTERNAL)
    games = np.array(change.get("games", [0, 1]), np.int32)
    if "lineups" in change:
        lineups = lineups[:1]
    with pytest.raises(ValueError, match=message):
        game.reset(games, lineups, np.arange(2, dtype=np.uint64), seats)


def test_wrong_shapes_and_options_are_refused() -> None:
    game = MobaGame("blitz", 2)
    with pytest.raises(ValueError, match=r"actions must be \[2, 2, 5, 4\]"):
        game.step(np.zeros((2, 10, 4), np.int32))
    with pytest.raises(ValueError, match="num_games"):
        MobaGame("blitz", 0)
    with pytest.raises(ValueError, match="aim must be"):
        MobaGame("blitz", 1, aim="auto")  # type: ignore[arg-type]


def test_streams_of_the_teams_differ_and_use_the_whole_seed() -> None:
    seeds = np.array([0, 1, 2**63], np.uint64)
    streams = spread_seeds(seeds)
    assert len(np.unique(streams)) == 6


def test_what_bots_do_is_told_and_is_legal_in_what_they_would_have_seen(table: Start) -> None:
    bots, told = table("blitz", 1, seed=3, bots=(3, 2)), table("blitz", 1, seed=3)
    moved = 0
    for _ in range(60):
        bots.game.observe(bots.views, bots=True)
        told.game.observe(told.views)
        for name in ("observation", "masks", "target_rows", "critic"):
            np.testing.assert_array_equal(getattr(bots.views, name), getattr(told.views, name))
        result = bots.game.step(bots.actions)
        for seat in np.ndindex(1, 2, 5):
            hero, action = int(bots.lineups[seat]), result.actions[seat]
            assert is_legal_action(bots.game.spec.action, hero, bots.views.masks[seat], action)
        moved += int((result.actions[..., 0] != s.NONE).sum())
        told.game.step(result.actions)  # an external agent that says the same plays the same match
    assert moved > 300
    np.testing.assert_array_equal(bots.game.f, told.game.f)


def test_an_illegal_action_is_told_as_none(table: Start) -> None:
    playing = table("blitz", 1)
    result = playing.game.step(np.full((1, 2, 5, 4), [s.ATTACK, s.SLOT_CRYSTAL, 1, 1], np.int32))
    assert (result.actions == 0).all()
