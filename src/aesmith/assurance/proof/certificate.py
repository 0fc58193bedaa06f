"""What a walk found, as data that somebody else can check: states, forms, ranks. docs/certificate.md has the format.

Numbers here are the prover's own, but for atoms: those have names, so that forms mean something without the prover.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from aesmith.assurance.proof.algebra import UNKNOWN_NUMBER, Algebra, FormNumbers
from aesmith.assurance.proof.data import Interned
from aesmith.assurance.proof.explore import Explorer, Walk
from aesmith.assurance.proof.interface import Automaton, Shape, Stimulus
from aesmith.assurance.proof.liveness import Bound
from aesmith.assurance.proof.netlist import Netlist
from aesmith.assurance.proof.slot_clocks import as_text
from aesmith.assurance.proof.slots import SlotProver
from aesmith.cores.design import CoreDesign

FORMAT = "aesmith certificate 1"
CERTIFICATE = "certificate.json"
SLOT_PROMISES = (
    "a block until its result is offered",
    "a key until it is taken",
    "a block until it or a key is taken",
)


def header(design: CoreDesign) -> dict[str, object]:
    """What is claimed, and of which sources."""
    return {
        "format": FORMAT,
        "name": design.top,
        "top": design.top,
        "key_bits": list(design.key_bits),
        "directions": list(map(str, design.directions)),
        "block_width": design.block_width,
        "clear": design.ports.clearable,
        **({"scan_enable": True} if design.ports.scan_enable else {}),
        "sources": {source.name: hashlib.sha256(source.text.encode()).hexdigest() for source in design.sources},
    }


def walk_certificate(
    netlist: Netlist, explorer: Explorer, walk: Walk, bounds: Sequence[Bound], shape: Shape
) -> dict[str, object]:
    """The states of a walk that saw all there are, and the ranks of its bounds."""
    used = sorted(set(walk.data))
    rows = [explorer.data_of(number) for number in used]
    places = {number: place for place, number in enumerate(used)}
    forms = _Forms(explorer.algebra, explorer.numbers)
    data = [[forms.number(number) for number in row] for row in rows]
    interface = Interned[Automaton]()
    states: dict[tuple[str, int, int], list[int]] = {}
    for number, (control, row, automaton) in enumerate(zip(walk.control, walk.data, walk.automata, strict=True)):
        levels = as_text(control)
        ranks = [bound.ranks.get(number, 0) for bound in bounds]
        states.setdefault((levels, places[row], interface.number(automaton)), ranks)
    return {
        "engine": "walk",
        "registers": {
            "control": list(walk.control_names),
            "data": [netlist.registers[i].name for i in explorer.data_registers],
        },
        "split": [netlist.registers[i].name for i in walk.begins[0]],
        "bounds": {bound.what: bound.clocks for bound in bounds},
        "atoms": forms.atoms,
        "forms": forms.rows,
        "data": data,
        "interface": [_interface(interface[number], shape) for number in range(len(interface))],
        "states": [[*state, *ranks] for state, ranks in states.items()],
    }


PART = 64
"""Data registers that a row has together: a slot's state differs from another in few of a pipeline's registers."""


def slot_certificate(netlist: Netlist, prover: SlotProver, sizes: tuple[int, ...]) -> dict[str, object]:
    """The states of a slot proof, what is known of a slot with no block in it, and the ranks of its bounds.

    `sizes` are those of the core's keys.
    """
    found, forms = prover.found, _Forms(prover.algebra, prover.numbers)
    parts, rows = Interned[tuple[int | None, ...]](), Interned[int]()

    contexts = [
        [
            as_text(context.control),
            rows.number(context.data),
            0 if (key := context.specification.key) is None else 1 + sizes.index(key.bits),
            0 if (waits := context.specification.key_waits) is None else 1 + sizes.index(waits.key_bits or sizes[0]),
            _direction(context.specification.block_waits),
            context.waiting,
        ]
        for context in found.context_states
    ]
    blocks = [
        [as_text(t.control), rows.number(t.data), t.age, 2 * sizes.index(t.key_bits) + t.decrypt, t.waiting]
        for t in found.travel_states
    ]
    data = []
    for number in range(len(rows)):
        held = [forms.number(form) for form in prover.data_of(rows[number])]
        data.append([parts.number(tuple(held[i : i + PART])) for i in range(0, len(held), PART)])
    return {
        "engine": "slots",
        "registers": {
            "control": list(found.control_names),
            "data": [netlist.registers[i].name for i in prover.data_registers],
            **prover.register_names(),
        },
        "leaves": sorted(as_text(levels) for levels, leaves in prover.leaves.items() if leaves),
        "bounds": dict(zip(SLOT_PROMISES, (found.result_bound, found.key_bound, found.block_bound), strict=True)),
        "atoms": forms.atoms,
        "forms": forms.rows,
        "parts": [list(parts[number]) for number in range(len(parts))],
        "data": data,
        "contexts": contexts,
        "blocks": blocks,
        "moves": found.moves,
        "gaps": [as_text([gap.get(i, UNKNOWN_NUMBER) for i in prover.travelling]) for gap in found.gaps],
        "queue": [[as_text(queue), clocks] for queue, clocks in sorted(found.queue_clocks.items())],
        "key_ranks": [
            [as_text(control), _direction(block), rank] for (control, block), rank in found.key_ranks.items()
        ],
        "block_ranks": [
            [as_text(control), _direction(block), int(block is not None and block.key_valid), rank]
            for (control, block), rank in found.block_ranks.items()
        ],
    }


def _direction(block: Stimulus | None) -> int:
    return 0 if block is None else 1 + block.decrypt


def _interface(automaton: Automaton, shape: Shape) -> list[object]:
    key, arriving, block = automaton.key, automaton.arriving, automaton.block_waits
    return [
        key and [key.number, key.bits],
        arriving and [arriving.number, arriving.bits, automaton.arrived],
        [[job.block, job.key.number, job.key.bits, job.decrypt, job.taken, job.left] for job in automaton.jobs],
        automaton.offered,
        _size(automaton.key_waits, shape),
        _direction(block),
    ]


def _size(waits: Stimulus | None, shape: Shape) -> int:
    return 0 if waits is None else waits.key_bits or shape.key_bits[0]


class _Forms:
    """The forms that rows have, over named atoms. A form's number is twice its place, plus its constant."""

    def __init__(self, algebra: Algebra, numbers: FormNumbers) -> None:
        self._algebra, self._numbers = algebra, numbers
        self._places: dict[int, int] = {0: 0}
        # The atom of each variable, -1 for one that was in no form yet.
        self._atoms = np.full(algebra.variable_count, -1)
        self.rows: list[list[int]] = [[]]
        self.atoms: list[Sequence[Any]] = []

    def number(self, number: int) -> int | None:
        if number < 0:
            return None
        if number < 2:
            return number
        linear = number >> 1
        if linear not in self._places:
            self._places[linear] = len(self.rows)
            self.rows.append(self._atoms_of(self._numbers.form(2 * linear)))
        return 2 * self._places[linear] + (number & 1)

    def _atoms_of(self, form: int) -> list[int]:
        """The atoms that a form is the sum of, that of the highest variable first."""
        octets = np.frombuffer(form.to_bytes((form.bit_length() + 7) // 8, "little"), np.uint8)
        variables = np.flatnonzero(np.unpackbits(octets, bitorder="little"))[::-1]
        for variable in variables[self._atoms[variables] < 0].tolist():
            self._atoms[variable] = len(self.atoms)
            (what, key, block, direction), index, table = self._algebra.named(variable)
            named = [what, key.number, key.bits, block, direction, index, None if table is None else f"{table:x}"]
            self.atoms.append(named)
        found: list[int] = self._atoms[variables].tolist()
        return found


def with_header(design: CoreDesign, found: Mapping[str, object]) -> dict[str, object]:
    """The whole certificate."""
    return {**header(design), **found}
