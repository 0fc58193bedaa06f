"""Boolean functions as one graph in which equal nodes are one, and ABC's word on those that differ in structure.

Two mapped netlists with the same registers are compared so: registers and clock gates are matched by the names of their
instances, which proposes a correspondence and no more. What is proved is that, from equal levels in all of them and
under equal inputs, every output and every function that a register or clock gate takes (data, clear, preset, clock,
enable) is the same. Levels at first are free; so both do the same for ever, from any levels that agree. The functions
of cells are those that the library states.
"""

from __future__ import annotations

import random
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from aesmith.errors import CheckError
from aesmith.flow.yosys import abc_path
from aesmith.processes import run
from aesmith.technology.boolean import BooleanFunction, Node
from aesmith.technology.cell import Cell, CellKind
from aesmith.technology.library import Library
from aesmith.timing.binding import bind
from aesmith.timing.netlist import CONSTANT_0, CONSTANT_1, CellNetlist, Instance

ANYTHING = -1
"""The literal of an undefined value."""

FALSE, TRUE = 0, 1

Leaf = tuple[str, str, int]
"""What a function of one clock begins with: an input, a register or an instance's output, by kind, name and bit."""

Range = tuple[int, int]
"""Where a function of the sources can be 0, and where it can be 1: complements where nothing undefined reaches it."""


_COMBINATIONAL = (CellKind.LOGIC, CellKind.DELAY, CellKind.TIE)
_WORD = 256
_KIND = {"and": "$_AND_", "or": "$_OR_", "xor": "$_XOR_"}


class FunctionGraph:
    """Functions as nodes of AND, XOR and multiplexers, equal ones once. Literals are 2 × node + complement; node 0 is
    the constant, so that the literals 0 and 1 are the constants; -1 is the undefined value."""

    def __init__(self) -> None:
        self.nodes: list[tuple[str, tuple[int, ...]]] = [("constant", ())]
        self.leaves: dict[Leaf, int] = {}
        self._known: dict[tuple[str, tuple[int, ...]], int] = {}

    def leaf(self, leaf: Leaf) -> int:
        if leaf not in self.leaves:
            self.leaves[leaf] = 2 * len(self.nodes)
            self.nodes.append(("leaf", ()))
        return self.leaves[leaf]

    def gate(self, kind: str, inputs: tuple[int, ...]) -> int:
        """The literal of a gate of Yosys; an undefined input as this module's head says."""
        match kind:
            case "$_BUF_":
                return inputs[0]
            case "$_NOT_":
                return inverse(inputs[0])
            case "$_MUX_":
                return self._choice(*inputs)
        a, b = (FALSE if literal == ANYTHING else literal for literal in inputs)
        match kind:
            case "$_AND_":
                return self._and(a, b)
            case "$_NAND_":
                return inverse(self._and(a, b))
            case "$_ANDNOT_":
                return self._and(a, inverse(b))
            case "$_OR_":
                return inverse(self._and(inverse(a), inverse(b)))
            case "$_NOR_":
                return self._and(inverse(a), inverse(b))
            case "$_ORNOT_":
                return inverse(self._and(inverse(a), b))
            case "$_XOR_":
                return self._xor(a, b)
            case _:
                return inverse(self._xor(a, b))

    def both(self, a: int, b: int) -> int:
        """The literal of an AND."""
        return self._and(a, b)

    def range(self, kind: str, inputs: tuple[Range, ...]) -> Range:
        """Where a gate of Yosys can be 0 and 1, each of its inputs being what it can be."""
        if all(can_0 == inverse(can_1) for can_0, can_1 in inputs):
            literal = self.gate(kind, tuple(can_1 for _, can_1 in inputs))
            return inverse(literal), literal
        if kind in ("$_BUF_", "$_NOT_"):
            return inputs[0] if kind == "$_BUF_" else inputs[0][::-1]
        a, b, *select = inputs
        if kind in ("$_OR_", "$_NOR_"):
            a, b, inverted = a[::-1], b[::-1], kind == "$_OR_"
        elif kind == "$_ORNOT_":
            a, inverted = a[::-1], True
        elif kind == "$_ANDNOT_":
            b, inverted = b[::-1], False
        else:
            inverted = kind in ("$_NAND_", "$_XNOR_")
        if kind in ("$_XOR_", "$_XNOR_"):
            found = (
                self._or(self._and(a[0], b[0]), self._and(a[1], b[1])),
                self._or(self._and(a[0], b[1]), self._and(a[1], b[0])),
            )
        elif select:
            [(zero, one)] = select
            found = (
                self._or(self._and(zero, a[0]), self._and(one, b[0])),
                self._or(self._and(zero, a[1]), self._and(one, b[1])),
            )
        else:
            found = (self._or(a[0], b[0]), self._and(a[1], b[1]))
        return found[::-1] if inverted else found

    def _or(self, a: int, b: int) -> int:
        return inverse(self._and(inverse(a), inverse(b)))

    def _node(self, kind: str, inputs: tuple[int, ...]) -> int:
        key = (kind, inputs)
        if key not in self._known:
            self._known[key] = 2 * len(self.nodes)
            self.nodes.append(key)
        return self._known[key]

    def _and(self, a: int, b: int) -> int:
        a, b = min(a, b), max(a, b)
        if a == FALSE or a == inverse(b):
            return FALSE
        if a in (TRUE, b):
            return b
        return self._node("and", (a, b))

    def _xor(self, a: int, b: int) -> int:
        flip = (a ^ b) & 1
        a, b = sorted((a & ~1, b & ~1))
        if a == b:
            return flip
        return (b if a == FALSE else self._node("xor", (a, b))) ^ flip

    def _choice(self, zero: int, one: int, select: int) -> int:
        """`one` where `select` is 1."""
        if one in (zero, ANYTHING) or select in (FALSE, ANYTHING):
            return zero
        if zero == ANYTHING or select == TRUE:
            return one
        if select & 1:
            zero, one, select = one, zero, select ^ 1
        if zero == FALSE:
            return self._and(select, one)
        if one == FALSE:
            return self._and(inverse(select), zero)
        if zero == TRUE:
            return inverse(self._and(select, inverse(one)))
        if one == TRUE:
            return inverse(self._and(inverse(select), inverse(zero)))
        if zero == inverse(one):
            return self._xor(select, zero)
        flip = zero & 1
        return self._node("mux", (select, zero ^ flip, one ^ flip)) ^ flip


