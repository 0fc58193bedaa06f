"""What is claimed of slots for keys before an engine: a command comes behind the key of its slot, or to be refused.

The engine stands as it is delivered, with free cores. What it does with the keys and commands that come to it is
claimed in `claims`; here it may do anything, and the two together are what the user is promised.
"""

from __future__ import annotations

import re
import time
from dataclasses import dataclass
from pathlib import Path

from aesmith.assurance.engines.aiger import GaveUp
from aesmith.assurance.engines.claims import ClaimsDesign, template
from aesmith.assurance.engines.induction import CLAIM, LEMMA, REACHED, Induction
from aesmith.assurance.proof import prove as cores
from aesmith.assurance.proof.elaborate import elaborate
from aesmith.assurance.proof.netlist import Counterexample
from aesmith.assurance.proof.report import Limits, Part, Verdict
from aesmith.cores.design import SourceFile
from aesmith.cores.ports import Meaning
from aesmith.errors import CheckError

SLOTS = (
    "For all keys, slots and commands, whatever the engine behind them does: each command comes to it once, in order, "
    "as of slot 0 if its slot has a key, and then the last key that the engine took is the last one that the slot did; "
    "else as of a slot that it refuses. Of a key and a command that are offered in the same clock the key is first. A "
    "key waits only while the engine is offered a key or a command, and a command only for the engine, or while keys "
    "come; the engine is offered one key for it at most. What the engine is offered stays until it is taken."
)
SLOTS_ASSUMED = "The user offers a command until it is taken, of the same slot."
_HOW = "induction over clocks, ABC with CaDiCaL"
_TOP, _CLOCKS = "slot_claims", 12
"""The module of the claims; clocks of a run that refutes one of them, or in which something comes about, but for two
more for each word of a key."""


@dataclass(frozen=True)
class SlotsDesign(ClaimsDesign):
    """An engine with free cores, and what is claimed of its slots for keys, as a design to elaborate."""

    @property
    def top(self) -> str:
        """The module of the claims."""
        return _TOP

    @property
    def sources(self) -> list[SourceFile]:
        """The free cores, the engine, what is claimed."""
        text = template(_TOP).replace("ENGINE u_dut", f"{self.engine.top} u_dut")
        for name, value in (("KeyBits", self.engine.key_bits[0]), ("Slots", self.engine.key_slots)):
            text = re.sub(rf"(parameter int unsigned {name} = )\d+", rf"\g<1>{value}", text, count=1)
        return [*self.free_cores, *self.own, SourceFile(f"{_TOP}.sv", text)]


def prove_slots(design: SlotsDesign, folder: Path, limits: Limits) -> tuple[Part, Counterexample | None]:
    """The part of the proof that is of slots, and the run that refutes it, if one does. Raises ToolError as
    `prove_engine`."""
    began = time.monotonic()

    def part(verdict: Verdict, detail: str) -> Part:
        return Part("slots", SLOTS, _HOW, verdict, time.monotonic() - began, detail)

    try:
        netlist = elaborate(design, folder, limits.seconds, chosen_parts=True)
    except CheckError as error:
        return part(Verdict.REFUSED, f"{cores.READABLE}: {error}"), None
    induction = Induction(netlist, folder, limits.seconds)
    inside = [place.core for place in design.engine.core_places]
    words = max(core.key_bits[0] // core.ports.payload(Meaning.KEY).width for core in inside)
    clocks = _CLOCKS + 2 * words
    claims, reached = induction.named(CLAIM), induction.named(REACHED)
    open_ = induction.not_shown()
    try:
        if open_:
            run = induction.run_to(claims, clocks)
            if run is not None:
                told = f"{run.rule} is false in clock {run.clocks - 1} of a run from reset"
                return part(Verdict.REFUTED, told), run
            return part(Verdict.OPEN, open_), None
        runs = [induction.run_to([name], clocks) for name in reached]
    except GaveUp as reason:
        return part(Verdict.OPEN, open_ or str(reason)), None
    if None in runs:
        return part(Verdict.OPEN, f"{reached[runs.index(None)]} does not come about in {clocks} clocks"), None
    shown = " and ".join(str(run.clocks) for run in runs if run is not None)
    size = f"{len(claims)} claims and {len(induction.named(LEMMA))} lemmas"
    told = f"{size}; start and step; what is claimed comes about in runs from reset of {shown} clocks"
    return part(Verdict.PROVED, told), None
