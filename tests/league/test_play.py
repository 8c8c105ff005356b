"""Tests of fullpool.league.play."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from fullpool.games.contract import Ints, Seeds, Shorts
from fullpool.games.testing import ToyGame, toy_spec
from fullpool.league.play import MatchList, MatchResults, play_matches
from fullpool.networks.actor_critic import ActorCritic
from fullpool.networks.settings import NetworkSettings

SPEC = toy_spec()
SETTINGS = NetworkSettings(
    hero_embedding=4,
    row_units=(8,),
    trunk_units=(8,),
    lstm_units=8,
    use_lstm=True,
    critic_row_units=(8,),
    critic_units=(8,),
    value_units=8,
    opponent_information=True,
    value_heads="per_reward",
    image=False,
    image_channels=(),
)


def network(seed: int) -> ActorCritic:
    with torch.random.fork_rng():
        torch.default_generator.manual_seed(seed)
        return ActorCritic(SPEC, SETTINGS)


def matches_of(num: int, agents: tuple[str, str]) -> MatchList:
    generator = np.random.default_rng(0)
    lineups = np.stack([generator.permutation(8)[:4].reshape(2, 2) for _ in range(num)]).astype(np.int16)
    return MatchList(lineups, [agents] * num, generator.integers(0, 2**63, num, dtype=np.uint64))


def play(matches: MatchList, batch_games: int = 5, seed: int = 1, num_threads: int = 1) -> MatchResults:
    networks = {"first": network(1), "second": network(2)}
    return play_matches(
        ToyGame, matches, networks, batch_games=batch_games, seed=seed, num_threads=num_threads
    )


def test_every_match_is_played_once_whatever_the_batch() -> None:
    matches = matches_of(23, ("perfect", "random"))
    whole = play(matches, batch_games=23)
    few = play(matches, batch_games=3)
    threads = play(matches, batch_games=4, num_threads=2)
    np.testing.assert_array_equal(whole.winners, 0)
    np.testing.assert_array_equal(whole.scores, 1.0)
    for other in (few, threads):
        np.testing.assert_array_equal(other.winners, whole.winners)
        np.testing.assert_array_equal(other.decisions, whole.decisions)
        np.testing.assert_array_equal(other.statistics["points"], whole.statistics["points"])
    assert whole.decisions.min() >= 12
    assert len(set(whole.decisions.tolist())) > 3


def test_bots_play_their_own_seats() -> None:
    results = play(matches_of(9, ("noop", "perfect")))
    np.testing.assert_array_equal(results.winners, 1)


def test_networks_meet_networks_and_bots_reproducibly() -> None:
    lists = [matches_of(6, pair) for pair in (("first", "second"), ("second", "perfect"), ("first", "first"))]
    agents = [pair for matches in lists for pair in matches.agents]
    whole = MatchList(
        np.concatenate([m.lineups for m in lists]), agents, np.concatenate([m.seeds for m in lists])
    )
    first, second = play(whole), play(whole)
    np.testing.assert_array_equal(first.winners, second.winners)
    np.testing.assert_array_equal(first.statistics["points"], second.statistics["points"])
    np.testing.assert_array_equal(first.winners[6:12], 1)
    other_seed = play(whole, seed=2)
    assert not np.array_equal(first.statistics["points"], other_seed.statistics["points"])


class SpyGame(ToyGame):
    """Notes what is reset."""

    def __init__(self, num_games: int) -> None:
        super().__init__(num_games)
        self.resets: list[tuple[list[int], list[list[int]]]] = []

    def reset(self, games: Ints, lineups: Shorts, seeds: Seeds, seats: NDArray[np.int8]) -> None:
        self.resets.append((games.tolist(), seats.tolist()))
        super().reset(games, lineups, seeds, seats)


def test_memory_is_fresh_when_a_match_starts() -> None:
    """A match gives the same result first in its slot as after another one: greedy play would differ otherwise."""
    games: list[SpyGame] = []

    def make(num_games: int) -> SpyGame:
        games.append(SpyGame(num_games))
        return games[-1]

    class Greedy(ActorCritic):
        def act(self, inputs, state, generator, *, deterministic=False):  # type: ignore[no-untyped-def]
            return super().act(inputs, state, generator, deterministic=True)

    with torch.random.fork_rng():
        torch.default_generator.manual_seed(3)
        greedy = Greedy(SPEC, SETTINGS)
    matches = matches_of(4, ("greedy", "random"))
    together = play_matches(make, matches, {"greedy": greedy}, batch_games=4, seed=1, precision="float32")
    in_turn = play_matches(make, matches, {"greedy": greedy}, batch_games=1, seed=1, precision="float32")
    np.testing.assert_allclose(in_turn.statistics["points"], together.statistics["points"])
    assert [game.num_games for game in games] == [4, 1]
    assert [games for games, _ in games[1].resets] == [[0]] * 4
    assert games[0].resets == [([0, 1, 2, 3], [[-1, 1]] * 4)]


def test_unknown_agents_and_empty_lists_are_refused() -> None:
    with pytest.raises(ValueError, match="no network and no bot is called 'nobody'"):
        play(matches_of(2, ("nobody", "noop")))
    with pytest.raises(ValueError, match="no matches to play"):
        play(matches_of(2, ("noop", "noop")).part(2, 1))
