"""A design that measures in a second, and a measurement that took none."""

from __future__ import annotations

import pytest

from aesmith.circuits.circuit import CircuitBuilder
from aesmith.cores.leaf import LeafDesign, between_registers
from aesmith.flow.measurement import Candidate, Measurement, Optimise
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
