"""Cores with one fault each, made from a netlist by rule: a proof that refutes none of them proves nothing.

Each kind is a fault that designers make. Which gates and registers are hit is drawn with a seed.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from aesmith.assurance.proof.interface import PAYLOADS
from aesmith.assurance.proof.netlist import FALSE, TRUE, Gate, Netlist, NetlistOp, Register
from aesmith.cores.design import CoreDesign, SourceFile
from aesmith.errors import CheckError


@dataclass(frozen=True)
class Mutant:
    """A netlist with one fault: of which kind, and where."""

    kind: str
    place: str
    netlist: Netlist


def with_fault(design: CoreDesign, right: str, broken: str) -> CoreDesign:
    """The design with a piece of text replaced wherever it stands, in one of its files only."""
    sources = tuple(SourceFile(source.name, source.text.replace(right, broken)) for source in design.sources)
    assert sum(a != b for a, b in zip(sources, design.sources, strict=True)) == 1
    return replace(design, sources=sources)


def mutants(netlist: Netlist, count: int, seed: int = 1) -> list[Mutant]:
    """`count` different mutants, the kinds in turn. Raises CheckError if there are not so many."""
    chance = random.Random(seed)
    makers = {kind: maker(netlist, chance) for kind, maker in _KINDS.items()}
    found: list[Mutant] = []
    seen: set[tuple[str, str]] = set()
    while makers and len(found) < count:
        for kind in list(makers):
            for place, changed in makers[kind]:
                if (kind, place) not in seen:
                    seen.add((kind, place))
                    found.append(Mutant(kind, place, changed))
                    break
            else:
                del makers[kind]
    if len(found) < count:
        raise CheckError(f"{netlist.name}: has {len(found)} different mutants, not {count}")
    return found[:count]


_Places = Iterator[tuple[str, Netlist]]
_T = TypeVar("_T")


def _shuffled(items: Sequence[_T], chance: random.Random) -> list[_T]:
    return chance.sample(items, len(items))


def _control_nets(netlist: Netlist) -> set[int]:
    """Nets that payload does not reach, through any number of clocks."""
    reached = {bit for name in PAYLOADS for bit in netlist.inputs[name]}
    reached |= {register.q for register in netlist.registers if register.reset is None}
    grows = True
    while grows:
        grows = False
        for gate in netlist.gates:
            if gate.output not in reached and not reached.isdisjoint(gate.inputs):
                reached.add(gate.output)
        for register in netlist.registers:
            if register.d in reached and register.q not in reached:
                reached.add(register.q)
                grows = True
    nets = {gate.output for gate in netlist.gates} | {register.q for register in netlist.registers}
    return nets - reached


def _with_registers(netlist: Netlist, changed: dict[int, Register]) -> Netlist:
    return replace(netlist, registers=tuple(changed.get(i, r) for i, r in enumerate(netlist.registers)))


def _names(netlist: Netlist) -> dict[int, str]:
    names: dict[int, str] = {}
    for name, bits in netlist.names.items():
        for i, bit in enumerate(bits):
            names.setdefault(bit, f"{name}[{i}]" if len(bits) > 1 else name)
    return names


def _groups(netlist: Netlist, *, control: bool) -> dict[str, list[int]]:
    """Registers by the name they share, in order of their bits."""
    groups: dict[str, list[int]] = defaultdict(list)
    for i, register in enumerate(netlist.registers):
        if (register.reset is not None) == control:
            groups[register.name.partition("[")[0]].append(i)
    return groups


def _stuck(netlist: Netlist, chance: random.Random) -> _Places:
    for i in _shuffled(range(len(netlist.registers)), chance):
        level = chance.choice((FALSE, TRUE))
        register = netlist.registers[i]
        yield f"{register.name} at {level}", _with_registers(netlist, {i: replace(register, d=level)})


def _wrong_constant(netlist: Netlist, chance: random.Random) -> _Places:
    for i in _shuffled([i for bits in _groups(netlist, control=False).values() for i in bits], chance):
        register, free = netlist.registers[i], netlist.net_count
        changed = _with_registers(netlist, {i: replace(register, d=free)})
        yield f"next {register.name}", changed.with_gates((*netlist.gates, Gate(NetlistOp.NOT, (register.d,), free)))


def _replaced(
    netlist: Netlist, chance: random.Random, ops: dict[NetlistOp, NetlistOp], *, control: bool, swap: bool = False
) -> _Places:
    nets, names = _control_nets(netlist), _names(netlist)
    sites = [i for i, gate in enumerate(netlist.gates) if gate.op in ops and (gate.output in nets) == control]
    for i in _shuffled(sites, chance):
        gate = netlist.gates[i]
        inputs = (gate.inputs[0], gate.inputs[2], gate.inputs[1]) if swap else gate.inputs
        gates = list(netlist.gates)
        gates[i] = Gate(ops[gate.op], inputs, gate.output)
        yield names.get(gate.output, f"gate {gate.output}"), netlist.with_gates(gates)


def _inverted_select(netlist: Netlist, chance: random.Random) -> _Places:
    by_select: dict[int, list[int]] = defaultdict(list)
    for i, gate in enumerate(netlist.gates):
        if gate.op is NetlistOp.MUX:
            by_select[gate.inputs[0]].append(i)
    names = _names(netlist)
    for select in _shuffled(list(by_select), chance):
        # One bit of the word, or all of it.
        chosen = set(by_select[select]) if chance.random() < 0.5 else {chance.choice(by_select[select])}
        gates = [
            Gate(NetlistOp.MUX, (gate.inputs[0], gate.inputs[2], gate.inputs[1]), gate.output) if i in chosen else gate
            for i, gate in enumerate(netlist.gates)
        ]
        place = names.get(select, f"net {select}")
        yield f"{len(chosen)} of {len(by_select[select])} bits selected by {place}", netlist.with_gates(gates)


def _swapped_bytes(netlist: Netlist, chance: random.Random) -> _Places:
    wide = {name: bits for name, bits in _groups(netlist, control=False).items() if len(bits) >= 16}
    while wide:
        name = chance.choice(list(wide))
        one, other = chance.sample(range(len(wide[name]) // 8), 2)
        changed = {}
        for bit in range(8):
            a, b = wide[name][8 * one + bit], wide[name][8 * other + bit]
            changed[a] = replace(netlist.registers[a], d=netlist.registers[b].d)
            changed[b] = replace(netlist.registers[b], d=netlist.registers[a].d)
        yield f"{name}: {min(one, other)} and {max(one, other)}", _with_registers(netlist, changed)


def _wrong_condition(netlist: Netlist, chance: random.Random) -> _Places:
    return _replaced(
        netlist,
        chance,
        {NetlistOp.AND: NetlistOp.OR, NetlistOp.OR: NetlistOp.AND, NetlistOp.XOR: NetlistOp.OR},
        control=True,
    )


def _wrong_operator(netlist: Netlist, chance: random.Random) -> _Places:
    return _replaced(
        netlist,
        chance,
        {NetlistOp.AND: NetlistOp.OR, NetlistOp.OR: NetlistOp.AND, NetlistOp.XOR: NetlistOp.OR},
        control=False,
    )


def _wrong_count(netlist: Netlist, chance: random.Random) -> _Places:
    """Control registers that start or step elsewhere: the rounds are one too many or too few."""
    control = [i for bits in _groups(netlist, control=True).values() for i in bits]
    for i in _shuffled(control, chance):
        register, free = netlist.registers[i], netlist.net_count
        if chance.random() < 0.5:
            start = 1 - (register.reset or 0)
            yield f"{register.name} after reset", _with_registers(netlist, {i: replace(register, reset=start)})
        else:
            changed = _with_registers(netlist, {i: replace(register, d=free)})
            yield (
                f"next {register.name}",
                changed.with_gates((*netlist.gates, Gate(NetlistOp.NOT, (register.d,), free))),
            )


def _lost_stall(netlist: Netlist, chance: random.Random) -> _Places:
    """Registers that should have kept their value and take the next."""
    driver = {gate.output: i for i, gate in enumerate(netlist.gates)}
    for name, bits in _shuffled(list(_groups(netlist, control=False).items()), chance):
        gates = list(netlist.gates)
        holding = 0
        for register in (netlist.registers[i] for i in bits):
            i = driver.get(register.d)
            if i is not None and gates[i].op is NetlistOp.MUX and register.q in gates[i].inputs[1:]:
                _, when_0, when_1 = gates[i].inputs
                new = when_1 if when_0 == register.q else when_0
                gates[i] = Gate(NetlistOp.OR, (new, new), gates[i].output)
                holding += 1
        if holding:
            yield name, netlist.with_gates(gates)


def _missing_stage(netlist: Netlist, chance: random.Random) -> _Places:
    """Registers bypassed: what they hold is used a clock too early."""
    for name, bits in _shuffled(list(_groups(netlist, control=False).items()), chance):
        early = {netlist.registers[i].q: netlist.registers[i].d for i in bits}
        gates = [
            Gate(gate.op, tuple(early.get(net, net) for net in gate.inputs), gate.output) for gate in netlist.gates
        ]
        registers = {
            i: replace(r, d=early.get(r.d, r.d))
            for i, r in enumerate(netlist.registers)
            if r.d in early and r.q not in early
        }
        try:
            yield name, _with_registers(netlist, registers).with_gates(gates)
        except CheckError:
            continue


def _stuck_handshake(netlist: Netlist, chance: random.Random) -> _Places:
    for name in _shuffled(["block_ready_i", "block_valid_i", "key_valid_i"], chance):
        for level in (TRUE, FALSE):
            bit = netlist.inputs[name][0]
            gates = [
                Gate(gate.op, tuple(level if net == bit else net for net in gate.inputs), gate.output)
                for gate in netlist.gates
            ]
            yield f"{name} taken as {level}", netlist.with_gates(gates)


_KINDS: dict[str, Callable[[Netlist, random.Random], _Places]] = {
    "stuck bit": _stuck,
    "wrong constant": _wrong_constant,
    "swapped bytes": _swapped_bytes,
    "inverted select": _inverted_select,
    "wrong condition": _wrong_condition,
    "wrong operator": _wrong_operator,
    "off by one": _wrong_count,
    "lost stall": _lost_stall,
    "missing stage": _missing_stage,
    "handshake ignored": _stuck_handshake,
}
