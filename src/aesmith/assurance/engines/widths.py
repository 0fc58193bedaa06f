"""That an engine whose stream is narrower than a block is its engine of whole beats behind converters of words, and one
with registers for beats that between these.

The files that stand around the engine inside are elaborated as they are delivered, with a module in the engine's place
whose outputs are free. What is claimed of them is SystemVerilog in `templates/`, and is proved by
induction over clocks (`induction.py`). `prove.py` proves the engine itself.
"""

from __future__ import annotations

import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from aesmith.assurance.engines.aiger import GaveUp
from aesmith.assurance.engines.claims import ClaimsDesign, free_module, template
from aesmith.assurance.engines.induction import CLAIM, HOW, LEMMA, REACHED, Induction
from aesmith.assurance.proof import prove as cores
from aesmith.assurance.proof.elaborate import elaborate
from aesmith.assurance.proof.interface import CLEAR_INPUT
from aesmith.assurance.proof.netlist import Counterexample, Netlist, depending
from aesmith.assurance.proof.report import Limits, Part, Verdict
from aesmith.cores.design import SourceFile
from aesmith.cores.ports import PortDirection
from aesmith.cores.wrapper import bit_ranges
from aesmith.errors import CheckError
from aesmith.modes.beats_top import CODE
from aesmith.modes.engine import StreamEngine
from aesmith.modes.narrow_top import WIDE, is_of_stream

CLAIMS = (
    "For all words and stalls, and any behaviour of {wide}, in each clock: {wide} is offered a beat if the word at "
    "the input ends one. The beat is that word after those accepted before it, byte by byte, of their kind, and with "
    "tlast if the word has that. A word ends a beat if it holds the 16th byte, is not full, or has tlast. A word of "
    "another kind ends the beat before it, and is not accepted with it. A word without bytes after others gives a "
    "keep that is no run of ones starting at byte 0. A word that ends no beat is accepted at once; one that ends its "
    "own is accepted with it. What {wide} offers leaves in words starting at byte 0, each once and in order, up to "
    "the last used byte. With that word, and only then, tlast, failed and error leave and {wide} is ready. What is "
    "offered is stable while its source is stable, and all lines are 0 if those of {wide} are. All other ports are "
    "connected straight through."
)
"""What is claimed of converters and top."""
REACHED_TEXT = (
    "A beat of 16 bytes in several words is accepted, one that a word of another kind ends, and the last word of an "
    "answer of several."
)
TIMING = "No valid, ready, keep, user or last, of words or of beats, depends on a byte, over any number of clocks."
_CLOCKS = 24


BEATS_CLAIMS = (
    "For all beats and stalls, and any behaviour of {wide} whose lines are 0 while it offers nothing, in each clock: "
    "beats reach {wide}, and its answers the receiver, unchanged, in order, each once, one clock later or more. A "
    "beat is accepted if none waits or the waiting one advances in this clock, and so is an answer. What is offered "
    "is stable until it is accepted, and all lines are 0 while nothing is offered. The code of a refused message "
    "appears in the clock after which everything that {wide} gave before has left. All other ports are connected "
    "straight through."
)
"""What is claimed of registers for beats and their top."""
BEATS_REACHED = (
    "A beat advances and another arrives, while an answer leaves and another waits; and a code that already differs "
    "from that of {wide}."
)
BEATS_TIMING = "No valid, ready, keep, user or last of beats depends on a byte, over any number of clocks."


@dataclass(frozen=True)
class WidthClaims(ClaimsDesign):
    """Converters and top of an engine, a free engine of whole beats, and what is claimed, as a design to elaborate."""

    @property
    def top(self) -> str:
        """The module of the claims."""
        return "width_claims"

    @property
    def inside(self) -> StreamEngine:
        """The engine inside, in whose place is a free one."""
        return self.engine.wide

    @property
    def texts(self) -> dict[str, str]:
        """The templates, the claims last."""
        return {name: template(name) for name in ("width_reference", self.top)}

    @property
    def passes(self) -> tuple[str, ...]:
        """Ports beside the streams that do not go straight through, too."""
        return ()

    @property
    def sources(self) -> list[SourceFile]:
        """The free engine, what stands around it, what is claimed."""
        around = list(self.engine.sources[len(self.inside.sources) :])
        return [free_module(self.inside), *around, *self._claims()]

    def _claims(self) -> list[SourceFile]:
        engine = self.engine
        own = ("clk_i", "rst_ni", *self.passes)
        straight = [port for port in engine.ports if not is_of_stream(port) and port.name not in own]
        inner = f"u_dut.{WIDE}"
        names: Mapping[str, str] = {
            "ENGINE_INPUTS": "\n".join(
                f"  input  logic {bit_ranges(port)}{port.name},"
                for port in engine.ports
                if port.direction is PortDirection.INPUT and port.name != CLEAR_INPUT
            ),
            "ENGINE_OUTPUTS": "\n".join(
                f"  logic {bit_ranges(port)}{port.name};"
                for port in engine.ports
                if port.direction is PortDirection.OUTPUT
            )
            + f"\n  logic {CLEAR_INPUT};\n  assign {CLEAR_INPUT} = 1'b0;" * engine.clear,
            "ENGINE u_dut": f"{engine.top} u_dut",
            "{STRAIGHT_INSIDE}": f"{{{', '.join(f'{inner}.{port.name}' for port in straight)}}}",
            "{STRAIGHT}": f"{{{', '.join(port.name for port in straight)}}}",
            "INNER.": f"{inner}.",
        }
        texts = self.texts
        for name, text in names.items():
            texts[self.top] = texts[self.top].replace(name, text)
        return [
            SourceFile(
                f"{name}.sv",
                re.sub(r"(parameter int unsigned WordBits = )\d+", rf"\g<1>{engine.stream_bits}", text, count=1),
            )
            for name, text in texts.items()
        ]


