"""One draft from start to end, step by step, to be looked at."""

from __future__ import annotations

import pandas as pd

from fullpool.drafting.state import DraftRules, initial_state, take
from fullpool.drafting.strategies import Strategy

NUM_OTHERS = 3


def draft_example(rules: DraftRules, first: Strategy, second: Strategy, *, seed: int) -> pd.DataFrame:
    """Lets one strategy draft against another.

    Args:
        rules: format and pool.
        first: acts first.
        second: its opponent.
        seed: of both.

    Returns:
        One row a step: who acts, what is taken, its value for the acting team, visits, and the next best heroes.
    """
    drafters = [strategy.start(1, seed + side) for side, strategy in enumerate((first, second))]
    state, rows = initial_state(rules), []
    for step, (team, is_pick) in enumerate(zip(rules.team.tolist(), rules.is_pick.tolist())):
        suggestion = drafters[team].suggest([state])[0]
        names = [rules.heroes[hero] for hero in suggestion.heroes.tolist()]
        rows.append(
            {
                "step": step + 1,
                "team": team + 1,
                "strategy": (first, second)[team].name,
                "action": "pick" if is_pick else "ban",
                "hero": names[0],
                "value": float(suggestion.values[0]),
                "visits": int(suggestion.visits[0]),
                "others": ", ".join(names[1 : 1 + NUM_OTHERS]),
            }
        )
        state = take(rules, state, int(suggestion.heroes[0]))
    return pd.DataFrame(rows)
