"""That a mapped netlist does what the sources do, whatever its registers hold at first.

Both are read by the same rules of structure: one clock and its rising edge, one reset, known clock gates, one driver a
net. Then each register of the sources that outputs depend on is given a *counterpart*: a register of the netlist, its
complement, or a constant. Names and a simulation propose it; nothing rests on them. A state of the netlist so has one
state of the sources that it stands for, and three things are proved:

- Reset: what reset gives a register of the sources, it gives its counterpart.
- Step: for every state of the netlist and every input, the next state of the netlist stands for the next state of the
  sources, and outputs are equal. That is one combinational check, by ABC, with no reset and no initial value in it.
- A level that the sources leave undefined may be anything, and so may in the netlist what depends on it (in
  three-valued logic, as in the proof of the sources).

So every run of the netlist from reset on, from any levels in registers without reset, is a run of the sources.
"""

from __future__ import annotations

import random
import subprocess
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from aesmith.assurance.proof.elaborate import LOWER, elaborate, read_netlist, run_passes
from aesmith.assurance.proof.netlist import FALSE, TRUE, Gate, Netlist, NetlistOp, compile_words
from aesmith.assurance.proof.ports import block_ports
from aesmith.assurance.proof.replay import Replayer
from aesmith.assurance.proof.report import Part, Verdict
from aesmith.assurance.proof.scan import refuse_ambiguous
from aesmith.cores.design import CoreDesign, SourceFile
from aesmith.errors import CheckError
from aesmith.flow.synthesis import unpack
from aesmith.flow.yosys import abc_path
from aesmith.processes import run
from aesmith.technology.library import Library
from aesmith.yosys_json import read_json

STATEMENT = (
    "From reset on, whatever registers without reset hold at first, the mapped netlist does what the sources do from "
    "some levels of theirs: the same outputs in every clock, for all inputs."
)
ENGINE = "register correspondence, ABC cec"
_EQUIVALENT = "Networks are equivalent"

LANES = 64
"""Runs at once of the simulation that proposes counterparts and looks for differences."""
_CLOCKS, _MANY_CLOCKS, _SMALL = 600, 2400, 2000
"""Clocks of it, and those with so few registers that a core may be serial; long enough to fill all registers anew."""
_COMPARED = 64
"""Clocks at its end in which the levels of registers are compared."""

RUNS = 3
"""Random runs of a netlist that is not matched, against AES."""

_MOST_PROPOSALS = 16
"""Registers that may be another's counterpart, up to which the best is looked for."""

Counterpart = tuple[int, int]
"""(net of the netlist, 1 for its complement); the net may be a constant."""


class _Unlike(Exception):  # noqa: N818 - an answer
    """Why the two are not shown to be equal."""


def prove_mapped(design: CoreDesign, library: Library, netlist: Path, folder: Path, timeout_s: float = 1800.0) -> Part:
    """Compare a netlist of the library's cells with the sources; the files stay in `folder`, which is made.

    The part is REFUSED for a netlist with a structure that no synchronous core of one clock has, or with other cells;
    REFUTED if a run shows another output; OPEN if ABC ends without an answer or after `timeout_s`, or a register has no
    counterpart. Raises ToolError if Yosys or ABC is missing or fails.
    """
    began = time.monotonic()
    folder.mkdir(parents=True, exist_ok=True)

    def part(verdict: Verdict, detail: str) -> Part:
        seconds = time.monotonic() - began
        return Part("netlist", STATEMENT, ENGINE, verdict, seconds, detail, ("mapped.v", "sources.blif", "mapped.blif"))

    try:
        sources = elaborate(design, folder / "sources", timeout_s)
        mapped = _read_mapped(design, library, netlist, folder, timeout_s)
        comparison = _Comparison(sources, mapped)
    except CheckError as error:
        return part(Verdict.REFUSED, str(error))
    try:
        comparison.match()
        compared = comparison.write(folder)
    except _Unlike as reason:
        shown = _wrong_result(design, mapped)
        return part(Verdict.REFUTED, shown) if shown else part(Verdict.OPEN, str(reason))
    if shown := comparison.difference():
        return part(Verdict.REFUTED, shown)
    answer = _equal(folder, timeout_s)
    if answer:
        return part(Verdict.OPEN, answer)
    return part(Verdict.PROVED, f"{compared[0]} registers and {compared[1]} outputs, for all states and inputs")


