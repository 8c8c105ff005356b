"""Each check of a game turns red for the fault that it is there for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from fullpool.games.check import check_game
from fullpool.games.contract import RUNNING, BatchGame, BatchViews, Ints, StepResult
from fullpool.games.moba.game import MobaGame
from fullpool.games.moba.probes import scramble_hidden
from fullpool.games.testing import ToyGame, blitz_like_spec, toy_spec


def toy(**changes: Any) -> ToyGame:
    spec = toy_spec()
    return ToyGame(4, replace(spec, **changes))


def scramble(game: BatchGame, team: int, generator: np.random.Generator) -> None:
    assert isinstance(game, MobaGame)
    for n in range(game.num_games):
        game.f[n], game.k[n] = scramble_hidden(game.f[n], game.k[n], team, generator)


def turn_over(game: BatchGame) -> None:
    assert isinstance(game, MobaGame)
    game.mirror()


def test_the_toy_and_its_bigger_sister_pass() -> None:
    for game in (toy(), ToyGame(2, blitz_like_spec(max_decisions=30))):
        report = check_game(game)
        assert report.problems == ()
        assert report.passed
        assert report.agent_steps_per_s > 0


@pytest.mark.parametrize("preset", ["blitz", "mid3", "arena"])
@pytest.mark.parametrize("aim", ["manual", "assist"])
def test_every_registered_game_passes_with_mirror_and_hidden_state(preset: str, aim: str) -> None:
    game = MobaGame(preset, 2, aim=aim)  # type: ignore[arg-type]
    report = check_game(game, decisions=60, mirror=turn_over, disturb_hidden=scramble)
    assert report.problems == ()
    assert set(report.checks) >= {
        "play",
        "determinism",
        "saving",
        "illegal actions",
        "bots",
        "mirror",
        "hidden state",
    }


class _Faulty(ToyGame):
    """A toy whose views, steps or states are spoilt by a function."""

    def __init__(
        self,
        *,
        views: Callable[[BatchViews], None] | None = None,
        result: Callable[[StepResult, int], None] | None = None,
        **changes: Any,
    ) -> None:
        super().__init__(4, replace(toy_spec(), **changes))
        self.spoil_views, self.spoil_result, self.calls = views, result, 0

    def observe(self, views: BatchViews, *, bots: bool = False) -> None:
        super().observe(views, bots=bots)
        if self.spoil_views:
            self.spoil_views(views)

    def step(self, actions: Ints) -> StepResult:
        result = super().step(actions)
        self.calls += 1
        if self.spoil_result:
            self.spoil_result(result, self.calls)
        return result


def nan_view(views: BatchViews) -> None:
    views.observation[0, 0, 0, 0] = np.nan


def huge_view(views: BatchViews) -> None:
    views.critic[0] = 5000.0


def no_button(views: BatchViews) -> None:
    views.masks[1, 0, 1, :4] = 0


def no_target(views: BatchViews) -> None:
    views.masks[1, 0, 1, 4:16] = 0


def not_bits(views: BatchViews) -> None:
    views.masks[0, 0, 0, 0] = 3


def wrong_rows(views: BatchViews) -> None:
    views.target_rows[0, 0, 0, 0] = 99


def wrong_ids(views: BatchViews) -> None:
    views.hero_ids[0, 0, 0, 0] = 50


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (nan_view, "observation must be finite, got nan or inf at (0, 0, 0, 0)"),
        (huge_view, "critic should be scaled"),
        (no_button, "every agent needs a legal button, none for agent (1, 0, 1)"),
        (no_target, "button 2 is legal but head 'who' has no legal choice, for agent (1, 0, 1)"),
        (not_bits, "masks must hold 0 and 1, got 3"),
        (wrong_rows, "target_rows must lie in [-1,"),
        (wrong_ids, "hero_ids must lie in [-1,"),
    ],
)
def test_spoilt_views_are_found(spoil: Callable[[BatchViews], None], words: str) -> None:
    problems = check_game(_Faulty(views=spoil)).problems
    assert any(words in problem for problem in problems), problems
    assert all("\n" not in problem for problem in problems)


def unequal_reward(result: StepResult, calls: int) -> None:
    result.rewards[0, 0, 0, 0] += 0.5


def late_reward(result: StepResult, calls: int) -> None:
    result.rewards[:, :, :, 0] = 0.1


def by_chance(result: StepResult, calls: int) -> None:
    result.rewards[0, 0, 0, 0] = calls


def not_finite(result: StepResult, calls: int) -> None:
    result.rewards[0, 0, 0, 0] = np.inf


def ends_twice(result: StepResult, calls: int) -> None:
    result.terminated[:] = result.winner != -1


@pytest.mark.parametrize(
    ("spoil", "changes", "words"),
    [
        (unequal_reward, {"zero_sum": True}, "zero_sum is set but head 'points' sums to"),
        (late_reward, {}, "a finished match must pay nothing"),
        (by_chance, {}, "determinism: same seeds, line-ups and actions differ"),
        (by_chance, {}, "saving: a match goes on differently"),
        (not_finite, {}, "rewards must be finite"),
        (ends_twice, {}, "a match ended twice"),
        (None, {"max_decisions": 5}, "did not end within max_decisions"),
    ],
)
def test_spoilt_steps_are_found(
    spoil: Callable[[StepResult, int], None] | None, changes: dict[str, Any], words: str
) -> None:
    game = _Faulty(result=spoil, **changes)
    if "max_decisions" in changes:
        game._lengths = np.full(4, 100, np.int32)
        game.reset = lambda *_: None  # type: ignore[method-assign]
        game._winner[:] = -1
    problems = check_game(game).problems
    assert any(words in problem for problem in problems), problems


def other_button(result: StepResult, calls: int) -> None:
    result.actions[..., 0] = (result.actions[..., 0] + 1) % 4


def other_target(result: StepResult, calls: int) -> None:
    result.actions[1, 1, 0, 1] = (result.actions[1, 1, 0, 1] + 1) % 6


def no_choice(result: StepResult, calls: int) -> None:
    result.actions[2] = 77


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (
            other_button,
            "play: a legal action must be reported as it was given, head 'what' differs for agent (0, 0, 0)",
        ),
        (
            other_target,
            "play: a legal action must be reported as it was given, head 'who' differs for agent (1, 1, 0)",
        ),
        (
            no_choice,
            "play: reported actions must be choices of their head, got 77 of 4 for head 'what', agent (2, 0, 0)",
        ),
        (no_choice, "illegal actions: reported actions must be choices"),
        (no_choice, "bots: reported actions must be choices"),
    ],
)
def test_garbage_instead_of_the_actions_taken_is_found(
    spoil: Callable[[StepResult, int], None], words: str
) -> None:
    problems = check_game(_Faulty(result=spoil)).problems
    assert words in [problem[: len(words)] for problem in problems]


@pytest.mark.parametrize(
    ("form", "words"),
    [
        (lambda actions: actions[..., 0], "must be int32 (4, 2, 2, 3), got int32 (4, 2, 2)"),
        (lambda actions: actions.astype(np.int64), "must be int32 (4, 2, 2, 3), got int64 (4, 2, 2, 3)"),
    ],
)
def test_actions_of_another_form_are_found(form: Callable[[Ints], Ints], words: str) -> None:
    class Formed(ToyGame):
        def step(self, actions: Ints) -> StepResult:
            result = super().step(actions)
            return replace(result, actions=form(result.actions))

    problems = check_game(Formed(4, toy_spec())).problems
    assert problems == tuple(
        f"{name}: actions of a step {words}" for name in ("play", "illegal actions", "bots")
    )


def test_what_has_no_meaning_may_be_reported_anyhow() -> None:
    class Loose(ToyGame):
        """Reports anything for heads out of use, for matches that are over and for an agent that can do one thing."""

        def observe(self, views: BatchViews, *, bots: bool = False) -> None:
            super().observe(views, bots=bots)
            views.masks[1, 0, 1, 1:4] = 0

        def step(self, actions: Ints) -> StepResult:
            over = self._winner != RUNNING
            result = super().step(actions)
            taken = result.actions
            taken[..., 1:][~self.spec.action.uses[self._lineups, taken[..., 0], 1:]] = 55
            taken[over] = 99
            taken[1, 0, 1] = 99 if over[1] else (3, 0, 0)
            return result

    assert check_game(Loose(4, toy_spec())).problems == ()


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"heroes": ("a", "b")}, "needs 4 heroes, got 2"),
        ({"reward_heads": ()}, "at least one reward head"),
        ({"reward_heads": ("same", "same")}, "reward heads must have different names"),
        ({"roles": ("any",)}, "a role a hero"),
    ],
)
def test_contradictions_in_the_spec_are_found(changes: dict[str, Any], words: str) -> None:
    problems = check_game(toy(**changes)).problems
    assert any(words in problem for problem in problems), problems


def test_a_raising_game_is_one_line() -> None:
    def fail(views: BatchViews) -> None:
        raise RuntimeError("boom")

    problems = check_game(_Faulty(views=fail), decisions=3).problems
    assert [problem for problem in problems if "play" in problem and "raised RuntimeError: boom (" in problem]


def test_a_leak_and_a_crooked_mirror_are_found() -> None:
    def move_seen(game: BatchGame, team: int, generator: np.random.Generator) -> None:
        game.f[:, 0] += 1.0  # type: ignore[attr-defined]

    problems = check_game(
        MobaGame("arena", 2), decisions=5, mirror=lambda game: None, disturb_hidden=move_seen
    ).problems
    assert any(line.startswith("mirror: ") for line in problems)
    assert any(line.startswith("hidden state: observation of team") for line in problems)
