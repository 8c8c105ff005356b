"""Settings of predictor and drafting, and the names of the strategies.

Settings are loaded before anything runs, so nothing heavy is imported here.
"""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import Field, model_validator

from fullpool.drafting.formats import closest, load_format
from fullpool.strict import Settings

RANDOM, HIGHEST, MINIMAX, UCT_ROLLOUT, UCT_VALUE = (
    "random",
    "highest_win_rate",
    "minimax",
    "uct_rollout",
    "uct_value",
)
STRATEGIES = (RANDOM, HIGHEST, MINIMAX, UCT_ROLLOUT, UCT_VALUE)
"""Names of all strategies."""


def check_strategy(name: str) -> None:
    """Refuses an unknown name.

    Raises:
        ValueError: with close matches.
    """
    if name not in STRATEGIES:
        raise ValueError(f"no draft strategy {name!r}; {closest(name, STRATEGIES)}")


class MatchSplit(Settings):
    """How matches are parted.

    Attributes:
        order: `random`, or `time` (the last matches are the test set).
        validation: share that stops the training and calibrates, in (0, 1).
        test: share that is only looked at once, in (0, 1).
    """

    order: str
    validation: float
    test: float

    @model_validator(mode="after")
    def _shares(self) -> Self:
        if self.order not in ("random", "time"):
            raise ValueError(f"order must be 'random' or 'time', got {self.order!r}")
        if not (0 < self.validation < 1 and 0 < self.test < 1 and self.validation + self.test < 1):
            raise ValueError(
                f"validation and test must be shares in (0, 1) whose sum is below 1, got {self.validation}, {self.test}"
            )
        return self


class HeadStartSettings(Settings):
    """Imitation of the regression on pairs.

    Attributes:
        steps: optimizer steps; 0 starts from random weights.
        batch_size: made-up line-ups a step.
        learning_rate: highest rate of the one-cycle schedule.
    """

    steps: Annotated[int, Field(ge=0)]
    batch_size: Annotated[int, Field(gt=0)]
    learning_rate: Annotated[float, Field(gt=0, lt=1)]


class FitSettings(Settings):
    """Size and training of a three-layer perceptron.

    Attributes:
        hidden: units of the two hidden layers of a member.
        members: perceptrons whose outputs are averaged.
        learning_rate: of AdamW.
        weight_decay: of AdamW, on the weight matrices.
        dropout: share of hidden units dropped while training.
        batch_size: rows a step.
        max_epochs: passes over the training rows at most.
        patience: passes without a better validation loss before the training stops.
    """

    hidden: tuple[Annotated[int, Field(gt=0, le=4096)], Annotated[int, Field(gt=0, le=4096)]]
    members: Annotated[int, Field(gt=0, le=64)]
    learning_rate: Annotated[float, Field(gt=0, lt=1)]
    weight_decay: Annotated[float, Field(ge=0, le=100)]
    dropout: Annotated[float, Field(ge=0, lt=1)]
    batch_size: Annotated[int, Field(gt=0)]
    max_epochs: Annotated[int, Field(gt=0)]
    patience: Annotated[int, Field(gt=0)]


class WinrateSettings(Settings):
    """The win-rate stage; values live in conf/base/parameters_winrate.yml.

    Attributes:
        split: parts of the match table.
        head_start: imitation of a regression on pairs before the training.
        fit: size and training of the perceptron.
        side_offset: learn an advantage of team 1; false where the sides are equal.
        baseline_c: inverse regularisation strengths that the logistic regressions are tuned over, those of the
            head start and of the additive model too.
        baseline_folds: folds of the cross-validation that tunes them.
        boosting_iterations: trees of the gradient boosting at most.
        calibration_bins: bins of the calibration error and plot.
        num_resamples: resamples of the paired bootstrap.
        confidence: of its intervals.
    """

    split: MatchSplit
    head_start: HeadStartSettings
    fit: FitSettings
    side_offset: bool
    baseline_c: Annotated[tuple[Annotated[float, Field(gt=0)], ...], Field(min_length=1)]
    baseline_folds: Annotated[int, Field(ge=2, le=20)]
    boosting_iterations: Annotated[int, Field(gt=0)]
    calibration_bins: Annotated[int, Field(ge=2, le=100)]
    num_resamples: Annotated[int, Field(ge=100)]
    confidence: Annotated[float, Field(gt=0.5, lt=1)]


