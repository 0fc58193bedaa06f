"""What the report shows of a point: its figures, its parameters, the conditions it was measured under."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class ReportFigure:
    """A column of numbers. `best` is what is good: least or most; `digits` stand after the decimal point."""

    name: str
    label: str
    unit: str
    digits: int
    best: str


@dataclass(frozen=True)
class ReportParameter:
    """A column to filter and colour by; `order` has the values that do not sort by themselves."""

    name: str
    label: str
    order: Sequence[str] = ()


def _power(direction: str) -> tuple[ReportFigure, ...]:
    way = f"{direction}ing"
    return (
        ReportFigure(f"energy_pj_per_block_{direction}", f"Energy a block, {way}", "pJ", 1, "least"),
        ReportFigure(f"power_uw_at_100mhz_{direction}", f"Power at 100 MHz, {way}", "µW", 0, "least"),
        ReportFigure(f"power_latency_product_{direction}", f"Power × latency, {way}", "fJ", 0, "least"),
        ReportFigure(f"glitch_fraction_{direction}", f"Glitches' part of energy, {way}", "", 2, "least"),
    )


FIGURES = (
    ReportFigure("area_ge", "Area", "GE", 0, "least"),
    ReportFigure("throughput_gbps", "Throughput", "Gbps", 2, "most"),
    ReportFigure("chained_gbps", "Throughput of a chained stream", "Gbps", 2, "most"),
    ReportFigure("latency_ns", "Latency", "ns", 2, "least"),
    ReportFigure("fmax_mhz", "Highest clock", "MHz", 0, "most"),
    ReportFigure("efficiency_kbps_per_ge", "Efficiency", "Kbps/GE", 1, "most"),
    *_power("encrypt"),
    *_power("decrypt"),
    ReportFigure("period_ns", "Period", "ns", 3, "least"),
    ReportFigure("cycles_per_block", "Clocks a block", "", 0, "least"),
    ReportFigure("latency_cycles", "Latency in clocks", "", 0, "least"),
    ReportFigure("blocks_in_flight", "Blocks in flight", "", 0, "most"),
    ReportFigure("logic_area_ge", "Area of logic", "GE", 0, "least"),
    ReportFigure("register_area_ge", "Area of registers", "GE", 0, "least"),
    ReportFigure("flip_flops", "Flip-flops", "", 0, "least"),
)
"""`chained_gbps` is made for the report: a block per latency, what one stream of CBC encryption gets."""

PARAMETERS = (
    ReportParameter("family", "Family"),
    ReportParameter("directions", "Directions", ("encrypt", "decrypt", "encrypt+decrypt")),
    ReportParameter("key_bits", "Key bits"),
    ReportParameter("sbox", "S-box"),
    ReportParameter("stages", "Stages"),
    ReportParameter("units", "Rounds in hardware"),
    ReportParameter("synthesis", "Synthesis", ("area", "area-speed", "speed")),
    ReportParameter("library", "Library"),
    ReportParameter("architecture", "Architecture"),
)

CONDITIONS = (
    ("library", "Library"),
    ("corner", "Corner"),
    ("synthesis", "Synthesis asked for"),
    ("recipe", "Recipe that gave it"),
    ("space", "Design space"),
)

DEFAULTS = {
    "x": "area_ge",
    "y": "throughput_gbps",
    "colour": "family",
    "headline": ["area_ge", "throughput_gbps", "latency_ns", "fmax_mhz"],
    "tip": ["area_ge", "throughput_gbps", "latency_ns"],
    "table": ["area_ge", "throughput_gbps", "latency_ns", "fmax_mhz", "efficiency_kbps_per_ge"],
}
