"""Which registers of the sources and of a netlist always agree: equalities that are found, and then proved.

Both stand side by side under the same inputs. Their registers fall into *classes*: all members of one hold the same
level, or its complement, and one class is the constant. Merged, copied, complemented and removed registers are all
classes; a register that agrees with no other is a class of its own, and free. A class is written as literals, the
register that it is named after first.

*Step.* From any levels that classes allow, and with any inputs, one clock leads to levels that they allow, and outputs
are equal. Simulation proposes classes, counterexamples split them until that holds, and what is left is the largest set
of equalities that a clock preserves. The last word is one combinational check by ABC, of all of them together; nothing
rests on the simulation, nor on names.

*Start.* At the end of reset registers of the netlist that it leaves alone may hold anything, and those of the sources
are chosen. So the classes hold at once if in each the levels that reset gives are one level, and either these or a
single register without reset of the netlist are in it. Where a netlist has two registers without reset for one, they
agree only after some clocks: then the equalities that hold at once are followed through clocks within reset until they
imply the classes, and the number of these clocks is the *bound of reset*.
"""

from __future__ import annotations

import random
import re
import subprocess
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from aesmith.assurance.proof.netlist import FALSE, TRUE
from aesmith.assurance.proof.product import Product
from aesmith.flow.function_graph import blif, blif_gate, blif_table
from aesmith.flow.yosys import abc_path
from aesmith.processes import run

_EQUIVALENT = "Networks are equivalent"
_PATTERN = re.compile(r"\bn(\d+) = 1'h([01])")

LANES = 256
"""Cases at once of each simulation."""
MASK = (1 << LANES) - 1
_COMPARED = 32
"""Clocks at the beginning and at the end of a run of which levels are compared."""
_QUIET = 3
"""Rounds of random states that must split nothing before ABC is asked."""
_MOST_CLOCKS_OF_RESET = 8

CONSTANT = -1
"""The index of the constant 0, which is a member of its class like a register."""

Literal = tuple[int, int]
"""(index of a register, or CONSTANT; 1 for its complement)."""

Classes = list[list[Literal]]


class Unlike(Exception):  # noqa: N818 - an answer
    """Why the two are not shown to be equal."""


class UnlikeAtFirst(Unlike):
    """Every clock keeps them equal, but they are not shown to be when reset ends."""


@dataclass(frozen=True)
class Shown:
    """What was proved: registers of the sources that agree with the netlist, outputs, and clocks that reset lasts."""

    registers: int
    outputs: int
    clocks_of_reset: int


