"""Machine-code kernels: functions that numba compiles at their first call and keeps on disk.

The compiled code is kept in the `__pycache__` folder beside the source file, or, where that is not writable, in the
user's cache folder; `NUMBA_CACHE_DIR` in the environment names another place. A kernel is compiled again when its own
file changes but not when a file that it calls into does, so kernels that call one another live in one file.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar, cast

import numba

Function = TypeVar("Function", bound=Callable[..., object])


def compiled(function: Function) -> Function:
    """Decorator: compile a function of numbers and numpy arrays (numba's nopython mode), releasing the GIL."""
    return cast(Function, numba.njit(cache=True, nogil=True)(function))
