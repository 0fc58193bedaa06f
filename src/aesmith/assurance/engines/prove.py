"""That an engine of a mode does what the mode says, around any block cores that keep the block interface.

What is claimed stands beside the engine (`claims.py`), and is proved by induction over clocks (`induction.py`). The
encryption is any function of key and block: of one pair of them, which is any, its value has a name, and what a chain
goes on with is what the reference is told of a block, and the core that takes this block gives.

That the cores keep their promises, with AES as the function, is what `prove` shows of each core.
"""

from __future__ import annotations

import hashlib
import json
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib import metadata
from pathlib import Path

from aesmith.assurance.engines.aiger import GaveUp
from aesmith.assurance.engines.bus_adapters import parts_before
from aesmith.assurance.engines.claims import ClaimsDesign, delivered_cores, structure_of
from aesmith.assurance.engines.clears import STREAMS_ASSUMED, clear_of_registers, prove_streams
from aesmith.assurance.engines.induction import CLAIM, DUTY, HOW, LEMMA, REACHED, Beginning, Induction
from aesmith.assurance.engines.key_slots import SLOTS_ASSUMED, SlotsDesign, prove_slots
from aesmith.assurance.engines.memories import prove_memory
from aesmith.assurance.engines.open_gates import wiring_part
from aesmith.assurance.engines.runs import hashed_messages, long_message, reached
from aesmith.assurance.engines.traffic_runs import TrafficRuns
from aesmith.assurance.engines.unwinding import timing_of_ccm_in_bytes, timing_of_modes
from aesmith.assurance.engines.widths import prove_converters, prove_registers
from aesmith.assurance.proof import prove as cores
from aesmith.assurance.proof.behaviour import SLOTS as SLOT_PROOF
from aesmith.assurance.proof.elaborate import elaborate
from aesmith.assurance.proof.netlist import Counterexample, Netlist, depending
from aesmith.assurance.proof.open_gates import SCAN_ASSUMED
from aesmith.assurance.proof.report import Interface, Limits, Part, ProofReport, ShownCounterexample, Simulated, Verdict
from aesmith.assurance.proof.simulated import simulated_part
from aesmith.circuits.multipliers.field_128 import digit_step
from aesmith.circuits.multipliers.proving import prove_product
from aesmith.cores.design import CoreDesign
from aesmith.cores.ports import BLOCK_BITS
from aesmith.errors import CheckError
from aesmith.flow.yosys import yosys_version
from aesmith.modes.byte_ccm_engine import ByteCcmEngine
from aesmith.modes.byte_engine import ByteEngine
from aesmith.modes.counter_engine import CounterEngine
from aesmith.modes.ctr_engine import CtrEngine
from aesmith.modes.engine import StreamEngine
from aesmith.modes.engine_top import CorePlace
from aesmith.modes.gcm_engine import GcmEngine, Release
from aesmith.modes.multi_mode import MESSAGE_MODES
from aesmith.modes.multi_mode_engine import GcmAheadEngine, MultiModeEngine
from aesmith.modes.xts_engine import XtsEngine
from aesmith.progress import Progress
from aesmith.scratch import write_whole

