"""How kernels that only other kernels call are compiled: lowered to LLVM, but optimised only where they end up.

Numba optimises every function together with all that it calls, so that a helper six calls deep is optimised seven
times. A library of this module hands its code on as it was lowered: the one that Python calls is optimised once, as a
whole, and nothing is turned into machine code that nobody can call.
"""

from __future__ import annotations

from typing import Any

from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler


class _NoEnvironment:
    """Stands for the code generator where numba wants to write a function's address into loaded code: there is none."""

    def set_env(self, env_name: str, env: Any) -> None:
        """Does nothing: only exceptions that carry values would read it, and kernels raise none."""


class LinkedLibrary(JITCodeLibrary):
    """A function's code that is linked into its callers and never loaded by itself."""

    @property
    def codegen(self) -> Any:
        """What `get_executable` notes the environment with."""
        return _NoEnvironment()

    def get_pointer_to_function(self, name: str) -> int:
        """No machine code, no address."""
        self._ensure_finalized()  # type: ignore[no-untyped-call]
        return 0

    def _optimize_final_module(self) -> None:
        """Left to the library that this one is linked into."""

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()  # type: ignore[no-untyped-call]
        self._finalized = True


class LinkedCompiler(Compiler):
    """Numba's compiler, writing into a `LinkedLibrary`."""

    def _compile_bytecode(self) -> Any:
        code = self.state.targetctx.codegen()
        name = self.state.func_id.func_qualname
        self.state.library = LinkedLibrary(code, name)  # type: ignore[no-untyped-call]
        return super()._compile_bytecode()  # type: ignore[no-untyped-call]