def _read_mapped(design: CoreDesign, library: Library, netlist: Path, folder: Path, timeout_s: float) -> Netlist:
    """The netlist as gates and registers, its cells replaced by what their library says they do."""
    text = netlist.read_text()
    refuse_ambiguous([SourceFile(netlist.name, text)], written_by_tools=True)
    unpack(library, folder)
    (folder / "mapped.v").write_text(text)
    read = [
        "read_liberty -ignore_miss_func library.lib",
        "read_verilog mapped.v",
        f"hierarchy -check -top {design.top}",
    ]
    run_passes([*read, *LOWER], folder, f"{design.name} (netlist)", timeout_s)
    return read_netlist(read_json(folder / "netlist.json").module(design.top), f"{design.name} (netlist)")


@dataclass
class _Comparison:
    """Sources and netlist, and the counterpart of each register of the sources by its net."""

    sources: Netlist
    mapped: Netlist

    def __post_init__(self) -> None:
        for ours, theirs, what in (
            (self.sources.inputs, self.mapped.inputs, "inputs"),
            (self.sources.outputs, self.mapped.outputs, "outputs"),
        ):
            if {name: len(bits) for name, bits in ours.items()} != {name: len(bits) for name, bits in theirs.items()}:
                raise CheckError(f"{self.mapped.name}: has other {what} than the sources")
        if self.mapped.free:
            raise CheckError(f"{self.mapped.name}: has an undefined level, at {next(iter(self.mapped.free.values()))}")
        self.counterparts: dict[int, Counterpart] = {}
        self._steps = [compile_words(side, (1 << LANES) - 1) for side in (self.sources, self.mapped)]
        outputs = [bit for bits in self.sources.outputs.values() for bit in bits]
        needed = _closed_cone(self.sources, outputs)
        self.registers = [register for register in self.sources.registers if register.q in needed]
        self._inputs = {
            bit: self.mapped.inputs[name][i] for name, bits in self.sources.inputs.items() for i, bit in enumerate(bits)
        }

    def match(self) -> None:
        """Find all counterparts, by name and then by simulation. Raises _Unlike where there is none."""
        own = {register.q: register for register in self.mapped.registers}
        driver = {gate.output: gate for gate in self.mapped.gates}
        theirs = _by_label(self.mapped)
        needed = {register.q for register in self.registers}
        for label, q in _by_label(self.sources).items():
            net, flip = theirs.get(label, -1), 0
            while net in driver and driver[net].op is NetlistOp.NOT:
                net, flip = driver[net].inputs[0], flip ^ 1
            if q in needed and (net in own or net in (FALSE, TRUE)):
                self.counterparts[q] = (net, flip)
        missing = [register for register in self.registers if register.q not in self.counterparts]
        if missing:
            proposed = self._proposed()
            for register in missing:
                if register.q not in proposed:
                    raise _Unlike(f"register {register.name} of the sources has no counterpart in the netlist")
                self.counterparts[register.q] = proposed[register.q][0]
            self._choose({register.q: proposed[register.q] for register in missing})
        for register in self.registers:
            if register.reset is None:
                continue
            net, flip = self.counterparts[register.q]
            level = net if net <= TRUE else own[net].reset
            if level is None or level ^ flip != register.reset:
                raise _Unlike(f"reset gives {register.name} another level in the netlist than in the sources, or none")

    def _choose(self, proposed: Mapping[int, Sequence[Counterpart]]) -> None:
        """Of several proposals for a register, the one with which the fewest next states differ in states at random.

        Registers that agree in all states that a core reaches need not in others.
        """
        several = {q: found for q, found in proposed.items() if 1 < len(found) <= _MOST_PROPOSALS}
        least = self._disagreement()
        for q, found in several.items():
            for counterpart in found:
                before, self.counterparts[q] = self.counterparts[q], counterpart
                count = self._disagreement() if least else least
                if count < least:
                    least = count
                else:
                    self.counterparts[q] = before

    def _disagreement(self) -> int:
        """Next states that differ, whatever undefined levels are, from states and inputs at random."""
        chance = random.Random("step")
        mask = (1 << LANES) - 1
        levels = {bit: chance.getrandbits(LANES) for bit in self.mapped.input_bits}
        levels |= {FALSE: 0, TRUE: mask} | {r.q: chance.getrandbits(LANES) for r in self.mapped.registers}
        _, theirs = self._steps[1](
            [levels[bit] for bit in self.mapped.input_bits], [levels[r.q] for r in self.mapped.registers]
        )
        after = {FALSE: 0, TRUE: mask} | dict(zip((r.q for r in self.mapped.registers), theirs, strict=True))
        state = [self._level(r.q, levels, mask) for r in self.sources.registers]
        given = [levels[self._inputs[bit]] for bits in self.sources.inputs.values() for bit in bits]
        odd = [mask] * len(state)
        for level in (0, mask):
            _, ours = self._steps[0]([*given, *[level] * len(self.sources.free)], state)
            pairs = zip(self.sources.registers, ours, odd, strict=True)
            odd = [
                (self._level(r.q, after, mask) ^ word) & seen if r.q in self.counterparts else 0
                for r, word, seen in pairs
            ]
        return sum(word.bit_count() for word in odd)

    def _level(self, q: int, levels: Mapping[int, int], mask: int) -> int:
        """The level of a register of the sources, by that of its counterpart; 0 if it has none."""
        net, flip = self.counterparts.get(q, (FALSE, 0))
        return levels[net] ^ (mask * flip)

    def _proposed(self) -> dict[int, list[Counterpart]]:
        """For each register of the sources all that has had its levels in the simulation."""
        ours, theirs, _ = self._simulated(0)
        mask = (1 << LANES * _COMPARED) - 1
        # Registers with a reset are compared from the first clock on, where they are known.
        known: dict[tuple[int | None, int], list[Counterpart]] = defaultdict(list)
        for register, (early, late) in zip(self.mapped.registers, theirs, strict=True):
            for flip in (0, 1):
                known[None, late ^ mask * flip].append((register.q, flip))
                if register.reset is not None:
                    known[early ^ mask * flip, late ^ mask * flip].append((register.q, flip))
        for level in (0, 1):
            known[None, mask * level].append((FALSE, level))
            known[mask * level, mask * level].append((FALSE, level))
        found: dict[int, list[Counterpart]] = {}
        for register, (early, late) in zip(self.sources.registers, ours, strict=True):
            levels = (early if register.reset is not None else None, late)
            if candidates := known.get(levels):
                found[register.q] = candidates
        return found

    def difference(self) -> str:
        """An output that differs in a run from reset whatever undefined levels are, in words; empty if none is seen."""
        runs = [self._simulated(level)[2] for level in ((0, 1) if self.sources.free else (0,))]
        return runs[0] if all(runs) else ""

    def _simulated(self, level: int) -> tuple[list[tuple[int, int]], list[tuple[int, int]], str]:
        """Levels of all registers in the first and the last clocks, on both sides, and the first output that differs.

        Registers without reset begin at random, those of the sources as their counterparts do.
        """
        chance = random.Random("netlist")
        mask = (1 << LANES) - 1

        def first(netlist: Netlist, given: Mapping[int, int]) -> list[int]:
            return [
                given.get(r.q, chance.getrandbits(LANES)) if r.reset is None else mask * r.reset
                for r in netlist.registers
            ]

        theirs = first(self.mapped, {})
        levels = {FALSE: 0, TRUE: mask, **dict(zip((r.q for r in self.mapped.registers), theirs, strict=True))}
        ours = first(
            self.sources,
            {q: levels[net] ^ (mask * flip) for q, (net, flip) in self.counterparts.items() if net in levels},
        )
        order = [bit for bits in self.mapped.inputs.values() for bit in bits]
        names = [f"{name}[{i}]" for name, bits in self.sources.outputs.items() for i in range(len(bits))]
        places = {name: i for i, name in enumerate(_output_names(self.mapped))}
        sums = {
            (side, when): [0] * len(state) for side, state in enumerate((ours, theirs)) for when in ("early", "late")
        }
        shown = ""
        clocks = _MANY_CLOCKS if len(ours) < _SMALL else _CLOCKS
        for clock in range(clocks):
            words = {net: chance.getrandbits(LANES) | chance.getrandbits(LANES) for net in order}
            given = [words[self._inputs[bit]] for bits in self.sources.inputs.values() for bit in bits]
            when = "early" if clock < _COMPARED else "late" if clock >= clocks - _COMPARED else ""
            for side, state in enumerate((ours, theirs) if when else ()):
                kept = sums[side, when]
                kept[:] = [total << LANES | word for total, word in zip(kept, state, strict=True)]
            out_ours, ours = self._steps[0]([*given, *[mask * level] * len(self.sources.free)], ours)
            out_theirs, theirs = self._steps[1]([words[net] for net in order], theirs)
            if not shown:
                odd = [name for name, word in zip(names, out_ours, strict=True) if word != out_theirs[places[name]]]
                shown = f"output {odd[0]} differs in clock {clock} of a run from reset" if odd else ""
        seen = [list(zip(sums[side, "early"], sums[side, "late"], strict=True)) for side in (0, 1)]
        return seen[0], seen[1], shown

    def write(self, folder: Path) -> tuple[int, int]:
        """Both sides as BLIF, with one name for what stands for each other; the numbers of registers and outputs."""
        mapped = _Side("m", self.mapped, lambda net: f"m{net}")
        sources = _Side("s", self.sources, lambda net: f"s{net}")
        results = [
            (bit, (self.mapped.outputs[name][i], 0))
            for name, bits in self.sources.outputs.items()
            for i, bit in enumerate(bits)
        ]
        following = {register.q: register.d for register in self.mapped.registers} | {FALSE: FALSE, TRUE: TRUE}
        for register in self.registers:
            net, flip = self.counterparts[register.q]
            results.append((register.d, (following[net], flip)))
        ins = [*self._inputs.values(), *(register.q for register in self.mapped.registers)]
        head = [".model side", ".inputs " + " ".join(f"m{net}" for net in ins)]
        head += [".outputs " + " ".join(f"f{i}" for i in range(len(results))), *_constants("m"), *_constants("s")]
        (folder / "mapped.blif").write_text(
            "\n".join([*head, *mapped.gates([net for _, (net, _) in results])])
            + "\n"
            + "\n".join(f".names m{net} f{i}\n{1 - flip} 1" for i, (_, (net, flip)) in enumerate(results))
            + "\n.end\n"
        )
        lines = [*head]
        for bit, net in self._inputs.items():
            lines += [f".names m{net} s{bit}", "1 1"]
        for q, (net, flip) in self.counterparts.items():
            lines += [f".names m{net} s{q}", f"{1 - flip} 1"]
        undefined = sources.undefined()
        lines += sources.gates([bit for bit, _ in results], undefined)
        lines += mapped.gates([net for bit, (net, _) in results if bit in undefined])
        for i, (bit, (net, flip)) in enumerate(results):
            if bit in undefined:
                # Where the sources leave it open, the netlist's own level.
                lines += [f".names s{bit}_1 s{bit}_0 m{net} f{i}", "1-- 1", f"00{1 - flip} 1"]
            else:
                lines += [f".names s{bit} f{i}", "1 1"]
        (folder / "sources.blif").write_text("\n".join([*lines, ".end"]) + "\n")
        return len(self.registers), len(results) - len(self.registers)


