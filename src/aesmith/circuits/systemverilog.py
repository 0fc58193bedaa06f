"""Circuits as SystemVerilog leaf modules: combinational, or staged with what stalls and marks their ranks of registers.

In both, ports are the circuit's with `_i` and `_o` appended, bit 0 is the least significant, and gates are numbered
wires in groups under a comment with their block's label.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence

from aesmith.circuits.circuit import Circuit, Op
from aesmith.circuits.pipeline import StagedCircuit
from aesmith.errors import RequestError

EXPRESSIONS = {
    Op.ZERO: "1'b0",
    Op.ONE: "1'b1",
    Op.NOT: "~{0}",
    Op.AND: "{0} & {1}",
    Op.OR: "{0} | {1}",
    Op.XOR: "{0} ^ {1}",
    Op.NAND: "~({0} & {1})",
    Op.NOR: "~({0} | {1})",
    Op.XNOR: "~({0} ^ {1})",
    Op.MUX: "{0} ? {2} : {1}",
    Op.AND3: "{0} & {1} & {2}",
    Op.OR3: "{0} | {1} | {2}",
    Op.NAND3: "~({0} & {1} & {2})",
    Op.NOR3: "~({0} | {1} | {2})",
    Op.XOR3: "{0} ^ {1} ^ {2}",
}
"""The expression of each gate, its arguments numbered."""


def systemverilog(circuit: Circuit, header: str, module: str | None = None) -> str:
    """One module of continuous assignments, `header` (plain text) as its leading comment."""
    names = dict(enumerate(input_pins(circuit)))
    gates = range(circuit.input_width, circuit.input_width + len(circuit.gates))
    names |= {node: f"n{i}" for i, node in enumerate(gates)}
    ports = ([(f"{p.name}_i", p.width) for p in circuit.inputs], [(f"{p.name}_o", p.width) for p in circuit.outputs])
    lines = head(module or circuit.name, header.strip().splitlines(), *ports)
    lines += [*_assignments(circuit, gates, names), ""]
    return _module(circuit, lines, [names[node] for node in circuit.output_nodes])


def staged_systemverilog(
    staged: StagedCircuit, header: str, module: str | None = None, *, enable: bool = False, valid: bool = False
) -> str:
    """One module with a rank of registers at each cut; `header` (plain text) is its leading comment.

    Its first port is `clk_i`. With `enable`, all ranks hold while `enable_i` is 0. With `valid`, `valid_i` goes along
    with the bits of the first stage and comes out as `valid_o` with those of the last; `rst_ni` clears these valid bits
    and nothing else. A module of one stage has the same ports and no registers. Stages and ranks are numbered from 1,
    rank k after stage k; s2_n7 is gate 7 in stage 2. Raises RequestError if a port of the circuit has a name that the
    module needs itself.
    """
    circuit = staged.circuit
    taken = {"clk"} | ({"enable"} if enable else set()) | ({"valid"} if valid else set())
    if clash := taken & {port.name for port in (*circuit.inputs, *circuit.outputs)}:
        raise RequestError(f"{circuit.name}: port {min(clash)} has a name that a pipelined module needs itself")
    inputs = [("clk_i", 1)] + [("rst_ni", 1)] * valid + [("enable_i", 1)] * enable + [("valid_i", 1)] * valid
    inputs += [(f"{port.name}_i", port.width) for port in circuit.inputs]
    outputs = [("valid_o", 1)] * valid + [(f"{port.name}_o", port.width) for port in circuit.outputs]
    lines = head(module or circuit.name, [*header.strip().splitlines(), "", *_timetable(staged)], inputs, outputs)
    pins = input_pins(circuit)
    results = [""] * circuit.output_width
    for stage in range(staged.stages):
        names = {bit: pins[bit] for bit in staged.arriving(stage)}
        if stage:
            names |= _registers(staged, stage)
        lines += _stage(staged, stage, names)
        for bit in staged.leaving(stage):
            results[bit] = names[circuit.output_nodes[bit]]
    lines += _clocked(staged, enable, valid)
    lines += _unused(staged, pins, enable, valid)
    return _module(circuit, lines, results)


def node_names(staged: StagedCircuit, stage: int) -> dict[int, str]:
    """The name in `staged_systemverilog` of each node that a stage has: registers and inputs before it, its gates."""
    pins, width = input_pins(staged.circuit), staged.circuit.input_width
    names = {bit: pins[bit] for bit in staged.arriving(stage)}
    if stage:
        names |= _registers(staged, stage)
    return names | {node: f"s{stage + 1}_n{node - width}" for node in staged.gates[stage]}


def input_pins(circuit: Circuit) -> list[str]:
    """The input bits in flat order, as expressions."""
    return [f"{p.name}_i[{i}]" if p.width > 1 else f"{p.name}_i" for p in circuit.inputs for i in range(p.width)]


def head(
    module: str, header: Sequence[str], inputs: Sequence[tuple[str, int]], outputs: Sequence[tuple[str, int]]
) -> list[str]:
    """The leading comment and the port list, ports as names and widths."""
    ports = [f"  input  logic {bit_range(width)}{name}" for name, width in inputs]
    ports += [f"  output logic {bit_range(width)}{name}" for name, width in outputs]
    return [*(f"// {line}".rstrip() for line in header), f"module {module} (", ",\n".join(ports), ");"]


def _assignments(circuit: Circuit, gates: Iterable[int], names: Mapping[int, str]) -> list[str]:
    """These gate nodes, ascending: their wires declared, then driven, group by group; `names` of all they touch."""
    gates = list(gates)
    lines = [f"  logic {', '.join(names[node] for node in gates)};"] if gates else []
    block = -1
    for node in gates:
        gate = circuit.gates[node - circuit.input_width]
        if gate.block != block:
            block = gate.block
            label = circuit.blocks[block]
            lines += ["", f"  // {label}"] if label else [""]
        lines.append(f"  assign {names[node]} = {EXPRESSIONS[gate.op].format(*(names[a] for a in gate.args))};")
    return lines


def _module(circuit: Circuit, lines: Sequence[str], results: Sequence[str]) -> str:
    """The whole module: `lines`, then its outputs driven by the expressions `results`, in flat order."""
    drives = []
    position = 0
    for port in circuit.outputs:
        drives.append(f"  assign {port.name}_o = {_joined(results[position : position + port.width])};")
        position += port.width
    return "\n".join(wrap_lines([*lines, *drives, "endmodule"])) + "\n"


def _timetable(staged: StagedCircuit) -> list[str]:
    """How many stages and registers there are, and which ports' bits do not belong to the first stage."""
    circuit = staged.circuit
    lines = [f"{staged.stages} stages, {staged.register_bits} register bits." if staged.latency else "1 stage."]
    pins = [f"{port.name}_i" for port in circuit.inputs for _ in range(port.width)]
    pins += [f"{port.name}_o" for port in circuit.outputs for _ in range(port.width)]
    when: dict[str, int] = {}
    stages = [at.stage for at in staged.arrival] + [at.stage or 0 for at in staged.required]
    for pin, stage in zip(pins, stages, strict=True):
        when[pin] = max(when.get(pin, 0), stage)
    for pin, stage in when.items():
        if stage:
            lines.append(f"{pin} belongs to stage {stage + 1}: {stage} clock{'s'[: stage - 1]} after stage 1's inputs.")
    return lines


