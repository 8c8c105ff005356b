"""Tests of fullpool.curriculum.phases: the whole curriculum in small, and that nothing is lost by stopping."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest
from numpy.typing import NDArray

from fullpool.curriculum import testing
from fullpool.curriculum.generation import Generation, load_generation
from fullpool.curriculum.phases import Setting, train_baseline, train_merged, train_student, train_teachers
from fullpool.curriculum.testing import (
    SPEC,
    baseline_settings,
    make_groups,
    make_setting,
    merged_settings,
    student_settings,
    teacher_settings,
)
from fullpool.curriculum.weights import make_network
from fullpool.games.contract import Ints, Seeds, Shorts
from fullpool.games.lineups import is_reserved
from fullpool.games.testing import ToyGame
from fullpool.learning.policy import Policy, freeze_policy, weights_hash

SHORT = {"budget_agent_steps": 1800, "convergence.anchor_games": 4, "convergence.past_games": 4}


@cache
def teacher_run() -> tuple[Generation, ...]:
    return tuple(train_teachers(make_setting(), make_groups(), teacher_settings(**SHORT)))


def final_teachers() -> dict[str, Policy]:
    return {generation.part: generation.policy for generation in teacher_run() if generation.done}


@cache
def fresh_student() -> Policy:
    return freeze_policy(make_network(SPEC, student_settings().network, 3), SPEC)


def comparable(generations: Sequence[Generation]) -> list[object]:
    """Everything of generations but the clock."""
    return [
        [
            (
                generation.part,
                generation.number,
                generation.num_agent_steps,
                generation.verdict,
                generation.done,
            ),
            (weights_hash(generation.policy.network), generation.games.to_rows(), generation.state_name),
            [
                (row.step, {name: value for name, value in row.values.items() if "steps_per_s" not in name})
                for row in generation.rows
            ],
        ]
        for generation in generations
    ]


def through_disk(generations: Sequence[Generation], path: Path) -> dict[str, Path]:
    """Saves generations; gives the folder of each part's last one."""
    folders = {}
    for generation in generations:
        folder = path / str(len(list(path.iterdir())))
        folder.mkdir()
        generation.save(folder)
        folders[generation.part] = folder
    return folders


def check_resume(
    run: Callable[[Mapping[str, Path]], Iterator[Generation]], cuts: Sequence[int], path: Path
) -> list[Generation]:
    """Cuts a run after some of its generations and compares what follows with the whole run."""
    whole = list(run({}))
    assert whole[-1].done
    assert len(whole) > max(cuts)
    for cut in cuts:
        rest = list(run(through_disk(whole[:cut], path)))
        assert comparable(rest) == comparable(whole[cut:])
    assert list(run(through_disk(whole, path))) == []
    return whole


def test_student_goes_on_to_the_same_weights(tmp_path: Path) -> None:
    def run(resume: Mapping[str, Path]) -> Iterator[Generation]:
        settings = student_settings(**SHORT)
        return train_student(make_setting(), make_groups(), final_teachers(), settings, resume=resume)

    check_resume(run, [1, 2], tmp_path)


def test_merged_goes_on_to_the_same_weights_with_snapshots_in_play(tmp_path: Path) -> None:
    def run(resume: Mapping[str, Path]) -> Iterator[Generation]:
        return train_merged(make_setting(), fresh_student(), merged_settings(**SHORT), resume=resume)

    generations = check_resume(run, [2, 3], tmp_path)
    playing = generations[2].checkpoint.meta["trainer"]["matchmaker"]
    assert playing, "the cut should fall while snapshots play, or the test shows little"


def test_teachers_go_on_to_the_same_weights_one_after_another(tmp_path: Path) -> None:
    def run(resume: Mapping[str, Path]) -> Iterator[Generation]:
        settings = teacher_settings(**SHORT, parallel_teachers=1)
        return train_teachers(make_setting(), make_groups(), settings, resume=resume)

    whole = check_resume(run, [1, 5], tmp_path)
    alone = {one.part: weights_hash(one.policy.network) for one in whole if one.done}
    assert alone == {name: weights_hash(policy.network) for name, policy in final_teachers().items()}