def inverse(literal: int) -> int:
    return literal if literal == ANYTHING else literal ^ 1


def abc_equal(
    graph: FunctionGraph,
    pairs: Iterable[tuple[int, int]],
    folder: Path,
    timeout_s: float,
    cancel: threading.Event | None = None,
) -> bool:
    """Whether ABC proves the two functions of each pair equal. Inputs and outputs are matched by their names.

    Raises Cancelled once `cancel` is set.
    """
    sides = tuple(zip(*pairs, strict=True))
    for name, literals in zip(("left", "right"), sides, strict=True):
        (folder / f"{name}.blif").write_text(_blif(graph, literals, sides[0] + sides[1]))
    command: list[str | Path] = [abc_path(), "-c", f"cec -T {timeout_s:.0f} left.blif right.blif"]
    ended = run(command, folder, folder / "abc.log", cancel=cancel)
    return ended.status == 0 and "Networks are equivalent" in ended.said


def _blif(graph: FunctionGraph, literals: Iterable[int], every: Iterable[int]) -> str:
    """One side as BLIF; its inputs are those of both sides, so that ABC sees the same ones."""
    cone = _cone(graph, every)
    outputs = list(literals)
    lines = [*blif_table((), "n0")]
    for node in cone:
        kind, inputs = graph.nodes[node]
        if inputs:
            flips = [literal & 1 for literal in inputs]
            lines += blif_gate(kind, [literal >> 1 for literal in inputs], node, flips)
    for i, literal in enumerate(outputs):
        lines += blif_table([literal >> 1], f"f{i}", str(1 - (literal & 1)))
    return blif([node for node in cone if graph.nodes[node][0] == "leaf"], len(outputs), lines)


