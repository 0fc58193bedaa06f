"""One clock of a pipeline in the slot proof, with most of it unknown."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from functools import cache
from itertools import product

from aesmith.assurance.proof.algebra import UNKNOWN_NUMBER
from aesmith.assurance.proof.automaton import (
    Stimulus,
)
from aesmith.assurance.proof.data import DataStates, Tokens
from aesmith.assurance.proof.explore import BEFORE_RESET, stimuli
from aesmith.assurance.proof.netlist import Netlist, Register
from aesmith.assurance.proof.partition import Pipeline, timing_independence
from aesmith.assurance.proof.ports import HANDSHAKES, PAYLOADS, BlockPorts
from aesmith.assurance.proof.slot_states import (
    BeyondError,
    BrokenRuleError,
    Case,
    PipelineEnd,
    Way,
)
from aesmith.assurance.proof.symbolic import Numbers, SymbolicNetlist

MOST_UNKNOWN = 8
"""Registers whose levels are tried in one clock."""


class PipelineClocks:
    """Clocks of a pipeline of which not all is known: what each can be for the handshakes, and what follows it."""

    def __init__(self, netlist: Netlist, ports: BlockPorts, pipeline: Pipeline, tokens: Tokens) -> None:
        self._ports, self._tokens = ports, tokens
        self._symbolic = SymbolicNetlist(netlist, self._tokens.clusters)
        self._data = DataStates(self._symbolic, ports, self._tokens)
        own = self._symbolic.control_registers
        registers = [netlist.registers[i] for i in own]
        self._boundary_move = self._symbolic.partition.boundary.index(pipeline.move)
        self._moving = pipeline.moving
        self._travelling = tuple(i for i, n in enumerate(own) if n in pipeline.travelling)
        self._showing = tuple(i for i, n in enumerate(own) if n in pipeline.deciding)
        decide = pipeline.deciding | pipeline.leaving
        self._deciding = tuple(i for i, n in enumerate(own) if n in decide)
        nets = [netlist.outputs[name][0] for name in HANDSHAKES]
        self._read = _reads(netlist, registers, [*nets, pipeline.move])
        self._read_by_ready = frozenset(_reads(netlist, registers, nets[1:2]))
        self._read_at_exit = _reads(netlist, registers, [nets[2], pipeline.move])
        self._end = PipelineEnd(tuple(i for i in self._read_at_exit if own[i] in pipeline.travelling))
        self._queue = tuple(i for i, n in enumerate(own) if n in pipeline.leaving)
        self._decides_exit = frozenset(self._showing) & frozenset(self._read_at_exit) | frozenset(self._queue)
        self._reset = tuple(UNKNOWN_NUMBER if r.reset is None else r.reset for r in registers)
        cone = set(timing_independence(netlist).registers)
        self._times = tuple(i in cone for i in own)
        self._stimuli = tuple(stimuli(ports))
        self._levels, self._without = cache(ports.levels), cache(self._find_without)
        self._blind = {s: self._without(s, "block_valid_i", "decrypt_i") for s in self._stimuli}
        self._cases_known: dict[tuple[Numbers, Numbers, bool], tuple[Case, ...]] = {}

    def _find_without(self, stimulus: Stimulus, *unknown: str) -> Numbers:
        """The control inputs, some of them unknown."""
        names = [name for name, width in self._ports.inputs if name not in PAYLOADS for _ in range(width)]
        levels = zip(names, self._levels(stimulus), strict=True)
        return tuple(UNKNOWN_NUMBER if name in unknown else level for name, level in levels)

    def _cases(self, control: Numbers, stimulus: Stimulus, way: Way) -> tuple[Case, ...]:
        """All that a clock can be for the handshakes. Levels of unknown registers that they read are tried."""
        cases = self._tried(control, self._levels(stimulus), self._read)
        for case in cases:
            for name, level in zip(HANDSHAKES, case.levels, strict=True):
                if not 0 <= level <= 1:
                    raise BrokenRuleError(f"{name} {BEFORE_RESET}", way, stimulus)
        return cases

    def _tried(self, control: Numbers, inputs: Numbers, read: Sequence[int]) -> tuple[Case, ...]:
        asked = (control, inputs, read is self._read)
        found = self._cases_known.get(asked)
        if found is not None:
            return found
        free = [i for i in read if control[i] < 0]
        if len(free) > MOST_UNKNOWN:
            raise BeyondError(f"the handshakes read {len(free)} registers that may have any level")
        cases = []
        for levels in product((0, 1), repeat=len(free)):
            tried = tuple(zip(free, levels, strict=True))
            shown, boundary, after = self._symbolic.control(inputs, with_levels(control, tried))
            moves = boundary[self._boundary_move]
            if moves < 0:
                raise BeyondError("when the pipeline moves depends on what was in a register before reset")
            cases.append(Case(tried, shown, moves == self._moving, tuple((i, after[i]) for i in self._deciding)))
        found = self._cases_known[asked] = tuple(cases)
        return found

    @staticmethod
    def _decided(case: Case, deciding: Collection[int]) -> Iterator[tuple[tuple[int, int], ...]]:
        """The levels that registers that decide may get, as (register, level)."""
        levels = [[(i, 0), (i, 1)] if level < 0 else [(i, level)] for i, level in case.after if i in deciding]
        if sum(len(pair) - 1 for pair in levels) > MOST_UNKNOWN:
            raise BeyondError("too many registers that decide may get any level")
        yield from product(*levels)

    def _after(
        self, inputs: Numbers, control: Numbers, data: int, key: Numbers = (), block: Numbers = ()
    ) -> tuple[Numbers, Numbers, int]:
        """`block_o`, and control and data after a clock."""
        _, boundary, after = self._symbolic.control(inputs, control)
        outputs, data_after = self._data.step(data, boundary, key, block)
        return outputs, tuple(max(level, UNKNOWN_NUMBER) for level in after), data_after

    def _timed_after(self, control: Numbers, stimulus: Stimulus, case: Case) -> Iterator[Numbers]:
        """What is known of control after a clock, of registers that handshakes ever depend on."""
        _, _, after = self._symbolic.control(self._levels(stimulus), with_levels(control, case.tried))
        known = self._of_time(after)
        for decided in self._decided(case, self._deciding):
            yield with_levels(known, decided)

    def _of_time(self, control: Numbers) -> Numbers:
        """What is known of registers that handshakes ever depend on."""
        return tuple(
            level if timed and level >= 0 else UNKNOWN_NUMBER for level, timed in zip(control, self._times, strict=True)
        )


def counts(case: Case, stimulus: Stimulus) -> int:
    """1, or 0 for a clock in which a result is offered and not taken, or may be."""
    return int(stimulus.block_ready or case.levels[2] == 0)


def _reads(netlist: Netlist, registers: Sequence[Register], nets: Sequence[int]) -> tuple[int, ...]:
    """Which registers nets depend on within a clock."""
    read = set(nets) | {net for gate in netlist.cone(nets) for net in gate.inputs}
    return tuple(i for i, register in enumerate(registers) if register.q in read)


def with_levels(control: Sequence[int], levels: Sequence[tuple[int, int]]) -> Numbers:
    """Control with other levels of some registers."""
    changed = list(control)
    for i, level in levels:
        changed[i] = level
    return tuple(changed)
