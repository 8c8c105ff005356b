"""Tests of fullpool.league.population."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fullpool.league.population import Population


def filled(count: int, capacity: int = 4, memory: int = 100) -> Population[int]:
    population: Population[int] = Population(capacity, memory)
    for age in range(count):
        population.add(f"s{age}", age, age)
    return population


@given(count=st.integers(1, 60), capacity=st.integers(1, 8))
def test_population_is_bounded_and_spread(count: int, capacity: int) -> None:
    population = filled(count, capacity)
    assert len(population.names) == min(count, capacity)
    assert population.names[-1] == f"s{count - 1}"
    if capacity > 2:
        assert population.names[0] == "s0"
    population.release([])
    assert set(population.policies) == set(population.names)


def test_a_snapshot_that_left_stays_while_it_plays() -> None:
    population = filled(5)
    left = next(f"s{age}" for age in range(5) if f"s{age}" not in population.names)
    population.release([left])
    assert left in population.policies
    population.record(left, 1.0)
    population.release([])
    assert left not in population.policies


def test_results_fade_so_that_old_defeats_are_forgotten() -> None:
    population = filled(1, memory=10)
    assert population.win_rate("s0") == 0.5
    for _ in range(50):
        population.record("s0", 1.0)
    assert population.win_rate("s0") > 0.9
    for _ in range(50):
        population.record("s0", 0.0)
    assert population.win_rate("s0") < 0.1


def test_state_survives_json() -> None:
    population = filled(6)
    population.record("s5", 0.5)
    state = json.loads(json.dumps(population.state()))
    other: Population[int] = Population(4, 100)
    other.load_state(state, dict(population.policies))
    assert other.names == population.names
    assert other.state() == population.state()
    assert other.win_rate("s5") == population.win_rate("s5")
    with pytest.raises(ValueError, match=r"lacks the weights of snapshots \['s5'\]"):
        other.load_state(state, {name: 0 for name in state if name != "s5"})


def test_contradictions_are_refused() -> None:
    population = filled(2)
    with pytest.raises(ValueError, match="already holds"):
        population.add("s1", 1, 5)
    with pytest.raises(ValueError, match="must be younger"):
        population.add("s9", 1, 1)
    with pytest.raises(ValueError, match="at least one snapshot"):
        Population(0, 1)
