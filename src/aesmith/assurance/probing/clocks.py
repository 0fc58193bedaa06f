"""What probes see of a masked circuit in two clocks: transitions, and what a register had before it is loaded.

**Transitions.** A transition-extended probe reads its wire's logic in two consecutive clocks. Outside S-boxes both are
of one share index (R1 in `structure.py`). And no wire reads a fresh bit and a register that takes it: nothing that a
probe reads in the second clock was computed from fresh bits that it has seen in the first (`check_apart`, on the flat
netlist). `check_ring` decides it exactly for the S-box: as a ring with a key added, other blocks in its other slots,
all probes in two clocks, from the first round to the third.

**Clock enables.** A register that holds by a selector reads itself: its probe reads what it had before, too, which is
of the execution before. `check_selectors` asks of each such probe that it depends on one share index, as probes without
selectors do, so that the gadgets still compose: of whole S-boxes with words of fresh bits that are gone when the next
ones come, of products also if the word before is still there.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from aesmith.assurance.probing.check import (
    Leaf,
    ProbingResult,
    ProbingVerdict,
    Surroundings,
    check_probing,
    leaf_names,
)
from aesmith.assurance.probing.values import ProbeAlgebra, Value
from aesmith.assurance.proof.netlist import Netlist
from aesmith.circuits.systemverilog import node_names
from aesmith.errors import CheckError
from aesmith.masking.sharing import MaskedCircuit


def ring(masked: MaskedCircuit) -> Surroundings:
    """The results of a circuit wired to its operand, share by share and bit by bit, with a key added."""
    places: dict[tuple[str, int], int] = {}
    for port in masked.staged.circuit.outputs:
        for bit in range(port.width):
            places[port.name, bit] = len(places)
    (result,) = masked.results
    shared = ((bit, origin) for bit, origin in enumerate(masked.origins) if origin.share is not None)
    return Surroundings(
        loop={bit: places[f"{result.name}_{origin.share}", origin.bit] for bit, origin in shared}, keyed=True
    )


def check_ring(masked: MaskedCircuit, around: Surroundings | None = None) -> ProbingResult:
    """Whether no transition-extended probe of a circuit as a ring (`ring`) tells anything of operands or key."""
    return check_probing(masked, 1, transitions=True, around=around or ring(masked))


def check_selectors(masked: MaskedCircuit, *, old_words: bool) -> ProbingResult:
    """Whether each probe of a register's input, which reads also what the register had before, depends on one share
    index of the operands of both executions alone, by one-time pads. With `old_words` it also reads the fresh bits of
    the execution before.

    Not shown is the verdict for the first probe of which that is not so.
    """
    algebra = ProbeAlgebra()
    of_share = [0] * masked.shares
    before, now = (_execution(masked, algebra, number, of_share) for number in (0, 1))
    examined = 0
    for wire, leaves, own in _held(masked):
        examined += 1
        seen = {now[node] for _, node in leaves} | {before[own[1]]}
        if old_words:
            seen |= {before[n] for _, n in leaves if n < len(masked.origins) and masked.origins[n].is_fresh}
        mask = 0
        for value in algebra.simplified(seen):
            mask |= algebra.support(value)
        if sum(bool(mask & bits) for bits in of_share) > 1:
            read = leaf_names(masked, {*leaves, own})
            return ProbingResult(ProbingVerdict.NOT_SHOWN, examined, (wire,), read)
    return ProbingResult(ProbingVerdict.SECURE, examined)


def check_apart(netlist: Netlist, fresh: str) -> int:
    """Raise CheckError, naming them, for a wire that reads a fresh bit of the port `fresh` and a register that takes
    it; else return the number of wires looked at."""
    bits = {net: 1 << i for i, net in enumerate(netlist.inputs[fresh])}
    register = {r.q: len(bits) + i for i, r in enumerate(netlist.registers)}
    reads = dict(bits) | {q: 1 << place for q, place in register.items()}
    for gate in netlist.gates:
        mask = 0
        for net in gate.inputs:
            mask |= reads.get(net, 0)
        reads[gate.output] = mask
    random = (1 << len(bits)) - 1
    pins = [(f"what {r.name} takes", r.d if r.pin < 0 else r.pin) for r in netlist.registers]
    taken = [reads.get(net, 0) & random for _, net in pins]
    wires = pins + [(f"{name}[{i}]", net) for name, nets in netlist.outputs.items() for i, net in enumerate(nets)]
    for wire, net in wires:
        seen = reads.get(net, 0)
        mask = seen >> len(bits) if seen & random else 0
        while mask:
            place = (mask & -mask).bit_length() - 1
            if both := taken[place] & seen:
                bit = (both & -both).bit_length() - 1
                raise CheckError(f"R2: {wire} reads {fresh}[{bit}] and {netlist.registers[place].name}, which takes it")
            mask &= mask - 1
    return len(wires)


def _execution(masked: MaskedCircuit, algebra: ProbeAlgebra, number: int, of_share: list[int]) -> list[Value]:
    """The values of all nodes; the variables of shares are added to `of_share`."""
    values: list[Value] = []
    for bit, origin in enumerate(masked.origins):
        values.append(algebra.variable(number, bit, secret=origin.share is not None))
        if origin.share is not None:
            of_share[origin.share] |= algebra.support(values[-1])
    for gate in masked.staged.circuit.gates:
        values.append(algebra.gate(gate, [values[arg] for arg in gate.args]))
    return values


def _held(masked: MaskedCircuit) -> Iterator[tuple[str, frozenset[Leaf], Leaf]]:
    """Each register: the wire before it, what that reads but for the register, and the register itself."""
    staged = masked.staged
    circuit, width = staged.circuit, staged.circuit.input_width
    for stage in range(staged.latency):
        names = node_names(staged, stage)
        reads = {node: frozenset(((stage, node),)) for node in staged.available(stage)}
        for node in staged.gates[stage]:
            reads[node] = frozenset(chain.from_iterable(reads[arg] for arg in circuit.gates[node - width].args))
        for node in staged.registers[stage]:
            yield names[node], reads[node], (stage + 1, node)
