"""A netlist on shares, folded to the netlist that their sums obey.

Each net is *public*, of one share, or a fresh bit. What is of a share is a sum of bits of that share, each times a
polynomial in public nets, and of such a polynomial alone: its *form*. Let what each register and each output of a share
takes have the form that it has in share 0, but for what is public alone. Then the sum of all shares has that form, too,
with sums in the place of shares. So share 0's gates compute the sums, once what is public alone in other shares is
added. This is checked form by form, for all states and inputs.

Which registers of the shares stand for each other is found by what they take, and then checked like the rest. Products
of two bits of a share there are none, unless public factors of them are never 1 at once (`exclusive.py`).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product

from aesmith.assurance.proof.netlist import FALSE, TRUE, Gate, Netlist, NetlistOp, Register, in_order
from aesmith.assurance.proof.shares.exclusive import exclusive
from aesmith.assurance.proof.shares.polynomials import one, times
from aesmith.errors import CheckError

Polynomial = frozenset[frozenset[int]]
"""A sum of products of public nets."""

Form = dict[int, Polynomial]
"""What each bit of a share is multiplied by, none with 0; under PUBLIC what is public alone."""

Place = tuple[str, int]
"""A bit by name and index, the same in all shares."""

PUBLIC = -1
_FRESH = -1
_ONE: Polynomial = one()


@dataclass(frozen=True)
class Shared:
    """Which nets of a netlist are shares.

    `entering[i]` are the inputs of share i, `leaving[i]` its outputs, each by a place that all shares have. `fresh` are
    inputs that are fresh bits.
    """

    entering: Sequence[Mapping[Place, int]]
    leaving: Sequence[Mapping[Place, int]]
    fresh: frozenset[int]


@dataclass(frozen=True)
class Folded:
    """The netlist of sums, in which share 0's nets carry them; what leaves, by place; and how many of its registers
    carry sums."""

    netlist: Netlist
    leaving: Mapping[Place, int]
    registers: int


def fold(netlist: Netlist, shared: Shared) -> Folded:
    """The netlist that sums of shares obey; its ports are still those of all shares.

    Raises CheckError, naming a net or register: where shares meet, or public logic or an output reads one, or anything
    reads a fresh bit; where a share computes a product of its own bits; and where shares do not compute the same.
    """
    return _Fold(netlist, shared).folded()


@dataclass
class _Fold:
    netlist: Netlist
    shared: Shared
    share: dict[int, int] = field(default_factory=dict)
    equal: dict[int, int] = field(default_factory=dict)
    forms: dict[int, Form] = field(default_factory=dict)
    zero: dict[frozenset[tuple[int, int]], int] = field(default_factory=dict)
    added: list[Gate] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._names: dict[int, str] = {register.q: register.name for register in self.netlist.registers}
        for name, bits in (*self.netlist.names.items(), *self.netlist.outputs.items(), *self.netlist.inputs.items()):
            for i, net in enumerate(bits):
                self._names.setdefault(net, f"{name}[{i}]" if len(bits) > 1 else name)
        self._of_share: list[Register] = []

    def _refuse(self, what: str) -> CheckError:
        return CheckError(f"{self.netlist.name}: {what}")

    def _name(self, net: int) -> str:
        return self._names.get(net, f"net {net}")

    def folded(self) -> Folded:
        """The netlist of sums."""
        self._find_shares()
        self._find_equal()
        self._check_ports()
        self._of_share = [register for register in self.netlist.registers if register.q in self.share]
        for gate in self.netlist.gates:
            if gate.output in self.share:
                self.forms[gate.output] = self._form(gate)
        self._check_products()
        return self._sums(self._partners())

    def _find_shares(self) -> None:
        """The share of each net that is of one, through any number of clocks."""
        readers: dict[int, list[int]] = defaultdict(list)
        for gate in self.netlist.gates:
            for net in gate.inputs:
                readers[net].append(gate.output)
        for register in self.netlist.registers:
            readers[register.d].append(register.q)
        for index, nets in enumerate(self.shared.entering):
            self.share |= dict.fromkeys(nets.values(), index)
        self.share |= dict.fromkeys(self.shared.fresh, _FRESH)
        waiting = list(self.share)
        while waiting:
            net = waiting.pop()
            for output in readers[net]:
                if self.share[net] == _FRESH:
                    raise self._refuse(f"fresh bit {self._name(net)} is read outside S-boxes, by {self._name(output)}")
                if output not in self.share:
                    self.share[output] = self.share[net]
                    waiting.append(output)
                elif self.share[output] != self.share[net]:
                    both = sorted((self.share[output], self.share[net]))
                    raise self._refuse(f"shares {both[0]} and {both[1]} meet at {self._name(output)}")

    def _find_equal(self) -> None:
        """Public gates that are the same, as a gate of control that stands in the module of each share."""
        first: dict[tuple[NetlistOp, tuple[int, ...]], int] = {}
        for gate in self.netlist.gates:
            if gate.output not in self.share:
                read = tuple(self.equal.get(net, net) for net in gate.inputs)
                self.equal[gate.output] = first.setdefault((gate.op, read), gate.output)

    def _check_ports(self) -> None:
        """Whether what leaves a share is of it or public, and no other output is of a share."""
        leaving = {net for nets in self.shared.leaving for net in nets.values()}
        for index, nets in enumerate(self.shared.leaving):
            for (name, bit), net in nets.items():
                if self.share.get(net, index) != index:
                    raise self._refuse(f"{name}[{bit}] of share {index} depends on share {self.share[net]}")
        for name, bits in self.netlist.outputs.items():
            for net in bits:
                if net in self.share and net not in leaving:
                    raise self._refuse(f"output {name} depends on share {self.share[net]}")

    def _read(self, net: int) -> Form:
        if net in (FALSE, TRUE):
            return {PUBLIC: _ONE} if net == TRUE else {}
        if net not in self.share:
            return {PUBLIC: frozenset((frozenset((self.equal.get(net, net),)),))}
        return self.forms.get(net, {net: _ONE})

    def _form(self, gate: Gate) -> Form:
        args = [self._read(net) for net in gate.inputs]
        match gate.op:
            case NetlistOp.NOT:
                return _sum(args[0], {PUBLIC: _ONE})
            case NetlistOp.XOR:
                return _sum(*args)
            case NetlistOp.AND:
                return self._product(gate, *args)
            case NetlistOp.OR:
                return _sum(*args, self._product(gate, *args))
            case NetlistOp.MUX:
                return _sum(args[1], self._product(gate, args[0], _sum(args[1], args[2])))

    def _product(self, gate: Gate, a: Form, b: Form) -> Form:
        if a.keys() - {PUBLIC}:
            a, b = b, a
        if a.keys() - {PUBLIC}:
            # It is 0 if of each term of the one and each of the other two public factors are never 1 at once.
            for left, right in product(_factors(a), _factors(b)):
                self.zero.setdefault(frozenset(product(left, right)), gate.output)
            return {}
        return {atom: made for atom, by in b.items() if (made := times(a.get(PUBLIC, frozenset()), by))}

    def _check_products(self) -> None:
        """Whether all products of two bits of a share are 0, in each state of control that is reached."""
        never = exclusive(self.netlist, {pair for pairs in self.zero for pair in pairs})
        for pairs, net in self.zero.items():
            if never.isdisjoint(pairs):
                raise self._refuse(
                    f"{self._name(net)} is a product of two bits of share {self.share[net]}, which is no sum of them"
                )

    def _partners(self) -> list[dict[int, int]]:
        """For each share, its bits as those of share 0: inputs by place, registers by what they take.

        Registers begin alike, and are told apart by what they take until that tells no more of them apart.
        """
        places: dict[int, object] = {net: place for nets in self.shared.entering for place, net in nets.items()}
        kinds: dict[int, object] = {register.q: register.reset is None for register in self._of_share}
        numbers: dict[object, int] = {}
        while True:
            known = places | kinds
            finer: dict[int, object] = {}
            for register in self._of_share:
                takes = Counter((known[atom], by) for atom, by in self._read(register.d).items() if atom != PUBLIC)
                kind = kinds[register.q], frozenset(takes.items())
                finer[register.q] = numbers.setdefault(kind, len(numbers))
            self._check_even(finer)
            if len(set(finer.values())) == len(set(kinds.values())):
                break
            kinds = finer
        first = self.shared.entering[0]
        partners = [{net: first[place] for place, net in nets.items()} for nets in self.shared.entering]
        for shares in self._by_kind(kinds):
            for index, registers in enumerate(shares):
                partners[index] |= {a.q: b.q for a, b in zip(registers, shares[0], strict=True)}
        return partners

    def _by_kind(self, kinds: Mapping[int, object]) -> Iterable[list[list[Register]]]:
        """Registers of each kind, for each share."""
        found: dict[object, list[list[Register]]] = defaultdict(lambda: [[] for _ in self.shared.entering])
        for register in self._of_share:
            found[kinds[register.q]][self.share[register.q]].append(register)
        return found.values()

    def _check_even(self, kinds: Mapping[int, object]) -> None:
        """Whether all shares have as many registers of each kind. The first time that they have not shows the cause."""
        for shares in self._by_kind(kinds):
            if len({len(registers) for registers in shares}) > 1:
                index, registers = max(enumerate(shares), key=lambda each: len(each[1]))
                raise self._refuse(
                    f"register {registers[0].name} of share {index} takes what no register of another share does"
                )

    def _sums(self, partners: Sequence[Mapping[int, int]]) -> Folded:
        leaving = {
            place: self._summed(f"{place[0]}[{place[1]}]", [nets[place] for nets in self.shared.leaving], partners)
            for place in self.shared.leaving[0]
        }
        by_q = {register.q: register for register in self._of_share}
        others = [{first: by_q[q] for q, first in each.items() if q in by_q} for each in partners]
        registers, carrying = [], 0
        for register in self.netlist.registers:
            if register.q not in self.share:
                registers.append(register)
            elif self.share[register.q] == 0:
                shares = [each[register.q] for each in others]
                reset = None if register.reset is None else sum(each.reset or 0 for each in shares) & 1
                d = self._summed(register.name, [each.d for each in shares], partners)
                registers.append(replace(register, d=d, reset=reset))
                carrying += 1
        gates = [gate for gate in self.netlist.gates if self.share.get(gate.output, 0) == 0]
        names = {
            name: bits for name, bits in self.netlist.names.items() if all(self.share.get(net, 0) == 0 for net in bits)
        }
        ordered = in_order([*gates, *self.added], self.netlist.name)
        netlist = replace(self.netlist, gates=ordered, registers=tuple(registers), names=names)
        return Folded(netlist, leaving, carrying)

    def _summed(self, what: str, nets: Sequence[int], partners: Sequence[Mapping[int, int]]) -> int:
        """The net on which the sum of these nets is, one a share, when share 0's bits carry sums."""
        forms = [self._read(net) for net in nets]
        total: Polynomial = frozenset()
        for index, form in enumerate(forms):
            here = {partners[index][atom]: by for atom, by in form.items() if atom != PUBLIC}
            if here != {atom: by for atom, by in forms[0].items() if atom != PUBLIC}:
                raise self._refuse(f"{what} of share {index} is another sum of bits of its share than in share 0")
            if index:
                total ^= form.get(PUBLIC, frozenset())
        return self._gate(NetlistOp.XOR, nets[0], self._made(total)) if total else nets[0]

    def _made(self, public: Polynomial) -> int:
        """A net with the polynomial, made so that what a factor rules out does not reach it: a level that the sources
        leave undefined has no name to whom it is cancelled by."""
        factors = Counter(factor for term in public for factor in term)
        if not factors:
            return TRUE if public else FALSE
        factor = max(factors, key=lambda each: (factors[each], -each))
        with_it = frozenset(term - {factor} for term in public if factor in term)
        without = frozenset(term for term in public if factor not in term)
        low, high = self._made(without), self._made(without ^ with_it)
        return factor if (low, high) == (FALSE, TRUE) else self._gate(NetlistOp.MUX, factor, low, high)

    def _gate(self, op: NetlistOp, *inputs: int) -> int:
        self.added.append(Gate(op, inputs, self.netlist.net_count + len(self.added)))
        return self.added[-1].output


def _sum(*forms: Form) -> Form:
    total: Form = {}
    for form in forms:
        for atom, by in form.items():
            total[atom] = total.get(atom, frozenset()) ^ by
    return {atom: by for atom, by in total.items() if by}


def _factors(form: Form) -> frozenset[frozenset[int]]:
    """For each term of a form the public nets that it is multiplied by."""
    return frozenset(factors for by in form.values() for factors in by)
