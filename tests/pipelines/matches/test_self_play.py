"""Chunks of matches: the same whether the stage was cut short or not, and in the shape that drafting reads."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from fullpool.curriculum import testing
from fullpool.drafting.records import AGENT_COLUMNS, read_matches
from fullpool.games.lineups import is_reserved
from fullpool.learning.damage import Damaged
from fullpool.networks.actor_critic import ActorCritic
from fullpool.networks.settings import NetworkSettings
from fullpool.pipelines.game import PlayingSettings
from fullpool.pipelines.matches.self_play import Chunk, draw_matches, play_chunks, read_chunks
from fullpool.pipelines.matches.settings import MatchesSettings

SETTINGS = MatchesSettings(num_matches=70, chunk_matches=30, bot_shares={"random": 0.25})
PLAYING = PlayingSettings(batch_games=8, num_threads=1)
SPEC = testing.SPEC


def play(done: int = 0) -> list[Chunk]:
    network = ActorCritic(SPEC, NetworkSettings.model_validate(testing.NETWORK), seed=1)
    network.requires_grad_(False)
    return list(play_chunks(testing.make_setting(), network, SETTINGS, PLAYING, done=done))


@pytest.fixture(scope="module")
def chunks() -> list[Chunk]:
    return play()


def test_chunks_sum_up_and_a_later_start_plays_the_same_rest(chunks: list[Chunk]) -> None:
    assert [(chunk.number, len(chunk.frame)) for chunk in chunks] == [(1, 30), (2, 30), (3, 10)]
    assert [row.step for chunk in chunks for row in chunk.rows] == [30, 60, 70]
    rest = play(done=1)
    assert [chunk.number for chunk in rest] == [2, 3]
    for own, expected in zip(rest, chunks[1:], strict=True):
        pd.testing.assert_frame_equal(own.frame, expected.frame)


def test_drafting_reads_what_is_written(chunks: list[Chunk], tmp_path: Path) -> None:
    folders = []
    for chunk in chunks:
        folders.append(tmp_path / str(chunk.number))
        folders[-1].mkdir()
        chunk.save(folders[-1])
    frame = read_chunks(folders)
    assert len(frame) == 70
    assert set(frame["player"]) == {"merged", "random"}
    table = read_matches(frame, AGENT_COLUMNS, SPEC.heroes, SPEC.team_size)
    assert len(table.rejects) == 0
    assert len(table) + table.num_draws == 70
    assert table.num_draws == (frame["winner"] == "draw").sum()
    decided = frame[frame["winner"] != "draw"].reset_index(drop=True)
    assert [SPEC.heroes[i] for i in table.lineups[0, 1]] == list(decided["team2_heroes"][0])
    assert table.team1_win[0] == (decided["winner"][0] == "team1")
    told = [is_reserved(one, two) for one, two in zip(frame["team1_heroes"], frame["team2_heroes"])]
    assert list(frame["reserved"]) == told
    content = bytearray((folders[1] / "matches.parquet").read_bytes())
    content[200] ^= 1
    for spoilt in (bytes(content), b"x"):
        (folders[1] / "matches.parquet").write_bytes(spoilt)
        with pytest.raises(Damaged, match="cannot be read as matches") as caught:
            read_chunks(folders)
        assert str(caught.value).endswith(
            f"restore it, or delete {folders[1]} and the 1 after it and start again: they are played anew alike"
        )
        with pytest.raises(Damaged, match=f"or delete {tmp_path.parent} and start again: all matches"):
            read_chunks(folders[1:])
        # Of the last one the stage's folder says what helps.
        with pytest.raises(Damaged, match=r"; restore it$"):
            read_chunks(folders[:2])


def test_line_ups_of_both_kinds_are_drawn_from_the_whole_pool() -> None:
    matches = draw_matches(SPEC, 400, 3, {"random": 0.25})
    flat = np.sort(matches.lineups.reshape(400, -1), axis=1)
    assert (np.diff(flat, axis=1) > 0).all()
    counts = np.bincount(flat.reshape(-1), minlength=len(SPEC.heroes))
    assert counts.min() > 150
    assert counts.max() < 250
    names = [[[SPEC.heroes[i] for i in team] for team in lineup] for lineup in matches.lineups.tolist()]
    assert 0 < sum(is_reserved(*teams) for teams in names) < 400
    assert len(set(matches.seeds.tolist())) == 400
    assert 70 < matches.agents.count(("random", "random")) < 130
    assert set(matches.agents) == {("random", "random"), ("merged", "merged")}


def test_shares_beyond_one_are_refused() -> None:
    with pytest.raises(ValueError, match=r"bot_shares must sum to at most 1, got 1\.200"):
        MatchesSettings(num_matches=1, chunk_matches=1, bot_shares={"a": 0.6, "b": 0.6})
