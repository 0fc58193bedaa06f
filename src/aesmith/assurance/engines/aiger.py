"""Clocks of a netlist as one and-inverter graph, and ABC's answers about it.

A literal is twice the number of a node, plus one for its complement: 0 is false, 1 is true. Equal ANDs are one node.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from aesmith.assurance.proof.netlist import FALSE, TRUE, Netlist, NetlistOp
from aesmith.flow.yosys import abc_path
from aesmith.processes import run

_NONE_ASSERTED = re.compile(r"No output asserted in (\d+) frames")
_ASSERTED = re.compile(r"Output \d+ of miter .* was asserted in frame (\d+)")


class AndGraph:
    """ANDs of literals; nodes are made in an order in which they can be evaluated."""

    def __init__(self) -> None:
        self._nodes: list[tuple[int, int] | None] = []
        self._known: dict[tuple[int, int], int] = {}

    def variable(self) -> int:
        """A literal that may be anything."""
        self._nodes.append(None)
        return 2 * len(self._nodes)

    def conjunction(self, one: int, other: int) -> int:
        """The AND of two literals."""
        if one > other:
            one, other = other, one
        if one == FALSE or one ^ 1 == other:
            return FALSE
        if one in (TRUE, other):
            return other
        key = one, other
        if key not in self._known:
            self._nodes.append(key)
            self._known[key] = 2 * len(self._nodes)
        return self._known[key]

    def every(self, literals: Iterable[int]) -> int:
        """The AND of any number of literals."""
        level = list(literals) or [TRUE]
        while len(level) > 1:
            level = [
                self.conjunction(*level[i : i + 2]) if i + 1 < len(level) else level[i] for i in range(0, len(level), 2)
            ]
        return level[0]

    def choice(self, select: int, when_0: int, when_1: int) -> int:
        """One of two literals."""
        if when_0 == when_1:
            return when_0
        taken, left = self.conjunction(select, when_1), self.conjunction(select ^ 1, when_0)
        return self.conjunction(taken ^ 1, left ^ 1) ^ 1

    def clock(self, netlist: Netlist, registers: Mapping[int, int], free: Callable[[int], int]) -> dict[int, int]:
        """The literal of each net in one clock, from those of registers' nets; `free` gives one for an input bit."""
        level = {FALSE: FALSE, TRUE: TRUE, **registers}
        level.update((net, free(net)) for net in netlist.input_bits)
        for gate in netlist.gates:
            match gate.op, [level[net] for net in gate.inputs]:
                case NetlistOp.NOT, [one]:
                    level[gate.output] = one ^ 1
                case NetlistOp.AND, [one, other]:
                    level[gate.output] = self.conjunction(one, other)
                case NetlistOp.OR, [one, other]:
                    level[gate.output] = self.conjunction(one ^ 1, other ^ 1) ^ 1
                case NetlistOp.XOR, [one, other]:
                    level[gate.output] = self.choice(one, other, other ^ 1)
                case NetlistOp.MUX, [select, when_0, when_1]:
                    level[gate.output] = self.choice(select, when_0, when_1)
        return level

    def levels(self, of_variables: Mapping[int, int], literals: Sequence[int]) -> list[int]:
        """The levels of literals where variables have these, and the others 0."""
        level = [0]
        for node, pair in enumerate(self._nodes, 1):
            if pair is None:
                level.append(of_variables.get(2 * node, 0))
            else:
                one, other = pair
                level.append((level[one >> 1] ^ one & 1) & (level[other >> 1] ^ other & 1))
        return [level[literal >> 1] ^ literal & 1 for literal in literals]

    def write(self, path: Path, outputs: Sequence[int], latches: Mapping[int, int]) -> list[int]:
        """Write what `outputs` depend on as AIGER 1.0; `latches` has of variables what they are in the next clock, and
        they begin with 0. Returns the other variables, in the order of the file's inputs."""
        needed: set[int] = set()
        waiting = [literal >> 1 for literal in (*outputs, *latches, *latches.values())]
        while waiting:
            node = waiting.pop()
            if node and node not in needed:
                needed.add(node)
                if (pair := self._nodes[node - 1]) is not None:
                    waiting += [literal >> 1 for literal in pair]
        held = [literal >> 1 for literal in latches]
        own = set(held)
        ordered = sorted(needed)
        inputs = [node for node in ordered if self._nodes[node - 1] is None and node not in own]
        ands = [node for node in ordered if self._nodes[node - 1] is not None]
        number = {0: 0} | {node: i for i, node in enumerate((*inputs, *held, *ands), 1)}

        def literal_of(literal: int) -> int:
            return 2 * number[literal >> 1] | (literal & 1)

        head = f"aig {len(number) - 1} {len(inputs)} {len(held)} {len(outputs)} {len(ands)}"
        roots = [str(literal_of(literal)) for literal in (*latches.values(), *outputs)]
        body = bytearray("\n".join([head, *roots, ""]).encode())
        for node in ands:
            low, high = sorted(literal_of(literal) for literal in self._nodes[node - 1] or ())
            for difference in (2 * number[node] - high, high - low):
                rest = difference
                while rest > 127:
                    body.append(rest & 127 | 128)
                    rest >>= 7
                body.append(rest)
        path.write_bytes(bytes(body))
        return [2 * node for node in inputs]


class GaveUp(Exception):  # noqa: N818 - an answer
    """Why ABC has no answer."""


def first_asserted(
    graph: AndGraph,
    outputs: Sequence[int],
    latches: Mapping[int, int],
    stem: Path,
    *,
    clocks: int,
    timeout_s: float,
) -> list[dict[int, int]] | None:
    """Levels of the variables in each clock of a run in which an output is 1 in the last, None if in none of so many
    clocks any is. ABC's solver is CaDiCaL; its files are called `stem`. Raises GaveUp without an answer in time."""
    folder, name = stem.parent, stem.name
    # ABC takes no graph without a latch.
    idle = graph.variable()
    held = dict(latches) | {idle: FALSE}
    asserted = [graph.conjunction(literal ^ 1, idle ^ 1) ^ 1 for literal in outputs]
    variables = graph.write(folder / f"{name}.aig", asserted, held)
    run_file = folder / f"{name}.cex"
    run_file.unlink(missing_ok=True)
    script = f"read_aiger {name}.aig; bmc3 -c -F {clocks}; write_cex -a {name}.cex"
    try:
        ended = run([abc_path(), "-c", script], folder, folder / f"{name}.log", timeout_s=timeout_s)
    except subprocess.TimeoutExpired as error:
        raise GaveUp(f"no answer after {timeout_s:.0f} s") from error
    said = ended.said
    none, found = _NONE_ASSERTED.search(said), _ASSERTED.search(said)
    if none and int(none[1]) == clocks and not found:
        return None
    if not found or not run_file.is_file():
        raise GaveUp(f"ABC ended without an answer; see {name}.log")
    lines = [line.strip() for line in run_file.read_text().splitlines()]
    levels = lines[1 : lines.index("# DONE")]  # before them, what latches begin with
    return [{v: int(level == "1") for v, level in zip(variables, line, strict=True)} for line in levels]
