"""What an S-box of the catalogue is: a circuit for each function it has, and what the circuit must compute."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from aesmith.circuits.circuit import Circuit, Op
from aesmith.circuits.cost import depth
from aesmith.circuits.pipeline import StagedCircuit
from aesmith.errors import RequestError
from aesmith.fields import aes
from aesmith.fields.tower import Basis
from aesmith.publications import Publication


class Function(StrEnum):
    """What a circuit of the catalogue computes.

    Ports: x (8 bits) to y (8 bits); `combined` has a further input `decrypt` (1 bit), 1 for the inverse S-box;
    `inverter` takes x in the entry's input basis and gives y in its output basis, which may be wider than 8 bits.
    """

    FORWARD = "forward"
    INVERSE = "inverse"
    COMBINED = "combined"
    INVERTER = "inverter"


@dataclass(frozen=True)
class Claim:
    """A figure that the publication states for one function, in the publication's own words and units."""

    function: Function
    text: str


@dataclass(frozen=True)
class Figures:
    """What a circuit of the catalogue is made of: gates (inverters apart), inverters, and levels of gates."""

    gates: int
    inverters: int
    levels: int


@dataclass(frozen=True)
class SBox:
    """An entry of the catalogue. `bases` (input, output) belong to its inverter, if it has one.

    `provenance` says what of the circuit is the publication's and what was derived here; `patent` names a patent known
    to cover the construction, empty if none is known. `stagings` are the publication's own register cuts.
    """

    name: str
    publication: Publication
    summary: str
    circuits: Mapping[Function, Callable[[], Circuit]]
    claims: tuple[Claim, ...] = ()
    bases: tuple[Basis, Basis] | None = None
    provenance: str = ""
    patent: str = ""
    stagings: Mapping[Function, Callable[[], StagedCircuit]] = field(default_factory=dict)

    @property
    def functions(self) -> tuple[Function, ...]:
        """The functions it has, in the order of `Function`."""
        return tuple(function for function in Function if function in self.circuits)

    def circuit(self, function: Function) -> Circuit:
        """The circuit of one function. Raises RequestError if the entry does not have it."""
        if function not in self.circuits:
            raise RequestError(f"S-box {self.name}: has {', '.join(self.functions)}, not {function}")
        return self.circuits[function]()

    def figures(self, function: Function) -> Figures:
        """Our counts of one function, beside the publication's `claims`. Raises RequestError if it is not there."""
        circuit = self.circuit(function)
        count = circuit.count()
        inverters = count[Op.NOT]
        constants = count[Op.ZERO] + count[Op.ONE]
        return Figures(len(circuit.gates) - inverters - constants, inverters, int(depth(circuit)))

    def staging(self, function: Function) -> StagedCircuit:
        """One function pipelined as in the publication. Raises RequestError if the publication has no cuts for it."""
        if function not in self.stagings:
            having = ", ".join(self.stagings) or "no function"
            raise RequestError(f"S-box {self.name}: the publication cuts {having} into stages, not {function}")
        return self.stagings[function]()

    def mismatches(self, function: Function) -> list[int]:
        """Input words (flat, bit 0 first) for which the circuit is wrong: exhaustive, so an empty list is a proof."""
        outputs = self.circuit(function).table()
        return [word for word, output in enumerate(outputs) if not self._is_right(function, word, output)]

    def _is_right(self, function: Function, word: int, output: int) -> bool:
        match function:
            case Function.FORWARD:
                return output == aes.SBOX[word]
            case Function.INVERSE:
                return output == aes.INVERSE_SBOX[word]
            case Function.COMBINED:
                return output == (aes.INVERSE_SBOX if word >> 8 else aes.SBOX)[word & 0xFF]
            case Function.INVERTER:
                if self.bases is None:
                    raise RequestError(f"S-box {self.name}: an inverter needs the bases of its input and output")
                source, target = self.bases
                return target.decode(output) == aes.FIELD.inverse(source.decode(word))
