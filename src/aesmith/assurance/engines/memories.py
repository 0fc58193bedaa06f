"""That the memory in which text waits for its verdict gives what was written: what the claims of an engine of several
modes promise of it in its place."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

from aesmith.assurance.engines.aiger import GaveUp
from aesmith.assurance.engines.claims import ClaimsDesign, memory_of, template, with_parameters
from aesmith.assurance.engines.induction import CLAIM, HOW, REACHED, Induction
from aesmith.assurance.proof import prove as cores
from aesmith.assurance.proof.elaborate import elaborate
from aesmith.assurance.proof.netlist import Counterexample
from aesmith.assurance.proof.report import Limits, Part, Verdict
from aesmith.cores.design import SourceFile
from aesmith.errors import CheckError
from aesmith.modes.multi_mode_engine import MultiModeEngine

CLAIMS = (
    "For all writes and reads, one clock after a place is read the memory returns what was last written there, until "
    "the next read. This covers the module as delivered, with {places} places."
)
"""What is claimed of the memory."""
_ADDRESS_BITS, _CLOCKS = 3, 8


@dataclass(frozen=True)
class MemoryClaims(ClaimsDesign):
    """A memory, and what is claimed of it, as a design to elaborate."""

    address_bits: int = 1

    @property
    def top(self) -> str:
        """The module of the claims."""
        return "memory_claims"

    @property
    def sources(self) -> list[SourceFile]:
        """The memory as it is delivered, its promises, what is claimed."""
        memory = memory_of(self.engine)
        bits = {"AddressBits": self.address_bits}
        claims = with_parameters(template("memory_claims"), bits).replace("MEMORY #(", f"{memory.name[:-3]} #(")
        return [
            memory,
            SourceFile("release_reference.sv", template("release_reference")),
            SourceFile(f"{self.top}.sv", claims),
        ]


def prove_memory(engine: MultiModeEngine, folder: Path, limits: Limits) -> tuple[Part, Counterexample | None]:
    """The part of the proof of the memory, and the run that refutes it, if one does."""
    bits, began = min(engine.memory.address_bits, _ADDRESS_BITS), time.monotonic()

    def part(verdict: Verdict, detail: str) -> Part:
        return Part("memory", CLAIMS.format(places=1 << bits), HOW, verdict, time.monotonic() - began, detail)

    try:
        netlist = elaborate(MemoryClaims(engine, bits), folder, limits.seconds, chosen_parts=True)
    except CheckError as error:
        return Part(
            "memory", cores.READABLE, "elaboration", Verdict.REFUSED, time.monotonic() - began, str(error)
        ), None
    induction = Induction(netlist, folder, limits.seconds)
    try:
        if open_ := induction.not_shown():
            run = induction.run_to(induction.named(CLAIM), _CLOCKS)
            if run is None:
                return part(Verdict.OPEN, open_), None
            return part(Verdict.REFUTED, f"{run.rule} is false in clock {run.clocks - 1} of a run from reset"), run
        seen = induction.run_to(induction.named(REACHED), _CLOCKS)
    except GaveUp as reason:
        return part(Verdict.OPEN, str(reason)), None
    if seen is None:
        return part(Verdict.OPEN, "no run reads what was written"), None
    return part(
        Verdict.PROVED, f"{len(netlist.registers)} registers; start and step; a run of {seen.clocks} clocks reads"
    ), None
