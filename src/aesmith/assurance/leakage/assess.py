"""Test Vector Leakage Assessment: fixed against random, in two independent halves, until a leak or the end of the plan.

After Goodwill, Jun, Jaffe and Rohatgi, "A testing methodology for side-channel resistance validation" (NIST NIAT
workshop, 2011), and Schneider and Moradi (CHES 2015). Batches are made by threads, whose kernels run beside each other,
and joined in their order: what comes out depends on the seed and the plan, not on who made what.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future
from pathlib import Path

import numpy as np

from aesmith.assurance.leakage.benches import BATCH, Batch, CoreBench, SBoxBench, TraceBench
from aesmith.assurance.leakage.classes import ZEROS, zero_block
from aesmith.assurance.leakage.correlation import Attack
from aesmith.assurance.leakage.plan import (
    FEWEST_TO_FIND,
    RANDOM,
    THRESHOLD,
    AttackReport,
    LeakagePlan,
    LeakageReport,
    shared_strength,
)
from aesmith.assurance.leakage.statistics import ORDERS, Floats, Moments, welch
from aesmith.assurance.leakage.traces import WaveNetlist
from aesmith.circuits.systemverilog import staged_systemverilog
from aesmith.cores.design import CoreDesign, SourceFile
from aesmith.cores.leaf import LeafDesign, circuit_ports
from aesmith.cores.ports import Meaning
from aesmith.errors import RequestError
from aesmith.fields import aes
from aesmith.flow.recipes import Recipe
from aesmith.flow.synthesis import synthesise
from aesmith.masking.sbox import masked_sbox
from aesmith.processes import waiting_threads
from aesmith.progress import Progress
from aesmith.technology.library import Library
from aesmith.timing.netlist import CellNetlist, read_netlist
from aesmith.timing.power.program import compile_netlist
from aesmith.timing.static import analyse

HALVES = 2
ROUNDS = 2
"""Rounds that a trace has, if nothing else is said."""


class Assessment:
    """One target under one plan: `bench` makes its traces, `names` are those of its fixed classes.

    `order` is the order of protection: leaks above it are shown, and are no leaks. With 0 every leak is one.
    """

    def __init__(
        self,
        target: str,
        bench: TraceBench,
        names: tuple[str, ...],
        plan: LeakagePlan,
        *,
        order: int,
        conditions: tuple[str, ...] = (),
        rounds: float | None = None,
    ) -> None:
        self._target, self._bench, self._names, self._plan = target, bench, names, plan
        self._conditions, self._rounds = conditions, rounds
        classes = len(names) + 1
        self._moments: list[list[Moments | None]] = [[None] * classes for _ in range(HALVES)]
        self._traces = 0
        self._judged = tuple(known for known in ORDERS if not order or known <= order)
        self._found_after: dict[int, int] = {}

    def run(self, progress: Progress | None = None) -> LeakageReport:
        """Make traces and test them. An interrupt leaves what is known then.

        Raises CheckError if the netlist computes wrongly or does not settle in a clock.
        """
        began, interrupted = time.monotonic(), False
        try:
            for number, batch in enumerate(self._batches()):
                self._take(number, batch)
                if progress is not None:
                    progress(self._words(), self._traces, self._plan.traces)
                if not self._plan.all_traces and any(known in self._found_after for known in self._judged):
                    break
        except KeyboardInterrupt:
            interrupted = True
        return self._report(interrupted, time.monotonic() - began)

    def _batches(self) -> Iterator[Batch]:
        """The batches in their order, some made ahead."""
        plan, count = self._plan, -(-self._plan.traces // BATCH)
        if plan.jobs == 1:
            yield from (self._bench.batch(plan.seed, number) for number in range(count))
            return
        with waiting_threads(plan.jobs, threading.Event()) as pool:
            numbers = iter(range(count))
            ahead: deque[Future[Batch]] = deque()
            for number in numbers:
                ahead.append(pool.submit(self._bench.batch, plan.seed, number))
                if len(ahead) > plan.jobs:
                    yield ahead.popleft().result()
            while ahead:
                yield ahead.popleft().result()

    def _take(self, number: int, batch: Batch) -> None:
        half = self._moments[number % HALVES]
        for k in range(len(self._names) + 1):
            found = Moments.of(batch.traces[batch.classes == k])
            before = half[k]
            half[k] = found if before is None else before.joined(found)
        self._traces += len(batch.classes)
        if self._fewest() >= FEWEST_TO_FIND:
            for order in ORDERS:
                if order not in self._found_after and self._strongest(order) > THRESHOLD:
                    self._found_after[order] = self._traces

    def _t(self, order: int) -> dict[str, Floats]:
        points = self._bench.clocks * self._plan.parts

        def of(k: int) -> Floats:
            rows = np.zeros((HALVES, points))
            for number, half in enumerate(self._moments):
                fixed, random = half[k], half[0]
                if fixed is not None and random is not None:
                    rows[number] = welch(fixed, random, order)
            return rows

        return {name: of(k) for k, name in enumerate(self._names, 1)}

    def _strongest(self, order: int) -> float:
        return max(float(shared_strength(halves).max()) for halves in self._t(order).values())

    def _fewest(self) -> int:
        return min(0 if moments is None else moments.count for half in self._moments for moments in half)

    def _words(self) -> str:
        return f"largest |t| in both halves {max(map(self._strongest, self._judged)):.1f}"

    def _report(self, interrupted: bool, seconds: float) -> LeakageReport:
        counts = [sum(m.count for half in self._moments if (m := half[k])) for k in range(len(self._names) + 1)]
        return LeakageReport(
            target=self._target,
            conditions=self._conditions,
            traces=self._traces,
            per_class=dict(zip((RANDOM, *self._names), counts, strict=True)),
            fewest=self._fewest(),
            clocks=self._bench.clocks,
            parts=self._plan.parts,
            rounds=self._rounds,
            t={order: self._t(order) for order in ORDERS},
            judged=self._judged,
            found_after=self._found_after,
            interrupted=interrupted,
            seconds=seconds,
        )


def core_assessment(
    design: CoreDesign,
    library: Library,
    plan: LeakagePlan,
    *,
    recipe: Recipe,
    folder: Path,
    netlist: Path | None = None,
) -> Assessment:
    """The assessment of a core: synthesised by `recipe` in `folder`, or the mapped `netlist` (Yosys' JSON).

    Raises RequestError for a key, a block or a number of clocks that the core cannot have, and what synthesis raises.
    """
    key, drawn = _key(design, plan)
    if any(len(block) != 16 for block in plan.fixed):
        raise RequestError("fixed: a block has 16 bytes")
    direction = design.directions[0]
    blocks = [zero_block(key, direction, number) for number in ZEROS] + [drawn, *plan.fixed]
    names = (*ZEROS.values(), "drawn", *(block.hex() for block in plan.fixed))
    bench, conditions = _core_bench(
        design, library, plan, key=key, fixed=tuple(blocks), synthesis=(recipe, folder, netlist)
    )
    order = max(payload.shares for payload in design.ports.payloads) - 1
    rounds = _clocks_a_round(design)
    return Assessment(design.preset, bench, names, plan, order=order, conditions=conditions, rounds=rounds)


def core_attack(
    design: CoreDesign,
    library: Library,
    plan: LeakagePlan,
    *,
    recipe: Recipe,
    folder: Path,
    netlist: Path | None = None,
    progress: Progress | None = None,
) -> AttackReport:
    """Correlation power analysis of a core under one key, all blocks drawn; as `core_assessment` otherwise.

    An interrupt leaves what is known then.
    """
    began, interrupted = time.monotonic(), False
    key, _ = _key(design, plan)
    bench, conditions = _core_bench(design, library, plan, key=key, fixed=(), synthesis=(recipe, folder, netlist))
    attack = Attack(design.directions[0], key, bench.clocks * plan.parts)
    try:
        for number in range(-(-plan.traces // BATCH)):
            batch = bench.batch(plan.seed, number)
            attack.take(batch)
            if progress is not None:
                progress(f"{attack.known} key bytes known", attack.traces, plan.traces)
    except KeyboardInterrupt:
        interrupted = True
    return attack.report(design.preset, conditions, interrupted=interrupted, seconds=time.monotonic() - began)


def _key(design: CoreDesign, plan: LeakagePlan) -> tuple[bytes, bytes]:
    """The key, and 16 bytes drawn."""
    bits = max(design.key_bits)
    random = np.random.default_rng([plan.seed, 0, 2])
    drawn = random.integers(0, 256, bits // 8 + 16, dtype=np.uint8).tobytes()
    key = plan.key or drawn[16:]
    if len(key) * 8 != bits:
        raise RequestError(f"key: {design.preset} takes {bits} bits, not {8 * len(key)}")
    return key, drawn[:16]


def _clocks_a_round(design: CoreDesign) -> float:
    return (design.latency_cycles - 1) / aes.rounds(max(design.key_bits))


def _core_bench(
    design: CoreDesign,
    library: Library,
    plan: LeakagePlan,
    *,
    key: bytes,
    fixed: tuple[bytes, ...],
    synthesis: tuple[Recipe, Path, Path | None],
) -> tuple[CoreBench, tuple[str, str]]:
    """The bench of a core with its conditions in words; `synthesis` is by what recipe, where, or of what netlist."""
    if design.opened is not None and design.ports.find(Meaning.SEED) is None:
        raise RequestError(f"unmasked_ports: the power of {design.preset}'s ports tells their values; take it without")
    if design.opened is not None and not plan.fresh:
        raise RequestError(f"fresh: {design.preset} makes its fresh bits itself; take the core without a generator")
    recipe, folder, netlist = synthesis
    clocks = plan.clocks or min(int(np.ceil(ROUNDS * _clocks_a_round(design))) + 1, design.latency_cycles + 1)
    if clocks > design.latency_cycles + 1:
        raise RequestError(f"clocks: {design.preset} is done after {design.latency_cycles + 1}, not {clocks}")
    mapped, made = _netlist(design, library, recipe, folder, netlist)
    bench = CoreBench(
        _waves(mapped, library),
        design,
        key=key,
        fixed=fixed,
        clocks=clocks,
        parts=plan.parts,
        clock_mhz=plan.clock_mhz,
        fresh=plan.fresh,
    )
    masks = "keys and blocks shared anew for each trace" + ("" if plan.fresh else "; fresh bits 0")
    masks += "" if design.opened is None else "; its generator of fresh bits seeded anew for each"
    shared = any(payload.shares > 1 for payload in design.ports.payloads)
    conditions = (
        f"{library.name}, corner {library.corner.name}; {made}; {plan.clock_mhz:g} MHz, no wires",
        f"{design.directions[0]} under one key; " + (masks if shared else "not masked"),
    )
    return bench, conditions


def sbox_assessment(
    order: int,
    clocks: int,
    library: Library,
    plan: LeakagePlan,
    *,
    recipe: Recipe,
    folder: Path,
    zero_stages: frozenset[int] = frozenset(),
) -> Assessment:
    """The assessment of the masked S-box; with `zero_stages` the fresh bits of these stages, from 1 on, are 0.

    Raises RequestError for a plan that is for cores, and what synthesis raises.
    """
    if plan.key is not None or plan.clocks is not None or any(len(value) != 1 for value in plan.fixed):
        raise RequestError("masked-sbox: has no key, whole traces, and fixed operands of one byte")
    masked = masked_sbox(order, clocks)
    name = "masked_sbox"
    text = staged_systemverilog(masked.staged, f"Masked S-box of {masked.shares} shares.", name)
    ports = circuit_ports(masked.staged.circuit, "clk_i")
    design = LeafDesign(name, (SourceFile(f"{name}.sv", text),), ports, 8, masked.latency)
    mapped, made = _netlist(design, library, recipe, folder, None)
    values = dict.fromkeys((0x00, 0x52, 0xFF, *(value[0] for value in plan.fixed)))
    bench = SBoxBench(
        _waves(mapped, library),
        masked,
        fixed=tuple(values),
        parts=plan.parts,
        clock_mhz=plan.clock_mhz,
        fresh=plan.fresh,
        zero_stages=zero_stages,
    )
    stages = ", ".join(map(str, sorted(zero_stages)))
    faults = "; fresh bits 0" if not plan.fresh else f"; fresh bits of stage {stages} 0" if stages else ""
    conditions = (
        f"{library.name}, corner {library.corner.name}; {made}; {plan.clock_mhz:g} MHz, no wires",
        f"{clocks} clocks; operands shared anew for each trace{faults}",
    )
    names = tuple(f"{value:02x}" for value in values)
    return Assessment(f"masked S-box, order {order}", bench, names, plan, order=order, conditions=conditions)


def _netlist(
    design: CoreDesign | LeafDesign, library: Library, recipe: Recipe, folder: Path, netlist: Path | None
) -> tuple[CellNetlist, str]:
    """The mapped netlist, and how it came to be."""
    if netlist is not None:
        return read_netlist(netlist, design.top), f"netlist {netlist.name}"
    mapped = synthesise(design, library, recipe, None, folder)
    return read_netlist(mapped.json, design.top), f"recipe {recipe.name}, {mapped.area_ge:,.0f} GE"


def _waves(netlist: CellNetlist, library: Library) -> WaveNetlist:
    report = analyse(netlist, library)
    return WaveNetlist(compile_netlist(report.graph, report.state))
