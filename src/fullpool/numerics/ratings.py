"""Bradley-Terry ratings on the Elo scale, with priors that keep them finite and a bootstrap over games.

Agents are numbers `0 .. M - 1`. Games come as pairs `[Q, 2]` and counts `[Q, 3]`: games that the first of the
pair won, drew and lost. A difference of 400 points is ten-to-one odds; a draw counts as half a win for both.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fullpool.numerics.intervals import Doubles

Counts = NDArray[np.int64]

ELO_PER_NAT = 400.0 / np.log(10.0)
"""Elo points in one natural unit of strength."""

_MAX_STEP = 2.0
_TOLERANCE = 1e-9
_MAX_ITERATIONS = 200


class EloFit(NamedTuple):
    """Ratings and the prior that they were fitted with.

    Attributes:
        ratings: `[M]` Elo points; 0 at the zero agent.
        prior: `[M, M]` points that the prior adds to each ordered pair, symmetric.
    """

    ratings: Doubles
    prior: Doubles


def expected_score(difference: float | NDArray[Any]) -> Doubles:
    """Expected score of an agent that is rated higher by `difference` Elo points.

    Elo 1978, "The rating of chessplayers", in its logistic form: `1 / (1 + 10 ** (-d / 400))`.
    """
    return np.asarray(1.0 / (1.0 + np.power(10.0, -np.asarray(difference, np.float64) / 400.0)))


def score_matrix(num_agents: int, pairs: NDArray[Any], counts: NDArray[Any]) -> Doubles:
    """Sums points over games.

    Args:
        num_agents: M.
        pairs: `[Q, 2]` agents; a pair may occur more than once and in both orders.
        counts: `[..., Q, 3]` games won, drawn and lost by the first of the pair.

    Returns:
        `[..., M, M]`; points that the row's agent took from the column's.

    Raises:
        ValueError: if a number is out of range, a count negative, or an agent plays itself.
    """
    pairs, counts = np.asarray(pairs, np.int64).reshape(-1, 2), np.asarray(counts)
    if counts.shape[-2:] != (len(pairs), 3):
        raise ValueError(f"counts must end in [{len(pairs)}, 3] like the pairs, got {counts.shape}")
    if len(pairs) and (pairs.min() < 0 or pairs.max() >= num_agents):
        raise ValueError(f"agents must lie in [0, {num_agents}), got {pairs.min()} to {pairs.max()}")
    if np.any(pairs[:, 0] == pairs[:, 1]):
        raise ValueError("an agent cannot be rated against itself; drop mirror games")
    if np.any(counts < 0):
        raise ValueError("counts of games must not be negative")
    points = np.zeros((*counts.shape[:-2], num_agents, num_agents))
    for index, (first, second) in enumerate(pairs):
        won, drawn, lost = (counts[..., index, column] for column in range(3))
        points[..., first, second] += won + 0.5 * drawn
        points[..., second, first] += lost + 0.5 * drawn
    return points


def bradley_terry(points: Doubles, *, zero: int) -> Doubles:
    """Maximises the Bradley-Terry likelihood by damped Newton steps.

    Bradley and Terry 1952 (Biometrika 39:324): `P(i beats j) = 1 / (1 + exp(s_j - s_i))`. The log-likelihood
    is concave; whole batches are solved at once.

    Args:
        points: `[..., M, M]` points of the row's agent against the column's, the prior included; every agent
            must be connected to the zero agent by pairs in which both took points, or its rating has no
            finite maximum.
        zero: agent whose rating is 0.

    Returns:
        `[..., M]` ratings in Elo points.

    Raises:
        ValueError: if an agent is not so connected.
    """
    num_agents = points.shape[-1]
    flat = points.reshape(-1, num_agents, num_agents)
    _check_connected(flat, zero)
    games = flat + np.swapaxes(flat, 1, 2)
    free = np.array([agent for agent in range(num_agents) if agent != zero])
    strengths = np.zeros((len(flat), num_agents))
    if len(free) == 0:
        return strengths.reshape(points.shape[:-1])
    value = _log_likelihood(flat, strengths)
    for _ in range(_MAX_ITERATIONS):
        step = _newton_step(flat, games, strengths, free)
        # Far from the optimum the curvature is nearly flat and the raw step would leap past it.
        step *= np.minimum(1.0, _MAX_STEP / np.maximum(np.abs(step).max(axis=1, keepdims=True), 1e-300))
        strengths, value = _ascend(flat, strengths, value, step)
        if np.abs(step).max() < _TOLERANCE:
            break
    return np.asarray((strengths * ELO_PER_NAT).reshape(points.shape[:-1]))


def _check_connected(points: Doubles, zero: int) -> None:
    both = np.asarray(np.logical_and(points > 0, np.swapaxes(points, 1, 2) > 0).all(axis=0))
    reached = {zero}
    frontier = [zero]
    while frontier:
        for agent in np.flatnonzero(both[frontier.pop()]):
            if int(agent) not in reached:
                reached.add(int(agent))
                frontier.append(int(agent))
    missing = sorted(set(range(points.shape[-1])) - reached)
    if missing:
        raise ValueError(
            f"agents {missing} have no pair with points on both sides up to agent {zero}; add a prior draw"
        )


def _log_likelihood(points: Doubles, strengths: Doubles) -> Doubles:
    difference = strengths[:, :, None] - strengths[:, None, :]
    return np.asarray(-(points * np.logaddexp(0.0, -difference)).sum(axis=(1, 2)))


def _newton_step(points: Doubles, games: Doubles, strengths: Doubles, free: NDArray[np.int64]) -> Doubles:
    probability = 1.0 / (1.0 + np.exp(strengths[:, None, :] - strengths[:, :, None]))
    gradient = (points - games * probability).sum(axis=2)
    weights = games * probability * (1.0 - probability)
    hessian = -weights
    diagonal = np.arange(strengths.shape[1])
    hessian[:, diagonal, diagonal] = weights.sum(axis=2) - weights[:, diagonal, diagonal]
    step = np.zeros_like(strengths)
    step[:, free] = np.linalg.solve(hessian[:, free[:, None], free], gradient[:, free, None])[:, :, 0]
    return step


def _ascend(points: Doubles, strengths: Doubles, value: Doubles, step: Doubles) -> tuple[Doubles, Doubles]:
    scale = np.ones((len(points), 1))
    for _ in range(30):
        moved = strengths + scale * step
        reached = _log_likelihood(points, moved)
        worse = reached < value - 1e-9 * (1.0 + np.abs(value))
        if not worse.any():
            break
        scale[worse] *= 0.5
    return moved, reached


def fit_elo(
    num_agents: int, pairs: NDArray[Any], counts: NDArray[Any], *, zero: int, anchors: Sequence[int]
) -> EloFit:
    """Rates agents by all their games, with a prior of one draw where ratings would run away.

    The prior is one draw between every pair that met and one between each agent and its nearest anchor. Which
    anchor is nearest is read off a first fit in which the zero agent stands in for it. An anchor's own
    nearest anchor is looked for among those nearer to zero, so that the chain of anchors always ends there.

    Args:
        num_agents: M.
        pairs: `[Q, 2]` agents that met.
        counts: `[Q, 3]` games won, drawn and lost by the first of the pair; pairs of no games did not meet.
        zero: agent whose rating is 0; counts as an anchor.
        anchors: fixed reference agents, such as scripted bots.

    Returns:
        Ratings and the prior.

    Raises:
        ValueError: if numbers are out of range.
    """
    every_anchor = sorted({zero, *anchors})
    if every_anchor[0] < 0 or every_anchor[-1] >= num_agents:
        raise ValueError(f"anchors must lie in [0, {num_agents}), got {every_anchor}")
    points = score_matrix(num_agents, pairs, counts)
    met = np.where(points + points.T > 0, 0.5, 0.0)
    first_guess = bradley_terry(
        points + met + _links(num_agents, dict.fromkeys(range(num_agents), zero)), zero=zero
    )
    prior = met + _links(num_agents, _nearest_anchors(first_guess, every_anchor, zero))
    return EloFit(bradley_terry(points + prior, zero=zero), prior)


def _links(num_agents: int, anchor_of: dict[int, int]) -> Doubles:
    prior = np.zeros((num_agents, num_agents))
    for agent, anchor in anchor_of.items():
        if agent != anchor:
            prior[agent, anchor] += 0.5
            prior[anchor, agent] += 0.5
    return prior


def _nearest_anchors(ratings: Doubles, anchors: Sequence[int], zero: int) -> dict[int, int]:
    nearest = {}
    for agent in range(len(ratings)):
        candidates = list(anchors)
        if agent in anchors:
            candidates = [a for a in anchors if a == zero or abs(ratings[a]) < abs(ratings[agent])]
            candidates = [a for a in candidates if a != agent] or [zero]
        nearest[agent] = min(candidates, key=lambda a: (abs(ratings[a] - ratings[agent]), a))
    return nearest


def bootstrap_elo(
    fit: EloFit,
    pairs: NDArray[Any],
    counts: NDArray[Any],
    *,
    zero: int,
    generator: np.random.Generator,
    num_resamples: int,
) -> Doubles:
    """Rates resampled games: each pair's games are drawn anew with replacement, their number kept.

    Games are exchangeable within a pair only, since who met whom how often is the schedule's choice; the
    prior stays.

    Args:
        fit: what `fit_elo` returned for these games.
        pairs: `[Q, 2]`.
        counts: `[Q, 3]`.
        zero: agent whose rating is 0.
        generator: source of randomness.
        num_resamples: R, at least 1.

    Returns:
        `[R, M]` ratings in Elo points.

    Raises:
        ValueError: if no resample is asked for.
    """
    if num_resamples < 1:
        raise ValueError(f"num_resamples must be at least 1, got {num_resamples}")
    counts = np.asarray(counts, np.int64).reshape(-1, 3)
    totals = counts.sum(axis=1)
    shares = np.where(totals[:, None] > 0, counts / np.maximum(totals, 1)[:, None], 1.0 / 3.0)
    drawn = generator.multinomial(totals, shares, size=(num_resamples, len(totals)))
    return bradley_terry(score_matrix(len(fit.ratings), pairs, drawn) + fit.prior, zero=zero)
