"""Figures, functions and tables of a Liberty file, each checked: what cannot be used is a `DefectError` that names the
place and the value."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np

from aesmith.errors import RequestError
from aesmith.technology.boolean import BooleanFunction, parse_function
from aesmith.technology.cell import CellTable, Values
from aesmith.technology.liberty import COMMENT, Group, Units, units_of

_ROWS = {"input_net_transition", "input_transition_time", "related_pin_transition"}
_LOADS = {"total_output_net_capacitance"}
_COLUMNS = _LOADS | {"constrained_pin_transition"}
_OF_DELAYS = ("input_net_transition", "total_output_net_capacitance", "another")
_OF_LIMITS = ("related_pin_transition", "constrained_pin_transition", "another")
_NONE = np.zeros(1)
_MOST_INPUTS = 16
_MOST = 1e9
"""A figure of a cell that is larger, in whatever unit, is a mistake, and ABC stops at some of them."""
_SEPARATORS = str.maketrans(',"\\', "   ")


class DefectError(Exception):
    """What is wrong with a cell, or with what a library says of itself."""


@dataclass(frozen=True)
class _Axes:
    """The axes of a table: rows, columns, its shape in the file, whether the file has columns first."""

    rows: Values
    columns: Values
    shape: tuple[int, ...]
    turned: bool


@dataclass(frozen=True)
class LibraryContext:
    """What the cells of one library group are read with: its units, its templates, its defaults."""

    units: Units
    templates: dict[str, Group]
    defaults: dict[str, str]
    axes: dict[tuple[str, ...], _Axes] = field(default_factory=dict)

    @classmethod
    def of(cls, group: Group, source: str) -> LibraryContext:
        """What the cells of a library group are read with."""
        kinds = ("lu_table_template", "power_lut_template")
        templates = {template.label: template for kind in kinds for template in group.all(kind)}
        return cls(units_of(group, source), templates, group.attributes)

    def optional(self, group: Group, name: str, factor: float, where: str = "") -> float | None:
        value = group.attributes.get(name)
        return None if value is None else number_of(value, where or name) * factor


def _float(value: str, where: str) -> float:
    try:
        return float(int(value, 16)) if value[:2].lower() == "0x" else float(value)
    except ValueError:
        raise DefectError(f"{where}: must be a number, not {value!r}") from None


def number_of(value: str, where: str) -> float:
    """A finite number of a plausible size."""
    number = _float(value, where)
    if not math.isfinite(number):
        raise DefectError(f"{where}: must be a finite number, not {value!r}")
    if abs(number) > _MOST:
        raise DefectError(f"{where}: must be at most {_MOST:g}, not {value}")
    return number


def amount_of(value: str, where: str) -> float:
    """A number that is not negative."""
    number = number_of(value, where)
    if number < 0:
        raise DefectError(f"{where}: must not be negative, not {value}")
    return number


def limit_of(value: str | None, where: str) -> float | None:
    """A limit; some libraries have one that no figure reaches in the place of none."""
    if value is None or _float(value, where) > _MOST:
        return None
    return amount_of(value, where)


def function_of(text: str, where: str) -> BooleanFunction:
    """A boolean expression of at most 16 inputs."""
    try:
        function = parse_function(text, where)
    except RequestError as error:
        raise DefectError(str(error).removeprefix("liberty: ")) from None
    if len(function.inputs) > _MOST_INPUTS:
        raise DefectError(f"{where}: has {len(function.inputs)} inputs; at most {_MOST_INPUTS} are taken")
    return function


def check_names(function: BooleanFunction, known: set[str], where: str) -> None:
    """Raise DefectError if a function names anything that is not known."""
    for name in function.inputs:
        if name not in known:
            raise DefectError(f"{where}: {function.text!r} names {name}, which is no pin of the cell")


def when_of(group: Group, known: set[str], where: str) -> BooleanFunction | None:
    """The condition of a group, of the pins that are known; None where it has none."""
    condition = group.attributes.get("when")
    if not condition:
        return None
    function = function_of(condition, f"{where}: when")
    check_names(function, known, f"{where}: when")
    return function


def table_of(group: Group, where: str, factor: float, context: LibraryContext) -> CellTable:
    """A table, its values times `factor`."""
    raw = group.complex.get("values")
    if not raw:
        raise DefectError(f"{where}: the table has no values")
    label = group.label
    indices = tuple((group.complex.get(f"index_{number}") or [""])[-1] for number in "123")
    usual = _OF_LIMITS if group.name.endswith("_constraint") else _OF_DELAYS
    axes = context.axes.get((*usual, label, *indices))
    if axes is None:
        axes = context.axes[*usual, label, *indices] = _axes(label, usual, indices, context, where)
    values = _numbers(raw[-1], factor, f"{where}: values")
    if values.size != math.prod(axes.shape):
        raise DefectError(
            f"{where}: {values.size} values do not fit its axes ({' x '.join(map(str, axes.shape)) or 'none: 1 value'})"
        )
    grid = values.reshape(axes.shape).T if axes.turned else values
    return CellTable(axes.rows, axes.columns, grid.reshape(len(axes.rows), len(axes.columns)))


def _axes(label: str, usual: tuple[str, ...], indices: tuple[str, ...], context: LibraryContext, where: str) -> _Axes:
    """The axes of a table of this template, of which it may give other indices itself. A table without template that
    gives indices has the `usual` variables."""
    template = context.templates.get(label)
    if template is None and label not in ("", "scalar"):
        raise DefectError(f"{where}: its template {label} is not there")
    axes: list[tuple[str, Values]] = []
    for number, own, other in zip("123", indices, usual, strict=True):
        given = own or ((template.complex.get(f"index_{number}") or [""])[-1] if template else "")
        variable = template.attributes.get(f"variable_{number}") if template else other
        if not given or variable is None:
            break
        factor = context.units.capacitance if variable in _LOADS else context.units.time
        of = where if own else f"{where}: template {label}"
        axis = _numbers(given, factor, f"{of}: index_{number}")
        if not axis.size or (np.diff(axis) <= 0).any():
            raise DefectError(f"{of}: index_{number}: must rise from one to the next, not {_plain(given)}")
        axes.append((variable, axis))
    names = tuple(name for name, _ in axes)
    unknown = [name for name in names if name not in _ROWS | _COLUMNS]
    if unknown or any(sum(name in kind for name in names) > 1 for kind in (_ROWS, _COLUMNS)):
        raise DefectError(
            f"{where}: a table over {', '.join(names)} is not taken; it may be over the transition of an input and "
            "total_output_net_capacitance, or over the transitions of two pins"
        )
    return _Axes(
        rows=next((axis for name, axis in axes if name in _ROWS), _NONE),
        columns=next((axis for name, axis in axes if name in _COLUMNS), _NONE),
        shape=tuple(len(axis) for _, axis in axes),
        turned=len(names) == 2 and names[0] in _COLUMNS,
    )


def _plain(raw: str) -> str:
    return ", ".join(raw.translate(_SEPARATORS).split())


def _numbers(raw: str, factor: float, where: str) -> Values:
    try:
        return _values(raw, factor)
    except ValueError as error:
        raise DefectError(f"{where}: {error}") from None


@lru_cache(maxsize=4096)
def _values(raw: str, factor: float) -> Values:
    plain = COMMENT.sub(" ", raw) if "/" in raw else raw
    numbers = np.array(list(map(float, plain.translate(_SEPARATORS).split())))
    numbers *= factor
    # One test of the sum finds what is not finite among them.
    if not abs(float(numbers.sum())) <= _MOST:
        wrong = next((n for n in numbers.tolist() if not abs(n) <= _MOST), None)
        raise ValueError(f"must be numbers of at most {_MOST:g}" + ("" if wrong is None else f", not {wrong:g}"))
    numbers.setflags(write=False)
    return numbers
