"""Kernels are compiled when the first of their file is called, all of them together."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from importlib.resources import files
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest
from numpy.typing import NDArray

from aesmith.errors import ToolError
from aesmith.lazy import LazyModule, compiled, compiled_with_arrays


@compiled
def _squares(count: int) -> int:
    """Sum of the squares below `count`."""
    total = 0
    for i in range(count):
        total += _square(i)
    return total


@compiled
def _square(number: int) -> int:
    return number * number


def test_a_kernel_calls_kernels_of_its_file_from_any_thread() -> None:
    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(_squares, range(5))) == [0, 0, 1, 5, 14]
    assert _square(7) == 49


@compiled
def _of_five_and_seven() -> int:
    return _square(5) + _square(7)


def test_a_kernel_is_compiled_once_for_all_numbers_that_others_call_it_with() -> None:
    assert _of_five_and_seven() == 74
    compiled_for: Any = _square
    for number in (5, 7):
        compiled_for.get_call_template((numba.types.literal(number),), {})
    assert [str(number) for (number,) in compiled_for.signatures] == ["int64"]


def test_a_kernel_keeps_its_docstring() -> None:
    assert _squares.__doc__ == "Sum of the squares below `count`."


TOGETHER = """
import numba
from aesmith.lazy import compiled

@compiled
def total(count: int) -> int:
    found = 0
    for i in range(count):
        found += i
    return found

print("imported", flush=True)
input()
assert total(5) == 10
print(*(sum(count.values()) for count in (total.entry.stats.cache_hits, total.entry.stats.cache_misses)))
"""


def test_of_processes_that_need_a_kernel_at_once_one_compiles_it(tmp_path: Path) -> None:
    (tmp_path / "together.py").write_text(TOGETHER)
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "kept")}
    command = [sys.executable, str(tmp_path / "together.py")]
    pipe = subprocess.PIPE
    started = [subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, env=environment) for _ in range(2)]
    for process in started:
        assert process.stdout is not None
        assert process.stdout.readline() == "imported\n"
    for process in started:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
    assert sorted(process.communicate()[0] for process in started) == ["0 1\n", "1 0\n"]


CALLED = """
from aesmith.lazy import compiled

@compiled
def outer(number: int) -> int:
    return inner(number) + 1

@compiled
def inner(number: int) -> int:
    return number * number

def wrapped(function):
    (made,) = function.overloads.values()
    return "_ZN7cpython" in made.library.get_llvm_str()

assert outer(3) == 10
print(wrapped(outer.entry), wrapped(inner), len(inner.entry.overloads))
assert inner(3) == 9
print(wrapped(inner.entry))
"""


def test_what_kernels_call_has_no_code_for_calls_from_python_and_can_be_called_from_there(tmp_path: Path) -> None:
    (tmp_path / "called.py").write_text(CALLED)
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "kept")}
    command = [sys.executable, str(tmp_path / "called.py")]
    assert subprocess.check_output(command, text=True, env=environment) == "True False 0\nTrue\n"
    kept = [file.name for file in (tmp_path / "kept").rglob("*.nbi")]
    assert len(kept) == 3
    assert sum(name.startswith("called-called.inner") for name in kept) == 1


def test_a_module_that_is_not_installed_is_named_with_the_way_to_get_it() -> None:
    with pytest.raises(ToolError, match="no_such_module: not installed; install it with `pip install no_such_module`"):
        LazyModule("no_such_module").thing  # noqa: B018 - asking for it is what imports


def test_numba_is_not_imported_before_a_kernel_is_called() -> None:
    modules = "aesmith.circuits.linear.node_set, aesmith.fields.offset_search"
    code = f"import sys, {modules}; sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@compiled
def _ones(count: int) -> float:
    return float(np.ones(count).sum())


@compiled
def _copy(source: NDArray[np.float64], target: NDArray[np.float64]) -> None:
    target[:] = source


@compiled_with_arrays
def _copy_counted(source: NDArray[np.float64], target: NDArray[np.float64]) -> None:
    target[:] = source


def test_a_kernel_that_makes_arrays_is_refused_unless_it_says_so() -> None:
    with pytest.raises(Exception, match="Only accept returning of array passed into the function"):
        _ones(3)
    with pytest.raises(Exception, match="NRT"):
        _copy(np.ones(2), np.zeros(2))
    target = np.zeros(2)
    _copy_counted(np.ones(2), target)
    assert target.tolist() == [1.0, 1.0]


def test_kernels_whose_references_are_not_counted_return_numbers_only() -> None:
    """An array that one returned would be freed under its other holders."""
    numbers = re.compile(r"(None|int|float|bool|np\.uint\d+|Number|tuple\[(int|float|bool)(, (int|float|bool))*\])")
    found = 0
    for file in Path(str(files("aesmith"))).rglob("*.py"):
        for function in ast.parse(file.read_text(encoding="utf-8")).body:
            if isinstance(function, ast.FunctionDef) and "compiled" in map(ast.unparse, function.decorator_list):
                assert function.returns is not None
                assert numbers.fullmatch(ast.unparse(function.returns)), f"{file.name}: {function.name}"
                found += 1
    assert found > 50
