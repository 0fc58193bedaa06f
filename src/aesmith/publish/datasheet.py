"""The datasheet of a core, in Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from aesmith import __version__
from aesmith.cores.design import CoreDesign
from aesmith.flow.measurement import Measurement
from aesmith.publish.netlist import ModuleUse, Port
from aesmith.publish.schedule import Step
from aesmith.publish.templating import render

PORT_MEANINGS = {
    "clk_i": "clock, rising edge",
    "rst_ni": "reset, active low; clears control state only",
    "key_valid_i": "a key is offered",
    "key_ready_o": "the core takes a key",
    "key_i": "key",
    "key_bits_i": "size of the key: 0, 1 or 2 = 128, 192 or 256 bits; sampled with it",
    "block_valid_i": "a block is offered",
    "block_ready_o": "the core takes a block",
    "block_i": "block",
    "decrypt_i": "1 = decrypt, 0 = encrypt; sampled with the block",
    "block_valid_o": "a result is offered",
    "block_ready_i": "the surroundings take the result",
    "block_o": "result",
    "clear_i": "wipes key and state registers in one clock",
}

# Field of a measurement, what it is called, unit, decimals.
_FIGURES = (
    ("area_ge", "area", "GE", 0),
    ("logic_area_ge", "– of which logic", "GE", 0),
    ("register_area_ge", "– of which registers", "GE", 0),
    ("flip_flops", "flip-flops", "", 0),
    ("period_ns", "period", "ns", 3),
    ("input_to_register_ns", "– input to register", "ns", 3),
    ("register_to_output_ns", "– register to output", "ns", 3),
    ("fmax_mhz", "fmax", "MHz", 1),
    ("cycles_per_block", "clocks from block to block", "", 0),
    ("latency_cycles", "clocks from block to result", "", 0),
    ("latency_ns", "latency", "ns", 2),
    ("throughput_gbps", "throughput", "Gbit/s", 3),
    ("efficiency_kbps_per_ge", "efficiency", "Kbps/GE", 1),
)


@dataclass(frozen=True)
class FigureRow:
    """A figure for people: what it is, and its value with the unit, or why there is none."""

    label: str
    value: str


def figure_rows(measurement: Measurement) -> Iterator[FigureRow]:
    """All figures of a measurement in their usual order; a gap says that it is one, and why."""
    for field, label, unit, decimals in _FIGURES:
        value = getattr(measurement, field)
        if value is None:
            yield FigureRow(label, f"not measured: {measurement.gaps.get(field, 'no reason given')}")
        else:
            yield FigureRow(label, f"{value:,.{decimals}f} {unit}".rstrip())


def datasheet(
    design: CoreDesign,
    *,
    ports: Sequence[Port],
    modules: Sequence[ModuleUse],
    steps: Sequence[Step],
    measurements: Sequence[Measurement] = (),
    verification: str = "",
    testbench: bool = True,
) -> str:
    """The text of datasheet.md; it shows `diagram.svg` and `waveform.svg` beside it.

    `verification` is one paragraph on what was verified; empty if nothing was.
    """
    return render(
        "datasheet.md",
        design=design,
        version=__version__,
        ports=ports,
        meanings=PORT_MEANINGS,
        steps=steps,
        parameters=[(name, _value(value)) for name, value in design.parameters.items()],
        measurements=list(measurements),
        figure_rows=figure_rows,
        verification=verification or "Not verified yet: `aesmith verify` with this folder verifies the sources in it.",
        modules=modules,
        testbench=testbench,
    )


def _value(value: object) -> str:
    if isinstance(value, list | tuple):
        return ", ".join(_value(item) for item in value)
    return f"`{value}`" if isinstance(value, bool | int | float) else str(value)
