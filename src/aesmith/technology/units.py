"""Units of a Liberty file, as factors to those of the model: ns, fF, V, nW, fJ."""

from __future__ import annotations

import re
from dataclasses import dataclass

from aesmith.errors import RequestError
from aesmith.technology.liberty import Group, split_arguments

_PREFIX = {"": 1.0, "m": 1e-3, "u": 1e-6, "n": 1e-9, "p": 1e-12, "f": 1e-15}
_QUANTITY = re.compile(r"\s*([\d.eE+-]*)\s*([munpf]?)([sVWF])\s*", re.IGNORECASE)


@dataclass(frozen=True)
class Units:
    """Factors that turn the library's figures into ns, fF, V, nW; `energy` (fJ) is capacitance times voltage squared,
    as the Liberty user guide defines internal_power."""

    time: float
    capacitance: float
    voltage: float
    leakage: float

    @property
    def energy(self) -> float:
        """Factor to fJ."""
        return self.capacitance * self.voltage**2


def units_of(library: Group, source: str) -> Units:
    """The units a library group declares; absent ones have Liberty's defaults (1 ns, 1 V; power must be given)."""
    arguments = split_arguments(library.complex.get("capacitive_load_unit", ["1, pf"])[-1])
    if len(arguments) != 2:
        raise RequestError(f"liberty: {source}: capacitive_load_unit: must be (number, ff or pf), not {arguments}")
    return Units(
        time=_factor(library, "time_unit", "1ns", "s", source) / 1e-9,
        capacitance=_quantity("capacitive_load_unit", "".join(arguments), "F", source) / 1e-15,
        voltage=_factor(library, "voltage_unit", "1V", "V", source),
        leakage=_factor(library, "leakage_power_unit", "1nW", "W", source) / 1e-9,
    )


def _factor(library: Group, name: str, default: str, unit: str, source: str) -> float:
    return _quantity(name, library.attributes.get(name, default), unit, source)


def _quantity(name: str, text: str, unit: str, source: str) -> float:
    match = _QUANTITY.fullmatch(text)
    if match is None or match[3].upper() != unit.upper():
        raise RequestError(f"liberty: {source}: {name}: must be a number with a unit such as 1n{unit}, not {text!r}")
    try:
        number = float(match[1] or 1)
    except ValueError as error:
        raise RequestError(f"liberty: {source}: {name}: {match[1]!r} is no number") from error
    return number * _PREFIX[match[2].lower()]
