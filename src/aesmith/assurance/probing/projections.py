"""What is looked at of the probes of a whole netlist when it is sampled, and not enumerated.

A glitch-extended probe reads the stable sources of a wire's logic: registers and inputs that a share or a fresh bit
reaches; a transition-extended one those of two consecutive clocks. Of these *tuples* only ones that lie in no other are
sampled. So many values as a tuple of n bits has can be counted for small n alone. Beyond that its *residue* is taken,
what one-time pads leave of it: a fresh bit that came a clock before the tuple, and that is in it in sums alone, hides
one element; that is added to the others that have the bit, and dropped. Of a residue that is still too long the number
of ones is counted (as PROLEAD does: Müller and Moradi, TCHES 2022/4); then wires inside of its logic whose tuples are
short enough are sampled, too, and the settled values of the others.

Fresh bits are what ports of random bits reach, through any number of clocks, shares do not, and one probe reads with
what shares reach: such ports themselves, or the registers of a generator that the core reads. What no share reaches is
independent of secrets, and probes that read nothing else are left out.

A residue is only a choice of what to count. Whether a netlist keeps pads as a sound one does is not assumed: what is
counted has a distribution of its own, which must not depend on secrets.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from aesmith.assurance.proof.netlist import Gate, Netlist, NetlistOp

_MOST_INSIDE = 24
"""Sources of a wire inside of wide logic that is looked at by itself."""

Element = tuple[int, ...]
"""A sum of sources: net for its level in the clock, -1 - net for that in the clock before."""


@dataclass(frozen=True)
class Projection:
    """What is counted of one probe, the wire `wire`: the values of `elements`, or (`weighed`) how many are 1.

    `reads` are the sources of the whole tuple, as in `Element`.
    """

    wire: str
    reads: tuple[int, ...]
    elements: tuple[Element, ...]
    weighed: bool


@dataclass(frozen=True)
class Projections:
    """All that is counted of a netlist. `settled` are nets whose own level is counted, `sources` what probes read."""

    probes: tuple[Projection, ...]
    settled: tuple[int, ...]
    sources: tuple[int, ...]


def projections(
    netlist: Netlist, shared: Collection[str], random: Collection[str], most_bits: int, *, transitions: bool
) -> Projections:
    """What is counted, tables of at most `most_bits` bits.

    `shared` are the input ports that carry shares, `random` those that carry fresh bits or what they are made from.
    """
    return _Tuples(netlist, frozenset(shared), frozenset(random), most_bits, transitions).found()


class _Tuples:
    def __init__(
        self, netlist: Netlist, shared: frozenset[str], random: frozenset[str], most_bits: int, transitions: bool
    ) -> None:
        self._netlist, self._most, self._transitions = netlist, most_bits, transitions
        gated = {register.d for register in netlist.registers if register.pin >= 0 and register.pin != register.d}
        self._wires = [gate for gate in netlist.gates if gate.output not in gated]
        of_shares, of_random = (
            [net for name in sorted(names) for net in netlist.inputs.get(name, ())] for names in (shared, random)
        )
        given = (*of_shares, *of_random)
        secret, reached = _reached(netlist, of_shares), _reached(netlist, given)
        self._sources = (*given, *(register.q for register in netlist.registers if register.q in reached))
        self._of_shares = sum(1 << i for i, net in enumerate(self._sources) if net in secret)
        self._reads = self._cones()
        beside = 0
        for cone in set(self._reads.values()):
            if cone & self._of_shares:
                beside |= cone
        self._fresh = [self._sources[i] for i in _places(beside & ~self._of_shares)]
        early = self._labels({}, 0)
        late = self._labels(early, 1)
        now = late if transitions else early
        pads = {net: (1 << len(self._fresh) * (2 if transitions else 1) + i, 0) for i, net in enumerate(self._fresh)}
        before = {net: (1 << len(self._fresh) + i, 0) for i, net in enumerate(self._fresh)}
        self._of = {net: now.get(net, (0, 0)) for net in self._sources} | pads
        self._of |= {-1 - net: early.get(net, (0, 0)) for net in self._sources} | {-1 - n: x for n, x in before.items()}

    def found(self) -> Projections:
        reads = self._reads
        wires: dict[int, str] = {}
        for register in self._netlist.registers:
            wires.setdefault(reads[_data(register.pin, register.d)], f"what {register.name} takes")
        for name, nets in self._netlist.outputs.items():
            for i, net in enumerate(nets):
                wires.setdefault(reads[net], f"{name}[{i}]")
        wires = {cone: wire for cone, wire in wires.items() if cone & self._of_shares}
        probes, tabled, wide = list[Projection](), list[int](), list[int]()
        for cone in _maximal(wires):
            probe = self._projection(wires[cone], cone)
            probes.append(probe)
            (wide if probe.weighed else tabled).append(cone)
        # Wires inside of logic that is too wide for a table: those whose own tuples are not.
        # (The placeholder of a clock gate, between data pin and next level, is no wire.)
        inner: dict[int, int] = {}
        for gate in self._wires:
            cone = reads[gate.output]
            if cone & self._of_shares and cone not in inner and any(not cone & ~whole for whole in wide):
                inner[cone] = gate.output
        short = {cone: self._projection("", cone) for cone in inner if cone.bit_count() <= _MOST_INSIDE}
        narrow = {cone: probe for cone, probe in short.items() if not probe.weighed}
        probes += [
            replace(narrow[cone], wire=wire_name(self._netlist, inner[cone]))
            for cone in _maximal(narrow)
            if all(cone & ~whole for whole in tabled)
        ]
        open_ = inner.keys() - narrow.keys()
        settled = [gate.output for gate in self._wires if reads[gate.output] in open_]
        return Projections(tuple(probes), tuple(settled), self._sources)

    def _cones(self) -> dict[int, int]:
        """The sources that each net's logic reads, as masks over them."""
        reads: dict[int, int] = defaultdict(int, {net: 1 << i for i, net in enumerate(self._sources)})
        for gate in self._netlist.gates:
            mask = 0
            for net in gate.inputs:
                mask |= reads[net]
            reads[gate.output] = mask
        return reads

    def _labels(self, registers: Mapping[int, tuple[int, int]], clock: int) -> dict[int, tuple[int, int]]:
        """The fresh bits in each register's next value: those in sums alone, and those in products.

        `registers` are those in its value now; the fresh bits of this clock have numbers of their own.
        """
        nothing = (0, 0)
        labels = dict(registers)
        labels |= {net: (1 << clock * len(self._fresh) + i, 0) for i, net in enumerate(self._fresh)}
        for gate in self._netlist.gates:
            labels[gate.output] = _after(gate, [labels.get(net, nothing) for net in gate.inputs])
        return {r.q: labels.get(_data(r.pin, r.d), nothing) for r in self._netlist.registers}

    def _projection(self, wire: str, cone: int) -> Projection:
        nets = [self._sources[i] for i in _places(cone)]
        reads = (*(-1 - net for net in nets), *nets) if self._transitions else (*nets,)
        elements: tuple[Element, ...] = tuple((read,) for read in reads)
        if len(elements) > self._most:
            elements = self._residue(reads)
        return Projection(wire, reads, elements, len(elements) > self._most)

    def _residue(self, reads: Sequence[int]) -> tuple[Element, ...]:
        left = [(1 << i, *self._of[read]) for i, read in enumerate(reads)]
        while True:
            once = twice = multiplied = 0
            for _, own, products in left:
                twice |= once & own
                once |= own
                multiplied |= products
            pads = once & ~multiplied
            if not pads:
                break
            if alone := pads & ~twice:
                # What these hide is in no other element.
                left = [each for each in left if not each[1] & alone]
                continue
            pad = pads & -pads
            chosen = min((each for each in left if each[1] & pad), key=lambda each: (each[2].bit_count(), each[0]))
            left = [
                (each[0] ^ chosen[0], each[1] ^ chosen[1], each[2] | chosen[2]) if each[1] & pad else each
                for each in left
                if each is not chosen
            ]
        return tuple(tuple(read for i, read in enumerate(reads) if total >> i & 1) for total, _, _ in left)


