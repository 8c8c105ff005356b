"""The one way in which fullpool compiles kernels: cached on disk, without the GIL, with IEEE arithmetic.

Fast-math stays off: it would break the exact mirror between the two sides of a match.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from numba import njit

_F = TypeVar("_F", bound=Callable[..., Any])


def kernel(function: _F) -> _F:
    """Compiles a function on its first call; division by zero gives inf or nan as in numpy, never an exception."""
    compiled: _F = njit(cache=True, nogil=True, error_model="numpy")(function)
    return compiled
