"""What is proved of a bus adapter by itself, whatever registers are behind it and whatever comes from the bus; and of
the registers by themselves, whatever the bus asks and the engine answers.

Each stands as it is delivered; what is claimed of it is SystemVerilog in `templates/`, one file a module, and is proved
by induction over clocks (`engines/induction.py`). Only what the bus's rules say of who asks is assumed.
"""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from aesmith.assurance.engines.aiger import GaveUp
from aesmith.assurance.engines.claims import template
from aesmith.assurance.engines.induction import CLAIM, HOW, LEMMA, REACHED, Induction
from aesmith.assurance.proof.elaborate import elaborate
from aesmith.assurance.proof.netlist import Counterexample, Netlist, depending
from aesmith.assurance.proof.report import Limits, Part, Verdict
from aesmith.cores.design import SourceFile
from aesmith.cores.ports import Ports
from aesmith.cores.sources import PREFIX, packaged_rtl
from aesmith.errors import CheckError
from aesmith.modes.buses import bus_of
from aesmith.modes.engine import StreamEngine
from aesmith.modes.self_test import ROM

CLAIMS = (
    "Each request that the rules of the bus allow is one access of the registers, with its address, data and bytes, "
    "and there is no other access. Each request has one answer, with the registers' data and error, in the clock of "
    "their answer or the next one. An answer is stable until it is accepted; a waiting request is stable at the "
    "registers."
)
_CLOCKS = 24


FRONT = "register_front"
LOCK = "register_lock"
"""The registers again, before which there is a self-test."""
SELF_TEST = "self_test"
FIFO = "data_fifo"
FRONT_CLAIMS = (
    "An access ends in 2^n clocks. A key is offered only if all its words, and no word of an IV, were written since "
    "the last key or IV left, and it consists of those words; likewise an IV. What is offered stays until it is "
    "accepted or cleared. A word of data is offered as it was written, and none is overwritten. A failed access "
    "offers nothing. After a clock that wipes everything, by register, by clear_i, an alarm or debug_i, no word of a "
    "key, an IV or a text is left, and no verdict; an alarm wipes everything until reset."
)
LOCK_CLAIMS = (
    "While a self-test locks the bus, no bus access offers a key, a command or a word of data, accepts a word of an "
    "answer, starts a test or reads anything of an answer or its verdict, and no pin shows one. A word of the "
    "additional streams is accepted when the engine accepts it, in a message that uses them. Once LOCK.KEY was "
    "written, keys are the vault's until reset, whatever software writes, clears or tests."
)
SELF_TEST_CLAIMS = (
    "A word that differs from its known answer, or has an error, is a failure in the next clock. A failure stays "
    "until reset and locks the bus. A test passes only if all its steps ran and every known word was right. So with a "
    "stuck bit of DATA_OUT no test passes whose answers have both values of that bit. A test ends in 2^n clocks "
    "without a step or an answer. Otherwise the bus is served unchanged, at least in every other clock."
)
FIFO_CLAIMS = (
    "Words leave unchanged and in order, none is lost or repeated, and an offered word is stable. After a clear no "
    "data of a word is left; incoming words continue without them."
)
CONNECTED = (
    "The connections between all these modules, and the known answers of a self-test, are those of this version of "
    "aesmith: {}."
)
READS = (
    "No value that a bus reads, no answer to it, no interrupt and no request depends on a word of a key or an IV, "
    "over any number of clocks."
)


@dataclass(frozen=True)
class AdapterClaims:
    """An adapter, or the registers, and what is claimed of them, as a design to elaborate; `text` in place of the
    packaged module."""

    adapter: str
    text: str = ""

    @property
    def name(self) -> str:
        """The adapter's."""
        return self.adapter

    @property
    def module(self) -> str:
        """The packaged module."""
        return FRONT if self.adapter == LOCK else self.adapter

    @property
    def top(self) -> str:
        """The module of the claims."""
        return (
            f"{self.adapter}_claims" if self.adapter in (FRONT, LOCK, SELF_TEST, FIFO) else f"bus_{self.adapter}_claims"
        )

    @property
    def ports(self) -> Ports:
        """Those that are read of designs: its clock."""
        return Ports("clk_i", None, ())

    @property
    def delivered(self) -> Sequence[SourceFile]:
        """What others read, too."""
        return (SourceFile(f"{PREFIX}{self.module}.sv", self.text or packaged_rtl(self.module)),)

    @property
    def sources(self) -> Sequence[SourceFile]:
        """The adapter and the claims."""
        delivered = self.delivered
        claims = re.sub(r"\b(ADAPTER|FRONT)\b", f"{PREFIX}{self.module}", template(self.top))
        return (*delivered, SourceFile(f"{self.top}.sv", claims))


