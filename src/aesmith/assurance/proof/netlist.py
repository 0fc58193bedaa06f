"""A core as single-bit gates and registers: what the proofs work on.

Elaborated by Yosys from the design's sources, and nothing but elaborated: word operators become gates one by one and no
logic is restructured. A net is known by its number and a register by its index; names are for people only: they come
back in the waveform of a counterexample.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import chain
from typing import Any

from aesmith.errors import CheckError

FALSE, TRUE = 0, 1
"""Nets 0 and 1 of every netlist: the constants. Nets from 2 on are the design's."""


class NetlistOp(StrEnum):
    """Gates. MUX takes (select, when_0, when_1)."""

    NOT = "not"
    AND = "and"
    OR = "or"
    XOR = "xor"
    MUX = "mux"


@dataclass(frozen=True)
class Gate:
    """One gate; nets are numbers."""

    op: NetlistOp
    inputs: tuple[int, ...]
    output: int


@dataclass(frozen=True)
class Register:
    """One flip-flop of the one clock. `reset` is its value under reset, None if reset leaves it alone.

    Where its clock has a gate, `pin` is the net at its data pin, and `d` the choice of that or `q` by the gate's
    enable; else both are one. `name` is for people: what a register is, its index in the netlist or its net `q` says.
    """

    name: str
    d: int
    q: int
    reset: int | None
    pin: int = -1


@dataclass(frozen=True)
class Netlist:
    """A flat synchronous design. Ports map names to nets, bit 0 first; gates stand in order of evaluation.

    `clk_i` and `rst_ni` are not among the inputs. `names` are the design's own names of nets, for waveforms. `free` are
    the nets that the sources leave undefined, with the place that reads them: each may have a new level in each clock.
    `reads_reset` says whether `rst_ni` is read as data, which has 1 in its place.
    """

    name: str
    inputs: Mapping[str, tuple[int, ...]]
    outputs: Mapping[str, tuple[int, ...]]
    gates: tuple[Gate, ...]
    registers: tuple[Register, ...]
    names: Mapping[str, tuple[int, ...]]
    free: Mapping[int, str] = field(default_factory=dict)
    reads_reset: bool = False

    @property
    def input_bits(self) -> tuple[int, ...]:
        """The nets of all inputs in order, and after them the free nets: what a clock is given."""
        return (*(bit for bits in self.inputs.values() for bit in bits), *self.free)

    @property
    def net_count(self) -> int:
        """One more than the highest net number."""
        nets = [TRUE, *self.free, *(gate.output for gate in self.gates), *(register.q for register in self.registers)]
        nets += [bit for bits in self.inputs.values() for bit in bits]
        return max(nets) + 1

    def cone(self, nets: Iterable[int]) -> tuple[Gate, ...]:
        """The gates that `nets` depend on within one clock, in order of evaluation."""
        needed = set(nets)
        found = []
        for gate in reversed(self.gates):
            if gate.output in needed:
                needed.update(gate.inputs)
                found.append(gate)
        return tuple(reversed(found))

    @property
    def reached(self) -> set[int]:
        """All nets that the outputs depend on, through any number of clocks."""
        before: dict[int, tuple[int, ...]] = {gate.output: gate.inputs for gate in self.gates}
        before |= {register.q: (register.d,) for register in self.registers}
        waiting = [bit for bits in self.outputs.values() for bit in bits]
        reached = set(waiting)
        while waiting:
            for net in before.get(waiting.pop(), ()):
                if net not in reached:
                    reached.add(net)
                    waiting.append(net)
        return reached

    def tied(self, name: str, level: int) -> Netlist:
        """The netlist without an input, which has one level for good: gates that then do nothing are gone."""
        same = dict.fromkeys(self.inputs[name], TRUE if level else FALSE)

        def now(nets: Iterable[int]) -> tuple[int, ...]:
            return tuple(same.get(net, net) for net in nets)

        gates = []
        for gate in self.gates:
            inputs = now(gate.inputs)
            passed = _passed(gate.op, inputs)
            if passed is None:
                gates.append(replace(gate, inputs=inputs))
            else:
                same[gate.output] = passed
        return replace(
            self,
            inputs={other: bits for other, bits in self.inputs.items() if other != name},
            outputs={output: now(bits) for output, bits in self.outputs.items()},
            gates=tuple(gates),
            registers=tuple(replace(register, d=same.get(register.d, register.d)) for register in self.registers),
            names={label: now(bits) for label, bits in self.names.items() if label != name},
        )

    def settled(self, choose: Callable[[], int]) -> Netlist:
        """The netlist with a constant, as `choose` gives them, on each free net."""
        level = {net: TRUE if choose() else FALSE for net in self.free}

        def known(nets: Iterable[int]) -> tuple[int, ...]:
            return tuple(level.get(net, net) for net in nets)

        return replace(
            self,
            outputs={name: known(bits) for name, bits in self.outputs.items()},
            gates=tuple(replace(gate, inputs=known(gate.inputs)) for gate in self.gates),
            registers=tuple(replace(register, d=level.get(register.d, register.d)) for register in self.registers),
            free={},
        )

    def with_gates(self, gates: Iterable[Gate]) -> Netlist:
        """The netlist with other gates, put in order. Raises CheckError if they make a combinational loop."""
        return replace(self, gates=in_order(gates, self.name))