def _registers(staged: StagedCircuit, rank: int) -> dict[int, str]:
    """Names of the nodes held in a rank, which is numbered from 1."""
    nodes = staged.registers[rank - 1]
    return {n: f"rank_{rank}_q[{i}]" if len(nodes) > 1 else f"rank_{rank}_q" for i, n in enumerate(nodes)}


def _stage(staged: StagedCircuit, stage: int, names: dict[int, str]) -> list[str]:
    """The gates of a stage and what the rank after it takes; adds the gates' wires to `names`."""
    circuit, gates = staged.circuit, staged.gates[stage]
    lines = ["", f"  // Stage {stage + 1}"] if staged.stages > 1 else []
    names |= {node: f"s{stage + 1}_n{node - circuit.input_width}" for node in gates}
    lines += _assignments(circuit, gates, names)
    if stage < staged.latency and (rank := staged.registers[stage]):
        signal = f"rank_{stage + 1}"
        lines += ["", f"  logic {bit_range(len(rank))}{signal}_d, {signal}_q;"]
        lines.append(f"  assign {signal}_d = {_joined([names[node] for node in rank])};")
    return lines


def _clocked(staged: StagedCircuit, enable: bool, valid: bool) -> list[str]:
    """The registers."""
    lines: list[str] = []
    ranks = [f"rank_{cut + 1}" for cut, nodes in enumerate(staged.registers) if nodes]
    if ranks:
        loads = [f"{rank}_q <= {rank}_d;" for rank in ranks]
        lines += ["", "  always_ff @(posedge clk_i) begin"]
        if enable:
            lines += ["    if (enable_i) begin", *(f"      {load}" for load in loads), "    end"]
        else:
            lines += [f"    {load}" for load in loads]
        lines.append("  end")
    if valid and staged.latency:
        following = "valid_i"
        if staged.latency > 1:
            following = f"{{valid_q[{f'{staged.latency - 2}:' if staged.latency > 2 else ''}0], valid_i}}"
        lines += ["", f"  logic {bit_range(staged.latency)}valid_q;"]
        lines.append("  always_ff @(posedge clk_i or negedge rst_ni) begin")
        lines.append("    if (!rst_ni) valid_q <= '0;")
        lines.append(f"    else {'if (enable_i) ' if enable else ''}valid_q <= {following};")
        lines.append("  end")
        lines.append(f"  assign valid_o = valid_q{f'[{staged.latency - 1}]' if staged.latency > 1 else ''};")
    elif valid:
        lines += ["", "  assign valid_o = valid_i;"]
    return lines


