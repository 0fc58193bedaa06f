"""What takes long to be there and few verbs need: modules imported, and kernels compiled, when they are first used.

Kernels are functions that numba compiles to machine code at their first call. The compiled code is kept in the
`__pycache__` folder beside the source file, or, where that is not writable, in the user's cache folder;
`NUMBA_CACHE_DIR` in the environment names another place. A kernel is compiled again when its own file changes but not
when a file that it calls into does, so kernels that call one another live in one file.

numba takes half a second to import: that happens when the first kernel is called.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING, Any, TypeVar, cast


@dataclass(frozen=True)
class LazyModule:
    """Stands for the module `name`. For type checkers, import the module itself under `TYPE_CHECKING`."""

    name: str

    def __getattr__(self, attribute: str) -> object:
        """What the module has under this name, the module imported if it was not."""
        return getattr(importlib.import_module(self.name), attribute)


if TYPE_CHECKING:
    import numba
else:
    numba = LazyModule("numba")

Function = TypeVar("Function", bound=Callable[..., object])

_LOCK = Lock()


class _Kernel:
    """Stands for a kernel until the first one of its file is called; then numba's functions take their places."""

    def __init__(self, function: Callable[..., object]) -> None:
        self.function = function
        self.compiled: Callable[..., object] | None = None
        self.__doc__ = function.__doc__

    def __call__(self, *arguments: object) -> object:
        if self.compiled is None:
            with _LOCK:
                _compile_file(self.function.__globals__)
        assert self.compiled is not None
        return self.compiled(*arguments)


def compiled(function: Function) -> Function:
    """Decorator of a module's function: compile it (numba's nopython mode), releasing the GIL.

    It takes numbers, numpy arrays and tuples of them, by position.
    """
    return cast(Function, _Kernel(function))


def _compile_file(names: dict[str, Any]) -> None:
    """Put numba's functions in the places of all kernels of a module, where those that call them look for them."""
    kernels = {name: kernel for name, kernel in names.items() if isinstance(kernel, _Kernel)}
    functions = {name: numba.njit(cache=True, nogil=True)(kernel.function) for name, kernel in kernels.items()}
    names.update(functions)
    for name, kernel in kernels.items():
        kernel.compiled = functions[name]
