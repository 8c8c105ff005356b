"""How a stage starts, goes on, is finished, or refuses."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from fullpool.datasets import Generation, StageProgress
from fullpool.learning.damage import Damaged
from fullpool.pipeline_registry import register_pipelines
from fullpool.pipelines import stages, tracking
from fullpool.pipelines.progress import Goal, plan
from fullpool.pipelines.stopping import StopRequested


@dataclass(frozen=True)
class Ended:
    """A generation of a phase, with the rule's verdict."""

    number: int
    part: str
    done: bool = True
    verdict: str = "converged: gain over 4 ratings +1 Elo"
    rows: tuple[()] = ()

    def save(self, folder: Path) -> None:
        (folder / "x").touch()


@dataclass(frozen=True)
class Step:
    number: int
    part: str = "teachers"
    rows: tuple[()] = ()

    def save(self, folder: Path) -> None:
        (folder / "x").touch()


FOLDER = Path("data") / "mine" / "teachers"
LATEST = {"teachers": FOLDER / "generations" / "teachers@000007"}


def loop_of(*steps: Generation, seen: list[Mapping[str, Path]] | None = None) -> stages.Loop:
    def loop(latest: Mapping[str, Path]) -> Iterator[Generation]:
        if seen is not None:
            seen.append(latest)
        yield from steps

    return loop


def test_a_fresh_stage_gets_no_generation_and_passes_its_parameters_on() -> None:
    seen: list[Mapping[str, Path]] = []
    steps = (Step(1), Step(2))
    items = list(stages.run(StageProgress(FOLDER), {"seed": 1}, loop_of(*steps, seen=seen)))
    assert [item.generation for item in items] == [*steps, None]
    assert all(item.parameters == {"seed": 1} for item in items)
    assert seen == [{}]


def test_a_stage_under_way_goes_on_from_its_latest_generation() -> None:
    seen: list[Mapping[str, Path]] = []
    progress = StageProgress(FOLDER, parameters={"seed": 1}, latest=LATEST)
    list(stages.run(progress, {"seed": 1}, loop_of(Step(8), seen=seen)))
    assert seen == [LATEST]


def test_a_stage_that_was_killed_before_its_end_was_noted_only_ends() -> None:
    progress = StageProgress(FOLDER, parameters={"seed": 1}, latest=LATEST)
    assert [item.generation for item in stages.run(progress, {"seed": 1}, loop_of())] == [None]


def test_a_finished_stage_yields_nothing_and_starts_nothing() -> None:
    seen: list[Mapping[str, Path]] = []
    progress = StageProgress(FOLDER, parameters={"seed": 1}, latest=LATEST, finished=True)
    assert list(stages.run(progress, {"seed": 1}, loop_of(Step(9), seen=seen))) == []
    assert seen == []


@pytest.mark.parametrize("finished", [True, False])
def test_other_parameters_are_refused_with_what_differs_and_the_way_out(finished: bool) -> None:
    made_by = {"ppo.clip": 0.2, "seed": 1}
    progress = StageProgress(FOLDER, parameters=made_by, latest=LATEST, finished=finished)
    with pytest.raises(
        stages.ParametersChanged, match=r"ppo\.clip 0\.2 → 0\.3\..*--params campaign=name"
    ) as caught:
        list(stages.run(progress, {"ppo": {"clip": 0.3}, "seed": 1}, loop_of(Step(1))))
    assert "seed" not in str(caught.value)
    assert "teachers of campaign 'mine'" in str(caught.value)


def test_a_refusal_says_what_to_delete_to_make_it_and_what_follows_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kedro.framework.project.pipelines", register_pipelines())
    monkeypatch.chdir(tmp_path)
    campaign = tmp_path / "data" / "mine"
    for stage in ("merged", "matches", "winrate", "evaluation"):
        (campaign / stage).mkdir(parents=True)
    progress = StageProgress(campaign / "matches", parameters={"matches.num_matches": 10}, finished=True)
    with pytest.raises(stages.ParametersChanged) as caught:
        list(stages.run(progress, {"matches": {"num_matches": 20}}, loop_of()))
    assert str(caught.value) == (
        "matches of campaign 'mine' was made with other parameters: matches.num_matches 10 → 20. Put them back; or "
        "delete what is to be made anew, and start again: rm -r data/mine/matches data/mine/winrate; or start a new "
        "campaign: --params campaign=name (make: CAMPAIGN=name)"
    )


def test_what_follows_a_stage_is_read_from_the_pipelines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kedro.framework.project.pipelines", register_pipelines())
    assert stages.following("matches") == ("winrate", "drafting")
    assert set(stages.following("student")) == {"merged", "evaluation", "matches", "winrate", "drafting"}
    assert stages.following("drafting") == stages.following("baseline") == stages.following("none") == ()


