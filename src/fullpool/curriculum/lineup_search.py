"""Splits the pool into groups of two even teams.

A partition is an array of groups `[G, 2, P]` of hero ids. Every hero of the pool stands in it once; where the
pool does not divide, the last group is filled up with heroes that stand in other groups, its *guests*.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from fullpool.curriculum.lineup_model import LineupModel
from fullpool.games.contract import Shorts
from fullpool.games.lineups import is_reserved
from fullpool.numerics.intervals import Doubles

_FORBIDDEN = 1000.0


@dataclass(frozen=True, eq=False)
class Partition:
    """A split of the pool.

    Attributes:
        groups: `[G, 2, P]` hero ids.
        guests: `[G, 2, P]` true where a hero fills up the last group and also stands in another.
    """

    groups: Shorts
    guests: NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class SearchRules:
    """What makes a group good.

    Attributes:
        heroes: names of the game's heroes.
        roles: role of each hero.
        model: predicts a line-up's evenness.
        role_weight: cost of one role that a team has twice while it lacks another, in units of win
            probability.
    """

    heroes: tuple[str, ...]
    roles: tuple[str, ...]
    model: LineupModel
    role_weight: float

    def costs(self, groups: Shorts) -> Doubles:
        """Costs of groups: unevenness, doubled roles; prohibitive where reserved or with a hero twice.

        Args:
            groups: `[n, 2, P]`.

        Returns:
            `[n]` costs; 0 is a perfectly even group whose teams cover as many roles as they can.
        """
        unevenness = np.abs(np.asarray(self.model(groups), np.float64) - 0.5)
        return unevenness + self.role_weight * doubled_roles(groups, self.roles) + self._forbidden(groups)

    def _forbidden(self, groups: Shorts) -> Doubles:
        ordered = np.sort(groups.reshape(len(groups), -1), axis=1)
        twice = (ordered[:, 1:] == ordered[:, :-1]).any(axis=1)
        names = [[[self.heroes[hero] for hero in team] for team in group] for group in groups.tolist()]
        reserved = np.array([is_reserved(*teams) for teams in names])
        return np.where(twice | reserved, _FORBIDDEN, 0.0)


def doubled_roles(groups: Shorts, roles: Sequence[str]) -> Doubles:
    """Counts heroes whose role their team already has, beyond what the number of roles forces.

    Args:
        groups: `[n, 2, P]`.
        roles: role of each hero.

    Returns:
        `[n]` counts over both teams.
    """
    kinds = sorted(set(roles))
    number = np.array([kinds.index(role) for role in roles])
    present = np.zeros((*groups.shape[:2], len(kinds)), bool)
    np.put_along_axis(present, number[groups], True, axis=2)
    best = min(groups.shape[2], len(kinds))
    return np.asarray((best - present.sum(axis=2)).sum(axis=1), np.float64)


def draw_partition(generator: np.random.Generator, pool: Sequence[int], team_size: int) -> Partition:
    """Deals the pool into groups at random.

    Args:
        generator: source of randomness.
        pool: hero ids, each once.
        team_size: players in a team, P.

    Returns:
        ceil(pool / 2P) groups.

    Raises:
        ValueError: if the pool repeats a hero or is smaller than one group.
    """
    size = 2 * team_size
    if len(set(pool)) != len(pool):
        raise ValueError(f"the pool holds a hero twice: {sorted(pool)}")
    if len(pool) < size:
        raise ValueError(f"a group needs {size} heroes, the pool holds {len(pool)}; give a bigger pool")
    dealt = generator.permutation(np.asarray(pool))
    missing = -len(pool) % size
    last = dealt[len(pool) - (size - missing) :] if missing else dealt[:0]
    others = np.setdiff1d(dealt, last)
    filled = np.concatenate([dealt, generator.permutation(others)[:missing]])
    guests = np.arange(len(filled)) >= len(pool)
    # The guests would all sit in the last team; mix the last group before the search starts.
    order = np.arange(len(filled))
    order[-size:] = generator.permutation(order[-size:])
    shape = (-1, 2, team_size)
    return Partition(filled[order].astype(np.int16).reshape(shape), guests[order].reshape(shape))


def search_partition(
    rules: SearchRules,
    pool: Sequence[int],
    team_size: int,
    *,
    generator: np.random.Generator,
    num_restarts: int,
    num_steps: int,
    proposals: int = 64,
) -> Partition:
    """Improves random partitions by swaps of two heroes and keeps the best.

    Args:
        rules: what makes a group good.
        pool: hero ids.
        team_size: players in a team, P.
        generator: source of randomness.
        num_restarts: random partitions to start from.
        num_steps: rounds of proposals a start; a start ends early when many rounds brought nothing.
        proposals: swaps tried a round; the best is taken.

    Returns:
        The best partition found.

    Raises:
        ValueError: if no partition without a reserved line-up was found.
    """
    best, best_cost = draw_partition(generator, pool, team_size), np.inf
    for _ in range(num_restarts):
        start = draw_partition(generator, pool, team_size)
        found, costs = _climb(rules, start, generator, num_steps, proposals)
        if costs.sum() < best_cost:
            best, best_cost = found, float(costs.sum())
    if best_cost >= _FORBIDDEN:
        raise ValueError(
            f"every split of these {len(pool)} heroes into teams of {team_size} tried hold a line-up "
            "that is reserved for evaluation; give another pool or more search_steps"
        )
    return best


def _climb(
    rules: SearchRules, start: Partition, generator: np.random.Generator, num_steps: int, proposals: int
) -> tuple[Partition, Doubles]:
    current, costs = start, rules.costs(start.groups)
    idle, patience = 0, 20
    for _ in range(num_steps):
        tried = [_propose(current, generator) for _ in range(proposals)]
        groups = np.concatenate([candidate.groups[list(touched)] for candidate, touched in tried])
        gains, at = [], 0
        new_costs = rules.costs(groups)
        for _, touched in tried:
            gains.append(costs[list(touched)].sum() - new_costs[at : at + len(touched)].sum())
            at += len(touched)
        choice = int(np.argmax(gains))
        if gains[choice] <= 1e-12:
            idle += 1
            if idle == patience:
                break
            continue
        idle, current = 0, tried[choice][0]
        costs = rules.costs(current.groups)
    return current, costs


def _propose(partition: Partition, generator: np.random.Generator) -> tuple[Partition, tuple[int, ...]]:
    groups, guests = partition.groups.copy(), partition.guests.copy()
    size = groups[0].size
    heroes, guest = groups.reshape(-1), guests.reshape(-1)
    first, second = (int(slot) for slot in generator.choice(len(heroes), 2, replace=False))
    if guest[second] and not guest[first]:
        first, second = second, first
    if guest[first] and first // size != second // size:
        # A guest is only a copy: another guest takes its place, the groups that own heroes stay as they are.
        heroes[first] = heroes[second]
        return Partition(groups, guests), (first // size,)
    heroes[[first, second]] = heroes[[second, first]]
    guest[[first, second]] = guest[[second, first]]
    return Partition(groups, guests), tuple(sorted({first // size, second // size}))


def splits(group: Shorts, rules: SearchRules, limit: int) -> tuple[Shorts, Doubles]:
    """Finds the most even ways to split one group into two teams.

    Args:
        group: `[2, P]` hero ids.
        rules: what makes a group good.
        limit: splits returned at most.

    Returns:
        `[n, 2, P]` splits, best first, none reserved and none with more doubled roles than `group` itself;
        and their costs `[n]`.
    """
    members = np.sort(group.reshape(-1))
    team_size = group.shape[1]
    candidates = []
    for rest in combinations(range(1, len(members)), team_size - 1):
        team = [0, *rest]
        others = [index for index in range(len(members)) if index not in team]
        candidates.append([members[team], members[others]])
    lineups = np.asarray(candidates, np.int16)
    costs = rules.costs(lineups)
    allowed = doubled_roles(lineups, rules.roles) <= doubled_roles(group[None], rules.roles)
    allowed &= costs < _FORBIDDEN
    order = [index for index in np.argsort(costs, kind="stable") if allowed[index]][:limit]
    return lineups[order], costs[order]
