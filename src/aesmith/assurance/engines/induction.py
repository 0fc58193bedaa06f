"""Claims about each clock of a netlist, proved by induction over clocks or refuted by a run from reset.

The netlist has them as outputs. `assumed_o` is 1 while its surroundings keep their promises; `claim_…` and `lemma_…`
are to be 1 in each clock up to which that was so. *Start*: in the clock after reset all of them are 1, whatever
registers without reset hold. *Step*: if all are 1 in one clock, from any levels of registers and inputs, they are in
the next, where each may rest on lemmas and claims before it in its clock. So they are in every clock, and nothing is
searched for. Both are questions to a SAT solver, one for all outputs. A `duty_…` is what others are promised in return:
it is shown whatever they do in its own clock, with `user_o` in the place of `assumed_o`, and rests on nothing in that
clock. `reached_…` are outputs that a run from reset must lead to, for claims that speak of nothing are easily proved.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from aesmith.assurance.engines.aiger import AndGraph, GaveUp, first_asserted
from aesmith.assurance.proof.netlist import TRUE, Counterexample, Netlist, compile_words

HOW = "induction over clocks, ABC with CaDiCaL"
"""How claims are proved, in the words of reports."""
ASSUMED, USER = "assumed_o", "user_o"
CLAIM, DUTY, LEMMA, REACHED = "claim_", "duty_", "lemma_", "reached_"


@dataclass(frozen=True)
class Beginning:
    """What registers hold when reset ends, and the inputs of some clocks behind it."""

    registers: tuple[int, ...]
    inputs: tuple[tuple[int, ...], ...]


def after_reset(netlist: Netlist) -> dict[int, int]:
    """What registers hold when reset ends; those without reset are left out."""
    return {register.q: register.reset for register in netlist.registers if register.reset is not None}


class Induction:
    """The claims of one netlist. ABC's files stay in `folder`; no answer comes after `timeout_s` seconds in all."""

    def __init__(self, netlist: Netlist, folder: Path, timeout_s: float) -> None:
        self.netlist, self._folder = netlist, folder
        self._ends = time.monotonic() + timeout_s

    def named(self, *kinds: str) -> list[str]:
        """The outputs of some kinds."""
        return [name for name in self.netlist.outputs if name.startswith(kinds)]

    def not_shown(self, progress: Callable[[int, int], None] | None = None) -> str:
        """A claim or lemma of which start or step is not shown, and why; empty if all are proved."""
        graph, names = AndGraph(), [*self.named(LEMMA), *self.named(CLAIM), *self.named(DUTY)]
        first = graph.clock(self.netlist, self._from(graph, after_reset(self.netlist)), lambda _: graph.variable())
        start = self._broken(graph, first, TRUE)
        before = graph.clock(self.netlist, self._from(graph, {}), lambda _: graph.variable())
        state = {register.q: before[register.d] for register in self.netlist.registers}
        after = graph.clock(self.netlist, state, lambda _: graph.variable())
        held = [before[net] for name in (ASSUMED, *names) for net in self.netlist.outputs[name]]
        step = self._broken(graph, after, graph.every(held))
        for done, (what, when, asked) in enumerate(
            (
                ("start", "in the clock after reset", start),
                ("step", "in a clock after one in which all hold", step),
            )
        ):
            outputs = [(name, output) for name in names for output in asked[name]]
            try:
                run = self._asserted(graph, [output for _, output in outputs], {}, what)
            except GaveUp as reason:
                return f"{what}: {reason}"
            if run is not None:
                levels = graph.levels(run[0], [output for _, output in outputs])
                false = next(name for (name, _), level in zip(outputs, levels, strict=True) if level)
                return f"{false} may be false {when}"
            if progress is not None:
                progress(done + 1, 2)
        return ""

    def run_to(
        self, names: Sequence[str], clocks: int, behind: Beginning | None = None, seconds: float = math.inf
    ) -> Counterexample | None:
        """A shortest run from reset, or from where a `Beginning` leads, in which all promises are kept, and in the last
        clock a claim of these names is false or a `reached_…` true; None if there is none of so many clocks.

        Levels are ABC's; the run is computed anew on the netlist. Raises GaveUp.
        """
        graph = AndGraph()
        state = self._led_to(behind) if behind else after_reset(self.netlist)
        begun, spoilt = graph.variable(), graph.variable()
        held = {register.q: graph.variable() for register in self.netlist.registers}
        unset = {q: graph.variable() for q in held if q not in state}
        levels = {
            q: graph.choice(begun, unset[q], variable) if q in unset else variable ^ state[q]
            for q, variable in held.items()
        }
        given = {net: graph.variable() for net in self.netlist.input_bits}
        level = graph.clock(self.netlist, levels, given.__getitem__)
        kept = graph.conjunction(spoilt ^ 1, level[self._net(ASSUMED)])
        latches = {begun: TRUE, spoilt: kept ^ 1}
        latches |= {held[each.q]: level[each.d] ^ state.get(each.q, 0) for each in self.netlist.registers}
        wanted = [graph.conjunction(kept, level[net] ^ self._good(name)) for name, net in self._bits(names)]
        run = self._asserted(graph, wanted, latches, "run", clocks=clocks, seconds=seconds)
        if run is None:
            return None
        first = [state[q] if q in state else run[0].get(unset[q], 0) for q in held]
        inputs = [tuple(clock.get(given[net], 0) for net in self.netlist.input_bits) for clock in run]
        if behind is not None:
            first, inputs = list(behind.registers), [*behind.inputs, *inputs]
        return self.replayed(Beginning(tuple(first), tuple(inputs)), names)

    def replayed(self, run: Beginning, names: Sequence[str]) -> Counterexample:
        """A run with what registers hold in each clock, computed on the netlist. Raises GaveUp if it does not keep the
        promises, or if what is said of these outputs is right in its last clock."""
        step, registers, seen = compile_words(self.netlist, 1), list(run.registers), []
        ports = [name for name, bits in self.netlist.outputs.items() for _ in bits]
        for clock, levels in enumerate(run.inputs):
            seen.append(tuple(registers))
            said, registers = step(levels, registers)
            if not said[ports.index(ASSUMED)]:
                raise GaveUp(f"the run does not keep the promises in clock {clock}")
        odd = [name for name, level in zip(ports, said, strict=True) if name in names and level != self._good(name)]
        if not odd:
            raise GaveUp("the run is none of the netlist")
        return Counterexample(odd[0], self.netlist, tuple(run.inputs), tuple(seen))

    def _led_to(self, behind: Beginning) -> dict[int, int]:
        step, registers = compile_words(self.netlist, 1), list(behind.registers)
        for levels in behind.inputs:
            registers = step(levels, registers)[1]
        return {register.q: level for register, level in zip(self.netlist.registers, registers, strict=True)}

    def _broken(self, graph: AndGraph, level: Mapping[int, int], given: int) -> dict[str, list[int]]:
        """Of each lemma, claim and duty, where something was given before and the promises are kept in this clock and
        one of its bits does not hold, but all lemmas and claims before it do; those of a duty do not count."""
        broken = dict[str, list[int]]()
        kept = graph.conjunction(given, level[self._net(ASSUMED)])
        for name in (*self.named(LEMMA), *self.named(CLAIM)):
            bits = [level[net] for net in self.netlist.outputs[name]]
            broken[name] = [graph.conjunction(kept, bit ^ 1) for bit in bits]
            kept = graph.every((kept, *bits))
        kept = graph.conjunction(given, level[self._net(USER)])
        for name in self.named(DUTY):
            broken[name] = [graph.conjunction(kept, level[net] ^ 1) for net in self.netlist.outputs[name]]
        return broken

    def _asserted(
        self, graph: AndGraph, outputs: Sequence[int], latches: Mapping[int, int], name: str, **how: float
    ) -> list[dict[int, int]] | None:
        """The run that `first_asserted` finds; `how` are its clocks, by default one, and the most seconds."""
        remaining = min(how.get("seconds", math.inf), self._ends - time.monotonic())
        if remaining <= 0:
            raise GaveUp("no time is left")
        clocks = int(how.get("clocks", 1))
        return first_asserted(graph, outputs, latches, self._folder / name, clocks=clocks, timeout_s=remaining)

    def _from(self, graph: AndGraph, state: Mapping[int, int]) -> dict[int, int]:
        """Literals of all registers: constants for those in `state`, variables for the others."""
        return {
            register.q: state[register.q] if register.q in state else graph.variable()
            for register in self.netlist.registers
        }

    def _net(self, name: str) -> int:
        return self.netlist.outputs[name][0]

    def _bits(self, names: Sequence[str]) -> list[tuple[str, int]]:
        return [(name, net) for name in names for net in self.netlist.outputs[name]]

    def _good(self, name: str) -> int:
        """The level of an output with which there is nothing to report."""
        return 0 if name.startswith(REACHED) else 1
