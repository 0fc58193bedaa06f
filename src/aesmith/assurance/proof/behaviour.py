"""What a core does, proved on its netlist: constant time, every result, progress.

Two engines: the walk over all states, for cores that hold few blocks; and the slot proof, for pipelines.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from aesmith.assurance.proof.certificate import slot_certificate, walk_certificate
from aesmith.assurance.proof.data import Tokens
from aesmith.assurance.proof.explore import Explorer, Violation, Walk
from aesmith.assurance.proof.interface import CLEAR_INPUT, HANDSHAKES, RESULT, RESULT_VALID, BlockPorts
from aesmith.assurance.proof.liveness import Bound, bounds
from aesmith.assurance.proof.netlist import FALSE, TRUE, Counterexample, Netlist, words_of
from aesmith.assurance.proof.pace import UNKNOWN, evaluate
from aesmith.assurance.proof.partition import find_pipeline, timing_independence
from aesmith.assurance.proof.replay import UNDEFINED_WAYS, Replayer, settled, triggers
from aesmith.assurance.proof.report import Limits, Part, Property, Verdict
from aesmith.assurance.proof.slot_clocks import SlotProof
from aesmith.assurance.proof.slots import SlotProver
from aesmith.errors import CheckError
from aesmith.progress import Progress

ENGINE = "exhaustive symbolic walk"
SLOTS = "slot proof"

EVERY_RESULT = (
    "After reset, under every interleaving of handshakes, for all keys and blocks: each result is that of AES for its "
    "block and the last key accepted before it, in order, none lost or repeated; offered results are stable until "
    "accepted; valid does not wait for ready; while nothing is offered no bit of block_o is a bit of a key, or a sum "
    "of such bits."
)
PROGRESS = (
    "Whatever is offered on the other channels, and whenever the receiver is ready: a result is offered within a "
    "bound, even if ready is always 0; an offered key is accepted within a bound; an offered block is accepted within "
    "a bounded number of clocks in which no key is accepted. Clocks in which a result is offered and not accepted, or "
    "in which the next beat of a started block or key is missing, do not count."
)
WAITING = "cycles and longest chain of waiting clocks"
RUNS = 6

MOST_TRAVELLING = 16
"""Registers of control that travel with blocks, up to which a walk over all states is tried."""

UNSETTLED = (
    "; runs had each way for undefined levels, but states were not walked with the levels known, because time depends "
    "on data"
)
"""Added to what no run shows, where constant time is refuted: only the walk with free levels was made then."""

QUIET = (
    "While block_valid_o is 0, block_o is 0 for all inputs and register contents: nothing of a key or block is seen."
)
BARE = "The output is bare, so the only claim on block_o while block_valid_o is 0 is that it shows no bit of a key."
CLEARS = (
    "In a clock in which clear_i is 1 nothing is offered and nothing accepted, and block_o of a quiet core is 0. "
    "After it each register has its reset value if it has a reset, and a constant otherwise: none depends on an "
    "earlier key or block. What follows is what follows reset, which the other parts cover; in those clear_i is 0."
)
_Wanted = tuple[str, int, int | None]
"""What a net is, the net, and the level it must have; None for any, if it is constant."""
UNSEEN = "is not known: not all states were seen"
CASES = 4096
"""Levels of all inputs and registers that are tried on what gates do not show."""

STATES = ("netlist.json", "states.json")

CONTEXT = (
    "After reset, whatever is in the pipeline: no block is accepted before there is a key; valid does not wait for "
    "ready; what is offered is offered until it is accepted; the pipeline stops exactly while a result waits, and "
    "accepts no block then."
)
BLOCKS = (
    "A block accepted in any of these contexts, in any direction, is offered as AES computes it under the last key "
    "accepted before it, N moves of the pipeline later, and until it is accepted: for all keys and blocks, and "
    "whatever other blocks and keys do."
)
ORDER = (
    "An empty slot, or one that its block has left, offers nothing, and returns to the entry after L moves; N is a "
    "multiple of L; after each L moves short of N a block is at the entry, offers nothing, and no other is accepted."
)


@dataclass(frozen=True)
class Outcome:
    """The parts of a proof that concern behaviour, a run that breaks a rule, and what the engine found.

    `states` are the states found, as plain JSON values; None if no engine was needed. `certificate` is what a checker
    needs of a proof, but for what is claimed of which sources; None without a proof.
    """

    parts: tuple[Part, ...]
    run: Counterexample | None = None
    walk: Walk | None = None
    states: Mapping[str, object] | None = None
    properties: tuple[Property, ...] = ()
    certificate: Mapping[str, object] | None = None

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

    Begins with some random runs of `clocks` clocks, because most wrong cores fail in the first and need no engine.
    `tokens`, kept from one core to the next of its kind, saves the time to compute AES again. There is no certificate
    of a core that waits for fresh bits: the checker does not know their channel.
    """
    time_part = _constant_time(netlist)
    quiet_part, shown = quiet_output(netlist) if ports.quiet else (None, None)
    if quiet_part is not None and shown is not None:
        return Outcome((time_part, quiet_part), shown)
    last = () if quiet_part is None else (quiet_part,)
    began = time.monotonic()
    replayer = Replayer(netlist, ports)
    run = replayer.hunt(RUNS, clocks)
    if run is not None:
        detail = f"{run.rule}, in clock {run.clocks - 1}"
        seconds = time.monotonic() - began
        parts = [
            Part("every result", EVERY_RESULT, "random runs", Verdict.REFUTED, seconds, detail),
            Part("progress", PROGRESS, WAITING, Verdict.OPEN, 0.0, "not looked at: a result is wrong"),
        ]
        if run.rule.startswith("for ever"):
            parts = [
                Part("every result", EVERY_RESULT, ENGINE, Verdict.OPEN, 0.0, "not looked at: something never comes"),
                Part("progress", PROGRESS, "random runs", Verdict.REFUTED, seconds, detail),
            ]
        return Outcome((time_part, *parts, *last), run)
    pipeline = find_pipeline(netlist) if ports.in_one_beat else None
    walk: Walk | None = None
    certify: Callable[[], Mapping[str, object]] | None = None
    tokens = tokens or Tokens()
    if pipeline is not None and len(pipeline.travelling) > MOST_TRAVELLING:
        prover = SlotProver(netlist, ports, pipeline, tokens)
        proof = prover.run(limits, progress)
        parts, violation, states, idle = _slot_parts(proof), proof.violation, proof.as_json(), prover.idle
        certify = partial(slot_certificate, netlist, prover, ports.shape.key_bits)
    else:
        explorer = Explorer(netlist, ports, tokens)
        walk = explorer.run(limits, lambda done, known: progress("states", done, known) if progress else None)
        (parts, found), states, idle = _walk_parts(walk, ports), walk.as_json(), explorer.idle
        violation = walk.violation or next((bound.violation for bound in found if bound.violation is not None), None)
        certify = partial(walk_certificate, netlist, explorer, walk, found, ports.shape)
    if violation is not None:
        run = replayer.show(violation)
        if run is None and not violation.rule.startswith("for ever"):
            run = replayer.show_with(violation, triggers(netlist, ports, violation))
        if run is None and netlist.free and time_part.verdict is Verdict.PROVED:
            # A run that goes on for ever shows only where every level is known, and time does not depend on data.
            for way in UNDEFINED_WAYS:
                defined = prove_netlist(settled(netlist, way), ports, limits, progress, tokens=tokens, clocks=clocks)
                if defined.run is not None:
                    return defined
        if run is None:
            # What the engine cannot follow may still be right.
            unsettled = bool(netlist.free) and time_part.verdict is not Verdict.PROVED
            parts = [_open(part, unsettled) if part.verdict is Verdict.REFUTED else part for part in parts]
    ended = violation is None and all(part.verdict is Verdict.PROVED for part in parts)
    seen = () if ports.quiet else (Property("quiet output", BARE, f"bare: it {idle.text if ended else UNSEEN}"),)
    proved = ended and all(part.verdict is Verdict.PROVED for part in (time_part, *last))
    certificate = certify() if certify is not None and proved and not ports.waits_for_fresh else None
    return Outcome((time_part, *parts, *last), run, walk, states, seen, certificate)


