"""A masked core as the core that the sums of its shares are, which is proved like any other.

Each masked S-box of the core is replaced by as many ranks of registers as it has, share by share, and behind them a
box that gives *any* shares whose sum is S of the sum: all that is known of the S-box (`sbox.py`). What is left
goes share by share, and is folded (`fold.py`). The netlist of sums has the block interface and the handshake of the
channel of fresh bits, which may be offered and withheld in any clock.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from aesmith.assurance.proof.elaborate import lowered, read_netlist
from aesmith.assurance.proof.interface import (
    FRESH_READY,
    FRESH_VALID,
    PAYLOADS,
    RESULT,
    BlockPorts,
    block_ports,
)
from aesmith.assurance.proof.netlist import FALSE, TRUE, Gate, Netlist, NetlistOp
from aesmith.assurance.proof.pace import UNKNOWN, evaluate
from aesmith.assurance.proof.report import Part, Verdict
from aesmith.assurance.proof.shares.fold import Folded, Place, Shared, fold
from aesmith.assurance.proof.shares.sbox import MODULE_HEAD, masked_sbox_modules, prove_masked_sbox
from aesmith.circuits.circuit import Circuit, Op
from aesmith.cores.design import CoreDesign, SourceFile
from aesmith.cores.ports import Meaning, PayloadKind, block_interface
from aesmith.errors import CheckError
from aesmith.masking.sbox import unmasked
from aesmith.masking.sharing import MaskedCircuit
from aesmith.yosys_json import Module, ModulePort

SHARES = (
    "For any shares at its ports whose sums are a key and a block, and any fresh bits, in each clock the sums of the "
    "shares in registers and at block_o are those of the netlist of sums, which the other parts cover: outside "
    "S-boxes no product of shares is formed, no fresh bit is read, and each share computes the same sums of its bits."
)
FRESH = (
    "The registers of S-boxes change only in clocks in which a word of fresh bits is accepted: no word is used in two "
    "clocks."
)
ENGINE = "forms of shares"

_BOX = "_substitution"
_RANKS = re.compile(r"\bx_\d+_\d+_q\[\d\]$")
"""The registers of an S-box, in its place."""


@dataclass(frozen=True)
class SumCore:
    """The netlist of sums with its interface, and the parts that join it to the masked core."""

    netlist: Netlist
    ports: BlockPorts
    parts: tuple[Part, ...]


def sum_core(design: CoreDesign, folder: Path) -> SumCore:
    """Read a masked core as the core of its sums; Yosys' files stay in `folder`, which is made.

    Raises CheckError for other ports than those of the block interface in shares beside a channel of fresh bits, for a
    core without a masked S-box of this project or with several, and what `elaborate` and `fold` raise; ToolError if
    Yosys is missing or fails.
    """
    module, masked = the_masked_sbox(design)
    plain = _plain(design)
    sbox = prove_masked_sbox(design, module, masked, folder / "sbox")
    began = time.monotonic()
    read, count = _with_boxes(design, module, masked, folder)
    folded = fold(read, _shared(read, design, masked.shares, count))
    netlist = _with_sboxes(folded, count, masked, design.ports.payload(Meaning.RANDOM).port)
    detail = f"{masked.shares} shares, {count} S-boxes of {masked.latency} clocks, {folded.registers:,} registers each"
    ended = time.monotonic()
    shares = Part("shares", SHARES, ENGINE, Verdict.PROVED, ended - began, detail, ("netlist.v", "netlist.json"))
    odd = moves_without_fresh(read)
    verdict = Verdict.OPEN if odd else Verdict.PROVED
    detail = odd or f"{count} S-boxes hold unless {FRESH_VALID} and {FRESH_READY}"
    fresh = Part("fresh bits", FRESH, "run with unknown levels", verdict, time.monotonic() - ended, detail)
    return SumCore(netlist, _ports(netlist, plain), (sbox, shares, fresh))


def the_masked_sbox(design: CoreDesign) -> tuple[str, MaskedCircuit]:
    """The one module of a design that is a masked S-box, by name. Raises CheckError unless there is one."""
    boxes = masked_sbox_modules(design)
    if len(boxes) != 1:
        raise CheckError(
            f"{design.name}: has {len(boxes)} modules that are masked S-boxes as this project makes them; must have one"
        )
    return next(iter(boxes.items()))


def with_ranks(design: CoreDesign, folder: Path) -> Netlist:
    """A masked core with ranks of shares in the place of S-boxes, whose results are inputs. Raises as `sum_core`."""
    return _with_boxes(design, *the_masked_sbox(design), folder)[0]


def moves_without_fresh(netlist: Netlist) -> str:
    """Which register of an S-box seems to move in a clock in which no word of fresh bits is taken, in words; empty if
    none does, whatever control holds."""
    driver = {gate.output: gate for gate in netlist.gates}
    moves: dict[int, str] = {}
    for register in netlist.registers:
        if _RANKS.search(register.name):
            gate = driver.get(register.d)
            if gate is None or gate.op is not NetlistOp.MUX or gate.inputs[1] != register.q:
                return f"{register.name} moves in every clock"
            moves.setdefault(gate.inputs[0], register.name)
    for line in (*netlist.inputs[FRESH_VALID], *netlist.outputs[FRESH_READY]):
        levels = [FALSE, TRUE, *(UNKNOWN for _ in range(2, netlist.net_count))]
        levels[line] = 0
        evaluate([gate for gate in netlist.gates if gate.output != line], levels)
        for net, name in moves.items():
            if levels[net] != 0:
                what = FRESH_VALID if line in netlist.inputs[FRESH_VALID] else FRESH_READY
                return f"{name} may move while {what} is 0"
    return ""


def _with_boxes(design: CoreDesign, module: str, masked: MaskedCircuit, folder: Path) -> tuple[Netlist, int]:
    """The netlist in which masked S-boxes are ranks with open boxes behind them, and how many there are."""
    lower = lowered(_abstract(design, module, masked), folder, boxes=[module + _BOX])
    opened, count = _opened(lower, module + _BOX)
    return read_netlist(opened, design.top), count


def _plain(design: CoreDesign) -> CoreDesign:
    """The design with the block interface of the values themselves.

    Raises CheckError if its own ports are not these in shares, with a channel of fresh bits.
    """
    plain = block_interface(design.key_bits, design.directions, design.block_width, quiet=design.ports.quiet)
    plain = replace(plain, scan_enable=design.ports.scan_enable)
    shares = {payload.shares for payload in design.ports.payloads if payload.kind is PayloadKind.SHARE}
    stated = {port.name: port.bits for port in design.ports}
    wanted = {port.name: port.bits for port in plain}
    for name in (*PAYLOADS, RESULT):
        wanted[name] *= max(shares)
    fresh = design.ports.find(Meaning.RANDOM)
    if len(shares) == 1 and fresh is not None:
        wanted |= {FRESH_VALID: 1, FRESH_READY: 1, fresh.port: fresh.bits}
    if stated != wanted or len(plain.channels) + 1 != len(design.ports.channels):
        raise CheckError(
            f"{design.name}: a proof supports only the block interface in shares, with a channel of fresh bits, "
            "without clear; the design has other ports"
        )
    return replace(design, ports=plain)


def _abstract(design: CoreDesign, module: str, masked: MaskedCircuit) -> CoreDesign:
    """The design with ranks of shares, and a box behind them, in the place of its masked S-box."""
    sources = []
    for source in design.sources:
        head = MODULE_HEAD.search(source.text)
        if head is None or head[1] != module:
            sources.append(source)
            continue
        lines, pins = [], []
        loads = []
        for share in range(masked.shares):
            ranks = [f"x_{share}_{rank}_q" for rank in range(1, masked.latency + 1)]
            lines.append(f"  logic [7:0] {', '.join(ranks)};")
            loads += [f"{q} <= {d};" for q, d in zip(ranks, [f"x_{share}_i", *ranks], strict=False)]
            pins += [f".x_{share}_i({ranks[-1]})", f".y_{share}_o"]
        enabled = "if (enable_i) begin" if " enable_i," in head[0] else "begin"
        lines += ["  always_ff @(posedge clk_i) begin", f"    {enabled}", *(f"      {load}" for load in loads)]
        lines += ["    end", "  end", f"  {module}{_BOX} u_box ({', '.join(pins)});", "endmodule"]
        outer = SourceFile(source.name, head[0] + "\n".join(lines) + "\n")
        ports = [f"  input logic [7:0] x_{share}_i" for share in range(masked.shares)]
        ports += [f"  output logic [7:0] y_{share}_o" for share in range(masked.shares)]
        text = f"module {module}{_BOX} (\n" + ",\n".join(ports) + "\n);\nendmodule\n"
        sources += [SourceFile(f"{module}{_BOX}.sv", text), outer]
    return replace(design, sources=tuple(sources))


def _opened(module: Module, box: str) -> tuple[Module, int]:
    """The module with ports in the place of its boxes: what goes into one is an output, what comes out an input."""
    ports, cells, count = dict(module.ports), {}, 0
    for name, cell in module.cells.items():
        if cell.type.partition("$")[0] != box:
            cells[name] = cell
            continue
        for pin, nets in cell.pins.items():
            port = _port(count, pin)
            ports[port] = ModulePort(port, "output" if cell.directions[pin] == "input" else "input", nets)
        count += 1
    return replace(module, ports=ports, cells=cells), count


_PREFIX = "box "


def _port(number: int, pin: str) -> str:
    return f"{_PREFIX}{number} {pin}"


def _shared(netlist: Netlist, design: CoreDesign, shares: int, boxes: int) -> Shared:
    """Where shares come in and go out: ports, and pins of boxes."""
    entering: list[dict[Place, int]] = [{} for _ in range(shares)]
    leaving: list[dict[Place, int]] = [{} for _ in range(shares)]
    for name in (*PAYLOADS, RESULT):
        bits, found = (netlist.outputs[name], leaving) if name == RESULT else (netlist.inputs[name], entering)
        width = len(bits) // shares
        for i, net in enumerate(bits):
            found[i // width][name, i % width] = net
    for number in range(boxes):
        for share in range(shares):
            operand, result = (
                netlist.outputs[_port(number, f"x_{share}_i")],
                netlist.inputs[_port(number, f"y_{share}_o")],
            )
            leaving[share] |= {(_port(number, "x"), bit): net for bit, net in enumerate(operand)}
            entering[share] |= {(_port(number, "y"), bit): net for bit, net in enumerate(result)}
    fresh = design.ports.find(Meaning.RANDOM)
    return Shared(entering, leaving, frozenset() if fresh is None else frozenset(netlist.inputs[fresh.port]))


def _with_sboxes(folded: Folded, boxes: int, masked: MaskedCircuit, fresh: str) -> Netlist:
    """The netlist of sums with S in each box, and ports of the sums."""
    netlist, shares, substitution = folded.netlist, masked.shares, unmasked(masked)
    gates, free = list(netlist.gates), 1 + max(gate.output for gate in netlist.gates)
    free = max(free, netlist.net_count)
    same: dict[int, int] = {}
    for number in range(boxes):
        operand = [folded.leaving[_port(number, "x"), bit] for bit in range(8)]
        placed, result = _placed(substitution, operand, free)
        gates += placed
        free += len(placed)
        same |= dict(zip(netlist.inputs[_port(number, "y_0_o")], result, strict=True))

    def now(nets: Iterable[int]) -> tuple[int, ...]:
        return tuple(same.get(net, net) for net in nets)

    inputs = {name: bits for name, bits in netlist.inputs.items() if not name.startswith(_PREFIX) and name != fresh}
    outputs = {name: bits for name, bits in netlist.outputs.items() if not name.startswith(_PREFIX)}
    inputs |= {name: inputs[name][: len(inputs[name]) // shares] for name in PAYLOADS}
    outputs[RESULT] = now(folded.leaving[RESULT, bit] for bit in range(len(outputs[RESULT]) // shares))
    return replace(
        netlist,
        inputs=inputs,
        outputs=outputs,
        registers=tuple(replace(register, d=now([register.d])[0]) for register in netlist.registers),
        names={name: now(bits) for name, bits in netlist.names.items() if name not in (*PAYLOADS, RESULT, fresh)},
    ).with_gates(replace(gate, inputs=now(gate.inputs)) for gate in gates)


def _placed(circuit: Circuit, inputs: Sequence[int], free: int) -> tuple[list[Gate], list[int]]:
    """A circuit of AND, OR, XOR and their complements as gates from net `free` on, and its results."""
    gates: list[Gate] = []
    nets = list(inputs)

    def gate(op: NetlistOp, *read: int) -> int:
        gates.append(Gate(op, read, free + len(gates)))
        return gates[-1].output

    for each in circuit.gates:
        op, inverted = _OPS[each.op]
        net = gate(op, *(nets[arg] for arg in each.args))
        nets.append(gate(NetlistOp.NOT, net) if inverted else net)
    return gates, [nets[node] for node in circuit.output_nodes]


_OPS = {
    Op.NOT: (NetlistOp.NOT, False),
    Op.AND: (NetlistOp.AND, False),
    Op.OR: (NetlistOp.OR, False),
    Op.XOR: (NetlistOp.XOR, False),
    Op.NAND: (NetlistOp.AND, True),
    Op.NOR: (NetlistOp.OR, True),
    Op.XNOR: (NetlistOp.XOR, True),
}


def _ports(netlist: Netlist, plain: CoreDesign) -> BlockPorts:
    """The block interface of the sums, with the handshake of the channel of fresh bits in it."""
    inputs = {name: bits for name, bits in netlist.inputs.items() if name != FRESH_VALID}
    outputs = {name: bits for name, bits in netlist.outputs.items() if name != FRESH_READY}
    return replace(
        block_ports(replace(netlist, inputs=inputs, outputs=outputs), plain),
        inputs=tuple((name, len(bits)) for name, bits in netlist.inputs.items()),
        outputs=tuple((name, len(bits)) for name, bits in netlist.outputs.items()),
        waits_for_fresh=True,
    )
