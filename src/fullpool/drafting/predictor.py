"""The win-rate predictor: two line-ups in, the probability that the first one wins out.

A three-layer perceptron on the one-hots of both teams (Ye et al. 2020, arXiv 2011.12692, section 3.4), made
antisymmetric: `logit = f(A, B) - f(B, A) + side offset`, so that swapping the teams gives `1 - p` when the sides are
equal. A temperature fitted on the validation matches calibrates it. Where it is not clearly better on them than
strengths alone, only its linear path is left (`additive.py`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from fullpool.drafting.additive import Weights, choose
from fullpool.drafting.files import load_folder, save_folder
from fullpool.drafting.fit import FitMetrics, FitState, fit
from fullpool.drafting.formats import closest
from fullpool.drafting.network import Indices, Mlp, MlpArrays, check_arrays, dense, mlp_outputs, pair_indices
from fullpool.drafting.records import MatchTable
from fullpool.drafting.roles import Owners
from fullpool.drafting.settings import WinrateSettings
from fullpool.drafting.teacher import imitate_pairs
from fullpool.games.contract import Floats
from fullpool.numerics.kernels import kernel

KIND, FORMAT_VERSION = "win_rate_predictor", 1


@dataclass(frozen=True, eq=False)
class WinRatePredictor:
    """A trained predictor.

    Attributes:
        heroes: names of the pool; ids are indices into it.
        team_size: heroes a team, P.
        arrays: the weights.
        offset: logit advantage of team 1 before the temperature; 0 where the sides are equal.
        temperature: divides the logit.
        provenance: settings and counts that it was trained with.
    """

    heroes: tuple[str, ...]
    team_size: int
    arrays: MlpArrays
    offset: float
    temperature: float
    provenance: dict[str, Any] = field(default_factory=dict)

    def logits(self, lineups: NDArray[Any]) -> Floats:
        """Computes calibrated log-odds of team 1.

        Args:
            lineups: `[n, 2, P]` hero ids.

        Returns:
            `[n]` float32.

        Raises:
            ValueError: if the shape or a hero id does not fit the pool.
        """
        lineups = np.asarray(lineups)
        if lineups.ndim != 3 or lineups.shape[1:] != (2, self.team_size):
            raise ValueError(f"line-ups must have shape [n, 2, {self.team_size}], got {lineups.shape}")
        if lineups.size and not 0 <= lineups.min() <= lineups.max() < len(self.heroes):
            raise ValueError(
                f"hero ids must lie in [0, {len(self.heroes)}), got {lineups.min()} to {lineups.max()}"
            )
        return self._scaled(pair_indices(lineups, len(self.heroes)), self.offset)

    def predict(self, lineups: NDArray[Any]) -> Floats:
        """Predicts `[n]` probabilities that team 1 wins; see `logits`."""
        return _sigmoid(self.logits(lineups))

    def predict_owners(self, owners: Owners) -> Floats:
        """Predicts for drafts that are over, without side offset: who acts first need not be team 1.

        Args:
            owners: `[B, H]` int8 of finished drafts.

        Returns:
            `[B]` probability that the team that acted first wins.
        """
        return _sigmoid(self._scaled(owner_indices(owners, self.team_size), 0.0))

    def _scaled(self, indices: Indices, offset: float) -> Floats:
        half = len(indices) // 2
        outputs = mlp_outputs(indices, *self.arrays)
        return np.asarray(
            (outputs[:half] - outputs[half:] + np.float32(offset)) / np.float32(self.temperature)
        )

    def check_pool(self, heroes: tuple[str, ...]) -> None:
        """Refuses another pool.

        Raises:
            ValueError: naming the first difference.
        """
        if self.heroes == tuple(heroes):
            return
        for name in heroes:
            if name not in self.heroes:
                raise ValueError(f"the predictor does not know hero {name!r}; {closest(name, self.heroes)}")
        raise ValueError(
            f"the predictor's pool has {len(self.heroes)} heroes, this one {len(heroes)}, or the order differs"
        )


class WinrateProgress(NamedTuple):
    """One epoch of training: its row, the state to resume from, and the predictor once training is over."""

    metrics: FitMetrics
    state: FitState
    predictor: WinRatePredictor | None


def _sigmoid(logits: Floats) -> Floats:
    return (1 / (1 + np.exp(-logits))).astype(np.float32)


@kernel
def owner_indices(owners: Owners, team_size: int) -> Indices:
    """Lists the ones of finished drafts `[B, H]`: `[2B, 2P]`, the second half with the teams swapped."""
    batch, num_heroes = owners.shape
    out = np.full((2 * batch, 2 * team_size), -1, np.int32)
    for row in range(batch):
        first, second = 0, 0
        for hero in range(num_heroes):
            if owners[row, hero] == 1:
                out[row, first] = hero
                out[batch + row, team_size + first] = hero + num_heroes
                first += 1
            elif owners[row, hero] == 2:
                out[row, team_size + second] = hero + num_heroes
                out[batch + row, second] = hero
                second += 1
    return out


def train_predictor(
    matches: MatchTable,
    train: NDArray[np.int64],
    validation: NDArray[np.int64],
    settings: WinrateSettings,
    *,
    seed: int,
    resume: FitState | None = None,
) -> Iterator[WinrateProgress]:
    """Trains a predictor; yields after each epoch, last with the predictor.

    Args:
        matches: checked match records.
        train: rows to train on.
        validation: rows that stop the training and fit the temperature.
        settings: the stage's settings.
        seed: of weights, order and dropout.
        resume: state to go on from.

    Yields:
        Progress; the last one holds the calibrated predictor.
    """
    num_heroes, num_inputs = len(matches.heroes), 2 * len(matches.heroes)
    net = Mlp(num_inputs, settings.fit.hidden, settings.fit.members, torch.Generator().manual_seed(seed))
    offset = torch.nn.Parameter(torch.zeros(()), requires_grad=settings.side_offset)
    wins = torch.from_numpy(matches.team1_win[train].astype(np.float32))
    inputs = dense(pair_indices(matches.lineups[train], num_heroes), num_inputs)
    valid_inputs = dense(pair_indices(matches.lineups[validation], num_heroes), num_inputs)
    valid_wins = torch.from_numpy(matches.team1_win[validation].astype(np.float32))
    cross_entropy = torch.nn.functional.binary_cross_entropy_with_logits

    if resume is None and settings.head_start.steps > 0:
        knobs: dict[str, Any] = {
            "strengths": settings.baseline_c,
            "side_offset": settings.side_offset,
            "seed": seed,
        }
        advantage = imitate_pairs(net, matches, train, validation, settings.head_start, **knobs)
        offset.data.fill_(advantage)

    def batch_loss(rows: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
        both = net(inputs[torch.cat([rows, rows + len(train)])], settings.fit.dropout, generator)
        logits = both[:, : len(rows)] - both[:, len(rows) :] + offset
        return cross_entropy(logits, wins[rows].expand_as(logits), reduction="none").mean(1).sum()

    def valid_logits() -> torch.Tensor:
        mean = net(valid_inputs).mean(0)
        logits: torch.Tensor = mean[: len(validation)] - mean[len(validation) :] + offset
        return logits

    def valid_loss() -> float:
        return float(cross_entropy(valid_logits(), valid_wins))

    def finish() -> WinRatePredictor:
        with torch.no_grad():
            logits = valid_logits().numpy()
        trained = Weights(net.arrays(), float(offset.detach()), 1.0)
        weights, facts = choose(
            matches,
            train,
            validation,
            trained,
            logits,
            strengths=settings.baseline_c,
            num_folds=settings.baseline_folds,
            side_offset=settings.side_offset,
            seed=seed,
        )
        counts = {"train_matches": len(train), "validation_matches": len(validation), "seed": seed}
        provenance = {"settings": settings.model_dump(mode="json"), **counts, **facts}
        return WinRatePredictor(matches.heroes, matches.lineups.shape[2], *weights, provenance)

    state = resume
    arguments: dict[str, Any] = {
        "num_rows": len(train),
        "settings": settings.fit,
        "seed": seed,
        "resume": resume,
        "title": "the win-rate predictor",
    }
    for state in fit(net, offset, batch_loss, valid_loss, **arguments):
        if not state.finished:
            yield WinrateProgress(state.metrics, state, None)
    # The loop above has put the best weights back only now.
    if state is not None:
        yield WinrateProgress(state.metrics, state, finish())


def save_predictor(path: Path, predictor: WinRatePredictor) -> None:
    """Writes a predictor as safetensors and JSON into a folder."""
    meta = {
        "kind": KIND,
        "format_version": FORMAT_VERSION,
        "heroes": list(predictor.heroes),
        "team_size": predictor.team_size,
        "offset": predictor.offset,
        "temperature": predictor.temperature,
        "provenance": predictor.provenance,
    }
    save_folder(path, predictor.arrays._asdict(), meta)


def load_predictor(path: Path, heroes: tuple[str, ...] | None = None) -> WinRatePredictor:
    """Reads a predictor.

    Args:
        path: its folder.
        heroes: pool that it must fit; None: any.

    Returns:
        The predictor.

    Raises:
        ValueError: if it is absent, damaged, or of another pool.
    """
    arrays, meta = load_folder(path, KIND, FORMAT_VERSION)
    weights = MlpArrays(*(arrays[name] for name in MlpArrays._fields))
    check_arrays(weights, 2 * len(meta["heroes"]), str(path))
    predictor = WinRatePredictor(
        tuple(meta["heroes"]),
        meta["team_size"],
        weights,
        meta["offset"],
        meta["temperature"],
        meta["provenance"],
    )
    if heroes is not None:
        predictor.check_pool(heroes)
    return predictor