@dataclass(frozen=True)
class AdapterProof:
    """What became of an adapter's claims: the detail in words, the run that refutes one, if there is one."""

    verdict: Verdict
    detail: str
    run: Counterexample | None = None


def prove_adapter(adapter: str, folder: Path, text: str = "", timeout_s: float = 120.0) -> AdapterProof:
    """Prove what is claimed of an adapter, `apb4` for example; files stay in `folder`, which is made.

    Raises ToolError if a tool fails."""
    try:
        netlist = elaborate(AdapterClaims(adapter, text), folder, timeout_s, chosen_parts=True)  # type: ignore[arg-type]
    except CheckError as error:
        return AdapterProof(Verdict.REFUSED, str(error))
    induction = Induction(netlist, folder, timeout_s)
    if open_ := induction.not_shown():
        try:
            run = induction.run_to(induction.named(CLAIM), _CLOCKS)
        except GaveUp as reason:
            return AdapterProof(Verdict.OPEN, f"{open_}; {reason}")
        if run is None:
            return AdapterProof(Verdict.OPEN, open_)
        return AdapterProof(Verdict.REFUTED, f"{run.rule} is false in clock {run.clocks - 1} of a run from reset", run)
    if adapter in (FRONT, LOCK) and (odd := reads_keys(netlist)):
        return AdapterProof(Verdict.REFUTED, f"{odd} depends on a word of a key or an IV")
    for name in induction.named(REACHED):
        if induction.run_to([name], _CLOCKS) is None:
            return AdapterProof(Verdict.OPEN, f"{name} does not come about in {_CLOCKS} clocks")
    claims, lemmas = (len(induction.named(kind)) for kind in (CLAIM, LEMMA))
    return AdapterProof(Verdict.PROVED, f"{claims} claims and {lemmas} lemmas; start and step; all come about")


def parts_before(engine: StreamEngine, folder: Path, limits: Limits) -> tuple[tuple[Part, ...], Counterexample | None]:
    """The parts of the proof of what stands before an engine with registers, each module by itself as it is delivered,
    up to the first that is not proved, and the run that refutes that one, if one does."""
    tested, text = engine.self_test != "none", {source.name: source.text for source in engine.sources}
    of_registers = f"{FRONT_CLAIMS} {READS}"
    stages = [("bus", bus_of(engine.bus).adapter, CLAIMS), ("registers", FRONT, of_registers)]
    stages += [("lock", LOCK, LOCK_CLAIMS), ("self-test", SELF_TEST, SELF_TEST_CLAIMS)] if tested else []
    stages += [("room for words", FIFO, FIFO_CLAIMS)] if engine.data_fifo else []
    parts: list[Part] = []
    for name, adapter, statement in stages:
        began, module = time.monotonic(), AdapterClaims(adapter).module
        own = re.sub(rf"\b{engine.name}_{module}\b", f"{PREFIX}{module}", text[f"{engine.name}_{module}.sv"])
        found = prove_adapter(adapter, folder / adapter, own, limits.seconds)
        of_module = f"Of {engine.name}_{module}.sv by itself: {statement}"
        parts.append(Part(name, of_module, HOW, found.verdict, time.monotonic() - began, found.detail))
        if found.verdict is not Verdict.PROVED:
            return tuple(parts), found.run
    began, made = time.monotonic(), {source.name: source.text for source in replace(engine, shipped=None).sources}
    around = [f"{engine.name}_{ROM}.sv"] * tested + [f"{engine.name}.sv"]
    other = [name for name in around if text[name] != made[name]]
    verdict, told = Verdict.PROVED, "text by text"
    if other:
        verdict, told = Verdict.OPEN, f"{' and '.join(other)}: another text, of which nothing is shown"
    statement = CONNECTED.format(" and ".join(around))
    parts.append(Part("connections", statement, "comparison", verdict, time.monotonic() - began, told))
    return tuple(parts), None


def reads_keys(netlist: Netlist) -> str:
    """What of the lines that a bus sees depends on a word of a key or an IV; empty if nothing does."""
    seen = {
        f"u_dut.{name}": netlist.names[f"u_dut.{name}"]
        for name in ("data_o", "ack_o", "error_o", "irq_o", "dma_in_o", "dma_out_o")
    }
    vault = netlist.inputs.get("sideload_key_i", ())
    return depending(netlist, seen, {*netlist.names["u_dut.staged_q"], *vault})
