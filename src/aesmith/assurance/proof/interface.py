"""The block interface, twice: as the ports of a netlist, and as the automaton of its rules that runs in lockstep.

The automaton knows keys and blocks by number only. What is computed of them is the business of the domain the core runs
in: symbolic forms in the proof, bytes in the replay of a counterexample.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from aesmith.assurance.proof.netlist import Netlist
from aesmith.cores.design import CoreDesign, Direction
from aesmith.cores.ports import CLEAR, SIZE_CODES, PortDirection, block_interface
from aesmith.errors import CheckError, RequestError

_NAMES = {port.role: port.name for port in block_interface(tuple(SIZE_CODES), tuple(Direction))}
RESULT, RESULT_VALID = _NAMES["result.result"], _NAMES["result.valid"]
"""The output that is data, and the line that says when it is."""
HANDSHAKES = tuple(_NAMES[role] for role in ("key.ready", "block.ready", "result.valid"))
"""The outputs that are lines, in the order in which proofs have them."""
PAYLOADS = (_NAMES["key.key"], _NAMES["block.block"])
"""The inputs that are data."""
FRESH_VALID, FRESH_READY = "random_valid_i", "random_ready_o"
"""The handshake of the channel of fresh bits, that of a masked core."""
CLEAR_INPUT = CLEAR.payloads[0].port
"""The input that wipes a core that can be cleared."""
IDLE_CODES = tuple(-code for code in range(4))
"""Sizes of a stimulus that stand for what is on `key_bits_i` while no key is offered: any code, also an illegal one."""

_BITS = [bytes(byte >> i & 1 for i in range(8)) for byte in range(256)]


@dataclass(frozen=True)
class Stimulus:
    """The control inputs of one clock. `withheld`: a masked core is offered no fresh bits."""

    key_valid: bool
    block_valid: bool
    block_ready: bool
    decrypt: bool = False
    key_bits: int = 0
    withheld: bool = False


@dataclass(frozen=True)
class Handshakes:
    """The control outputs of one clock."""

    key_ready: bool
    block_ready: bool
    block_valid: bool


@dataclass(frozen=True)
class Shape:
    """Beats of a block; the key sizes, the width of the key channel, and all registers of the core, in bits."""

    block_beats: int
    key_width: int
    key_bits: tuple[int, ...]
    register_bits: int

    def key_beats(self, key_bits: int) -> int:
        """Transfers of one key."""
        return max(1, key_bits // self.key_width)


@dataclass(frozen=True)
class Key:
    """A key by number, with its size in bits."""

    number: int
    bits: int


@dataclass(frozen=True)
class Job:
    """A block under way: which, under which key, in which direction, how many beats came in and went out."""

    block: int
    key: Key
    decrypt: bool
    taken: int
    left: int = 0


@dataclass(frozen=True)
class Automaton:
    """The state of the specification.

    `key` is the last key accepted; `arriving` a key of which `arrived` beats were accepted. `jobs` are the blocks under
    way, the oldest first; only the last can be incomplete, only the first partly gone. `offered` is set while a beat
    of a result was valid and not ready. With senders that keep the handshake's rules, `key_waits` and `block_waits`
    hold what must stay valid.
    """

    key: Key | None = None
    arriving: Key | None = None
    arrived: int = 0
    jobs: tuple[Job, ...] = ()
    offered: bool = False
    key_waits: Stimulus | None = None
    block_waits: Stimulus | None = None

    @property
    def keys(self) -> frozenset[int]:
        """Numbers of all keys that still matter."""
        named = [self.key, self.arriving, *(job.key for job in self.jobs)]
        return frozenset(key.number for key in named if key is not None)

    @property
    def blocks(self) -> frozenset[int]:
        """Numbers of all blocks that still matter."""
        return frozenset(job.block for job in self.jobs)


@dataclass(frozen=True)
class Transfers:
    """What one clock moves. Numbers are those of the key and block (None: no transfer); beats count from 0."""

    key: Key | None = None
    key_beat: int = 0
    block: int | None = None
    block_beat: int = 0
    result: Job | None = None


def permitted(state: Automaton, shape: Shape, stimulus: Stimulus) -> bool:
    """Whether senders that keep the handshake's rules may give this stimulus."""
    key, block = state.key_waits, state.block_waits
    last = state.jobs[-1] if state.jobs else None
    begun = last is not None and last.taken < shape.block_beats
    if begun and last is not None and stimulus.block_valid and stimulus.decrypt != last.decrypt:
        return False
    arriving = state.arriving
    if arriving is not None and stimulus.key_valid and stimulus.key_bits not in (0, arriving.bits):
        return False
    if key is not None and not (stimulus.key_valid and stimulus.key_bits == key.key_bits):
        return False
    return block is None or (stimulus.block_valid and stimulus.decrypt == block.decrypt)


