"""Kernels: plain functions compiled as a whole, helpers linked or pasted into whoever calls them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numba.core.caching import NullCache
from numpy.typing import NDArray

from fullpool.numerics.kernels import inlined, kernel


@kernel
def _square(x: Any) -> Any:
    return x * x


@inlined
def _plus_square(total: Any, x: Any) -> Any:
    return total + _square(x)


@kernel
def _first_negative(values: NDArray[Any]) -> int:
    for i in range(values.shape[0]):
        if values[i] < 0:
            return i
    return -1


@kernel
def sum_of_squares(values: NDArray[Any]) -> Any:
    total = np.float32(0.0)
    for i in range(values.shape[0]):
        total = _plus_square(total, values[i])
    return total if _first_negative(values) < 0 else -total


# What comes from the disk shows no code: a second run of the tests would find nothing to look at.
sum_of_squares._cache = NullCache()  # type: ignore[attr-defined]


@kernel
def doubled(values: NDArray[Any]) -> NDArray[Any]:
    out = np.empty(values.shape[0], np.float32)
    for i in range(values.shape[0]):
        out[i] = _plus_square(values[i], np.float32(1.0))
    return out


@kernel
def quotient(a: Any, b: Any) -> Any:
    return a / b


def _library_of(helper: Any) -> Any:
    """Code of the copy that kernels call."""
    return next(iter(helper.inner.overloads.values())).library


@pytest.mark.parametrize(("values", "expected"), [([1, 2, 3], 14.0), ([], 0.0), ([2, -1], -5.0)])
def test_a_kernel_does_what_its_function_does(values: list[float], expected: float) -> None:
    array = np.array(values, np.float32)
    assert sum_of_squares(array) == expected
    assert sum_of_squares.py_func(array) == expected  # type: ignore[attr-defined]


def test_kernels_that_make_arrays_call_helpers_too() -> None:
    assert doubled(np.array([1, 5], np.float32)).tolist() == [2.0, 6.0]


def test_division_by_zero_raises_nothing() -> None:
    assert np.isinf(quotient(np.float32(1), np.float32(0)))


def test_helpers_are_callable_by_themselves() -> None:
    assert _square(np.float32(3)) == 9.0
    assert _plus_square(np.float32(1), np.float32(2)) == 5.0


def test_what_kernels_call_is_not_made_into_machine_code_of_its_own() -> None:
    sum_of_squares(np.ones(2, np.float32))
    for helper in (_square, _plus_square, _first_negative):
        library = _library_of(helper)
        assert all(
            library.get_pointer_to_function(function.name) == 0
            for function in library.get_defined_functions()
        )
    whole = next(iter(sum_of_squares.overloads.values())).library  # type: ignore[attr-defined]
    assert any(whole.get_pointer_to_function(function.name) for function in whole.get_defined_functions())


def test_inlined_helpers_leave_no_call() -> None:
    sum_of_squares(np.ones(2, np.float32))
    assert "_plus_square" not in _calls(sum_of_squares)


def _calls(compiled: Any) -> str:
    """The lines of a kernel's assembly that call something."""
    assembly = next(iter(compiled.inspect_asm().values()))
    return "\n".join(line for line in assembly.splitlines() if "call" in line)
