"""Circuits of many gates as SystemVerilog that can be read: a gate that one other reads stands in its expression.

Named are the gates that several read: `sum_2[5]` is the sixth of those sums that are two names above the inputs,
`product_1[0]` the first of such products. Brackets keep the circuit's own gates: a front end makes the same gates of
this text as of `systemverilog`, only without names for most of them.
"""

from __future__ import annotations

from collections import Counter

from aesmith.circuits.circuit import Circuit, Op
from aesmith.circuits.systemverilog import EXPRESSIONS, head, input_pins, wrap_lines

_NAMES = {Op.AND: "product", Op.XOR: "sum"}
_DEEPEST = 40
"""Gates in series in one expression: tools have a limit to what they nest."""


def nested_systemverilog(circuit: Circuit, header: str, module: str) -> str:
    """One module of continuous assignments, a named vector or an output bit each, `header` its leading comment.

    Its ports are those of `systemverilog`.
    """
    width = circuit.input_width
    reads = Counter(argument for gate in circuit.gates for argument in gate.args)
    outputs = Counter(circuit.output_nodes)
    texts: dict[int, str] = dict(enumerate(input_pins(circuit)))
    rank = dict.fromkeys(range(width), 0)
    depth = dict.fromkeys(range(width), 0)
    vectors: dict[str, list[str]] = {}
    for node, gate in enumerate(circuit.gates, start=width):
        expression = EXPRESSIONS[gate.op].format(*(texts[argument] for argument in gate.args))
        rank[node] = max((rank[argument] for argument in gate.args), default=0)
        depth[node] = 1 + max((depth[argument] for argument in gate.args), default=0)
        if reads[node] + outputs[node] == 1 and (outputs[node] or depth[node] < _DEEPEST):
            texts[node] = expression if outputs[node] else f"({expression})"
            continue
        rank[node], depth[node] = rank[node] + 1, 0
        vector = f"{_NAMES.get(gate.op, 'gate')}_{rank[node]}"
        members = vectors.setdefault(vector, [])
        texts[node] = f"{vector}[{len(members)}]"
        members.append(expression)
    ports = ([(f"{p.name}_i", p.width) for p in circuit.inputs], [(f"{p.name}_o", p.width) for p in circuit.outputs])
    lines = head(module, header.strip().splitlines(), *ports)
    for vector, members in sorted(vectors.items(), key=lambda each: (int(each[0].rpartition("_")[2]), each[0])):
        lines += ["", f"  logic [{len(members) - 1}:0] {vector};"]
        lines += [f"  assign {vector}[{place}] = {expression};" for place, expression in enumerate(members)]
    place = 0
    for port in circuit.outputs:
        lines.append("")
        for bit in range(port.width):
            index_of_bit = f"[{bit}]" if port.width > 1 else ""
            lines.append(f"  assign {port.name}_o{index_of_bit} = {texts[circuit.output_nodes[place]]};")
            place += 1
    return "\n".join(wrap_lines([*lines, "endmodule"], before="^")) + "\n"