@dataclass(frozen=True)
class _Side:
    """Gates of one side as BLIF; a net that may be undefined has two rails, `_1` that it is 1 and `_0` that it is 0."""

    letter: str
    netlist: Netlist
    name: Callable[[int], str]

    def undefined(self) -> set[int]:
        """The nets that free nets reach within a clock."""
        reached = set(self.netlist.free)
        for gate in self.netlist.gates:
            if not reached.isdisjoint(gate.inputs):
                reached.add(gate.output)
        return reached

    def gates(self, nets: Iterable[int], undefined: Iterable[int] = ()) -> Iterator[str]:
        """The gates that nets depend on."""
        open_nets = set(undefined)
        for net in self.netlist.free:
            yield from (f".names {self.name(net)}_1", f".names {self.name(net)}_0")
        for gate in self.netlist.cone(nets):
            if gate.output not in open_nets:
                yield " ".join([".names", *map(self.name, gate.inputs), self.name(gate.output)])
                yield from _ROWS[gate.op]
                continue
            for rail, rows in zip("10", _RAILS[gate.op], strict=True):
                ins = [name for net in gate.inputs for name in self._rails(net, open_nets)]
                yield " ".join([".names", *ins, f"{self.name(gate.output)}_{rail}"])
                yield from rows if all(net in open_nets for net in gate.inputs) else _single(rows, gate, open_nets)

    def _rails(self, net: int, undefined: set[int]) -> tuple[str, ...]:
        return (f"{self.name(net)}_1", f"{self.name(net)}_0") if net in undefined else (self.name(net),)


