"""From the sources of a core to gates and registers, by a Yosys script of the checker's own.

What the sources leave undefined becomes `$anyseq`, a level that is free in each clock, before any pass that would
choose. Everything that is not a gate, a register of the rising edge of `clk_i` or of a clock gate of it, or such a
level, is refused by name.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from itertools import product
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
    "dfflegalize -cell $_DFF_P_ x -cell $_DFF_PN0_ x -cell $_DFF_PN1_ x -cell $_DLATCH_N_ x",
    "opt_clean",
    "write_json checked.json",
)

_TEXT = re.compile(r'"(?:\\.|[^"\\])*"|//[^\n]*|/\*.*?\*/|\\\S+', re.DOTALL)
_COMMENT = re.compile(r"\b(?:\w*synthesis|synopsys|pragma|translate_o\w+|(?:full|parallel)_case)\b", re.IGNORECASE)
_CODE = re.compile(
    r"`(?!default_nettype\b|timescale\b|resetall\b)\w*|\\\S*[^\w\s\\]\S*|\(\*(?!\s*\))"
    r"|\b(?:initial|final|force|release|casex|(?:highz|weak|pull|strong)[01]|wor|wand|tri|tri0|tri1|trireg|inout|bind|config|primitive|specify)\b"
)

_PINS = {"$_NOT_": "A", "$_AND_": "AB", "$_OR_": "AB", "$_XOR_": "AB", "$_MUX_": "SAB"}
_LEVELS: dict[str, Callable[..., int]] = {
    "NOT": lambda a: 1 - a,
    "AND": lambda a, b: a & b,
    "OR": lambda a, b: a | b,
    "XOR": lambda a, b: a ^ b,
    "MUX": lambda select, a, b: b if select else a,
}
_RESETS = {"$_DFF_P_": None, "$_DFF_PN0_": 0, "$_DFF_PN1_": 1}


class CheckedCell(NamedTuple):
    """A cell of Yosys, and the nets on its pins."""

    kind: str
    pins: Mapping[str, tuple[int, ...]]


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
        code = _TEXT.sub(lambda part: part[0] if part[0][0] == "\\" else " ", text)
        if found := re.search(r"\r(?!\n)", text) or _COMMENT.search(comments) or _CODE.search(code):
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
    cells = [
        CheckedCell(cell["type"], {pin: tuple(map(_net, nets)) for pin, nets in cell["connections"].items()})
        for cell in module["cells"].values()
    ]
    known = [0, 1, clock, reset, *(net for nets in inputs.values() for net in nets)]
    every = known + [net for cell in cells for pin in "QY" for net in cell.pins.get(pin, ())]
    if len(set(every)) < len(every):
        raise CheckError("a net has two drivers")
    highest = max(every)
    enables = _take_clock_gates(cells, [net for nets in ports["output"].values() for net in nets], clock)
    gates, registers = [], []
    free: set[int] = set()

    def read(net: int) -> int:
        # Reset is over in all clocks that are looked at.
        return 1 if net == reset else net

    for kind, pins in cells:
        if kind in _PINS:
            gates.append(CheckedGate(kind[2:-1], tuple(read(pins[pin][0]) for pin in _PINS[kind]), pins["Y"][0]))
        elif kind in _RESETS:
            (following,), (held,), (edge,) = pins["D"], pins["Q"], pins["C"]
            if edge not in (clock, *enables) or pins.get("R", (reset,)) != (reset,):
                raise CheckError(f"a register has another clock than clk_i or another reset than rst_ni: net {held}")
            if edge in enables:
                # Its level stays in clocks in which the gate is closed.
                highest += 1
                gates.append(CheckedGate("MUX", (read(enables[edge]), held, read(following)), highest))
                following = highest
            registers.append(CheckedRegister(read(following), held, _RESETS[kind]))
        elif kind == "$anyseq":
            free.update(pins["Y"])
        elif kind != "$scopeinfo":
            raise CheckError(f"a cell {kind} is no gate, no register and no clock gate")
    driven = {*known, *(gate.output for gate in gates), *(register.q for register in registers), *free}
    outputs = {name: tuple(map(read, nets)) for name, nets in ports["output"].items()}
    reads = {net for gate in gates for net in gate.inputs} | {register.d for register in registers}
    reads |= {net for nets in outputs.values() for net in nets}
    if reads - driven or clock in reads:
        raise CheckError("a net is read that nothing drives, or a clock is read as data")
    names: dict[str, int | None] = {}
    for name, facts in module["netnames"].items():
        for bit, net in enumerate(facts["bits"]):
            label = f"{name}[{bit}]" if len(facts["bits"]) > 1 else name
            names[label] = _net(net) if names.get(label, _net(net)) == _net(net) else None
    return CheckedCircuit(inputs, outputs, _in_order(gates), registers, names, highest + 1)


def _take_clock_gates(cells: list[CheckedCell], outputs: Sequence[int], clock: int) -> dict[int, int]:
    """The nets of gated clocks, each with the net that opens it; `cells` are left without what the gates consist of.

    A gate is a latch that is open while the clock is low, and that nothing reads but an AND with the clock: so its
    clock rises in the clocks at whose beginning the latch is 1. The front end may have the latch read a choice by the
    clock: of that it sees one side.
    """
    readers: dict[int, list[CheckedCell | None]] = {net: [None] for net in outputs}
    for cell in cells:
        for net in [net for pin, nets in cell.pins.items() if pin not in "QY" for net in nets]:
            readers.setdefault(net, []).append(cell)
    enables, taken = {}, []
    for latch in [cell for cell in cells if cell.kind == "$_DLATCH_N_"]:
        (enable,), (held,) = latch.pins["D"], latch.pins["Q"]
        gate = readers.get(held, [None])[0]
        if latch.pins["E"] != (clock,) or gate is None or readers[held] != [gate] or gate.kind != "$_AND_":
            raise CheckError(f"a latch is no clock gate of clk_i: net {held}")
        if {*gate.pins["A"], *gate.pins["B"]} != {clock, held}:
            raise CheckError(f"a clock gate is of another clock than clk_i: net {held}")
        taken += [latch, gate]
        choice = next((cell for cell in cells if cell.kind == "$_MUX_" and cell.pins["Y"] == (enable,)), None)
        if choice is not None and choice.pins["S"] == (clock,) and readers[enable] == [latch]:
            taken.append(choice)
            (enable,) = choice.pins["A"]
        enables[gate.pins["Y"][0]] = enable
    cells[:] = [cell for cell in cells if not any(cell is other for other in taken)]
    return enables


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


def without_clear(circuit: CheckedCircuit, shown: Sequence[str]) -> CheckedCircuit:
    """The circuit while `clear_i` is 0, after a look at a clock in which it is 1.

    Raises CheckError unless the outputs `shown` are 0 in that clock, and after it each register that reset sets has
    its level after reset and each other one a constant, whatever all else is: so what follows is a run from reset.
    """
    if len(circuit.inputs.get("clear_i", ())) != 1:
        raise CheckError("a clear is claimed, and there is no input clear_i of one bit")
    cleared = _tied(circuit, "clear_i", 1)
    if late := next((name for name in shown if cleared.outputs[name] != (0,)), None):
        raise CheckError(f"{late} is not 0 while clear_i is 1")
    for register in cleared.registers:
        if register.d not in ((0, 1) if register.reset is None else (register.reset,)):
            name = next((name for name, net in circuit.names.items() if net == register.q), f"net {register.q}")
            raise CheckError(f"register {name} is not cleared by clear_i")
    return _tied(circuit, "clear_i", 0)


def in_function(circuit: CheckedCircuit) -> CheckedCircuit:
    """The circuit with its `scan_enable_i` at 0. Raises CheckError if there is none."""
    if len(circuit.inputs.get("scan_enable_i", ())) != 1:
        raise CheckError("a scan enable is claimed, and there is no input scan_enable_i of one bit")
    return _tied(circuit, "scan_enable_i", 0)


def _tied(circuit: CheckedCircuit, name: str, level: int) -> CheckedCircuit:
    """The circuit with an input at a level for good; gates that are then a constant, or one of their nets, are gone."""
    same = dict.fromkeys(circuit.inputs[name], level)

    def now(nets: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(same.get(net, net) for net in nets)

    gates = []
    for kind, nets, output in circuit.gates:
        found = _same_as(kind, now(nets)) if now(nets) != nets or not {0, 1}.isdisjoint(nets) else None
        if found is None:
            gates.append(CheckedGate(kind, now(nets), output))
        else:
            same[output] = found
    return circuit._replace(
        inputs={other: nets for other, nets in circuit.inputs.items() if other != name},
        outputs={output: now(nets) for output, nets in circuit.outputs.items()},
        gates=gates,
        registers=[register._replace(d=same.get(register.d, register.d)) for register in circuit.registers],
        names={label: None if net is None else same.get(net, net) for label, net in circuit.names.items()},
    )


def _same_as(kind: str, nets: tuple[int, ...]) -> int | None:
    """The constant or net that a gate's output always agrees with; None if there is none."""
    varying = sorted({*nets} - {0, 1})
    cases = [
        dict(zip((0, 1, *varying), (0, 1, *levels), strict=True)) for levels in product((0, 1), repeat=len(varying))
    ]
    made = [_LEVELS[kind](*(case[net] for net in nets)) for case in cases]
    same = (net for net in (0, 1, *varying) if [case[net] for case in cases] == made)
    return next(same, None)
