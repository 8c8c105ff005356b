"""Rollouts: windows, seats, idle lanes, records, fresh memory, resuming."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from fullpool.games.contract import GameSpec
from fullpool.games.testing import ToyGame
from fullpool.learning.matches import (
    Bot,
    Learner,
    Match,
    Seat,
    Snapshot,
    match_from_plain,
    match_to_plain,
    seat_from_text,
    seat_to_text,
)
from fullpool.learning.rollout import RolloutWorker
from fullpool.learning.testing import make_network, no_networks, self_play
from fullpool.networks.actor_critic import ActorCritic

LINEUP = np.arange(4).reshape(2, 2).astype(np.int16)


def make_worker(
    spec: GameSpec, *seats: tuple[Seat, Seat], games: int = 4, **changes: object
) -> RolloutWorker:
    """A worker whose matches take the given seats in turn."""
    network = make_network(spec)
    others = {"old": make_network(spec, 1), "older": make_network(spec, 2, lstm_units=8)}
    drawn = iter(range(10**6))

    def draw(generator: np.random.Generator) -> Match:
        return Match(LINEUP, seats[next(drawn) % len(seats)], int(generator.integers(2**60)), label="x")

    arguments: dict[str, object] = {"window": 8, "seed": 0, "precision": "float32", **changes}
    return RolloutWorker(ToyGame(games), draw, network, others.__getitem__, **arguments)  # type: ignore[arg-type]


def test_behaviour_log_probs_are_those_of_the_policy(spec: GameSpec) -> None:
    worker = make_worker(spec, (Learner(), Learner()))
    network = make_network(spec)
    for _ in range(3):  # the later windows start in the middle of matches
        window = worker.collect()
        assert window is not None
        judged = network.evaluate(window.decided_inputs(), window.state, window.actions)
        counted = window.valid
        torch.testing.assert_close(judged.log_probs[counted], window.log_probs[counted], atol=1e-4, rtol=1e-4)
        moved = float(window.state.hidden.abs().sum())
    assert moved > 0


def test_only_the_learners_teams_are_in_the_window(spec: GameSpec) -> None:
    worker = make_worker(
        spec, (Learner(), Snapshot("old")), (Bot("random"), Learner()), (Learner(), Learner()), games=6
    )
    window = worker.collect()
    assert window is not None
    assert window.num_groups == 8  # of 12 teams
    assert window.inputs.observation.shape[:3] == (9, 8, 2)
    assert window.num_agent_steps == 8 * 8 * 2


def test_a_window_without_the_learner_is_none_but_is_played(spec: GameSpec) -> None:
    worker = make_worker(spec, (Snapshot("old"), Snapshot("older")), (Bot("perfect"), Bot("noop")))
    records = []
    for _ in range(6):
        assert worker.collect() is None
        records += worker.take_records()
    bots = [record for record in records if record.seats[0] == Bot("perfect")]
    assert bots
    assert all(record.winner == 0 for record in bots)
    assert {record.label for record in records} == {"x"}
    assert all(12 <= r.decisions <= 24 for r in records)
    assert all(record.stats["points"] >= 0 for record in records)
    assert worker.take_records() == []


def test_finished_matches_idle_and_restart_with_fresh_memory(spec: GameSpec) -> None:
    worker = make_worker(spec, (Learner(), Learner()), games=8)
    ended = torch.zeros(16, dtype=torch.bool)
    seen_end = False
    for _ in range(8):
        window = worker.collect()
        assert window is not None
        assert (window.state.hidden[ended] == 0).all()
        assert (window.state.cell[ended] == 0).all()
        assert window.valid[0].all()
        for group in range(16):
            stops = torch.nonzero(window.terminated[:, group]).flatten().tolist()
            length = stops[0] + 1 if stops else 8
            assert len(stops) <= 1
            assert window.valid[:, group].tolist() == [t < length for t in range(8)]
            assert (window.rewards[length:, group] == 0).all()
            seen_end |= bool(stops) and length < 8
        ended = window.terminated.any(dim=0)
    assert seen_end


def test_returns_of_a_record_are_the_sum_of_its_rewards(spec: GameSpec) -> None:
    worker = make_worker(spec, (Learner(), Learner()), games=1)
    total = np.zeros((2, 2, 2), np.float32)
    while True:
        window = worker.collect()
        assert window is not None
        total += window.rewards.sum(dim=0).numpy()
        records = worker.take_records()
        if records:
            np.testing.assert_allclose(records[0].returns, total, rtol=1e-5)
            return


def test_a_matchmaker_may_leave_games_idle(spec: GameSpec) -> None:
    left = iter([Match(LINEUP, (Bot("noop"), Bot("random")), 1)])
    worker = RolloutWorker(
        ToyGame(3),
        lambda generator: next(left, None),
        None,
        no_networks,
        window=8,
        seed=0,
        precision="float32",
    )
    records = []
    for _ in range(4):
        assert worker.collect() is None
        records += worker.take_records()
    assert len(records) == 1
    assert worker.num_running == 0


def test_the_same_seed_plays_the_same_and_a_saved_worker_goes_on(spec: GameSpec) -> None:
    seats = ((Learner(), Snapshot("older")), (Learner(), Learner()))
    first, second = make_worker(spec, *seats), make_worker(spec, *seats)
    for _ in range(4):
        one, two = first.collect(), second.collect()
        assert one is not None
        assert two is not None
        assert torch.equal(one.actions, two.actions)
        assert torch.equal(one.rewards, two.rewards)
    arrays, plain = first.save()
    third = RolloutWorker(
        ToyGame(4),
        self_play(spec),
        make_network(spec),
        lambda name: make_network(spec, 2, lstm_units=8),
        window=8,
        seed=99,
        precision="float32",
    )
    third.load(arrays, plain)
    one, two = first.collect(), third.collect()
    assert one is not None
    assert two is not None
    running = one.valid[0]  # matches that were under way go on the same
    assert torch.equal(one.actions[:, running][0], two.actions[:, running][0])
    with pytest.raises(ValueError, match="keep the number of games"):
        RolloutWorker(ToyGame(5), self_play(spec), make_network(spec), no_networks, window=8, seed=0).load(
            arrays, plain
        )


@pytest.mark.parametrize("driver", ["student", "teacher"])
def test_teachers_run_along_the_learners_trajectory(spec: GameSpec, driver: str) -> None:
    student, teacher = make_network(spec), make_network(spec, 7, lstm_units=8)
    teacher.rescale_values(torch.tensor([3.0, 4.0]), torch.tensor([2.0, 5.0]))
    worker = RolloutWorker(
        ToyGame(4),
        self_play(spec, teacher="t"),
        student,
        {"t": teacher}.__getitem__,
        window=8,
        seed=0,
        precision="float32",
        driver=driver,  # type: ignore[arg-type]
    )
    state, own = teacher.initial_state(8), student.initial_state(8)
    for _ in range(4):
        window = worker.collect()
        assert window is not None
        assert window.guidance is not None
        torch.testing.assert_close(window.state.hidden, own.hidden, atol=1e-5, rtol=1e-5)
        output = teacher(window.decided_inputs(), state)
        torch.testing.assert_close(window.guidance.logits, output.logits, atol=1e-5, rtol=1e-5)
        critic = type(window.critic)(*(part[:-1] for part in window.critic))
        torch.testing.assert_close(
            window.guidance.values, teacher.denormalise_values(teacher.values(critic)), atol=1e-4, rtol=1e-4
        )
        actor: ActorCritic = student if driver == "student" else teacher
        before = own if driver == "student" else state
        judged = actor.evaluate(window.decided_inputs(), before, window.actions)
        torch.testing.assert_close(
            judged.log_probs[window.valid], window.log_probs[window.valid], atol=1e-4, rtol=1e-4
        )
        ended = window.terminated.any(dim=0)
        state = type(state)(*(part.masked_fill(ended[:, None, None], 0.0) for part in output.state))
        after = student(window.decided_inputs(), own).state
        own = type(own)(*(part.masked_fill(ended[:, None, None], 0.0) for part in after))


def test_bad_matches_are_refused(spec: GameSpec) -> None:
    with pytest.raises(ValueError, match="has no bot 'lander'"):
        make_worker(spec, (Learner(), Bot("lander"))).collect()
    worker = RolloutWorker(ToyGame(1), self_play(spec), None, no_networks, window=8, seed=0)
    with pytest.raises(ValueError, match="no network to train"):
        worker.collect()
    short = Match(LINEUP[:, :1], (Learner(), Learner()), 0)
    worker = RolloutWorker(ToyGame(1), lambda g: short, make_network(spec), no_networks, window=8, seed=0)
    with pytest.raises(ValueError, match="a line-up must be"):
        worker.collect()
    with pytest.raises(ValueError, match="a seat is"):
        seat_from_text("robot:x")


def test_imitated_bots_are_recorded_while_the_network_runs_along(spec: GameSpec) -> None:
    worker = make_worker(spec, (Bot("perfect", imitated=True), Bot("random")), games=3)
    network = make_network(spec)
    state = network.initial_state(3)
    offset = spec.observation.offset("global")
    for _ in range(4):
        window = worker.collect()
        assert window is not None
        assert window.num_groups == 3
        inputs = window.decided_inputs()
        cued = inputs.observation[..., offset : offset + 4].argmax(dim=-1)
        assert torch.equal(window.actions[..., 0][window.valid].long(), cued[window.valid])
        assert (window.actions[~window.valid] == 0).all()
        torch.testing.assert_close(window.state.hidden, state.hidden, atol=1e-5, rtol=1e-5)
        ended = window.terminated.any(dim=0)
        after = network(inputs, state).state
        state = type(state)(*(part.masked_fill(ended[:, None, None], 0.0) for part in after))
    assert (state.hidden != 0).any()
    assert {record.seats[0] for record in worker.take_records()} == {Bot("perfect", imitated=True)}
    with pytest.raises(ValueError, match="not both"):
        make_worker(spec, (Learner(), Bot("perfect", imitated=True))).collect()


def test_matches_survive_json() -> None:
    imitated = seat_from_text(seat_to_text(Bot("noop", imitated=True)))
    assert imitated == Bot("noop", imitated=True) != Bot("noop")
    match = Match(LINEUP, (Snapshot("a:b"), Bot("noop")), 5, teacher="t", label="g1")
    again = match_from_plain(match_to_plain(match))
    assert again is not None
    assert again.seats == match.seats
    assert again.teacher == "t"
    assert again.label == "g1"
    np.testing.assert_array_equal(again.lineup, match.lineup)
    assert match_from_plain(match_to_plain(None)) is None
