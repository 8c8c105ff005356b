"""What tests of learning share."""

from __future__ import annotations

import pytest

from fullpool.games.contract import GameSpec
from fullpool.games.testing import toy_spec


@pytest.fixture
def spec() -> GameSpec:
    """The small toy game."""
    return toy_spec()