_CLOCKS = 600
"""Of a simulation beside the netlist."""
CTR_CLAIMS = (
    "For all messages, keys, commands and stalls, any function E of key and block, and all cores with the block "
    "interface that compute it, each within any bounds: every beat that leaves is the reference's, in order; none is "
    "lost, repeated or invented. It is text + E(key, counter block) under the last key accepted before the message's "
    "command, with the counter incremented modulo 2^w and unused bytes 0; keep, last and user are the message's. A "
    "wrong message ends with its code. An offered beat is stable until it is accepted, and while none is offered all "
    "lines are 0. The cores are offered what the block interface allows. Let v, b and k bound the cores' waits for a "
    "result, a block and a key. An answer that is due is offered after at most v + 1 clocks. A beat that has come "
    "with its command is served after at most v + b + 2 clocks in which the receiver is ready. A key is accepted "
    "after at most k clocks once no command is left."
)
CMAC_CLAIMS = (
    "For all messages, keys, commands and stalls, any function E of key and block, and any core with the block "
    "interface that computes it, in words or whole, within any bounds: each message has one answer, in order; none is "
    "lost, repeated or invented. Let T = E(key, X + M + K) of the last block under the last key accepted before the "
    "command, where X is the chain of E over the earlier blocks, and K = 2 E(key, 0) for a whole block and 4 E(key, "
    "0) for one padded with a one and zeros. To generate a tag, the answer is the bytes of T that the command "
    "requests. To compare a tag, failed says whether the received bytes differ from those of T, and no other bit of T "
    "leaves. A wrong message ends with its code. An offered beat is stable until it is accepted, and while none is "
    "offered all lines are 0. The core is offered what the block interface allows, and each block once. While there "
    "is something to do and the receiver is ready, at most one clock more than the core's largest wait passes without "
    "a transfer."
)
GCM_CLAIMS = (
    "For all messages, keys, commands and stalls, any function E of key and block, and all cores with the block "
    "interface that compute it: every beat that leaves is the reference's, in order; none is lost, repeated or "
    "invented. It is text + E(key, counter block), counted modulo 2^32 from J0, which is the command's or is hashed "
    "from an IV in the stream. After encrypted text comes the tag, Y + E(key, J0), in as many bytes as the command "
    "requests. The last beat of a decrypted message says whether one of those bytes differs from the received "
    "one{release}. Everything is under the last key accepted before the command, and a wrong message ends with its "
    "code. Y is GHASH, with padded blocks and the lengths in bits, where p = S(p, digit, H) for each digit is the "
    "product with H = E(key, 0). An offered beat is stable until it is accepted, and while none is offered all lines "
    "are 0. The cores are offered what the block interface allows. Nothing is claimed about how long anything takes."
)
XTS_CLAIMS = (
    "For all messages, keys, commands and stalls, any functions E and D of key and block, and all cores with the "
    "block interface that compute them, that of tweaks in words or whole: every beat that leaves is the reference's, "
    "in order; none is lost, repeated or invented. Block j of a message is answered by E(Key1, P + T) + T, or with D "
    "instead of E, by its message's direction. T of the first block is E(Key2, tweak), and each next one is alpha T "
    "in GF(2^128). A partial block of n bytes takes its other bytes from the answer of the block before it. The "
    "joined block is answered in the place of that block, followed by the first n bytes of that answer. In decryption "
    "the stolen bytes are computed under alpha T and the joined block under T. Everything is under the last key "
    "accepted before the command. A wrong message, including one under a key with equal halves, ends with its code. "
    "An offered beat is stable until it is accepted, and while none is offered all lines are 0. The cores are offered "
    "what the block interface allows, and that of tweaks is never asked to decrypt. While there is something to do "
    "and the receiver is ready, something moves or the engine waits for a core: the core is offered a key or a block, "
    "or its result would be accepted."
)
MULTI_MODE_CLAIMS = (
    "For all messages, keys, commands and stalls, any functions E and D of key and block, and any core with the block "
    "interface that computes them: every beat that leaves is the reference's, in order; none is lost, repeated or "
    "invented. It depends on no earlier message, and on no key except the last one accepted before its command. It is "
    "{answers}. {tags}A message that is wrong, or of a mode or a direction that is not built, ends with its code. An "
    "offered beat is stable until it is accepted, unused bytes are 0, and while none is offered all lines are 0. A "
    "key is accepted when no message is open, and before a command that is offered with it. The core is offered what "
    "the block interface allows. While there is something to do and the receiver is ready, at most {clocks} "
    "consecutive clocks pass in which nothing moves and the engine does not wait for the core."
)
COUNTER_CLAIMS = (
    "For all messages, keys, commands and stalls, any function E of key and block, and any core with the block "
    "interface that computes it: every beat that leaves is the reference's, in order; none is lost, repeated or "
    "invented. It depends on no earlier message, and on no key except the last one accepted before its command. It is "
    "text + E of a counter block, incremented modulo 2^32, and the core accepted these blocks in order, whatever "
    "earlier messages left in it. A wrong message ends with its code. An offered beat is stable until it is accepted, "
    "unused bytes are 0, and while none is offered all lines are 0. A key is accepted when no message is open, and "
    "before a command that is offered with it. The core is offered what the block interface allows. While there is "
    "something to do and the receiver is ready, no two consecutive clocks pass in which nothing moves and the engine "
    "does not wait for the core."
)
GCM_AHEAD_CLAIMS = (
    "For all messages, keys, commands and stalls, any function E of key and block, and all cores with the block "
    "interface that compute it, each of which holds one block: every beat that leaves is the reference's, in order; "
    "none is lost, repeated or invented. It depends on no earlier message, and on no key except the last one accepted "
    "before its command. It is text + E(J0 + i) for block i of its message, counted modulo 2^32 from J0 = IV || 1. "
    "The cores accepted these blocks in order, whatever earlier messages left in them, and whether or not the command "
    "announces the length of the text. The tag is Y + E(J0), in as many bytes as the command requests; Y is GHASH "
    "with H = E(0) of header, ciphertext and their lengths, where p = S(p, digit, H) for each digit is the product. "
    "To compare a tag, a beat has the verdict. {text}A wrong message, including one with another length than "
    "announced, ends with its code. An offered beat is stable until it is accepted, unused bytes are 0, and while "
    "none is offered all lines are 0. Messages are opened in the order of their commands. A key is accepted when none "
    "is open and no command waits, and before a command that is offered with it. The cores are offered what the block "
    "interface allows. While there is something to do and the receiver is ready, at most {clocks} consecutive clocks "
    "pass in which nothing moves and the engine waits for no core."
)
BYTE_CLAIMS = (
    "For all messages, keys, commands and stalls, any function E of key and block, and any core of bytes with the "
    "block interface that computes it: every byte that leaves is the reference's, in order; none is lost, repeated or "
    "invented. It depends on no earlier message, and on no key except the last one accepted before its command. It is "
    "{answers}, in as many bytes as the command requests. To compare a tag, a word has the verdict. A wrong message "
    "ends with its code. An offered word is stable until it is accepted, and while none is offered all lines are 0. A "
    "key is accepted when no message is open, and before a command that is offered with it. The core is offered what "
    "the block interface allows. While there is something to do and the receiver is ready, at most 18 consecutive "
    "clocks pass in which nothing moves and the engine does not wait for the core."
)
_OF_BYTE_MODE = {
    "cmac": "the tag, E(X + M + K) of the last block, K = 2 E(0) if it is whole and 4 E(0) if not",
    "ccm": "that of the text with E(A_i) added, in the clock in which that is accepted, and then the tag, Y + E(A_0) "
    "with Y the chain E(Y + B) of B0, header and plaintext",
}
_OF_MODE = {
    "ecb": "E(T), or D(T)",
    "cbc": "E(P + C'), or D(C) + C'",
    "cfb128": "T + E(C')",
    "ofb": "T + O, O = E(O')",
    "ctr": "T + E of a counter block, incremented modulo 2^32",
    "cmac": "the tag E(X + M + K) of the last block, K = 2 E(0) if it is whole and 4 E(0) if not",
    "ccm": "T + E(Ctr_i), and the tag X + E(Ctr_0), X the chain of E over B0, header and plaintext",
    "gcm": "T + E(J0 + i), and the tag Y + E(J0), Y GHASH with H = E(0) of header, ciphertext and their lengths, where "
    "p = S(p, digit, H) for each digit is the product",
}
"""What is answered in each mode, in which C' and O' are those of the block before."""
_TAGS_OF_MODES = "A tag has as many bytes as the command requests; to compare one, a beat has the verdict. "
_AT_ONCE_OF_MODES = "It follows the text of CCM and GCM, which leaves regardless. "
_HELD_OF_MODES = (
    "Text that CCM and GCM decrypt leaves in its place if the tag is right, each beat once and in order; no byte of "
    "another message leaves. "
)
_RELEASED: Mapping[Release, str] = {
    "verified": ", and no byte of its text leaves before that is known",
    "cut-through": "; its text leaves regardless, its last beat not before that and the others at any time",
}
"""When text that was decrypted leaves, and whether it does."""
PRODUCT = "S(p, d, h) = p x^digit + d h in GF(2^128), so that all digits in turn give the product."
REACHED_TEXT = (
    "Runs reach what is claimed: the answer to a second block; for CMAC and GCM the tag of two blocks and a verdict "
    "that a tag is right; for GCM decrypted text after its verdict, or before it if the text is not held; for XTS the "
    "answers of a block and a partial one; and the code of a wrong message."
)
TIMING = (
    "No handshake, and no line that marks the end of a message, depends on a key, text, IV, counter or core's result."
)
TIMING_OF_HALVES = " The exception is whether the halves of the last key are equal, which is stored in one register."
TIMING_OF_VERDICT: Mapping[Release, str] = {
    "verified": " The exception is the verdict, which is stored in one register: its time depends on none of them, and "
    "other lines may depend on them only through its value.",
    "cut-through": " None of them depends on the verdict on a tag.",
}
TIMING_OF_SIZES = " A core takes other numbers of clocks under keys of other sizes; the engine waits for it."
TIMING_OF_B0 = " The lengths of header, text and tag in an IV of CCM are no data."
_TWO_RUNS = f"two clocks that differ in data alone, {HOW.partition(', ')[2]}"
ONE_BLOCK = " After each clock it holds at most one block."
CORE = "The cores keep their promises, with AES as the function E: the proof of one, whose files are in {}/."

