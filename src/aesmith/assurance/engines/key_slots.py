"""What is claimed of slots for keys before an engine: a command comes behind the key of its slot, or to be refused.

The engine stands as it is delivered, with free cores. What it does with the keys and commands that come to it is
claimed in `claims`; here it may do anything, and the two together are what the user is promised.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from aesmith.assurance.engines.aiger import GaveUp
from aesmith.assurance.engines.claims import ClaimsDesign, instance_of, template, with_key_sizes, with_parameters
from aesmith.assurance.engines.induction import ASSUMED, CLAIM, HOW, LEMMA, REACHED, Induction
from aesmith.assurance.proof.elaborate import elaborate
from aesmith.assurance.proof.netlist import Counterexample, Netlist, compile_words
from aesmith.assurance.proof.report import Limits, Part, Verdict
from aesmith.cores.design import SourceFile
from aesmith.errors import CheckError
from aesmith.modes.engine import StreamEngine

SLOTS = (
    "For all keys, slots and commands, and any behaviour of the engine: each command reaches it once, in order. It "
    "has slot 0 if its slot has a key, and then the last key that the engine accepted is the last one of the slot; "
    "otherwise it has a slot that the engine refuses. If a key and a command are offered in the same clock, the key "
    "comes first. A key waits only while the engine is offered a key or a command, and a command only for the engine, "
    "or while keys arrive; the engine is offered at most one key for it. What the engine is offered is stable until "
    "it is accepted."
)
SLOTS_ASSUMED = "The user offers a command until it is accepted, with the same slot."
_READY = "ready_o"
"""Whether a beat, a command and a key are taken, from bit 0 on."""
_TOP, _CLOCKS, _REACHED_CLOCKS = "slot_claims", 12, 400
"""The module of the claims; clocks of a run that refutes one of them, and of one in which something comes about."""


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
        [(name, instance)] = instance_of(self.engine).items()
        text = template(_TOP).replace(name, instance)
        text = with_parameters(text, {"KeyBits": self.engine.key_bits[0], "Slots": self.engine.key_slots})
        text = with_key_sizes(text, self.engine)
        return [*self.free_cores, *self.own, SourceFile(f"{_TOP}.sv", text)]


def prove_slots(design: SlotsDesign, folder: Path, limits: Limits) -> tuple[Part, Counterexample | None]:
    """The part of the proof that is of slots, and the run that refutes it, if one does. Raises ToolError as
    `prove_engine`."""
    began = time.monotonic()

    def part(verdict: Verdict, detail: str) -> Part:
        return Part("slots", SLOTS, HOW, verdict, time.monotonic() - began, detail)

    try:
        netlist = elaborate(design, folder, limits.seconds, chosen_parts=True)
    except CheckError as error:
        return part(Verdict.REFUSED, str(error)), None
    induction = Induction(netlist, folder, limits.seconds)
    claims, reached = induction.named(CLAIM), induction.named(REACHED)
    open_ = induction.not_shown()
    if open_:
        try:
            run = induction.run_to(claims, _CLOCKS)
        except GaveUp as reason:
            return part(Verdict.OPEN, f"{open_}; {reason}"), None
        if run is None:
            return part(Verdict.OPEN, open_), None
        return part(Verdict.REFUTED, f"{run.rule} is false in clock {run.clocks - 1} of a run from reset"), run
    found = _comes_about(design.engine, netlist, reached)
    if lacking := [name for name in reached if name not in found]:
        return part(Verdict.OPEN, f"{lacking[0]} does not come about in {_REACHED_CLOCKS} clocks"), None
    shown = " and ".join(str(found[name]) for name in reached)
    size = f"{len(claims)} claims and {len(induction.named(LEMMA))} lemmas"
    told = f"{size}; start and step; what is claimed comes about in runs from reset of {shown} clocks"
    return part(Verdict.PROVED, told), None


def _comes_about(engine: StreamEngine, netlist: Netlist, names: Sequence[str]) -> Mapping[str, int]:
    """Of outputs those that are 1 in a clock of a run from reset in which the cores take all and give always, and the
    clocks up to there: a command of slot 0 before it has a key, then keys of two slots and a message of each."""
    step, state = compile_words(netlist, 1), [register.reset or 0 for register in netlist.registers]
    levels = {net: int(net in netlist.free) for net in netlist.input_bits}
    outputs, found = [name for name, bits in netlist.outputs.items() for _ in bits], dict[str, int]()
    message, keys, sent = engine.plain(0, 1), [0, 1], [0, 1, 0]
    beats = [beat for _ in sent for beat in message.beats]
    for clock in range(_REACHED_CLOCKS):
        offers = {
            "m_axis_tready": 1,
            # The first command comes before all keys, the others after them.
            "key_valid_i": int(bool(keys) and len(sent) < 3),
            "key_slot_i": keys[0] if keys else 0,
            "s_axis_cmd_tvalid": int(bool(sent) and (len(sent) == 3 or not keys)),
            "s_axis_cmd_tdata": message.command.word | (sent[0] << 8 if sent else 0),
            "s_axis_tvalid": int(bool(beats)),
        }
        if beats:
            offers |= {"s_axis_tkeep": beats[0].keep, "s_axis_tuser": int(beats[0].section)}
            offers |= {"s_axis_tlast": int(beats[0].last)}
        for name, number in offers.items():
            for bit, net in enumerate(netlist.inputs[name]):
                levels[net] = number >> bit & 1
        said, state = step([levels[net] for net in netlist.input_bits], state)
        seen = list(zip(outputs, said, strict=True))
        if not dict(seen)[ASSUMED]:
            break
        found |= {name: clock + 1 for name, level in seen if level and name in names and name not in found}
        ready = [level for name, level in seen if name == _READY]
        for items, valid, taken in (
            (beats, "s_axis_tvalid", ready[0]),
            (sent, "s_axis_cmd_tvalid", ready[1]),
            (keys, "key_valid_i", ready[2]),
        ):
            if offers[valid] and taken:
                items.pop(0)
    return found