_ROWS = {
    NetlistOp.NOT: ("0 1",),
    NetlistOp.AND: ("11 1",),
    NetlistOp.OR: ("1- 1", "-1 1"),
    NetlistOp.XOR: ("10 1", "01 1"),
    NetlistOp.MUX: ("01- 1", "1-1 1"),
}
# Rows over the rails (1, 0) of each input, for "the output is 1" and "the output is 0".
_RAILS = {
    NetlistOp.NOT: (("-1 1",), ("1- 1",)),
    NetlistOp.AND: (("1-1- 1",), ("-1-- 1", "---1 1")),
    NetlistOp.OR: (("1--- 1", "--1- 1"), ("-1-1 1",)),
    NetlistOp.XOR: (("1--1 1", "-11- 1"), ("1-1- 1", "-1-1 1")),
    NetlistOp.MUX: (("-11--- 1", "1---1- 1", "--1-1- 1"), ("-1-1-- 1", "1----1 1", "---1-1 1")),
}


def _single(rows: Iterable[str], gate: Gate, undefined: set[int]) -> Iterator[str]:
    """Rows over rails for inputs of which some have one rail only."""
    for row in rows:
        literals = ""
        for place, net in enumerate(gate.inputs):
            one, zero = row[2 * place], row[2 * place + 1]
            literals += one + zero if net in undefined else "1" if one == "1" else "0" if zero == "1" else "-"
        yield f"{literals} 1"


