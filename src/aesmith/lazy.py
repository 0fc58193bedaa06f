"""What takes long to be there and few verbs need: modules imported, and kernels compiled, when they are first used.

Kernels are functions that numba compiles to machine code at their first call. The compiled code is kept in the
`__pycache__` folder beside the source file, or, where that is not writable, in the user's cache folder;
`NUMBA_CACHE_DIR` in the environment names another place. A kernel is compiled again when its own file changes, or a
file that it takes kernels from. Of processes that need it at once, one compiles it; the others wait and read it.

numba takes half a second to import: that happens when the first kernel is called.
"""

from __future__ import annotations

import contextlib
import fcntl
import importlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, TypeVar, cast

from aesmith.errors import ToolError


@dataclass(frozen=True)
class LazyModule:
    """Stands for the module `name`. For type checkers, import the module itself under `TYPE_CHECKING`."""

    name: str

    def __getattr__(self, attribute: str) -> object:
        """What the module has under this name, the module imported if it was not.

        Raises ToolError for a module of another distribution that is not installed.
        """
        try:
            return getattr(importlib.import_module(self.name), attribute)
        except ModuleNotFoundError as error:
            if error.name != self.name or attribute.startswith("__"):
                raise
            raise ToolError(f"{self.name}: not installed; install it with `pip install {self.name}`") from error


if TYPE_CHECKING:
    import numba
else:
    numba = LazyModule("numba")

Function = TypeVar("Function", bound=Callable[..., object])

_LOCK = Lock()


class _Kernel:
    """Stands for a kernel until the first one of its file, or of one that takes it, is called; then numba's functions
    take their places."""

    def __init__(self, function: Callable[..., object], *, counted: bool) -> None:
        self.function = function
        self.counted = counted
        self.compiled: Any = None
        self.ready = False
        self.__doc__ = function.__doc__

    def __call__(self, *arguments: object) -> object:
        if not self.ready:
            with _LOCK:
                if self.compiled is None:
                    _compile_file(self.function.__globals__)
                with _alone(self.compiled):
                    self.compiled.compile(tuple(map(self.compiled.typeof_pyval, arguments)))
            self.ready = True
        return self.compiled(*arguments)


def compiled(function: Function) -> Function:
    """Decorator of a module's function that makes no arrays: compile it (numba's nopython mode), releasing the GIL.

    It takes numbers, numpy arrays and tuples of them, by position. References to these are not counted: that took two
    thirds of the time of kernels that take many arrays in tuples. numba refuses to compile one that makes an array, or
    copies one into another; none may return one.
    """
    return cast(Function, _Kernel(function, counted=False))


def compiled_with_arrays(function: Function) -> Function:
    """The same for a function that makes arrays or copies one into another: numba counts the references to all."""
    return cast(Function, _Kernel(function, counted=True))


def _compile_file(names: dict[str, Any]) -> None:
    """Put numba's functions in the places of all kernels of a module, where those that call them look for them; first
    those of other modules that it has taken."""
    kernels = {name: kernel for name, kernel in names.items() if isinstance(kernel, _Kernel)}
    taken = {name: kernel for name, kernel in kernels.items() if kernel.function.__globals__ is not names}
    for name, kernel in taken.items():
        if kernel.compiled is None:
            _compile_file(kernel.function.__globals__)
        names[name] = kernel.function.__globals__[kernel.function.__name__]
    own = {name: kernel for name, kernel in kernels.items() if name not in taken}
    # `_nrt`, by which numba compiles functions of its own, is not in its stubs.
    njit: Any = numba.njit
    for name, kernel in own.items():
        kernel.compiled = njit(cache=True, nogil=True, _nrt=kernel.counted)(kernel.function)
        names[name] = _for_kernels(kernel)
    files = _files(names, set()) - {names["__file__"]}
    stamps = [Path(file).stat().st_mtime_ns for file in sorted(files)]
    for name, kernel in own.items():
        # numba dates what it keeps by the kernel's own file; what is inlined from others would stay as it was.
        for function, prefix in ((kernel.compiled, ""), (names[name], "called-")):
            kept = function._cache._cache_file
            base = prefix + kept._index_name.removesuffix(".nbi")
            function._cache._cache_file = type(kept)(kept._cache_path, base, (*kept._source_stamp, *stamps))


@contextlib.contextmanager
def _alone(function: Any) -> Iterator[None]:
    """One process at a time is in here with the kernels of a file; it is not kept out where it cannot write."""
    folder = Path(function._cache.cache_path)
    with contextlib.ExitStack() as held:
        with contextlib.suppress(OSError):
            folder.mkdir(parents=True, exist_ok=True)
            lock = held.enter_context((folder / f"{Path(function.py_func.__code__.co_filename).stem}.lock").open("w"))
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _for_kernels(kernel: _Kernel) -> Any:
    """What other kernels call: the same function without the code that unpacks arguments of Python, which took two
    fifths of the time, kept in a file of its own. Called from Python, it is the kernel that has it."""

    dispatcher: Any = numba.core.registry.CPUDispatcher

    class Called(dispatcher):  # type: ignore[misc]
        entry = kernel.compiled

        def __call__(self, *arguments: object) -> object:
            return kernel(*arguments)

        def get_call_template(self, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
            """Called with numbers written out, it is compiled once, not for each of these numbers."""
            return super().get_call_template(tuple(map(numba.types.unliteral, arguments)), keywords)

    wrappers = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    options = {"nopython": True, "boundscheck": None, "nogil": True, "_nrt": kernel.counted, **wrappers}
    called = Called(kernel.function, targetoptions=options)
    called.enable_caching()
    return called


def _files(names: dict[str, Any], found: set[str]) -> set[str]:
    """The module's own file and those that its compiled kernels are taken from, however many files away."""
    if names["__file__"] not in found:
        found.add(names["__file__"])
        for value in list(names.values()):
            function = getattr(value, "py_func", None)
            if function is not None:
                _files(function.__globals__, found)
    return found