def _constant_time(netlist: Netlist) -> Part:
    began = time.monotonic()
    independence = timing_independence(netlist)
    return Part(
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


def quiet_output(netlist: Netlist) -> tuple[Part, Counterexample | None]:
    """That an output shows nothing while nothing is offered; if it does, a clock that shows it."""
    began = time.monotonic()
    offered, bits = netlist.outputs[RESULT_VALID][0], netlist.outputs[RESULT]
    levels = [FALSE, TRUE, *(UNKNOWN for _ in range(2, netlist.net_count))]
    levels[offered] = 0
    evaluate([gate for gate in netlist.gates if gate.output != offered], levels)
    open_bits = [i for i, net in enumerate(bits) if levels[net] != 0]
    verdict, run = Verdict.PROVED, None
    detail = f"each of {len(bits)} bits has a gate that block_valid_o closes"
    if open_bits:
        verdict, detail = Verdict.OPEN, f"no gate shows it of block_o[{open_bits[0]}], and no clock that was tried"
        run = _shown_idle(netlist, offered, bits)
    if run is not None:
        verdict, detail = Verdict.REFUTED, run.rule
    seconds = time.monotonic() - began
    return Part("quiet output", QUIET, "structure of gates", verdict, seconds, detail), run


def clear_part(
    netlist: Netlist, shown: Sequence[str] = HANDSHAKES, *, quiet: bool = True
) -> tuple[Part, Counterexample | None]:
    """That `clear_i` leaves nothing of what registers held, and takes control to reset; if not, a clock that shows it.

    The outputs `shown` are to be 0 in that clock, and of a `quiet` core `block_o`. Raises CheckError if there is no
    `clear_i` of one bit.
    """
    began = time.monotonic()
    lines = netlist.inputs.get(CLEAR_INPUT, ())
    if len(lines) != 1:
        raise CheckError(f"{netlist.name}: input {CLEAR_INPUT} has {len(lines) or 'no'} bits in the sources, not 1")
    levels = [FALSE, TRUE, *(UNKNOWN for _ in range(2, netlist.net_count))]
    levels[lines[0]] = 1
    evaluate(netlist.gates, levels)
    wanted = [(f"register {r.name} after {CLEAR_INPUT}", r.d, r.reset) for r in netlist.registers]
    wanted += [(f"{name} while {CLEAR_INPUT} is 1", netlist.outputs[name][0], 0) for name in shown]
    result = netlist.outputs[RESULT] if quiet else ()
    wanted += [(f"{RESULT}[{i}] while {CLEAR_INPUT} is 1", net, 0) for i, net in enumerate(result)]
    unshown = [each for each in wanted if levels[each[1]] not in ((0, 1) if each[2] is None else (each[2],))]
    reset = sum(register.reset is not None for register in netlist.registers)
    detail = f"{reset} registers as after reset, {len(netlist.registers) - reset} at a constant"
    detail += f", {len(shown)} lines inactive" * bool(shown) + ", block_o 0" * quiet
    verdict, run = Verdict.PROVED, None
    if unshown:
        run = _not_cleared(netlist, lines[0], unshown)
        verdict, detail = Verdict.OPEN, f"gates do not show the level of {unshown[0][0]}"
    if run is not None:
        verdict, detail = Verdict.REFUTED, run.rule
    return Part("clear", CLEARS, "run with unknown levels", verdict, time.monotonic() - began, detail), run


def _not_cleared(netlist: Netlist, line: int, wanted: Sequence[_Wanted]) -> Counterexample | None:
    """A clock of random levels in which `clear_i` is 1 and one of these nets has not the level it must have."""
    chance, every = random.Random(1), (1 << CASES) - 1
    inputs = [every if net == line else chance.getrandbits(CASES) for net in netlist.input_bits]
    registers = [chance.getrandbits(CASES) for _ in netlist.registers]
    words = words_of(netlist, [net for _, net, _ in wanted], every, inputs, registers)
    for (what, _, level), word in zip(wanted, words, strict=True):
        wrong = word ^ every if level else word
        if wrong and (level is not None or word != every):
            rule = f"{what} is {1 - (level or 0)}" if wrong == every else f"{what} depends on what came before"
            case = wrong.bit_length() - 1
            rows = (tuple(word >> case & 1 for word in words) for words in (inputs, registers))
            return Counterexample(rule, netlist, *((row,) for row in rows))
    return None


def _shown_idle(netlist: Netlist, offered: int, bits: Sequence[int]) -> Counterexample | None:
    """A clock of random levels in which nothing is offered, and a bit of the result is 1."""
    chance = random.Random(1)
    inputs = [chance.getrandbits(CASES) for _ in netlist.input_bits]
    registers = [chance.getrandbits(CASES) for _ in netlist.registers]
    is_offered, *words = words_of(netlist, [offered, *bits], (1 << CASES) - 1, inputs, registers)
    for i, word in enumerate(words):
        if found := word & ~is_offered:
            case = found.bit_length() - 1
            levels = (tuple(word >> case & 1 for word in words) for words in (inputs, registers))
            return Counterexample(f"block_o[{i}] is 1 while block_valid_o is 0", netlist, *((row,) for row in levels))
    return None


def _open(part: Part, unsettled: bool) -> Part:
    """The part, refuted by the engine alone; `unsettled` if it was not asked again with undefined levels known."""
    detail = f"{part.detail}; but no run that was tried shows it"
    return replace(part, verdict=Verdict.OPEN, detail=detail + (UNSETTLED if unsettled else ""))


def _broken(violation: Violation) -> str:
    return f"{violation.rule}, in clock {len(violation.path) - 1}"


def _walk_parts(walk: Walk, ports: BlockPorts) -> tuple[list[Part], tuple[Bound, ...]]:
    verdict = Verdict.PROVED
    detail = f"{len(walk.automata):,} states, {walk.transitions:,} clocks: all there are"
    if walk.violation is not None:
        verdict, detail = Verdict.REFUTED, _broken(walk.violation)
    elif walk.open_reason:
        verdict, detail = Verdict.OPEN, walk.open_reason
    results = Part("every result", EVERY_RESULT, ENGINE, verdict, walk.seconds, detail, STATES)
    if verdict is not Verdict.PROVED:
        return [results, Part("progress", PROGRESS, WAITING, Verdict.OPEN, 0.0, "needs all states")], ()
    began = time.monotonic()
    found = bounds(walk, ports.shape)
    progress = Part(
        "progress",
        PROGRESS,
        WAITING,
        Verdict.REFUTED if any(bound.violation for bound in found) else Verdict.PROVED,
        time.monotonic() - began,
        "; ".join(f"for ever: {b.what}" if b.violation else f"{b.what}: {b.clocks} clocks" for b in found),
    )
    return [results, progress], found


def _slot_parts(proof: SlotProof) -> list[Part]:
    figures = {
        "context": f"{proof.contexts:,} states, {proof.context_clocks:,} clocks: all there are",
        "blocks": f"{proof.travels:,} states of a block on its way; N is {proof.moves}",
        "order": f"L is {proof.period}",
        "progress": f"at most: a block until its result is offered: {proof.result_bound} clocks; a key until it is "
        f"taken: {proof.key_bound} clocks; a block until it or a key is taken: {proof.block_bound} clocks",
    }
    statements = {"context": CONTEXT, "blocks": BLOCKS, "order": ORDER, "progress": PROGRESS}
    titles = {"context": "every handshake", "blocks": "every block", "order": "order", "progress": "progress"}
    parts = []
    ended = False
    for name, statement in statements.items():
        if name in proof.seconds:
            verdict, detail = Verdict.PROVED, figures[name]
        elif ended:
            verdict, detail = Verdict.OPEN, "needs the parts before it"
        elif proof.violation is not None:
            verdict, detail, ended = Verdict.REFUTED, _broken(proof.violation), True
        else:
            verdict, detail, ended = Verdict.OPEN, proof.open_reason, True
        parts.append(Part(titles[name], statement, SLOTS, verdict, proof.seconds.get(name, 0.0), detail, STATES))
    return parts