def _constants(letter: str) -> list[str]:
    return [f".names {letter}{FALSE}", f".names {letter}{TRUE}", "1"]


def _output_names(netlist: Netlist) -> list[str]:
    return [f"{name}[{i}]" for name, bits in netlist.outputs.items() for i in range(len(bits))]


def _wrong_result(design: CoreDesign, mapped: Netlist) -> str:
    """A rule of the block interface, or of AES, that a run of the netlist breaks, in words; empty if none is seen."""
    try:
        replayer = Replayer(mapped, block_ports(mapped, design))
    except CheckError:
        return ""
    run = replayer.hunt(RUNS, 200 + 8 * design.latency_cycles)
    return "" if run is None else f"{run.rule}, in clock {run.clocks - 1} of a run of the netlist"


def _closed_cone(netlist: Netlist, nets: Iterable[int]) -> set[int]:
    """All nets that some depend on, through any number of clocks."""
    before: dict[int, tuple[int, ...]] = {gate.output: gate.inputs for gate in netlist.gates}
    before |= {register.q: (register.d,) for register in netlist.registers}
    reached, waiting = set(nets), list(nets)
    while waiting:
        for net in before.get(waiting.pop(), ()):
            if net not in reached:
                reached.add(net)
                waiting.append(net)
    return reached


def _by_label(netlist: Netlist) -> dict[str, int]:
    """Nets by the labels that registers of the sources have; a label that two nets have names none."""
    found: dict[str, set[int]] = defaultdict(set)
    for name, bits in netlist.names.items():
        for i, bit in enumerate(bits):
            found[f"{name}[{i}]" if len(bits) > 1 else name].add(bit)
    return {label: nets.pop() for label, nets in found.items() if len(nets) == 1}


def _equal(folder: Path, timeout_s: float) -> str:
    """Why ABC does not prove the two sides equal; empty if it does."""
    command = f"cec -T {max(1, round(timeout_s))} -C 1000000 sources.blif mapped.blif"
    try:
        ended = run([abc_path(), "-c", command], folder, folder / "equivalence-abc.log", timeout_s=timeout_s + 10)
    except subprocess.TimeoutExpired:
        return f"no answer after {timeout_s:g} s"
    if ended.status == 0 and _EQUIVALENT in ended.said and "NOT" not in ended.said:
        return ""
    if "NOT EQUIVALENT" in ended.said:
        return "in some state the netlist and the sources differ; no run from reset on was found that shows it"
    return "ABC ended without an answer; see equivalence-abc.log"
