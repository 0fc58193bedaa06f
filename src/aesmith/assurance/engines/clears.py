"""That a clear leaves nothing of keys and messages in an engine that has one, and what becomes of its streams.

The engine inside is elaborated as it is delivered, cores and converters of words included, and looked at in the clock
of a clear, whatever its registers hold. What stands around it (aesmith_stream_clear, and the top) is elaborated with a
module in its place whose outputs are free; what is claimed of that is SystemVerilog in `templates/`, and is proved by
induction over clocks (`induction.py`).
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
from aesmith.assurance.proof.behaviour import clear_part
from aesmith.assurance.proof.elaborate import elaborate
from aesmith.assurance.proof.netlist import Counterexample, Netlist, depending
from aesmith.assurance.proof.report import Limits, Part, Verdict
from aesmith.cores.design import SourceFile
from aesmith.cores.ports import PortDirection, Ports
from aesmith.cores.wrapper import bit_ranges
from aesmith.errors import CheckError
from aesmith.modes.clear_top import INSIDE
from aesmith.modes.engine import StreamEngine

CLEARS = (
    "After a clock in which clear_i is 1, for all register contents and inputs, each register of {inside}, its cores "
    "and converters included, has its reset value if it has a reset, and a constant otherwise: none depends on a key, "
    "a message or anything derived from them. What follows is what follows reset."
)
STREAMS = (
    "For all streams, stalls and clears, and any behaviour of {inside}: a message has begun when its command or its "
    "first word was accepted. In a clock with clear_i nothing is accepted. The rest of the messages that had begun "
    "then, and of no others, is dropped: it is accepted, command and words, and {inside} is not offered it. Of all "
    "others {inside} is offered what arrives, and what it accepts is accepted. There is one exception: if commands "
    "and last words accepted differ by six messages, the one that is ahead waits. If a word of an answer was offered "
    "and its last one not accepted, a word without bytes, with tlast and error, replaces everything of {inside}. It "
    "is offered from the clock with clear_i until it is accepted. Otherwise nothing is offered in that clock. In all "
    "other clocks the answers of {inside} pass unchanged. An offered word stays offered until it is accepted, if "
    "{inside} obeys this, and changes only in a clock with clear_i. cleared_o is 1 from the clock after clear_i up to "
    "and including the first one in which {inside} is offered something. What {inside} is offered stays offered until "
    "it accepts it, if the ports obey this, except for clears. All other ports are connected straight through."
)
"""What is claimed of what stands around the engine inside."""
REACHED_TEXT = (
    "A command is dropped, and a word whose message continues; the end of a cut answer is accepted; a message that is "
    "not dropped is accepted after one that is."
)
STREAMS_ASSUMED = "clear_claims.sv says of cut messages what the documents say of them."
TIMING = (
    "No register around {inside}, and no valid, ready or last, depends on a key, a command or a byte except through "
    "what {inside} answers, over any number of clocks."
)
_CLOCKS = 24


@dataclass(frozen=True)
class StreamClaims(ClaimsDesign):
    """What stands around an engine that is cleared, a free engine inside, and what is claimed, as a design to
    elaborate."""

    @property
    def top(self) -> str:
        """The module of the claims."""
        return "clear_claims"

    @property
    def sources(self) -> list[SourceFile]:
        """The free engine, what stands around it, what is claimed."""
        engine = self.engine
        around = list(engine.sources[len(engine.cleared.sources) :])
        text = template("clear_claims")
        ports = [port for port in engine.ports if port.name not in ("clk_i", "rst_ni")]
        both = {port.name for port in engine.cleared.ports}
        straight = [p.name for p in ports if p.name in both and not re.search("ready|valid|m_axis", p.name)]
        names: Mapping[str, str] = {
            "ENGINE_INPUTS": _declared(engine.ports, PortDirection.INPUT, "  input  logic {},"),
            "ENGINE_OUTPUTS": _declared(engine.ports, PortDirection.OUTPUT, "  logic {};"),
            "ENGINE u_dut": f"{engine.top} u_dut",
            "{STRAIGHT_INSIDE}": f"{{{', '.join(f'INNER.{name}' for name in straight)}}}",
            "{STRAIGHT}": f"{{{', '.join(straight)}}}",
            "INNER.": f"u_dut.{INSIDE}.",
            "USER_BITS": str(engine.ports.channel("stream out").payloads[2].bits),
            "WORD_BITS": str(engine.stream_bits),
        }
        for name, said in names.items():
            text = text.replace(name, said)
        return [free_module(engine.cleared), *around, SourceFile(f"{self.top}.sv", text)]


def _declared(ports: Ports, way: PortDirection, line: str) -> str:
    return "\n".join(line.format(f"{bit_ranges(port)}{port.name}") for port in ports if port.direction is way)


def clear_of_registers(engine: StreamEngine, folder: Path, limits: Limits) -> tuple[Part, Counterexample | None]:
    """That a clear leaves nothing in the engine inside; if not, a clock that shows it.

    Raises ToolError if Yosys is missing or fails.
    """
    inside, began = engine.cleared, time.monotonic()
    claimed = CLEARS.format(inside=inside.name)

    def part(verdict: Verdict, detail: str) -> Part:
        return Part("clear", claimed, "run with unknown levels", verdict, time.monotonic() - began, detail)

    try:
        netlist = elaborate(inside, folder, limits.seconds, chosen_parts=True)
        shown, run = clear_part(netlist, (), quiet=False)
    except CheckError as error:
        return part(Verdict.REFUSED, str(error)), None
    return part(shown.verdict, shown.detail), run


def check_engine_clear(engine: StreamEngine, folder: Path) -> None:
    """Return if a clear leaves nothing in any register of an engine; Yosys' files stay in `folder`.

    Raises CheckError, naming a register, if it does, or is not shown not to.
    """
    part, _ = clear_of_registers(engine, folder, Limits())
    if part.verdict is not Verdict.PROVED:
        raise CheckError(f"{engine.name}: clear: {part.detail}")


def prove_streams(engine: StreamEngine, folder: Path, limits: Limits) -> tuple[tuple[Part, ...], Counterexample | None]:
    """The parts of the proof of what stands around the engine inside, and the run that refutes it, if one does."""
    inside, began = engine.cleared.name, time.monotonic()

    def part(name: str, statement: str, how: str, verdict: Verdict, detail: str) -> Part:
        nonlocal began
        seconds, began = time.monotonic() - began, time.monotonic()
        return Part(name, statement.format(inside=inside), how, verdict, seconds, detail)

    try:
        netlist = elaborate(StreamClaims(engine), folder, limits.seconds, chosen_parts=True)
    except CheckError as error:
        return (part("streams", cores.READABLE, "elaboration", Verdict.REFUSED, str(error)),), None
    induction = Induction(netlist, folder, limits.seconds)
    if open_ := induction.not_shown():
        run, verdict = None, Verdict.OPEN
        try:
            run = induction.run_to(induction.named(CLAIM), _CLOCKS)
        except GaveUp as reason:
            open_ = f"{open_}; {reason}"
        if run is not None:
            open_, verdict = f"{run.rule} is false in clock {run.clocks - 1} of a run from reset", Verdict.REFUTED
        return (part("streams", STREAMS, HOW, verdict, open_),), run
    count, lemmas = (len(induction.named(kind)) for kind in (CLAIM, LEMMA))
    detail = f"{count} claims and {lemmas} lemmas, {len(netlist.registers)} registers; start and step"
    parts = [part("streams", STREAMS, HOW, Verdict.PROVED, detail)]
    runs = [induction.run_to([name], _CLOCKS) for name in induction.named(REACHED)]
    verdict = Verdict.OPEN if None in runs else Verdict.PROVED
    told = f"runs from reset of {' and '.join(str(each.clocks) for each in runs if each)} clocks"
    parts.append(part("drops reached", REACHED_TEXT, "runs on the netlist", verdict, told))
    odd = depending(netlist, *lines_and_data(netlist))
    verdict, told = Verdict.PROVED, "their cones, through any number of clocks, have no bit of data"
    if odd:
        verdict, told = Verdict.REFUTED, f"{odd} depends on data"
    parts.append(part("timing of streams", TIMING, "structure", verdict, told))
    return tuple(parts), None


def lines_and_data(netlist: Netlist) -> tuple[dict[str, Sequence[int]], set[int]]:
    """The nets that must not depend on keys, commands and bytes, by name, and those of these."""
    lines: dict[str, Sequence[int]] = {r.name: (r.q,) for r in netlist.registers if r.name.startswith("u_dut.")}
    names = ("key_ready_o", "s_axis_cmd_tready", "s_axis_tready", "m_axis_tvalid", "m_axis_tlast", "cleared_o")
    lines |= {name: netlist.names[name] for name in names}
    data = {net for name in ("key_i", "s_axis_cmd_tdata", "s_axis_tdata") for net in netlist.inputs[name]}
    return lines, data | {*netlist.names[f"u_dut.{INSIDE}.m_axis_tdata"]}
