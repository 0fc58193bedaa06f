"""That a mapped netlist does what the sources do, whatever its registers hold at first.

Both are read by the same rules of structure: one clock and its rising edge, one reset, known clock gates, one driver a
net. Then it is shown which of their registers always agree, and that with these outputs do (`correspondence.py`): so
every run of the netlist after reset, from any levels in registers without reset, is a run of the sources.
"""

from __future__ import annotations

import re
import time
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

from aesmith.assurance.proof.correspondence import CONSTANT, LANES, MASK, Correspondence, Literal, Unlike, UnlikeAtFirst
from aesmith.assurance.proof.elaborate import elaborate, lowering, read_netlist, run_passes
from aesmith.assurance.proof.interface import CLEAR_INPUT, block_ports
from aesmith.assurance.proof.netlist import Netlist, NetlistOp
from aesmith.assurance.proof.open_gates import kept_by_a_gate
from aesmith.assurance.proof.product import Product
from aesmith.assurance.proof.replay import Replayer
from aesmith.assurance.proof.report import Part, Verdict
from aesmith.assurance.proof.scan import refuse_ambiguous
from aesmith.cores.design import CoreDesign, Design, SourceFile
from aesmith.errors import CheckError
from aesmith.flow.synthesis import unpack
from aesmith.technology.cell import Cell, CellKind, LatchedGate
from aesmith.technology.library import Library
from aesmith.yosys_json import read_json

STATEMENT = (
    "After reset, whatever registers without reset hold at first, the mapped netlist does what the sources do from "
    "some register values: the same outputs in every clock, for all inputs."
)
ENGINE = "register correspondence, ABC cec"

_LEAST_CLOCKS, _PASSES = 96, 4
"""Clocks of the run from reset that proposes which registers agree: at least, and times the latency of the core."""

_REPLACED = "_as_read"
"""What the name of what Yosys made of a cell's Liberty ends in, where a model stands for it."""

RUNS = 3
"""Random runs of a netlist that is not shown to be the core, against AES."""


def prove_mapped(design: CoreDesign, library: Library, netlist: Path, folder: Path, timeout_s: float = 1800.0) -> Part:
    """Compare a netlist of the library's cells with the sources; the files stay in `folder`, which is made.

    The part is REFUSED for a netlist with a structure that no synchronous core of one clock has, or with other cells;
    REFUTED if a run shows another output; OPEN if ABC ends without an answer or after `timeout_s`, no equalities of
    registers are found from which outputs follow, or a scan enable is not shown to open all clock gates. Raises
    ToolError if Yosys or ABC is missing or fails.
    """
    began = time.monotonic()

    def part(verdict: Verdict, detail: str) -> Part:
        seconds = time.monotonic() - began
        return Part("netlist", STATEMENT, ENGINE, verdict, seconds, detail, ("mapped.v", "sources.blif", "mapped.blif"))

    try:
        correspondence = side_by_side(design, library, netlist, folder, timeout_s)
    except CheckError as error:
        return part(Verdict.REFUSED, str(error))
    mapped = correspondence.product.mapped
    try:
        shown = correspondence.prove()
    except UnlikeAtFirst as reason:
        return part(Verdict.OPEN, str(reason))
    except Unlike as reason:
        odd = _difference(correspondence) or _wrong_result(design, mapped)
        return part(Verdict.REFUTED, odd) if odd else part(Verdict.OPEN, str(reason))
    lasting = f"{shown.clocks_of_reset} clock{'s'[: shown.clocks_of_reset - 1]}"
    if design.ports.scan_enable is not None:
        opened = read_mapped(design, library, netlist, folder / "scan_enable", timeout_s, scan_enable=1)
        if odd := kept_by_a_gate(opened):
            return part(Verdict.OPEN, f"{odd} may be kept by a clock gate while {design.ports.scan_enable} is 1")
    bound = f"at least {lasting}" if shown.clocks_of_reset else "no clock is needed in it"
    compared = f"{shown.registers} registers and {shown.outputs} outputs, for all states and inputs"
    return part(Verdict.PROVED, f"{compared}; reset: {bound}")


