"""Two stages as a room of the library would write them: generators that know neither Kedro nor MLflow."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from pydantic import Field

from fullpool.strict import Settings


class WalkSettings(Settings):
    """Knobs of the walk."""

    num_generations: int = Field(gt=0, description="generations until it is finished")
    stride: float = Field(gt=0, lt=100, description="standard deviation of a step")
    pause_s: float = Field(ge=0, description="seconds of work a generation")


@dataclass(frozen=True)
class Row:
    """One metrics row."""

    step: int
    values: dict[str, float]


@dataclass(frozen=True)
class Walked:
    """One generation of the walk."""

    number: int
    position: float
    random_state: dict[str, object]
    rows: tuple[Row, ...]
    part: str = "walk"

    def save(self, folder: Path) -> None:
        """Writes position and random state."""
        state = {"number": self.number, "position": self.position, "random_state": self.random_state}
        (folder / "state.json").write_text(json.dumps(state))


def walk(settings: WalkSettings, seed: int, latest: Mapping[str, Path]) -> Iterator[Walked]:
    """Walks at random, from the start or from the latest generation."""
    generator, number, position = np.random.default_rng(seed), 0, 0.0
    if latest:
        state = json.loads((latest["walk"] / "state.json").read_text())
        number, position = state["number"], state["position"]
        generator.bit_generator.state = state["random_state"]
    while number < settings.num_generations:
        time.sleep(settings.pause_s)
        rows: list[Row] = []
        for _ in range(3):
            position += float(generator.normal(0, settings.stride))
            rows.append(Row(3 * number + len(rows), {"position": position, "distance": abs(position)}))
        number += 1
        yield Walked(number, position, dict(generator.bit_generator.state), tuple(rows))


@dataclass(frozen=True)
class Total:
    """The only generation of the second stage."""

    total: float
    part: str = "total"
    number: int = 1

    @property
    def rows(self) -> tuple[Row, ...]:
        """One row."""
        return (Row(0, {"total": self.total}),)

    def save(self, folder: Path) -> None:
        """Writes the sum."""
        (folder / "total.json").write_text(json.dumps(self.total))
