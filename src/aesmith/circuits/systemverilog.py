"""Circuits as SystemVerilog leaf modules: combinational, no control of their own."""

from __future__ import annotations

from aesmith.circuits.circuit import Circuit, Op

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
    """One module of continuous assignments, `header` (plain text) as its leading comment.

    Ports are the circuit's, with `_i` and `_o` appended; bit 0 is the least significant. Gates are numbered wires, in
    groups under a comment with their block's label.
    """
    name = module or circuit.name
    nodes = [f"{p.name}_i[{i}]" if p.width > 1 else f"{p.name}_i" for p in circuit.inputs for i in range(p.width)]
    lines = [f"// {line}".rstrip() for line in header.strip().splitlines()]
    ports = [f"  input  logic {bit_range(p.width)}{p.name}_i" for p in circuit.inputs]
    ports += [f"  output logic {bit_range(p.width)}{p.name}_o" for p in circuit.outputs]
    lines += [f"module {name} (", ",\n".join(ports), ");"]
    nodes += [f"n{i}" for i in range(len(circuit.gates))]
    if circuit.gates:
        lines.append(f"  logic {', '.join(f'n{i}' for i in range(len(circuit.gates)))};")
    block = -1
    for i, gate in enumerate(circuit.gates):
        if gate.block != block:
            block = gate.block
            label = circuit.blocks[block]
            lines += ["", f"  // {label}"] if label else [""]
        lines.append(f"  assign n{i} = {EXPRESSIONS[gate.op].format(*(nodes[a] for a in gate.args))};")
    lines.append("")
    position = 0
    for port in circuit.outputs:
        bits = [nodes[n] for n in circuit.output_nodes[position : position + port.width]]
        position += port.width
        value = bits[0] if port.width == 1 else "{" + ", ".join(reversed(bits)) + "}"
        lines.append(f"  assign {port.name}_o = {value};")
    lines.append("endmodule")
    return "\n".join(wrap_lines(lines)) + "\n"


def bit_range(width: int) -> str:
    """The packed range of a signal of that width, with a space after it; nothing for a single bit."""
    return f"[{width - 1}:0] " if width > 1 else ""


def wrap_lines(lines: list[str], limit: int = 100) -> list[str]:
    """Lines longer than `limit` broken after a comma; comments are left as they are."""
    wrapped: list[str] = []
    for line in lines:
        rest = line
        while len(rest) > limit and ", " in rest[4:limit] and "\n" not in rest and not rest.lstrip().startswith("//"):
            cut = rest.rindex(", ", 4, limit) + 1
            wrapped.append(rest[:cut])
            rest = "      " + rest[cut:].lstrip()
        wrapped.append(rest)
    return wrapped
