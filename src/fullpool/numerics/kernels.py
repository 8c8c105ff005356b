"""The one way in which fullpool compiles kernels: cached on disk, without the GIL, with IEEE arithmetic.

Fast-math stays off: it would break the exact mirror between the two sides of a match. Reference counting stays off
where a kernel makes no array of its own: numba counts every use of an array with an atomic instruction, and a tuple of
a dozen arrays handed from kernel to kernel then costs more than the work (measured on the observation of one match:
160 microseconds with, 33 without, on a busy machine).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from numba import njit

_F = TypeVar("_F", bound=Callable[..., Any])

_MAKES_ARRAYS = frozenset(
    "arange argsort array asarray astype bincount concatenate copy cumsum diff dot empty empty_like eye flatnonzero "
    "flatten full full_like linspace nonzero ones ones_like ravel repeat sort stack take transpose unique where zeros "
    "zeros_like".split()
)


def kernel(function: _F) -> _F:
    """Compiles a function on its first call; division by zero gives inf or nan as in numpy, never an exception.

    A kernel that makes arrays without naming one of numpy's functions for it (by an array expression or an index
    array) does not compile ("No implementation", "NRT required"): write loops, or call `np.empty` for the result.
    """
    makes_arrays = not _MAKES_ARRAYS.isdisjoint(function.__code__.co_names)
    compiled: _F = njit(cache=True, nogil=True, error_model="numpy", _nrt=makes_arrays)(function)
    return compiled