def test_start_ends_of_parts_and_end_are_logged(caplog: pytest.LogCaptureFixture) -> None:
    steps = (
        Ended(1, "g1", done=False),
        Ended(2, "g1"),
        Ended(1, "teachers", verdict="ended at its budget"),
        Step(3),
    )
    plan(["lineups", "teachers"])
    try:
        with caplog.at_level(logging.INFO):
            goal = Goal(500, "agent-steps")
            for item in stages.run(StageProgress(FOLDER), {}, loop_of(*steps), goal=goal, task="4 teachers"):
                # A part's end is told once it is saved.
                if isinstance(item.generation, Ended) and item.generation.part == "g1":
                    assert "ended" not in caplog.text
    finally:
        plan([])
    assert [record.getMessage() for record in caplog.records] == [
        "stage 2 of 2, teachers: 4 teachers, at most 500 agent-steps, fewer if it converges",
        "teachers g1 ended: converged: gain over 4 ratings +1 Elo",
        "teachers ended: ended at its budget",
        "stage 2 of 2, teachers: done in 0 s",
    ]


def test_a_missing_table_is_named_as_damage(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("x,y\n1,2\n")
    assert stages.read_table(tmp_path / "a.csv")["y"].tolist() == [2]
    (tmp_path / "empty.csv").touch()
    for name in ("heroes.csv", "empty.csv"):
        with pytest.raises(Damaged, match=f"{name} cannot be read as a table .*; restore it") as caught:
            stages.read_table(tmp_path / name)
        assert caught.value.path == tmp_path / name


def test_a_loop_that_pauses_stops_the_pipeline() -> None:
    items = stages.run(StageProgress(FOLDER), {}, loop_of(Step(1)), paused=lambda: True)
    assert next(items).generation == Step(1)
    with pytest.raises(StopRequested, match="teachers paused"):
        next(items)


def test_a_stage_reports_once_its_work_is_done_and_before_its_end() -> None:
    reported: list[Mapping[str, Path]] = []
    progress = StageProgress(FOLDER, parameters={}, latest=LATEST)
    items = stages.run(progress, {}, loop_of(Step(8), Step(1, "other")), report=reported.append)
    assert [next(items).generation, next(items).generation] == [Step(8), Step(1, "other")]
    assert reported == []
    assert next(items).generation is None
    generations = FOLDER / "generations"
    assert reported == [{"teachers": generations / "teachers@000008", "other": generations / "other@000001"}]


def test_a_finished_stage_reports_again_to_a_run_that_lacks_its_figures() -> None:
    reported: list[Mapping[str, Path]] = []
    progress = StageProgress(FOLDER, parameters={}, latest=LATEST, finished=True)
    assert list(stages.run(progress, {}, loop_of(), report=reported.append)) == []
    assert reported == []

    class Lacking(tracking.NullTracker):
        def catch_up(self, rows: Iterable[Mapping[str, Any]]) -> int:
            return 3

    tracking.put(Lacking())
    try:
        assert list(stages.run(progress, {}, loop_of(), report=reported.append)) == []
    finally:
        tracking.put(None)
    assert reported == [LATEST]


def test_the_number_of_a_generation_is_read_from_its_folder() -> None:
    assert stages.number_of(None) == 0
    assert stages.number_of(LATEST["teachers"]) == 7


@pytest.mark.parametrize("name", ["local", "a", "2026-11.b_c"])
def test_campaign_names(name: str) -> None:
    assert stages.check_campaign(name) == name


@pytest.mark.parametrize("name", ["", "..", "../x", "a/b", "A", "-a", "a" * 65, 3, "a\n"])
def test_campaign_names_that_are_refused(name: object) -> None:
    with pytest.raises(ValueError, match="campaign's name"):
        stages.check_campaign(name)


def test_built_stages_are_a_part_of_all() -> None:
    assert set(stages.built()) <= set(stages.STAGES)


def test_a_game_that_leaves_by_sys_exit_is_an_error(tmp_path: Path) -> None:
    def loop(latest: Mapping[str, Path]) -> Iterator[Generation]:
        yield Step(1)
        sys.exit(0)

    items = stages.run(StageProgress(tmp_path / "teachers"), {}, loop)
    assert next(items).generation is not None
    with pytest.raises(ValueError, match=r"the game raised SystemExit: 0 \(.*test_stages.py:\d+\)"):
        next(items)


def test_a_folder_that_cannot_be_written_is_found_before_the_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[Mapping[str, Path]] = []
    asked: list[Path] = []
    monkeypatch.setattr("fullpool.pipelines.stages.os.access", lambda path, mode: asked.append(path))
    with pytest.raises(PermissionError, match="Permission denied"):
        next(stages.run(StageProgress(tmp_path / "mine" / "teachers"), {}, loop_of(Step(1), seen=seen)))
    assert asked == [tmp_path]
    assert seen == []
