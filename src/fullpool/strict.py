"""What all settings have in common, in a module that imports nothing of the package."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Settings(BaseModel):
    """Base of all settings classes: never changed, no unknown keys, no number that is infinite or undefined."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)
