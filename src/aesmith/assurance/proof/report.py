"""What was proved, by what, under which assumptions: nothing implied, for a sceptic to go through part by part."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path


class Verdict(StrEnum):
    """What became of one part of a proof. OPEN: an engine gave up, and nothing is known."""

    PROVED = "proved"
    REFUTED = "refuted"
    OPEN = "not proved"


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
class ProofReport:
    """All parts of one proof. `assumptions` are what joins them, and what they rest on."""

    design: str
    source_hash: str
    key_bits: tuple[int, ...]
    parts: tuple[Part, ...]
    assumptions: tuple[str, ...]
    counterexample: ShownCounterexample | None
    tools: Mapping[str, str]
    seconds: float

    @property
    def proved(self) -> bool:
        """Whether every part is proved."""
        return all(part.verdict is Verdict.PROVED for part in self.parts)

    @property
    def failing(self) -> tuple[Part, ...]:
        """The parts that are not proved."""
        return tuple(part for part in self.parts if part.verdict is not Verdict.PROVED)

    def as_json(self) -> dict[str, object]:
        """Plain JSON values."""
        plain = asdict(self)
        if self.counterexample is not None:
            plain["counterexample"] = asdict(self.counterexample) | {"waveform": self.counterexample.waveform.name}
        return {"proved": self.proved} | plain

    def as_markdown(self) -> str:
        """The report for people."""
        lines = [
            f"# {self.design}: {'proved' if self.proved else 'not proved'}",
            "",
            "| part | verdict | engine | seconds | what was looked at |",
            "|---|---|---|---|---|",
            *(f"| {p.name} | {p.verdict} | {p.engine} | {p.seconds:.1f} | {p.detail} |" for p in self.parts),
            "",
        ]
        for part in self.parts:
            files = f" Files: {', '.join(part.files)}." if part.files else ""
            lines += [f"**{part.name}.** {part.statement}{files}", ""]
        if self.counterexample is not None:
            shown = self.counterexample
            lines += [f"Counterexample: {shown.waveform.name}, in clock {shown.clocks - 1}: {shown.rule}.", ""]
        lines += ["What joins the parts, and what they rest on:", "", *(f"- {text}" for text in self.assumptions), ""]
        lines += ["Tools: " + ", ".join(f"{tool} {version}" for tool, version in sorted(self.tools.items())) + "."]
        lines += [f"Sources: SHA-256 {self.source_hash}."]
        return "\n".join(lines) + "\n"
