"""Checks the MOBA's options at the door, key by key: they are plain data, and may come from a command line."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_type_hints

from pydantic import create_model

from fullpool.drafting.formats import closest
from fullpool.strict import Settings

if TYPE_CHECKING:
    from fullpool.pipelines.game import GameSettings

Named = Callable[[str], AbstractContextManager[None]]
"""Puts the path of a key before what a check inside says."""


@cache
def options_class() -> type[Settings]:
    """What the game's constructor takes beside preset and number of matches, as a settings class."""
    from fullpool.games.moba.game import MobaGame

    kinds = get_type_hints(MobaGame.__init__)
    taken = inspect.signature(MobaGame).parameters.values()
    fields: dict[str, Any] = {p.name: (kinds[p.name], p.default) for p in taken if p.kind is p.KEYWORD_ONLY}
    made: type[Settings] = create_model("MobaOptions", __base__=Settings, **fields)
    return made


def check_options(game: GameSettings, named: Named) -> None:
    """Checks preset and options.

    Args:
        game: settings of a game that is the MOBA.
        named: puts a key's path before a complaint.

    Raises:
        ValueError: naming the key, what came and what is allowed.
    """
    from fullpool.games.moba.presets import Preset, load_preset

    options = game.options
    with named("game.preset"):
        load_preset(game.preset)
    rewards = options.get("rewards")
    if rewards is not None:
        with named("game.options.rewards"):
            _check_rewards(rewards)
    with named("game.options"):
        options_class().model_validate(options)
    with named("game.options.heroes_file"):
        _check_file(options.get("heroes_file"))
    overrides = dict(options.get("overrides") or {})
    with named("game.options.overrides"):
        for key in overrides:
            if key not in Preset.model_fields or key == "name":
                raise ValueError(f"there is no number {key!r}; {closest(str(key), Preset.model_fields)}")
        load_preset(game.preset, overrides)


def _check_rewards(rewards: Any) -> None:
    from fullpool.games.moba.game import DEFAULT_REWARDS
    from fullpool.games.moba.rewards import RewardSettings, load_rewards, reward_presets

    if not isinstance(rewards, Mapping):
        meant = (
            f"; did you mean game.options.rewards.preset={rewards}?" if rewards in reward_presets() else ""
        )
        raise ValueError(
            f"should map {', '.join(RewardSettings.model_fields)} to values (presets: {', '.join(reward_presets())}), "
            f"got {rewards!r}{meant}"
        )
    load_rewards(RewardSettings.model_validate({**DEFAULT_REWARDS, **rewards}))


def _check_file(name: str | Path | None) -> None:
    if name is not None and not Path(name).is_file():
        raise ValueError(
            f"no such file (seen from {Path.cwd()}), got {str(name)!r}; null: the game's own heroes"
        )
