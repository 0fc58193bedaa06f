"""What a proof was asked and what came of it: nothing implied, for a sceptic to go through part by part."""

from __future__ import annotations

import os
import resource
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from pathlib import Path

ONE_FILE_PART = "one file"
"""The part that the one-file Verilog of a build is equal to its sources."""


class Verdict(StrEnum):
    """What became of one part of a proof.

    REFUTED: a run on real keys and blocks shows it, or a path in the structure. REFUSED: the sources have what cannot
    be read exactly, and were not examined. OPEN: an engine gave up, or what it found is shown by no run.
    """

    PROVED = "proved"
    REFUTED = "refuted"
    REFUSED = "refused"
    OPEN = "not shown"


@dataclass(frozen=True)
class Part:
    """One part: its statement, the engine that decided it, and the figures it rests on. `files` lie in the folder."""

    name: str
    statement: str
    engine: str
    verdict: Verdict
    seconds: float
    detail: str
    files: tuple[str, ...] = ()


@dataclass(frozen=True)
class ShownCounterexample:
    """A run on real values that breaks a rule in its last clock, and its waveform."""

    rule: str
    clocks: int
    waveform: Path


@dataclass(frozen=True)
class Simulated:
    """What simulators showed of sources in `clocks` clocks of random inputs, beside the netlist that was examined.

    `agreeing` are the simulators, with versions, that show what the netlist has; `registers` of `of` bits were looked
    at. `without` says of each other one why it has no say. `odd` is the first difference, empty if there is none.
    """

    clocks: int
    agreeing: tuple[str, ...]
    registers: int
    of: int
    without: tuple[str, ...]
    odd: str

    def __str__(self) -> str:
        which = "every register" if self.registers == self.of else f"{self.registers} of {self.of} bits of registers"
        said = [
            f"In {' and in '.join(self.agreeing)} they do in {self.clocks} clocks of random inputs what the netlist "
            f"that was examined does, in {which} and every output."
        ]
        return " ".join(said * bool(self.agreeing) + [f"{why}." for why in self.without])


@dataclass(frozen=True)
class Property:
    """Something that a core has or has not, and that no proof needs and nobody claims; `finding` says which."""

    name: str
    statement: str
    finding: str


@dataclass(frozen=True)
class Interface:
    """What was proved: of which key sizes in bits, which directions, in how many beats a block, and each key."""

    key_bits: tuple[int, ...]
    directions: tuple[str, ...]
    block_beats: int
    key_beats: tuple[int, ...]

    def __str__(self) -> str:
        sizes = ", ".join(map(str, self.key_bits))
        beats = "/".join(map(str, self.key_beats))
        does = " and ".join(self.directions)
        return f"AES with keys of {sizes} bits, {does}; {self.block_beats} beats a block, {beats} a key"


@dataclass(frozen=True)
class ProofReport:
    """All parts of one proof. `assumptions` are what joins them, and what they rest on.

    `files` are the sources that were examined, each with the SHA-256 (hex) of its text; no other file of a build was.
    `simulated` is what simulators showed of them beside the netlist that was examined, if that was asked for.
    """

    design: str
    source_hash: str
    interface: Interface
    files: Mapping[str, str]
    parts: tuple[Part, ...]
    assumptions: tuple[str, ...]
    counterexample: ShownCounterexample | None
    tools: Mapping[str, str]
    seconds: float
    properties: tuple[Property, ...] = ()
    simulated: Simulated | None = None

    @property
    def verdict(self) -> Verdict:
        """The worst of the parts'."""
        order = (Verdict.REFUTED, Verdict.REFUSED, Verdict.OPEN, Verdict.PROVED)
        return min((part.verdict for part in self.parts), key=order.index, default=Verdict.OPEN)

    @property
    def proved(self) -> bool:
        """Whether every part is proved."""
        return self.verdict is Verdict.PROVED

    @property
    def of_text(self) -> str:
        """Which text the verdict is of, and how others are known to be equal to it."""
        if any(part.name == "sources" and part.verdict is Verdict.REFUSED for part in self.parts):
            return "The sources are refused, so that nothing was examined."
        said = (
            "The verdict is of the SystemVerilog sources as slang elaborates them, written in the part of the language "
            "that all tools read alike (docs/subset.md). "
        )
        for part in self.parts:
            if part.name == ONE_FILE_PART:
                equal = "is equal to them" if part.verdict is Verdict.PROVED else "is not shown to be equal to them"
                said += f"The one-file Verilog {equal} as Yosys' own front end elaborates it. "
        if self.simulated is not None:
            return said + str(self.simulated)
        return said + "No text was simulated in addition."

    @property
    def failing(self) -> tuple[Part, ...]:
        """The parts that are not proved."""
        return tuple(part for part in self.parts if part.verdict is not Verdict.PROVED)

    def as_json(self) -> dict[str, object]:
        """Plain JSON values."""
        plain = asdict(self)
        if self.counterexample is not None:
            plain["counterexample"] = asdict(self.counterexample) | {"waveform": self.counterexample.waveform.name}
        return {"proved": self.proved, "verdict": self.verdict, "of_text": self.of_text} | plain

    def as_markdown(self) -> str:
        """The report for people."""
        lines = [
            f"# {self.design}: {self.verdict}",
            "",
            f"{self.interface}.",
            "",
            self.of_text,
            "",
            "| part | verdict | engine | seconds | what was looked at |",
            "|---|---|---|---|---|",
            *(f"| {p.name} | {p.verdict} | {p.engine} | {p.seconds:.1f} | {p.detail} |" for p in self.parts),
            "",
        ]
        for part in self.parts:
            files = f" Files: {', '.join(part.files)}." if part.files else ""
            lines += [f"**{part.name}.** {part.statement}{files}", ""]
        for found in self.properties:
            lines += [f"**Property: {found.name}** {found.finding}. {found.statement}", ""]
        if self.counterexample is not None:
            shown = self.counterexample
            lines += [f"Counterexample: {shown.waveform.name}, in clock {shown.clocks - 1}: {shown.rule}.", ""]
        lines += ["What joins the parts, and what they rest on:", "", *(f"- {text}" for text in self.assumptions), ""]
        lines += ["Tools: " + ", ".join(f"{tool} {version}" for tool, version in sorted(self.tools.items())) + "."]
        lines += [f"Examined, and no other file (SHA-256 of all: {self.source_hash}):", ""]
        lines += [f"- {name}: SHA-256 {digest}" for name, digest in self.files.items()]
        return "\n".join(lines) + "\n"


SHARE = 0.75
"""Of the machine's memory, what a proof may use."""


def _most_megabytes() -> float:
    return SHARE * os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**20


@dataclass(frozen=True)
class Limits:
    """States of one walk, seconds and megabytes of one proof, and blocks that a core may hold."""

    states: int = 200_000
    seconds: float = 3600.0
    blocks: int = 96
    megabytes: float = field(default_factory=_most_megabytes)

    def exceeded(self, states: int, seconds: float) -> str:
        """Why to give up after so many states and seconds; empty if there is no reason."""
        if states > self.states:
            return f"more than {self.states} states"
        if seconds > self.seconds:
            return f"no end after {self.seconds:g} s, at {states} states"
        if resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024 > self.megabytes:
            return f"more than {self.megabytes:.0f} MB of memory, at {states} states"
        return ""
