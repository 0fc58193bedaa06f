"""The clocks that a design states are its netlist's, or the proof says so."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest

from aesmith.assurance.proof.elaborate import elaborate
from aesmith.assurance.proof.interface import block_ports
from aesmith.assurance.proof.netlist import Gate, NetlistOp
from aesmith.assurance.proof.pace import UNKNOWN, UnknownPaceError, evaluate, pace, pace_part
from aesmith.assurance.proof.report import Verdict
from aesmith.cores.design import CoreDesign, SourceFile
from aesmith.cores.specification import build_design, load_specification, parse_specification


@pytest.mark.parametrize("op", NetlistOp)
def test_a_level_is_known_where_all_choices_of_the_unknown_ones_give_it(op: NetlistOp) -> None:
    width = {NetlistOp.NOT: 1, NetlistOp.MUX: 3}.get(op, 2)
    gate = Gate(op, tuple(range(width)), width)

    def result(levels: tuple[int, ...]) -> int:
        nets = [*levels, UNKNOWN]
        evaluate([gate], nets)
        return nets[width]

    by_hand = {
        NetlistOp.NOT: lambda a: 1 - a,
        NetlistOp.AND: lambda a, b: a & b,
        NetlistOp.OR: lambda a, b: a | b,
        NetlistOp.XOR: lambda a, b: a ^ b,
        NetlistOp.MUX: lambda s, a, b: b if s else a,
    }[op]
    for levels in product((0, 1, UNKNOWN), repeat=width):
        outcomes = {by_hand(*known) for known in product(*((0, 1) if x == UNKNOWN else (x,) for x in levels))}
        assert result(levels) == (outcomes.pop() if len(outcomes) == 1 else UNKNOWN), levels


LOOPED = {"architecture": "subpipelined", "stages": 3, "rounds_in_loop": 1, "skid_entries": 1}


@pytest.mark.thorough(but=1)
@pytest.mark.parametrize("preset", ["lutz2002-encdec", "ueno2020-encdec-p2", "wang2010-s4-enc", "looped"])
def test_the_clocks_are_found_and_others_are_refuted(preset: str, tmp_path: Path) -> None:
    specification = parse_specification(LOOPED) if preset == "looped" else load_specification(preset)
    core = build_design(specification, "core", preset)
    netlist = elaborate(core, tmp_path)
    ports = block_ports(netlist, core)
    assert pace_part(netlist, ports, core).verdict is Verdict.PROVED
    for wrong in (
        replace(core, cycles_per_block=core.cycles_per_block + 1),
        replace(core, latency_cycles=core.latency_cycles - 1),
    ):
        part = pace_part(netlist, ports, wrong)
        assert part.verdict is Verdict.REFUTED
        stated = f"where the design says {wrong.cycles_per_block} and {wrong.latency_cycles}"
        assert part.detail.count(stated) == len(core.directions), part.detail


def test_of_several_key_sizes_the_largest_takes_the_clocks_stated(tmp_path: Path) -> None:
    core = build_design(load_specification("ueno2020-encdec-selectable"), "core", "ueno2020-encdec-selectable")
    netlist = elaborate(core, tmp_path)
    part = pace_part(netlist, block_ports(netlist, core), core)
    assert part.verdict is Verdict.PROVED
    for size, clocks in ((128, 10), (192, 12), (256, 14)):
        assert part.detail.count(f"keys of {size} bits: {clocks} a block, {clocks + 1} to its result") == 2


def _shell(inner: CoreDesign, text: str, valid: str) -> CoreDesign:
    ports = [(port.name, f"{port.direction} logic [{port.bits - 1}:0]") for port in inner.ports]
    heads = ",\n".join(f"  {kind} {name}" for name, kind in ports)
    pins = ", ".join(f".{name}({'out_valid' if name == 'block_valid_o' else name})" for name, _ in ports)
    shell = (
        f"module core (\n{heads}\n);\n  logic out_valid, odd_q;\n{text}  assign block_valid_o = {valid};\n"
        f"  {inner.top} u_inner ({pins});\nendmodule\n"
    )
    return replace(inner, name="core", sources=(*inner.sources, SourceFile("core.sv", shell)))


@pytest.mark.thorough(but=2)
@pytest.mark.parametrize(
    ("text", "valid", "says"),
    [
        ("  always_ff @(posedge clk_i) odd_q <= odd_q;\n", "out_valid ^ odd_q", "before reset"),
        ("  assign odd_q = 1'bx & block_valid_i;\n", "out_valid ^ odd_q", "undefined"),
        ("  assign odd_q = block_i[7];\n", "out_valid ^ odd_q", "time depends on data"),
        ("  assign odd_q = 1'b0;\n", "odd_q", "no block_valid_o for"),
    ],
    ids=["unreset", "undefined", "data", "never"],
)
def test_what_cannot_be_known_is_not_said_to_be(text: str, valid: str, says: str, tmp_path: Path) -> None:
    core = _shell(build_design(load_specification("boyar2010-enc"), "inner", "boyar2010-enc"), text, valid)
    netlist = elaborate(core, tmp_path)
    with pytest.raises(UnknownPaceError, match=says):
        pace(netlist, block_ports(netlist, core), key_bits=128, decrypt=False, patience=400)
