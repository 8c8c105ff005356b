"""A phase whose numbers are no longer finite ends with an error, and yields nothing that holds them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence

import pytest
import torch

from fullpool.curriculum.generation import Generation
from fullpool.curriculum.phases import train_baseline, train_merged, train_student, train_teachers
from fullpool.curriculum.testing import (
    IMITATION,
    SPEC,
    baseline_settings,
    make_groups,
    make_setting,
    merged_settings,
    student_settings,
    teacher_settings,
)
from fullpool.curriculum.weights import make_network
from fullpool.learning.divergence import Diverged
from fullpool.learning.policy import Policy, freeze_policy
from fullpool.learning.ppo.learner import PpoLearner
from fullpool.learning.trajectories import Trajectory

HUGE = 1e30
WILD = {"ppo.learning_rate": HUGE, "ppo.final_learning_rate": HUGE}


def policy() -> Policy:
    return freeze_policy(make_network(SPEC, teacher_settings().network, 3), SPEC)


def teachers() -> Iterator[Generation]:
    return train_teachers(make_setting(), make_groups(), teacher_settings(**WILD))


def imitation() -> Iterator[Generation]:
    settings = baseline_settings(imitation=IMITATION | {"learning_rate": HUGE})
    return train_baseline(make_setting(), settings)


def student() -> Iterator[Generation]:
    changes = {"distillation.learning_rate": HUGE, "distillation.final_learning_rate": HUGE}
    groups = make_groups()
    known = {group.name: policy() for group in groups}
    return train_student(make_setting(), groups, known, student_settings(**changes))


def merged() -> Iterator[Generation]:
    return train_merged(make_setting(), policy(), merged_settings(**WILD))


def finite(generation: Generation) -> bool:
    tensors = [*generation.checkpoint.weights.values(), *generation.checkpoint.optimizer.values()]
    return all(bool(torch.isfinite(tensor).all()) for tensor in tensors)


@pytest.mark.parametrize(
    ("train", "said"),
    [(teachers, "teachers of g"), (imitation, "baseline"), (student, "student"), (merged, "merged")],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_a_wild_learning_rate_ends_in_one_line(train: Callable[[], Iterator[Generation]], said: str) -> None:
    generations: list[Generation] = []
    line = rf"^{said}.* after [0-9,]+ agent-steps: training went astray, "
    with pytest.raises(Diverged, match=line) as caught:
        generations.extend(train())
    assert "\n" not in str(caught.value)
    assert all(map(finite, generations))


def spoil_update(
    monkeypatch: pytest.MonkeyPatch, spoil: Callable[[PpoLearner, dict[str, float]], None]
) -> None:
    """Lets something happen at the end of a PPO learner's second update."""
    update = PpoLearner.update

    def spoilt(self: PpoLearner, trajectories: Sequence[Trajectory]) -> dict[str, float]:
        metrics = update(self, trajectories)
        if self.num_updates == 2:
            spoil(self, metrics)
        return metrics

    monkeypatch.setattr(PpoLearner, "update", spoilt)


def test_figures_are_looked_at_after_each_update(monkeypatch: pytest.MonkeyPatch) -> None:
    steps = []

    def spoil(learner: PpoLearner, metrics: dict[str, float]) -> None:
        steps.append(learner.num_agent_steps)
        metrics["gradient_norm"] = math.inf

    spoil_update(monkeypatch, spoil)
    with pytest.raises(Diverged) as caught:
        next(train_merged(make_setting(), policy(), merged_settings(generation_updates=3)))
    line = f"merged after {steps[0]:,} agent-steps: training went astray, gradient_norm is inf."
    assert str(caught.value).startswith(line)


def test_weights_are_looked_at_before_a_generation_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    def spoil(learner: PpoLearner, metrics: dict[str, float]) -> None:
        with torch.no_grad():
            next(iter(learner.network.critic_parameters())).fill_(torch.nan)

    spoil_update(monkeypatch, spoil)
    with pytest.raises(Diverged, match="holds numbers that are not finite"):
        next(train_merged(make_setting(), policy(), merged_settings(generation_updates=2)))
