from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from fullpool.drafting.settings import DraftingSettings

SEARCH = {"simulations": 10, "leaves": 2, "exploration": 0.1, "first_play": 0.0}
FIT = {
    "hidden": [8, 4], "members": 1, "learning_rate": 0.001, "weight_decay": 0.1, "dropout": 0.0,
    "batch_size": 64, "max_epochs": 2, "patience": 1,
}  # fmt: skip
VALUES: dict[str, Any] = {
    "format": "juewu",
    "bans": None,
    "self_drafts": {
        "search": SEARCH,
        "num_drafts": 10,
        "chunk_drafts": 5,
        "random_share": 0.1,
        "temperature": 0.5,
    },
    "value": FIT,
    "value_validation": 0.2,
    "rollout_search": SEARCH,
    "value_search": SEARCH,
    "prior_games": 20,
    "tournament": {
        "strategies": ["random", "uct_value"],
        "num_drafts": 4,
        "batch_drafts": 2,
        "closed_heroes": 0,
        "confidence": 0.95,
    },
}


def test_plain_values_are_accepted_and_have_no_defaults() -> None:
    assert DraftingSettings.model_validate(VALUES).tournament.strategies == ("random", "uct_value")
    for name in VALUES:
        with pytest.raises(ValidationError, match="Field required"):
            DraftingSettings.model_validate({k: v for k, v in VALUES.items() if k != name})


def test_misspelt_and_unknown_values_are_named() -> None:
    with pytest.raises(ValidationError, match="Extra inputs"):
        DraftingSettings.model_validate({**VALUES, "formt": "juewu"})
    with pytest.raises(ValidationError, match="did you mean 'juewu'"):
        DraftingSettings.model_validate({**VALUES, "format": "juwu"})
    with pytest.raises(ValidationError, match="give bans="):
        DraftingSettings.model_validate({**VALUES, "format": "hok_ranked"})
    with pytest.raises(ValidationError, match="greater than 0"):
        DraftingSettings.model_validate({**VALUES, "value_search": {**SEARCH, "simulations": 0}})
