"""fullpool: one agent for a whole pool of heroes, and a drafter for them."""

import os

from fullpool.numerics import kernel_cache
from fullpool.version import __version__

__all__ = ["__version__"]

# Work runs in threads of its own, one a core: torch's threads beside them make it ten times slower. Read by torch once,
# when it is imported; whoever has set it keeps it.
os.environ.setdefault("OMP_NUM_THREADS", "1")
# Before any room imports numba, which reads the folder's name once.
kernel_cache.activate()