def test_teachers_go_on_to_the_same_weights_side_by_side(tmp_path: Path) -> None:
    whole = teacher_run()
    assert [generation.part for generation in whole[:2]] == ["g1", "g2"]
    # The process was killed between saving one teacher's generation and the other's.
    resume = through_disk(whole[:3], tmp_path)
    rest = list(train_teachers(make_setting(), make_groups(), teacher_settings(**SHORT), resume=resume))
    for name in ("g1", "g2"):
        expected = [generation for generation in whole[3:] if generation.part == name]
        assert comparable([new for new in rest if new.part == name]) == comparable(expected)


def test_imitation_hands_over_to_ppo_and_goes_on_to_the_same_weights(tmp_path: Path) -> None:
    # 8 games, 2 teams of 2, 8 decisions: at most 256 agent-steps an update, 3 updates a generation.
    changes = SHORT | {"imitation": testing.IMITATION | {"agent_steps": 900}}

    def run(resume: Mapping[str, Path]) -> Iterator[Generation]:
        return train_baseline(make_setting(), baseline_settings(**changes), resume=resume)

    whole = check_resume(run, [1, 2], tmp_path)
    workers = [generation.checkpoint.meta["trainer"]["workers"] for generation in whole]
    assert workers[0]["bot_worker"], "the first cut should fall into the imitation"
    assert not workers[1]["bot_worker"], "the second cut should fall behind it"
    rows = [row for generation in whole for row in generation.rows]
    imitated = [row for row in rows if "imitation_loss" in row.values]
    learnt = [row for row in rows if "policy_loss" in row.values]
    assert imitated[0].step < 900 <= learnt[-1].step
    assert {"agreement_what", "agreement_who", "agreement_dir", "value_loss"} <= imitated[0].values.keys()
    assert "snapshots" not in imitated[0].values
    start = whole[-1].checkpoint.meta["trainer"]["learner"]["schedule_start"]
    assert 900 <= start < 900 + 512
    assert whole[-1].num_agent_steps < 1800 + 512


def test_a_teacher_that_imitates_well_is_good_before_ppo() -> None:
    good = {"bot_shares": {"perfect": 1.0}, "agent_steps": 8000, "learning_rate": 5e-3}
    imitation = testing.IMITATION | good | {"num_epochs": 4, "minibatch_size": 64}
    changes = SHORT | {"imitation": imitation, "budget_agent_steps": 8000, "generation_updates": 100}
    first = next(train_teachers(make_setting(), make_groups()[:1], teacher_settings(**changes)))
    assert first.done
    assert first.rows[-1].values["agreement_what_g1"] > 0.9
    assert first.rows[-1].values["win_rate_vs_random_g1"] > 0.9


def test_other_seeds_give_other_weights() -> None:
    run = train_baseline(make_setting(seed=2), baseline_settings(**SHORT))
    other = train_baseline(make_setting(seed=3), baseline_settings(**SHORT))
    first, second = (next(one).policy.network for one in (run, other))
    assert weights_hash(first) != weights_hash(second)


def test_metrics_are_named_finite_and_logged_once() -> None:
    rows = [row for generation in teacher_run() if generation.part == "g1" for row in generation.rows]
    seen = [(row.step, name) for row in rows for name in row.values]
    assert len(seen) == len(set(seen))
    assert [row.step for row in rows] == sorted(row.step for row in rows)
    names = {name for _, name in seen}
    assert all("/" not in name and name.endswith("_g1") for name in names)
    assert any(row.values.get("elo_g2") for generation in teacher_run() for row in generation.rows)
    wanted = ["elo", "elo_low", "elo_high", "win_rate_vs_perfect", "entropy_what", "advantage_std_points"]
    wanted += [
        "explained_variance_win",
        "clip_fraction",
        "approx_kl",
        "staleness",
        "steps_per_s",
        "train_points",
    ]
    assert {f"{name}_g1" for name in wanted} <= names
    assert all(np.isfinite(value) for row in rows for value in row.values.values())
    last = rows[-1].values
    assert last["elo_phase_gain_low_g1"] <= last["elo_phase_gain_g1"]


def test_a_phase_that_does_not_gain_converges_before_its_budget() -> None:
    settings = baseline_settings(
        **{"convergence.delta": 1e9, "convergence.every_generations": 1, "budget_agent_steps": 10**9}
    )
    generations = list(train_baseline(make_setting(), settings))
    assert generations[-1].done
    assert generations[-1].verdict.startswith("converged")
    assert len(generations) == 2


def test_stop_pauses_between_generations() -> None:
    run = train_baseline(make_setting(), baseline_settings(**SHORT), stop=lambda: True)
    (only,) = list(run)
    assert not only.done


