"""A core as single-bit gates and registers: what the proofs work on.

Elaborated by Yosys from the design's sources, and nothing but elaborated: word operators become gates one by one and no
logic is restructured, so that the names of registers are those of the sources.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from aesmith.errors import CheckError

FALSE, TRUE, UNDEFINED = 0, 1, 2
"""Nets 0 to 2 of every netlist: the constants, and x of the sources. Nets from 3 on are the design's."""


class Op(StrEnum):
    """Gates. MUX takes (select, when_0, when_1)."""

    NOT = "not"
    AND = "and"
    OR = "or"
    XOR = "xor"
    MUX = "mux"


@dataclass(frozen=True)
class Gate:
    """One gate; nets are numbers."""

    op: Op
    inputs: tuple[int, ...]
    output: int


@dataclass(frozen=True)
class Register:
    """One flip-flop of the one clock. `reset` is its value under reset, None if reset leaves it alone."""

    name: str
    d: int
    q: int
    reset: int | None


@dataclass(frozen=True)
class Netlist:
    """A flat synchronous design. Ports map names to nets, bit 0 first; gates stand in order of evaluation.

    `clk_i` and `rst_ni` are not among the inputs. `names` are the design's own names of nets, for waveforms.
    """

    name: str
    inputs: Mapping[str, tuple[int, ...]]
    outputs: Mapping[str, tuple[int, ...]]
    gates: tuple[Gate, ...]
    registers: tuple[Register, ...]
    names: Mapping[str, tuple[int, ...]]

    @property
    def net_count(self) -> int:
        """One more than the highest net number."""
        nets = [2, *(gate.output for gate in self.gates), *(register.q for register in self.registers)]
        nets += [bit for bits in self.inputs.values() for bit in bits]
        return max(nets) + 1

    def cone(self, nets: Iterable[int]) -> tuple[Gate, ...]:
        """The gates that `nets` depend on within one clock, in order of evaluation."""
        needed = set(nets)
        found = []
        for gate in reversed(self.gates):
            if gate.output in needed:
                needed.update(gate.inputs)
                found.append(gate)
        return tuple(reversed(found))

    def settled(self, choose: Callable[[], int]) -> Netlist:
        """The netlist with a constant, as `choose` gives them, in each place that reads an undefined level."""

        def known(nets: Iterable[int]) -> tuple[int, ...]:
            return tuple(choose() if net == UNDEFINED else net for net in nets)

        return replace(
            self,
            outputs={name: known(bits) for name, bits in self.outputs.items()},
            gates=tuple(
                replace(gate, inputs=known(gate.inputs)) if UNDEFINED in gate.inputs else gate for gate in self.gates
            ),
            registers=tuple(replace(r, d=choose()) if r.d == UNDEFINED else r for r in self.registers),
        )

    @property
    def reads_undefined(self) -> bool:
        """Whether any gate, register or output reads an undefined level."""
        return (
            any(UNDEFINED in bits for bits in self.outputs.values())
            or any(UNDEFINED in gate.inputs for gate in self.gates)
            or any(register.d == UNDEFINED for register in self.registers)
        )

    def with_gates(self, gates: Iterable[Gate]) -> Netlist:
        """The netlist with other gates, put in order. Raises CheckError if they make a combinational loop."""
        return replace(self, gates=in_order(gates, self.name))


def in_order(gates: Iterable[Gate], design: str) -> tuple[Gate, ...]:
    """Gates in order of evaluation. Raises CheckError for a combinational loop."""
    driver = {gate.output: gate for gate in gates}
    done: dict[int, bool] = {}
    ordered: list[Gate] = []
    for start in driver:
        stack = [start]
        while stack:
            net = stack[-1]
            gate = driver.get(net)
            if gate is None or done.get(net):
                stack.pop()
                continue
            if net not in done:
                done[net] = False
                for net_in in gate.inputs:
                    if done.get(net_in) is False:
                        raise CheckError(f"{design}: has a combinational loop, which nothing can be proved of")
                    if net_in in driver and not done.get(net_in):
                        stack.append(net_in)
            else:
                done[net] = True
                ordered.append(gate)
                stack.pop()
    return tuple(ordered)
