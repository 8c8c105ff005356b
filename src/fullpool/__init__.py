"""fullpool: one agent for a whole pool of heroes, and a drafter for them."""

from fullpool.numerics import kernel_cache
from fullpool.version import __version__

__all__ = ["__version__"]

# Before any room imports numba, which reads the folder's name once.
kernel_cache.activate()
