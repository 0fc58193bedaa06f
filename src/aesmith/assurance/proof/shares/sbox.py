"""That the module of a masked S-box computes S on sums of shares, a fixed number of clocks later; or of a masked
inverter the inverse in its tower, which below is S as well.

The module's registers are followed back from its results, clock by clock, so that a result is a polynomial over GF(2)
in what stood at its inputs in earlier clocks. It is not multiplied out: bits that gadgets multiply stay as they are,
as shares x_0 … x_d. Then x_d is written as X + x_0 + … + x_(d-1). If the sum of a result's shares is right for all
shares and fresh bits, all x_i and fresh bits vanish and sums X are left; of each X the same is shown in turn, down to
the sums of the module's operand. What is left has no shares, and is computed for all 256 bytes.

Which bits are multiplied is told by the maker of the circuit, and nothing rests on it: where it is wrong, shares or
fresh bits stay.
"""

from __future__ import annotations

import random
import re
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path

from aesmith.assurance.proof.elaborate import elaborate
from aesmith.assurance.proof.netlist import TRUE, Gate, Netlist, compile_words
from aesmith.assurance.proof.report import Part, Verdict
from aesmith.assurance.proof.shares.polynomials import of_gate, one, times
from aesmith.circuits.systemverilog import node_names, staged_systemverilog
from aesmith.cores.design import CoreDesign, SourceFile
from aesmith.errors import CheckError
from aesmith.fields import aes
from aesmith.masking.sbox import CLOCKS, masked_inverter, masked_sbox, unmasked
from aesmith.masking.sharing import MaskedCircuit

STATEMENT = (
    "The sum of the result's shares is {} of the sum of the operand's shares, as many clocks of its registers before, "
    "for all shares, with any fresh bits in each clock, whatever the registers held. This covers the module as "
    "emitted."
)
ENGINE = "polynomials of share sums"

MODULE_HEAD = re.compile(r"^module (\w+) \(.*?^\);\n", re.MULTILINE | re.DOTALL)
_INSTANCE = "u_sbox"
LANES = 4096
"""Cases of a random run of a module that is not shown to be right."""

Atom = tuple[str, int, int]
"""A bit of a clock: what it is, its net or number, and the clock, 0 for that of the result and below for earlier."""

Polynomial = frozenset[frozenset[Atom]]
"""A sum of products."""

ZERO: Polynomial = frozenset()
ONE: Polynomial = one()


def masked_sbox_modules(design: CoreDesign) -> dict[str, MaskedCircuit]:
    """The modules of a design that are masked S-boxes or inverters of this project, letter by letter but for the first
    comment."""
    shares = max((payload.shares for payload in design.ports.payloads), default=1)
    found = {}
    for source in design.sources:
        head = MODULE_HEAD.search(source.text)
        if head is None or " x_0_i" not in head[0]:
            continue
        every = ((masked_sbox(shares - 1, clocks), masked_inverter(shares - 1, clocks)) for clocks in CLOCKS)
        for masked in chain.from_iterable(every):
            for enable in (False, True):
                text = staged_systemverilog(masked.staged, "", head[1], enable=enable)
                if _code(text) == _code(source.text):
                    found[head[1]] = masked
    return found


def _code(text: str) -> str:
    return text[text.index("\nmodule ") :]


def prove_masked_sbox(design: CoreDesign, module: str, masked: MaskedCircuit, folder: Path) -> Part:
    """Prove the module of that name, one of the design's sources, which is said to be `masked`.

    REFUTED comes with a run; OPEN says on what the result seems to depend. Yosys' files stay in `folder`, which is
    made. Raises CheckError for a module that cannot be read, ToolError if Yosys is missing or fails.
    """
    began = time.monotonic()
    netlist = _alone(design, module, folder)
    held = "enable_i" in netlist.inputs
    moving = netlist.tied("enable_i", 1) if held else netlist
    verdict, detail = Verdict.PROVED, f"{masked.shares} shares, {masked.latency} clocks, all 256 bytes"
    if held and not _holds(netlist):
        verdict, detail = Verdict.OPEN, "it is not seen that registers hold what they have while enable_i is 0"
    else:
        try:
            _Sums(moving, masked).check()
        except _UnlikeError as reason:
            wrong = _wrong_run(moving, masked)
            verdict, detail = (Verdict.REFUTED, wrong) if wrong else (Verdict.OPEN, str(reason))
    statement = STATEMENT.format("S" if function_table(masked) == aes.SBOX else "the inverse in canright2005's tower")
    return Part("masked S-box", statement, ENGINE, verdict, time.monotonic() - began, detail)