@dataclass(frozen=True)
class BeatsClaims(WidthClaims):
    """Registers for beats and their top, a free engine between them, and what is claimed."""

    @property
    def top(self) -> str:
        """The module of the claims."""
        return "beats_claims"

    @property
    def inside(self) -> StreamEngine:
        """The engine between the registers."""
        return self.engine.direct

    @property
    def texts(self) -> dict[str, str]:
        """The claims."""
        return {self.top: template(self.top)}

    @property
    def passes(self) -> tuple[str, ...]:
        """The code waits with an answer."""
        return (CODE,)


def prove_converters(
    engine: StreamEngine, folder: Path, limits: Limits
) -> tuple[tuple[Part, ...], Counterexample | None]:
    """The parts of the proof of what stands around the engine of whole beats, and the run that refutes it, if one
    does."""
    texts = (CLAIMS, REACHED_TEXT, TIMING)
    return _prove_around(WidthClaims(engine), ("converters", "words reached", "timing of words"), texts, folder, limits)


def prove_registers(
    engine: StreamEngine, folder: Path, limits: Limits
) -> tuple[tuple[Part, ...], Counterexample | None]:
    """The parts of the proof of the registers for beats around an engine, and the run that refutes it, if one does."""
    texts = (BEATS_CLAIMS, BEATS_REACHED, BEATS_TIMING)
    names = ("registers for beats", "beats reached", "timing of beats")
    return _prove_around(BeatsClaims(engine), names, texts, folder, limits)


def _prove_around(
    claims: WidthClaims, names: tuple[str, str, str], texts: tuple[str, str, str], folder: Path, limits: Limits
) -> tuple[tuple[Part, ...], Counterexample | None]:
    """The parts of these names and statements: of the claims, what must come about, and what lines depend on."""
    claimed, reached, timing = (text.format(wide=claims.inside.name) for text in texts)
    began = time.monotonic()

    def part(name: str, statement: str, how: str, verdict: Verdict, detail: str) -> Part:
        nonlocal began
        seconds, began = time.monotonic() - began, time.monotonic()
        return Part(name, statement, how, verdict, seconds, detail)

    try:
        netlist = elaborate(claims, folder, limits.seconds, chosen_parts=True)
    except CheckError as error:
        return (part(names[0], cores.READABLE, "elaboration", Verdict.REFUSED, str(error)),), None
    induction = Induction(netlist, folder, limits.seconds)
    clocks = _CLOCKS + claims.engine.stream_words
    run: Counterexample | None = None
    if open_ := induction.not_shown():
        try:
            run = induction.run_to(induction.named(CLAIM), clocks)
        except GaveUp as reason:
            open_ = f"{open_}; {reason}"
        if run is not None:
            open_ = f"{run.rule} is false in clock {run.clocks - 1} of a run from reset"
        verdict = Verdict.OPEN if run is None else Verdict.REFUTED
        return (part(names[0], claimed, HOW, verdict, open_),), run
    count, lemmas = (len(induction.named(kind)) for kind in (CLAIM, LEMMA))
    detail = f"{count} claims and {lemmas} lemmas, {len(netlist.registers)} registers; start and step"
    parts = [part(names[0], claimed, HOW, Verdict.PROVED, detail)]
    runs = []
    for name in induction.named(REACHED):
        try:
            runs.append(induction.run_to([name], clocks))
        except GaveUp:
            runs.append(None)
    verdict = Verdict.OPEN if None in runs else Verdict.PROVED
    told = f"runs from reset of {' and '.join(str(each.clocks) for each in runs if each)} clocks"
    parts.append(part(names[1], reached, "runs on the netlist", verdict, told))
    odd = depending(netlist, *lines_and_data(netlist))
    verdict, told = Verdict.PROVED, "their cones, through any number of clocks, have no bit of data"
    if odd:
        verdict, told = Verdict.REFUTED, f"{odd} depends on data"
    parts.append(part(names[2], timing, "structure", verdict, told))
    return tuple(parts), None


def lines_and_data(netlist: Netlist) -> tuple[dict[str, Sequence[int]], set[int]]:
    """The nets of lines that must not depend on bytes, by name, and those of bytes."""
    lines: dict[str, Sequence[int]] = {
        f"{place}{side}_axis_{line}": netlist.names[f"{place}{side}_axis_{line}"]
        for place, out in (("", "m"), (f"u_dut.{WIDE}.", "s"))
        for side in ("s", "m")
        for line in (("tvalid", "tkeep", "tuser", "tlast") if side == out else ("tready",))
    }
    data = {*netlist.inputs["s_axis_tdata"], *netlist.names[f"u_dut.{WIDE}.m_axis_tdata"]}
    return lines, data
