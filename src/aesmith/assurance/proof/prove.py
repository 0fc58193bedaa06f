"""The whole proof of a core, part by part."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from aesmith.assurance.proof.elaborate import elaborate
from aesmith.assurance.proof.explore import Explorer, Limits, Walk
from aesmith.assurance.proof.independence import timing_independence
from aesmith.assurance.proof.liveness import bounds
from aesmith.assurance.proof.mapped import prove_mapped
from aesmith.assurance.proof.netlist import Netlist
from aesmith.assurance.proof.ports import BlockPorts, block_ports
from aesmith.assurance.proof.replay import Counterexample, Replayer
from aesmith.assurance.proof.report import Part, ProofReport, ShownCounterexample, Verdict
from aesmith.assurance.proof.tokens import Tokens
from aesmith.cores.design import CoreDesign
from aesmith.flow.yosys import yosys_version
from aesmith.technology.library import Library

Progress = Callable[[str, int, int], None]
"""Called with (what is going on, units done, units known)."""

ENGINE = "exhaustive symbolic walk"

EVERY_RESULT = (
    "From reset on, under every interleaving of handshakes, for all keys and blocks: each result is that of AES for "
    "its block and the last key accepted before it, in order, none lost or repeated; offered results stay as they are "
    "until taken; valid does not wait for ready."
)
PROGRESS = "Every block taken leaves, and every block or key offered is taken, within a bound."
WAITING = "longest chain of waiting clocks"
RUNS = 6

ASSUMPTIONS: tuple[str, ...] = (
    "The sources mean what Yosys' SystemVerilog front end elaborates them to (netlist.v, netlist.json).",
    "Senders keep the handshake: once valid, a key or block stays valid, and its direction the same, until it is "
    "taken. Nothing is assumed of a payload but that it stands in the clock of its transfer.",
    "Before the first clock, reset was given; what registers without reset hold then is unknown. Reset at any later "
    "time leads to the same state, and so is covered.",
    "The bound on waiting supposes a receiver that is ready; safety supposes nothing of it.",
    "The walk covers states and clocks together, so no further argument joins rounds to blocks: its states are an "
    "inductive invariant, found and not written. Bytes are compared as functions of the key and the block, all 256 "
    "values of every S-box input included, so leaf circuits, linear maps, encodings and stages need no proofs apart.",
)


MAPPED_ASSUMPTION = (
    "What is proved of the sources holds for the mapped netlist through the part netlist; in it data registers begin "
    "with 0; each cell does what its Liberty file says."
)


@dataclass(frozen=True)
class Outcome:
    """The parts of a proof that concern behaviour, a run that breaks a rule, and the walk, if one was needed."""

    parts: tuple[Part, ...]
    run: Counterexample | None
    walk: Walk | None

    @property
    def proved(self) -> bool:
        """Whether every part is proved."""
        return all(part.verdict is Verdict.PROVED for part in self.parts)


def prove_netlist(
    netlist: Netlist,
    ports: BlockPorts,
    limits: Limits,
    progress: Progress | None = None,
    *,
    tokens: Tokens | None = None,
    clocks: int = 600,
) -> Outcome:
    """The parts that concern behaviour, for an elaborated core.

    Begins with some random runs of `clocks` clocks, because most wrong cores fail in the first and need no walk.
    `tokens`, kept from one core to the next of its kind, saves the time to compute AES again.
    """
    began = time.monotonic()
    independence = timing_independence(netlist)
    parts = [
        Part(
            "constant time",
            "No handshake output depends on key or block, through any number of clocks: the payload inputs are not in "
            "the cone of the handshakes.",
            "structural cone",
            Verdict.PROVED if independence.holds else Verdict.REFUTED,
            time.monotonic() - began,
            f"{len(independence.registers)} registers in the cone"
            if independence.holds
            else "path: " + " > ".join(independence.path),
        )
    ]

    began = time.monotonic()
    replayer = Replayer(netlist, ports)
    run = replayer.hunt(RUNS, clocks)
    if run is not None:
        detail = f"{run.rule}, in clock {run.clocks - 1}"
        seconds = time.monotonic() - began
        parts.append(Part("every result", EVERY_RESULT, "random runs", Verdict.REFUTED, seconds, detail))
        parts.append(Part("progress", PROGRESS, WAITING, Verdict.OPEN, 0.0, "not looked at: a result is wrong"))
        return Outcome(tuple(parts), run, None)

    def tell(done: int, known: int) -> None:
        if progress is not None:
            progress("states", done, known)

    walk = Explorer(netlist, ports, tokens).run(limits, tell)
    verdict = Verdict.PROVED
    detail = f"{len(walk.automata):,} states, {walk.transitions:,} clocks: all there are"
    if walk.violation is not None:
        verdict, detail = Verdict.REFUTED, f"{walk.violation.rule}, in clock {len(walk.violation.path) - 1}"
    elif walk.open_reason:
        verdict, detail = Verdict.OPEN, walk.open_reason
    parts.append(
        Part(
            "every result",
            EVERY_RESULT,
            ENGINE,
            verdict,
            walk.seconds,
            detail,
            ("netlist.json", "states.json"),
        )
    )
    violation = walk.violation
    if verdict is Verdict.PROVED:
        began = time.monotonic()
        found = bounds(walk, ports.shape)
        endless = [bound for bound in found if bound.violation is not None]
        parts.append(
            Part(
                "progress",
                PROGRESS,
                WAITING,
                Verdict.REFUTED if endless else Verdict.PROVED,
                time.monotonic() - began,
                "; ".join(f"for ever: {b.what}" if b.violation else f"{b.what}: {b.clocks} clocks" for b in found),
            )
        )
        violation = endless[0].violation if endless else None
    else:
        parts.append(
            Part(
                "progress",
                PROGRESS,
                WAITING,
                Verdict.OPEN,
                0.0,
                "needs all states",
            )
        )
    return Outcome(tuple(parts), None if violation is None else replayer.show(violation), walk)


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
) -> ProofReport:
    """Prove a core, leaving every file of the proof in `folder`, which is made; and that `mapped` is the core.

    A core that is refuted, or an engine that gives up, is no error: the report says so, and is not `proved`. Raises
    ToolError if Yosys is missing or fails, CheckError for a design that is no synchronous core with a block interface.
    """
    began = time.monotonic()
    folder.mkdir(parents=True, exist_ok=True)
    if progress is not None:
        progress("elaboration", 0, 1)
    netlist = elaborate(design, folder)
    ports = block_ports(netlist, design)
    clocks = 200 + 8 * design.latency_cycles
    outcome = prove_netlist(netlist, ports, limits or Limits(), progress, clocks=clocks)
    if outcome.walk is not None:
        (folder / "states.json").write_text(json.dumps(_certificate(netlist, outcome.walk), indent=1))
    shown = None
    if outcome.run is not None:
        waveform = folder / f"{design.name}-counterexample.vcd"
        waveform.write_text(Replayer(netlist, ports).waveform(outcome.run))
        shown = ShownCounterexample(outcome.run.rule, outcome.run.clocks, waveform)
    parts, assumptions = outcome.parts, ASSUMPTIONS
    if mapped is not None:
        if progress is not None:
            progress("netlist", 0, 1)
        seconds = limits.seconds if limits is not None else Limits().seconds
        parts += (prove_mapped(design, mapped.library, mapped.netlist, folder / "netlist", seconds),)
        assumptions += (MAPPED_ASSUMPTION,)
    report = ProofReport(
        design.name,
        design.source_hash,
        design.key_bits,
        parts,
        assumptions,
        shown,
        {"aesmith": metadata.version("aesmith"), "pyosys": yosys_version()},
        round(time.monotonic() - began, 3),
    )
    (folder / "report.json").write_text(json.dumps(report.as_json(), indent=2, ensure_ascii=False))
    (folder / "report.md").write_text(report.as_markdown())
    return report


def _certificate(netlist: Netlist, walk: Walk) -> dict[str, object]:
    """The states found: control registers' values, the specification automaton, and the clocks out of each."""
    control = [i for i, register in enumerate(netlist.registers) if register.reset is not None]
    return {
        "control": [netlist.registers[i].name for i in control],
        "states": [
            {
                "control": "".join(str(registers[i]) if registers[i] in (0, 1) else "-" for i in control),
                "specification": str(automaton),
                "next": sorted({edge.target for edge in edges}),
            }
            for registers, automaton, edges in zip(walk.registers, walk.automata, walk.edges, strict=True)
        ],
    }
