"""Rewire a mapped netlist: local moves on the gates as they are, under the library's timing, proved to change nothing.

Synthesis maps a network of gates, and sizing exchanges single cells; between keeping every XOR and breaking all there
is much that neither reaches. From the netlist that they leave, this tries many small moves (`moves_kernel.py`), and now
and then what can be shared in the whole netlist (`resubstitution.py`, `products.py`). It keeps what lowers
area + price · Σ (d + 10 d²), d being the excess of each end of paths over a target period: an annealing so cold that it
is a descent with a little noise. The target falls leg by leg until that no longer pays.

How much is tried is stated in moves for each gate: it depends neither on the machine nor on time, so that netlists
are treated alike. The same netlist, library, budget and seed give the same netlist. What comes out is proved to have
the functions of what went in (`aesmith.flow.function_graph`), and timed by `aesmith.timing.static`.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from aesmith.errors import RequestError, not_one_of
from aesmith.flow.function_graph import prove_same_function
from aesmith.flow.recipes import REWIRING_STEPS
from aesmith.flow.rewiring import moves_kernel as moves
from aesmith.flow.rewiring import timing_kernel as timing
from aesmith.flow.rewiring.cell_arrays import OUTPUTS, PINS, CellNumbers, Floats, number_cells
from aesmith.flow.rewiring.edit_kernel import (
    AREA,
    CONSTANT,
    FANIN,
    FIXED,
    FREE,
    HEAD,
    INPUT,
    KIND,
    LOAD,
    LOGIC,
    NEVER,
    NEXT,
    NOTHING,
    OUTPUT,
    PREVIOUS,
    PRICE,
    READERS,
    REGISTER,
    SLEW,
    TARGET,
    VARIANT,
    NetlistArrays,
)
from aesmith.flow.rewiring.products import become_products
from aesmith.flow.rewiring.resubstitution import resubstitute
from aesmith.flow.rewiring.structures import NO_WIDE_STRUCTURES, structures, wide_structures
from aesmith.processes import Cancelled
from aesmith.technology.cell import CellKind
from aesmith.technology.library import Library
from aesmith.timing.binding import BoundNetlist, bind
from aesmith.timing.graph import known_pins
from aesmith.timing.netlist import CONSTANT_0, CONSTANT_1, Instance, cell_netlist, read_netlist
from aesmith.timing.static import TimingConditions, default_conditions
from aesmith.yosys_json import parse_json

_LEGS = REWIRING_STEPS - 1
FOR_SPEED, FOR_AREA = 200, 1000
"""Moves for each cell: for speed and area; and for area alone, where a move times fewer gates, a fifth of the work."""
_CHUNK = 20000
"""Moves between two full timings, between which nobody is asked whether to go on."""
_PARTS = 5
"""Parts of a leg, after each of which gates become those of nets that are there already."""
SUMS, PRODUCTS = "sums", "products"
KINDS = (*moves.MOVES, SUMS, PRODUCTS)
"""What is tried."""
LEFT_OUT = frozenset({PRODUCTS, moves.WIDE})
"""What is only tried where it is asked for."""
_NOISE_GE = (0.03, 0.004)
_STEP_NS = 2e-5
_NEAR, _WORTH = 0.9, 0.65
"""Ends from this share of the longest path on share the price of a ns: that part of area / longest path. Above 1, area
is bought first, and never comes back."""
_LOWER = 0.95
"""Target of a leg, as a share of the longest path that it begins with."""
_SPARE = 0.995
"""Target where the area counts, as a share of the longest path there was: some ends will be above it."""
_CONVERGED = 2e-4
"""What two legs together must win, as a share, for another one to follow."""

_KINDS = {CellKind.LOGIC: LOGIC, CellKind.DELAY: LOGIC, CellKind.TIE: CONSTANT}
_ROOM = 0.5
"""Share of slots that are free at first."""
_LEVELS = 1 << 14
_MOST_EDITS = 4096


@dataclass(frozen=True)
class RewiringPlan:
    """How much is tried: moves for each cell of the netlist at most, and the seed of all random choices.

    With `faster` the target falls, and area × longest path counts; without, the area counts that no longer path buys.
    Kinds of moves in `without` are never drawn, and others more often instead; resubstitution by sums or products, if
    it is among them, is not done. Raises RequestError for what cannot be.
    """

    moves_a_gate: int = FOR_SPEED
    seed: int = 1
    faster: bool = True
    without: frozenset[str] = LEFT_OUT

    def __post_init__(self) -> None:
        if self.moves_a_gate < 1:
            raise RequestError(f"moves_a_gate: must be at least 1, not {self.moves_a_gate}")
        if unknown := sorted(self.without - {*KINDS}):
            raise not_one_of("without", unknown[0], KINDS)
        if self.without >= {*moves.MOVES}:
            raise RequestError("without: leaves no move")

    @property
    def shares(self) -> Floats:
        """The part of moves that are of each kind or of one before it."""
        shares = [0 if name in self.without else share for name, share in moves.SHARES.items()]
        return np.cumsum(shares) / sum(shares)


@dataclass(frozen=True)
class RewiringLeg:
    """Where a leg ended: moves tried so far, area of all cells (GE) and the longest of all paths (ns)."""

    moves: int
    area_ge: float
    delay_ns: float


@dataclass(frozen=True)
class Rewired:
    """The netlist's JSON, its figures, and how it came to be.

    `tally` has for each of `KINDS` how often it was tried, how often it won, and how many GE of cost it won; `proved`
    is the number of functions shown to be those of the netlist before.
    """

    json: str
    area_ge: float
    delay_ns: float
    legs: tuple[RewiringLeg, ...]
    tally: Mapping[str, tuple[int, int, float]]
    proved: int


def rewire(
    netlist: Path,
    library: Library,
    work_dir: Path,
    *,
    plan: RewiringPlan | None = None,
    conditions: TimingConditions | None = None,
    progress: Callable[[str, int], None] | None = None,
    cancel: threading.Event | None = None,
) -> Rewired:
    """Rewire the netlist in a file of Yosys' JSON; files of the proof go to `work_dir`, which is made.

    `progress` is told what is worked on, a part of a leg or the proof, and how many of `REWIRING_STEPS` are done; legs
    that no longer pay are left out. Raises what `aesmith.timing.binding.bind` raises, RequestError for cells that are
    too wide, CheckError if the proof fails, and Cancelled once `cancel` is set.
    """
    plan, surroundings = plan or RewiringPlan(), conditions or default_conditions(library)
    before = read_netlist(netlist)
    bound = bind(before, library)
    edited = read_arrays(bound, library, surroundings, plan.seed)
    tell, cancel = progress or _unheard, cancel or threading.Event()
    legs, tally = _descend(edited, library, plan, tell, cancel)
    tell("proving that its functions are those before", _LEGS)
    if cancel.is_set():
        raise Cancelled("rewiring was cancelled")
    text = as_json(edited, netlist.read_text(), before.name)
    after = cell_netlist(parse_json(text).module(before.name))
    proved = prove_same_function(before, after, library, work_dir, cancel=cancel)
    best = min(legs, key=_merit(plan, legs[0]))
    return Rewired(text, best.area_ge, best.delay_ns, tuple(legs), tally, proved)


def _unheard(_words: str, _done: int) -> None:
    """Report nothing."""


def _merit(plan: RewiringPlan, first: RewiringLeg) -> Callable[[RewiringLeg], float]:
    if plan.faster:
        return lambda leg: leg.area_ge * leg.delay_ns
    return lambda leg: leg.area_ge if leg.delay_ns <= first.delay_ns else np.inf


def _descend(
    edited: EditableNetlist,
    library: Library,
    plan: RewiringPlan,
    tell: Callable[[str, int], None],
    cancel: threading.Event,
) -> tuple[list[RewiringLeg], dict[str, tuple[int, int, float]]]:
    """Bring `edited` to the best state of all legs; the legs, the first one the netlist as it is, and the tally."""
    cells, net = edited.numbers.arrays, edited.net
    table = structures(edited.numbers)
    wide = wide_structures(edited.numbers) if moves.WIDE not in plan.without else NO_WIDE_STRUCTURES
    delay = timing.refresh(cells, net)
    fixed = sum(library.area_ge(cell) for cell in edited.bound.cells) - float(net.sums[AREA])
    legs = [RewiringLeg(0, float(net.sums[AREA]) + fixed, delay)]
    merit = _merit(plan, legs[0])
    best, state = merit(legs[0]), edited.copy_state()
    factor = edited.overload()
    shares, tally = plan.shares, np.zeros((len(KINDS), 3))
    a_part = -(-plan.moves_a_gate * len(edited.bound.cells) // (_LEGS * _PARTS))
    a_leg = _PARTS * a_part
    for leg in range(_LEGS):
        net.sums[TARGET] = delay * _LOWER if plan.faster else legs[0].delay_ns * _SPARE
        late = int((net.ends > _NEAR * delay).sum())
        net.sums[PRICE] = _WORTH * float(net.sums[AREA]) / (delay * max(late, 1))
        timing.refresh(cells, net)
        for part in range(_PARTS):
            for done in range(0, a_part, _CHUNK):
                if cancel.is_set():
                    raise Cancelled("rewiring was cancelled")
                moved = leg * a_leg + part * a_part + done
                tell(f"leg {leg + 1} of at most {_LEGS}, {moved:,} of at most {_LEGS * a_leg:,} moves", leg)
                tries = min(_CHUNK, a_part - done)
                start, end = (_noise((part * a_part + at) / a_leg) for at in (done, done + tries))
                moves.anneal(cells, table, wide, net, tries, start, end, _STEP_NS, factor, shares, tally)
                timing.refresh(cells, net)
            for kind, shared in ((SUMS, resubstitute), (PRODUCTS, become_products)):
                if kind not in plan.without:
                    tally[KINDS.index(kind)] += shared(cells, net, _STEP_NS, factor)
                    timing.refresh(cells, net)
        moves.recover(cells, net, factor)
        delay = timing.refresh(cells, net)
        legs.append(RewiringLeg((leg + 1) * a_leg, float(net.sums[AREA]) + fixed, delay))
        if merit(legs[-1]) < best:
            best, state = merit(legs[-1]), edited.copy_state()
        if leg >= 2 and merit(legs[-1]) < np.inf and best > min(merit(each) for each in legs[:-2]) * (1 - _CONVERGED):
            break
    edited.restore(state)
    counted = zip(KINDS, tally.tolist(), strict=True)
    return legs, {name: (int(tried), int(won), gained) for name, (tried, won, gained) in counted}


def _noise(progress: float) -> float:
    """The noise after that part of a leg."""
    return float(_NOISE_GE[0] * (_NOISE_GE[1] / _NOISE_GE[0]) ** progress)


@dataclass(eq=False)
class EditableNetlist:
    """`net` with what its slots stand for: `instances[slot]` an instance of the netlist it was read from, `ports` the
    bits of output ports (port, bit), `wires` the nets of that netlist by number."""

    bound: BoundNetlist
    numbers: CellNumbers
    net: NetlistArrays
    instances: dict[int, Instance] = field(default_factory=dict)
    ports: dict[int, tuple[str, int]] = field(default_factory=dict)
    wires: dict[int, int] = field(default_factory=dict)

    def overload(self) -> float:
        """How many times its limit a cell's load is at most; at least once."""
        variants = self.net.slots[:, VARIANT]
        live = np.isin(self.net.slots[:, KIND], (LOGIC, REGISTER))
        loads = self.net.waves[:, LOAD : LOAD + 2].max(axis=1).reshape(-1, OUTPUTS)
        return max(1.0, float((loads / self.numbers.arrays.limit[variants])[live].max(initial=0.0)))

    def copy_state(self) -> NetlistArrays:
        """The present state, to come back to with `restore`."""
        kept: Any = [part.copy() for part in self.net]
        return NetlistArrays(*kept)

    def restore(self, state: NetlistArrays) -> None:
        """Go back to a state."""
        for part, kept in zip(self.net, state, strict=True):
            part[...] = kept