def blif(inputs: Iterable[int], outputs: int, tables: Iterable[str]) -> str:
    """A BLIF file: nets n… that are its inputs, so many outputs f0, f1, …, and the lines of its tables."""
    head = [".model side", " ".join([".inputs", *(f"n{net}" for net in inputs)])]
    head.append(" ".join([".outputs", *(f"f{i}" for i in range(outputs))]))
    return "\n".join([*head, *tables, ".end"]) + "\n"


def blif_table(inputs: Iterable[int], output: str, *rows: str) -> Iterator[str]:
    """What is 1 for these rows of levels of nets n…, each 0, 1 or -; without nets a row is empty."""
    yield " ".join([".names", *(f"n{net}" for net in inputs), output])
    yield from (f"{row} 1".lstrip() for row in rows)


def blif_gate(kind: str, inputs: Sequence[int], output: int, flips: Sequence[int] = (0, 0, 0)) -> Iterator[str]:
    """A gate of nets n…, complemented where a flip is 1; a mux has the inputs (select, if 0, if 1)."""
    return blif_table(inputs, f"n{output}", *(_flipped(row, flips) for row in _ROWS[kind]))


_ROWS = {"not": ("0",), "and": ("11",), "or": ("1-", "-1"), "xor": ("01", "10"), "mux": ("01-", "1-1")}


def _flipped(row: str, flips: Sequence[int]) -> str:
    return "".join(bit if bit == "-" else str(int(bit) ^ flip) for bit, flip in zip(row, flips, strict=False))


def _cone(graph: FunctionGraph, literals: Iterable[int]) -> list[int]:
    needed = {literal >> 1 for literal in literals}
    for node in range(len(graph.nodes) - 1, 0, -1):
        if node in needed:
            needed.update(literal >> 1 for literal in graph.nodes[node][1])
    return sorted(needed - {0})


def prove_same_function(
    before: CellNetlist,
    after: CellNetlist,
    library: Library,
    folder: Path,
    *,
    timeout_s: float = 1800.0,
    cancel: threading.Event | None = None,
) -> int:
    """Return the number of functions that were proved equal; ABC's files stay in `folder`, which is made.

    Raises CheckError, naming what differs, if they are not equal, if ABC gives no answer in time, or if ports,
    registers or clock gates are not the same ones; Cancelled once `cancel` is set; and what
    `aesmith.timing.binding.bind` raises for either netlist.
    """
    folder.mkdir(parents=True, exist_ok=True)
    graph = FunctionGraph()
    sides = [_functions(graph, netlist, library) for netlist in (before, after)]
    if odd := sorted(sides[0].keys() ^ sides[1].keys()):
        raise CheckError(f"netlist {before.name}: rewired, it has {len(odd)} other ports or registers, as {odd[0]}")
    pairs = {name: (literal, sides[1][name]) for name, literal in sides[0].items()}
    open_pairs = {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}
    if open_pairs and (odd_one := _seen_to_differ(graph, open_pairs)) is not None:
        raise CheckError(f"netlist {before.name}: rewired, {odd_one} has another function")
    if open_pairs and not abc_equal(graph, open_pairs.values(), folder, timeout_s, cancel):
        names = ", ".join([*open_pairs][:3])
        raise CheckError(f"netlist {before.name}: rewired, it is not shown to have the same functions: {names}")
    return len(pairs)


