"""The one way in which fullpool compiles kernels: cached on disk, without the GIL, with IEEE arithmetic.

Fast-math stays off: it would break the exact mirror between the two sides of a match.
"""

from __future__ import annotations

from collections.abc import Callable
from types import MethodType
from typing import Any, TypeVar

from numba import njit, types
from numba.core.typing import make_concrete_template

_F = TypeVar("_F", bound=Callable[..., Any])


def _widest(argument: Any) -> Any:
    """Type that stands for all integers: int64; other types as they are."""
    if isinstance(argument, types.Literal):
        argument = argument.literal_type
    if isinstance(argument, types.Integer) and argument != types.uint64:
        return types.int64
    return argument


def _get_call_template(self: Any, args: Any, kws: Any) -> Any:
    """Compiles a callee for int64 instead of once for every mix of int32 and int64 that calls it."""
    signature, folded = self._compiler.fold_argument_types(args, kws)
    if self._can_compile:
        self.compile(tuple(_widest(argument) for argument in folded))
    name = self.py_func.__name__
    template = make_concrete_template(f"CallTemplate({name})", key=name, signatures=self.nopython_signatures)
    return template, signature, folded, {}


def kernel(function: _F) -> _F:
    """Compiles a function on its first call; division by zero gives inf or nan as in numpy, never an exception.

    Called by another kernel, a function is compiled once for all mixes of integers: they arrive as int64.
    """
    compiled: Any = njit(cache=True, nogil=True, error_model="numpy")(function)
    compiled.get_call_template = MethodType(_get_call_template, compiled)
    result: _F = compiled
    return result