def _unused(staged: StagedCircuit, pins: list[str], enable: bool, valid: bool) -> list[str]:
    """Inputs that drive nothing, tied off by name."""
    circuit = staged.circuit
    used = {n for rank in staged.registers for n in rank} | set(circuit.output_nodes)
    used |= {a for stage in staged.gates for n in stage for a in circuit.gates[n - circuit.input_width].args}
    idle = [pin for bit, pin in enumerate(pins) if bit not in used]
    if not any(staged.registers) and not (valid and staged.latency):
        idle += ["clk_i"] + ["enable_i"] * enable
    if not staged.latency:
        idle += ["rst_ni"] * valid
    if not idle:
        return [""]
    return ["", "  logic unused_inputs;", f"  assign unused_inputs = &{{1'b0, {', '.join(idle)}}};", ""]


def _joined(bits: Sequence[str]) -> str:
    """Bits, the least significant first, as one expression."""
    return bits[0] if len(bits) == 1 else "{" + ", ".join(reversed(bits)) + "}"


def bit_range(width: int) -> str:
    """The packed range of a signal of that width, with a space after it; nothing for a single bit."""
    return f"[{width - 1}:0] " if width > 1 else ""


def wrap_lines(lines: list[str], limit: int = 100, before: Collection[str] = ()) -> list[str]:
    """Lines longer than `limit` broken after a comma, or before an operator of `before`; comments are left alone."""
    places = re.compile("|".join([", ", *(rf" (?={re.escape(operator)} )" for operator in before)]))
    wrapped: list[str] = []
    for line in lines:
        rest = line
        while len(rest) > limit and "\n" not in rest and not rest.lstrip().startswith("//"):
            cuts = [match for match in places.finditer(rest, 4, limit) if rest[: match.start()].strip()]
            if not cuts:
                break
            wrapped.append(rest[: cuts[-1].end()].rstrip())
            rest = "      " + rest[cuts[-1].end() :].lstrip()
        wrapped.append(rest)
    return wrapped
