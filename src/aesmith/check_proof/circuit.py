"""From the sources of a core to gates and registers, by a Yosys script of the checker's own.

What the sources leave undefined becomes `$anyseq`, a level that is free in each clock, before any pass that would
choose. Everything that is not a gate, a register of the rising edge of `clk_i` or such a level is refused by name.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from aesmith.errors import CheckError, ToolError
from aesmith.flow.yosys import run_script

# A choice of which two arms apply is any level at all.
_CHOICE = """\
(* techmap_celltype = "$pmux" *)
module checked_choice #(parameter WIDTH = 1, S_WIDTH = 1)
    (input [WIDTH-1:0] A, input [WIDTH*S_WIDTH-1:0] B, input [S_WIDTH-1:0] S, output [WIDTH-1:0] Y);
  wire [WIDTH-1:0] any;
  \\$anyseq #(.WIDTH(WIDTH)) u_any (.Y(any));
  wire [S_WIDTH:0] met, again;
  wire [WIDTH*(S_WIDTH+1)-1:0] so_far;
  assign met[0] = 1'b0, again[0] = 1'b0, so_far[WIDTH-1:0] = A;
  genvar i;
  for (i = 0; i < S_WIDTH; i = i + 1) begin
    assign again[i+1] = S[i] ? met[i] | again[i] : again[i];
    assign met[i+1] = S[i] | met[i];
    assign so_far[WIDTH*(i+1)+:WIDTH] = S[i] ? B[WIDTH*i+:WIDTH] : so_far[WIDTH*i+:WIDTH];
  end
  assign Y = again[S_WIDTH] ? any : so_far[WIDTH*S_WIDTH+:WIDTH];
