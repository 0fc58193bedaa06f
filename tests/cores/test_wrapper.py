"""Ports as SystemVerilog text: declarations, instances and wrappers, for any design."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from aesmith.cores.ports import ByteOrder, Channel, Line, Meaning, Payload, PortDirection, Ports, Reset, block_interface
from aesmith.cores.wrapper import OPEN, attach, declarations, wrapper
from aesmith.errors import RequestError
from aesmith.flow.yosys import run_script
from aesmith.yosys_json import Module, read_json

from .toys import CLEAR, ENGINE, STROBES, empty_module

IN, OUT = PortDirection.INPUT, PortDirection.OUTPUT


def elaborated(text: str, top: str, folder: Path, reader: str = "read_slang") -> Module:
    (folder / "all.sv").write_text(text)
    select = f"hierarchy -check -top {top}"
    read = f"{reader} all.sv" if reader == "read_verilog" else f"{reader} --top {top} all.sv"
    run_script([read, select, "flatten", "opt_clean", "write_json all.json"], folder / "all.log")
    return read_json(folder / "all.json").module(top)


def test_channels_stand_apart_and_shares_have_a_range_of_their_own() -> None:
    assert declarations(ENGINE).splitlines()[:14] == [
        "  input  logic clk_i,",
        "  input  logic rst_ni,",
        "",
        "  input  logic key_valid_i,",
        "  output logic key_ready_o,",
        "  input  logic [2:0][127:0] key_i,",
        "",
        "  input  logic random_valid_i,",
        "  output logic random_ready_o,",
        "  input  logic [67:0] random_i,",
        "",
        "  input  logic s_axis_tvalid,",
        "  output logic s_axis_tready,",
        "  input  logic [63:0] s_axis_tdata,",
    ]


@pytest.mark.parametrize("ports", [ENGINE, STROBES, block_interface((128, 256), ("encrypt", "decrypt"))])
def test_declarations_give_the_ports_in_both_languages(ports: Ports, tmp_path: Path) -> None:
    stated = [(port.name, str(port.direction), port.bits) for port in ports]
    for verilog, reader in ((False, "read_slang"), (True, "read_verilog")):
        found = elaborated(empty_module("empty", ports, verilog=verilog), "empty", tmp_path, reader).ports.values()
        assert sorted((port.name, str(port.direction), port.width) for port in found) == sorted(stated)


def test_an_instance_is_attached_by_what_its_ports_do() -> None:
    signals = {
        "clock": "clock",
        "reset": Line("run", active=0),
        "block.valid": "offered",
        "block.ready": "free",
        "block.block": "din",
        "result.valid": "ended",
        "result.result": "result[127:0]",
    }
    assert attach("foreign", STROBES, signals, instance="dut").splitlines() == [
        "  wire dut_busy;",
        "  foreign dut (",
        "    .clk  (clock),",
        "    .reset(!run),",
        "    .start(offered),",
        "    .busy (dut_busy),",
        "    .din,",
        "    .done (ended),",
        "    .dout (result[127:0])",
        "  );",
        "  assign free = !dut_busy;",
    ]
    with pytest.raises(RequestError, match="foreign: nothing is connected to dout"):
        attach("foreign", STROBES, {role: name for role, name in signals.items() if role != "result.result"})
    with pytest.raises(RequestError, match=r"foreign: has no port that is key\.valid"):
        attach("foreign", STROBES, {**signals, "key.valid": "1'b1"})
    assert ".dout (), " not in attach("foreign", STROBES, {**signals, "result.result": OPEN})


def _foreign(order: ByteOrder) -> Ports:
    """The block interface of an encrypting core under other names and levels, with its bytes in this order."""
    return Ports(
        "clk",
        Reset("rst", active=1),
        (
            Channel("key", IN, (Payload("k", 32, Meaning.KEY),), Line("k_go"), Line("k_wait", active=0), order),
            Channel("result", OUT, (Payload("c", 32, Meaning.RESULT),), Line("c_go"), Line("c_hold", active=0), order),
        ),
    )


def _native() -> Ports:
    key, _, result = block_interface((128,), ("encrypt",), 32).channels
    return Ports("clk_i", Reset("rst_ni"), (key, result))


PASS = """module pass (
  input clk, rst, k_go, output k_wait, input [31:0] k, output c_go, input c_hold, output [31:0] c);
  assign k_wait = c_hold;
  assign c_go = k_go && !rst;
  assign c = k;
endmodule
"""


@pytest.mark.parametrize("order", list(ByteOrder))
def test_names_levels_and_bytes_are_turned_on_both_sides(order: ByteOrder, tmp_path: Path) -> None:
    text = PASS + wrapper("pass under our names.", "ours", _native(), "pass", _foreign(order))
    module = elaborated(text, "ours", tmp_path)
    # What goes in comes out: bytes are turned twice or not at all.
    assert module.ports["block_o"].nets == module.ports["key_i"].nets
    assert text.count("[7:0], ") == (0 if order is ByteOrder.FIRST_BYTE_HIGH else 2)
    assert "    .k_wait(u_core_k_wait)" in text
    assert "  assign key_ready_o = !u_core_k_wait;" in text
    assert "    .c_hold(!block_ready_i)" in text
    assert "    .rst   (!rst_ni)" in text


def test_a_wrapper_ties_ports_and_puts_short_keys_where_byte_0_is(tmp_path: Path) -> None:
    inner = block_interface((128, 256), ("encrypt",))
    outer = block_interface((128,), ("encrypt",))
    text = wrapper("one size", "one", outer, "all_sizes", inner, tied={"key.key size": "2'd0"})
    assert "    .key_i     ({key_i, 128'b0})" in text
    assert "    .key_bits_i(2'd0)" in text
    assert set(elaborated(empty_module("all_sizes", inner) + text, "one", tmp_path).ports) == {p.name for p in outer}


def test_shares_and_streams_are_wrapped_too(tmp_path: Path) -> None:
    renamed = replace(ENGINE, clock="aclk", reset=Reset("arst", active=1), channels=ENGINE.channels[:-1])
    text = wrapper("another clock", "outside", renamed, "engine", ENGINE, tied={"clear.clear": "1'b0"})
    found = elaborated(empty_module("engine", ENGINE) + text, "outside", tmp_path).ports
    assert (found["key_i"].width, found["s_axis_tkeep"].width, "clear_i" in found) == (384, 8, False)


@pytest.mark.parametrize(
    ("outer", "message"),
    [
        (Ports("clk_i", None, (CLEAR,)), "outside: nothing is connected to rst_ni of engine"),
        (
            replace(ENGINE, channels=(*ENGINE.channels, Channel("x", IN, (Payload("x_i", 1, Meaning.VALUE),)))),
            "outside: x_i has no counterpart in engine",
        ),
        (
            replace(ENGINE, channels=(replace(ENGINE.channels[0], payloads=(Payload("key_i", 128, Meaning.KEY),)),)),
            r"outside: key_i \(input, 128 bits\) does not fit key_i: it has 3 shares, not 1",
        ),
        (
            replace(ENGINE, channels=(replace(ENGINE.channels[0], direction=OUT),)),
            r"outside: key_valid_i \(output, 1 bits\) does not fit key_valid_i: it is an input",
        ),
    ],
)
def test_what_has_no_counterpart_is_refused_by_name(outer: Ports, message: str) -> None:
    with pytest.raises(RequestError, match=message):
        wrapper("", "outside", outer, "engine", ENGINE)