class Correspondence:
    """The classes of two designs, in the making. `clocks` are those of a run from reset that proposes them, and `named`
    what names say of registers of the sources: their counterparts in the netlist, which this run begins with."""

    def __init__(
        self, product: Product, named: Mapping[int, Literal], folder: Path, clocks: int, timeout_s: float
    ) -> None:
        self.named = named
        self.classes: Classes = []
        self.product, self.bits, self._folder = product, product.bits, folder
        self._timeout_s, self._ends = timeout_s, time.monotonic() + timeout_s
        self.step = product.step(MASK)
        self.chance = random.Random("correspondence")
        self.clocks = clocks

    def prove(self) -> Shown:
        """Raises Unlike, saying why, if the two are not shown to be equal."""
        if not self.classes:
            self.propose()
        self._split_until_proved(self.classes, None)
        followed, clocks = self._at_start(), 0
        while len(followed) > len(self.classes):
            clocks += 1
            if clocks > _MOST_CLOCKS_OF_RESET:
                raise UnlikeAtFirst(
                    f"registers agree only after more than {_MOST_CLOCKS_OF_RESET} clocks of reset, or never"
                )
            claimed = [list(each) for each in self.classes]
            self._split_until_proved(claimed, followed)
            followed = claimed
        if clocks and self.product.mapped.reads_reset:
            raise UnlikeAtFirst("registers agree only after a clock within reset, and reset is read as data")
        leaders = {each[0][0] for each in self.classes}
        matched = sum(bit.of_sources and index not in leaders for index, bit in enumerate(self.bits))
        return Shown(matched, len(self.product.outputs), clocks)

    def propose(self) -> None:
        """Set `classes` to what a run suggests. What it tells apart stays apart."""
        self.classes = self._simulated()

    def _simulated(self) -> Classes:
        """Registers with the same levels, or complements, in a run from reset in which all others begin alike."""
        clocks = self.clocks
        unknown = self.chance.getrandbits(LANES)
        state = [unknown if bit.reset is None else MASK * bit.reset for bit in self.bits]
        for theirs, flip in self.named.values():
            if self.bits[theirs].reset is None:
                state[theirs] ^= MASK * flip
        early, late = [0] * len(state), [0] * len(state)
        patience: list[int] = []
        for clock in range(clocks):
            if clock % _COMPARED == 0:
                patience = [self.chance.getrandbits(LANES) for _ in self.product.mapped.inputs]
            for kept, compared in ((early, clock < _COMPARED), (late, clock >= clocks - _COMPARED)):
                if compared:
                    kept[:] = [total << LANES | word for total, word in zip(kept, state, strict=True)]
            state = self.step([*self.inputs(patience), *state])[: 2 * len(state) : 2]
        whole = (1 << LANES * min(_COMPARED, clocks)) - 1
        classes: dict[tuple[int, int], list[Literal]] = {(0, 0): [(CONSTANT, 0)]}
        for index in range(len(self.bits)):
            flip = late[index] & 1
            classes.setdefault((early[index] ^ whole * flip, late[index] ^ whole * flip), []).append((index, flip))
        # A register without reset whose complement the netlist has, or that is chosen, agrees in the late clocks only.
        single: dict[int, list[tuple[int, int]]] = defaultdict(list)
        for key, members in classes.items():
            unset = all(index != CONSTANT and self.bits[index].reset is None for index, _ in members)
            if unset and len({self.bits[index].of_sources for index, _ in members}) == 1:
                single[key[1]].append(key)
        for at_last, keys in single.items():
            home = next((key for key in classes if key[1] == at_last and key not in keys), keys[0])
            chosen = [key for key in keys if self.bits[classes[key][0][0]].of_sources or home in keys]
            for key in chosen:
                if key != home:
                    classes[home] += classes.pop(key)
        return [self._ordered(each) for each in classes.values()]

    def inputs(self, patience: Iterable[int]) -> list[int]:
        """Words for all inputs at random; a line of one bit is mostly 0 in the lanes in which its `patience` is."""
        words = []
        for bits, mostly in zip(self.product.mapped.inputs.values(), patience, strict=True):
            word, often, seldom = (self.chance.getrandbits(LANES) for _ in range(3))
            if len(bits) == 1:
                words.append((word | often | seldom) & mostly | (word & often & seldom) & ~mostly)
            else:
                words += [self.chance.getrandbits(LANES) for _ in bits]
        return words

    def _ordered(self, members: Iterable[Literal]) -> list[Literal]:
        """The constant first, then registers of the netlist, then those of the sources, those that are defined first:
        a class is named after a level that is known, where there is one."""

        def rank(literal: Literal) -> tuple[int, bool, int]:
            bit = None if literal[0] == CONSTANT else self.bits[literal[0]]
            return bit is not None and 1 + bit.of_sources, bit is not None and bit.zero is not None, literal[0]

        return sorted(members, key=rank)

    def _split_until_proved(self, claimed: Classes, assumed: Classes | None) -> None:
        """Split `claimed` until a clock leads to levels that it allows, from levels that it allows itself, with equal
        outputs; or, with `assumed`, from levels that these allow, within reset."""
        quiet = 0
        while quiet < _QUIET:
            after = self._after(claimed, assumed, lambda _: self.chance.getrandbits(LANES))
            quiet = 0 if self._split(claimed, after) else quiet + 1
        while (pattern := self._counterexample(claimed, assumed)) is not None:
            after = self._after(claimed, assumed, partial(self._near, pattern))
            if not self._split(claimed, after):
                raise Unlike(
                    f"{self.odd(after) or 'nothing'} differs in a state that no equality of registers excludes"
                )

    def _near(self, pattern: Mapping[int, int], net: int) -> int:
        """The level of a net in a pattern in lane 0, and mostly in the others."""
        noise = MASK - 1
        for _ in range(4):
            noise &= self.chance.getrandbits(LANES)
        return MASK * pattern.get(net, 0) ^ noise

    def _after(self, claimed: Classes, assumed: Classes | None, choose: Callable[[int], int]) -> list[int]:
        """What `Product.step` gives, from words that `choose` gives for inputs and for what classes are named after."""
        given = [choose(net) for net in self.product.inputs]
        level = {CONSTANT: 0}
        for each in assumed or claimed:
            leader, turned = each[0]
            known = self._known(each, within_reset=assumed is not None)
            word = MASK * known if known is not None else choose(self.bits[leader].q) ^ MASK * turned
            level |= {index: word ^ MASK * flip for index, flip in each}
        after = self.step([*given, *(level[index] for index in range(len(self.bits)))])
        for index, bit in enumerate(self.bits if assumed is not None else ()):
            if bit.reset is not None:
                after[2 * index : 2 * index + 2] = [MASK * bit.reset, MASK * (1 - bit.reset)]
        return after

    def _known(self, members: Iterable[Literal], *, within_reset: bool) -> int | None:
        """The constant that a class is, None if it is none."""
        for index, flip in members:
            if index == CONSTANT:
                return flip
            reset = self.bits[index].reset
            if within_reset and reset is not None:
                return reset ^ flip
        return None

    def _split(self, claimed: Classes, after: Sequence[int]) -> bool:
        """Whether classes had to be split, so that each has members only that can have one level `after` a clock."""
        result = []
        for each in claimed:
            groups: list[tuple[int, list[Literal]]] = []
            for index, flip in each:
                turned = MASK * flip
                one, zero = (0, MASK) if index == CONSTANT else (after[2 * index], after[2 * index + 1])
                undefined = index != CONSTANT and self.bits[index].zero is not None
                if not undefined:
                    zero = one ^ MASK
                fits = (group for word, group in groups if not one & ~(word ^ turned) and not zero & (word ^ turned))
                group = next(fits, None)
                if group is None:
                    groups.append((one ^ turned, [(index, flip)]))
                else:
                    group.append((index, flip))
            result += [group for _, group in groups]
        split = len(result) > len(claimed)
        claimed[:] = result
        return split

    def _at_start(self) -> Classes:
        """The classes, split to what holds when reset ends, whatever registers of the netlist hold then."""
        result = []
        for each in self.classes:
            determined: dict[tuple[str, int], list[Literal]] = {}
            chosen = []
            for index, flip in each:
                bit = None if index == CONSTANT else self.bits[index]
                if bit is None or bit.reset is not None:
                    level = flip if bit is None or bit.reset is None else bit.reset ^ flip
                    determined.setdefault(("level", level), []).append((index, flip))
                elif bit.of_sources:
                    chosen.append((index, flip))
                else:
                    determined["register", index] = [(index, flip)]
            groups = list(determined.values()) or [[]]
            groups[0] += chosen
            result += [self._ordered(group) for group in groups]
        return result

    def odd(self, after: Sequence[int]) -> str:
        """The first output that differs, empty if none does."""
        first = 2 * len(self.bits)
        for i, (name, _, zero, _) in enumerate(self.product.outputs):
            one, low, its = after[first + 3 * i : first + 3 * i + 3]
            if (one & ~its & MASK) | ((low if zero is not None else ~one & MASK) & its):
                return f"output {name}"
        return ""

    def _claims(self, claimed: Classes, *, within_reset: bool) -> Iterator[tuple[int, int | None, int, int]]:
        """What must hold after a clock: rails of a register or output, the net that it must agree with, and whether
        with its complement."""
        for each in claimed:
            leader, turned = each[0]
            for index, flip in each[1:]:
                one, zero = self._following(index, within_reset=within_reset)
                yield one, zero, self._following(leader, within_reset=within_reset)[0], flip ^ turned
        if not within_reset:
            for _, one, zero, its in self.product.outputs:
                yield one, zero, its, 0

    def _following(self, index: int, *, within_reset: bool) -> tuple[int, int | None]:
        """The rails of a register's next level."""
        if index == CONSTANT:
            return FALSE, None
        bit = self.bits[index]
        return (bit.reset, None) if within_reset and bit.reset is not None else (bit.one, bit.zero)

    def _counterexample(self, claimed: Classes, assumed: Classes | None) -> dict[int, int] | None:
        """Levels of nets with which a claim does not hold, None if ABC proves that all do.

        Raises Unlike if it gives up.
        """
        claims = list(self._claims(claimed, within_reset=assumed is not None))
        remaining = self._ends - time.monotonic()
        if remaining <= 0:
            raise Unlike(f"no answer after {self._timeout_s:g} s")
        self._write(claims, assumed or claimed, within_reset=assumed is not None)
        command: list[str | Path] = [
            abc_path(),
            "-c",
            f"cec -T {max(1, round(remaining))} -C 1000000 sources.blif mapped.blif",
        ]
        try:
            ended = run(command, self._folder, self._folder / "equivalence-abc.log", timeout_s=remaining + 10)
        except subprocess.TimeoutExpired as error:
            raise Unlike(f"no answer after {self._timeout_s:g} s") from error
        said = ended.said
        if ended.status == 0 and _EQUIVALENT in said and "NOT" not in said:
            return None
        pattern = {int(net): int(level) for net, level in _PATTERN.findall(said.partition("OUTPUT:")[0])}
        if "NOT EQUIVALENT" not in said or not pattern:
            raise Unlike("ABC ended without an answer; see equivalence-abc.log")
        return pattern

    def _write(
        self, claims: Iterable[tuple[int, int | None, int, int]], assumed: Classes, *, within_reset: bool
    ) -> None:
        """Both sides of all claims as BLIF over one set of inputs: `sources.blif` has what must agree, `mapped.blif`
        what it must agree with."""
        sides: tuple[list[str], list[str]] = ([], [])
        roots: tuple[set[int], set[int]] = (set(), set())
        for i, (one, zero, level, flip) in enumerate(claims):
            roots[0].update((one, level) if zero is None else (one, zero, level))
            roots[1].add(level)
            # Where the sources leave it open, the level that it must agree with.
            read, rows = ([one], ["1"]) if zero is None else ([one, zero, level], ["1--", f"00{1 - flip}"])
            sides[0].extend(blif_table(read, f"f{i}", *rows))
            sides[1].extend(blif_table([level], f"f{i}", str(1 - flip)))
        named: list[str] = []
        inputs = list(self.product.inputs)
        for each in assumed:
            leader, turned = each[0]
            known = self._known(each, within_reset=within_reset)
            if known is None:
                inputs.append(self.bits[leader].q)
            for index, flip in each:
                if index == CONSTANT or (known is None and index == leader):
                    continue
                q = self.bits[index].q
                if known is None:
                    named += blif_table([self.bits[leader].q], f"n{q}", str(1 - (flip ^ turned)))
                else:
                    named += blif_table((), f"n{q}", *[""] * (known ^ flip))
        constants = [*blif_table((), f"n{FALSE}"), *blif_table((), f"n{TRUE}", "")]
        for name, side, needed in zip(("sources", "mapped"), sides, roots, strict=True):
            cells = []
            for gate in reversed(self.product.gates):
                if gate.output in needed:
                    needed.update(gate.inputs)
                    cells.append(gate)
            lines = [line for gate in reversed(cells) for line in blif_gate(gate.op, gate.inputs, gate.output)]
            text = blif(inputs, len(sides[1]) // 2, [*constants, *named, *lines, *side])
            (self._folder / f"{name}.blif").write_text(text)
