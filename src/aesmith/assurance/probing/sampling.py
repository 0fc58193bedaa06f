"""Sampling of probes: whether anything that a probe of a whole netlist reads differs between fixed and random secrets.

After PROLEAD (Müller and Moradi, "PROLEAD - A Probing-Based Hardware Leakage Detection Tool", TCHES 2022/4). Blocks are
computed without delays, half of them drawn, under drawn keys, the others fixed, under a fixed key. Of each probe and
clock the values read are counted by class (`projections.py` says of which probes, and how), and a G-test, of the ratio
of likelihoods, says how likely so different counts are if the distributions are equal. A leak is a p below 10^-7 after
Bonferroni's correction for all probes, clocks and looks.

It finds, and proves nothing: what is too weak for so many blocks is not seen, nor what a count of ones hides.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from scipy import stats

from aesmith.assurance.probing.lane_bench import CASES, CLASSES, LaneBench, check_sampled
from aesmith.assurance.probing.lanes import compare, count_ones, tally
from aesmith.assurance.probing.projections import (
    Projection,
    projections,
    source_names,
    sources_of,
    wire_name,
)
from aesmith.assurance.probing.sampling_plan import (
    LEAST_BLOCKS,
    THRESHOLD,
    SampledProbe,
    SamplingPlan,
    SamplingReport,
)
from aesmith.assurance.proof.elaborate import elaborate
from aesmith.assurance.proof.mapped import read_mapped
from aesmith.assurance.proof.netlist import Netlist
from aesmith.assurance.proof.prove import Mapped
from aesmith.cores.design import CoreDesign
from aesmith.cores.ports import PayloadKind, PortDirection
from aesmith.progress import Progress
from aesmith.timing.power.arrays import Ints, Longs, Shorts

MOST_BITS = 10
"""Of a table, where there are blocks enough."""
LEAST_EXPECTED = 10.0
"""Cases of the smallest class expected in a cell; what has less goes into one cell."""
_WARM_UP = 1 << 40
_SECONDS = 1800.0


def sample_core(
    design: CoreDesign,
    plan: SamplingPlan,
    work_dir: Path,
    mapped: Mapped | None = None,
    progress: Progress | None = None,
) -> SamplingReport:
    """Sample the probes of a core, of its sources or of the netlist `mapped`, until a leak or the plan's end.

    Yosys' files stay in `work_dir`, which is made. Raises CheckError for what `elaborate` and `read_mapped` refuse, and
    what `sample` raises; ToolError if Yosys is missing or fails.
    """
    check_sampled(design)
    if mapped is None:
        netlist = elaborate(design, work_dir)
    else:
        work_dir.mkdir(parents=True, exist_ok=True)
        netlist = read_mapped(design, mapped.library, mapped.netlist, work_dir, _SECONDS)
    return sample(design, netlist, plan, progress)


def sample(
    design: CoreDesign, netlist: Netlist, plan: SamplingPlan, progress: Progress | None = None
) -> SamplingReport:
    """Sample the probes of a core's netlist.

    An interrupt leaves what is known then. Raises RequestError for a core that no bench is there for, and CheckError if
    it computes wrongly.
    """
    return _Sampling(design, netlist, plan).run(progress)


class _Sampling:
    def __init__(self, design: CoreDesign, netlist: Netlist, plan: SamplingPlan) -> None:
        self._began = time.monotonic()
        self._design, self._netlist, self._plan = design, netlist, plan
        self._bench = LaneBench(netlist, design, plan.seed)
        inputs = [c for c in design.ports.channels if c.direction is PortDirection.INPUT]
        shared, random = (
            [p.port for c in inputs for p in c.payloads if p.kind is kind]
            for kind in (PayloadKind.SHARE, PayloadKind.RANDOM)
        )
        smallest = plan.blocks // 4
        bits = max(1, min(MOST_BITS, int(smallest / LEAST_EXPECTED).bit_length() - 1))
        self._found = projections(netlist, shared, random, bits, transitions=plan.transitions)
        self._sources = np.array(self._found.sources, dtype=np.int64)
        lanes = self._bench.lanes
        self._nets = len(lanes.level)
        # Values that probes read from the previous clock are in rows after those of nets.
        lanes.level = np.concatenate([lanes.level, np.zeros((len(self._sources), lanes.level.shape[1]), np.uint64)])
        self._probes, self._elements, self._rows, self._sizes = self._code(self._found.probes)
        self._size = int(self._sizes.sum())
        self._settled = np.array(self._found.settled, dtype=np.int64)
        self._counts: Longs = np.zeros((0, len(CLASSES), self._size), dtype=np.uint32)
        self._ones: Longs = np.zeros((0, len(CLASSES), 2 * len(self._settled)), dtype=np.uint32)
        self._taken = 0

    def run(self, progress: Progress | None) -> SamplingReport:
        """Sample."""
        for number in range(2):
            # The first block comes after reset, the second one is like all that follow.
            clocks = 0

            def count(clock: int) -> None:
                nonlocal clocks
                clocks = clock + 1

            self._taken = self._bench.run((self._plan.seed, _WARM_UP + number), count, check=True)
        self._counts = np.zeros((clocks, *self._counts.shape[1:]), dtype=np.uint32)
        self._ones = np.zeros((clocks, *self._ones.shape[1:]), dtype=np.uint32)
        done, strongest, interrupted = 0, None, False
        looks = _looks(self._plan.blocks)
        try:
            for done, strongest in self._batches(looks):
                if progress is not None:
                    progress(_words(strongest), min(done * CASES, self._plan.blocks), self._plan.blocks)
                if strongest is not None and strongest.strength > THRESHOLD:
                    break
        except KeyboardInterrupt:
            interrupted = True
            strongest = self._strongest(len(looks) + 1)
        probes = self._found.probes
        weighed = sum(probe.weighed for probe in probes)
        return SamplingReport(
            design=self._design.name,
            blocks=done * CASES,
            transitions=self._plan.transitions,
            probes=len(probes) - weighed,
            weighed=weighed,
            settled=len(self._settled),
            clocks=clocks,
            compared=self._tests,
            strongest=strongest,
            interrupted=interrupted,
            seconds=time.monotonic() - self._began,
        )

    def _batches(self, looks: Sequence[int]) -> Iterator[tuple[int, SampledProbe | None]]:
        """The number of batches done, and what was strongest when counts were last compared."""
        strongest = None
        for number in range(-(-self._plan.blocks // CASES)):
            self._bench.run((self._plan.seed, number), self._look_at)
            if number + 1 in looks:
                strongest = self._strongest(len(looks))
            yield number + 1, strongest

    def _look_at(self, clock: int) -> None:
        level, classes = self._bench.lanes.level, self._bench.classes
        if clock or not self._plan.transitions:
            tally(level, classes, self._probes, self._elements, self._rows, self._size, self._counts[clock].reshape(-1))
        count_ones(level, classes, self._settled, self._ones[clock])
        if self._plan.transitions:
            level[self._nets :] = level[self._sources]

    def _code(self, probes: Sequence[Projection]) -> tuple[Ints, Ints, Shorts, Ints]:
        """The probes as `tally` takes them, and how many counts each has."""
        row = {net: net for net in self._found.sources}
        row |= {-1 - net: self._nets + i for i, net in enumerate(self._found.sources)}
        table, elements, rows, sizes = list[list[int]](), [0], list[int](), list[int]()
        place = 0
        for probe in probes:
            first = len(elements) - 1
            for element in probe.elements:
                rows += [row[read] for read in element]
                elements.append(len(rows))
            count = len(probe.elements)
            size = 1 << (count.bit_length() if probe.weighed else count)
            table.append([first, first + count, int(probe.weighed), place])
            sizes.append(size)
            place += size
        return (
            np.array(table, dtype=np.int64).reshape(-1, 4),
            np.array(elements, dtype=np.int64),
            np.array(rows, dtype=np.int32),
            np.array(sizes, dtype=np.int64),
        )

    @property
    def _tests(self) -> int:
        return len(self._counts) * (len(self._found.probes) + len(self._settled))

    def _strongest(self, looks: int) -> SampledProbe | None:
        """The probe and clock of which the counts differ most."""
        best: SampledProbe | None = None
        penalty = np.log10(max(1, self._tests * looks))
        two = np.full(len(self._settled), 2, dtype=np.int64)
        for clock in range(len(self._counts)):
            for settled, counts, sizes in ((False, self._counts, self._sizes), (True, self._ones, two)):
                if not len(sizes):
                    continue
                strengths = self._strengths(counts[clock], sizes)
                k = int(strengths.argmax())
                strength = float(strengths[k] - penalty)
                if best is None or strength > best.strength:
                    best = SampledProbe(*self._named(k, settled=settled), clock - self._taken, strength)
        return best

    def _named(self, k: int, *, settled: bool) -> tuple[str, tuple[str, ...]]:
        names = source_names(self._netlist)
        if settled:
            net = int(self._settled[k])
            reads = sources_of(self._netlist, net, self._found.sources)
            return wire_name(self._netlist, net), tuple(names[read] for read in reads)
        probe = self._found.probes[k]
        return probe.wire, tuple(names[net] if net >= 0 else f"{names[-1 - net]} a clock before" for net in probe.reads)

    def _strengths(self, counts: Longs, sizes: Ints) -> np.ndarray:
        """-log10 of p of the tables of a clock."""
        found = np.zeros((len(sizes), 2))
        compare(counts, np.cumsum(sizes) - sizes, sizes, LEAST_EXPECTED, found)
        return _minus_log10(found[:, 0], found[:, 1])


def _looks(blocks: int) -> tuple[int, ...]:
    """After how many batches counts are compared: each time that they have doubled."""
    batches = -(-blocks // CASES)
    at = {batches >> k for k in range(batches.bit_length())}
    return tuple(sorted(count for count in at if count * CASES >= LEAST_BLOCKS))


def _minus_log10(g: np.ndarray, freedom: np.ndarray) -> np.ndarray:
    """-log10 of the probability of so large a G, at most 300; 0 without freedom."""
    p = stats.chi2.sf(g, np.maximum(freedom, 1.0))
    return np.where(freedom > 0, -np.log10(np.maximum(p, 1e-300)), 0.0)


def _words(strongest: SampledProbe | None) -> str:
    return "" if strongest is None else f"largest -log10 p, corrected, {strongest.strength:.1f}"