ASSUMPTIONS = (
    "The sources and the claims mean what Yosys' SystemVerilog front end elaborates them to.",
    "The user offers a key, unchanged, until it is accepted; {beats}.",
    "Before the first clock, reset was given; what registers without reset hold then is unknown.",
    "ABC's solver, CaDiCaL, is right when it says that a formula has no solution; its runs are recomputed.",
    "The reference, {reference}, says what the documents say of messages; {promises}, what they say of cores.",
    "Waits of cores are bounded, by fewer than 2,048 clocks for keys and 1,024 for blocks and results.",
    "Bytes of a message are counted modulo 2^64, and a counter of 60 bits or more is never claimed to wrap.",
)
SIZES_ASSUMED = (
    "While a key is offered, key_bits_i is the code of a size that the core has, and is stable until the key is "
    "accepted."
)
MEMORY_ASSUMED = (
    "A memory outside returns, one clock after a place is read, what was last written there, until the next read, "
    "like the delivered module; that is shown for 8 places."
)
ASSUMED_OF_BUS = (
    "Each module before the engine is proved separately, with the parameters that its claims name (keys of 128 bits); "
    "the module that connects them, {}.sv, does what the test bench simulates."
)
ASSUMED_OF_WORDS = "The reference of words and beats, width_reference.sv, says what the documents say of them."

