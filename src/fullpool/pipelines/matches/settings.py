"""Settings of the matches stage."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import Field, model_validator

from fullpool.strict import Settings

PART = "matches"
"""The stage's only part; its generations are chunks of matches."""


class MatchesSettings(Settings):
    """The matches stage; values live in conf/base/parameters_matches.yml."""

    num_matches: int = Field(gt=0, description="matches in all")
    chunk_matches: int = Field(gt=0, description="matches that are played and saved together")
    bot_shares: dict[str, Annotated[float, Field(ge=0, le=1)]] = Field(
        description="share of matches that a scripted bot plays against itself instead, by its name; for agents that "
        "have learnt too little to decide matches"
    )

    @model_validator(mode="after")
    def _shares_fit(self) -> Self:
        total = sum(self.bot_shares.values())
        if total > 1 + 1e-9:
            raise ValueError(f"bot_shares must sum to at most 1, got {total:.3f}; the agent gets the rest")
        return self

    @property
    def num_chunks(self) -> int:
        """Chunks in all; the last may be smaller."""
        return -(-self.num_matches // self.chunk_matches)

    def left(self, num_chunks: int) -> int:
        """Matches that are still to be played after so many chunks."""
        return max(self.num_matches - num_chunks * self.chunk_matches, 0)
