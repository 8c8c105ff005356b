"""The drafting stage on the toy game: cut after every generation it ends with the same drafts, weights and games."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch

from fullpool.curriculum import testing
from fullpool.datasets import Generation
from fullpool.drafting.network import Mlp
from fullpool.drafting.predictor import WinRatePredictor
from fullpool.drafting.settings import DraftingSettings
from fullpool.drafting.value import load_value
from fullpool.networks.actor_critic import ActorCritic
from fullpool.networks.settings import NetworkSettings
from fullpool.pipelines import fitting
from fullpool.pipelines.drafting.reporting import report
from fullpool.pipelines.drafting.results import load_results, load_samples
from fullpool.pipelines.drafting.work import DraftWork, agent_play, draft_rules
from fullpool.pipelines.game import PlayingSettings

SPEC = testing.SPEC
SEARCH = {"simulations": 8, "leaves": 2, "exploration": 0.1, "first_play": 0.0}
VALUES: dict[str, Any] = {
    "format": "snake2",
    "bans": None,
    "self_drafts": {
        "search": SEARCH, "num_drafts": 12, "chunk_drafts": 5, "random_share": 0.1, "temperature": 0.5,
    },
    "value": {
        "hidden": (4, 3), "members": 1, "learning_rate": 0.01, "weight_decay": 0.1, "dropout": 0.1,
        "batch_size": 16, "max_epochs": 2, "patience": 2,
    },
    "value_validation": 0.25,
    "rollout_search": SEARCH,
    "value_search": SEARCH,
    "prior_games": 5,
    "tournament": {
        "strategies": ("uct_value", "highest_win_rate", "random"), "num_drafts": 4, "batch_drafts": 2,
        "closed_heroes": 0, "confidence": 0.9,
    },
}  # fmt: skip


@pytest.fixture(scope="module")
def work() -> DraftWork:
    settings = DraftingSettings.model_validate(VALUES)
    members = Mlp(2 * len(SPEC.heroes), (4, 3), 1, torch.Generator().manual_seed(1))
    network = ActorCritic(SPEC, NetworkSettings.model_validate(testing.NETWORK), seed=1)
    network.requires_grad_(False)
    playing = PlayingSettings(batch_games=4, num_threads=1)
    return DraftWork(
        rules=draft_rules(SPEC, settings),
        predictor=WinRatePredictor(SPEC.heroes, 2, members.arrays(), 0.0, 1.0),
        win_rates=np.linspace(0.4, 0.6, len(SPEC.heroes)),
        play=agent_play(testing.make_setting(), network, playing),
        settings=settings,
        seed=3,
    )


def keep(generation: Generation, folder: Path, latest: dict[str, Path]) -> None:
    place = folder / f"{generation.part}@{generation.number:06d}"
    place.mkdir(parents=True)
    generation.save(place)
    latest[generation.part] = place


@pytest.fixture(scope="module")
def whole(work: DraftWork, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    latest: dict[str, Path] = {}
    folder = tmp_path_factory.mktemp("whole")
    for generation in work.run({}):
        keep(generation, folder, latest)
    return latest


def test_all_parts_come_to_their_ends(whole: dict[str, Path], recorder: Any) -> None:
    assert {part: folder.name for part, folder in whole.items()} == {
        "drafts": "drafts@000003",
        "value": "value@000002",
        "tournament": "tournament@000003",
    }
    samples, num_chunks = load_samples(whole["drafts"])
    assert (len(samples), num_chunks) == (12, 3)
    table = pd.read_csv(whole["tournament"] / "tournament.csv")
    assert len(table) == 6
    assert table["played"].between(0, 1).all()
    example = pd.read_csv(whole["tournament"] / "example_draft.csv")
    assert list(example["strategy"]) == ["uct_value", "highest_win_rate", "highest_win_rate", "uct_value"]
    assert example["hero"].nunique() == 4
    report(whole)
    assert recorder.figures == ["tournament"]
    assert recorder.artifacts == ["tournament.csv", "example_draft.csv", "value"]


def test_cut_after_every_generation_it_ends_the_same(
    work: DraftWork, whole: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fitting, "SAVE_PERIOD_S", 0.0)
    latest: dict[str, Path] = {}
    for _ in range(100):
        generation = next(work.run(latest), None)
        if generation is None:
            break
        keep(generation, tmp_path, latest)
    assert {part: folder.name for part, folder in latest.items()} == {
        part: folder.name for part, folder in whole.items()
    }
    own, expected = (load_samples(parts["drafts"])[0] for parts in (latest, whole))
    assert np.array_equal(own.histories, expected.histories)
    networks = [load_value(parts["value"] / "value", work.rules).arrays for parts in (latest, whole)]
    assert all(np.array_equal(a, b) for a, b in zip(*networks))
    for mine, other in zip(
        load_results(latest["tournament"]), load_results(whole["tournament"]), strict=True
    ):
        assert np.array_equal(mine.lineups, other.lineups)
        assert mine.points is not None
        assert other.points is not None
        assert np.array_equal(mine.points, other.points)
        assert np.array_equal(mine.predicted, other.predicted)


def test_a_pairs_figures_are_named_from_its_first_strategys_side(
    work: DraftWork, whole: dict[str, Path]
) -> None:
    last = list(work.run({part: whole[part] for part in ("drafts", "value")}))[-1]
    (win_rates, seconds) = last.rows
    assert (win_rates.step, seconds.step) == (0, last.number)
    first = load_results(whole["tournament"])[-1]
    assert first.points is not None
    assert win_rates.values["played_highest_win_rate_vs_random"] == pytest.approx(first.points.mean())
    assert "predicted_highest_win_rate_vs_random_low" in win_rates.values
    assert seconds.values.keys() == {"seconds_per_pick_highest_win_rate", "seconds_per_pick_random"}


def test_games_swap_sides_and_points_are_the_first_teams(work: DraftWork) -> None:
    """The agent is the same on both sides, so a line-up and its mirror share about the same points."""
    lineups = np.tile(np.array([[[0, 1], [2, 3]]], np.int16), (200, 1, 1))
    points = work.play(lineups)
    assert points.shape == (200,)
    assert set(points.tolist()) <= {0.0, 0.5, 1.0}
    assert np.array_equal(points, work.play(lineups))
    assert 0.3 < points.mean() < 0.7


def test_a_format_of_another_team_size_or_a_larger_pool_is_refused(work: DraftWork) -> None:
    with pytest.raises(ValueError, match="format 'juewu' picks 5 heroes a team, but teams of toy"):
        draft_rules(SPEC, work.settings.model_copy(update={"format": "juewu"}))
    few = replace(SPEC, heroes=SPEC.heroes[:3], roles=SPEC.roles[:3])
    with pytest.raises(ValueError, match="takes 4 heroes"):
        draft_rules(few, work.settings)
