"""Settings of the drafting stage; each part is explained where it is used."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from fullpool.drafting.fit import FitSettings
from fullpool.drafting.formats import load_format
from fullpool.drafting.search import SearchSettings
from fullpool.drafting.selfdraft import SelfDraftSettings
from fullpool.drafting.tournament import TournamentSettings


class DraftingSettings(BaseModel):
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

    model_config = ConfigDict(frozen=True, extra="forbid")

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
