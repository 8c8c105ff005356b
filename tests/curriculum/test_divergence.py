"""A phase whose numbers are no longer finite ends with an error, and yields nothing that holds them."""

from __future__ import annotations

from collections.abc import Callable, Iterator

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


def test_weights_are_looked_at_before_a_generation_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    update = PpoLearner.update

    def spoil(self: PpoLearner, trajectories: list[object]) -> dict[str, float]:
        metrics = update(self, trajectories)  # type: ignore[arg-type]
        if self.num_updates == 3:
            with torch.no_grad():
                next(iter(self.network.critic_parameters())).fill_(torch.nan)
        return metrics

    monkeypatch.setattr(PpoLearner, "update", spoil)
    run = train_merged(make_setting(), policy(), merged_settings(generation_updates=3))
    with pytest.raises(Diverged, match="holds numbers that are not finite"):
        next(run)
