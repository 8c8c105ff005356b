"""The one way in which fullpool compiles kernels: cached on disk, without the GIL, with IEEE arithmetic.

Fast-math stays off: it would break the exact mirror between the two sides of a match. Reference counting (`_nrt`)
stays off where a kernel makes no array of its own: numba counts every use of an array with an atomic instruction, and
a tuple of a dozen arrays handed from kernel to kernel then costs more than the work (observing one match: 160 us with,
33 us without; all masks of a match: 120 us with, 2 us without, on a busy machine).
"""

from __future__ import annotations

from collections.abc import Callable
from types import MethodType
from typing import Any, TypeVar

import numba
from numba import types
from numba.core.typing.templates import make_concrete_template

from fullpool.numerics.linking import LinkedCompiler

_F = TypeVar("_F", bound=Callable[..., Any])
_njit: Any = numba.njit  # its typing leaves out options that numba itself uses
_make_template: Any = make_concrete_template


_MAKES_ARRAYS = frozenset(
    "arange argsort array asarray astype bincount concatenate copy cumsum diff dot empty empty_like eye flatnonzero "
    "flatten full full_like linspace nonzero ones ones_like ravel repeat sort stack take transpose unique where zeros "
    "zeros_like".split()
)
"""Names by which a kernel that makes arrays is known: it needs numba's reference counting."""


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
    inner = self.inner
    inner.compile(tuple(_widest(argument) for argument in folded))
    name = self.py_func.__name__
    template = _make_template(f"CallTemplate({name})", key=name, signatures=inner.nopython_signatures)
    return template, signature, folded, {}


def _get_overload(self: Any, signature: Any) -> Any:
    """Entry point of the copy that kernels call."""
    return self.inner.get_overload(signature)


def _compile(function: _F, inline: bool) -> _F:
    makes_arrays = not _MAKES_ARRAYS.isdisjoint(function.__code__.co_names)
    options: dict[str, Any] = {"nogil": True, "error_model": "numpy", "_nrt": makes_arrays}
    compiled: Any = _njit(cache=True, **options)(function)
    compiled.inner = _njit(
        no_cpython_wrapper=True,
        no_cfunc_wrapper=True,
        pipeline_class=LinkedCompiler,
        forceinline=inline,
        **options,
    )(function)
    compiled.get_call_template = MethodType(_get_call_template, compiled)
    compiled.get_overload = MethodType(_get_overload, compiled)
    result: _F = compiled
    return result


def kernel(function: _F) -> _F:
    """Compiles a function on its first call; division by zero gives inf or nan as in numpy, never an exception.

    What Python calls is cached on disk. What other kernels call is a second copy, compiled once for all mixes of
    integers (they arrive as int64) and without a door for Python, which halves the time of a cold compilation.
    """
    return _compile(function, inline=False)


def inlined(function: _F) -> _F:
    """Compiles a function as `kernel` does, and into the body of every kernel that calls it.

    For what is called often and from one or two places: every array that is handed on costs seven words and more, so
    that a call with all tables of a game costs as much as hundreds of operations.
    """
    return _compile(function, inline=True)