_OF_MESSAGES = {
    "beats": "nothing is assumed of {0}beats and ready",
    "reference": "message_frame.sv and message_reference.sv with ctr_mode.sv",
    "promises": "core_promises.sv",
}
_OF_CMAC = {
    "beats": "so it does with a beat of a message; nothing is assumed of {1}ready",
    "reference": "message_frame.sv and cmac_reference.sv",
    "promises": "word_promises.sv",
}

_OF_GCM = {
    "beats": "nothing is assumed of {0}beats and ready",
    "reference": "message_frame.sv and gcm_reference.sv",
    "promises": "stream_promises.sv",
}
_OF_XTS = {
    "beats": "nothing is assumed of {0}beats and ready",
    "reference": "message_frame.sv and xts_reference.sv",
    "promises": "stream_promises.sv, and for the core of tweaks word_promises.sv",
}
_OF_MODES = {
    "beats": "so it does with a beat of a message; nothing is assumed of {1}ready",
    "reference": "multi_mode_reference.sv, and release_reference.sv if text waits",
    "promises": "stream_promises.sv, and a core without a result offers 0",
}
_OF_GCM_AHEAD = {
    "beats": "so it does with a beat of a message; nothing is assumed of {1}ready",
    "reference": "gcm_ahead_reference.sv, and release_reference.sv if text waits",
    "promises": "stream_promises.sv, and after each clock a core has at most one block",
}
_OF_COUNTERS = {
    "beats": "so it does with a beat of a message; nothing is assumed of {1}ready",
    "reference": "counter_reference.sv",
    "promises": "stream_promises.sv",
}
_OF_BYTES = {
    "beats": "so it does with a byte of a message; nothing is assumed of {1}ready",
    "reference": "byte_cmac_reference.sv",
    "promises": "word_promises.sv",
}
_OF_CCM_BYTES = {
    "beats": "so it does with a command and with a byte of a message; nothing is assumed of ready",
    "reference": "byte_ccm_reference.sv",
    "promises": "word_promises.sv",
}
_OF = {"cmac": _OF_CMAC, "gcm": _OF_GCM, "xts": _OF_XTS}

_RESULT = r"u_dut\.gen_(core\[\d+\]|tweak)\.u_core\.block_o"
_VERDICT, _JUDGED, _PRODUCT = (
    f"u_dut.u_engine.{name}" for name in ("u_release.failed_q", "u_release.judge", "u_ghash.sum")
)
_EQUAL = "u_dut.u_engine.equal_q"
_LINES = (
    *("key_ready_o", "s_axis_cmd_tready", "s_axis_tready", "m_axis_tvalid", "m_axis_tlast", "m_axis_tkeep"),
    *("core_key_valid", "core_block_valid", "core_result_ready"),
)
_TWEAK_LINES = ("tweak_key_valid", "tweak_block_valid", "tweak_result_ready")
_RUN_CLOCKS, _WORD_CLOCKS, _PRODUCTS, _RUN_SECONDS, _DEEPEST = 24, 8, 4, 240.0, 10
"""Clocks of a run that refutes or reaches, more of them for each word of a block, products of GHASH that there is time
for, seconds to look for it, and bits of a counter of which all blocks are sent for one."""
_TRAFFIC_CLOCKS = 600
"""Clocks of runs of random traffic."""


@dataclass(frozen=True)
class EngineInterface(Interface):
    """What was proved: the engine in words."""

    title: str = ""

    def __str__(self) -> str:
        return f"{self.title}; keys of {', '.join(map(str, self.key_bits))} bits"


