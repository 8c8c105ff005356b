"""Settings of the matches stage."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

PART = "matches"
"""The stage's only part; its generations are chunks of matches."""


class MatchesSettings(BaseModel):
    """The matches stage; values live in conf/base/parameters_matches.yml."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    num_matches: int = Field(gt=0, description="matches in all")
    chunk_matches: int = Field(gt=0, description="matches that are played and saved together")

    @property
    def num_chunks(self) -> int:
        """Chunks in all; the last may be smaller."""
        return -(-self.num_matches // self.chunk_matches)

    def left(self, num_chunks: int) -> int:
        """Matches that are still to be played after so many chunks."""
        return max(self.num_matches - num_chunks * self.chunk_matches, 0)
