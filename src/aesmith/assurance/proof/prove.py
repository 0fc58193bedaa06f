"""The whole proof of a core, part by part."""

from __future__ import annotations

import hashlib
import json
import time
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from aesmith.assurance.proof.behaviour import SLOTS, clear_part, prove_netlist
from aesmith.assurance.proof.certificate import CERTIFICATE, with_header
from aesmith.assurance.proof.data import Tokens
from aesmith.assurance.proof.elaborate import check_port_types, elaborate
from aesmith.assurance.proof.interface import CLEAR_INPUT, block_ports
from aesmith.assurance.proof.mapped import prove_mapped
from aesmith.assurance.proof.netlist import Netlist
from aesmith.assurance.proof.open_gates import SCAN_ASSUMED, open_gates_part
from aesmith.assurance.proof.pace import pace_part
from aesmith.assurance.proof.report import (
    ONE_FILE_PART,
    Interface,
    Limits,
    Part,
    ProofReport,
    ShownCounterexample,
    Simulated,
    Verdict,
)
from aesmith.assurance.proof.scan import refuse_ambiguous
from aesmith.assurance.proof.shares.core import sum_core
from aesmith.assurance.proof.shares.generator import ENGINE as GENERATOR_ENGINE
from aesmith.assurance.proof.shares.generator import STATEMENT as GENERATOR
from aesmith.assurance.proof.shares.generator import check_generator
from aesmith.assurance.proof.shares.plain_ports import with_boundary
from aesmith.assurance.proof.simulated import simulated_part
from aesmith.cores.design import CoreDesign, SourceFile
from aesmith.cores.narrow import with_key_kept
from aesmith.cores.ports import BLOCK_BITS, Meaning, PortDirection
from aesmith.errors import CheckError
from aesmith.flow.equality import prove_equal
from aesmith.flow.yosys import yosys_version
from aesmith.progress import Progress
from aesmith.scratch import write_whole
from aesmith.technology.library import Library

READABLE = "The sources are a synchronous core of one clock with the block interface, and all tools read them alike."

ONE_FILE = "{} does what the sources do, in every clock, from every state: each of its modules equals one of theirs."

ASSUMPTIONS: tuple[str, ...] = (
    "The sources mean what Yosys' SystemVerilog front end elaborates them to (netlist.v, netlist.json).",
    "Senders keep the handshake: once valid, a key or block stays valid, and its direction the same, until it is "
    "accepted; all bytes of a block come with one direction. A payload is only assumed to be valid in the clock of its "
    "transfer.",
    "Before the first clock, reset was given; what registers without reset hold then is unknown. Reset at any later "
    "time leads to the same state, and so is covered.",
    "Nothing is assumed about the receiver: clocks in which a result is offered and not accepted count in no bound.",
    "While a key is offered, key_bits_i is the code of a size that the core has. Otherwise it may be any code.",
    "A value that the sources leave undefined is arbitrary, and may change every clock.",
    "Bytes are compared as functions of the key and the block, all 256 values of every S-box input included, so leaf "
    "circuits, linear maps, encodings and stages need no separate proofs.",
)

WALK_ASSUMPTION = (
    "The walk covers states and clocks together, so no further argument joins rounds to blocks: its states are an "
    "inductive invariant that was found, not written."
)
SLOT_ASSUMPTION = (
    "The parts are joined by slots. All registers of the pipeline move together. At each move one slot enters and one "
    "leaves, and a slot holds a block or none. After reset all L slots are empty. By induction over moves each slot "
    "is at each time in one of the states that the part on blocks or the part on order found for it, because each "
    "part assumes nothing about other slots. One slot is at the exit, and its state determines the output. A result "
    "that leaves is offered at once, or after all earlier results that wait. So results come in the order of their "
    "blocks; none is lost, repeated or invented."
)

MAPPED_ASSUMPTION = (
    "Through the part netlist, everything proved about the sources holds for the mapped netlist, whatever its "
    "registers without reset hold; each cell does what its Liberty file says."
)


MASKED_ASSUMPTION = (
    "Behaviour is that of the sums of shares, and the parts masked S-box and shares carry it over to the masked core. "
    "Only the sums of the shares at its ports are assumed; of fresh bits, neither their values nor the clocks in "
    "which they are offered. Clocks in which none are offered do not count in bounds."
)