def _passed(op: NetlistOp, inputs: Sequence[int]) -> int | None:
    """The net that always has the level of a gate's output, where constants among its inputs leave but one."""
    match op, inputs:
        case NetlistOp.NOT, [0 | 1]:
            return TRUE - inputs[0]
        case NetlistOp.AND, [0, _] | [_, 0]:
            return FALSE
        case NetlistOp.OR, [1, _] | [_, 1]:
            return TRUE
        case (NetlistOp.AND, [1, other] | [other, 1]) | (NetlistOp.OR | NetlistOp.XOR, [0, other] | [other, 0]):
            return other
        case NetlistOp.MUX, [0 | 1, when_0, when_1]:
            return when_1 if inputs[0] else when_0
    return None


def in_order(gates: Iterable[Gate], design: str) -> tuple[Gate, ...]:
    """Gates in order of evaluation. Raises CheckError for a combinational loop and for a net with two drivers."""
    driver: dict[int, Gate] = {}
    for gate in gates:
        if driver.setdefault(gate.output, gate) is not gate:
            raise CheckError(f"{design}: two gates drive net {gate.output}")
    done: dict[int, bool] = {}
    ordered: list[Gate] = []
    for start in driver:
        stack = [start]
        while stack:
            net = stack[-1]
            own = driver.get(net)
            if own is None or done.get(net):
                stack.pop()
                continue
            if net not in done:
                done[net] = False
                for net_in in own.inputs:
                    if done.get(net_in) is False:
                        raise CheckError(f"{design}: has a combinational loop, which nothing can be proved of")
                    if net_in in driver and not done.get(net_in):
                        stack.append(net_in)
            else:
                done[net] = True
                ordered.append(own)
                stack.pop()
    return tuple(ordered)


Step = Callable[[Sequence[Any], Sequence[Any]], tuple[list[Any], list[Any]]]
"""(levels of `input_bits`, register bits) to (output bits, next register bits), each in the netlist's order."""

_OR, _XOR, _AND, _NAME = range(4)
"""How tightly Python binds what stands in an expression."""

_WORDS = {
    NetlistOp.NOT: ("{0} ^ M", _XOR, (_XOR,)),
    NetlistOp.AND: ("{0} & {1}", _AND, (_AND, _AND)),
    NetlistOp.OR: ("{0} | {1}", _OR, (_OR, _OR)),
    NetlistOp.XOR: ("{0} ^ {1}", _XOR, (_XOR, _XOR)),
    NetlistOp.MUX: ("{1} ^ {0} & ({1} ^ {2})", _XOR, (_AND, _NAME, _XOR)),
}
"""The expression of each gate, how tightly it binds, and how tightly what stands for its operands must."""

_MOST_IN_ONE = 24
"""Gates in one statement: Python's parser has a limit to what it nests."""


def depending(
    netlist: Netlist, lines: Mapping[str, Iterable[int]], data: Set[int], known: Set[int] = frozenset()
) -> str:
    """The first of some lines, by name, that depends on a net of `data` through any number of clocks, empty if none
    does; what nets of `known` depend on does not count."""
    before = {gate.output: gate.inputs for gate in netlist.gates}
    before |= {register.q: (register.d,) for register in netlist.registers}
    for name, nets in lines.items():
        waiting = list(nets)
        seen = set(waiting)
        while waiting:
            net = waiting.pop()
            if net in data:
                return name
            if net in known:
                continue
            new = {each for each in before.get(net, ()) if each not in seen}
            seen |= new
            waiting += new
    return ""


def compile_words(netlist: Netlist, mask: int) -> Step:
    """One clock on words whose bits are cases; `mask` has a one for each case. Compiled once.

    A statement is a net that several things read, with the gates before it that only it reads in one expression: Python
    takes as long to keep a word under a name and to fetch it as to compute it.
    """
    outputs = [bit for bits in netlist.outputs.values() for bit in bits]
    following = [register.d for register in netlist.registers]
    reads = Counter(chain(outputs, following))
    for gate in netlist.gates:
        reads.update(gate.inputs)
        if gate.op is NetlistOp.MUX:
            reads[gate.inputs[1]] += 1
    lines = ["def step(I, R):"]
    for nets, source in ((netlist.input_bits, "I"), ([register.q for register in netlist.registers], "R")):
        lines += [f"    {''.join(f'n{net},' for net in nets)} = {source}"] if nets else []
    begun: dict[int, tuple[str, int, int]] = {}
    for gate in netlist.gates:
        form, binds, needs = _WORDS[gate.op]
        size, operands = 1, []
        for net, need in zip(gate.inputs, needs, strict=True):
            text, bound, gates = begun.pop(net) if net in begun else (_word(net), _NAME, 0)
            operands.append(text if bound >= need else f"({text})")
            size += gates
        text = form.format(*operands)
        if reads[gate.output] == 1 and size < _MOST_IN_ONE:
            begun[gate.output] = text, binds, size
        else:
            lines.append(f"    n{gate.output} = {text}")

    def listed(nets: Iterable[int]) -> str:
        return ", ".join(begun[net][0] if net in begun else _word(net) for net in nets)

    lines.append(f"    return [{listed(outputs)}], [{listed(following)}]")
    scope: dict[str, Any] = {"M": mask}
    exec(compile("\n".join(lines), "<netlist>", "exec"), scope)
    step: Step = scope["step"]
    return step


