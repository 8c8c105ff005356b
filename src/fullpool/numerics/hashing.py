"""Counter-based randomness: a number is a hash of (stream, slot, tick, purpose), so nothing has to be stored."""

from __future__ import annotations

from typing import Any

import numpy as np

from fullpool.numerics.kernels import kernel


@kernel
def hash_u32(stream: int, slot: int, tick: int, purpose: int) -> Any:
    """Mixes four integers to 32 well spread bits (the finaliser of MurmurHash3 over a chained state).

    Args:
        stream: a word of the seed; each team has its own.
        slot: who asks, as a place inside its team, so that a mirrored match asks the same.
        tick: when.
        purpose: what for; keeps the uses of one tick apart.

    Returns:
        A number in [0, 2**32) as uint32.
    """
    h = np.uint32(stream) ^ (np.uint32(slot) * np.uint32(0x9E3779B1))
    h = np.uint32(h ^ (h >> np.uint32(16))) * np.uint32(0x85EBCA6B)
    h = np.uint32(h ^ (h >> np.uint32(13))) ^ (np.uint32(tick) * np.uint32(0xC2B2AE35))
    h = np.uint32(h ^ (h >> np.uint32(16))) * np.uint32(0x85EBCA6B)
    h = np.uint32(h ^ (h >> np.uint32(13))) ^ (np.uint32(purpose) * np.uint32(0x27D4EB2F))
    h = np.uint32(h ^ (h >> np.uint32(16))) * np.uint32(0xC2B2AE35)
    return np.uint32(h ^ (h >> np.uint32(16)))


@kernel
def uniform(stream: int, slot: int, tick: int, purpose: int) -> Any:
    """Uniform float32 in [0, 1) from the same four integers."""
    return np.float32(hash_u32(stream, slot, tick, purpose) >> np.uint32(8)) * np.float32(1.0 / 16777216.0)