def side_by_side(design: CoreDesign, library: Library, netlist: Path, folder: Path, timeout_s: float) -> Correspondence:
    """The sources and a netlist under the same inputs, before anything is said of their registers.

    Raises CheckError for what `prove_mapped` refuses.
    """
    folder.mkdir(parents=True, exist_ok=True)
    sources = elaborate(design, folder / "sources", timeout_s)
    mapped = read_mapped(design, library, netlist, folder, timeout_s)
    _check_ports(sources, mapped)
    product = Product(sources, mapped)
    clocks = max(_LEAST_CLOCKS, _PASSES * design.latency_cycles)
    return Correspondence(product, _by_name(product), folder, clocks, timeout_s)


def read_mapped(
    design: Design, library: Library, netlist: Path, folder: Path, timeout_s: float, *, scan_enable: int = 0
) -> Netlist:
    """The netlist as gates and registers, its cells replaced by what their library says they do, its scan enable at the
    level `scan_enable`. Files go to `folder`, which is made. Raises CheckError for what `prove_mapped` refuses."""
    folder.mkdir(parents=True, exist_ok=True)
    try:
        text = netlist.read_bytes().decode()
    except UnicodeDecodeError as error:
        raise CheckError(f"{netlist.name}: is no text in UTF-8") from error
    refuse_ambiguous([SourceFile(netlist.name, text)], written_by_tools=True)
    if own := [name for name in re.findall(r"\bmodule\s+\\?([\w.$]+)", text) if name in library.cells]:
        raise CheckError(f"{netlist.name}: has a module {own[0]}, which is a cell of the library")
    library.check_netlist(text, netlist.name)
    unpack(library, folder)
    (folder / "mapped.v").write_text(text)
    words = set(re.findall(r"\w+", text))
    used = [cell for name, cell in library.cells.items() if name in words]
    registers = {cell.name: model for cell in used if (model := _with_one_register(cell))}
    gates = [_clock_gate(cell, netlist) for cell in used if cell.kind is CellKind.CLOCK_GATE]
    (folder / "models.v").write_text("\n".join([*registers.values(), *gates]))
    renamed = [f"rename {name} {name}{_REPLACED}" for name in registers]
    read = [
        "read_liberty -ignore_miss_func library.lib",
        *renamed,
        "read_verilog -overwrite models.v",
        "read_verilog mapped.v",
        f"hierarchy -check -top {design.top}",
    ]
    run_passes([*read, *lowering(design, scan_enable)], folder, f"{design.name} (netlist)", timeout_s)
    return read_netlist(read_json(folder / "netlist.json").module(design.top), f"{design.name} (netlist)")


def _with_one_register(cell: Cell) -> str | None:
    """The model of a flip-flop with two outputs around what Yosys made of it; None for other cells.

    Yosys reads such a cell as two registers that know nothing of each other. In Liberty it is one: the second variable
    of an ff group is the inverse of the first, but where clear and preset are both active; cells with both are left.
    """
    register = cell.register
    if register is None or register.latch or (register.clear and register.preset):
        return None
    if set(cell.outputs) != set(cell.register_outputs.values()) or len(cell.outputs) != 2:
        return None
    state, inverse = cell.register_outputs[False], cell.register_outputs[True]
    pins = ", ".join(f".{pin}({pin})" for pin in (*cell.inputs, state))
    return _model(cell, f"{cell.name}{_REPLACED} u_register ({pins});", f"assign {inverse} = ~{state};")


def _clock_gate(cell: Cell, netlist: Path) -> str:
    """The model of a clock gate, which Yosys does not read.

    Raises CheckError for one of another kind than a latch, open while the clock is low, and an AND with the clock.
    """
    gate = cell.gate
    if gate is None:
        raise CheckError(
            f"{netlist.name}: {cell.name} is a clock gate, and its statetable is not that of a latch, open while the "
            "clock is low, and an AND with the clock"
        )
    latch = f"always @* if (!{gate.clock}) held = {_any_of(gate, gate.enables)};"
    opened = f"(held | {_any_of(gate, gate.bypasses)})" if gate.bypasses else "held"
    # A pin by which a tester observes the enable is read by nothing in a netlist that is proved.
    others = [f"assign {pin} = 1'bx;" for pin in cell.outputs if pin != gate.output]
    return _model(cell, "reg held;", latch, f"assign {gate.output} = {gate.clock} & {opened};", *others)