def words_of(
    netlist: Netlist, nets: Sequence[int], mask: int, inputs: Iterable[int], registers: Iterable[int]
) -> list[int]:
    """The words on some nets in one clock, as `compile_words` has them, without compiling anything."""
    level = {FALSE: 0, TRUE: mask}
    level.update(zip(netlist.input_bits, inputs, strict=True))
    level.update(zip((register.q for register in netlist.registers), registers, strict=True))
    for gate in netlist.cone(nets):
        match gate.op, [level[net] for net in gate.inputs]:
            case NetlistOp.NOT, [one]:
                level[gate.output] = one ^ mask
            case NetlistOp.AND, [one, other]:
                level[gate.output] = one & other
            case NetlistOp.OR, [one, other]:
                level[gate.output] = one | other
            case NetlistOp.XOR, [one, other]:
                level[gate.output] = one ^ other
            case NetlistOp.MUX, [select, when_0, when_1]:
                level[gate.output] = when_0 ^ (select & (when_0 ^ when_1))
    return [level[net] for net in nets]


def _word(net: int) -> str:
    return {FALSE: "0", TRUE: "M"}.get(net) or f"n{net}"


@dataclass(frozen=True)
class Counterexample:
    """A run that breaks a rule in its last clock. `inputs[c]` and `registers[c]` are the bits of clock c.

    After the bits of the input ports come the levels that the netlist's free nets had.
    """

    rule: str
    netlist: Netlist
    inputs: tuple[tuple[int, ...], ...]
    registers: tuple[tuple[int, ...], ...]

    @property
    def clocks(self) -> int:
        """Length of the run."""
        return len(self.inputs)

    def waveform(self) -> str:
        """The run as a VCD file: every port, and every net that has a name in the sources.

        Names of the same nets share a symbol, and so their changes.
        """
        names = {**self.netlist.inputs, **self.netlist.outputs, **self.netlist.names}
        symbols = {bits: _symbol(i) for i, bits in enumerate(dict.fromkeys(names.values()))}
        lines = ["$timescale 1ns $end", f"$scope module {self.netlist.name} $end", "$var wire 1 ! clk_i $end"]
        lines += [
            f"$var wire {len(bits)} {symbols[bits]} {name.replace(' ', '_')} $end" for name, bits in names.items()
        ]
        lines += ["$upscope $end", "$enddefinitions $end"]
        changes: list[list[str]] = [[] for _ in range(self.clocks)]
        levels = self._levels({bit for bits in symbols for bit in bits})
        for bits, symbol in symbols.items():
            start, end = ("", "") if len(bits) == 1 else ("b", " ")
            before = None
            for clock, word in enumerate(zip(*(levels[bit] for bit in reversed(bits)), strict=True)):
                if word != before:
                    before = word
                    changes[clock].append(f"{start}{''.join(word)}{end}{symbol}")
        for clock, changed in enumerate(changes):
            lines += [f"#{10 * clock}\n0!", *changed, f"#{10 * clock + 5}\n1!"]
        lines.append(f"#{10 * self.clocks}")
        return "\n".join(lines) + "\n"

    def _levels(self, nets: Collection[int]) -> dict[int, str]:
        """The levels of nets as digits, one for each clock, of all clocks at once: a word has a bit for each."""
        mask = (1 << self.clocks) - 1
        inputs, registers = (
            [_digits(levels) for levels in zip(*run, strict=True)] for run in (self.inputs, self.registers)
        )
        words = words_of(self.netlist, [*nets], mask, inputs, registers)
        return {net: f"{word:0{self.clocks}b}"[::-1] for net, word in zip(nets, words, strict=True)}


def _digits(levels: Iterable[int]) -> int:
    """Levels, the first in bit 0."""
    return int("".join(map(str, levels))[::-1], 2)


def _symbol(number: int) -> str:
    """VCD's short name of a variable: two or more printable characters, so that none is the clock's."""
    digits = ""
    number += 94
    while number:
        number, digit = divmod(number, 94)
        digits += chr(33 + digit)
    return digits