def prove_claims(
    engine: StreamEngine, folder: Path, limits: Limits, progress: Progress | None = None
) -> tuple[tuple[Part, ...], Counterexample | None]:
    """The parts of the proof of an engine around its cores, and the run that refutes it, if one does."""
    began = time.monotonic()
    claimed = claims_text(engine)

    def part(name: str, statement: str, how: str, verdict: Verdict, detail: str) -> Part:
        nonlocal began
        seconds, began = time.monotonic() - began, time.monotonic()
        return Part(name, statement, how, verdict, seconds, detail)

    try:
        design = ClaimsDesign(engine)
        netlist = elaborate(design, folder, limits.seconds, chosen_parts=True)
    except CheckError as error:
        return (part("sources", cores.READABLE, "elaboration", Verdict.REFUSED, str(error)),), None
    induction = Induction(netlist, folder, limits.seconds)
    step = None if progress is None else (lambda done, count: progress("claims", done, count))
    open_ = induction.not_shown(step)
    claims, lemmas = (len(induction.named(*kind)) for kind in ((CLAIM, DUTY), (LEMMA,)))
    size = f"{claims} claims and {lemmas} lemmas, {len(netlist.registers)} registers"
    if open_:
        if progress is not None:
            progress("run", 0, 1)
        run = _refuting(induction, engine)
        if run is not None:
            detail = f"{run.rule} is false in clock {run.clocks - 1} of a run from reset"
            return (part("claims", claimed, HOW, Verdict.REFUTED, detail),), run
        return (part("claims", claimed, HOW, Verdict.OPEN, open_),), None
    shown = part("claims", claimed, HOW, Verdict.PROVED, f"{size}; start and step")
    names = induction.named(REACHED)
    found = reached(design, netlist, names, _run_clocks(engine))
    detail = f"runs from reset of {' and '.join(str(found[name]) for name in names if name in found)} clocks"
    verdict = Verdict.PROVED if len(found) == len(names) else Verdict.OPEN
    about = part("reached", REACHED_TEXT, "runs on the netlist", verdict, detail if found else "no run was found")
    parts: tuple[Part, ...] = (shown, about, part("timing", *_timing(netlist, engine, folder, limits.seconds)))
    if isinstance(engine, GcmEngine | MultiModeEngine) and engine.leaves:
        parts += (part("product", PRODUCT, "inputs that decide sums of products", *_product(engine)),)
    if isinstance(engine, MultiModeEngine) and engine.holds_text:
        of_memory, run = prove_memory(engine, folder / "memory", limits)
        parts, began = (*parts, of_memory), time.monotonic()
        if run is not None:
            return parts, run
    if engine.key_slots == 1:
        return parts, None
    if progress is not None:
        progress("slots", 0, 1)
    of_slots, run = prove_slots(SlotsDesign(engine), folder / "slots", limits)
    return (*parts, of_slots), run


def _timing(netlist: Netlist, engine: StreamEngine, folder: Path, seconds: float) -> tuple[str, str, Verdict, str]:
    """What is claimed of the dependence of control on data, how it is shown, the verdict, and what is to be said."""
    if isinstance(engine, MultiModeEngine | ByteCcmEngine):
        try:
            if isinstance(engine, ByteCcmEngine):
                claimed = TIMING + TIMING_OF_VERDICT["cut-through"] + TIMING_OF_B0
                odd = timing_of_ccm_in_bytes(netlist, engine, _LINES, folder, seconds)
            else:
                released = engine.release if engine.holds_text else "cut-through"
                claimed = TIMING + TIMING_OF_VERDICT[released] * engine.has_tags
                claimed += TIMING_OF_B0 * ("ccm" in engine.modes) + TIMING_OF_SIZES * (len(engine.key_bits) > 1)
                odd = timing_of_modes(netlist, engine, _LINES, folder, seconds)
        except GaveUp as reason:
            return claimed, _TWO_RUNS, Verdict.OPEN, str(reason)
        if odd:
            return claimed, _TWO_RUNS, Verdict.OPEN, f"{odd} is not shown to be the same in two runs with other data"
        return claimed, _TWO_RUNS, Verdict.PROVED, "lines, and all registers but those of data, are the same in both"
    claimed = TIMING + (TIMING_OF_VERDICT[engine.release] if isinstance(engine, GcmEngine) else "")
    claimed += TIMING_OF_HALVES * isinstance(engine, XtsEngine)
    told, verdict = "their cones, through any number of clocks, have no bit of data", Verdict.PROVED
    try:
        if odd := data_in_timing(netlist, isinstance(engine, GcmEngine) and engine.release == "verified"):
            told, verdict = f"{odd} depends on data", Verdict.REFUTED
    except CheckError as error:
        told, verdict = str(error), Verdict.OPEN
    return claimed, "structure", verdict, told


