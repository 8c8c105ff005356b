"""Seeds split by name, so that training and evaluation never draw the same matches."""

from __future__ import annotations

import hashlib


def derive_seed(seed: int, *names: str | int) -> int:
    """Derives the seed of one purpose from the seed of the run.

    Args:
        seed: of the run.
        names: what the seed is for, from the general to the particular, such as `"evaluation", "g1", 30`.

    Returns:
        A number in [0, 2**63); other names give unrelated numbers.
    """
    # Lengths keep ("ab", "c") and ("a", "bc") apart.
    text = "|".join(f"{len(str(part))}:{part}" for part in (seed, *names))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "little") >> 1
