"""The merged agent against itself on random line-ups of the whole pool, in chunks that are saved one by one.

A chunk depends on the seed and its own number only, so a stage that was cut short ends with the same matches. Line-ups
of both kinds are drawn, training and reserved, since nobody learns to play from these matches; a column says which.
The agent samples its choices, as in training.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from fullpool.curriculum.metrics import MetricsRow
from fullpool.curriculum.phases import Setting
from fullpool.games.contract import DRAW, TEAM_A_WON, GameSpec, Shorts
from fullpool.games.lineups import is_reserved
from fullpool.league.play import MatchList, MatchResults, play_matches
from fullpool.league.seeds import derive_seed
from fullpool.learning.damage import Damaged
from fullpool.networks.actor_critic import ActorCritic
from fullpool.pipelines.game import PlayingSettings
from fullpool.pipelines.matches.settings import PART, MatchesSettings

if TYPE_CHECKING:
    import pandas as pd

AGENT, FILE = "merged", "matches.parquet"


@dataclass(frozen=True, eq=False)
class Chunk:
    """Matches that were played together.

    Attributes:
        number: of the chunk, from 1.
        frame: one match a row.
        rows: its figures.
    """

    number: int
    frame: pd.DataFrame
    rows: Sequence[MetricsRow]
    part: str = PART

    def save(self, folder: Path) -> None:
        """Writes the matches as parquet into an empty folder."""
        self.frame.to_parquet(folder / FILE, index=False, write_page_checksum=True)


def play_chunks(
    setting: Setting,
    network: ActorCritic,
    settings: MatchesSettings,
    playing: PlayingSettings,
    *,
    done: int,
) -> Iterator[Chunk]:
    """Plays the chunks that are not there yet.

    Args:
        setting: game and seed.
        network: the agent, frozen.
        settings: how many matches.
        playing: how they are played.
        done: chunks that are there.

    Yields:
        Chunks in order.
    """
    spec = setting.spec
    for number in range(done + 1, settings.num_chunks + 1):
        seed = derive_seed(setting.seed, "matches", number)
        count = min(settings.chunk_matches, settings.left(number - 1))
        matches = draw_matches(spec, count, seed, settings.bot_shares)
        results = play_matches(
            setting.game_fn,
            matches,
            {AGENT: network},
            batch_games=playing.batch_games,
            seed=seed,
            num_threads=playing.num_threads,
        )
        step = settings.num_matches - settings.left(number)
        frame = match_frame(spec, matches, results, number)
        yield Chunk(number, frame, (MetricsRow(step, figures(results, step)),))


def draw_matches(spec: GameSpec, count: int, seed: int, bot_shares: Mapping[str, float]) -> MatchList:
    """Draws matches of the agent against itself on random line-ups.

    Args:
        spec: the game.
        count: matches.
        seed: of the draw.
        bot_shares: share of matches that each bot plays against itself instead.

    Returns:
        The matches.
    """
    generator = np.random.default_rng(seed)
    ids = np.tile(np.arange(len(spec.heroes), dtype=np.int16), (count, 1))
    shuffled = generator.permuted(ids, axis=1)[:, : 2 * spec.team_size]
    lineups: Shorts = shuffled.reshape(count, 2, spec.team_size)
    seeds = generator.integers(0, 2**63, count, dtype=np.uint64)
    names, shares = [AGENT, *bot_shares], [max(1 - sum(bot_shares.values()), 0.0), *bot_shares.values()]
    drawn = generator.choice(len(names), count, p=shares).tolist()
    return MatchList(lineups, [(names[player], names[player]) for player in drawn], seeds)


def match_frame(spec: GameSpec, matches: MatchList, results: MatchResults, chunk: int) -> pd.DataFrame:
    """Tables matches as `drafting.records.AGENT_COLUMNS` names them.

    Args:
        spec: the game.
        matches: what was played.
        results: how it ended.
        chunk: number of the chunk, part of the matches' ids.

    Returns:
        One match a row: id, hero names of both teams, winner (`team1`, `team2`, `draw`), who played both,
        whether the line-up is a reserved one, seed, decisions, and the game's figures that are one number a match.
    """
    import pandas as pd

    names = [[[spec.heroes[hero] for hero in team] for team in lineup] for lineup in matches.lineups.tolist()]
    winners = {TEAM_A_WON: "team1", DRAW: "draw"}
    plain = {name: values for name, values in results.statistics.items() if values.ndim == 1}
    columns = {
        "match_id": [f"{chunk}-{row}" for row in range(len(matches))],
        "team1_heroes": [first for first, _ in names],
        "team2_heroes": [second for _, second in names],
        "winner": [winners.get(winner, "team2") for winner in results.winners.tolist()],
        "player": [player for player, _ in matches.agents],
        "reserved": [is_reserved(first, second) for first, second in names],
        "seed": matches.seeds,
        "decisions": results.decisions,
    }
    return pd.DataFrame({**plain, **columns})


def figures(results: MatchResults, num_matches: int) -> dict[str, float]:
    """Figures of a chunk: shares of won and drawn matches, length, the game's own figures."""
    values = {name: float(np.mean(figure)) for name, figure in results.statistics.items()}
    return values | {
        "num_matches": float(num_matches),
        "team1_won": float(np.mean(results.winners == TEAM_A_WON)),
        "draws": float(np.mean(results.winners == DRAW)),
        "decisions": float(np.mean(results.decisions)),
    }


def read_chunks(folders: Sequence[Path]) -> pd.DataFrame:
    """Reads all matches of a finished stage.

    Args:
        folders: folders of all its chunks.

    Returns:
        One match a row.

    Raises:
        Damaged: if a chunk is missing or damaged.
    """
    import pandas as pd

    frames = []
    for folder in folders:
        try:
            frames.append(pd.read_parquet(folder / FILE, page_checksum_verification=True))
        except (OSError, ValueError) as error:
            path = folder / FILE
            raise Damaged(
                path, f"{path} cannot be read as matches ({error}); {_way_out(folders, folder)}"
            ) from None
    return pd.concat(frames, ignore_index=True)


def _way_out(folders: Sequence[Path], damaged: Path) -> str:
    """What helps with a damaged chunk; with the last one, the stage's folder knows more."""
    place = list(folders).index(damaged)
    later = len(folders) - place - 1
    if not later:
        return "restore it"
    if place == 0:
        return f"restore it, or delete {damaged.parent.parent} and start again: all matches are played anew alike"
    return f"restore it, or delete {damaged} and the {later} after it and start again: they are played anew alike"