class SearchSettings(Settings):
    """A search for one pick.

    Attributes:
        simulations: leaves evaluated a pick, on top of those kept from earlier picks.
        leaves: leaves of one tree evaluated in one batch.
        exploration: factor of the confidence bound, for values in [0, 1].
        first_play: how far below its parent's value a child that was never tried is rated; -1 tries every child once
            before any is tried twice.
    """

    simulations: Annotated[int, Field(gt=0)]
    leaves: Annotated[int, Field(gt=0)]
    exploration: Annotated[float, Field(gt=0, le=10)]
    first_play: Annotated[float, Field(ge=-1, le=1)]


class SelfDraftSettings(Settings):
    """Drafts that the value network learns from.

    Attributes:
        search: the search that makes them; leaves are played to the end of the draft.
        num_drafts: drafts in all.
        chunk_drafts: drafts made side by side and saved together.
        random_share: chance that a step is a random legal hero, so that the network also knows odd drafts.
        temperature: the other steps are drawn with odds visits ** (1 / temperature); 0 takes the most visited.
    """

    search: SearchSettings
    num_drafts: Annotated[int, Field(gt=1)]
    chunk_drafts: Annotated[int, Field(gt=0)]
    random_share: Annotated[float, Field(ge=0, le=1)]
    temperature: Annotated[float, Field(ge=0, le=10)]

    @property
    def num_chunks(self) -> int:
        """Chunks in all; the last may be smaller."""
        return -(-self.num_drafts // self.chunk_drafts)


class TournamentSettings(Settings):
    """A draft tournament.

    Attributes:
        strategies: names of the strategies that meet.
        num_drafts: drafts a pair, half of them with either side acting first; even.
        batch_drafts: drafts that are played side by side.
        closed_heroes: heroes drawn for each situation that neither team may take; each situation is drafted from both
            sides. With 0, strategies that draw no lots repeat one draft.
        confidence: of the intervals.
    """

    strategies: Annotated[tuple[str, ...], Field(min_length=2)]
    num_drafts: Annotated[int, Field(gt=0, multiple_of=2)]
    batch_drafts: Annotated[int, Field(gt=0)]
    closed_heroes: Annotated[int, Field(ge=0)]
    confidence: Annotated[float, Field(gt=0.5, lt=1)]

    @model_validator(mode="after")
    def _known(self) -> Self:
        for name in self.strategies:
            check_strategy(name)
        if len(set(self.strategies)) != len(self.strategies):
            raise ValueError(
                f"every strategy may be named once, got {list(self.strategies)} of {list(STRATEGIES)}"
            )
        return self


class DraftingSettings(Settings):
    """The drafting stage; values live in conf/base/parameters_drafting.yml.

    Attributes:
        format: name of the draft format; its picks a team must equal the game's team size.
        bans: bans a side, for formats that leave it open; null for the others.
        self_drafts: drafts that the value network learns from.
        value: size and training of the value network.
        value_validation: share of the drafts that stops its training.
        rollout_search: search of strategy `uct_rollout`.
        value_search: search of strategy `uct_value`.
        prior_games: games at 0.5 added to each hero's record, for strategy `highest_win_rate`.
        tournament: who meets whom, and how often.
    """

    format: str
    bans: Annotated[int, Field(ge=0)] | None
    self_drafts: SelfDraftSettings
    value: FitSettings
    value_validation: Annotated[float, Field(gt=0, lt=1)]
    rollout_search: SearchSettings
    value_search: SearchSettings
    prior_games: Annotated[float, Field(ge=0)]
    tournament: TournamentSettings

    @model_validator(mode="after")
    def _known_format(self) -> Self:
        load_format(self.format, bans=self.bans)
        return self
