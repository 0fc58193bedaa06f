"""Whether two elaborated netlists are one but for the numbers of their nets."""

from __future__ import annotations

from aesmith.assurance.proof.netlist import FALSE, TRUE, Netlist


def difference(one: Netlist, other: Netlist) -> str:
    """The first output or register whose gates differ, with their inputs in order; empty if none does."""
    if {name: len(nets) for name, nets in one.inputs.items()} != {n: len(nets) for n, nets in other.inputs.items()}:
        return f"inputs {sorted(one.inputs.keys() ^ other.inputs.keys())}"
    if [(r.name, r.reset) for r in one.registers] != [(r.name, r.reset) for r in other.registers]:
        return "registers"
    same: dict[int, int] = {FALSE: FALSE, TRUE: TRUE}
    for name, nets in one.inputs.items():
        same |= dict(zip(nets, other.inputs[name], strict=True))
    same |= {mine.q: theirs.q for mine, theirs in zip(one.registers, other.registers, strict=True)}
    ours, theirs = ({gate.output: gate for gate in netlist.gates} for netlist in (one, other))

    def alike(net: int, there: int) -> bool:
        waiting = [(net, there)]
        while waiting:
            here, opposite = waiting.pop()
            if here in same:
                if same[here] != opposite:
                    return False
                continue
            if here in one.free and opposite in other.free and opposite not in same.values():
                same[here] = opposite
                continue
            mine, its = ours.get(here), theirs.get(opposite)
            if mine is None or its is None or mine.op is not its.op:
                return False
            same[here] = opposite
            waiting += zip(mine.inputs, its.inputs, strict=True)
        return True

    for name, nets in one.outputs.items():
        if not all(map(alike, nets, other.outputs[name])):
            return f"output {name}"
    for mine, its in zip(one.registers, other.registers, strict=True):
        if not alike(mine.d, its.d):
            return f"register {mine.name}"
    return ""