def _product(engine: GcmEngine | MultiModeEngine) -> tuple[Verdict, str]:
    """Whether the step of the product that is delivered is right, and what is to be said of it."""
    if not set(engine.leaves) <= set(engine.sources):
        return Verdict.REFUSED, f"{engine.leaves[0].name} is another one than that of digits of {engine.digit} bits"
    try:
        proof = prove_product(digit_step(engine.digit, engine.splits))
    except CheckError as error:
        return Verdict.REFUTED, str(error)
    return Verdict.PROVED, f"{proof.gates} gates, {proof.inputs} inputs"


def _run_clocks(engine: StreamEngine) -> int:
    """Clocks of the longest run that is looked for."""
    words = BLOCK_BITS // min(place.core.block_width for place in engine.core_places)
    products = engine.multiplication_cycles if isinstance(engine, GcmEngine) else 0
    if isinstance(engine, MultiModeEngine):
        products = BLOCK_BITS // engine.digit
    passes = 3 if isinstance(engine, ByteCcmEngine) else 1
    return _RUN_CLOCKS + (words > 1) * words * _WORD_CLOCKS * passes + _PRODUCTS * products


def _refuting(induction: Induction, engine: StreamEngine) -> Counterexample | None:
    """A run from reset that shows a claim to be false, looked for in random traffic first, which is made for engines
    without slots for keys; then by a search: of GCM within a message first, for one from reset is long before it has a
    product, and behind a message of all blocks but two, if that is short."""
    names, beginnings = induction.named(CLAIM, DUTY), list[Beginning | None]([None])
    if engine.key_slots == 1 and (seen := TrafficRuns(induction.netlist, engine).refuting(names, _TRAFFIC_CLOCKS)):
        return induction.replayed(seen, names)
    if isinstance(engine, GcmEngine):
        beginnings = [*hashed_messages(induction.netlist, engine), None]
    if isinstance(engine, CtrEngine) and engine.counter_bits <= _DEEPEST:
        beginnings.append(long_message(induction.netlist, engine))
    for behind in beginnings:
        try:
            run = induction.run_to(names, _run_clocks(engine), behind, _RUN_SECONDS)
        except GaveUp:
            continue
        if run is not None:
            return run
    return None


def data_in_timing(netlist: Netlist, verdict_holds_text: bool = False) -> str:
    """A line of control that data reaches, empty if none is; lines and data are those inside the engine. Of an engine
    that holds text until it has a verdict that is taken for no data, and so is whether the halves of a key are equal.

    Raises CheckError if one of them is not found.
    """
    data = {net for name in ("key_i", "s_axis_tdata") for net in netlist.inputs[name]}
    data |= set(netlist.inputs["s_axis_cmd_tdata"][64:192])
    results = [nets for name, nets in netlist.names.items() if re.fullmatch(_RESULT, name)]
    lines = [f"u_dut.{name}" for name in _LINES]
    verdict = set[int](netlist.names.get(_EQUAL, ()))
    lines += [f"u_dut.{name}" for name in _TWEAK_LINES if _EQUAL in netlist.names]
    if _VERDICT in netlist.names:
        verdict = set(netlist.names[_VERDICT]) if verdict_holds_text else verdict
        lines.append(_JUDGED)
        results.append(netlist.names[_PRODUCT])
    if not results or (lacking := [name for name in lines if name not in netlist.names]):
        raise CheckError(f"{netlist.name}: {lacking[0] if results else 'a result'} is not found in the netlist")
    data.update(net for nets in results for net in nets)
    return depending(netlist, {name: netlist.names[name] for name in lines}, data, verdict)


def claims_text(engine: StreamEngine) -> str:
    """What is claimed of an engine, in words; of one with slots for keys, of what is behind them."""
    if engine.key_slots > 1:
        behind = claims_text(replace(engine, key_slots=1))
        return f"For keys and commands as the key slots pass them on: {behind[0].lower()}{behind[1:]}"
    if isinstance(engine, GcmEngine):
        return GCM_CLAIMS.format(release=_RELEASED[engine.release])
    if isinstance(engine, XtsEngine):
        return XTS_CLAIMS
    if isinstance(engine, MultiModeEngine):
        return _claims_of_modes(engine)
    if isinstance(engine, CounterEngine):
        return COUNTER_CLAIMS
    if isinstance(engine, ByteEngine):
        return BYTE_CLAIMS.format(answers=_OF_BYTE_MODE[engine.mode])
    if engine.mode == "cmac":
        return CMAC_CLAIMS
    return CTR_CLAIMS