def _any_of(gate: LatchedGate, cases: Iterable[tuple[int, ...]]) -> str:
    terms = [
        " & ".join(pin if level else f"~{pin}" for pin, level in zip(gate.inputs, levels, strict=True)) or "1'b1"
        for levels in sorted(cases)
    ]
    return " | ".join(f"({term})" for term in terms) or "1'b0"


def _model(cell: Cell, *lines: str) -> str:
    ports = [*(f"input {pin}" for pin in cell.inputs), *(f"output {pin}" for pin in cell.outputs)]
    return "\n  ".join([f"module {cell.name}({', '.join(ports)});", *lines]) + "\nendmodule\n"


def _check_ports(sources: Netlist, mapped: Netlist) -> None:
    for ours, theirs, what in (
        (sources.inputs, mapped.inputs, "inputs"),
        (sources.outputs, mapped.outputs, "outputs"),
    ):
        if {name: len(bits) for name, bits in ours.items()} != {name: len(bits) for name, bits in theirs.items()}:
            raise CheckError(f"{mapped.name}: has other {what} than the sources")
    if mapped.free:
        raise CheckError(f"{mapped.name}: has an undefined level, at {next(iter(mapped.free.values()))}")


def _difference(found: Correspondence) -> str:
    """An output that differs in a run from reset, in words; empty if none is seen.

    Registers of the sources that reset leaves alone begin as those of the netlist that they agree with, or are called
    like; where one has neither, nothing can be said. What the sources leave undefined has the netlist's level.
    """
    bits, partner = found.bits, dict(found.named)
    for (leader, turned), *others in found.classes:
        if leader == CONSTANT or not bits[leader].of_sources:
            partner |= {index: (leader, flip ^ turned) for index, flip in others}
    state = [MASK * bit.reset if bit.reset is not None else found.chance.getrandbits(LANES) for bit in bits]
    for index, bit in enumerate(bits):
        if bit.of_sources and bit.reset is None:
            if index not in partner:
                return ""
            other, flip = partner[index]
            state[index] = (0 if other == CONSTANT else state[other]) ^ MASK * flip
    for clock in range(found.clocks):
        patience = [found.chance.getrandbits(LANES) for _ in found.product.mapped.inputs]
        after = found.step([*found.inputs(patience), *state])
        if odd := found.odd(after):
            return f"{odd} differs in clock {clock} of a run from reset"
        state = after[: 2 * len(state) : 2]
        for index, (other, flip) in partner.items():
            if bits[index].zero is not None and other != CONSTANT:
                state[index] |= ~after[2 * index + 1] & (state[other] ^ MASK * flip) & MASK
    return ""


def _by_name(product: Product) -> dict[int, Literal]:
    """Registers of the sources, each with the one of the netlist whose level, or its complement, has the same name."""
    registers = {bit.q: index for index, bit in enumerate(product.bits) if not bit.of_sources}
    driver = {gate.output: gate for gate in product.mapped.gates}
    theirs, found = _by_label(product.mapped), {}
    for label, q in _by_label(product.sources).items():
        net, flip = theirs.get(label, -1), 0
        while net in driver and driver[net].op is NetlistOp.NOT:
            net, flip = driver[net].inputs[0], flip ^ 1
        if net in registers and q in product.registers:
            found[product.registers[q]] = (registers[net], flip)
    return found


def _by_label(netlist: Netlist) -> dict[str, int]:
    """Nets by the labels that registers of the sources have; a label that two nets have names none."""
    found: dict[str, set[int]] = defaultdict(set)
    for name, bits in netlist.names.items():
        for i, bit in enumerate(bits):
            found[f"{name}[{i}]" if len(bits) > 1 else name].add(bit)
    return {label: nets.pop() for label, nets in found.items() if len(nets) == 1}


def _wrong_result(design: CoreDesign, mapped: Netlist) -> str:
    """A rule of the block interface, or of AES, that a run of the netlist breaks, in words; empty if none is seen."""
    try:
        running = mapped.tied(CLEAR_INPUT, 0) if design.ports.clearable else mapped
        replayer = Replayer(running, block_ports(running, design))
    except CheckError:
        return ""
    run = replayer.hunt(RUNS, 200 + 8 * design.latency_cycles)
    return "" if run is None else f"{run.rule}, in clock {run.clocks - 1} of a run of the netlist"