def read_arrays(bound: BoundNetlist, library: Library, conditions: TimingConditions, seed: int) -> EditableNetlist:
    """The netlist in arrays, its registers and gates to be exchanged but those with inputs that never change.

    Not yet timed. Raises what `number_cells` raises.
    """
    netlist = bound.netlist
    pins_known = [frozenset(known_pins(bound, index).items()) for index in range(len(netlist.instances))]
    used = [(cell.name, known) for cell, known in zip(bound.cells, pins_known, strict=True)]
    numbers = number_cells(library, used, conditions.output_load_ff)
    places = len(netlist.instances) + sum(len(port.nets) for port in netlist.ports.values()) + 2
    made = EditableNetlist(bound, numbers, _empty(places + int(_ROOM * places) + 64, seed))
    net = made.net
    readers: list[tuple[int, int, int]] = []
    slot = 0
    for constant in (CONSTANT_0, CONSTANT_1):
        net.slots[slot, KIND] = CONSTANT
        made.wires[constant] = OUTPUTS * slot
        slot += 1
    for port in netlist.inputs:
        for wire in port.nets:
            net.slots[slot, KIND] = INPUT
            made.wires[wire] = OUTPUTS * slot
            net.waves[OUTPUTS * slot, :2] = 0.0
            net.waves[OUTPUTS * slot, SLEW : SLEW + 2] = 0.0 if wire == bound.clock else conditions.input_slew_ns
            slot += 1
    for index, (instance, cell) in enumerate(zip(netlist.instances, bound.cells, strict=True)):
        known = pins_known[index]
        variant = numbers.number[cell.name, known]
        net.slots[slot, KIND] = _KINDS.get(cell.kind, REGISTER)
        net.slots[slot, VARIANT] = variant
        net.slots[slot, FIXED] = bool(known) or cell.kind not in (CellKind.LOGIC, CellKind.FLIP_FLOP)
        made.instances[slot] = instance
        for o, pin in enumerate(cell.outputs):
            if pin in instance.pins:
                made.wires[instance.pins[pin]] = OUTPUTS * slot + o
                if instance.pins[pin] in bound.constants:
                    net.slots[slot, KIND] = CONSTANT
        readers += [(slot, p, instance.pins[pin]) for p, pin in enumerate(numbers.inputs[variant])]
        slot += 1
    for port in netlist.outputs:
        for bit, wire in enumerate(port.nets):
            net.slots[slot, KIND] = OUTPUT
            net.slots[slot, VARIANT] = numbers.number["", frozenset()]
            made.ports[slot] = (port.name, bit)
            readers.append((slot, 0, wire))
            slot += 1
    for reader, p, wire in readers:
        _read(net, reader * PINS + p, made.wires[wire])
    free = np.arange(len(net.slots) - 1, slot - 1, -1)
    net.free[: len(free)] = free
    net.counts[FREE] = len(free)
    return made