def function_table(masked: MaskedCircuit) -> tuple[int, ...]:
    """What a masked S-box or inverter is to make of each byte."""
    return tuple(unmasked(masked).evaluate_ints(range(256)))


def _alone(design: CoreDesign, module: str, folder: Path) -> Netlist:
    """The module between ports of its own, beside the reset that every core has."""
    source = next(source for source in design.sources if f"\nmodule {module} (" in f"\n{source.text}")
    head = MODULE_HEAD.search(source.text)
    if head is None:
        raise CheckError(f"{source.name}: has no module with ports as this project writes them")
    name = f"{module}_alone"
    ports = head[0].removeprefix(f"module {module} (").removesuffix(");\n").rstrip()
    lines = [f"module {name} (", "  input  logic rst_ni,", f"{ports.lstrip(chr(10))}", ");"]
    pins = ", ".join(f".{port}" for port in re.findall(r"(\w+)\s*(?:,|$)", ports))
    lines += [
        f"  {module} {_INSTANCE} ({pins});",
        "  logic unused_reset;",
        "  assign unused_reset = rst_ni;",
        "endmodule",
    ]
    top = SourceFile(f"{name}.sv", "\n".join(lines) + "\n")
    alone = replace(design, name=name, sources=(source, top), ports=replace(design.ports, scan_enable=None))
    return elaborate(alone, folder)


def _holds(netlist: Netlist) -> bool:
    """Whether registers keep what they have while enable_i is 0, and results do not read it."""
    results = [net for nets in netlist.outputs.values() for net in nets]
    read = {*results, *(net for gate in netlist.cone(results) for net in gate.inputs)}
    held = netlist.tied("enable_i", 0)
    return all(register.d == register.q for register in held.registers) and read.isdisjoint(netlist.inputs["enable_i"])


class _UnlikeError(Exception):
    """Why a module is not shown to compute S on sums."""