def _functions(graph: FunctionGraph, netlist: CellNetlist, library: Library) -> dict[str, int]:
    """What must be equal, by what it feeds; what registers hold and clock gates give are leaves."""
    bound = bind(netlist, library)
    literals = {CONSTANT_0: FALSE, CONSTANT_1: TRUE}
    for port in netlist.inputs:
        for bit, net in enumerate(port.nets):
            literals[net] = graph.leaf(("input", port.name, bit))
    kept = [
        (instance, cell)
        for instance, cell in zip(netlist.instances, bound.cells, strict=True)
        if cell.kind not in _COMBINATIONAL
    ]
    for instance, cell in kept:
        for pin, literal in _given(graph, instance, cell).items():
            literals[instance.pins[pin]] = literal
    for index in bound.order:
        instance, cell = netlist.instances[index], bound.cells[index]
        if cell.kind in _COMBINATIONAL:
            pins = {pin: literals[instance.pins[pin]] for pin in cell.inputs}
            for pin in cell.outputs:
                function = cell.pins[pin].function
                if pin in instance.pins and function is not None:
                    literals[instance.pins[pin]] = _literal(graph, function.root, pins)
    found = {
        f"output {port.name}[{bit}]": literals[net] for port in netlist.outputs for bit, net in enumerate(port.nets)
    }
    for instance, cell in kept:
        pins = {pin: literals[instance.pins[pin]] for pin in cell.inputs}
        found |= {f"{what} of {instance.name}": literal for what, literal in _taken(graph, instance, cell, pins)}
    return found


def _given(graph: FunctionGraph, instance: Instance, cell: Cell) -> dict[str, int]:
    """The literals of the connected outputs of a register or clock gate."""
    if cell.register is None or cell.kind is CellKind.CLOCK_GATE:
        return {
            pin: graph.leaf((cell.kind, instance.name, bit))
            for bit, pin in enumerate(cell.outputs)
            if pin in instance.pins
        }
    levels = _levels(graph, instance, cell)
    return {
        pin: _literal(graph, function.root, levels)
        for pin in cell.outputs
        if pin in instance.pins and (function := cell.pins[pin].function) is not None
    }


def _levels(graph: FunctionGraph, instance: Instance, cell: Cell) -> dict[str, int]:
    assert cell.register is not None
    level = graph.leaf(("register", instance.name, 0))
    return {cell.register.state: level, cell.register.inverse: inverse(level)}


def _taken(graph: FunctionGraph, instance: Instance, cell: Cell, pins: Mapping[str, int]) -> Iterator[tuple[str, int]]:
    """The functions that a register or clock gate takes, each with a word for it."""
    register = cell.register
    if register is None or cell.kind is CellKind.CLOCK_GATE:
        yield from ((f"{pin} ({cell.name})", literal) for pin, literal in pins.items())
        return
    values = {**pins, **_levels(graph, instance, cell)}
    parts: list[tuple[str, BooleanFunction | None]] = [
        ("data", register.next_state),
        ("clock", register.clocked_on),
        ("clear", register.clear),
        ("preset", register.preset),
    ]
    # What both at once do is not read from the library: there the cell stays as it is.
    both = f" ({cell.name})" if register.clear is not None and register.preset is not None else ""
    yield from ((word + both, _literal(graph, part.root, values)) for word, part in parts if part is not None)


def _literal(graph: FunctionGraph, node: Node, values: Mapping[str, int]) -> int:
    kind, first = node[0], node[1]
    if isinstance(first, str):
        return values[first] if kind == "input" else (TRUE if first == "1" else FALSE)
    left = _literal(graph, first, values)
    if kind == "not":
        return inverse(left)
    second = node[2]
    assert not isinstance(second, str)
    return graph.gate(_KIND[str(kind)], (left, _literal(graph, second, values)))


def _seen_to_differ(graph: FunctionGraph, pairs: Mapping[str, tuple[int, int]]) -> str | None:
    """What random levels show to be different."""
    chance, ones = random.Random("same function"), (1 << _WORD) - 1
    words: list[int] = []
    for kind, inputs in graph.nodes:
        given = [words[literal >> 1] ^ (ones * (literal & 1)) for literal in inputs]
        if kind == "leaf":
            words.append(chance.getrandbits(_WORD))
        elif kind == "constant":
            words.append(0)
        elif kind == "choice":
            words.append((given[0] & given[2]) | (~given[0] & ones & given[1]))
        else:
            words.append(given[0] & given[1] if kind == "and" else given[0] ^ given[1])
    for name, (ours, theirs) in pairs.items():
        if words[ours >> 1] ^ words[theirs >> 1] ^ (ones * ((ours ^ theirs) & 1)):
            return name
    return None