def _after(gate: Gate, of: Sequence[tuple[int, int]]) -> tuple[int, int]:
    """The fresh bits in a gate's output, as `_Tuples._labels` has them."""
    summed = multiplied = 0
    for own, products in of:
        multiplied |= products
        summed = summed ^ own if gate.op in (NetlistOp.XOR, NetlistOp.NOT) else summed | own
    return (summed, multiplied) if gate.op in (NetlistOp.XOR, NetlistOp.NOT) else (0, summed | multiplied)


def _data(pin: int, d: int) -> int:
    """The net at a register's data pin."""
    return d if pin < 0 else pin


def _reached(netlist: Netlist, nets: Iterable[int]) -> set[int]:
    """All nets that depend on these, through any number of clocks."""
    readers: dict[int, list[int]] = defaultdict(list)
    for gate in netlist.gates:
        for net in gate.inputs:
            readers[net].append(gate.output)
    for register in netlist.registers:
        readers[register.d].append(register.q)
    waiting = list(nets)
    reached = set(waiting)
    while waiting:
        new = [net for net in readers[waiting.pop()] if net not in reached]
        reached.update(new)
        waiting += new
    return reached


def _places(mask: int) -> Iterator[int]:
    """The bits of a mask that are 1, the least significant first."""
    while mask:
        yield (mask & -mask).bit_length() - 1
        mask &= mask - 1


def _maximal(cones: Iterable[int]) -> list[int]:
    """The cones that lie in no other, widest first."""
    found: list[int] = []
    for cone in sorted(cones, key=lambda cone: (-cone.bit_count(), cone)):
        if all(cone & ~other for other in found):
            found.append(cone)
    return found


def wire_name(netlist: Netlist, net: int) -> str:
    """The shortest name that a net has."""
    found = [(name, nets.index(net), len(nets)) for name, nets in netlist.names.items() if net in nets]
    if not found:
        return f"a wire without a name, net {net}"
    name, bit, width = min(found, key=lambda each: (len(each[0]), each[0]))
    return f"{name}[{bit}]" if width > 1 else name


def source_names(netlist: Netlist) -> dict[int, str]:
    """The names of inputs and registers, by net."""
    names = {register.q: register.name for register in netlist.registers}
    for name, nets in netlist.inputs.items():
        names |= {net: f"{name}[{i}]" if len(nets) > 1 else name for i, net in enumerate(nets)}
    return names


def sources_of(netlist: Netlist, net: int, sources: Collection[int]) -> list[int]:
    """Those of `sources` that a net's logic reads."""
    read = {net}.union(*(gate.inputs for gate in netlist.cone([net])))
    return [source for source in sources if source in read]