def broken_rule(state: Automaton, shape: Shape, stimulus: Stimulus, shakes: Handshakes) -> str:
    """Which rule of the handshakes a clock breaks, whatever its data; empty if none."""
    taking = stimulus.block_valid and shakes.block_ready
    begins = not state.jobs or state.jobs[-1].taken == shape.block_beats
    if taking and begins and state.key is None:
        return "a block is accepted before there is a key"
    if shakes.block_valid and not state.jobs:
        return "a result is offered, and no block is under way"
    if shakes.block_valid and state.jobs[0].taken < shape.block_beats:
        return "a result is offered before its block has come"
    held = sum(job.taken - job.left for job in state.jobs) * (128 // shape.block_beats)
    if held > shape.register_bits:
        return "more is under way than all registers can hold: a block is lost"
    if state.offered and not shakes.block_valid:
        return "a result was offered and not taken, and is no longer offered"
    return ""


def transfers(state: Automaton, shape: Shape, stimulus: Stimulus, shakes: Handshakes) -> Transfers:
    """What the clock moves. New keys and blocks get the lowest number that is free."""
    key, key_beat, block, block_beat = None, 0, None, 0
    if stimulus.key_valid and shakes.key_ready:
        if state.arriving is not None:
            key, key_beat = state.arriving, state.arrived
        else:
            key = Key(_free(state.keys), stimulus.key_bits or shape.key_bits[0])
    if stimulus.block_valid and shakes.block_ready:
        last = state.jobs[-1] if state.jobs else None
        if last is not None and last.taken < shape.block_beats:
            block, block_beat = last.block, last.taken
        else:
            block = _free(state.blocks)
    result = state.jobs[0] if state.jobs and shakes.block_valid else None
    return Transfers(key, key_beat, block, block_beat, result)


def following(
    state: Automaton, shape: Shape, stimulus: Stimulus, shakes: Handshakes, moved: Transfers, *, polite: bool
) -> Automaton:
    """The state after the clock. With `polite`, senders keep the handshake's rules."""
    jobs = state.jobs
    if moved.block is not None:
        if moved.block_beat:
            jobs = (*jobs[:-1], replace(jobs[-1], taken=jobs[-1].taken + 1))
        elif state.key is not None:
            jobs = (*jobs, Job(moved.block, state.key, stimulus.decrypt, 1))
    if moved.result is not None and stimulus.block_ready:
        first = replace(jobs[0], left=jobs[0].left + 1)
        jobs = jobs[1:] if first.left == shape.block_beats else (first, *jobs[1:])
    key, arriving, arrived = state.key, state.arriving, state.arrived
    if moved.key is not None:
        arriving, arrived = moved.key, moved.key_beat + 1
        if arrived == shape.key_beats(moved.key.bits):
            key, arriving, arrived = moved.key, None, 0
    return Automaton(
        key,
        arriving,
        arrived,
        jobs,
        offered=shakes.block_valid and not stimulus.block_ready,
        key_waits=stimulus_of_key(stimulus) if polite and stimulus.key_valid and not shakes.key_ready else None,
        block_waits=stimulus_of_block(stimulus) if polite and stimulus.block_valid and not shakes.block_ready else None,
    )


def stimulus_of_key(stimulus: Stimulus) -> Stimulus:
    """The part of a stimulus that belongs to the key channel."""
    return Stimulus(stimulus.key_valid, False, False, key_bits=stimulus.key_bits)


def stimulus_of_block(stimulus: Stimulus) -> Stimulus:
    """The part of a stimulus that belongs to the input block channel."""
    return Stimulus(False, stimulus.block_valid, False, stimulus.decrypt)


def _free(used: frozenset[int]) -> int:
    return next(number for number in range(len(used) + 1) if number not in used)


def in_order_of_age(state: Automaton) -> tuple[dict[int, int], dict[int, int]]:
    """New numbers for keys and blocks: the last key accepted is 0, the oldest block is 0.

    States that differ in numbers only become one by it.
    """
    keys = [state.key, *(job.key for job in reversed(state.jobs)), state.arriving]
    key_numbers = list(dict.fromkeys(key.number for key in keys if key is not None))
    block_numbers = list(dict.fromkeys(job.block for job in state.jobs))
    return {old: new for new, old in enumerate(key_numbers)}, {old: new for new, old in enumerate(block_numbers)}


def renumbered(state: Automaton, keys: dict[int, int], blocks: dict[int, int]) -> Automaton:
    """The state with other numbers."""

    def key(old: Key | None) -> Key | None:
        return None if old is None else Key(keys[old.number], old.bits)

    jobs = tuple(
        replace(job, block=blocks[job.block], key=Key(keys[job.key.number], job.key.bits)) for job in state.jobs
    )
    return replace(state, key=key(state.key), arriving=key(state.arriving), jobs=jobs)


@dataclass(frozen=True)
class BlockPorts:
    """The ports of a core. `inputs` and `outputs` are (name, width) in the netlist's order.

    `quiet` says that `block_o` is claimed to be 0 while no result is offered, `waits_for_fresh` that the core takes
    fresh bits by a channel, and may wait for them.
    """

    shape: Shape
    has_direction: bool
    has_key_size: bool
    decrypts: bool
    inputs: tuple[tuple[str, int], ...]
    outputs: tuple[tuple[str, int], ...]
    handshake_nets: tuple[int, ...]
    quiet: bool = False
    waits_for_fresh: bool = False

    @property
    def in_one_beat(self) -> bool:
        """Whether keys and blocks come and go in one transfer."""
        return self.shape.block_beats == 1 and max(self.shape.key_bits) == self.shape.key_width

    def input_levels(self, levels: Sequence[int], key: bytes, block: bytes) -> bytes:
        """All input bits in the netlist's order, a byte each: `levels` of control, and the bytes of one beat."""
        pieces, first = [], 0
        for name, width in self.inputs:
            if name in PAYLOADS:
                pieces += [_BITS[byte] for byte in reversed(key if name == PAYLOADS[0] else block)]
            else:
                pieces.append(bytes(levels[first : first + width]))
                first += width
        return b"".join(pieces)

    def levels(self, stimulus: Stimulus) -> tuple[int, ...]:
        """The bits of the control inputs in the netlist's order."""
        levels = {
            "key.valid": int(stimulus.key_valid),
            "key.key size": SIZE_CODES.get(stimulus.key_bits, -stimulus.key_bits),
            "block.valid": int(stimulus.block_valid),
            "result.ready": int(stimulus.block_ready),
            "block.direction": int(stimulus.decrypt),
        }
        by_name = {_NAMES[role]: level for role, level in levels.items()}
        by_name[FRESH_VALID] = int(not stimulus.withheld)
        return tuple(
            by_name[name] >> bit & 1 for name, width in self.inputs if name not in PAYLOADS for bit in range(width)
        )

    def payload(self, key: Sequence[int], block: Sequence[int], idle: int) -> list[int]:
        """The bits of the payloads, all `idle` where there is no transfer.

        A key that is shorter than its port stands in the most significant bits.
        """
        widths = dict(self.inputs)
        key_width, block_width = (widths[name] for name in PAYLOADS)
        return [*[idle] * (key_width - len(key)), *key, *(block or [idle] * block_width)]

    def handshakes(self, outputs: Sequence[Any]) -> list[Any]:
        """The levels of HANDSHAKES from all output bits in the netlist's order."""
        first, found = 0, {}
        for name, width in self.outputs:
            found[name] = outputs[first]
            first += width
        return [found[name] for name in HANDSHAKES]

    def result_bytes(self, outputs: Sequence[Any]) -> list[list[Any]]:
        """The bytes of the result, byte 0 first, from all output bits in the netlist's order."""
        first = 0
        for name, width in self.outputs:
            if name == RESULT:
                bits = list(outputs[first : first + width])
                return [bits[i : i + 8] for i in range(width - 8, -1, -8)]
            first += width
        raise CheckError("the core has no result")


def block_ports(netlist: Netlist, design: CoreDesign) -> BlockPorts:
    """The block interface of an elaborated design.

    Raises CheckError unless the netlist has exactly the ports that key sizes, directions and width of the design ask
    for, each as wide as they ask: no other, none wider. What clears it, or opens its clock gates,
    is tied.
    """
    if design.in_shares:
        raise CheckError(f"{design.name}: is masked: proofs are of the sums of its shares")
    try:
        wanted = design.block_interface
    except RequestError as error:
        raise CheckError(f"{design.name}: {error}") from error
    if design.ports != wanted:
        raise CheckError(f"{design.name}: a proof knows the block interface only, and the design states other ports")
    clocking = (wanted.clock, wanted.reset.port if wanted.reset else None, wanted.scan_enable, CLEAR_INPUT)
    directions = ((netlist.inputs, PortDirection.INPUT), (netlist.outputs, PortDirection.OUTPUT))
    for has, direction in directions:
        asked = {port.name: port.bits for port in wanted if port.direction is direction and port.name not in clocking}
        for name in sorted(asked.keys() | has.keys()):
            width = len(has.get(name, ()))
            if width != asked.get(name, 0):
                raise CheckError(
                    f"{design.name}: {direction} {name} has {width or 'no'} bits in the sources; for keys of "
                    f"{', '.join(map(str, design.key_bits))} bits and {' and '.join(design.directions)} the block "
                    f"interface has {asked.get(name, 'no such port')}"
                )
    key_width = len(netlist.inputs["key_i"])
    return BlockPorts(
        Shape(128 // design.block_width, key_width, design.key_bits, len(netlist.registers)),
        len(design.directions) == 2,
        len(design.key_bits) > 1,
        design.directions == (Direction.DECRYPT,),
        tuple((name, len(bits)) for name, bits in netlist.inputs.items()),
        tuple((name, len(bits)) for name, bits in netlist.outputs.items()),
        tuple(netlist.outputs[name][0] for name in HANDSHAKES),
        wanted.quiet,
    )