@dataclass
class _Sums:
    """The sums of a module's sharings as polynomials in earlier ones."""

    netlist: Netlist
    masked: MaskedCircuit
    groups: list[tuple[int, ...]] = field(default_factory=list)
    place: dict[int, tuple[int, int]] = field(default_factory=dict)
    known: dict[tuple[int, int], Polynomial] = field(default_factory=dict)
    tables: dict[tuple[int, int], int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.driver: dict[int, Gate] = {gate.output: gate for gate in self.netlist.gates}
        self.before = {register.q: register.d for register in self.netlist.registers}
        self.label = {net: f"{name}[{i}]" for name, bits in self.netlist.inputs.items() for i, net in enumerate(bits)}
        for bit in range(8):
            self._group(tuple(self.netlist.inputs[f"x_{share}_i"][bit] for share in range(self.masked.shares)))
        for nodes in self.masked.sharings:
            if (nets := self._nets(nodes)) is not None:
                self._group(nets)

    def _group(self, nets: tuple[int, ...]) -> None:
        """A sharing, unless a bit of it is a constant or has a place in another one."""
        if len(set(nets)) == len(nets) and not any(net in self.place or net <= TRUE for net in nets):
            self.place |= {net: (len(self.groups), share) for share, net in enumerate(nets)}
            self.groups.append(nets)

    def _nets(self, nodes: Sequence[int]) -> tuple[int, ...] | None:
        """The nets of nodes of the circuit, by the names that they have in the stage where they are made."""
        found = []
        for node in nodes:
            stage = next((s for s, made in enumerate(self.masked.staged.gates) if node in made), 0)
            name, _, index = node_names(self.masked.staged, stage).get(node, "").rstrip("]").partition("[")
            bits = self.netlist.names.get(f"{_INSTANCE}.{name}") or self.netlist.inputs.get(name, ())
            if not int(index or 0) < len(bits):
                return None
            found.append(bits[int(index or 0)])
        return tuple(found)

    def check(self) -> None:
        """Raises _UnlikeError, saying on what a sum depends, unless each bit of the result is that of S."""
        table = function_table(self.masked)
        for bit in range(8):
            total = ZERO
            for share in range(self.masked.shares):
                total ^= self._value(self.netlist.outputs[f"y_{share}_o"][bit], 0)
            if self._table(self._in_sums(total)) != sum((table[x] >> bit & 1) << x for x in range(256)):
                raise _UnlikeError(f"the shares of bit {bit} of the result do not sum to that of S")

    def _value(self, net: int, clock: int) -> Polynomial:
        """A net in a clock, in sharings and inputs."""
        if net <= TRUE:
            return ONE if net == TRUE else ZERO
        if net in self.place:
            return frozenset((frozenset((("net", net, clock),)),))
        return self._made(net, clock)

    def _made(self, net: int, clock: int) -> Polynomial:
        """What makes a net, in sharings and inputs."""
        if (net, clock) in self.known:
            return self.known[net, clock]
        if net in self.before:
            if -clock > self.masked.latency:
                raise _UnlikeError(f"the result depends on more than {self.masked.latency} clocks")
            found = self._value(self.before[net], clock - 1)
        elif net in self.driver:
            gate = self.driver[net]
            found = of_gate(gate.op, [self._value(read, clock) for read in gate.inputs])
        else:
            found = frozenset((frozenset((("net", net, clock),)),))
        self.known[net, clock] = found
        return found

    def _in_sums(self, polynomial: Polynomial) -> Polynomial:
        """The polynomial with the last share of each sharing written as the sum and the others."""
        images: dict[Atom, Polynomial] = {}
        for atom in {atom for product in polynomial for atom in product}:
            kind, net, clock = atom
            group, share = self.place.get(net, (0, -1)) if kind == "net" else (0, -1)
            images[atom] = frozenset((frozenset((atom,)),))
            if share == self.masked.shares - 1:
                others = self.groups[group][:-1]
                terms = [("sum", group, clock), *(("net", other, clock) for other in others)]
                images[atom] = frozenset(frozenset((term,)) for term in terms)
        total: set[frozenset[Atom]] = set()
        for product in polynomial:
            image = ONE
            for atom in product:
                image = times(image, images[atom])
            total ^= image
        for kind, net, clock in {atom for product in total for atom in product}:
            if kind == "net":
                what = self.label.get(net, f"a share, net {net},")
                raise _UnlikeError(f"a sum of shares seems to depend on {what} {-clock} clocks before the result")
        return frozenset(total)

    def _table(self, polynomial: Polynomial) -> int:
        """The truth table of a polynomial in sums, over the sum of the operand; bit x is its value for byte x."""
        table = 0
        for product in polynomial:
            term = (1 << 256) - 1
            for _, group, clock in product:
                term &= self._table_of(group, clock)
            table ^= term
        return table

    def _table_of(self, group: int, clock: int) -> int:
        found = self.tables.get((group, clock))
        if found is None:
            if group < 8:
                if clock != -self.masked.latency:
                    raise _UnlikeError(f"the result depends on x_0_i[{group}] {-clock} clocks before it")
                found = sum((x >> group & 1) << x for x in range(256))
            else:
                total = ZERO
                for net in self.groups[group]:
                    total ^= self._made(net, clock)
                found = self._table(self._in_sums(total))
            self.tables[group, clock] = found
        return found


def _wrong_run(netlist: Netlist, masked: MaskedCircuit) -> str:
    """A result of a random run that is not S of its operand, in words; empty if there is none."""
    chance, table = random.Random(1), function_table(masked)
    step = compile_words(netlist, (1 << LANES) - 1)
    registers = [chance.getrandbits(LANES) for _ in netlist.registers]
    operands: list[list[int]] = []
    for clock in range(4 * masked.latency):
        given = {name: [chance.getrandbits(LANES) for _ in bits] for name, bits in netlist.inputs.items()}
        operands.append(_summed(given, "x_{}_i", masked.shares))
        outputs, registers = step([word for name in netlist.inputs for word in given[name]], registers)
        if clock < masked.latency:
            continue
        flat = iter(outputs)
        got = _summed(
            {name: [next(flat) for _ in bits] for name, bits in netlist.outputs.items()}, "y_{}_o", masked.shares
        )
        for lane in range(LANES):
            x, y = (_byte(words, lane) for words in (operands[clock - masked.latency], got))
            if y != table[x]:
                return f"shares of {x:02x} become shares of {y:02x}, not {table[x]:02x}, in clock {clock} of a run"
    return ""


def _summed(words: Mapping[str, Iterable[int]], port: str, shares: int) -> list[int]:
    total = [0] * 8
    for share in range(shares):
        total = [a ^ b for a, b in zip(total, words[port.format(share)], strict=True)]
    return total


def _byte(words: Iterable[int], lane: int) -> int:
    return sum((word >> lane & 1) << bit for bit, word in enumerate(words))
