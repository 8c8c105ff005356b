"""Lines of progress: amounts, rates, what is left."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest

from fullpool.pipelines.counted import MatchCounter
from fullpool.pipelines.progress import Goal, Reporter, duration, note, plan, title


@dataclass
class Clock:
    now: float = 100.0

    def __call__(self) -> float:
        return self.now


@dataclass(frozen=True)
class Row:
    step: int
    values: dict[str, float] = field(default_factory=dict)


@pytest.fixture
def planned() -> Iterator[None]:
    """A run of three stages, one of them with two nodes."""
    plan(["lineups", "student", "student", "winrate"])
    yield
    plan([])


def test_a_stage_says_its_place_what_it_will_do_and_how_long_it_took(planned: None) -> None:
    clock = Clock()
    before = [{"values": {"agent_steps": 400.0}}]
    reporter = Reporter("student", Goal(1200, "agent-steps"), before, counter=MatchCounter(), clock=clock)
    clock.now += 600
    assert reporter.opening("distils 4 teachers") == (
        "stage 2 of 3, student: distils 4 teachers, at most 1,200 agent-steps, fewer if it converges, 400 of them done "
        "before"
    )
    assert reporter.closing() == "stage 2 of 3, student: done in 10 min"
    reporter = Reporter("lineups", Goal(34, "matches"), counter=MatchCounter(), clock=clock)
    assert reporter.opening() == "stage 1 of 3, lineups: 34 matches"
    assert (
        Reporter("winrate", None, counter=MatchCounter()).opening("learns") == "stage 3 of 3, winrate: learns"
    )


def test_a_stage_alone_or_of_no_plan_has_its_name_only(planned: None) -> None:
    assert title("baseline") == "baseline"
    plan(["teachers"])
    assert title("teachers") == "teachers"


def test_phases_say_how_far_the_training_of_the_whole_run_is() -> None:
    clock, counter = Clock(), MatchCounter()
    plan(
        ["lineups", "teachers", "student", "merged"], {"merged": 700, "teachers": 200, "student": 100, "x": 5}
    )
    try:
        goal = Goal(100, "agent-steps")
        reporter = Reporter(
            "student", goal, [{"values": {"agent_steps": 50.0}}], counter=counter, clock=clock
        )
        assert reporter.opening().endswith("50 of them done before, 25% of the run's training done")
        reporter.take([Row(130, {"agent_steps": 130.0})])
        # Windows may go beyond the budget, and what converged early is done.
        assert reporter.line().endswith(", 30% of the run's training done")
        assert "training" not in Reporter("lineups", Goal(9, "matches"), counter=counter, clock=clock).line()
        plan(["teachers"], {"merged": 700, "teachers": 200})
        assert "training" not in Reporter("teachers", goal, counter=counter, clock=clock).line()
    finally:
        plan([])


def test_durations() -> None:
    assert [duration(s) for s in (-1, 89, 91, 5399, 5400)] == ["0 s", "89 s", "2 min", "90 min", "1.5 h"]


def test_a_phase_says_steps_rate_time_left_elo_and_matches() -> None:
    clock, counter = Clock(), MatchCounter()
    before = [{"values": {"agent_steps": 1000.0, "elo": 50.0}}]
    reporter = Reporter("merged", Goal(10_000, "agent-steps"), before, counter=counter, clock=clock)
    clock.now += 20
    assert reporter.line() == "merged: 1,000 of 10,000 agent-steps (10%), 20 s, Elo 50"
    counter.add(7)
    reporter.take([Row(3000, {"agent_steps": 3000.0, "elo": 80.0, "elo_low": 60.0})])
    # What an earlier start had done is no part of this one's speed.
    assert (
        reporter.line()
        == "merged: 3,000 of 10,000 agent-steps (30%), 100/s, about 70 s left, Elo 80, 7 matches"
    )


def test_teachers_add_up_and_each_has_its_elo() -> None:
    clock = Clock()
    reporter = Reporter("teachers", Goal(400, "agent-steps"), counter=MatchCounter(), clock=clock)
    clock.now += 1
    reporter.take([Row(100, {"agent_steps_g1": 100.0, "elo_g1": 5.0}), Row(90, {"agent_steps_g2": 100.0})])
    assert reporter.line() == "teachers: 200 of 400 agent-steps (50%), 200/s, about 1 s left, Elo g1 5"


def test_matches_are_counted_from_the_stages_start() -> None:
    clock, counter = Clock(), MatchCounter()
    counter.add(1000)
    reporter = Reporter("matches", Goal(90_000, "matches"), counter=counter, clock=clock)
    clock.now += 10
    counter.add(100)
    assert reporter.line() == "matches: 100 of 90,000 matches (0%), 10/s, about 2.5 h left"


def test_without_a_goal_it_says_the_time_and_what_is_done_just_now() -> None:
    clock = Clock()
    reporter = Reporter("winrate", None, counter=MatchCounter(), clock=clock, period_s=60)
    with reporter:
        note("comparing")
        clock.now += 5
        assert reporter.line() == "winrate: 5 s, comparing"
    note("dropped")
    assert reporter.line() == "winrate: 5 s, comparing"


def test_lines_come_by_themselves_and_stop_with_the_stage(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO), Reporter("x", None, counter=MatchCounter(), period_s=0.01):
        deadline = time.monotonic() + 10
        while len(caplog.records) < 2:
            assert time.monotonic() < deadline
            time.sleep(0.01)
    seen = len(caplog.records)
    time.sleep(0.05)
    assert len(caplog.records) == seen
    assert all(record.getMessage().startswith("x: ") for record in caplog.records)