def test_distillation_can_be_left_out(tmp_path: Path) -> None:
    settings = student_settings(**{"distillation.driver": "none"})
    (only,) = list(train_student(make_setting(), make_groups(), final_teachers(), settings))
    assert (only.done, only.num_agent_steps, only.verdict) == (True, 0, "left out")
    folder = through_disk([only], tmp_path)
    assert list(train_student(make_setting(), make_groups(), final_teachers(), settings, resume=folder)) == []


@pytest.mark.parametrize("driver", ["student-driven", "teacher-driven"])
def test_the_student_comes_closer_to_its_teachers(driver: str) -> None:
    settings = student_settings(**{"budget_agent_steps": 9000, "distillation.driver": driver})
    rows = [
        row
        for generation in train_student(make_setting(), make_groups(), final_teachers(), settings)
        for row in generation.rows
        if "divergence" in row.values
    ]
    assert rows[-1].values["divergence"] < 0.5 * rows[0].values["divergence"]


def test_other_settings_and_other_agents_are_refused(tmp_path: Path) -> None:
    first = through_disk([next(train_baseline(make_setting(), baseline_settings(**SHORT)))], tmp_path)
    changed = baseline_settings(**SHORT, **{"ppo.clip_ratio": 0.3, "league.capacity": 3})
    with pytest.raises(
        ValueError, match=r"baseline\.league\.capacity was 2, is 3; baseline\.ppo\.clip_ratio was 0\.2"
    ):
        next(train_baseline(make_setting(), changed, resume=first))
    with pytest.raises(ValueError, match=r"is said to hold agent 'baseline', which is none of \['merged'\]"):
        next(train_merged(make_setting(), fresh_student(), merged_settings(**SHORT), resume=first))
    other = {"merged": first["baseline"]}
    with pytest.raises(ValueError, match="holds agent 'baseline', expected 'merged'"):
        next(train_merged(make_setting(), fresh_student(), merged_settings(**SHORT), resume=other))
    with pytest.raises(ValueError, match=r"these stand alone: \['g2'\]"):
        next(train_student(make_setting(), make_groups(), {"g1": fresh_student()}, student_settings()))
    with pytest.raises(ValueError, match="at least one group's line-up"):
        next(train_teachers(make_setting(), [], teacher_settings()))


def test_damaged_generations_are_refused_in_one_line(tmp_path: Path) -> None:
    folder = through_disk(teacher_run()[:1], tmp_path)["g1"]
    (folder / "games.json").write_text("[[1")
    with pytest.raises(ValueError, match="cannot be read as rating games") as caught:
        load_generation(folder, SPEC)
    assert "\n" not in str(caught.value)


class SpyGame(ToyGame):
    """Notes the line-ups of all matches, by the size of the batch: training and rating use different ones."""

    lineups: ClassVar[dict[int, list[list[list[int]]]]] = {}

    def reset(self, games: Ints, lineups: Shorts, seeds: Seeds, seats: NDArray[np.int8]) -> None:
        self.lineups.setdefault(self.num_games, []).extend(lineups.tolist())
        super().reset(games, lineups, seeds, seats)


def test_training_never_meets_a_reserved_lineup_and_rating_nothing_else() -> None:
    SpyGame.lineups.clear()
    setting = Setting(SpyGame, SPEC, 5)
    changes = {"rollout.num_games": 12, "rollout.num_threads": 1, "convergence.batch_games": 5}
    generations = list(train_merged(setting, fresh_student(), merged_settings(**SHORT, **changes)))
    assert generations[-1].done
    assert set(SpyGame.lineups) == {12, 5}
    for size, reserved in ((12, False), (5, True)):
        assert len(SpyGame.lineups[size]) > 40
        for lineup in SpyGame.lineups[size]:
            assert is_reserved(*[[SPEC.heroes[i] for i in team] for team in lineup]) is reserved


def test_teachers_train_and_are_rated_on_their_own_lineup_only() -> None:
    SpyGame.lineups.clear()
    group = make_groups()[0]
    setting = Setting(SpyGame, SPEC, 5)
    assert list(train_teachers(setting, [group], teacher_settings(**SHORT)))[-1].done
    seen = {tuple(map(tuple, lineup)) for lineups in SpyGame.lineups.values() for lineup in lineups}
    assert seen == {group.lineup, group.lineup[::-1]}
