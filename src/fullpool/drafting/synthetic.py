"""Made-up match records whose truth is known: hero strengths plus pairwise synergies and counters.

For tests and benches. The pair terms are of low rank plus noise, as heroes that do similar things behave alike.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fullpool.drafting.records import MatchTable
from fullpool.games.contract import Shorts

Doubles = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class MadeUpGame:
    """The truth behind made-up records.

    Attributes:
        strength: `[H]` log-odds that a hero adds.
        synergy: `[H, H]` symmetric; log-odds that a pair on one team adds.
        counter: `[H, H]` antisymmetric; log-odds that hero i adds against hero j.
    """

    strength: Doubles
    synergy: Doubles
    counter: Doubles

    @property
    def heroes(self) -> tuple[str, ...]:
        """Names of the pool."""
        return tuple(f"hero{index:02d}" for index in range(len(self.strength)))

    def win_probability(self, lineups: Shorts) -> Doubles:
        """Computes `[n]` true probabilities that team 1 wins for `[n, 2, P]` line-ups."""
        first, second = lineups[:, 0], lineups[:, 1]
        logit = self.strength[first].sum(1) - self.strength[second].sum(1)
        logit += self._inside(first) - self._inside(second)
        logit += self.counter[first[:, :, None], second[:, None, :]].sum((1, 2))
        return np.asarray(1 / (1 + np.exp(-logit)))

    def _inside(self, team: Shorts) -> Doubles:
        return np.asarray(self.synergy[team[:, :, None], team[:, None, :]].sum((1, 2)) / 2)


def make_up_game(
    generator: np.random.Generator,
    *,
    num_heroes: int,
    team_size: int,
    strength: float,
    synergy: float,
    counter: float,
    rank: int = 6,
) -> MadeUpGame:
    """Draws a game.

    Args:
        generator: source of randomness.
        num_heroes: heroes in the pool, H.
        team_size: heroes a team, P.
        strength: standard deviation that the strengths give the log-odds of random line-ups.
        synergy: the same for pairs on one team.
        counter: the same for pairs across the teams.
        rank: rank of the structured part of the pair terms.

    Returns:
        The game.
    """
    traits = [generator.normal(size=(num_heroes, rank)) for _ in range(3)]
    signs = generator.choice([-1.0, 1.0], rank)
    together = (traits[0] * signs) @ traits[0].T / np.sqrt(rank) + 0.5 * generator.normal(
        size=(num_heroes,) * 2
    )
    against = traits[1] @ traits[2].T / np.sqrt(rank) + 0.5 * generator.normal(size=(num_heroes,) * 2)
    together, against = (together + together.T) / 2, (against - against.T) / 2
    together, against = _centred(together), _centred(against)
    upper = np.triu_indices(num_heroes, 1)
    single = generator.normal(size=num_heroes)
    pairs = team_size * (team_size - 1)
    return MadeUpGame(
        strength=(single - single.mean()) * strength / (single.std() * np.sqrt(2 * team_size)),
        synergy=together * synergy / (together[upper].std() * np.sqrt(max(pairs, 1))),
        counter=against * counter / (against[upper].std() * team_size),
    )


def _centred(pairs: Doubles) -> Doubles:
    """Takes the row and column means off, so that pairs say nothing about a hero's strength; the diagonal is zero."""
    pairs = pairs.copy()
    for _ in range(20):
        np.fill_diagonal(pairs, 0.0)
        others = len(pairs) - 1
        mean = pairs.sum() / (others * len(pairs))
        pairs = pairs - pairs.sum(1)[:, None] / others - pairs.sum(0) / others + mean
    np.fill_diagonal(pairs, 0.0)
    return pairs


def make_up_matches(
    game: MadeUpGame, generator: np.random.Generator, *, num_matches: int, team_size: int
) -> MatchTable:
    """Draws matches on random line-ups.

    Returns:
        `num_matches` checked records.
    """
    import pandas as pd

    order = np.argsort(generator.random((num_matches, len(game.strength))), axis=1)
    lineups = order[:, : 2 * team_size].reshape(-1, 2, team_size).astype(np.int16)
    wins = generator.random(num_matches) < game.win_probability(lineups)
    return MatchTable(
        game.heroes, lineups, wins, None, None, pd.DataFrame(columns=["row", "match_id", "reason"]), 0
    )
