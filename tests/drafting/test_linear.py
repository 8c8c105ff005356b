from __future__ import annotations

from itertools import combinations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from fullpool.drafting.linear import signed_one_hot


@given(st.integers(4, 9), st.integers(0, 2**32 - 1))
def test_columns_are_strengths_then_pairs_of_a_team_then_pairs_across(num_heroes: int, seed: int) -> None:
    lineup = np.random.default_rng(seed).permutation(num_heroes)[:4].reshape(1, 2, 2)
    pairs = list(combinations(range(num_heroes), 2))
    expected = np.zeros(num_heroes + 2 * len(pairs))
    for team, sign in ((0, 1), (1, -1)):
        expected[lineup[0, team]] = sign
        expected[num_heroes + pairs.index(tuple(sorted(lineup[0, team].tolist())))] = sign
    for one in lineup[0, 0].tolist():
        for other in lineup[0, 1].tolist():
            place = pairs.index((min(one, other), max(one, other)))
            expected[num_heroes + len(pairs) + place] = 1 if one < other else -1
    rows = signed_one_hot(lineup.astype(np.int16), num_heroes, pair_scale=0.5)
    expected[num_heroes:] *= 0.5
    np.testing.assert_array_equal(rows.toarray()[0], expected)
    plain = signed_one_hot(lineup.astype(np.int16), num_heroes, pair_scale=None)
    np.testing.assert_array_equal(plain.toarray()[0], expected[:num_heroes])
    swapped = signed_one_hot(lineup[:, ::-1].astype(np.int16), num_heroes, pair_scale=0.5)
    np.testing.assert_array_equal(swapped.toarray()[0], -expected)
