"""What is refused before anything runs: settings against the game and against each other."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from fullpool.curriculum import testing
from fullpool.curriculum.settings import LineupSettings
from fullpool.drafting.settings import DraftingSettings, WinrateSettings
from fullpool.games import registry
from fullpool.games.contract import BatchGame
from fullpool.games.testing import ToyGame
from fullpool.league.settings import EvaluationSettings
from fullpool.pipelines import doors
from fullpool.pipelines.game import GameSettings
from fullpool.pipelines.matches.settings import MatchesSettings

SEARCH = {"simulations": 4, "leaves": 1, "exploration": 0.1, "first_play": 0.0}
FIT = {
    "hidden": [4, 4], "members": 1, "learning_rate": 0.01, "weight_decay": 0.0, "dropout": 0.0, "batch_size": 8,
    "max_epochs": 1, "patience": 1,
}  # fmt: skip


def drafting(draft_format: str = "snake2", strategies: tuple[str, ...] = ("uct_value", "random")) -> Any:
    return DraftingSettings.model_validate(
        {
            "format": draft_format,
            "bans": None,
            "self_drafts": {
                "search": SEARCH,
                "num_drafts": 4,
                "chunk_drafts": 2,
                "random_share": 0,
                "temperature": 0,
            },
            "value": FIT,
            "value_validation": 0.5,
            "rollout_search": SEARCH,
            "value_search": SEARCH,
            "prior_games": 1,
            "tournament": {
                "strategies": strategies,
                "num_drafts": 2,
                "batch_drafts": 1,
                "closed_heroes": 0,
                "confidence": 0.9,
            },
        }
    )


def parameters(**changes: Any) -> dict[str, Any]:
    """Settings of a run on the toy game that are in order."""
    return {
        "seed": 1,
        "game": GameSettings(name="toy", preset="small", options={}),
        "teachers": testing.teacher_settings(),
        "student": testing.student_settings(),
        "merged": testing.merged_settings(),
        "baseline": testing.baseline_settings(),
        "drafting": drafting(),
        **changes,
    }


@pytest.fixture(autouse=True)
def toy(monkeypatch: pytest.MonkeyPatch) -> None:
    """The toy game under its name."""

    def make(preset: str, num_games: int, options: Mapping[str, Any]) -> BatchGame:
        return ToyGame(num_games)

    monkeypatch.setattr(registry, "_FACTORIES", {**registry._FACTORIES, "toy": make})


def test_settings_in_order_pass() -> None:
    doors.check_run(parameters())
    doors.check_run({"seed": 3, "walk": {"stride": 2}})


SINGLE = {"network.value_heads": "single"}
TWO_DISCOUNTS = {"ppo.reward_heads.win.discount": 0.9}
BOTS = {"farmer": 0.1}


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"seed": -1}, "params:seed: a seed is a whole number from 0 to 2147483647, got -1"),
        ({"seed": "abc"}, "got 'abc'"),
        (
            {"game": GameSettings(name="toi", preset="small", options={})},
            "params:game: unknown game 'toi', expected one of ['moba', 'toy']; did you mean 'toy'?",
        ),
        (
            {"teachers": testing.teacher_settings(**{"league.bot_shares": {"randon": 0.2}})},
            "params:teachers.league.bot_shares: toy has no bot 'randon'; did you mean 'random'?",
        ),
        (
            {"merged": testing.merged_settings(**{"convergence.anchors": ["perfekt"]})},
            "params:merged.convergence.anchors: toy has no bot 'perfekt'; did you mean 'perfect'?",
        ),
        (
            {"teachers": testing.teacher_settings(imitation=testing.IMITATION | {"bot_shares": {"prfect": 1}})},
            "params:teachers.imitation.bot_shares: toy has no bot 'prfect'",
        ),
        (
            {"matches": MatchesSettings(num_matches=4, chunk_matches=2, bot_shares=BOTS)},
            "params:matches.bot_shares: toy has no bot 'farmer'; known: noop, perfect, random",
        ),
        (
            {
                "evaluation": EvaluationSettings(
                    num_games=2, side_games=2, num_lineups=1, batch_games=1, anchors=("farmer",),
                    num_resamples=1, confidence=0.9,
                )
            },
            "params:evaluation.anchors: toy has no bot 'farmer'",
        ),
        (
            {
                "lineups": LineupSettings(
                    bot="farmer", batch_games=1, num_threads=1, num_matches=1, regularization=1, role_weight=0,
                    search_restarts=1, search_steps=1, candidates=1, halving_games=1, confirm_games=1,
                    confidence=0.9,
                )
            },
            "params:lineups.bot: toy has no bot 'farmer'",
        ),
        (
            {"baseline": testing.baseline_settings(**{"ppo.reward_heads": {}})},
            "params:baseline.ppo.reward_heads: 'points' of game 'toy' is missing",
        ),
        (
            {"student": testing.student_settings(**SINGLE)},
            "params:student.network.value_heads: 'single', but the teachers have 'per_reward'",
        ),
        (
            {"baseline": testing.baseline_settings(**SINGLE, **TWO_DISCOUNTS)},
            "params:baseline.ppo.reward_heads: a single value head needs one discount, got",
        ),
        (
            {"student": testing.student_settings(**{"distillation.replay_agent_steps": 300, "rollout.window": 200})},
            "params:student.distillation.replay_agent_steps: must be at least 400, one window of a team, got 300",
        ),
        ({"drafting": drafting("juewu")}, "params:drafting: format 'juewu' picks 5 heroes a team, but teams of"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_named_with_its_key(changes: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError) as caught:
        doors.check_run(parameters(**changes))
    assert str(caught.value).startswith("params:")
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_format_that_takes_more_heroes_than_the_pool_holds_is_refused_at_the_start() -> None:
    settings = drafting().model_copy(update={"format": "hok_ranked", "bans": 16})
    game = GameSettings(name="moba", preset="blitz", options={})
    with pytest.raises(ValueError, match=r"takes 42 heroes .*, the pool holds 40"):
        doors.check_run({"seed": 1, "game": game, "drafting": settings})


def test_minimax_is_refused_where_a_draft_has_too_many_lines() -> None:
    doors.check_run(parameters(drafting=drafting(strategies=("minimax", "random"))))
    settings = drafting(strategies=("minimax", "random")).model_copy(update={"format": "juewu"})
    game = GameSettings(name="moba", preset="blitz", options={})
    with pytest.raises(
        ValueError, match=r"params:drafting\.tournament\.strategies: 'minimax' looks at every"
    ):
        doors.check_run({"seed": 1, "game": game, "drafting": settings})


SPLIT = {"order": "random", "validation": 0.15, "test": 0.2}


def winrate(**split: Any) -> WinrateSettings:
    return WinrateSettings.model_validate(
        {
            "split": SPLIT | split,
            "head_start": {"steps": 0, "batch_size": 1, "learning_rate": 0.1},
            "fit": FIT,
            "side_offset": False,
            "baseline_c": [1.0],
            "baseline_folds": 5,
            "boosting_iterations": 1,
            "calibration_bins": 5,
            "num_resamples": 100,
            "confidence": 0.9,
        }
    )


def matches(number: int) -> MatchesSettings:
    return MatchesSettings(num_matches=number, chunk_matches=10, bot_shares={})


def few_drafts(number: int) -> DraftingSettings:
    self_drafts = drafting().self_drafts.model_copy(update={"num_drafts": number})
    updated: DraftingSettings = drafting().model_copy(
        update={"self_drafts": self_drafts, "value_validation": 0.1}
    )
    return updated


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        (
            {"matches": matches(2), "winrate": winrate()},
            "params:matches.num_matches: 2 matches are too few to be parted into training, validation and test, which "
            "would get 2, 0 and 0",
        ),
        (
            {"matches": matches(20), "winrate": winrate()},
            "params:matches.num_matches: winrate needs at least 10 matches won by either team to learn from, but 20 "
            "leave 16 beside the test; give at least 50, more if some are drawn",
        ),
        (
            {"matches": matches(100), "winrate": winrate(order="time")},
            "params:winrate.split.order: a split by time needs the column start_time",
        ),
        (
            {"drafting": few_drafts(3)},
            "params:drafting.self_drafts.num_drafts: a validation share of 0.1 of 3 drafts leaves one side empty",
        ),
    ],
)
def test_sizes_that_a_later_stage_must_refuse_are_refused_at_the_start(
    changes: dict[str, Any], said: str
) -> None:
    with pytest.raises(ValueError) as caught:
        doors.check_run(parameters(**changes))
    assert str(caught.value).startswith(said)


def test_the_least_sizes_pass() -> None:
    doors.check_run(parameters(matches=matches(50), winrate=winrate(), drafting=few_drafts(6)))


def test_teachers_train_a_budget_for_each_group() -> None:
    values = parameters(merged=testing.merged_settings(budget_agent_steps=700))
    spec = doors.check_run(values)
    assert spec is not None
    budgets = doors.training_budgets(values, spec)
    assert budgets.keys() == {"teachers", "student", "merged", "baseline"}
    assert budgets["merged"] == 700
    num_teachers = -(-len(spec.heroes) // (2 * spec.team_size))
    assert num_teachers > 1
    assert budgets["teachers"] == num_teachers * testing.teacher_settings().budget_agent_steps
    assert doors.check_run({"seed": 1, "walk": {"stride": 2}}) is None
    assert doors.training_budgets(values, None) == {}


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (
            {"rewards": "paper"},
            "params:game.options.rewards: should map preset, team_spirit, decay, decay_seconds, items to values "
            "(presets: paper, sim, laptop), got 'paper'; did you mean game.options.rewards.preset=paper?",
        ),
        ({"rewards": {"preset": "papr"}}, "params:game.options.rewards: unknown reward preset 'papr'; expected"),
        (
            {"rewards": {"itms": {}}},
            "params:game.options.rewards.itms: there is no such setting, got {}; did you mean 'items'?",
        ),
        (
            {"rewards": {"items": {"gld": 1.0}}},
            "params:game.options.rewards: unknown reward item 'gld'; expected one of",
        ),
        (
            {"rewards": {"items": {"gold": "much"}}},
            "params:game.options.rewards.items.gold: Input should be a valid number",
        ),
        (
            {"aim": "asist"},
            "params:game.options.aim: Input should be 'manual' or 'assist', got 'asist'; did you mean 'assist'?",
        ),
        (
            {"ami": "assist"},
            "params:game.options.ami: there is no such setting, got 'assist'; did you mean 'aim'?",
        ),
        ({"image": "perhaps"}, "params:game.options.image: Input should be a valid boolean"),
        ({"overrides": "cap"}, "params:game.options.overrides: should be a section of keys"),
        ({"overrides": {"crystal_h": 1}}, "params:game.options.overrides: there is no number 'crystal_h'; did you"),
        ({"overrides": {"cap": 0}}, "params:game.options.overrides: moba preset blitz: cap: Input should be greater"),
        ({"heroes_file": "gone.yaml"}, "params:game.options.heroes_file: no such file (seen from "),
    ],
)  # fmt: skip
def test_options_of_the_moba_are_named_key_by_key(options: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError) as caught:
        doors.check_run({"seed": 1, "game": GameSettings(name="moba", preset="blitz", options=options)})
    assert str(caught.value).startswith(said)
    assert "\n" not in str(caught.value)


def test_a_preset_of_the_moba_comes_with_the_closest() -> None:
    with pytest.raises(ValueError, match=r"params:game\.preset: unknown moba preset 'blits'; .*mean 'blitz'"):
        doors.check_run({"seed": 1, "game": GameSettings(name="moba", preset="blits", options={})})


@pytest.mark.parametrize("error", [AttributeError("no attribute 'items'"), KeyError("items")])
def test_a_game_that_stumbles_over_its_options_is_told_with_them(
    monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def stumble(preset: str, num_games: int, options: Mapping[str, Any]) -> BatchGame:
        raise error

    monkeypatch.setattr(registry, "_FACTORIES", {"toy": stumble})
    game = GameSettings(name="toy", preset="small", options={"heads": "none"})
    with pytest.raises(ValueError, match=r"params:game\.options: toy cannot use \{'heads': 'none'\} \("):
        doors.check_run({"seed": 1, "game": game})


def test_environments_and_names_come_with_the_closest(tmp_path: Path) -> None:
    for name in ("base", "smoke"):
        (tmp_path / name).mkdir()
    doors.check_environment(tmp_path, "smoke")
    with pytest.raises(ValueError, match=r"no environment 'smok' in .*did you mean 'smoke'"):
        doors.check_environment(tmp_path, "smok")
    doors.check_names(["seed"], {"seed", "game"})
    with pytest.raises(ValueError, match="unknown parameter 'sed'; did you mean 'seed'"):
        doors.check_names(["seed", "sed"], {"seed", "game"})
