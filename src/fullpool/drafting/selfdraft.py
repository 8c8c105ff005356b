"""Line-ups drafted by the search against itself, in chunks: what the value network learns from.

The search plays every draft to its end with the predictor rating it, and keeps its trees between picks. A chunk
depends on the seed and its own number only, so a run that was cut short goes on with the next chunk and ends with the
same drafts.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fullpool.drafting.search import EndFn, Search
from fullpool.drafting.settings import SelfDraftSettings
from fullpool.drafting.state import DraftRules, DraftState, initial_state, legal_heroes, take
from fullpool.drafting.value import DraftSamples


class DraftChunk(NamedTuple):
    """Drafts of one chunk: its number, how many there are in all, and the samples."""

    number: int
    num_chunks: int
    samples: DraftSamples


def draft_chunks(
    rules: DraftRules, end_fn: EndFn, settings: SelfDraftSettings, *, seed: int, done: int = 0
) -> Iterator[DraftChunk]:
    """Makes drafts chunk by chunk.

    Args:
        rules: format and pool.
        end_fn: rates finished drafts: the predictor.
        settings: the drafts.
        seed: of all chunks.
        done: chunks that are already there; it goes on after them.

    Yields:
        The chunks that are not done yet, in order.
    """
    for index in range(done, settings.num_chunks):
        count = min(settings.chunk_drafts, settings.num_drafts - index * settings.chunk_drafts)
        samples = _draft(rules, end_fn, settings, count, np.random.SeedSequence([seed, index]))
        yield DraftChunk(index, settings.num_chunks, samples)


def join_chunks(chunks: list[DraftSamples]) -> DraftSamples:
    """Puts the samples of several chunks together."""
    return DraftSamples(
        np.concatenate([c.histories for c in chunks]), np.concatenate([c.values for c in chunks])
    )


def _draft(
    rules: DraftRules,
    end_fn: EndFn,
    settings: SelfDraftSettings,
    count: int,
    sequence: np.random.SeedSequence,
) -> DraftSamples:
    generator = np.random.default_rng(sequence)
    seed = int(generator.integers(2**31))
    search = Search(rules, settings.search, end_fn, None, num_drafts=count, seed=seed)
    states = [initial_state(rules) for _ in range(count)]
    for _ in range(rules.num_steps):
        suggestions = search.suggest(states)
        heroes = [
            _draw(rules, state, s.heroes, s.visits, settings, generator)
            for state, s in zip(states, suggestions)
        ]
        states = [take(rules, state, hero) for state, hero in zip(states, heroes)]
    histories = np.array([state.history for state in states], np.int16)
    return DraftSamples(histories, end_fn(np.stack([state.owner for state in states])))


def _draw(
    rules: DraftRules,
    state: DraftState,
    heroes: NDArray[np.int16],
    visits: NDArray[np.int32],
    settings: SelfDraftSettings,
    generator: np.random.Generator,
) -> int:
    """Draws a step: at random, or by visits, where the first choice counts as the most visited."""
    if generator.random() < settings.random_share:
        return int(generator.choice(np.flatnonzero(legal_heroes(rules, state))))
    if settings.temperature == 0:
        return int(heroes[0])
    counts = visits.astype(np.float64)
    counts[0] = counts.max()
    odds = (counts / counts.max()) ** (1 / settings.temperature)
    return int(generator.choice(heroes, p=odds / odds.sum()))