def _empty(slots: int, seed: int) -> NetlistArrays:
    nets = np.zeros((OUTPUTS * slots, 2), dtype=np.int64)
    nets[:, HEAD] = -1
    columns = np.zeros((slots, FANIN + PINS), dtype=np.int64)
    columns[:, KIND] = NOTHING
    columns[:, FANIN:] = -1
    waves = np.zeros((OUTPUTS * slots, 8))
    waves[:, :2] = NEVER
    sums = np.zeros(4)
    sums[TARGET], sums[PRICE] = np.inf, 0.0
    return NetlistArrays(
        columns,
        nets,
        np.full((PINS * slots, 2), -1, dtype=np.int64),
        waves,
        np.full(slots, NEVER),
        np.full(_LEVELS, -1, dtype=np.int64),
        np.zeros(8, dtype=np.int64),
        sums,
        np.zeros(slots + _MOST_EDITS, dtype=np.int64),
        np.zeros((_MOST_EDITS, 3), dtype=np.int64),
        np.zeros((slots, 8)),
        np.zeros(slots, dtype=np.int64),
        np.zeros(slots),
        np.zeros(slots, dtype=np.int64),
        np.array([seed], dtype=np.uint64),
    )


def _read(net: NetlistArrays, pin: int, wire: int) -> None:
    """Put a pin on a net, without its load."""
    head = net.nets[wire, HEAD]
    net.slots[pin // PINS, FANIN + pin % PINS] = wire
    net.pins[pin, NEXT], net.pins[pin, PREVIOUS] = head, -1
    if head >= 0:
        net.pins[head, PREVIOUS] = pin
    net.nets[wire, HEAD] = pin
    net.nets[wire, READERS] += 1


def as_json(edited: EditableNetlist, text: str, top: str) -> str:
    """Yosys' JSON of the netlist as it is now, made from the `text` that it was read from.

    Registers and all cells that cannot be exchanged keep their names, and so do the nets that registers take, where the
    sources name them; gates are numbered anew.
    """
    module = json.loads(text)["modules"][top]
    cells: dict[str, Any] = module["cells"]
    net, numbers = edited.net, edited.numbers
    bits: dict[int, int | str] = {}
    for port in edited.bound.netlist.inputs:
        for wire, bit in zip(port.nets, module["ports"][port.name]["bits"], strict=True):
            bits[edited.wires[wire]] = bit
    bits |= {edited.wires[CONSTANT_0]: "0", edited.wires[CONSTANT_1]: "1"}
    numbered = [bit for cell in cells.values() for each in cell["connections"].values() for bit in each]
    next_bit = 1 + max((bit for bit in numbered if not isinstance(bit, str)), default=1)

    def bit_of(wire: int) -> int | str:
        nonlocal next_bit
        if wire not in bits:
            bits[wire] = next_bit
            next_bit += 1
        return bits[wire]

    sources = {
        name["bits"][0]: (label, name)
        for label, name in module["netnames"].items()
        if "hdlname" in name["attributes"] and len(name["bits"]) == 1
    }
    written: dict[str, Any] = {}
    taken: dict[str, Any] = {}
    for slot in range(len(net.slots)):
        kind = int(net.slots[slot, KIND])
        if kind not in (LOGIC, REGISTER) and (kind != CONSTANT or slot not in edited.instances):
            continue
        variant = int(net.slots[slot, VARIANT])
        cell = numbers.cells[variant]
        assert cell is not None
        kept = edited.instances.get(slot) if kind != LOGIC or net.slots[slot, FIXED] else None
        name = f"_{slot}_gate_" if kept is None else kept.name
        before = {} if kept is None else cells[name]["connections"]
        connections: Mapping[str, list[int | str]] = {
            pin: [bit_of(int(net.slots[slot, FANIN + p]))] for p, pin in enumerate(numbers.inputs[variant])
        } | {
            pin: [bit_of(OUTPUTS * slot + o)]
            for o, pin in enumerate(cell.outputs)
            if net.nets[OUTPUTS * slot + o, READERS] and cell.kind is not CellKind.CLOCK_GATE
        }
        # The clock, and what a clock gate drives, are as they were.
        kept_pins = {pin: bit for pin, bit in before.items() if pin not in cell.outputs and pin not in connections}
        if cell.kind is CellKind.CLOCK_GATE:
            kept_pins |= {pin: before[pin] for pin in cell.outputs if pin in before}
        if kind == REGISTER:
            for pin, bits_before in before.items():
                if pin in connections and pin not in cell.outputs and bits_before[0] in sources:
                    label, found = sources[bits_before[0]]
                    taken[label] = found | {"bits": connections[pin]}
        written[name] = {
            "hide_name": 0,
            "type": cell.name,
            "parameters": {},
            "attributes": {},
            "port_directions": {
                pin: "output" if pin in cell.outputs else "input" for pin in (*connections, *kept_pins)
            },
            "connections": {**connections, **kept_pins},
        }
    for slot, (port_name, bit) in edited.ports.items():
        module["ports"][port_name]["bits"][bit] = bit_of(int(net.slots[slot, FANIN]))
    names = {name: {"hide_name": 0, "bits": port["bits"], "attributes": {}} for name, port in module["ports"].items()}
    module |= {"cells": written, "netnames": taken | names}
    return json.dumps({"modules": {top: module}})