def _claims_of_modes(engine: MultiModeEngine) -> str:
    """What is claimed of an engine of several modes, in words."""
    if isinstance(engine, GcmAheadEngine):
        text = _HELD_OF_MODES if engine.holds_text else _AT_ONCE_OF_MODES
        return GCM_AHEAD_CLAIMS.format(
            text=text.replace("CCM and GCM decrypt leaves", "is decrypted leaves").replace("of CCM and GCM, ", ""),
            clocks=2 * BLOCK_BITS // engine.digit + 4,
        )
    answers = "; ".join(f"for {name.upper()} {_OF_MODE[name]}" for name in MESSAGE_MODES if name in engine.modes)
    tags = _TAGS_OF_MODES * engine.has_tags
    if {"ccm", "gcm"} & {*engine.modes}:
        tags += _HELD_OF_MODES if engine.holds_text else _AT_ONCE_OF_MODES
    clocks = 3 * BLOCK_BITS // engine.digit + 8
    return MULTI_MODE_CLAIMS.format(answers=answers, tags=tags, clocks=clocks)


def assumptions(engine: StreamEngine) -> tuple[str, ...]:
    """What the proof of an engine takes for granted, in words."""
    modes, ahead = isinstance(engine, MultiModeEngine), isinstance(engine, ByteEngine | CounterEngine)
    none = ("Waits", "Bytes of a message") if modes or ahead else ("Waits",) if engine.mode in ("gcm", "xts") else ()
    lines = [line for line in ASSUMPTIONS if not line.startswith(none)]
    lines += [SIZES_ASSUMED] * (len(engine.key_bits) > 1)
    lines += [MEMORY_ASSUMED] * (isinstance(engine, MultiModeEngine) and engine.holds_text)
    if engine.key_slots > 1:
        lines.append(SLOTS_ASSUMED)
    lines += [ASSUMED_OF_BUS.format(engine.name)] * bool(engine.bus)
    behind = engine.behind_bus
    lines += [ASSUMED_OF_WORDS] * (behind.wide is not behind)
    lines += [STREAMS_ASSUMED] * engine.clear
    lines += [SCAN_ASSUMED] * engine.scan_enable
    commands = ("", "") if engine.key_slots > 1 else ("commands, ", "commands and ")
    of = (
        _OF_GCM_AHEAD
        if isinstance(engine, GcmAheadEngine)
        else _OF_MODES
        if modes
        else _OF_CCM_BYTES
        if isinstance(engine, ByteCcmEngine)
        else _OF_BYTES
        if isinstance(engine, ByteEngine)
        else _OF_COUNTERS
        if ahead
        else _OF.get(engine.mode, _OF_MESSAGES)
    )
    words = {name: text.format(*commands) for name, text in of.items()}
    return tuple(line.format(**words) for line in lines)


def check_claimed(engine: StreamEngine) -> None:
    """Raise RequestError for an engine of a mode of which nothing is claimed."""
    structure_of(engine.behind_bus.wide.direct)


def _with_converters(
    engine: StreamEngine, folder: Path, limits: Limits, progress: Progress | None
) -> tuple[tuple[Part, ...], Counterexample | None]:
    """The parts of an engine whose stream is narrower than a block: of what makes beats of words and words of beats,
    and then those of the engine of whole beats inside, whose files are in a folder of its own."""
    parts, run = prove_converters(engine, folder, limits)
    if any(part.verdict is not Verdict.PROVED for part in parts):
        return parts, run
    wide = engine.wide
    inner, run = _parts(wide, folder / "wide", limits, progress)
    of_wide = f"For {wide.name}, the engine of whole beats inside, whose files are in wide/: "
    return parts + tuple(replace(part, statement=of_wide + part.statement) for part in inner), run


def _with_registers(
    engine: StreamEngine, folder: Path, limits: Limits, progress: Progress | None
) -> tuple[tuple[Part, ...], Counterexample | None]:
    """The parts of an engine with registers for beats: of these, and then those of the engine between them, whose files
    are in a folder of its own."""
    parts, run = prove_registers(engine, folder, limits)
    if any(part.verdict is not Verdict.PROVED for part in parts):
        return parts, run
    direct = engine.direct
    inner, run = _parts(direct, folder / "direct", limits, progress)
    of_direct = f"For {direct.name}, the engine between these registers, whose files are in direct/: "
    return parts + tuple(replace(part, statement=of_direct + part.statement) for part in inner), run


def _with_clear(
    engine: StreamEngine, folder: Path, limits: Limits, progress: Progress | None
) -> tuple[tuple[Part, ...], Counterexample | None]:
    """The parts of an engine that can be cleared: of its clear, of what keeps its streams whole, and then those of the
    engine inside while it is not cleared. The files of each are in a folder of their own."""
    cleared, run = clear_of_registers(engine, folder / "clear", limits)
    if cleared.verdict is not Verdict.PROVED:
        return (cleared,), run
    around, run = prove_streams(engine, folder / "streams", limits)
    parts = (cleared, *around)
    if any(part.verdict is not Verdict.PROVED for part in parts):
        return parts, run
    inside = engine.cleared
    inner, run = _parts(inside, folder / "inside", limits, progress)
    of_inside = f"For {inside.name}, the engine inside, while clear_i is 0, whose files are in inside/: "
    return parts + tuple(replace(part, statement=of_inside + part.statement) for part in inner), run


