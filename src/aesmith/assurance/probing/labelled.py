"""An exact check of a netlist of which labels say which inputs are shares, and which are fresh bits.

The netlist is run from reset with values in the place of levels (`values.py`): in each clock each operand comes shared
anew, or in the same shares if it is held, and each fresh bit is new. So it may be of any structure: stages, clock
enables, a loop that comes to an end. What a register of no reset holds at first, what the sources leave undefined and
inputs that are labelled as public may have any level, and the attacker knows it.

A glitch-extended probe reads all registers and inputs that feed a wire's logic in a clock, whatever its gates make of
them; a transition-extended one reads them in two consecutive clocks. Looked at is what registers and clock gates take,
and outputs; of results that are labelled each share as one wire, so that whatever follows share by share is in it.

The values of a clock are those of the clock before, one clock later, once a netlist has *settled*. From there on
nothing new comes, and what two probes read that are further apart in time than it took is independent but for operands
that are held, so that sets of probes within that time are all there are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

from aesmith.assurance.probing.check import MOST_VARIABLES, ProbingResult, ProbingVerdict
from aesmith.assurance.probing.projections import source_names
from aesmith.assurance.probing.values import NOTHING, ONE, ProbeAlgebra, Value
from aesmith.assurance.proof.netlist import FALSE, TRUE, Gate, Netlist, NetlistOp
from aesmith.errors import CheckError, RequestError
from aesmith.progress import Progress

MOST_CLOCKS = 64
"""Clocks in which a netlist settles, where it is not said how many are to be looked at."""

InputBit = tuple[str, int]
"""A port and the place of a bit in it, 0 the least significant."""


@dataclass(frozen=True)
class Labels:
    """What the inputs of a netlist are; each input bit is named once.

    `operands`: for each the bits of its shares, share 0 first, each share from its bit 0 on. `results`: outputs,
    likewise. `fresh`: uniform, independent, new in each clock. `constant`: with their levels. `public`: any level.
    `held`: operands keep their shares. `first`: the clock behind reset in which they first come; before, shares are 0.
    `clocks`: how many behind reset are looked at, 0 for all until it has settled.
    """

    operands: Mapping[str, tuple[tuple[InputBit, ...], ...]]
    fresh: frozenset[InputBit] = frozenset()
    results: Mapping[str, tuple[tuple[InputBit, ...], ...]] = field(default_factory=dict)
    constant: Mapping[InputBit, int] = field(default_factory=dict)
    public: frozenset[InputBit] = frozenset()
    held: bool = False
    first: int = 0
    clocks: int = 0

    @property
    def order(self) -> int:
        """One less than the fewest shares of an operand."""
        return min(len(shares) for shares in self.operands.values()) - 1


def check_labelled(
    netlist: Netlist,
    labels: Labels,
    order: int | None = None,
    *,
    transitions: bool = False,
    most_variables: int = MOST_VARIABLES,
    progress: Progress | None = None,
) -> ProbingResult:
    """Whether any `order` probes of a netlist (default: one less than shares) tell nothing of the operands.

    `progress` is told clocks and how many there are. Raises RequestError for labels that do not fit the netlist, for
    an order below 1, and CheckError for a netlist that does not settle in 64 clocks where none are said.
    """
    _check_labels(netlist, labels)
    order = labels.order if order is None else order
    if order < 1:
        raise RequestError(f"order: must be 1 or more, not {order}")
    run = _Run(netlist, labels)
    probes = _probes(netlist, labels)
    first, span = run.clocks()
    seen = {
        (place, clock): run.read(leaves, (clock, clock + 1) if transitions else (clock,))
        for clock in range(first + (span if order > 1 else 0))
        for place, (_, leaves) in enumerate(probes)
    }
    known: dict[frozenset[Value], bool | None] = {}
    examined, open_ = 0, False
    for several in _sets(len(probes), first, span, order):
        if progress is not None and several[0] == (0, several[0][1]):
            progress("clocks", several[0][1], first)
        examined += 1
        values = frozenset[Value]().union(*(seen[each] for each in several))
        if values not in known:
            known[values] = run.algebra.tells(run.with_public(values), most_variables)
        if known[values]:
            wires = tuple(f"{probes[place][0]} in clock {clock}" for place, clock in several)
            leaves = frozenset[int]().union(*(probes[place][1] for place, _ in several))
            return ProbingResult(ProbingVerdict.LEAKS, examined, wires, run.names(leaves))
        open_ |= known[values] is None
    return ProbingResult(ProbingVerdict.NOT_SHOWN if open_ else ProbingVerdict.SECURE, examined)


def _sets(probes: int, first: int, span: int, order: int) -> Iterator[tuple[tuple[int, int], ...]]:
    """All sets of probes, as place and clock, the earliest of which is in one of the `first` clocks and none `span`
    clocks later or more."""
    for clock in range(first):
        own = [(place, clock) for place in range(probes)]
        later = [(place, at) for at in range(clock + 1, clock + span) for place in range(probes)] if order > 1 else []
        for number, one in enumerate(own):
            for others in combinations([*own[number + 1 :], *later], order - 1):
                yield (one, *others)


def _check_labels(netlist: Netlist, labels: Labels) -> None:
    """Raises RequestError for bits that are not there, that have two labels, or none."""
    there = {(name, i) for name, nets in netlist.inputs.items() for i in range(len(nets))}
    given = [bit for shares in labels.operands.values() for share in shares for bit in share]
    given += [*labels.fresh, *labels.constant, *labels.public]
    outputs = {(name, i) for name, nets in netlist.outputs.items() for i in range(len(nets))}
    results = [bit for shares in labels.results.values() for share in shares for bit in share]
    for kind, named, known in (("input", given, there), ("output", results, outputs)):
        for name, i in named:
            if (name, i) not in known:
                raise RequestError(f"labels: {name}[{i}] is no {kind} of {netlist.name}")
        if len(set(named)) < len(named):
            name, i = next(bit for place, bit in enumerate(named) if bit in named[:place])
            raise RequestError(f"labels: {name}[{i}] has two labels")
    if not labels.operands:
        raise RequestError("labels: there are no shares, so nothing is secret")
    for name, shares in (*labels.operands.items(), *labels.results.items()):
        if len(shares) < 2 or len({len(share) for share in shares}) > 1 or not shares[0]:
            raise RequestError(f"labels: {name}: must be two shares or more, of as many bits each")
    if missing := sorted(there - set(given)):
        name, i = missing[0]
        raise RequestError(
            f"labels: {name}[{i}]{f' and {len(missing) - 1} more have' if missing[1:] else ' has'} none: each input is "
            "a share, a fresh bit, constant or public"
        )


def _probes(netlist: Netlist, labels: Labels) -> list[tuple[str, frozenset[int]]]:
    """Wires, each with the sources that its logic reads; those that read less than another one are left out."""
    reads: dict[int, frozenset[int]] = {FALSE: frozenset(), TRUE: frozenset()}
    reads |= {net: frozenset((net,)) for net in netlist.input_bits}
    reads |= {register.q: frozenset((register.q,)) for register in netlist.registers}
    for gate in netlist.gates:
        reads[gate.output] = frozenset[int]().union(*(reads[net] for net in gate.inputs))
    found: dict[frozenset[int], str] = {}
    choice = {gate.output: gate for gate in netlist.gates}
    for register in netlist.registers:
        found.setdefault(reads[register.d if register.pin < 0 else register.pin], f"what {register.name} takes")
        if register.pin not in (-1, register.d):
            found.setdefault(reads[choice[register.d].inputs[0]], f"the clock gate of {register.name}")
    for operand, shares in labels.results.items():
        for number, share in enumerate(shares):
            cones = (reads[netlist.outputs[name][i]] for name, i in share)
            found.setdefault(frozenset[int]().union(*cones), f"share {number} of {operand}")
    for name, nets in netlist.outputs.items():
        for i, net in enumerate(nets):
            found.setdefault(reads[net], f"{name}[{i}]" if len(nets) > 1 else name)
    return [(wire, cone) for cone, wire in found.items() if not any(cone < other for other in found)]


class _Run:
    """The values of all nets, clock by clock after reset."""

    def __init__(self, netlist: Netlist, labels: Labels) -> None:
        self.netlist, self.labels, self.algebra = netlist, labels, ProbeAlgebra()
        self._known: list[dict[int, Value]] = []
        self._public = 0
        self._later: dict[Value, Value] = {}
        self._of_share = {
            netlist.inputs[port][i]: (name, bit, number, len(shares))
            for name, shares in labels.operands.items()
            for number, share in enumerate(shares)
            for bit, (port, i) in enumerate(share)
        }
        self._level = {netlist.inputs[port][i]: ONE if high else NOTHING for (port, i), high in labels.constant.items()}
        self._fresh = {netlist.inputs[port][i] for port, i in labels.fresh}

    def clocks(self) -> tuple[int, int]:
        """How many clocks there are in which a set of probes may begin, and how many clocks a set may take."""
        if self.labels.clocks:
            return self.labels.clocks, self.labels.clocks
        clock = self.labels.first
        while not self._settled(clock):
            clock += 1
            if clock > self.labels.first + MOST_CLOCKS:
                raise CheckError(
                    f"{self.netlist.name}: what its registers hold still changes after {MOST_CLOCKS} clocks; say how "
                    "many are to be looked at, as clocks = N"
                )
        return clock + 1, clock + 2

    def _settled(self, clock: int) -> bool:
        """Whether each register holds in the next clock what it holds in this one, one clock later."""
        now, after = self.values(clock), self.values(clock + 1)
        return all(after[r.q] == self._moved(now[r.q]) for r in self.netlist.registers)

    def values(self, clock: int) -> dict[int, Value]:
        """The value of each net in a clock; clock 0 is the first one behind reset."""
        while len(self._known) <= clock:
            self._known.append(self._next(len(self._known)))
        return self._known[clock]

    def read(self, leaves: Iterable[int], clocks: Sequence[int]) -> frozenset[Value]:
        """What a probe of these sources reads in some clocks."""
        return frozenset(self.values(clock)[net] for clock in clocks for net in leaves)

    def with_public(self, values: frozenset[Value]) -> frozenset[Value]:
        """Values beside what of them everybody knows."""
        within = 0
        for value in values:
            within |= self.algebra.support(value)
        known = within & self._public
        return values | {frozenset((2 * bit + 2,)) for bit in range(known.bit_length()) if known >> bit & 1}

    def names(self, leaves: Iterable[int]) -> tuple[str, ...]:
        """The registers and inputs that probes read."""
        names = source_names(self.netlist)
        return tuple(names.get(net, f"an undefined level, net {net}") for net in sorted(leaves))

    def _next(self, clock: int) -> dict[int, Value]:
        values = {FALSE: NOTHING, TRUE: ONE}
        for register in self.netlist.registers:
            if clock:
                values[register.q] = self._known[clock - 1][register.d]
            elif register.reset is None:
                values[register.q] = self._open("at first", register.q)
            else:
                values[register.q] = ONE if register.reset else NOTHING
        values |= {net: self._input(net, clock) for net in self.netlist.input_bits}
        for gate in self.netlist.gates:
            values[gate.output] = self._gate(gate, [values[net] for net in gate.inputs])
        return values

    def _input(self, net: int, clock: int) -> Value:
        if net in self._level:
            return self._level[net]
        if net in self._fresh:
            return self.algebra.variable("fresh", net, clock)
        if net not in self._of_share:
            return self._open("public", net, clock)
        if clock < self.labels.first:
            return NOTHING
        name, bit, share, shares = self._of_share[net]
        turn = "held" if self.labels.held else clock
        if share:
            return self.algebra.variable("share", name, bit, share, turn)
        value = self.algebra.variable("secret", name, bit, turn, secret=True)
        for other in range(1, shares):
            value ^= self.algebra.variable("share", name, bit, other, turn)
        return value

    def _open(self, *name: object) -> Value:
        value = self.algebra.variable(*name)
        self._public |= self.algebra.support(value)
        return value

    def _gate(self, gate: Gate, args: Sequence[Value]) -> Value:
        match gate.op:
            case NetlistOp.NOT:
                return args[0] ^ ONE
            case NetlistOp.XOR:
                return args[0] ^ args[1]
            case NetlistOp.AND:
                return self.algebra.product(*args)
            case NetlistOp.OR:
                return self.algebra.product(args[0] ^ ONE, args[1] ^ ONE) ^ ONE
            case NetlistOp.MUX:
                return args[1] ^ self.algebra.product(args[0], args[1] ^ args[2])

    def _moved(self, value: Value) -> Value:
        """A value with all that comes new in each clock one clock later."""
        return self.algebra.renamed(value, self._a_clock_later, self._later)

    def _a_clock_later(self, name: tuple[object, ...]) -> Value:
        *of, clock = name
        if of[0] == "at first" or clock == "held":
            return self.algebra.variable(*name)
        moved = self.algebra.variable(*of, int(str(clock)) + 1, secret=of[0] == "secret")
        if of[0] == "public":
            self._public |= self.algebra.support(moved)
        return moved
