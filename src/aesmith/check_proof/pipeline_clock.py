"""One clock of a pipeline: cones of control, with levels tried; and data gates and rows by what many states share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import accumulate, islice, product
from typing import Any, NamedTuple

from aesmith.check_proof.circuit import CheckedCircuit, CheckedGate
from aesmith.check_proof.clock import CircuitClock, Levels, Payloads, as_index, run_gates
from aesmith.check_proof.forms import Form, Forms
from aesmith.check_proof.interface import CoreClaim, Given
from aesmith.errors import CheckError

MOST_TRIED = 10
"""Registers of which every level is tried in one clock."""


class PipelineClock(CircuitClock):
    """A circuit of which most is alike in most clocks: what gates make of data is remembered."""

    def __init__(self, circuit: CheckedCircuit, claim: CoreClaim, certificate: Mapping[str, Any]) -> None:
        super().__init__(circuit, claim, certificate)
        self.groups = _grouped(self.data_gates, {reg.d for reg in self.data} | set(circuit.outputs["block_o"]))

        self.control_clock = cache(self.run_control)
        cone = set(self.shown)
        while len(cone) < len(cone := cone | {self.control[place].d for place in self.sources(sorted(cone))}):
            pass
        self._timed = sorted(self.sources(sorted(cone)))
        self._timed_gates = self.gates_to([self.control[place].d for place in self._timed])
        self._timed_after = cache(self._run_timed)

    def run_timed(self, control: str, given: Given) -> str:
        """Control after a clock, as far as handshakes ever depend on it; nothing of the rest."""
        return with_levels(
            "-" * len(control), zip(self._timed, self._timed_after(pick(control, self._timed), given), strict=True)
        )

    def _run_timed(self, known: str, given: Given) -> str:
        level = self.levels(with_levels("-" * len(self.control), zip(self._timed, known, strict=True)), given)
        run_gates(self._timed_gates, level, self.forms)
        after = [level[self.control[place].d] for place in self._timed]
        return "".join("-" if held is None else str(held) for held in after)

    def gates_to(self, nets: Sequence[int]) -> list[CheckedGate]:
        """The gates of control that nets depend on within a clock, in order."""
        wanted, found = set(nets), []
        for gate in reversed(self.control_gates):
            if gate.output in wanted:
                wanted.update(gate.inputs)
                found.append(gate)
        return found[::-1]

    def sources(self, nets: Sequence[int]) -> set[int]:
        """The registers of control, by place, that nets depend on within a clock."""
        read = set(nets) | {net for gate in self.gates_to(nets) for net in gate.inputs}
        return {place for place, register in enumerate(self.control) if register.q in read}


class ContextState(NamedTuple):
    """What is known in a clock: control and a row; the size of the key, which is key 0, and of one that was offered and
    not taken (from 1 in the claim's order, none 0); a block that was (encrypt 1, decrypt 2, none 0); and how many
    results wait.
    """

    control: str
    row: int
    key: int
    key_waits: int
    block_waits: int
    waiting: int


class BlockState(NamedTuple):
    """What is known of block 0 under key 0. `age` is 1 after it was taken, one more after each move, and N + 1 once it
    has left. `waiting` results wait, from then on of those before it. `way` is twice the key's size, from 0 in the
    claim's order, and one more to decrypt.
    """

    control: str
    row: int
    age: int
    way: int
    waiting: int


Row = tuple[int, ...]
"""What the data registers hold, by numbers of parts."""


class PartStep(NamedTuple):
    """What makes some data nets: gates, and what these read: parts of a row, by place, levels of control, by place
    among those that data reads, and the nets of ports, by port.
    """

    nets: Sequence[int]
    groups: Sequence[GateGroup]
    parts: Sequence[int]
    levels: Sequence[int]
    ports: Mapping[str, Sequence[int]]


class ListedRows:
    """Rows, what the data registers hold, in parts that many rows share. Raises CheckError for a row of another length.

    `rows` are those of a certificate, and `numbers` theirs. What a clock makes of a part is remembered, as few parts
    differ from one state of a pipeline to the next.
    """

    def __init__(
        self, clock: PipelineClock, parts: Sequence[Sequence[int | None]], rows: Sequence[Sequence[int]]
    ) -> None:
        self._clock = clock
        self._parts = [clock.listed(part) for part in parts]
        self._part_numbers = {part: number for number, part in enumerate(self._parts)}
        self.rows: list[Row] = [tuple(map(as_index, row)) for row in rows]
        self.numbers = {row: number for number, row in enumerate(self.rows)}
        ends = tuple(accumulate(len(self._parts[part]) for part in self.rows[0]))
        for number, row in enumerate(self.rows):
            if ends[-1] != len(clock.data) or ends != tuple(accumulate(len(self._parts[part]) for part in row)):
                raise CheckError(f"row {number} has not {len(clock.data)} registers, in parts like those of row 0")
        self._registers = [clock.data[start:end] for start, end in zip((0, *ends), ends, strict=False)]
        made = [[register.d for register in part] for part in self._registers]
        self._steps = list(map(self._step, [*made, clock.circuit.outputs["block_o"]]))
        self._made, self._part_covers, self._aged = cache(self._make), cache(self._covers_part), cache(self._age)
        self._images: dict[int, Form] = {}

    def held(self, row: Row) -> Levels:
        """The forms of a row."""
        return tuple([form for part in row for form in self._parts[part]])

    def row(self, held: Levels) -> Row:
        """The row of forms."""
        forms = iter(held)
        return tuple([self._number(tuple(islice(forms, len(part)))) for part in self._registers])

    def after(self, row: Row, read: Levels, payloads: Payloads) -> tuple[Levels, Row]:
        """`block_o`, and the row after a clock; a key that came is key 0 then."""
        *made, output = [
            self._made(
                place,
                tuple([row[part] for part in step.parts]),
                tuple([read[level] for level in step.levels]),
                tuple([payload for payload in payloads if payload[0] in step.ports]),
            )
            for place, step in enumerate(self._steps)
        ]
        if any(port == "key_i" for port, *_ in payloads):
            made = list(map(self._aged, made))
        return self._parts[output], tuple(made)

    def output(self, row: Row, levels: Levels, payloads: Payloads) -> Levels:
        """`block_o` in a clock, for the levels of `output_levels`."""
        step = self._steps[-1]
        parts = tuple([row[part] for part in step.parts])
        given = tuple([payload for payload in payloads if payload[0] in step.ports])
        return self._parts[self._made(len(self._steps) - 1, parts, levels, given)]

    @property
    def output_levels(self) -> list[int]:
        """The nets of control that `block_o` is made of."""
        return [self._clock.read[place] for place in self._steps[-1].levels]

    def covers(self, listed: int, row: Row) -> bool:
        """Whether each register holds what the listed row knows of it."""
        return all(a == b or self._part_covers(a, b) for a, b in zip(self.rows[listed], row, strict=True))

    def _covers_part(self, listed: int, part: int) -> bool:
        pairs = zip(self._parts[listed], self._parts[part], strict=True)
        return all(known is None or known == form for known, form in pairs)

    def _number(self, part: Levels) -> int:
        """The number of a part; those that are not listed get further ones."""
        number = self._part_numbers.setdefault(part, len(self._parts))
        if number == len(self._parts):
            self._parts.append(part)
        return number

    def _step(self, nets: Sequence[int]) -> PartStep:
        clock = self._clock
        groups = [group for group in clock.groups if not set(nets).isdisjoint(group.outputs)]
        read = {net for group in groups for net in group.inputs} | set(nets)
        parts = [place for place, part in enumerate(self._registers) if any(register.q in read for register in part)]
        levels = [place for place, net in enumerate(clock.read) if net in read]
        inputs = {port: clock.circuit.inputs[port] for port in ("key_i", "block_i")}
        return PartStep(nets, groups, parts, levels, {port: n for port, n in inputs.items() if not read.isdisjoint(n)})

    def _make(self, place: int, parts: Row, levels: Levels, payloads: Payloads) -> int:
        """What a step makes of the parts, levels and payloads that it reads, as the number of a part."""
        step, clock = self._steps[place], self._clock
        level: dict[int, Form] = {0: 0, 1: 1, **{net: None for nets in step.ports.values() for net in nets}}
        for part, number in zip(step.parts, parts, strict=True):
            level |= zip([register.q for register in self._registers[part]], self._parts[number], strict=True)
        level |= zip([clock.read[place] for place in step.levels], levels, strict=True)
        clock.put_payloads(level, payloads)
        for group in step.groups:
            group.run(level, clock.forms)
        return self._number(tuple([level[net] for net in step.nets]))

    def _age(self, part: int) -> int:
        """A part after the clock in which a key came."""
        forms = self._clock.forms
        return self._number(tuple([forms.aged(form, ((1, 0),), (), self._images) for form in self._parts[part]]))


class ListedRanks:
    """Ranks of states of control and of what waits in them; `states` are those of a certificate."""

    def __init__(self, clock: CircuitClock, ranks: Sequence[Sequence[Any]]) -> None:
        self.states: list[tuple[str, Row, int]] = []
        self._known: dict[Row, dict[Row, dict[str, int]]] = {}
        for control, *waits, rank in ranks:
            asked = tuple(map(as_index, waits))
            self.states.append((clock.check_control(control), asked, as_index(rank)))
            places = tuple(place for place, level in enumerate(control) if level != "-")
            lowest = self._known.setdefault(asked, {}).setdefault(places, {})
            lowest[pick(control, places)] = min(rank, lowest.get(pick(control, places), rank))

    def lowest(self, control: str, waits: Row) -> int | None:
        """The lowest rank of states of which all that they have is so; None if there is none."""
        found = (lowest.get(pick(control, places)) for places, lowest in self._known.get(waits, {}).items())
        return min((rank for rank in found if rank is not None), default=None)


class GateGroup:
    """Gates that share nets with each other only, but for what they read of `inputs` and others of `outputs`.

    What they make of the same forms is remembered: in a pipeline few stages differ from one state to the next.
    """

    def __init__(self, gates: Sequence[CheckedGate], outputs: Sequence[int]) -> None:
        made = {gate.output for gate in gates}
        self._gates, self.outputs = gates, outputs
        self.inputs = tuple(sorted({net for gate in gates for net in gate.inputs} - made - {0, 1}))
        self._known: dict[Levels, Levels] = {}

    def run(self, level: dict[int, Form], forms: Forms) -> None:
        """The gates on the forms of their nets, of which only `outputs` are set."""
        asked = tuple([level[net] for net in self.inputs])
        found = self._known.get(asked)
        if found is None:
            own: dict[int, Form] = {0: 0, 1: 1, **dict(zip(self.inputs, asked, strict=True))}
            run_gates(self._gates, own, forms)
            found = self._known[asked] = tuple([own[net] for net in self.outputs])
        for net, form in zip(self.outputs, found, strict=True):
            level[net] = form


def _grouped(gates: Sequence[CheckedGate], read: set[int]) -> list[GateGroup]:
    """Gates by what nets they share, of those that one of them drives; `read` are read by others."""
    above = {gate.output: gate.output for gate in gates}

    def root(net: int) -> int:
        while above[net] != net:
            above[net] = above[above[net]]
            net = above[net]
        return net

    for gate in gates:
        for net in gate.inputs:
            if net in above:
                above[root(net)] = root(gate.output)
    members: dict[int, list[CheckedGate]] = {}
    for gate in gates:
        members.setdefault(root(gate.output), []).append(gate)
    return [GateGroup(inside, [gate.output for gate in inside if gate.output in read]) for inside in members.values()]


def pick(control: str, places: Iterable[int]) -> str:
    """The levels of some registers."""
    return "".join([control[place] for place in places])


def covers(listed: str, control: str) -> bool:
    """Whether all levels listed are so."""
    return all(a in ("-", b) for a, b in zip(listed, control, strict=True))


def with_levels(control: str, levels: Iterable[tuple[int, str]]) -> str:
    """Control with other levels of some registers."""
    changed = list(control)
    for place, level in levels:
        changed[place] = level
    return "".join(changed)


def every_level(levels: str, places: Sequence[int]) -> Iterator[tuple[tuple[int, str], ...]]:
    """The levels of registers, those that are not known with each level. Raises CheckError if these are too many."""
    if levels.count("-") > MOST_TRIED:
        raise CheckError(f"{levels.count('-')} registers that handshakes read may have any level")
    for tried in product(*("01" if level == "-" else level for level in levels)):
        yield tuple(zip(places, tried, strict=True))


def numbers(row: Sequence[Any]) -> map[int]:
    """What a certificate has of a state after its control."""
    return map(as_index, row[1:])