GENERATOR_ASSUMPTION = (
    "Through the part generator, everything proved about the core with its channel of fresh bits open holds for the "
    "whole. Runs, not a proof, show that words come and are those of the key streams; nothing is said about how "
    "random they are."
)


@dataclass(frozen=True)
class Mapped:
    """A netlist that was made of a core, and the library of its cells."""

    netlist: Path
    library: Library


def prove(
    design: CoreDesign,
    folder: Path,
    limits: Limits | None = None,
    progress: Progress | None = None,
    *,
    mapped: Mapped | None = None,
    one_file: Path | None = None,
    tokens: Tokens | None = None,
    simulated: bool = False,
) -> ProofReport:
    """Prove a core, leaving every file of the proof in `folder`, which is made.

    And that the netlist `mapped` is the core, and that the Verilog file `one_file` of a build is. A core to which a key
    comes with each block is proved with a key that is kept beside it: the report has that name and those files.
    `tokens`, kept from one core to the next of its kind, saves the time to compute AES again. With `simulated` the
    sources of a core that is proved are run beside the netlist that was examined, and refused if a simulator shows
    something else.

    A core that is refused or refuted, or an engine that gives up, is no error: the report says so, and is not `proved`.
    Raises ToolError if Yosys is missing or fails.
    """
    began = time.monotonic()
    folder.mkdir(parents=True, exist_ok=True)
    # What an earlier proof said goes before its sources do: if this one is broken off, it would seem to be of these.
    for name in (CERTIFICATE, "report.json", "report.md"):
        (folder / name).unlink(missing_ok=True)
    limits = limits or Limits()
    if progress is not None:
        progress("elaboration", 0, 1)
    parts: tuple[Part, ...]
    outcome = None
    clears: tuple[Part, ...] = ()
    run = None
    core = with_key_kept(design)
    read: Netlist | None = None
    of_shares: tuple[Part, ...] = ()
    beside: tuple[Part, ...] = ()
    if core.opened is not None and core.ports.find(Meaning.SEED):
        beside, core = (_generator_part(core, folder / "generator"),), core.opened
    try:
        if core.opened is not None:
            sums = with_boundary(core, sum_core(core.opened, folder), folder / "ports")
            netlist, ports, of_shares = sums.netlist, sums.ports, sums.parts
        elif core.in_shares:
            sums = sum_core(core, folder)
            netlist, ports, of_shares = sums.netlist, sums.ports, sums.parts
        else:
            netlist = elaborate(core, folder)
            read = netlist
            if design.ports.clearable:
                part, run = clear_part(netlist, quiet=design.ports.quiet)
                clears, netlist = (part,), netlist.tied(CLEAR_INPUT, 0)
            ports = block_ports(netlist, core)
        check_port_types(core, folder)
    except CheckError as error:
        seconds = time.monotonic() - began
        parts = (Part("sources", READABLE, "elaboration", Verdict.REFUSED, seconds, str(error)),)
    else:
        clocks = 200 + 8 * design.latency_cycles
        outcome = prove_netlist(netlist, ports, limits, progress, tokens=tokens, clocks=clocks)
        parts = beside + of_shares + outcome.parts
        if outcome.proved:
            parts += (pace_part(netlist, ports, core),)
        parts += clears
        if design.ports.scan_enable is not None:
            parts += (open_gates_part(design, folder / "scan_enable"),)
        if mapped is not None:
            if progress is not None:
                progress("netlist", 0, 1)
            parts += (prove_mapped(design, mapped.library, mapped.netlist, folder / "netlist", limits.seconds),)
        if one_file is not None:
            parts += (_prove_one_file(design, one_file, folder / "one_file", limits.seconds),)
    shows: Simulated | None = None
    if simulated and all(part.verdict is Verdict.PROVED for part in parts):
        clocks = 400 + 4 * design.latency_cycles
        shows, odd = simulated_part(design if read is None else core, read, clocks, progress)
        parts += odd
    assumptions = ASSUMPTIONS
    if design.ports.scan_enable is not None:
        assumptions += (SCAN_ASSUMED,)
    if any(part.engine == SLOTS for part in parts):
        assumptions += (SLOT_ASSUMPTION,)
    elif outcome is not None:
        assumptions += (WALK_ASSUMPTION,)
    if of_shares:
        assumptions += (MASKED_ASSUMPTION,)
    if beside:
        assumptions += (GENERATOR_ASSUMPTION,)
    if outcome is not None and mapped is not None:
        assumptions += (MAPPED_ASSUMPTION,)
    if outcome is not None and outcome.states is not None:
        (folder / "states.json").write_text(json.dumps(outcome.states, indent=1))
    cleared = all(part.verdict is Verdict.PROVED for part in clears)
    if outcome is not None and outcome.certificate is not None and cleared:
        certificate = json.dumps(with_header(core, outcome.certificate), separators=(",", ":"))
        write_whole(folder / CERTIFICATE, certificate, "certificate")
    if beside:
        core = design
    shown = None
    if outcome is not None and outcome.run is not None:
        run = outcome.run
    if run is not None:
        waveform = folder / f"{core.name}-counterexample.vcd"
        waveform.write_text(run.waveform())
        shown = ShownCounterexample(run.rule, run.clocks, waveform)
    report = ProofReport(
        core.name,
        core.source_hash,
        _interface(core),
        _files(core, one_file),
        parts,
        assumptions,
        shown,
        {"aesmith": metadata.version("aesmith"), "pyosys": yosys_version()},
        round(time.monotonic() - began, 3),
        () if outcome is None else outcome.properties,
        shows,
    )
    write_whole(folder / "report.json", json.dumps(report.as_json(), indent=2, ensure_ascii=False), "report")
    write_whole(folder / "report.md", report.as_markdown(), "report")
    return report


