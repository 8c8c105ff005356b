"""Tests of fullpool.league.seeds."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from fullpool.league.seeds import derive_seed

NAMES = st.lists(st.one_of(st.text(max_size=4), st.integers(0, 99)), max_size=3)


@given(st.integers(0, 2**40), NAMES, NAMES)
def test_seeds_are_equal_only_for_equal_names(
    seed: int, first: list[str | int], second: list[str | int]
) -> None:
    same = [str(part) for part in first] == [str(part) for part in second]
    assert (derive_seed(seed, *first) == derive_seed(seed, *second)) is same
    assert 0 <= derive_seed(seed, *first) < 2**63


def test_names_do_not_run_into_each_other() -> None:
    assert derive_seed(1, "ab", "c") != derive_seed(1, "a", "bc")
    assert derive_seed(1, "training") != derive_seed(1, "evaluation")
