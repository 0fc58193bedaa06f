"""The trace is what the sources do under the handshake rules."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from aesmith.cores.design import CoreDesign, SourceFile
from aesmith.cores.ports import ByteOrder, Channel, Line, Ports, Reset
from aesmith.cores.specification import build_design, load_specification
from aesmith.cores.wrapper import wrapper
from aesmith.drawing.waveform import Trace, draw_waveform
from aesmith.errors import CheckError, ToolError
from aesmith.publish.trace import (
    KEY,
    PLAINTEXTS,
    REST_CLOCKS,
    STALL_CLOCKS,
    Step,
    check_schedule,
    cycle_table,
    trace_core,
)


def test_one_key_and_three_blocks_pass(tiny_trace: Trace) -> None:
    assert len(tiny_trace.transfers("key")) == 1
    assert len(tiny_trace.transfers("block")) == 3
    assert len(tiny_trace.transfers("result")) == 3


def test_blocks_come_back_to_back_after_a_rest_and_the_last_result_waits(tiny_trace: Trace) -> None:
    first, second, third = tiny_trace.transfers("block")
    assert (second - first, third - second) == (10, 10)
    assert first - tiny_trace.transfers("key")[0] > REST_CLOCKS
    results = tiny_trace.transfers("result")
    assert (results[1] - results[0], results[2] - results[1]) == (10, 10 + STALL_CLOCKS)


def test_payloads_are_those_offered(tiny_trace: Trace) -> None:
    key_time = tiny_trace.transfers("key")[0]
    assert tiny_trace.at("key_i", key_time) == int.from_bytes(KEY[:16])
    for time, block in zip(tiny_trace.transfers("block"), PLAINTEXTS, strict=True):
        assert tiny_trace.at("block_i", time) == int.from_bytes(block)


def test_a_serial_core_gets_byte_0_first(serial_trace: Trace) -> None:
    keys = [serial_trace.at("key_i", t) for t in serial_trace.transfers("key")]
    blocks = [serial_trace.at("block_i", t) for t in serial_trace.transfers("block")]
    assert bytes(value or 0 for value in keys) == KEY[:16]
    assert bytes(value or 0 for value in blocks) == b"".join(PLAINTEXTS)
    results = [serial_trace.at("block_o", t) for t in serial_trace.transfers("result")]
    assert results == [a ^ b for block in PLAINTEXTS for a, b in zip(block, KEY, strict=False)]


def test_registers_are_traced_by_their_path(tiny_trace: Trace) -> None:
    assert {*tiny_trace.registers} == {"key_q", "state_q", "u_control.keyed_q", "u_control.round_q"}


def test_what_stands_beside_a_core_is_not_among_its_registers(tmp_path: Path) -> None:
    """A core that takes shares, fresh bits and a key with each block has two surroundings around it, with registers."""
    design = build_design(load_specification("masked-serial-keyed-gated-enc"), "core", "")
    assert design.ports.key_with_block
    trace = trace_core(design, tmp_path / "trace")
    assert trace.registers
    assert not [name for name in trace.registers if "u_bench" in name or "keeper" in name]
    outside = re.compile(r"u_core\.u_core\.")
    assert not [name for name in trace.registers if outside.match(name)], "paths begin in the core"
    assert any(name.startswith("u_sequencer.") or ".u_sequencer." in name for name in trace.registers)


def test_a_core_that_never_answers_is_reported(tiny: CoreDesign, tmp_path: Path) -> None:
    sources = tuple(SourceFile(s.name, s.text.replace("round_q == 4'd10", "1'b0")) for s in tiny.sources)
    with pytest.raises(ToolError, match="did not deliver 3 blocks"):
        trace_core(replace(tiny, sources=sources), tmp_path)


def test_the_cycle_table_follows_a_block(tiny_trace: Trace) -> None:
    state = ("state_q", "u_control.round_q")
    assert cycle_table(tiny_trace) == (
        Step(1, 1, "block taken", state),
        Step(2, 10, "busy", state),
        Step(11, 11, "block taken; result delivered", state),
    )


def test_a_schedule_that_holds_is_accepted(tiny: CoreDesign, tiny_trace: Trace) -> None:
    check_schedule(tiny, tiny_trace)


@pytest.mark.parametrize(("field", "value"), [("latency_cycles", 12), ("cycles_per_block", 11)])
def test_a_schedule_that_does_not_hold_is_refused(tiny: CoreDesign, tiny_trace: Trace, field: str, value: int) -> None:
    with pytest.raises(CheckError, match=f"{field} is stated as {value}, but the core takes"):
        check_schedule(replace(tiny, **{field: value}), tiny_trace)


def test_a_serial_schedule_counts_to_the_last_byte(serial: CoreDesign, serial_trace: Trace) -> None:
    check_schedule(serial, serial_trace)


def test_a_design_of_other_ports_is_driven_and_drawn_by_what_they_do(
    tiny: CoreDesign, tiny_trace: Trace, tmp_path: Path
) -> None:
    def other(channel: Channel) -> Channel:
        payloads = tuple(replace(payload, port=f"its_{payload.port}") for payload in channel.payloads)
        lines = {"valid": Line(f"{channel.name}_go", active=0), "ready": Line(f"{channel.name}_wait", active=0)}
        return replace(channel, payloads=payloads, byte_order=ByteOrder.FIRST_BYTE_LOW, **lines)

    ports = Ports("clk", Reset("clear", active=1), tuple(other(channel) for channel in tiny.ports.channels))
    text = wrapper("tiny under other names", "foreign", ports, "tiny", tiny.ports)
    design = replace(tiny, name="foreign", ports=ports, sources=(*tiny.sources, SourceFile("foreign.sv", text)))
    trace = trace_core(design, tmp_path)
    for channel, port in (("key", "key_i"), ("block", "block_i"), ("result", "block_o")):
        assert trace.transfers(channel) == tiny_trace.transfers(channel)
        for clock in trace.transfers(channel):
            value = tiny_trace.at(port, clock)
            assert value is not None
            assert trace.at(f"its_{port}", clock) == int.from_bytes(value.to_bytes(16), "little")
    assert cycle_table(trace)[0].ports == "block taken"
    shown = draw_waveform(trace, "foreign")
    assert all(f">{port.name}<" in shown for port in ports)