endmodule
"""

_READ = "read_slang -U SYNTHESIS --no-default-translate-off-format --no-implicit-memories"
_PASSES = (
    "proc -noopt",
    "check -assert",
    "flatten",
    "check -assert",
    "select -assert-none a:init",
    "setundef -undriven -anyseq",
    "opt_clean",
    "opt_expr -keepdc",
    "select -assert-none t:$div t:$mod %u t:$divfloor %u t:$modfloor %u %ci1:+[B] w:* %i",
    "opt_dff -keepdc -nodffe -nosdff",
    "techmap -map choice.v",
    "techmap",
    "simplemap",
    "dfflegalize -cell $_DFF_P_ x -cell $_DFF_PN0_ x -cell $_DFF_PN1_ x",
    "opt_clean",
    "write_json checked.json",
)

_TEXT = re.compile(r'"(?:\\.|[^"\\])*"|//[^\n]*|/\*.*?\*/', re.DOTALL)
_COMMENT = re.compile(r"\b(?:synthesis|synopsys|pragma|translate_o\w+|(?:full|parallel)_case)\b", re.IGNORECASE)
_CODE = re.compile(
    r"`(?!default_nettype\b|timescale\b|resetall\b)\w*|\\\S*[^\w\s\\]\S*|\(\*(?!\s*\))[^*]*\*\)"
    r"|\b(?:initial|final|force|release|casex|wor|wand|tri|tri0|tri1|trireg|inout|bind|config|primitive|specify)\b"
)

_PINS = {"$_NOT_": "A", "$_AND_": "AB", "$_OR_": "AB", "$_XOR_": "AB", "$_MUX_": "SAB"}
_RESETS = {"$_DFF_P_": None, "$_DFF_PN0_": 0, "$_DFF_PN1_": 1}


class CheckedGate(NamedTuple):
    """A gate: NOT, AND, OR, XOR, or MUX of (select, when 0, when 1). A net is a number; 0 and 1 are the constants."""

    kind: str
    inputs: tuple[int, ...]
    output: int


class CheckedRegister(NamedTuple):
    """A register: the nets at its input and output, and its level after reset (None: any)."""

    d: int
    q: int
    reset: int | None


class CheckedCircuit(NamedTuple):
    """Gates in an order of evaluation. `names` maps names of the sources to nets, and to None where two have one."""

    inputs: dict[str, tuple[int, ...]]
    outputs: dict[str, tuple[int, ...]]
    gates: list[CheckedGate]
    registers: list[CheckedRegister]
    names: dict[str, int | None]
    nets: int


def elaborate_sources(sources: Mapping[str, bytes], top: str, work: Path) -> CheckedCircuit:
    """The circuit of sources (name to bytes, in compile order); Yosys works in the folder `work`.

    Raises CheckError for what is refused; ToolError if Yosys is missing or does not read the sources.
    """
    if not all(re.fullmatch(r"[A-Za-z_][\w.-]*", name) for name in (top, *sources)):
        raise CheckError("the top or a source has a name that is no plain word")
    for name, source in sources.items():
        text = source.decode()
        comments = " ".join(part for part in _TEXT.findall(text) if part[0] == "/")
        if found := _COMMENT.search(comments) or _CODE.search(_TEXT.sub(" ", text)):
            raise CheckError(f"{name}: {found.group()!r} may be read in two ways, and is refused")
        (work / name).write_text(text)
    (work / "choice.v").write_text(_CHOICE)
    try:
        run_script(
            [f"{_READ} --top {top} {' '.join(sources)}", f"hierarchy -check -top {top}", *_PASSES], work / "checked.log"
        )
    except ToolError as error:
        if "ERROR:" in str(error):
            raise CheckError(f"{top}: the sources do not become gates and registers of one clock: {error}") from error
        raise
    return _read(json.loads((work / "checked.json").read_text())["modules"][top])


def _read(module: Mapping[str, Any]) -> CheckedCircuit:
    ports: dict[str, dict[str, tuple[int, ...]]] = {"input": {}, "output": {}, "inout": {}}
    for name, port in module["ports"].items():
        ports[port["direction"]][name] = tuple(map(_net, port["bits"]))
    inputs = ports["input"]
    if ports["inout"] or len(inputs.get("clk_i", ())) != 1 or len(inputs.get("rst_ni", ())) != 1:
        raise CheckError("a port is an inout, or there is no clk_i and rst_ni of one bit")
    (clock,), (reset,) = inputs.pop("clk_i"), inputs.pop("rst_ni")
    gates, registers = [], []
    free: set[int] = set()
    for cell in module["cells"].values():
        kind, pins = cell["type"], {pin: tuple(map(_net, nets)) for pin, nets in cell["connections"].items()}
        if kind in _PINS:
            nets = tuple(pins[pin][0] for pin in _PINS[kind])
            # Reset is over in all clocks that are looked at.
            gates.append(CheckedGate(kind[2:-1], tuple(1 if net == reset else net for net in nets), pins["Y"][0]))
        elif kind in _RESETS:
            if pins["C"] != (clock,) or pins.get("R", (reset,)) != (reset,):
                raise CheckError(
                    f"a register has another clock than clk_i or another reset than rst_ni: net {pins['Q']}"
                )
            registers.append(CheckedRegister(1 if pins["D"][0] == reset else pins["D"][0], pins["Q"][0], _RESETS[kind]))
        elif kind == "$anyseq":
            free.update(pins["Y"])
        elif kind != "$scopeinfo":
            raise CheckError(
                f"a cell {kind} is no gate and no register: this checker knows neither latch nor clock gate"
            )
    driven = [0, 1, clock, *(gate.output for gate in gates), *(register.q for register in registers), *free]
    driven += [net for nets in inputs.values() for net in nets] + [reset]
    if len(set(driven)) < len(driven):
        raise CheckError("a net has two drivers")
    outputs = {name: tuple(1 if net == reset else net for net in nets) for name, nets in ports["output"].items()}
    read = {net for gate in gates for net in gate.inputs} | {register.d for register in registers}
    read |= {net for nets in outputs.values() for net in nets}
    if read - set(driven) or clock in read:
        raise CheckError("a net is read that nothing drives, or the clock is read as data")
    names: dict[str, int | None] = {}
    for name, facts in module["netnames"].items():
        for bit, net in enumerate(facts["bits"]):
            label = f"{name}[{bit}]" if len(facts["bits"]) > 1 else name
            names[label] = _net(net) if names.get(label, _net(net)) == _net(net) else None
    return CheckedCircuit(inputs, outputs, _in_order(gates), registers, names, max(driven) + 1)


def _net(bit: int | str) -> int:
    if bit in ("x", "z"):
        raise CheckError("a level is undefined or floats after a pass that should leave none")
    return int(bit)


def _in_order(gates: Sequence[CheckedGate]) -> list[CheckedGate]:
    """Gates after those that drive them."""
    missing = {}
    readers: dict[int, list[CheckedGate]] = {}
    driven = {gate.output for gate in gates}
    for gate in gates:
        before = driven.intersection(gate.inputs)
        missing[gate.output] = len(before)
        for net in before:
            readers.setdefault(net, []).append(gate)
    ordered = [gate for gate in gates if not missing[gate.output]]
    for gate in ordered:
        for reader in readers.get(gate.output, ()):
            missing[reader.output] -= 1
            if not missing[reader.output]:
                ordered.append(reader)
    if len(ordered) < len(gates):
        raise CheckError("gates drive each other in a circle")
    return ordered


def reached(circuit: CheckedCircuit, start: Sequence[int]) -> set[int]:
    """All nets that some nets reach, through gates and any number of registers."""
    readers: dict[int, list[int]] = {}
    steps = [(gate.inputs, gate.output) for gate in circuit.gates]
    for inputs, output in steps + [((register.d,), register.q) for register in circuit.registers]:
        for net in inputs:
            readers.setdefault(net, []).append(output)
    found, waiting = set(start), list(start)
    for net in waiting:
        new = set(readers.get(net, ())) - found
        found |= new
        waiting += new
    return found
