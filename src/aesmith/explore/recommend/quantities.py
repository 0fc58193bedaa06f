"""Quantities as people write them, such as 10Gbps, 12kGE or 2.5 ns, and back."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass

from aesmith.errors import RequestError

_WRITTEN = re.compile(r"\s*([0-9]+(?:[.,_][0-9]+)*(?:\.[0-9]*)?|\.[0-9]+)(?:[eE]([+-]?[0-9]+))?\s*(\S*(?:\s+\S+)*)\s*")


@dataclass(frozen=True)
class Kind:
    """A kind of quantity: its units, each with how many of the `unit` it is shown in; `example` is for errors.

    `bare` is the unit of a number that has none; None if a number needs one.
    """

    name: str
    unit: str
    units: Mapping[str, float]
    example: str
    bare: str | None = None

    def parse(self, text: str, field: str) -> float:
        """The quantity in `unit`. Raises RequestError, naming `field`, for what is not one, or not above zero."""
        found = _WRITTEN.fullmatch(text)
        if found is None:
            raise self._error(text, field)
        number = found[1].replace("_", "")
        if "," in number:
            raise RequestError(f"{field}: write decimals with a point and thousands with _ or nothing, not {text!r}")
        unit = found[3] or self.bare
        if unit is None:
            raise self._error(text, field)
        try:
            value = float(number) * 10.0 ** int(found[2] or 0) * self._factor(unit, text, field)
        except (ValueError, OverflowError) as error:
            raise self._error(text, field) from error
        if not 0 < value < math.inf:
            raise RequestError(f"{field}: must be above zero, not {text!r}")
        return value

    def _factor(self, unit: str, text: str, field: str) -> float:
        """As written, or else in any case, if that leaves no doubt: `gbps` is clear, `gb/s` and `MW` are not."""
        if unit in self.units:
            return self.units[unit]
        alike = {name: factor for name, factor in self.units.items() if name.lower() == unit.lower()}
        if len(set(alike.values())) > 1 or any(unit[0] == "M" and name[0] == "m" for name in alike):
            clear = " or ".join(alike)
            raise RequestError(
                f"{field}: {text!r} is unclear: b is a bit and B a byte, m is milli and M is mega; write {clear}"
            )
        if not alike:
            raise self._error(text, field)
        return next(iter(alike.values()))

    def _error(self, text: str, field: str) -> RequestError:
        units = ", ".join(self.units)
        rule = f"a number with a unit ({units})" if self.bare is None else f"a number, with a unit or without ({units})"
        return RequestError(f"{field}: must be {rule}, such as {self.example}, not {text!r}")


THROUGHPUT = Kind(
    "throughput",
    "Gbps",
    {
        **{"Tbps": 1e3, "Gbps": 1.0, "Mbps": 1e-3, "kbps": 1e-6},
        **{"Gbit/s": 1.0, "Mbit/s": 1e-3, "kbit/s": 1e-6, "Gb/s": 1.0, "Mb/s": 1e-3, "kb/s": 1e-6},
        **{"GB/s": 8.0, "MB/s": 8e-3, "kB/s": 8e-6},
    },
    "10Gbps",
)
AREA = Kind("area", "GE", {"GE": 1.0, "kGE": 1e3, "MGE": 1e6}, "12kGE", bare="GE")
TIME = Kind("latency", "ns", {"ps": 1e-3, "ns": 1.0, "us": 1e3, "µs": 1e3}, "25ns or 11cycles")
CLOCKS = Kind("latency", "cycles", {"cycles": 1.0, "cycle": 1.0, "clocks": 1.0, "clock": 1.0}, "11cycles")
FREQUENCY = Kind("frequency", "MHz", {"GHz": 1e3, "MHz": 1.0, "kHz": 1e-3}, "500MHz")
POWER = Kind("power", "µW", {"W": 1e6, "mW": 1e3, "uW": 1.0, "µW": 1.0, "nW": 1e-3}, "2mW")
ENERGY = Kind("energy", "pJ", {"nJ": 1e3, "pJ": 1.0, "fJ": 1e-3}, "40pJ")
EFFICIENCY = Kind("efficiency", "Kbps/GE", {"Kbps/GE": 1.0, "Mbps/GE": 1e3}, "400Kbps/GE", bare="Kbps/GE")
DURATION = Kind("time", "s", {"s": 1.0, "min": 60.0, "m": 60.0, "h": 3600.0}, "20min")


def written(value: float, unit: str) -> str:
    """A quantity for people, with four digits that mean something: `8,412 GE`, `0.6021 Gbps`, `12.5 ns`."""
    magnitude = abs(value)
    digits = max(0, 3 - math.floor(math.log10(magnitude))) if 0 < magnitude < 1e3 else 0
    text = f"{value:,.{digits}f}"
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return f"{text} {unit}"