def check_clear(design: CoreDesign, work_dir: Path) -> None:
    """Return if `clear_i` clears each register of the elaborated sources; Yosys' files stay in `work_dir`.

    Raises CheckError, naming a register, if one is not, or not shown to be, and what `elaborate` raises.
    """
    driven = (each.valid if each.direction is PortDirection.OUTPUT else each.ready for each in design.ports.channels)
    lines = [line.port for line in driven if line is not None]
    part, _ = clear_part(elaborate(design, work_dir), lines, quiet=design.ports.quiet)
    if part.verdict is not Verdict.PROVED:
        raise CheckError(
            f"{design.name}: clear: {part.detail}; registers are found in text that is written as the packaged modules "
            "are: one always_ff each, with a plain name on the left of each <="
        )


def _generator_part(design: CoreDesign, folder: Path) -> Part:
    """That the design is the core inside it, with a generator at the channel of fresh bits."""
    began = time.monotonic()
    verdict = Verdict.PROVED
    try:
        detail = str(check_generator(design, folder))
    except CheckError as error:
        verdict, detail = Verdict.REFUTED, str(error)
    seconds = time.monotonic() - began
    return Part("generator", GENERATOR, GENERATOR_ENGINE, verdict, seconds, detail, ("generator",))


def _files(design: CoreDesign, one_file: Path | None) -> dict[str, str]:
    files = {source.name: hashlib.sha256(source.text.encode()).hexdigest() for source in design.sources}
    if one_file is not None and one_file.is_file():
        files[one_file.name] = hashlib.sha256(one_file.read_bytes()).hexdigest()
    return files


def _prove_one_file(design: CoreDesign, file: Path, folder: Path, timeout_s: float) -> Part:
    """That a Verilog file of a build is its sources."""
    began = time.monotonic()
    verdict, detail = Verdict.PROVED, "each module is the sources' module in its place"
    try:
        text = file.read_bytes().decode()
        refuse_ambiguous([SourceFile(file.name, text)])
        prove_equal(design, text, folder, timeout_s=timeout_s)
    except (OSError, UnicodeDecodeError) as error:
        verdict, detail = Verdict.REFUSED, f"{file.name} cannot be read: {error}"
    except CheckError as error:
        verdict, detail = Verdict.OPEN, str(error)
    seconds = time.monotonic() - began
    return Part(ONE_FILE_PART, ONE_FILE.format(file.name), "equality, ABC cec", verdict, seconds, detail, ("one_file",))


def _interface(design: CoreDesign) -> Interface:
    width = design.block_width
    whole = width == BLOCK_BITS
    beats = tuple(1 if whole else bits // width for bits in design.key_bits)
    return Interface(design.key_bits, tuple(map(str, design.directions)), BLOCK_BITS // width, beats)