def _with_bus(
    engine: StreamEngine, folder: Path, limits: Limits, progress: Progress | None
) -> tuple[tuple[Part, ...], Counterexample | None]:
    """The parts of an engine with registers: of the modules before it, and then those of the engine behind them, whose
    files are in a folder of its own."""
    parts, run = parts_before(engine, folder, limits)
    if any(part.verdict is not Verdict.PROVED for part in parts):
        return parts, run
    behind = engine.behind_bus
    inner, run = _parts(behind, folder / "engine", limits, progress)
    of_engine = f"For {behind.name}, the engine inside the bus registers, whose files are in engine/: "
    return parts + tuple(replace(part, statement=of_engine + part.statement) for part in inner), run


def _parts(
    engine: StreamEngine, folder: Path, limits: Limits, progress: Progress | None
) -> tuple[tuple[Part, ...], Counterexample | None]:
    """The parts of an engine, whatever stands around the one that claims are made of."""
    if engine.bus:
        return _with_bus(engine, folder, limits, progress)
    if engine.cleared is not engine:
        return _with_clear(engine, folder, limits, progress)
    if engine.wide is not engine:
        return _with_converters(engine, folder, limits, progress)
    how = prove_claims if engine.direct is engine else _with_registers
    return how(engine, folder, limits, progress)


def _of_core(
    place: CorePlace, core: CoreDesign, folder: Path, limits: Limits, progress: Progress | None, *, one_block: bool
) -> Part:
    """The proof of the core in a place of an engine; with `one_block` it is open of a core that holds more."""
    began = time.monotonic()
    report = cores.prove(core, folder / place.name, replace(limits, blocks=1) if one_block else limits, progress)
    told, verdict = "; ".join(f"{part.name}: {part.verdict}" for part in report.parts), report.verdict
    if one_block and any(part.engine == SLOT_PROOF for part in report.parts):
        told, verdict = f"{told}; it is a pipeline", Verdict.OPEN if verdict is Verdict.PROVED else verdict
    seconds = time.monotonic() - began
    said = CORE.format(place.name) + ONE_BLOCK * one_block
    return Part(place.name, said, "the proof of cores", verdict, seconds, told, (place.name,))


def prove_engine(
    engine: StreamEngine,
    folder: Path,
    limits: Limits | None = None,
    progress: Progress | None = None,
    *,
    simulated: bool = False,
) -> ProofReport:
    """Prove an engine and a core of each of its places, leaving every file of the proof in `folder`, which is made.

    With `simulated` the sources of an engine that is proved are run beside its netlist, as those of a core in `prove`.
    An engine that is refused or refuted is no error: the report says so. Raises RequestError for an engine of a mode of
    which nothing is claimed, ToolError if Yosys or ABC is missing or fails.
    """
    check_claimed(engine)
    began = time.monotonic()
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("report.json", "report.md"):
        (folder / name).unlink(missing_ok=True)
    limits = limits or Limits()
    if progress is not None:
        progress("elaboration", 0, 1)
    parts, run = _parts(engine, folder, limits, progress)
    if all(part.verdict is Verdict.PROVED for part in parts):
        placed = zip(engine.core_places, delivered_cores(engine), strict=True)
        if engine.scan_enable:
            parts += (wiring_part(engine, folder / "scan_enable"),)
        one_block = isinstance(engine, GcmAheadEngine)
        parts += tuple(_of_core(place, core, folder, limits, progress, one_block=one_block) for place, core in placed)
    shows: Simulated | None = None
    if simulated and all(part.verdict is Verdict.PROVED for part in parts):
        shows, odd = simulated_part(engine.behind_bus.measured, None, _CLOCKS, progress)
        parts += odd
    shown = None
    if run is not None:
        waveform = folder / f"{engine.name}-counterexample.vcd"
        waveform.write_text(run.waveform())
        shown = ShownCounterexample(run.rule, run.clocks, waveform)
    report = ProofReport(
        engine.name,
        engine.source_hash,
        EngineInterface(engine.key_bits, tuple(map(str, engine.directions)), 1, (1,), engine.title),
        {source.name: hashlib.sha256(source.text.encode()).hexdigest() for source in engine.sources},
        parts,
        assumptions(engine),
        shown,
        {"aesmith": metadata.version("aesmith"), "pyosys": yosys_version()},
        round(time.monotonic() - began, 3),
        simulated=shows,
    )
    write_whole(folder / "report.json", json.dumps(report.as_json(), indent=2, ensure_ascii=False), "report")
    write_whole(folder / "report.md", report.as_markdown(), "report")
    return report
