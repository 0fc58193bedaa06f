"""A design that measures in a second, and a measurement that took none."""

from __future__ import annotations

import pytest

from aesmith.circuits.circuit import CircuitBuilder
from aesmith.cores.leaf import LeafDesign, between_registers
from aesmith.flow.measurement import Candidate, Measurement, Optimise, PlacedFigures
from aesmith.technology.library import Library
from aesmith.technology.registry import library_by
from aesmith.timing.static import PathPoint


@pytest.fixture(scope="session")
def library() -> Library:
    return library_by("generic45")


@pytest.fixture(scope="session")
def small() -> LeafDesign:
    """One XOR between registers."""
    builder = CircuitBuilder("one_xor")
    a, b = builder.input("x", 2)
    builder.output("y", [builder.xor(a, b)])
    return between_registers(builder.build(), "one_xor", block_bits=2)


@pytest.fixture(scope="session")
def figures() -> Measurement:
    """A measurement with every kind of field filled, and a gap."""
    return Measurement(
        design="one_xor",
        area_ge=12.5,
        logic_area_ge=2.0,
        register_area_ge=10.5,
        period_ns=0.25,
        fmax_mhz=4000.0,
        cycles_per_block=1,
        latency_cycles=1,
        latency_ns=0.25,
        throughput_gbps=8.0,
        efficiency_kbps_per_ge=640000.0,
        input_to_register_ns=0.125,
        register_to_output_ns=0.0625,
        flip_flops=3,
        cells={"DFF": 3, "XOR2": 1},
        critical_path=(PathPoint("x_q_reg", "DFF", "Q", "rise", 0.1, 0.02, 1.5),),
        library="generic45",
        library_digest="0" * 64,
        corner="typical (1.1 V, 25 °C)",
        optimise=Optimise.AREA,
        recipe="keep",
        tool_versions={"pyosys": "0"},
        conditions=("before layout",),
        candidates=(Candidate("keep", None, 12.5, 0.25, 640000.0, 0.1),),
        gaps={"input_to_output_ns": "no such path"},
        block_bits=2,
    )


@pytest.fixture(scope="session")
def with_wires() -> PlacedFigures:
    """What such a measurement may be when it is placed."""
    return PlacedFigures(
        technology="generic45",
        source="made up",
        utilisation=0.7,
        core_width_um=10.0,
        core_height_um=9.8,
        wire_mm=0.02,
        half_perimeter_mm=0.015,
        area_ge=13.0,
        period_ns=0.5,
        period_with_ports_ns=0.625,
        wired_period_ns=0.75,
        throughput_gbps=4.0,
        efficiency_kbps_per_ge=307692.0,
        turns=2,
        stands=True,
        seed=1,
    )
