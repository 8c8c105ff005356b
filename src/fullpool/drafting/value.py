"""The value network: a draft under way in, the probability that the first team wins out.

A three-layer perceptron on the one-hot picks of both teams, with a default index for what is not picked yet and the
index of the team to act (Ye et al. 2020, arXiv 2011.12692, section 3.4 and appendix). Formats with bans add one-hots
of the banned heroes. It learns from line-ups that the search has drafted; every state of a draft is labelled by what
the win-rate predictor says of its end. House addition: the perceptron corrects the outlook by strengths alone
(`outlook.py`), because heroes whose values differ by a hundredth must be told apart.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from fullpool.drafting.files import load_folder, save_folder
from fullpool.drafting.fit import FitMetrics, FitState, fit
from fullpool.drafting.network import Indices, Mlp, MlpArrays, check_arrays, dense, mlp_outputs
from fullpool.drafting.outlook import CLIP, fit_strengths, outlook_logits, strongest_first
from fullpool.drafting.roles import Owners
from fullpool.drafting.settings import FitSettings
from fullpool.drafting.state import BANNED, CLOSED, FREE, DraftRules
from fullpool.games.contract import Floats, Shorts
from fullpool.numerics.kernels import kernel

KIND, FORMAT_VERSION = "draft_value", 2


@dataclass(frozen=True, eq=False)
class DraftSamples:
    """Finished drafts to learn from.

    Attributes:
        histories: `[n, S]` hero ids in the order of the steps.
        values: `[n]` probability that the first team wins at the end.
    """

    histories: NDArray[np.int16]
    values: Floats

    def __len__(self) -> int:
        return len(self.histories)


@dataclass(frozen=True, eq=False)
class ValueNetwork:
    """A trained value network for one format and pool.

    Attributes:
        rules: format and pool.
        arrays: the weights of the perceptron.
        provenance: settings and counts that it was trained with.
        strengths: `[H]` log-odds that each hero adds, for the outlook that the perceptron corrects; None: all zero.
    """

    rules: DraftRules
    arrays: MlpArrays
    provenance: dict[str, Any] = field(default_factory=dict)
    strengths: Floats | None = None

    @cached_property
    def order(self) -> NDArray[np.int16] | None:
        """Heroes by strength, the strongest first: the order in which a search tries them; None without strengths."""
        return None if self.strengths is None else strongest_first(self.strengths)

    def __call__(self, owners: Owners, steps: NDArray[np.int16]) -> Floats:
        """Rates drafts.

        Args:
            owners: `[B, H]` int8.
            steps: `[B]` steps taken.

        Returns:
            `[B]` probability that the first team wins.
        """
        rules = self.rules
        logits = mlp_outputs(value_indices(owners, steps, rules.team, rules.team_size), *self.arrays)
        if self.strengths is not None and self.order is not None:
            logits += outlook_logits(owners, steps, rules.team, rules.is_pick, self.strengths, self.order)
        return np.asarray(1 / (1 + np.exp(-logits)), np.float32)


class ValueProgress(NamedTuple):
    """One epoch of training: its row, the state to resume from, and the network once training is over."""

    metrics: FitMetrics
    state: FitState
    network: ValueNetwork | None


def num_value_inputs(num_heroes: int) -> int:
    """Inputs of the value network: picks of two teams with their default index, team to act, bans."""
    return 3 * num_heroes + 4


@kernel
def value_indices(owners: Owners, steps: Shorts, team_of: Owners, team_size: int) -> Indices:
    """Lists the ones of drafts `[B, H]`: `[B, A]`, -1 is none.

    Inputs: picks of team 0 and its default index (once a missing pick), the same for team 1, the team to act (none
    when the draft is over), banned heroes. Closed heroes have none.
    """
    batch, num_heroes = owners.shape
    width = 2 * team_size + 1 + max(len(team_of) - 2 * team_size, 0)
    out = np.full((batch, width), -1, np.int32)
    for row in range(batch):
        used, picks = 0, np.zeros(2, np.int64)
        for hero in range(num_heroes):
            owner = owners[row, hero]
            if owner in (FREE, CLOSED):
                continue
            if owner == BANNED:
                out[row, used] = 2 * num_heroes + 4 + hero
            else:
                out[row, used] = (owner - 1) * (num_heroes + 1) + hero
                picks[owner - 1] += 1
            used += 1
        for team in range(2):
            for _ in range(team_size - picks[team]):
                out[row, used] = team * (num_heroes + 1) + num_heroes
                used += 1
        if steps[row] < len(team_of):
            out[row, used] = 2 * num_heroes + 2 + team_of[steps[row]]
    return out


class _States(NamedTuple):
    """States of drafts: their ones, the outlook on them in log-odds, and their labels."""

    indices: Indices
    outlook: torch.Tensor
    labels: torch.Tensor


def _owners_after(samples: DraftSamples, rules: DraftRules, rows: NDArray[np.int64]) -> Iterator[Owners]:
    """`[n, H]` owners of some drafts before the first step, and after each."""
    owners = np.zeros((len(rows), rules.num_heroes), np.int8)
    yield owners.copy()
    for step in range(rules.num_steps):
        owner = rules.team[step] + 1 if rules.is_pick[step] else 3
        owners[np.arange(len(rows)), samples.histories[rows, step]] = owner
        yield owners.copy()


def _states(samples: DraftSamples, rules: DraftRules, rows: NDArray[np.int64], strengths: Floats) -> _States:
    """All states of some drafts, the empty one included and the finished one too."""
    order = strongest_first(strengths)
    indices, outlooks = [], []
    for step, owners in enumerate(_owners_after(samples, rules, rows)):
        steps = np.full(len(rows), step, np.int16)
        indices.append(value_indices(owners, steps, rules.team, rules.team_size))
        outlooks.append(outlook_logits(owners, steps, rules.team, rules.is_pick, strengths, order))
    p = np.clip(samples.values[rows], CLIP, 1 - CLIP)
    # The last outlook is on the end itself. What strengths leave open there is expected on the way to it too; how well
    # the rest of the draft was played by strengths is not: the outlook knows that without noise.
    beyond = np.log(p / (1 - p)) - outlooks[-1]
    labels = 1 / (1 + np.exp(-(np.stack(outlooks) + beyond))).astype(np.float32)
    outlook, targets = np.concatenate(outlooks), labels.reshape(-1)
    return _States(np.concatenate(indices), torch.from_numpy(outlook), torch.from_numpy(targets))


def train_value(
    samples: DraftSamples,
    rules: DraftRules,
    settings: FitSettings,
    *,
    validation: float,
    seed: int,
    resume: FitState | None = None,
) -> Iterator[ValueProgress]:
    """Trains a value network; yields after each epoch, last with the network.

    Args:
        samples: drafts made by the search, with the predictor's view of their ends.
        rules: format and pool.
        settings: size and training.
        validation: share of the drafts that stops the training, in (0, 1).
        seed: of weights, order and dropout.
        resume: state to go on from.

    Yields:
        Progress; the last one holds the network.

    Raises:
        ValueError: if the share leaves no draft on either side.
    """
    num_valid = num_validation(len(samples), validation)
    order = np.random.default_rng(seed).permutation(len(samples))
    num_inputs = num_value_inputs(rules.num_heroes)
    *_, ends = _owners_after(samples, rules, order[num_valid:])
    strengths = fit_strengths(ends, samples.values[order[num_valid:]])
    train, held = (
        _states(samples, rules, rows, strengths) for rows in (order[num_valid:], order[:num_valid])
    )
    held_inputs = dense(held.indices, num_inputs)
    net = Mlp(num_inputs, settings.hidden, settings.members, torch.Generator().manual_seed(seed))
    # The outlook is where it starts; random corrections would only have to be unlearnt.
    net.w3.data.zero_()
    offset = torch.nn.Parameter(torch.zeros(()))
    cross_entropy = torch.nn.functional.binary_cross_entropy_with_logits

    def batch_loss(rows: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
        correction = net(dense(train.indices[rows.numpy()], num_inputs), settings.dropout, generator)
        logits = correction + (train.outlook[rows] + offset)
        return cross_entropy(logits, train.labels[rows].expand_as(logits), reduction="none").mean(1).sum()

    def valid_loss() -> float:
        return float(cross_entropy(net(held_inputs).mean(0) + held.outlook + offset, held.labels))

    state = resume
    arguments: dict[str, Any] = {
        "num_rows": len(train.labels),
        "settings": settings,
        "seed": seed,
        "resume": resume,
        "title": "the value network",
    }
    for state in fit(net, offset, batch_loss, valid_loss, **arguments):
        if not state.finished:
            yield ValueProgress(state.metrics, state, None)
    if state is not None:
        provenance = {"settings": settings.model_dump(mode="json"), "drafts": len(samples), "seed": seed}
        arrays = _with_offset(net.arrays(), float(offset.detach()), rules)
        network = ValueNetwork(rules, arrays, provenance, strengths)
        yield ValueProgress(state.metrics, state, network)


def num_validation(num_drafts: int, share: float) -> int:
    """Counts the drafts that stop the training.

    Args:
        num_drafts: in all.
        share: of them, in (0, 1).

    Returns:
        Their number, at least 1.

    Raises:
        ValueError: if no draft is left on either side.
    """
    number = round(num_drafts * share)
    if not 0 < number < num_drafts:
        raise ValueError(f"a validation share of {share} of {num_drafts} drafts leaves one side empty")
    return number


def _with_offset(arrays: MlpArrays, offset: float, rules: DraftRules) -> MlpArrays:
    """Folds the offset into the linear path: every state has exactly P ones of team 0, its default index included."""
    linear = arrays.linear.copy()
    linear[: rules.num_heroes + 1] += np.float32(offset / rules.team_size)
    return arrays._replace(linear=linear)


def save_value(path: Path, network: ValueNetwork) -> None:
    """Writes a value network as safetensors and JSON into a folder."""
    meta = {
        "kind": KIND,
        "format_version": FORMAT_VERSION,
        "heroes": list(network.rules.heroes),
        "draft_format": network.rules.format.model_dump(mode="json"),
        "provenance": network.provenance,
    }
    none = np.zeros(network.rules.num_heroes, np.float32)
    strengths = none if network.strengths is None else network.strengths
    save_folder(path, {**network.arrays._asdict(), "strengths": strengths}, meta)


def load_value(path: Path, rules: DraftRules) -> ValueNetwork:
    """Reads a value network.

    Args:
        path: its folder.
        rules: format and pool that it must fit.

    Returns:
        The network.

    Raises:
        ValueError: if it is absent, damaged, or of another pool or format.
    """
    arrays, meta = load_folder(path, KIND, FORMAT_VERSION)
    if tuple(meta["heroes"]) != rules.heroes:
        raise ValueError(
            f"{path}: trained on another pool ({len(meta['heroes'])} heroes); train it again for this one"
        )
    if meta["draft_format"]["steps"] != rules.format.model_dump(mode="json")["steps"]:
        raise ValueError(
            f"{path}: trained for format {meta['draft_format']['name']!r}, not {rules.format.name!r}; train it again"
        )
    weights = MlpArrays(*(arrays[name] for name in MlpArrays._fields))
    check_arrays(weights, num_value_inputs(rules.num_heroes), str(path))
    strengths = arrays["strengths"]
    if strengths.shape != (rules.num_heroes,) or not np.isfinite(strengths).all():
        raise ValueError(f"{path}: strengths must be {rules.num_heroes} finite numbers; the file is damaged")
    return ValueNetwork(rules, weights, meta["provenance"], strengths if strengths.any() else None)
