"""The table of public cores: a line a core and key size, the best by throughput an area first."""

from __future__ import annotations

from dataclasses import replace

from aesmith.cores.design import CoreDesign
from aesmith.flow.measurement import Measurement, efficiency_kbps_per_ge, throughput_gbps

PEER_COLUMNS = (
    "core",
    "whose",
    "direction",
    "key bits",
    "key",
    ">cycles per block",
    ">area (GE)",
    ">period (ns)",
    ">with ports (ns)",
    ">Gbit/s",
    ">Kbit/s/GE",
)
"""Titles of its columns; those that begin with `>` are of numbers."""


def best_first(row: tuple[Measurement, tuple[str, ...]]) -> float:
    """Sort key of a measurement with its line."""
    return -(row[0].efficiency_kbps_per_ge or 0.0)


def rated(found: Measurement, clocks: float) -> Measurement:
    """The measurement with other clocks per block: a key size of a core that has several."""
    period = found.period_ns
    return replace(
        found,
        cycles_per_block=clocks,
        throughput_gbps=None if period is None else throughput_gbps(period, clocks),
        efficiency_kbps_per_ge=None if period is None else efficiency_kbps_per_ge(period, clocks, found.area_ge),
    )


def peer_row(name: str, whose: str, design: CoreDesign, key_bits: int, found: Measurement) -> tuple[str, ...]:
    """The line of a core with keys of `key_bits`; `name` and `whose` may be Markdown."""

    def words(value: float | None, digits: int) -> str:
        return "–" if value is None else f"{value:,.{digits}f}"

    return (
        name,
        whose,
        "both" if len(design.directions) > 1 else design.directions[0],
        str(key_bits) if len(design.key_bits) == 1 else f"{key_bits} of {'/'.join(map(str, design.key_bits))}",
        "inside" if getattr(design.measured, "key_kept", True) else "with each block",
        f"{found.cycles_per_block:g}",
        words(found.area_ge, 0),
        words(found.period_ns, 3),
        words(found.period_with_ports_ns, 3),
        words(found.throughput_gbps, 2),
        words(found.efficiency_kbps_per_ge, 1),
    )
